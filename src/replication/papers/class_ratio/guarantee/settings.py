"""What the study of the guarantee can be asked for."""

from __future__ import annotations

from replication.papers.class_ratio.settings import Demand, Steps
from replication.settings import Count, settings


@settings
class Score(Demand):
    """Sets of `size` labels, in all classes but one of which so many labels are; and a public bound on all counts."""

    classes: Steps
    size: Count
    smallest: tuple[Count, ...]
    public_minimum: Count


@settings
class Figure:
    """A referee alone."""

    score: Score
