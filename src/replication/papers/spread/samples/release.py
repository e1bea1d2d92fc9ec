"""The bias of few importance samples, the owner: the same release as figure 3's."""

from replication.papers.spread.fig3.release import release

__all__ = ["release"]
