"""Figure 4: figure 2 with Gaussian noise."""

from replication.papers.spread.fig2.draw import draw

__all__ = ["draw"]
