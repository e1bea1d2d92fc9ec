"""Sets of several kinds released together: each row follows the law of its own counts, in its own place."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from checks import assert_mean
from unveil.mechanisms.counts import (
    CountMechanism,
    DirichletOrLaplacePrior,
    LaplacePrior,
    ScaledDirichlet,
    SubsampleCounts,
)

#: The first kind has a scale at (.05, .05), the second has none.
KINDS = np.array([[150.0, 150.0, 700.0], [45.0, 45.0, 910.0], [700.0, 150.0, 150.0]])


def test_subsamples_of_interleaved_kinds_have_their_own_means() -> None:
    order = default_rng(1).integers(0, 3, 30_000)
    released = SubsampleCounts(0.05).release(KINDS[order], default_rng(2))
    for k, kind in enumerate(KINDS):
        assert_mean(released[order == k], kind / 1000)


@pytest.mark.parametrize(("kind", "alone"), [(0, ScaledDirichlet(0.05, 0.05)), (1, LaplacePrior(0.05, 0.05))])
def test_the_fallback_is_chosen_for_each_kind(kind: int, alone: CountMechanism) -> None:
    """Interleaved with the others or alone: the same mechanism, so the same moments."""
    order = np.arange(30_000) % 3
    mixed = DirichletOrLaplacePrior(0.05, 0.05).release(KINDS[order], default_rng(3))[order == kind]
    expected = alone.release(np.tile(KINDS[kind], (10_000, 1)), default_rng(4))
    for power in (1, 2):
        assert_mean(mixed**power - expected**power, np.zeros(3))


def test_shapes_are_kept() -> None:
    assert SubsampleCounts(0.05).release(KINDS[0], default_rng(5)).shape == (3,)
    assert SubsampleCounts(0.05).release(KINDS[:1], default_rng(5)).shape == (1, 3)
