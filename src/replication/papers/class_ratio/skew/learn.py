"""The skew study, the learner: as figure 3, once for every skew."""

from replication.papers.class_ratio.fig3.learn import learn

__all__ = ["learn"]
