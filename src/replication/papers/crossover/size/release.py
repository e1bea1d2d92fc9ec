"""The crossover against n, the owner: labels flipped once for all estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.papers.crossover.veiling import veiled_labels
from replication.randomness import Trial
from unveil.types import Arrays


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    datasets: Sequence[str],
    epsilons: Sequence[float],
    sizes: Sequence[int],
    test: int,
    fractions: Sequence[float],
    set_size: int,
) -> Arrays:
    """Everything that is flipped at one ε, for the largest number of records."""
    return veiled_labels(fields, trial, datasets, epsilons, max(sizes), test, fractions, set_size)
