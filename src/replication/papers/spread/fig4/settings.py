"""Figure 4: figure 2 with Gaussian noise."""

from replication.papers.spread.fig2.settings import Figure

__all__ = ["Figure"]
