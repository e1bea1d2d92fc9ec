"""Figure 4: figure 2 with Gaussian noise."""

from replication.papers.spread.fig2.score import score

__all__ = ["score"]
