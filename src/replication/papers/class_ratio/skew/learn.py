"""The skew study, the learner: as figure 3, once for every skew."""

from replication.papers.class_ratio.matching import learn

__all__ = ["learn"]
