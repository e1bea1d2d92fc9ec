"""Beam against exact, the owner: what figure 7 releases, for other window sizes."""

from __future__ import annotations

from replication.papers.linear_moments.fig7.release import release

__all__ = ["release"]
