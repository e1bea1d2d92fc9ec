"""Section 3 and appendix A: what is released, enumerated outcome by outcome."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.optimize import linprog

from replication.papers.linear_moments.release_variances import coordinate_loss_printed, per_value_loss_printed
from replication.papers.linear_moments.theory.rows import Row, apart
from replication.papers.linear_moments.theory.settings import Score
from unveil.mechanisms.coordinate import CoordinateBits, CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.response import RandomizedResponse
from unveil.privacy.channels import channel_epsilon
from unveil.theory.finite_models import probabilities
from unveil.types import Floats

#: Statistics of a few states: all bits, one bit set at most, shares.
STATISTICS = {
    "three bits": np.array(list(product([0.0, 1.0], repeat=3))),
    "one bit of four": np.vstack([np.zeros(4), np.eye(4)]),
    "shares": np.array([[0.0, 0.2, 1.0], [0.5, 0.9, 0.1], [1.0, 0.4, 0.7], [0.3, 0.0, 0.6]]),
}
#: Those to which appendix A.3 restricts its theorems.
BITS = ("three bits", "one bit of four")


def checks(settings: Score) -> Iterator[Row]:
    """Unbiasedness, promised levels, Theorems 1 and 2, Proposition 1."""
    for (name, phi), alpha in product(STATISTICS.items(), settings.alphas):
        theta = np.linspace(-1, 1, phi.shape[1])
        law = probabilities(phi, theta)
        ones = float((phi > 0).sum(axis=1).max())
        stated = {
            "coordinate": coordinate_loss_printed(phi, law, alpha),
            "per_value": per_value_loss_printed(phi, alpha, ones),
        }
        for scheme, (channel, beta) in _schemes(phi, alpha, ones).items():
            case = f"{scheme.replace('_', '-')}, {name}, α = {alpha:g}"
            yield Row("bias", case, float(np.abs(channel.T @ beta - phi).max()), 0.0)
            yield Row("level", case, channel_epsilon(channel), alpha)
            if name in BITS:
                yield Row(f"loss_{scheme}", case, apart(loss(channel, beta, law), stated[scheme]), 0.0)
    yield from _classical(settings)
    yield from _only_statistics(settings)


def loss(channel: Floats, beta: Floats, law: Floats) -> Floats:
    """H = E[Cov[β(o) | y]], outcome by outcome."""
    means = channel.T @ beta
    total: Floats = (beta * (channel @ law)[:, None]).T @ beta - (means * law[:, None]).T @ means
    return total


def _schemes(phi: Floats, alpha: float, ones: float) -> dict[str, tuple[Floats, Floats]]:
    """S[o, y] and β(o) of both structured schemes, δ̄ being the largest number of ones."""
    d = phi.shape[1]
    coordinate, per_value = CoordinateRelease(alpha), PerValueRelease(alpha, ones)
    pairs = CoordinateBits(np.tile(np.arange(d), 2), np.repeat([False, True], d), d)
    one = chance(phi, coordinate.keep).T / d
    vectors = np.array(list(product([False, True], repeat=d)))
    each = chance(phi, per_value.keep)
    joint = np.where(vectors[:, None, :], each, 1 - each).prod(axis=-1)
    return {
        "coordinate": (np.vstack([1 / d - one, one]), coordinate.debias(pairs)),
        "per_value": (joint, per_value.debias(vectors)),
    }


def chance(phi: Floats, keep: float) -> Floats:
    """The probability that a binarised and flipped statistic is released as one."""
    return 1 - keep + (2 * keep - 1) * phi


def _classical(settings: Score) -> Iterator[Row]:
    for (name, phi), epsilon in product(STATISTICS.items(), settings.epsilons):
        m = len(phi)
        if epsilon < 1:
            for base, u in {"uniform": np.full(m, 1 / m), "sloping": np.arange(1, m + 1) / (m * (m + 1) / 2)}.items():
                veil = RandomizedResponse(m, epsilon, tuple(u.tolist()))
                beta = veil.debias(np.arange(m)) @ phi
                case = f"classical, {name}, {base} u, ε = {epsilon:g}"
                yield Row("bias", case, float(np.abs(veil.matrix.T @ beta - phi).max()), 0.0)
                yield Row("level", case, channel_epsilon(veil.matrix), epsilon / ((1 - epsilon) * u.min()))


def _only_statistics(settings: Score) -> Iterator[Row]:
    """Proposition 1: how close S'(o' | φ) can come to the law of o given x, under the same level."""
    cases = {
        # φ[x, y] numbers the value of the statistics; law[x, y] is p_θ(y | x) of a model with them.
        "x empty": (np.array([[0, 0, 1]]), np.array([[0.25, 0.25, 0.5]])),
        "φ tells x": (np.array([[0, 1], [2, 3]]), np.array([[0.3, 0.7], [0.6, 0.4]])),
        "φ = 1{y = x}": (np.array([[1, 0], [0, 1]]), np.array([[0.7, 0.3], [0.3, 0.7]])),
    }
    for (name, (phi, law)), alpha in product(cases.items(), settings.alphas):
        m = phi.shape[1]
        response = RandomizedResponse(m, np.expm1(alpha) / (np.expm1(alpha) + m)).matrix
        yield Row("beyond_statistics", f"{name}, α = {alpha:g}", nearest(phi, law, response, alpha), 0.0)


def nearest(phi: Floats, law: Floats, response: Floats, alpha: float) -> float:
    """The least total variation, in its worst x, between the laws of o' ~ S'(· | φ) and o ~ S(· | y): a linear program.

    Unknowns are S'[o, v] for the values v of φ, the excesses over P[o | x], and the distance.
    """
    inputs, outcomes, values = len(law), len(response), int(phi.max()) + 1
    share = np.array([[law[x][phi[x] == v].sum() for v in range(values)] for x in range(inputs)])
    target = law @ response.T
    size, slack = outcomes * values, inputs * outcomes
    rows: list[Floats] = []
    bounds: list[float] = []
    for x, o in product(range(inputs), range(outcomes)):
        row = np.zeros(size + slack + 1)
        row[o * values : (o + 1) * values] = share[x]
        row[size + x * outcomes + o] = -1
        rows, bounds = [*rows, row], [*bounds, target[x, o]]
    for x in range(inputs):
        row = np.zeros(size + slack + 1)
        row[size + x * outcomes : size + (x + 1) * outcomes], row[-1] = 1, -1
        rows, bounds = [*rows, row], [*bounds, 0.0]
    for o, v, other in product(range(outcomes), range(values), range(values)):
        if v != other:
            row = np.zeros(size + slack + 1)
            row[o * values + v], row[o * values + other] = 1, -np.exp(alpha)
            rows, bounds = [*rows, row], [*bounds, 0.0]
    sums = np.zeros((values, size + slack + 1))
    for v in range(values):
        sums[v, v:size:values] = 1
    cost = np.eye(size + slack + 1)[-1]
    found = linprog(cost, np.array(rows), np.array(bounds), sums, np.ones(values), bounds=(0, None))
    return float(found.fun)
