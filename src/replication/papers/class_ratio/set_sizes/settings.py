"""What the study can be asked for: as figure 3."""

from replication.papers.class_ratio.fig3.settings import Figure

__all__ = ["Figure"]
