"""Section 5: asymptotic variances, by definition and as the paper states them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.random import Generator

from replication.papers.linear_moments.fig3.score import PHI
from replication.papers.linear_moments.release_variances import response_loss
from replication.papers.linear_moments.theory.rows import Row, apart, log_ratios
from replication.papers.linear_moments.theory.settings import Score
from replication.papers.linear_moments.theory.veils import loss
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.asymptotics import asymptotic_variances, observation_function
from unveil.theory.finite_models import fisher_information, marginal_information, probabilities
from unveil.types import Floats

#: Models drawn at random, beside those of the paper.
DRAWN = 5


def checks(settings: Score, rng: Generator) -> Iterator[Row]:
    """Lemma 1 and its special cases, the order of both variances, and the example of a faithful copy."""
    yield from _responses(settings)
    for i in range(DRAWN):
        phi, theta = rng.standard_normal((5, 2)), rng.standard_normal(2)
        yield _order(f"random model {i + 1}", *asymptotic_variances(phi, theta, rng.dirichlet(np.ones(6), 5).T))
    for share in (0.5, 0.8, 0.95):
        yield from _copies(share)


def _responses(settings: Score) -> Iterator[Row]:
    thetas = {name: np.array(theta, dtype=float) for name, theta in settings.signals.items()}
    for (name, theta), epsilon in product(thetas.items(), settings.epsilons):
        case, law = f"{name} signal, ε = {epsilon:g}", probabilities(PHI, theta)
        response, same = (randomized_response_matrix(len(PHI), epsilon, base) for base in (None, law))
        information = fisher_information(PHI, theta)
        yield _order(case, *asymptotic_variances(PHI, theta, response))
        for base, matrix in (("uniform u", response), ("u like y", same)):
            found = loss(matrix, observation_function(PHI, matrix), law)
            stated = response_loss(PHI, theta, epsilon, None if matrix is response else law)
            yield Row("lemma_1", f"{case}, {base}", float(np.abs(found - stated).max()), 0.0)
        moments = asymptotic_variances(PHI, theta, same)[1]
        yield Row("same_law", case, _largest(epsilon**2 * moments, np.linalg.inv(information)), 0.0)
        if epsilon < 1:
            yield Row("unexplained", case, _unexplained(theta, response), 0.0)
    for epsilon in settings.epsilons:
        zero = asymptotic_variances(PHI, np.zeros(2), randomized_response_matrix(len(PHI), epsilon))
        yield Row("equal_at_zero", f"θ = 0, ε = {epsilon:g}", _largest(*zero), 0.0)
    for name, theta in thetas.items():
        inverse, epsilon = np.linalg.inv(fisher_information(PHI, theta)), settings.vanishing
        leading = inverse @ fisher_information(PHI, np.zeros(2)) @ inverse / epsilon**2
        exact = asymptotic_variances(PHI, theta, randomized_response_matrix(len(PHI), epsilon))[1]
        yield Row("leading_term", f"{name} signal, ε = {epsilon:g}", apart(exact, leading), 0.0)
        yield Row("log_information", f"{name} signal", -float(np.linalg.slogdet(inverse)[1]), np.nan)


def _order(case: str, marginal: Floats, moments: Floats) -> Row:
    """The least of log Σ_mom/Σ_marg over all directions: not below zero where marginal likelihood is best."""
    return Row("order", case, float(log_ratios(moments, marginal).min()), 0.0)


def _largest(first: Floats, second: Floats) -> float:
    return float(np.abs(log_ratios(first, second)).max())


def _unexplained(theta: Floats, response: Floats) -> float:
    """Log of tr E[Cov[β | y]] over tr E[Cov[φ | o]]."""
    observed = fisher_information(PHI, theta) - marginal_information(PHI, theta, response)
    left = loss(response, observation_function(PHI, response), probabilities(PHI, theta))
    return float(np.log(np.trace(left) / np.trace(observed)))


def _copies(share: float) -> Iterator[Row]:
    """O = (y, y + η), φ(y) = y, β = y + η/2: η by Gauss–Hermite quadrature, exact for second moments."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    phi, theta = np.array([[0.0], [1.0]]), np.array([np.log(share / (1 - share))])
    channel = np.kron(np.eye(2), (weights / weights.sum())[:, None])
    beta = np.concatenate([nodes / 2, 1 + nodes / 2])[:, None]
    information = float(fisher_information(phi, theta)[0, 0])
    full = 1 / float(marginal_information(phi, theta, channel)[0, 0])
    moments = (1 + float(loss(channel, beta, probabilities(phi, theta))[0, 0]) / information) / information
    case = f"a faithful copy of y, P[y = 1] = {share:g}"
    yield Row("told", case, float(np.log(full * information)), 0.0)
    yield Row("copy", case, full / moments, 1 / (1 + 1 / (4 * information)))
    invertible = np.array([[0.0, 1.0], [0.6, 0.0], [0.4, 0.0]])
    found = 1 / float(marginal_information(phi, theta, invertible)[0, 0])
    yield Row("told", f"o tells y, P[y = 1] = {share:g}", float(np.log(found * information)), 0.0)
