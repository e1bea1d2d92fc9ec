"""The skew study, the owner: as figure 3, once for every skew ρ of the training sets."""

from replication.papers.class_ratio.fig3.release import release

__all__ = ["release"]
