"""What the study of set sizes can be asked for."""

from replication.papers.class_ratio.settings import DesignedFigure as Figure

__all__ = ["Figure"]
