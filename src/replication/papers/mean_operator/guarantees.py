"""The noisy mean operator (Patrini et al. 2016, algorithm 2), and what it is compared with. Only labels are private."""

from __future__ import annotations

from functools import partial
from math import exp

import numpy as np
from numpy.random import Generator

from replication.judging.guarantees.case import Case, in_blocks, pure, row_by_row
from replication.judging.guarantees.settings import MeanOperator
from replication.papers.mean_operator.perturbation import ObjectivePerturbation, OutputPerturbation
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.mechanisms.mean_operator import NOISES, MeanOperatorRelease, mean_operator, radial_noise
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array, Floats

_case = partial(Case, "mean_operator")
#: The slope, the largest curvature and the constant a of the logistic loss.
SLOPE, CURVATURE, ODD = 1.0, 0.25, 1.0
#: Releases of many features that an audit may draw.
MOST = 100_000


def cases(settings: MeanOperator) -> list[Case]:
    """The release with each kind of noise, and noise on labels, on the model and on the objective.

    Levels are suprema over all features with ‖x‖₂ ≤ 1, the norm of section 4.1; where the name says so, with ‖x‖₁ ≤ 1,
    the norm of definition 8, under which the printed noise keeps its promise.
    """
    alpha, l2 = settings.alpha, settings.l2
    X = features(settings.records, settings.features)
    corners = np.eye(settings.features)[np.arange(settings.records) % settings.features]
    return [
        *(_release(alpha, noise, X) for noise in NOISES),
        _release(alpha, "printed", corners, l1_bound=1.0),
        *(_experiment(alpha, name, size) for name, size in settings.experiments.items()),
        _exact_release(alpha, X),
        _labels(alpha),
        _output(alpha, l2, X),
        _objective(alpha, l2, X),
    ]


def features(records: int, size: int) -> Floats:
    """Public features on the unit sphere; the first record has the largest 1-norm there is, √d."""
    rows: Floats = np.eye(size)[np.arange(records) % size]
    rows[0] = 1 / np.sqrt(size)
    return rows


def _pair(X: Floats) -> tuple[Floats, Floats]:
    """The mean operators of two label vectors that differ in the first record."""
    labels = np.ones(len(X))
    other = labels.copy()
    other[0] = -1
    return mean_operator(X, labels), mean_operator(X, other)


def _release(alpha: float, noise: str, X: Floats, l1_bound: float | None = None) -> Case:
    mechanism = MeanOperatorRelease(alpha, noise, l1_bound=l1_bound)
    name = f"release_{noise}" + ("" if l1_bound is None else "_in_1_norm")
    parameters = {"alpha": alpha, "records": len(X), "features": X.shape[1]}
    exact = mechanism.worst_epsilon(X.shape[1])
    release = row_by_row(mechanism.perturb, len(X))
    return _case(name, parameters, pure(alpha), pure(exact), release, *_pair(X))


def _experiment(alpha: float, name: str, size: int) -> Case:
    """The printed noise on as many features as a data set has: it loses more the more there are."""
    mechanism = MeanOperatorRelease(alpha)
    here, there = _pair(features(2, size))

    def log_ratio(released: Array) -> Floats:
        distances: Floats = np.abs(released - there).sum(axis=1) - np.abs(released - here).sum(axis=1)
        return distances

    parameters = {"alpha": alpha, "records": 2, "features": size, "as_in": name}
    release, exact = in_blocks(row_by_row(mechanism.perturb, 2)), pure(mechanism.worst_epsilon(size))
    return _case("release_printed", parameters, pure(alpha), exact, release, here, there, log_ratio, most=MOST)


def _exact_release(alpha: float, X: Floats) -> Case:
    """Noise on whole numbers, drawn for the last axis of many copies at once."""
    mechanism = GeometricMeanOperator(alpha, testing=True)
    labels = np.ones(len(X))
    other = labels.copy()
    other[0] = -1

    def release(y: Floats, n: int, rng: Generator) -> Array:
        return mechanism.release_many(X, y, n, rng)

    parameters = {"alpha": alpha, "records": len(X), "features": X.shape[1]}
    exact = mechanism.tight_epsilon(X)
    name = f"release_{mechanism.noise}"
    return _case(name, parameters, pure(alpha), pure(exact), release, labels, other)


def _labels(alpha: float) -> Case:
    mechanism = LabelResponse(alpha)

    def release(label: int, n: int, rng: Generator) -> Array:
        return mechanism.release(np.full(n, label), rng)

    keep = 1 / (1 + exp(-alpha))
    exact = channel_epsilon([[keep, 1 - keep], [1 - keep, keep]])
    return _case("label_response", {"alpha": alpha}, pure(alpha), pure(exact), release, 1, -1)


def _output(alpha: float, l2: float, X: Floats) -> Case:
    """With a linear loss the minimiser is a·μ/(4λ), which moves as far as the calibration allows for."""
    mechanism = OutputPerturbation(alpha, ODD, l2)
    m = len(X)
    here, there = (ODD * mu / (4 * l2) for mu in _pair(X))
    exact = alpha * float(np.linalg.norm(here - there)) / mechanism.sensitivity(m)
    parameters = {"alpha": alpha, "l2": l2, "records": m, "loss": "linear"}
    release = row_by_row(mechanism.release, m)
    return _case("output_perturbation", parameters, pure(alpha), pure(exact), release, here, there)


def _objective(alpha: float, l2: float, X: Floats) -> Case:
    """The minimiser is a one-to-one function of the noisy linear term of the objective, which is audited instead."""
    mechanism = ObjectivePerturbation(alpha, SLOPE, CURVATURE, l2)
    m, d = X.shape

    def release(mu: Floats, n: int, rng: Generator) -> Array:
        return ODD / 2 * mu - radial_noise(1 / mechanism.noise_scale(m), (n, d), rng)

    exact = mechanism.label_epsilon(ODD, m)
    parameters = {"alpha": alpha, "l2": l2, "records": m, "loss": "logistic"}
    return _case("objective_perturbation", parameters, pure(alpha), pure(exact), release, *_pair(X))
