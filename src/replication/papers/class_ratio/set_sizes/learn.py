"""Many small against few large sets, the learner: as figure 3, once for every number of sets."""

from replication.papers.class_ratio.fig3.learn import learn

__all__ = ["learn"]
