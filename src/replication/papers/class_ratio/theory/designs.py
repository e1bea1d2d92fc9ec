"""The sets behind the bounds: training sets of one size, validation sets like them, and one test set."""

from __future__ import annotations

from collections.abc import Iterator

from replication.papers.class_ratio.sets import Design, mixture_counts, skewed_counts
from replication.papers.class_ratio.settings import Dataset
from replication.papers.class_ratio.theory.settings import Release


def designs(settings: Release, dataset: Dataset) -> Iterator[tuple[int, Design]]:
    """For each size, its sets."""
    own = settings.sets[dataset]
    for n in own.sizes:
        train = skewed_counts(own.classes, settings.rho, n)
        yield n, Design(train, train, mixture_counts(own.classes, settings.test_share / own.classes, n)[None])
