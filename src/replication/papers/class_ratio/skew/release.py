"""The skew study, the owner: as figure 3, once for every skew ρ of the training sets."""

from replication.papers.class_ratio.veils import release

__all__ = ["release"]
