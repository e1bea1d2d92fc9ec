"""What figure 1 can be asked for."""

from __future__ import annotations

from replication.papers.class_ratio.settings import Demand, Exact, require_room
from replication.settings import Count, Grid, Inside, Positive, Share, Steps, settings


@settings
class Point(Demand):
    """One set of `size` labels, of which every class but one has the share `proportion`; and what is demanded."""

    classes: Steps = 5
    size: Count = 1000
    proportion: Inside = 0.05

    def __post_init__(self) -> None:
        """Refuse shares that leave the last class nothing."""
        require_room(self.classes, self.proportion)


@settings
class Score:
    """The mechanisms in the order in which they draw, and what each panel varies from the defaults.

    Not the paper's are panels with sets of several `sizes`, and with even shares of so many classes. As many rows as
    trials average `companion_draws` draws each; the public bound is a share of the smallest count.
    """

    defaults: Point = Point()
    classes: Grid[Steps] = (2, 3, 5, 8, 10, 15)
    proportions: Grid[Inside] = (0.025, 0.05, 0.075, 0.1, 0.15, 0.2)
    epsilons: Grid[Positive] = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2)
    sizes: Grid[Count] = (1000, 2000, 5000, 10_000)
    even: Grid[Steps] = (2, 3, 5, 8, 10)
    even_sizes: Grid[Count] = (1000, 5000)
    mechanisms: Grid[Exact]
    public_minimum_share: Share = 0.8
    companion_draws: Count = 100

    def __post_init__(self) -> None:
        """Refuse a panel that asks for sets that do not exist."""
        for classes in self.classes:
            require_room(classes, self.defaults.proportion)
        require_room(self.defaults.classes, *self.proportions)
