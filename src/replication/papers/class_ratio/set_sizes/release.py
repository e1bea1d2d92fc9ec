"""Many small against few large sets, the owner: as figure 3, with the same instances cut into more or fewer sets."""

from replication.papers.class_ratio.fig3.release import release

__all__ = ["release"]
