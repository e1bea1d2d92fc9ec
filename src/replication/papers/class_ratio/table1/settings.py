"""What table 1 can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.settings import Count, Dataset, Large, Several, settings


@settings
class Printed:
    """A row of the paper's table."""

    features: Count
    instances: Large
    classes: Count
    train: Count
    test: Count


@settings
class Sizes:
    """Instances in one training set and in one test set, and what the paper prints."""

    train: Count
    test: Count
    printed: Printed


@settings
class Score:
    """The data sets in their order."""

    sets: Annotated[dict[Dataset, Sizes], Several]
