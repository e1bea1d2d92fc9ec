"""The diagonal of Ĝ, refits, intervals, and what else `MMDClassRatio` takes: each against an independent route."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy.sparse import csr_matrix
from scipy.stats import binom, norm
from sklearn.datasets import load_breast_cancer, load_digits

from checks import FALSE_ALARM
from refusals import refused
from unveil.estimators.bags.mixtures import shares_from, without_own_noise
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.mmd_gram import mmd_gram
from unveil.estimators.bags.precision import interval_ends, leave_own_out
from unveil.estimators.bags.solving import sets_of
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array

P = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
at_the_edge = pytest.mark.filterwarnings("ignore:the chosen bandwidth")


def bag(shares: Array, size: int, rng: Generator, apart: float = 1.5, width: int = 3) -> Array:
    counts = np.round(np.asarray(shares) * size).astype(int)
    return np.repeat(apart * np.eye(len(shares), width), counts, axis=0) + rng.normal(size=(counts.sum(), width))


def one_by_one(a: Array, b: Array, bandwidth: float, same: bool = False) -> float:
    """The mean kernel over pairs, in Python; of one set with itself over pairs of different points."""
    pairs = [(x, y) for (i, x), (j, y) in product(enumerate(a), enumerate(b)) if not (same and i == j)]
    return float(np.mean([np.exp(-((x - y) ** 2).sum() / (2 * bandwidth**2)) for x, y in pairs]))


def test_a_point_is_compared_with_the_others_of_its_bag() -> None:
    points, starts = default_rng(0).normal(size=(7, 2)), np.array([0, 4, 7])
    kernel = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
    bags = [range(a, b) for a, b in pairwise(starts)]
    found = leave_own_out(np.array([[kernel[own].mean(axis=0) for own in bags]]), starts)[0]
    for (i, own), point in product(enumerate(bags), range(7)):
        others = [kernel[other, point] for other in own if other != point]
        assert found[i, point] == pytest.approx(np.mean(others), abs=1e-12)


def test_the_unbiased_diagonal_against_brute_force() -> None:
    rng = default_rng(0)
    bags, X = [bag(p, 20, rng) for p in P], bag(np.array([0.5, 0.4, 0.1]), 20, rng)
    gram = np.array([[one_by_one(a, b, 1.3, i == j) for j, b in enumerate(bags)] for i, a in enumerate(bags)])
    cross = np.array([one_by_one(a, X, 1.3) for a in bags])
    model = MMDClassRatio([1.3], diagonal="unbiased").fit(bags, P)
    np.testing.assert_allclose(model.mixture(X), np.linalg.solve(gram, cross), rtol=1e-9)
    np.testing.assert_allclose(model.predict(X), project_to_simplex(np.linalg.solve(gram, cross) @ P), rtol=1e-9)
    sizes = np.array([20, 20, 20])
    np.testing.assert_allclose(without_own_noise(mmd_gram(bags, [1.3])[0], sizes)[0], gram, rtol=1e-9)


def test_the_unbiased_diagonal_is_unbiased_and_the_printed_one_is_not() -> None:
    """2,000 draws of two points from a normal law: E k(x, y) = (1 + 2/s²)^(−d/2), in closed form."""
    draws = default_rng(1).normal(size=(2000, 2, 2))
    grams = np.array([mmd_gram([two], [1.0])[0][0, 0, 0] for two in draws])
    found = without_own_noise(grams[:, None, None], np.array([2]))[:, 0, 0]
    deviation = found.std() / np.sqrt(len(found))
    assert abs(found.mean() - 1 / 3) < 5 * deviation
    assert abs(grams.mean() - 1 / 3) > 20 * deviation


@at_the_edge
@pytest.mark.parametrize("diagonal", ["printed", "unbiased", "auto"])
def test_refitting_learns_from_all_sets(diagonal: str) -> None:
    """Refitted, four sets with two kinds of proportions: pooled by hand where the diagonal is unbiased."""
    rng = default_rng(3)
    shares = np.array([[0.9, 0.1], [0.1, 0.9]])
    bags, held, X = ([bag(p, n, rng, 1.0) for p in shares] for n in (50, 30, 40))
    model = MMDClassRatio([1.0], diagonal=diagonal, refit=True).fit(bags, shares, (held, shares))
    assert len(model.bags_) == 4
    if model.diagonal_ == "printed":
        again = MMDClassRatio([1.0]).fit([*bags, *held], np.tile(shares, (2, 1)))
    else:
        # The pooled means, from all pairs of different points within a bag and all pairs across bags.
        sizes = np.array([50, 50, 30, 30])
        clean = without_own_noise(mmd_gram([*bags, *held], [1.0])[0], sizes)[0]
        pool = np.array([[5, 0, 3, 0], [0, 5, 0, 3]]) / 8
        cross = mmd_gram([*bags, *held], [1.0], X)[1][0]
        by_hand = np.linalg.solve(pool @ clean @ pool.T, pool @ cross).T @ shares
        np.testing.assert_allclose(model.predict(X), project_to_simplex(by_hand), rtol=1e-9)
        again = MMDClassRatio([1.0], diagonal="unbiased").fit([*bags, *held], np.tile(shares, (2, 1)))
    np.testing.assert_allclose(model.predict(X), again.predict(X), rtol=1e-9)
    plain = MMDClassRatio([1.0], diagonal=diagonal).fit(bags, shares, (held, shares))
    assert np.abs(model.predict(X) - plain.predict(X)).max() > 1e-4


#: `auto` may be worse than the better diagonal by this share of its error, and by this much.
MARGIN = 1.15, 0.01
TESTS = np.array([[0.0, 0.0, 1.0], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3]])
Draw = Callable[[Generator], tuple[list[Array], list[Array], list[Array]]]


def errors_of(draw: Draw, shares: Array, tests: Array, repeats: int = 30) -> dict[str, float]:
    """Mean error of each diagonal over the same draws of bags, validation bags and test sets."""
    errors = dict.fromkeys(("printed", "unbiased", "auto"), 0.0)
    for seed in range(repeats):
        bags, held, sets = draw(default_rng([4, seed]))
        for diagonal in errors:
            model = MMDClassRatio(diagonal=diagonal).fit(bags, shares, (held, shares))
            errors[diagonal] -= model.score(sets, tests) / repeats
    return errors


def assert_auto_is_near_the_better(errors: dict[str, float]) -> None:
    assert errors["auto"] < MARGIN[0] * min(errors["printed"], errors["unbiased"]) + MARGIN[1], errors


def real_classes(kind: str) -> tuple[Array, Array]:
    """Points, standardised, and classes of a data set that no figure of this paper knows."""
    points, labels = load_breast_cancer(return_X_y=True) if kind == "cancer" else load_digits(return_X_y=True)
    if kind == "parity":
        labels = labels % 2
    elif kind == "alike":
        chosen = np.isin(labels, (3, 8, 9))
        points, labels = points[chosen], np.searchsorted([3, 8, 9], labels[chosen])
    return (points - points.mean(axis=0)) / np.maximum(points.std(axis=0), 1e-9), labels


@at_the_edge
@pytest.mark.filterwarnings("ignore:diagonal:UserWarning")
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "size"), [("cancer", 60), ("parity", 200), ("alike", 60)])
def test_auto_is_near_the_better_diagonal_on_data_that_its_rule_was_not_made_on(kind: str, size: int) -> None:
    points, labels = real_classes(kind)
    members = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    shares = P if len(members) == 3 else np.array([[0.9, 0.1], [0.1, 0.9]])
    tests = TESTS if len(members) == 3 else np.array([[0.1, 0.9], [0.3, 0.7], [0.5, 0.5]])

    def draw(rng: Generator) -> tuple[list[Array], list[Array], list[Array]]:
        """Training and validation bags share no point; every test set is drawn from what they leave."""
        left = [list(rng.permutation(own)) for own in members]

        def taken(row: Array, keep: bool) -> Array:
            parts = [own[: round(p * size)] for own, p in zip(left, row, strict=True)]
            for own, part in zip(left, parts, strict=True):
                del own[: 0 if keep else len(part)]
            return np.asarray(points[np.concatenate(parts).astype(int)])

        bags, held = ([taken(row, keep=False) for row in shares] for _ in range(2))
        return bags, held, [taken(row, keep=True) for row in tests]

    assert_auto_is_near_the_better(errors_of(draw, shares, tests))


@pytest.mark.slow
@pytest.mark.parametrize(("refit", "noise"), [(True, 0.0), (False, 0.03)])
def test_intervals_cover(refit: bool, noise: float) -> None:
    """The third entry of a test set's ratios, over 300 draws: how often it is covered, and how wide for its scatter."""
    truth, ends, middles = np.array([0.06, 0.14, 0.8]), [], []
    rng = default_rng(5)
    for _ in range(300):
        bags, held = ([bag(p, 150, rng) for p in P] for _ in range(2))
        veil = rng.normal(size=P.shape)
        veiled = P + noise * np.sqrt(1.5) * (veil - veil.mean(axis=1, keepdims=True))
        veiled = np.maximum(veiled, 0) / np.maximum(veiled, 0).sum(axis=1, keepdims=True)
        model = MMDClassRatio([1.0], diagonal="unbiased", refit=refit, noise=noise).fit(bags, veiled, (held, veiled))
        X = bag(truth, 150, rng)
        ends.append([end[2] for level in (0.95, 0.2) for end in model.interval(X, level)])
        middles.append((model.mixture(X) @ model.proportions_)[2])
    low, high, lower, upper = np.array(ends).T
    hits = int(((low <= truth[2]) & (truth[2] <= high)).sum())
    assert binom.cdf(hits, 300, 0.95) > FALSE_ALARM
    # A deviation from 300 draws is off by a twenty-fourth: this is five times that. Narrow ones are not cut at one.
    told = (upper - lower).mean() / (2 * norm.ppf(0.6))
    assert told == pytest.approx(np.std(middles), rel=0.21)


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("classes", [2, 4])
def test_intervals_hold_the_ratios_that_are_not_spoken_against(scale: float, classes: int) -> None:
    """Against a fine grid of ratios, each tried with the variance that it implies."""
    rng = default_rng(11)
    within, mixing = scale * rng.random((classes, classes)) / 100, rng.random((classes, classes))
    middle, grid = rng.dirichlet(np.ones(classes), 5), np.linspace(0, 1, 20_001)

    def spread(ratios: Array) -> Array:
        return np.asarray(ratios @ within + (ratios @ mixing) ** 2 @ within)

    low, high = interval_ends(middle, middle, 1.96, spread)
    for query, k in product(range(5), range(classes)):
        rest = np.delete(middle[query], k) / np.delete(middle[query], k).sum()
        tried = np.insert(np.outer(1 - grid, rest), k, grid, axis=1)
        held = grid[(middle[query, k] - grid) ** 2 <= 1.96**2 * spread(tried)[:, k]]
        np.testing.assert_allclose([low[query, k], high[query, k]], [held.min(), held.max()], atol=1e-4)


def test_noise_of_shares_widens_intervals_by_how_far_it_moves_their_middle() -> None:
    """A ratio is a mixture of the bags' shares: independent noise on these moves it by its norm times their noise."""
    rng, variances = default_rng(12), []
    bags, X = [bag(p, 150, rng) for p in P], bag(np.array([0.4, 0.3, 0.3]), 150, rng)
    for noise in (0.0, 0.05):
        model = MMDClassRatio([1.0], diagonal="unbiased", noise=noise).fit(bags, P)
        low, high = model.interval(X, 0.2)  # so narrow that the variance is the same at both ends
        variances.append(((high - low) / (2 * norm.ppf(0.6))) ** 2)
    moved = 0.05**2 * (model.mixture(X) ** 2).sum()
    np.testing.assert_allclose(variances[1] - variances[0], moved, rtol=0.05)


def test_bags_add_as_much_variance_as_a_test_set_of_all_their_points() -> None:
    """Half of each bag is what such a set is; told fifty times, a set's own chance is all but gone."""
    rng, shares, variances = default_rng(13), np.array([[0.9, 0.1], [0.2, 0.8]]), []
    bags = [bag(p, 300, rng, 2.0) for p in shares]
    model = MMDClassRatio([1.0], diagonal="unbiased").fit(bags, shares)
    for times in (1, 50):
        low, high = model.interval(np.repeat(np.concatenate(bags), times, axis=0), 0.2)
        variances.append((high[0] - low[0]) ** 2)
    own = (variances[0] - variances[1]) * 50 / 49
    assert variances[0] - own == pytest.approx(own, rel=0.1)


def test_intervals_of_what_cannot_be_told_apart_are_everything() -> None:
    points = default_rng(6).normal(size=(3, 40, 2))
    with pytest.warns(UserWarning, match="not positive definite"):
        model = MMDClassRatio([1e-3], diagonal="unbiased").fit(list(points), P)
    assert model.diagonal_ == "printed"
    low, high = model.interval(points[0])
    assert low.tolist() == [0, 0, 0]
    assert high.tolist() == [1, 1, 1]


def veiled_shares(shares: Array, noise: float, rng: Generator) -> Array:
    """With noise of this standard deviation on each share, which sums to zero over the classes."""
    veil = rng.normal(size=shares.shape)
    spread = np.sqrt(1 - 1 / shares.shape[1])
    return np.asarray(shares + noise / spread * (veil - veil.mean(axis=1, keepdims=True)))


@pytest.mark.parametrize("truth", [np.array([0.7, 0.3]), np.array([0.6, 0.3, 0.1])])
def test_the_unbiased_form_is_unbiased_under_known_noise(truth: Array) -> None:
    """800 draws of the noise, inner products as they are without sampling; as if there were none it is far off."""
    rng, classes, bags = default_rng(9), len(truth), 40
    sizes, similar = np.full(bags, 200), 0.6 * np.eye(classes) + 0.3
    shares = rng.dirichlet(np.full(classes, 3.0), bags)
    gram = shares @ similar @ shares.T
    np.fill_diagonal(gram, (199 * gram.diagonal() + 1) / 200)  # with every point's product with itself
    cross = (shares @ similar @ truth)[:, None]

    def estimates(noise: float) -> Array:
        drawn = [sets_of(veiled_shares(shares, 0.05, rng), sizes, noise) for _ in range(800)]
        carried = [own.weights(gram[None], cross[None], "unbiased") @ own.carried("unbiased") for own in drawn]
        return np.array(carried)[:, 0, 0]

    told, silent = estimates(0.05), estimates(0.0)
    # What is left is of second order: a fifth of the bias that is corrected at most.
    bias = np.abs(told.mean(axis=0) - truth).max()
    assert np.abs(silent.mean(axis=0) - truth).max() > 0.012
    assert bias < 0.004 + 5 * told.std(axis=0).max() / np.sqrt(800)


@at_the_edge
def test_sparse_bags_are_the_dense_ones() -> None:
    rng = default_rng(8)
    dense = [np.where(rng.random((30, 50)) < 0.1, rng.random((30, 50)), 0.0) for _ in range(4)]
    thin = [csr_matrix(points) for points in dense]
    full = MMDClassRatio(diagonal="auto").fit(dense[:3], P)
    model = MMDClassRatio(diagonal="auto").fit(thin[:3], P)
    assert (model.bandwidth_, model.diagonal_) == (full.bandwidth_, full.diagonal_)
    np.testing.assert_allclose(model.predict([thin[3], dense[0]]), full.predict([dense[3], dense[0]]), atol=1e-9)
    np.testing.assert_allclose(model.interval(thin[3]), full.interval(dense[3]), atol=1e-9)


def test_counts_and_rounded_proportions_stand_for_what_they_mean() -> None:
    np.testing.assert_array_equal(shares_from([[30, 60, 90], [0, 5, 5]]), [[1 / 6, 1 / 3, 1 / 2], [0, 0.5, 0.5]])
    np.testing.assert_allclose(shares_from([[0.33, 0.33, 0.33], [0.17, 0.17, 0.67]]).sum(axis=1), 1)
    np.testing.assert_array_equal(shares_from([[1, 0], [0, 1]]), np.eye(2))


test_what_is_no_proportion = refused(
    ([[0.5, 0.4], [0.2, 0.8]], "sum to one"),
    ([[30.5, 60.0], [1.0, 2.0]], "sum to one"),
    ([[-0.1, 1.1]], "negative"),
    call=shares_from,
)


def test_warnings_tell_of_the_edge_and_of_bad_conditions() -> None:
    rng = default_rng(9)
    bags = [bag(p, 40, rng) for p in P]
    with pytest.warns(UserWarning, match="the last of its grid"):
        MMDClassRatio([0.01, 0.011, 0.012]).fit(bags, P, (bags, P))
    with pytest.warns(UserWarning, match="badly conditioned"):
        MMDClassRatio([1e5]).fit(bags, P)


def test_score_is_minus_the_mean_error() -> None:
    rng = default_rng(10)
    model = MMDClassRatio([1.0]).fit([bag(p, 40, rng) for p in P], P)
    sets, known = [bag(p, 20, rng) for p in P], [[16, 2, 2], [2, 16, 2], [2, 2, 16]]
    assert model.score(sets, known) == pytest.approx(-np.abs(model.predict(sets) - P).sum(axis=1).mean())


#: One of a single point, which has no unbiased diagonal.
BAGS = [np.zeros((1, 2)), np.ones((4, 2)), np.full((2, 2), 2.0)]

test_bad_settings = refused(
    ({"diagonal": "other"}, "diagonal must be one of printed, unbiased, auto"),
    ({"noise": -1.0}, "noise must be finite and not negative"),
    ({"refit": 2}, "refit must be true or false"),
    ({"diagonal": "auto", "random_features": 3, "random_state": 0}, "printed diagonal only"),
    ({"diagonal": "unbiased"}, "at least two points each"),
    call=lambda settings: MMDClassRatio([1.0], **settings).fit(BAGS, P),
)
