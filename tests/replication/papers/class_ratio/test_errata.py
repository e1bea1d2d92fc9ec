"""The errata of the third paper, each under the hypotheses that its statement has.

A test gets what is printed and what is right, and fails if they trade places or if either stands for both:
tests/tools/test_errata_page.py tries.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import exp, log1p, pi, sqrt

import numpy as np
import pytest
from scipy.special import betainc, gammaln
from scipy.stats import norm

from checks import FALSE_ALARM
from replication.papers.class_ratio.sets import skewed_counts
from replication.papers.class_ratio.theory.bounds import chebyshev_delta, confidence
from unveil.errors import NoValidScale
from unveil.mechanisms.dirichlet_draws import DirichletOrLaplacePrior, ScaledDirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scale
from unveil.types import Array
from versions import Formula, versions

F = Fraction
EPSILON = DELTA = 0.05  # section 4.1


def smallest_singular(matrix: Array) -> float:
    """The least of the singular values of a matrix with at least as many rows as columns."""
    return float(np.linalg.svd(matrix, compute_uv=False)[matrix.shape[1] - 1])


def has_scale(counts: Array, epsilon: float, delta: float) -> bool:
    """Whether there is a σ by (9)."""
    try:
        return bool(dirichlet_scale(counts, epsilon, delta, "paper"))
    except NoValidScale:
        return False


@versions(lambda rise, smallest: sqrt(rise / smallest), lambda rise, smallest: sqrt(rise) / smallest)
def test_the_root_of_lemma_2_does_not_cover_minsing(printed: Formula, corrected: Formula) -> None:
    """Columns no longer than 1, as kernel means are; α* in any direction from the least-squares estimate α̂."""
    A, a = np.array([[1.0, 0.0], [0.0, 0.25], [0.0, 0.0]]), np.array([0.3, 0.1, 0.2])
    estimate, smallest = np.linalg.lstsq(A, a, rcond=None)[0], smallest_singular(A)
    broken = []
    for angle in np.linspace(0, pi, 13):
        truth = estimate + 2 * np.array([np.cos(angle), np.sin(angle)])
        rise = float(((A @ truth - a) ** 2).sum() - ((A @ estimate - a) ** 2).sum())
        assert corrected(rise, smallest) >= 2 * (1 - 1e-12)
        broken.append(printed(rise, smallest) < 2 * (1 - 1e-3))
    assert any(broken)


@versions(lambda population, _sample: population, lambda _population, sample: sample)
def test_the_condition_number_has_the_sample_matrix(printed: Formula, corrected: Formula) -> None:
    """Which A has its minsing in Q(D), where the proof needs ‖P̂‖ ‖α̂ − α*‖ ≤ Q · √(rise of the objective)."""
    population, sample = np.eye(2), np.diag([1.0, 0.25])
    proportions = np.array([[0.9, 0.1], [0.1, 0.9]])

    def holds(matrix: Array) -> bool:
        Q = np.linalg.norm(proportions, 2) / smallest_singular(matrix)
        return all(
            np.linalg.norm(proportions, 2) * np.linalg.norm(off) <= Q * np.linalg.norm(sample @ off) * (1 + 1e-12)
            for off in np.random.default_rng(0).normal(size=(50, 2))
        )

    assert holds(corrected(population, sample))
    assert not holds(printed(population, sample))


@versions(lambda _means: 1.0, lambda means: 1 / smallest_singular(means))
def test_pure_sets_do_not_bring_the_condition_number_to_one(printed: Formula, corrected: Formula) -> None:
    """Orthogonal class ratios, P̂ = I, and two classes at a distance, under a Gaussian kernel of unit length."""
    for distance in (0.5, 1.0, 2.0):
        gram = np.array([[1.0, exp(-(distance**2) / 2)], [exp(-(distance**2) / 2), 1.0]])
        means = np.linalg.cholesky(gram).T
        Q = np.linalg.norm(np.eye(2), 2) / sqrt(float(np.linalg.eigvalsh(gram)[0]))
        assert pytest.approx(corrected(means)) == Q
        assert printed(means) < 0.95 * Q


@versions(lambda _sets, _classes: True, lambda sets, classes: sets == classes)
def test_the_bound_vanishes_for_as_many_sets_as_classes_only(printed: Formula, corrected: Formula) -> None:
    """Whether the bound of theorem 1 tends to 0 as sets grow: minsing(Ā) must not be 0, and Ā has the rank of c."""
    classes, rng = 3, np.random.default_rng(0)
    means = rng.normal(size=(20, classes))
    for sets in (3, 4, 6):
        population = means @ rng.dirichlet(np.ones(classes), sets).T
        assert np.linalg.matrix_rank(population) == classes  # A0 holds
        assert corrected(sets, classes) == (smallest_singular(population) > 1e-9)
    assert printed(4, classes) != (smallest_singular(population) > 1e-9)


@versions(lambda classes: 4 * classes, lambda classes: classes)
def test_few_sets_are_better_by_theorem_1(printed: Formula, corrected: Formula) -> None:
    """How many sets the same 6,000 instances should make: what sampling contributes, (Σ C_δ(n_i)²)^½."""
    for classes in (2, 3, 10):
        error = [
            np.sqrt(sets) * float(confidence(6000 / sets, sets, 0.05))
            for sets in (corrected(classes), printed(classes))
        ]
        assert error[0] < error[1] / 1.5


@versions(lambda classes: log1p(classes), lambda _classes: 0.0)
def test_laplace_noise_has_no_least_level(printed: Formula, corrected: Formula) -> None:
    """The least ε of Laplace noise of scale 2/ε on c counts, whatever is made of them afterwards; one label changes.

    `printed` is the floor that a Dirichlet prior of fixed mass has, here of mass 1 for one draw.
    """
    for classes, level in product((2, 5, 50), (F(1, 1000), F(1, 20), F(3))):
        here = [30, 30, *[30] * (classes - 2)]
        there = [29, 31, *[30] * (classes - 2)]
        outputs = [[30 + far, 30 - far, *[30] * (classes - 2)] for far in (-90, 0, 90)]
        scale = 2 / level
        losses = [
            sum(abs(o - b) - abs(o - a) for o, a, b in zip(output, here, there, strict=True)) / scale
            for output in outputs
        ]
        assert max(losses) == level  # each of the two terms is at most 1
        if level == F(1, 1000):
            assert corrected(classes) <= max(losses) < printed(classes)


@versions(lambda inside, _outside: inside, lambda _inside, outside: outside)
def test_delta_is_the_mass_outside_the_region(printed: Formula, corrected: Formula) -> None:
    """(9) for two classes: P[θ_i > κ θ_j], counted, against the Beta mass inside and outside of Θ_ij."""
    counts, scale, n = np.array([60.0, 90.0]), 0.5, 200_000
    shapes = scale * counts
    ratio = np.divide(*np.random.default_rng(3).gamma(shapes, size=(n, 2)).T)
    wide = norm.isf(FALSE_ALARM) / np.sqrt(4 * n)
    for epsilon in (0.2, 0.8, 3.0):
        log_lambda = (gammaln(shapes) - gammaln(shapes + scale * np.array([-1, 1]))).sum()
        kappa = exp((log_lambda + epsilon) / scale)
        inside = float(betainc(*shapes, kappa / (1 + kappa)))
        counted = float((ratio > kappa).mean())
        assert abs(corrected(inside, 1 - inside) - counted) < wide
        assert abs(printed(inside, 1 - inside) - counted) > 10 * wide


@versions(ScaledDirichlet(EPSILON, DELTA), ScaledDirichlet(EPSILON, DELTA, "paper", minimum_count=47))
def test_a_scale_from_the_counts_breaks_the_promise(printed: ScaledDirichlet, corrected: ScaledDirichlet) -> None:
    """The defaults of section 4.1, and the smallest counts that have a σ: the neighbour's σ is another, or is none."""
    defaults, smallest = [50, 50, 50, 50, 800], [47, 47, 47, 47, 812]
    assert max(corrected.true_delta(counts) for counts in (defaults, smallest)) <= DELTA
    assert printed.true_delta(defaults) > 1.5 * DELTA
    assert printed.true_delta(smallest) == 1  # as the text has it, the neighbour gets an error
    # The other reading: the neighbour falls back to the prior from noised counts. Its draws are hardly ever extreme.
    mechanism, n = DirichletOrLaplacePrior(EPSILON, DELTA), 20_000
    neighbour = [46, 48, 47, 47, 812]
    assert not has_scale(np.array(neighbour), EPSILON, DELTA)
    extreme = [
        float((mechanism.release(np.tile(counts, (n, 1)), np.random.default_rng(4))[:, 4] > 0.97).mean())
        for counts in (smallest, neighbour)
    ]
    assert extreme[0] - exp(EPSILON) * extreme[1] > 2 * DELTA + 3 * norm.isf(FALSE_ALARM) / np.sqrt(4 * n)


FIGURE_1 = [
    *((classes, 0.05, EPSILON) for classes in (2, 3, 5, 8, 10, 15)),
    *((5, share, EPSILON) for share in (0.025, 0.05, 0.1, 0.15, 0.2)),
    *((5, 0.05, epsilon) for epsilon in (0.01, 0.02, 0.05, 0.1, 0.2)),
]


@versions(
    lambda counts, epsilon: min(chebyshev_delta(counts, s, epsilon) for s in np.geomspace(1e-6, 1e3, 40)),
    lambda counts, epsilon: min(exact_delta(counts, s, epsilon) for s in np.geomspace(1e-6, 1e3, 40)),
)
def test_chebyshev_leaves_no_scale_in_figure_1(printed: Formula, corrected: Formula) -> None:
    """The least δ over all σ by (10) and by (9): the first bounds the second, and is never as small as 0.05."""
    found = []
    for classes, share, epsilon in FIGURE_1:
        few = round(1000 * share)
        counts = np.array([few] * (classes - 1) + [1000 - few * (classes - 1)])
        assert corrected(counts, epsilon) <= printed(counts, epsilon)
        assert printed(counts, epsilon) > DELTA
        found.append(corrected(counts, epsilon) <= DELTA)
    assert any(found)


def printed_chebyshev(counts: Array, scale: float, epsilon: float) -> float:
    """(10) to the letter, for every pair."""
    shares, worst = counts / counts.sum(), 0.0
    for i, j in permutations(range(len(counts)), 2):
        first, second = scale * counts[i], scale * counts[j]
        log_lambda = gammaln(first) - gammaln(first - scale) + gammaln(second) - gammaln(second + scale)
        kappa, (p, q) = exp((log_lambda + epsilon) / scale), (shares[i], shares[j])
        spread = p * (1 - p) + kappa**2 * q * (1 - q) + 2 * kappa * p * q
        worst = max(worst, spread / ((scale * counts.sum() + 1) * (p - kappa * q) ** 2))
    return float(worst)


@versions(printed_chebyshev, chebyshev_delta)
def test_chebyshev_needs_a_negative_mean(printed: Formula, corrected: Formula) -> None:
    """(10) against (9) at the defaults of section 4.1: both as a bound, and in a search for the largest σ."""
    counts = np.array([50.0, 50.0, 50.0, 50.0, 800.0])
    for scale in (0.05, 0.5, 1e5, 1e6):
        assert corrected(counts, scale, EPSILON) >= exact_delta(counts, scale, EPSILON)
    for scale in (1e5, 1e6):
        assert printed(counts, scale, EPSILON) < DELTA < exact_delta(counts, scale, EPSILON)


def exact_delta(counts: Array, scale: float, epsilon: float) -> float:
    """The largest of (9) over pairs, by one incomplete beta function each."""
    worst = 0.0
    for one, other in set(permutations(counts.tolist(), 2)):
        shapes = scale * np.array([one, other])
        log_lambda = gammaln(shapes[0]) - gammaln(shapes[0] - scale) + gammaln(shapes[1]) - gammaln(shapes[1] + scale)
        log_kappa = min(max((log_lambda + epsilon) / scale, -700.0), 700.0)
        worst = max(worst, float(betainc(shapes[1], shapes[0], 1 / (1 + exp(log_kappa)))))
    return worst


@versions([(0.025, EPSILON), (0.05, 0.01)], [(0.05, EPSILON), (0.2, EPSILON), (0.05, 0.2)])
def test_figure_1_has_points_without_a_scale(
    printed: list[tuple[float, float]], corrected: list[tuple[float, float]]
) -> None:
    """(ρ₁, ε) of sets of 1,000 with five classes, all at δ = 0.05."""

    def exists(share: float, epsilon: float) -> bool:
        return has_scale(skewed_counts(5, share, 1000)[0], epsilon, DELTA)

    assert all(exists(*point) for point in corrected)
    assert not any(exists(*point) for point in printed)


@versions(lambda cells, zeta: cells / sqrt(zeta), lambda cells, zeta: sqrt(cells / zeta))
def test_lemma_4_needs_no_union_bound(printed: Formula, corrected: Formula) -> None:
    """By Markov: bound² · ζ must not be below E‖P̃ − P̂‖², and need not be above where all variances are alike."""
    for sets, shares in ((2, [0.5, 0.5]), (3, [0.2, 0.3, 0.5]), (10, [0.1] * 10)):
        p, zeta = np.array(shares), 0.05
        variances = p * (1 - p) / (0.3 * 900 + 1)
        mean, cells = sets * variances.sum(), sets * len(p)
        tight, stated = (form(cells, zeta) ** 2 * zeta * variances.max() for form in (corrected, printed))
        assert mean <= tight * (1 + 1e-12)
        assert tight < 1.3 * mean
        assert stated > 3 * mean


@versions(2.0, sqrt(2))
def test_a_gaussian_needs_the_2_norm(printed: float, corrected: float) -> None:
    """How far one changed label moves the counts, in the norm that Gaussian noise is scaled to."""
    moves = [[(k == j) - (k == i) for k in range(5)] for i, j in permutations(range(5), 2)]
    assert max(float(np.linalg.norm(move)) for move in moves) == pytest.approx(corrected)
    assert max(float(np.linalg.norm(move)) for move in moves) < 0.9 * printed


@versions(0.1, 0.05)
def test_at_rho_one_tenth_ten_classes_make_equal_sets(printed: float, corrected: float) -> None:
    """The affine hull of the proportions must contain the simplex (A0)."""
    assert np.linalg.matrix_rank(skewed_counts(10, corrected, 3000)) == 10
    assert np.linalg.matrix_rank(skewed_counts(10, printed, 3000)) == 1


#: The rarest label among the 60,000 training digits of MNIST, and among all 6,940 tweets.
RAREST = {"mnist": (10, 5_421), "twitter": (3, 1_733)}


@versions({"mnist": 3_000, "twitter": 900}, {"mnist": 2_710, "twitter": 866})
def test_disjoint_sets_must_be_smaller_than_said(printed: dict[str, int], corrected: dict[str, int]) -> None:
    """c sets to train and c to choose the kernel by take 2n of every label, if no instance is in two of them."""
    for name, (classes, available) in RAREST.items():
        for rho in (0.05, 0.1) if classes == 3 else (0.05,):
            needed = [2 * skewed_counts(classes, rho, sizes[name]).sum(axis=0).min() for sizes in (corrected, printed)]
            assert needed[0] <= available < needed[1]


@versions((EPSILON, DELTA, 0.05), (EPSILON, DELTA, 0.1))
def test_sets_of_900_have_no_scale_at_the_defaults(
    printed: tuple[float, float, float], corrected: tuple[float, float, float]
) -> None:
    """(ε, δ, ρ) for three classes: what sections 4.1 and 4.2 offer for figure 3, and what has a σ by (9)."""

    def exists(epsilon: float, delta: float, rho: float) -> bool:
        return has_scale(skewed_counts(3, rho, 900)[0], epsilon, delta)

    assert exists(*corrected)
    assert not exists(*printed)
