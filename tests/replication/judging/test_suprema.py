"""Suprema over data sets against brute force over small ones, and exact levels against other routes."""

from __future__ import annotations

from itertools import permutations, product
from math import comb, exp, log

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.integrate import quad

from channels import channel_delta
from replication.papers.class_ratio.guarantees import consistent_law, edge
from replication.papers.class_ratio.projected_noise import consistent_laplace_epsilon, prior_draw_delta
from replication.papers.spread.guarantees import image_law
from unveil.errors import NoValidScale
from unveil.mechanisms.counts import SubsampleCounts
from unveil.mechanisms.dirichlet_draws import DirichletOrLaplacePrior, ScaledDirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scale
from unveil.mechanisms.flips import PixelFlips
from unveil.mechanisms.mean_operator import MeanOperatorRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.numerics.products import products
from unveil.privacy.channels import channel_epsilon
from unveil.privacy.dirichlet import true_delta
from unveil.types import Floats


def test_no_two_counts_lose_more_than_laplace_noise_and_large_ones_nearly_as_much() -> None:
    levels = [consistent_laplace_epsilon(a, b, 4.0) for a, b in product(range(1, 60), range(60))]
    assert max(levels) < 0.5
    assert 0.4999 < consistent_laplace_epsilon(20_000, 20_000, 4.0) < 0.5


def test_no_two_counts_lose_more_than_geometric_noise_and_large_ones_nearly_as_much() -> None:
    def level(a: int, b: int) -> float:
        pair = np.array([a, b]), np.array([a - 1, b + 1])
        return channel_epsilon(np.column_stack([consistent_law(counts, 0.5) for counts in pair]))

    levels = [level(a, b) for a, b in product(range(1, 12), range(12))]
    assert max(levels) < 0.5
    assert max(0.49, *levels) < level(200, 200) < 0.5


@pytest.mark.parametrize("classes", [2, 5])
def test_the_interior_of_many_classes_comes_close_to_the_level_of_laplace_noise(classes: int) -> None:
    """The density of the consistent counts at n − d is ∝ ∫ Π exp(−|d_i + t|/s) dt while no class is empty."""
    scale, far = 4.0, 4_000.0

    def log_density(first: float, second: float) -> float:
        d = np.array([first, second, *[0.0] * (classes - 2)])

        def height(t: float) -> float:
            return exp((2 * far - np.abs(d + t).sum()) / scale)

        value, _ = quad(height, -2 * far, 2 * far, points=[-far, 0.0, far], limit=2000, epsabs=0.0, epsrel=1e-9)
        return log(value)

    loss = log_density(far - 1, 1 - far) - log_density(far, -far)
    assert 0.499 < loss <= 0.5 + 1e-7


@pytest.mark.parametrize("features", [1, 2, 3])
def test_products_of_features_lose_what_the_corners_of_all_ones_and_zeros_lose(features: int) -> None:
    corners = np.array(list(product((0.0, 1.0), repeat=features + 1)))
    inside = np.vstack([corners, default_rng(3).random((40, features + 1))])
    size = features * (features + 1) // 2 + features
    every = PerValueRelease(0.7 * size, size).level_between(products(inside[:, :-1], inside[:, -1]))
    assert every == pytest.approx(size * PerValueRelease(0.7, 1.0).level_between([[0.0], [1.0]]))


def test_no_features_lose_more_than_the_printed_noise_at_worst() -> None:
    mechanism, rng = MeanOperatorRelease(1.0), default_rng(1)
    levels = []
    for _ in range(300):
        X = rng.standard_normal((4, 3))
        levels.append(mechanism.tight_epsilon(X / np.linalg.norm(X, axis=1, keepdims=True)))
    assert 0.97 * mechanism.worst_epsilon(3) < max(levels) <= mechanism.worst_epsilon(3)


def image_matrix(mechanism: PixelFlips, pixels: int) -> Floats:
    """The laws of two images that differ everywhere: every pixel shows the one's state, the other's, or neither."""
    kinds = np.column_stack([mechanism.matrix[[0, -1], 0], mechanism.matrix[[0, -1], -1]])
    kinds = np.vstack([kinds, 1 - kinds.sum(axis=0)])
    outcomes = np.array(list(product(range(3), repeat=pixels)))
    laws: Floats = kinds[outcomes].prod(axis=1)
    return laws


@pytest.mark.parametrize(("pixels", "states", "flip"), [(6, 4, 0.2), (5, 2, 0.1), (3, 256, 0.4)])
def test_images_by_counts_of_pixels_against_every_outcome(pixels: int, states: int, flip: float) -> None:
    mechanism = PixelFlips(flip, states)
    chances, losses = image_law(mechanism, pixels)
    assert chances.sum() == pytest.approx(1)
    for epsilon in (0.0, 1.0, 4.0):
        delta = float(chances @ -np.expm1(np.minimum(epsilon - losses, 0)))
        assert delta == pytest.approx(channel_delta(image_matrix(mechanism, pixels), epsilon), rel=1e-9)


@pytest.mark.parametrize("rule", ["paper", "tight"])
def test_where_the_scale_ends_a_neighbour_has_none(rule: str) -> None:
    here, there = edge(3, 300, 0.1, 0.05, rule)
    assert (here - there).tolist() == [1, 0, -1]
    assert has_scale(here, rule)
    assert not has_scale(there, rule)
    assert true_delta(here, 0.1, ScaledDirichlet(0.1, 0.05, rule).scale) == 1.0


def has_scale(counts: Floats, rule: str) -> bool:
    try:
        dirichlet_scale(counts, 0.1, 0.05, rule)
    except NoValidScale:
        return False
    return True


def test_a_public_minimum_keeps_its_promise_at_every_set_that_reaches_it() -> None:
    mechanism, total = ScaledDirichlet(0.3, 0.05, "tight", minimum_count=8), 32
    deltas = {
        (a, b): mechanism.true_delta([a, b, total - a - b])
        for a in range(8, total - 15)
        for b in range(8, total - a - 7)
    }
    assert max(deltas.values()) == pytest.approx(0.05, abs=1e-7)
    assert max(deltas, key=lambda pair: deltas[pair]) in {(9, 8), (8, 9), (8, 15), (15, 8), (9, 15), (15, 9)}


def test_at_a_fixed_scale_the_tight_rule_gives_away_delta_at_any_counts() -> None:
    for counts in ([30, 30], [12, 40, 48], [20, 21, 22, 37]):
        scale = dirichlet_scale(counts, 0.3, 0.05, "tight")
        assert true_delta(counts, 0.3, lambda _, fixed=scale: fixed) == pytest.approx(0.05, abs=1e-7)  # type: ignore[misc]


def test_a_subsample_gives_away_most_of_a_label_that_is_alone() -> None:
    mechanism = SubsampleCounts(0.25)
    deltas = {(a, b): mechanism.true_delta([a, b, 12 - a - b]) for a in range(13) for b in range(13 - a)}
    assert max(deltas.values()) == pytest.approx(0.25)
    assert deltas[1, 0] == pytest.approx(0.25)
    assert deltas[4, 4] < 0.2


def test_a_draw_from_the_prior_against_the_scaled_dirichlet_by_simulation() -> None:
    """The two points, and the divergence between histograms of as many bins as the draws allow."""
    mechanism = DirichletOrLaplacePrior(0.05, 0.05)
    here, there, n, rng = [41.0, 959.0], [40.0, 960.0], 200_000, default_rng(5)
    scale = ScaledDirichlet(0.05, 0.05).scale(here)
    delta_of = prior_draw_delta((41 * scale, 959 * scale), (40, 960), 40.0)
    first, second = (mechanism.release(np.tile(counts, (n, 1)), rng)[:, 0] for counts in (here, there))
    # The infinite ε leaves the two points alone; a share below 10⁻³⁰⁰ is rounded to one of them.
    assert ((second == 0) | (second == 1)).mean() == pytest.approx(delta_of(690.0), abs=4.9 * 0.5 / np.sqrt(n) + 2e-3)
    edges = np.quantile(np.concatenate([first, second]), np.linspace(0, 1, 400)[1:-1])
    laws = [np.bincount(np.searchsorted(edges, each, side="right"), minlength=399) / n for each in (first, second)]
    excess = [np.maximum(p - exp(0.05) * q, 0).sum() for p, q in permutations(laws)]
    assert max(excess) == pytest.approx(delta_of(0.05), abs=0.02)


def test_sets_with_quotas_exclude_every_other_labelling() -> None:
    """All assignments of six records to two sets or none, by quotas of labels: disjoint for two neighbours."""
    quotas, here, there = np.array([[2, 0], [0, 2]]), np.array([0, 0, 0, 1, 1, 1]), np.array([1, 0, 0, 1, 1, 1])

    def possible(labels: Floats) -> set[tuple[int, ...]]:
        return {
            sets
            for sets in product(range(3), repeat=6)
            if all(
                np.count_nonzero((np.array(sets) == k) & (labels == label)) == quotas[k, label]
                for k in range(2)
                for label in range(2)
            )
        }

    mine, other = possible(here), possible(there)
    assert len(mine) == comb(3, 2) ** 2
    # Only where the changed record is in no set can both be: the loss elsewhere is infinite.
    assert all(sets[0] == 2 for sets in mine & other)
    assert any(sets[0] != 2 for sets in mine - other)
