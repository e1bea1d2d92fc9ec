"""The sets of figure 3 and of the figures that extend it: every skew, and copies of smaller sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from replication.papers.class_ratio.fig3.settings import Designed
from replication.papers.class_ratio.sets import Design, skewed_counts
from unveil.errors import require


def designs(settings: Designed, dataset: str) -> Iterator[tuple[float, Design]]:
    """Every skew ρ, and in it every number of copies of the c skewed sets, each as much smaller, with its ρ.

    The test mixtures are those of figure 3: x goes in even steps from 0 to 1/c. The common class is the last one, as in
    the paper, and where so configured every other one in turn.
    """
    size = settings.sets[dataset]
    shares = [float(x) for x in np.linspace(0.0, 1.0 / size.classes, settings.steps)]
    last, others = size.classes - 1, () if size.others is None else range(size.classes - 1)
    chosen = [(x, last, size.test) for x in shares] + [(x, k, size.others or 0) for k in others for x in shares]
    tests = np.stack([skewed_counts(size.classes, x, n)[k] for x, k, n in chosen])
    shares, dominant = [x for x, _, _ in chosen], [k for _, k, _ in chosen]
    for rho in size.rhos:
        validation = skewed_counts(size.classes, rho, size.validation)
        for copies in settings.copies:
            require(
                size.train % copies == 0, f"copies: {copies} does not divide {size.train}, the set size of {dataset}"
            )
            train = np.tile(skewed_counts(size.classes, rho, size.train // copies), (copies, 1))
            yield rho, Design(train, validation, tests, shares, dominant)
