"""The bounds against experiments, the referee: Theorem 1 and its lemmas, the limit (11), and the prior's floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.special import gammaln

from replication.arrays import Learned, Named, under
from replication.papers.class_ratio.sets import shares_of
from replication.papers.class_ratio.theory.bounds import (
    LeastSquares,
    asymptotic_delta,
    chebyshev_delta,
    confidence,
    lemma2,
    lemma4,
    multinomial_prior_floor,
    theorem1,
)
from replication.papers.class_ratio.theory.release import MECHANISMS, designs
from replication.papers.class_ratio.theory.settings import Asymptotics, Limits, Prior, Score, Sharing
from replication.randomness import Trial
from unveil.estimators.bags.mixtures import class_ratios, without_own_noise
from unveil.mechanisms.dirichlet_draws import ScaledDirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scales
from unveil.privacy.pair import loss_tails
from unveil.types import Array

#: A size, what is bounded, the bound, and what it bounds.
Bound: TypeAlias = tuple[int, str, float, float]
#: Where (10) is minimised over σ: from, to, and in so many steps.
SCALES = 1e-4, 1e2, 200


def score(learned: Learned, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """One row a bound and trial; rows without a data set are exact, with n a count of labels or of classes.

    What is compared and not bounded (`distortion_…`, `error_…`) has no bound.
    """
    parts = _asymptotics(settings), _limits(settings.limits), _prior_floor(settings.prior)
    exact = [*chain(*parts, _sharing(settings.sharing, settings.failure))]
    rows: list[dict[str, Any]] = [{"n": n, "quantity": name, "bound": b, "actual": a} for n, name, b, a in exact]
    for dataset in settings.sets:
        for k, (n, design) in enumerate(designs(settings, dataset)):
            truth, proportions = shares_of(design.tests[0]), shares_of(design.train)
            scales = dirichlet_scales(design.train, settings.epsilon, settings.delta, "tight")
            for number, (trial, arrays) in enumerate(zip(trials, learned["mmd"], strict=True)):
                common = {"dataset": dataset, "n": n, "trial": number}
                found = under(arrays, dataset, k)
                bounds = [
                    *_bounds(found, proportions, truth, n, scales, settings.failure),
                    ("lemma_1", *_lemma_1(proportions, n, settings.failure, trial.rng_of(dataset, n))),
                    *_veiled(found, proportions, truth),
                ]
                rows += [{**common, "quantity": name, "bound": b, "actual": a} for name, b, a in bounds]
    columns = ["dataset", "n", "quantity", "trial", "bound", "actual"]
    return pd.DataFrame(rows).reindex(columns=columns).astype({"trial": "Int64"})


def _bounds(
    found: Named, proportions: Array, truth: Array, n: int, scales: Array, failure: float
) -> Iterator[tuple[str, float, float]]:
    """Each bound and what it bounds; with as many sets as classes α* is known, P'α* = ρ."""
    problem = LeastSquares(found["gram"], found["cross"], float(found["square"]))
    best = np.linalg.solve(proportions.T, truth)
    error = float(np.linalg.norm(found["estimate"] - truth))
    distance = float(np.linalg.norm(found["weights"] - best))
    count = len(proportions)
    sets = np.full(count, n)
    yield "theorem_1", theorem1(problem, proportions, sets, n, failure), error
    yield "lemma_2_printed", lemma2(problem, found["weights"], best, corrected=False), distance
    yield "lemma_2_corrected", lemma2(problem, found["weights"], best, corrected=True), distance
    rise = np.sqrt(max(problem.objective(best) - problem.objective(found["weights"]), 0.0))
    strays = confidence(sets, count, failure)
    lemma_3 = np.linalg.norm(best) * np.linalg.norm(strays) + confidence(n, count, failure)
    yield "lemma_3", float(lemma_3), float(rise)
    yield "condition", *conditions(problem.gram, proportions, sets)
    if "scaled_dirichlet_tight" in found:
        veiled = float(np.linalg.norm(found["scaled_dirichlet_tight"] - proportions))
        yield "lemma_4", lemma4(proportions, scales, sets, failure), veiled


def conditions(gram: Array, proportions: Array, sizes: Array) -> tuple[float, float]:
    """Q(D) as it is defined, with minsing(Ā) of the population, and as it is discussed and needed, with minsing(Â).

    The population's matrix is estimated without each set's noise with itself; infinite where that is not definite.
    """
    largest = float(np.linalg.norm(proportions, 2))
    least = [float(np.linalg.eigvalsh(g)[0]) for g in (without_own_noise(gram, sizes), gram)]
    defined, discussed = (largest / np.sqrt(value) if value > 0 else np.inf for value in least)
    return defined, discussed


def _lemma_1(proportions: Array, n: int, failure: float, rng: Generator) -> tuple[float, float]:
    """Lemma 1 for sets whose labels are drawn from the proportions: the bound, and ‖P̂ − P‖ of one such draw."""
    strays = confidence(np.full(len(proportions), n), len(proportions), failure)
    drawn = rng.multinomial(n, proportions) / n
    return float(np.linalg.norm(strays)), float(np.linalg.norm(drawn - proportions))


def _veiled(found: Named, proportions: Array, truth: Array) -> Iterator[tuple[str, float, float]]:
    """How much each mechanism distorts the sets' proportions, in the mean, and the estimate's L1 error with them."""
    for mechanism in MECHANISMS:
        if mechanism in found:
            estimate = class_ratios(found["weights"], found[mechanism])
            distortion = np.abs(found[mechanism] - proportions).sum(axis=1).mean()
            yield f"distortion_{mechanism}", np.nan, float(distortion)
            yield f"error_{mechanism}", np.nan, float(np.abs(estimate - truth).sum())


def _worst_tail(counts: Array, scale: float, epsilon: float) -> float:
    """The largest tail (9) over ordered pairs of classes."""
    i, j = np.nonzero(~np.eye(len(counts), dtype=bool))
    return float(loss_tails(counts[i], counts[j], scale, epsilon).max())


def _asymptotics(settings: Score) -> Iterator[Bound]:
    """Along σ = m^−exponent, ε = κσ, both of which vanish: (9) below (10) and (11), and what Lemma 4 bounds.

    Lemma 4 is applied to one set: its root mean square is exact.
    """
    path: Asymptotics = settings.asymptotics
    shares = np.asarray(path.proportions, dtype=float)
    for total in path.totals:
        scale = float(total) ** -path.exponent
        counts, epsilon = shares * total, path.kappa * scale
        tail = _worst_tail(counts, scale, epsilon)
        spread = float(np.sqrt((shares * (1 - shares)).sum() / (scale * total + 1)))
        n = int(total)
        yield n, "asymptotic_delta", asymptotic_delta(shares, total, scale, epsilon), tail
        yield n, "chebyshev_delta", chebyshev_delta(counts, scale, epsilon), tail
        yield n, "asymptotic_error", lemma4(shares[None], [scale], [total], settings.failure), spread


def _limits(settings: Limits) -> Iterator[Bound]:
    """(9) at one σ as the classes even out; the true δ as classes of one size join; and the least of (10).

    The last is the smallest δ that Chebyshev's inequality can certify with any σ, against the one that is demanded.
    """
    epsilon, delta, others = settings.epsilon, settings.delta, settings.classes - 1
    for smallest in settings.smallest:
        counts = np.array([smallest] * others + [settings.size - smallest * others], dtype=float)
        limit = asymptotic_delta(counts / settings.size, settings.size, settings.scale, epsilon)
        actual = _worst_tail(counts, settings.scale, epsilon)
        yield smallest, "evenness", limit, actual
    published = ScaledDirichlet(epsilon, delta, "paper")
    for classes in settings.joining:
        actual = published.true_delta(np.full(classes, settings.members))
        yield classes, "joining_classes", delta, actual
    shares = np.array([settings.proportion] * others + [1 - settings.proportion * others])
    grid = np.geomspace(*SCALES)
    for total in settings.totals:
        least = min(chebyshev_delta(shares * total, float(scale), epsilon) for scale in grid)
        yield int(total), "chebyshev_least", delta, least


def _sharing(settings: Sharing, failure: float) -> Iterator[Bound]:
    """What sampling adds to Theorem 1's bound, (Σ C_δ(n_i)²)^½, with other sets: its log over c sets of one size."""

    def strays(weights: Array) -> float:
        sizes = settings.total * weights / weights.sum()
        return float(np.log(np.linalg.norm(confidence(sizes, len(sizes), failure))))

    least = strays(np.ones(settings.classes))
    for ratio in settings.ratios:
        own = np.append(np.ones(settings.classes - 1), ratio)
        yield ratio, "unequal_sets", np.nan, strays(own) - least
    for copies in settings.copies:
        own = np.ones(copies * settings.classes)
        yield copies, "more_sets", np.nan, strays(own) - least


def _prior_floor(settings: Prior) -> Iterator[Bound]:
    """The floor on ε of releasing draws from a posterior, against the largest loss of all outcomes, enumerated.

    And what Laplace noise of scale 2/ε on all counts leaks where ε is asked for: the largest loss of far outcomes.
    """
    for count in settings.classes:
        floor = multinomial_prior_floor(settings.draws, settings.mass, count)
        actual = _largest_loss(settings.draws, settings.mass / count, settings.members)
        yield count, "prior_floor", floor, actual
        moved = np.eye(count)[1] - np.eye(count)[0]  # one label goes to another class
        far = 10.0 * np.stack([moved, -moved])
        loss = float((np.abs(far) - np.abs(far - moved)).sum(axis=1).max()) * settings.epsilon / 2
        yield count, "laplace_level", settings.epsilon, loss


def _largest_loss(draws: int, prior: float, members: Sequence[int]) -> float:
    """The largest log-ratio of the probabilities of (k_i, k_j) when one label goes from class i to class j.

    Draws that show other classes are as likely with both, so that the Dirichlet-multinomial laws of two classes tell
    all; `members` are the sizes tried for each of the two before.
    """
    k = np.arange(draws + 1)
    possible = k[:, None] + k <= draws
    falls = [_gain(mine + prior, k) - _gain(mine - 1 + prior, k) for mine in members]
    rises = [_gain(theirs + prior, k) - _gain(theirs + 1 + prior, k) for theirs in members]
    return max(float(np.abs(fall[:, None] + rise)[possible].max()) for fall in falls for rise in rises)


def _gain(parameter: float, k: Array) -> Array:
    """The logarithm of Γ(a + k)/Γ(a)."""
    return np.asarray(gammaln(parameter + k) - gammaln(parameter))
