from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, hypergeom

from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.errors import NoValidScale, UnveilError
from unveil.mechanisms.counts import GaussianCounts, LaplaceCounts, SubsampleCounts, find_kinds
from unveil.mechanisms.dirichlet_draws import DirichletOrLaplacePrior, LaplacePrior, ScaledDirichlet, draw_dirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scale, dirichlet_scales
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.privacy.dirichlet import dirichlet_delta

COUNTS = np.array([50, 50, 50, 50, 800])
DRAWS = np.tile(COUNTS, (20_000, 1))
#: The first kind has a scale at (.05, .05), the second has none.
KINDS = np.array([[150.0, 150.0, 700.0], [45.0, 45.0, 910.0], [700.0, 150.0, 150.0]])
ALL: list[PublishedCounts] = [
    LaplaceCounts(0.05), GaussianCounts(0.05, 0.05), GaussianCounts(0.05, 0.05, "analytic"), LaplacePrior(0.05, 0.05),
    ScaledDirichlet(0.05, 0.05), ScaledDirichlet(0.05, 0.05, "tight"),
    ScaledDirichlet(0.05, 0.05, "tight", minimum_count=50), DirichletOrLaplacePrior(0.05, 0.05), SubsampleCounts(0.05),
]  # fmt: skip


@pytest.mark.parametrize("mechanism", ALL, ids=str)
def test_releases_are_proportions(mechanism: PublishedCounts) -> None:
    for counts in (COUNTS, DRAWS[:1], DRAWS[:50]):
        released = mechanism.release(counts, np.random.default_rng(0))
        assert released.shape == counts.shape
        assert (released >= 0).all()
        np.testing.assert_allclose(released.sum(axis=-1), 1.0, atol=1e-12)


BAD_COUNTS: list[tuple[list[float], str]] = [
    ([50, -1], "negative"), ([50, 1.5], "whole"), ([50, np.nan], "finite"), ([0, 0], "all be zero"),
    ([5], "two classes"),
]  # fmt: skip
test_bad_counts_are_errors = refused(
    *((mechanism, *case) for mechanism in ALL for case in BAD_COUNTS),
    call=lambda mechanism, counts: mechanism.release(counts, np.random.default_rng(0)),
)


test_bad_demands_are_errors = refused(
    *((LaplaceCounts, epsilon, "epsilon") for epsilon in (0.0, -1.0, np.inf, np.nan)),
    *(
        (kind, epsilon, 0.1, "epsilon")
        for kind in (LaplacePrior, ScaledDirichlet)
        for epsilon in (0.0, -1.0, np.inf, np.nan)
    ),
    (GaussianCounts, 0.1, 0.1, "other", "kind must be"),
    (GaussianCounts, 1.5, 0.1, "below 1"),
    (lambda: ScaledDirichlet(0.1, 0.1, minimum_count=0), "minimum_count"),
)


def test_scaled_dirichlet_moments() -> None:
    mechanism = ScaledDirichlet(0.05, 0.05, "tight")
    scale = dirichlet_scale(COUNTS, 0.05, 0.05, "tight")
    released = mechanism.release(DRAWS, np.random.default_rng(3))
    shares = COUNTS / COUNTS.sum()
    assert mechanism.scale(COUNTS) == scale
    assert_mean(released, shares)
    assert_mean((released - shares) ** 2, shares * (1 - shares) / (scale * COUNTS.sum() + 1))


def test_tiny_shapes_are_drawn_right() -> None:
    """Shapes of a thousandth put nearly all mass on one class, chosen by the shapes; nothing is nan."""
    shapes = np.array([1e-3, 3e-3, 0.0])
    drawn = draw_dirichlet(np.tile(shapes, (100_000, 1)), np.random.default_rng(4))
    assert np.isfinite(drawn).all()
    assert (drawn[:, 2] == 0).all()
    law = beta(1e-3, 3e-3)
    edges = [1e-300, 1e-100, 1e-10, 0.5, 1 - 1e-10]
    cells = np.diff(np.concatenate([[0.0], law.cdf(edges), [1.0]]))
    assert_frequencies(np.bincount(np.searchsorted(edges, drawn[:, 0]), minlength=6), cells)


def test_a_public_minimum_makes_the_guarantee_hold() -> None:
    mechanism = ScaledDirichlet(0.05, 0.05, "tight", minimum_count=45)
    scale = mechanism.scale(COUNTS)
    assert mechanism.scale([45, 955]) == scale
    for counts in ([45, 45, 910], [45, 46, 909], [46, 45, 46], [300, 45, 655], COUNTS):
        assert mechanism.true_delta(counts) <= 0.05 * (1 + 1e-9)
    assert dirichlet_delta([46, 45, 500], [45, 46, 500], scale, scale, 0.05) == pytest.approx(0.05, rel=1e-6)
    with pytest.raises(UnveilError, match="reach minimum_count"):
        mechanism.release([44, 956], np.random.default_rng(0))


def test_without_it_the_published_mechanism_breaks_its_promise() -> None:
    assert ScaledDirichlet(0.05, 0.05).true_delta(COUNTS) > 0.07
    rows = np.array([[n] * 4 + [1000 - 4 * n] for n in range(2, 60)])
    smallest = rows[np.isfinite(dirichlet_scales(rows, 0.05, 0.05, "paper"))][0]
    assert ScaledDirichlet(0.05, 0.05).true_delta(smallest) == 1.0


def test_the_fallback_is_used_exactly_where_there_is_no_scale() -> None:
    small, large = np.array([45, 45, 810]), np.array([150, 150, 700])
    mechanism, rng = DirichletOrLaplacePrior(0.05, 0.05), np.random.default_rng
    np.testing.assert_array_equal(mechanism.release(small, rng(5)), LaplacePrior(0.05, 0.05).release(small, rng(5)))
    np.testing.assert_array_equal(mechanism.release(large, rng(5)), ScaledDirichlet(0.05, 0.05).release(large, rng(5)))
    with pytest.raises(NoValidScale):
        ScaledDirichlet(0.05, 0.05).release(small, rng(5))


def test_subsample_is_hypergeometric() -> None:
    released = SubsampleCounts(0.05).release(DRAWS, np.random.default_rng(6))
    ones = np.round(released[:, 0] * 50).astype(int)
    assert_frequencies(
        np.bincount(np.minimum(ones, 8), minlength=9),
        [*hypergeom(1000, 50, 50).pmf(range(8)), hypergeom(1000, 50, 50).sf(7)],
    )
    with pytest.raises(UnveilError, match="at least one over"):
        SubsampleCounts(0.01).release([5, 6], np.random.default_rng(0))


def test_true_deltas_of_the_yardsticks() -> None:
    assert LaplaceCounts(0.05).true_delta(COUNTS) == LaplacePrior(0.05, 0.05).true_delta(COUNTS) == 0.0
    assert GaussianCounts(0.05, 0.05, "analytic").true_delta(COUNTS) == pytest.approx(0.05, rel=1e-6)
    assert GaussianCounts(0.05, 0.05).true_delta(COUNTS) < 1e-4
    assert 0 < SubsampleCounts(0.05).true_delta(COUNTS, 0.05) < SubsampleCounts(0.05).true_delta(COUNTS) <= 0.05


def test_subsamples_of_interleaved_kinds_have_their_own_means() -> None:
    order = np.random.default_rng(1).integers(0, 3, 30_000)
    released = SubsampleCounts(0.05).release(KINDS[order], np.random.default_rng(2))
    for k, kind in enumerate(KINDS):
        assert_mean(released[order == k], kind / 1000)


@pytest.mark.parametrize("rows", [[[3, 1]], [[3, 1]] * 4, [[3, 1], [2, 2], [3, 1], [1, 3]], [[3, 1], [3, 1], [3, 2]]])
def test_rows_that_are_alike_are_one_kind(rows: list[list[int]]) -> None:
    kinds, which = find_kinds(np.array(rows, dtype=float))
    np.testing.assert_array_equal(kinds[which], rows)
    assert len(kinds) == len(set(map(tuple, rows)))
