"""Figure 3, the learner: one kernel pass, then an estimate from each release of the proportions."""

from replication.papers.class_ratio.matching import learn

__all__ = ["learn"]
