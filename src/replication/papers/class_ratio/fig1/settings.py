"""What figure 1 can be asked for."""

from __future__ import annotations

from replication.papers.class_ratio.settings import Demand, Exact, Steps
from replication.settings import Count, Inside, Positive, Share, settings


@settings
class Point(Demand):
    """One set of `size` labels, of which every class but one has the share `proportion`; and what is demanded."""

    classes: Steps
    size: Count
    proportion: Inside


@settings
class Score:
    """The mechanisms in the order in which they draw, and what each panel varies from the defaults."""

    defaults: Point
    classes: tuple[Steps, ...]
    proportions: tuple[Inside, ...]
    epsilons: tuple[Positive, ...]
    mechanisms: tuple[Exact, ...]
    public_minimum_share: Share
    companion_draws: Count


@settings
class Figure:
    """A referee alone."""

    score: Score
