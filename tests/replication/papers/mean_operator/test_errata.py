"""The errata of the second paper, each under the hypotheses that its statement has.

A test gets what is printed and what is right, and fails if they trade places or if either stands for both:
tests/tools/test_errata_page.py tries.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import e, exp, log, log2, sqrt

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from unveil.estimators.bags.mean_map import mean_map
from unveil.types import Array, Floats
from versions import Formula, versions

F = Fraction

#: Shares of positives in four bags, which have 1,000 members each.
SHARES = np.array([0.2, 0.4, 0.6, 0.9])


@versions(lambda agree, _a: agree, lambda agree, a: [all(agree)] if a else [])
def test_sufficiency_is_for_all_models_at_once_and_needs_an_odd_part(printed: Formula, corrected: Formula) -> None:
    """Definition 2 for f(z) = z² − az/2: which agreements of two risks, model by model, stand for μ(S) = μ(S')?"""
    X = [(F(1), F(0)), (F(0), F(1)), (F(1), F(1))]
    thetas = [(F(0), F(0)), (F(1), F(0)), (F(0), F(1)), (F(2), F(-3))]
    labellings = list(product((-1, 1), repeat=3))

    def risk(a: int, y: Sequence[int], theta: Sequence[F]) -> F:
        margins = [
            label * sum((t * x for t, x in zip(theta, row, strict=True)), F(0)) for label, row in zip(y, X, strict=True)
        ]
        return sum((z * z - F(a, 2) * z for z in margins), F(0)) / 3

    def operator(y: Sequence[int]) -> list[F]:
        return [sum((label * row[k] for label, row in zip(y, X, strict=True)), F(0)) / 3 for k in range(2)]

    def holds(says: Formula, a: int) -> bool:
        """Whether all that is said to go with equal mean operators does so, for every two labellings."""
        return all(
            stands == (operator(one) == operator(other))
            for one, other in product(labellings, labellings)
            for stands in says([risk(a, one, theta) == risk(a, other, theta) for theta in thetas], a)
        )

    for a in (-2, 0, 1, 4):
        assert holds(corrected, a)
        assert not holds(printed, a)  # at θ = 0 already
    assert not all(holds(lambda agree, _: [all(agree)], a) for a in (-2, 0, 1, 4))  # at a = 0


@versions(lambda x: x < 0, lambda x: x <= 0)
def test_the_kinked_loss_meets_a_limit_of_the_mistakes(printed: Formula, corrected: Formula) -> None:
    """ρ|x| − ρx + 1 against the 0–1 loss at x = 0, and as its upper bound elsewhere."""
    for rho in (F(1, 2), F(1), F(3)):
        loss = {x: rho * abs(x) - rho * x + 1 for x in (F(-2), F(-1, 9), F(0), F(1, 9), F(2))}
        assert loss[F(0)] == int(corrected(0)) != int(printed(0))
        assert all(value >= int(corrected(x)) >= int(printed(x)) for x, value in loss.items())


@versions(
    {"one to one": True, "misses an even function": True}, {"one to one": False, "misses an even function": False}
)
def test_lemma_5_the_map_is_onto_and_not_one_to_one(printed: dict[str, bool], corrected: dict[str, bool]) -> None:
    """The map of the proof, from the losses with f(x) − f(−x) = −ax for some a > 0 to g(x) = f(x) + ax/2."""
    x = sp.Symbol("x")
    a, b = sp.symbols("a b", positive=True)
    g = sp.Function("g")  # any function; its even part is any even function
    even = (g(x) + g(-x)) / 2
    losses = [even - a * x / 2, even - b * x / 2]
    for loss, constant in zip(losses, (a, b), strict=True):
        assert sp.expand(loss - loss.subs(x, -x) + constant * x) == 0
    images = [sp.expand(loss + constant * x / 2) for loss, constant in zip(losses, (a, b), strict=True)]
    found = {
        "one to one": not (sp.expand(images[0] - images[1]) == 0 and sp.expand(losses[0] - losses[1]) != 0),
        "misses an even function": sp.expand(images[0] - even) != 0,
    }
    assert found == corrected
    assert all(found[claim] != printed[claim] for claim in found)


def population(positive: Floats, negative: Floats) -> tuple[Floats, Array, Array]:
    """One row for each member of the four bags, at the mean of its class in its bag."""
    ones = (1000 * SHARES).astype(int)
    rows = [np.repeat([positive[j], negative[j]], [ones[j], 1000 - ones[j]], axis=0) for j in range(len(SHARES))]
    signs = [np.repeat([1, -1], [ones[j], 1000 - ones[j]]) for j in range(len(SHARES))]
    return np.concatenate(rows), np.concatenate(signs), np.repeat(np.arange(4), 1000)


@versions(
    lambda rng: [rng.normal(size=(4, 3))] * 2,  # E[x | y, j] = E[x | j]
    lambda rng: [np.tile(rng.normal(size=3), (4, 1)) for _ in range(2)],  # E[x | y, j] = E[x | y]
)
def test_mean_map_needs_classes_alike_in_all_bags(printed: Formula, corrected: Formula) -> None:
    """The means of both classes in each bag, drawn so that the condition holds: is the mean map then right?"""

    def error(means: Formula) -> float:
        X, y, bags = population(*means(np.random.default_rng(1)))
        return float(np.abs(mean_map(X, bags, SHARES) - y @ X / len(y)).max())

    assert error(corrected) < 1e-12
    assert error(printed) > 0.1


@versions(lambda z: log(1 + exp(-z)), lambda z: log2(1 + exp(-z)))
def test_the_logistic_loss_dips_below_the_mistakes(printed: Formula, corrected: Formula) -> None:
    """Section 2: surrogates above 1{z < 0}. The natural logarithm is below 1 on (−ln(e − 1), 0)."""
    margins = [F(k, 100) for k in range(-500, 501)]
    below = [float(z) for z in margins if printed(z) < (z < 0)]
    assert all(corrected(z) >= (z < 0) for z in margins)
    assert below
    assert min(below) == pytest.approx(-log(e - 1), abs=0.01)
    assert max(below) == -0.01
    assert all((1 - z) ** 2 >= (z < 0) for z in margins)  # the square loss is right


def linear_minimiser(order: int, mu: Sequence[F], l2: F) -> list[F]:
    """The least of −⟨θ, μ⟩ + λ‖θ‖², the linear loss under the 1- or the 2-norm; the largest |μ_i| is unique."""
    if order == 2:
        return [entry / (2 * l2) for entry in mu]
    top = max(mu, key=abs)
    return [entry / (2 * l2) if entry == top else F(0) for entry in mu]


@versions((1, 2), (2,))
def test_theorem_6_needs_the_euclidean_norm(printed: tuple[int, ...], corrected: tuple[int, ...]) -> None:
    """The norms that Ω may be: f(x) = −x is convex, differentiable and linear-odd; is the move below the shift / λ?"""
    l2, near = F(1, 2), [(F(11, 10), F(1)), (F(1), F(11, 10))]

    def objective(theta: Sequence[F], order: int, mu: Sequence[F]) -> F:
        square = sum(t * t for t in theta) if order == 2 else sum(abs(t) for t in theta) ** 2
        return l2 * square - sum(t * entry for t, entry in zip(theta, mu, strict=True))

    def holds(order: int) -> bool:
        found = [linear_minimiser(order, mu, l2) for mu in near]
        for theta, mu in zip(found, near, strict=True):
            least = objective(theta, order, mu)
            assert all(
                least <= objective((F(i, 10), F(j, 10)), order, mu) for i in range(-15, 16) for j in range(-15, 16)
            )
        moved, shift = (sum((p - q) ** 2 for p, q in zip(*pair, strict=True)) for pair in (found, near))
        return bool(moved <= shift / l2**2)

    assert all(holds(order) for order in corrected)
    assert not all(holds(order) for order in printed)


@versions(lambda _a, l2: 1 / l2, lambda a, l2: abs(a) / (4 * l2))
def test_theorem_6_fails_for_a_beyond_four(printed: Formula, corrected: Formula) -> None:
    """One feature, Ω the 2-norm: the linear loss −ax/2 attains the right constant, twice the square loss passes 1/λ."""
    broken = []
    for a, l2 in product((F(1), F(2), F(4), F(6)), (F(1, 10), F(3))):
        moved = (a / 2) / (2 * l2)  # the least of −(a/2)θμ + λθ² is at (a/2)μ/(2λ)
        assert moved == corrected(a, l2)
        broken.append(moved > printed(a, l2))
        assert broken[-1] == (a > 4)
    # f(x) = 2(1 − x)² has a = 8; at a feature x the least of 2x²θ² − 4θμ + λθ² is at 4μ/(4x² + 2λ).
    x, l2 = F(1, 10), F(1)
    moved = 4 / (4 * x**2 + 2 * l2)
    assert moved <= corrected(F(8), l2)
    assert moved > printed(F(8), l2)
    assert any(broken)


@versions(2, 1)
def test_the_printed_scale_is_private_for_the_1_norm(printed: int, corrected: int) -> None:
    """Which norm of x may be at most 1: the largest log-ratio of densities of noise of scale 2/(mα) an entry."""
    m, alpha = 5, F(3, 10)
    scale = 2 / (m * alpha)
    features = [[F(1), F(0), F(0), F(0)], [F(1, 4)] * 4, [F(1, 2)] * 4, [F(3, 5), F(4, 5), F(0), F(0)]]

    def level(x: Sequence[F]) -> F:
        """Between y and −y for one record, seen far out; the ratio is monotone in each entry."""
        mu = [entry / m for entry in x]
        return sum((abs(100 + entry) - abs(100 - entry) for entry in mu), F(0)) / scale

    def worst(order: int) -> F:
        return max(level(x) for x in features if sum(abs(entry) ** order for entry in x) <= 1)

    assert worst(corrected) == alpha
    assert worst(printed) == 2 * alpha  # √d α at d = 4


@versions(lambda m, alpha: 2 / (m * alpha), lambda m, alpha: 8 / (m * alpha) ** 2)
def test_two_over_m_alpha_is_a_scale_and_no_variance(printed: Formula, corrected: Formula) -> None:
    """Squares of the level that Laplace noise of this variance gives where ‖x‖₁ = 1: (2/m)² over half the variance."""
    broken = []
    for m, alpha in product((2, 10, 50), (F(1, 10), F(2, 5), F(2))):
        right, stated = (F(4, m**2) / (form(m, alpha) / 2) for form in (corrected, printed))
        assert right == alpha**2
        broken.append(stated > alpha**2)
        assert broken[-1] == (m * alpha < 4)  # only there is it broken
    assert any(broken)


@versions(lambda _d: True, lambda d: d == 1)
def test_independent_entries_are_another_noise_than_a_random_direction(printed: Formula, corrected: Formula) -> None:
    """Objective perturbation has a density ∝ exp(−β‖b‖₂). Does that of algorithm 2 depend on ‖b‖₂ alone?"""

    def same(d: int) -> bool:
        points = [p for p in product(range(-5, 6), repeat=d) if sum(v * v for v in p) == 25]
        return len({sum(abs(v) for v in p) for p in points}) == 1

    assert all(same(d) == corrected(d) for d in (1, 2, 3))
    assert not all(same(d) == printed(d) for d in (1, 2, 3))


@versions(
    lambda risk, seen, all_, theta, _released: abs(risk(seen, theta) - risk(all_, theta)),
    lambda risk, seen, _all, theta, released: abs(risk(seen, theta) - released(theta)),
)
def test_theorem_10_is_about_the_empirical_risk(printed: Formula, corrected: Formula) -> None:
    """Without noise (α → ∞) its bound is 0: so is the change of the empirical risk, but not the generalisation gap."""
    everyone = [(F(1), 1), (F(1, 2), -1), (F(-1), 1)]
    seen = everyone[:1]

    def risk(sample: list[tuple[F, int]], theta: F) -> F:
        return sum(((1 - y * x * theta) ** 2 for x, y in sample), F(0)) / len(sample)

    def released(theta: F) -> F:
        """The risk by (4), from μ̃ = μ and the features that were seen."""
        mu = sum((y * x for x, y in seen), F(0)) / len(seen)
        return sum((1 + (x * theta) ** 2 for x, _ in seen), F(0)) / len(seen) - 2 * theta * mu

    for theta in (F(1), F(-1, 2)):
        assert corrected(risk, seen, everyone, theta, released) == 0
        assert printed(risk, seen, everyone, theta, released) > 0


@versions(all, any)
def test_the_union_bound_is_about_some_entry(printed: Formula, corrected: Formula) -> None:
    """P(‖b‖_∞ > t) ≤ P(all or any |b_i| > t), and that against d·P(|b_i| > t), by enumeration; 2-norms are larger."""
    misses = []
    for d, one in product((2, 3, 6), (F(1, 100), F(1, 2))):
        patterns = [(p, one ** sum(p) * (1 - one) ** (d - sum(p))) for p in product((False, True), repeat=d)]
        norm = sum(chance for pattern, chance in patterns if max(pattern))
        right, stated = (sum(c for p, c in patterns if event(p)) for event in (corrected, printed))
        assert norm <= right <= d * one
        misses.append(norm > stated)
        assert stated < one
    assert all(misses)


@versions(lambda _d: 1.0, sqrt)
def test_the_length_of_the_noise_passes_the_printed_bound(printed: Formula, corrected: Formula) -> None:
    """P(‖b‖₂ > factor·σ ln(d/δ)) ≤ δ for d = 2 and small δ? By integration over the first entry."""

    def tail(t: float) -> float:
        return exp(-t) + float(quad(lambda x: exp(-x - sqrt(t * t - x * x)), 0, t, epsabs=1e-12)[0])

    assert tail(0.0) == 1
    for delta in (0.05, 0.01, 0.001):
        t = log(2 / delta)
        assert tail(corrected(2) * t) <= delta
        assert tail(printed(2) * t) > delta * 1.05
        # For one θ fixed beforehand the theorem is right: ⟨θ, b⟩ along (.8, .6), and along an axis.
        c, s = 0.8, 0.6
        assert (c**2 * exp(-t / c) - s**2 * exp(-t / s)) / (c**2 - s**2) <= delta
        assert exp(-t) <= delta
