"""Accuracy against computing, the owner: what figure 7 releases."""

from __future__ import annotations

from replication.papers.linear_moments.fig7.release import release

__all__ = ["release"]
