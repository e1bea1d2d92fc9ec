"""Figure 3, the owner: sets of labelled instances go out without labels, with proportions veiled in several ways."""

from replication.papers.class_ratio.veils import release

__all__ = ["release"]
