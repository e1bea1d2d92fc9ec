"""Section 6: consistency, the two steps of (17), and deterministic supervision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from scipy.optimize import nnls

from replication.papers.linear_moments.simplex import global_maximum, simplex_preimage, simplex_relaxation
from replication.papers.linear_moments.theory.rows import Row
from replication.papers.linear_moments.theory.settings import Score
from unveil.estimators.moments.solvers import match_moments, maximise_marginal_em, moment_estimate
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.finite_models import observation_marginals, probabilities
from unveil.types import Floats

#: Where a one-parameter likelihood is searched.
RANGE = (-12.0, 12.0)
THREE = np.array([[2.0], [1.0], [0.0]])


def checks(settings: Score, rng: Generator) -> Iterator[Row]:
    """Everything that section 6 says of populations."""
    supervision = np.array(settings.supervision, dtype=float)
    yield from _consistent(supervision)
    yield from _misspecified()
    yield from _first_step(supervision, rng)
    yield from _deterministic(rng)


def _consistent(supervision: Floats) -> Iterator[Row]:
    """The moment estimate of exact frequencies, where S has full column rank and where only Φ = RS."""
    merged = np.array([[0.8, 0.3, 0.3], [0.2, 0.7, 0.7]])
    models = {"full column rank": (THREE, supervision), "Φ = RS only": (np.array([[0.0], [1.0], [1.0]]), merged)}
    for name, (phi, matrix) in models.items():
        for theta in (-2.0, -0.5, 1.0):
            seen = observation_marginals(phi, np.array([theta]), matrix)
            found = float(moment_estimate(seen, phi, matrix)[0])
            yield Row("population_estimate", f"{name}, θ = {theta:g}", found, theta)


def _misspecified() -> Iterator[Row]:
    """Frequencies that no law of y explains under the S that is believed: the gap of both limits, by D of (17)."""
    # Under this S every observation has probability 1/6 at least, and here one has less.
    phi, believed = np.array([[-1.0], [0.0], [1.0]]), randomized_response_matrix(3, 0.5)
    for name, seen in {"lopsided": np.array([0.1, 0.55, 0.35]), "symmetric": np.array([0.05, 0.9, 0.05])}.items():
        marginal = global_maximum(phi, believed, seen, *RANGE)
        relaxed = match_moments(phi.T @ simplex_relaxation(seen, believed), phi)
        for quantity, moments in (
            ("misspecified_gap", moment_estimate(seen, phi, believed)),
            ("misspecified_gap_kl", relaxed),
        ):
            yield Row(quantity, name, abs(marginal - float(moments[0])), np.nan)


def _first_step(supervision: Floats, rng: Generator) -> Iterator[Row]:
    """(17): EM for KL from any start, by its duality gap; S†q̂ against the closest point of the simplex."""
    frequencies = {
        "frequencies in S(P)": supervision @ np.array([0.2, 0.5, 0.3]),
        "frequencies on the edge of S(P)": np.array([0.2, 0.2, 0.6]),
        "frequencies outside S(P)": np.array([0.1, 0.8, 0.1]),
    }
    for name, seen in frequencies.items():
        for start in rng.dirichlet(np.ones(3), 3):
            found = simplex_relaxation(seen, supervision, start)
            gain = supervision.T @ (seen / (supervision @ found))
            where = f"{name}, from {np.array2string(start, precision=2)}"
            yield Row("kl_excess", where, float(np.log(gain.max())), 0.0)
        heavy = 1e4
        closest = nnls(np.vstack([supervision, np.full((1, 3), heavy)]), np.append(seen, heavy))[0]
        yield Row("euclidean_step", name, float(np.abs(simplex_preimage(seen, supervision) - closest).sum()), 0.0)


def _deterministic(rng: Generator) -> Iterator[Row]:
    """S of indicator columns: its pseudo-inverse, the estimate as one step of EM, and what it converges to."""
    groups = np.array([0, 0, 1, 1, 1, 2])
    matrix = np.eye(3)[:, groups]
    inverse = np.linalg.pinv(matrix)
    yield Row(
        "pseudo_inverse", "six states", float(np.abs(inverse - matrix.T @ np.linalg.inv(matrix @ matrix.T)).max()), 0
    )
    for i in range(3):
        phi, seen = rng.standard_normal((6, 2)), rng.dirichlet(np.ones(3))
        moments = match_moments(phi.T @ inverse @ seen, phi)
        step = maximise_marginal_em(seen, phi, matrix, np.zeros(2), steps=1)[0]
        yield Row("one_em_step", f"random statistics {i + 1}", float(np.abs(moments - step).max()), 0.0)
    merging = np.eye(2)[:, [0, 1, 1]]
    for theta in (-1.0, 1.0):
        seen = merging @ probabilities(THREE, np.array([theta]))
        moments = match_moments(THREE.T @ simplex_preimage(seen, merging), THREE)
        marginal = global_maximum(THREE, merging, seen, *RANGE)
        case = f"two states merged, θ = {theta:g}"
        yield Row("merged_moments", case, abs(float(moments[0]) - theta), 0.0)
        yield Row("merged_marginal", case, abs(marginal - theta), 0.0)
