"""What the study of the guarantee can be asked for."""

from __future__ import annotations

from replication.papers.class_ratio.settings import Demand, Steps
from replication.settings import Count, settings


@settings
class Score(Demand):
    """Sets of `size` labels, in all classes but one of which so many labels are; and a public bound on all counts."""

    classes: Steps = 5
    size: Count = 1000
    smallest: tuple[Count, ...] = (*range(40, 61), 100, 200)
    public_minimum: Count = 40
