"""The two estimators of a finite model under indirect supervision: marginal likelihood (2) and moments.

The learner knows the model (`phi`, (m, d)) and the supervision matrix S[o, y], and has seen observations,
summed up in their frequencies q̂. Frequencies may carry leading axes: thousands of samples fit in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import NoEstimate, require
from unveil.theory.asymptotics import observation_function
from unveil.theory.finite_models import (
    as_parameters,
    as_statistics,
    as_supervision,
    fisher_information,
    log_marginal,
    marginal_information,
    marginal_score,
    posterior_means,
    probabilities,
    weighted_mean,
)
from unveil.types import Array, Floats, as_numbers, as_reals

#: Half the squared Newton decrement below which a fit has converged.
DECREMENT = 1e-14
MAX_STEPS = 200
#: An EM iteration that moves θ by no more than this has come to rest.
EM_REST = 1e-12
#: No step changes a log-odds by more than this; a fit whose log-odds pass the limit has run to infinity.
LONGEST_STEP = 10.0
LOG_ODDS_LIMIT = 600.0


def as_frequencies(frequencies: ArrayLike, outcomes: int) -> Floats:
    """q̂ as an array (..., k) of distributions over the observations."""
    values = as_numbers(frequencies, "frequencies")
    require(
        values.ndim >= 1 and values.shape[-1] == outcomes,
        "frequencies must have one entry per observation (the rows of supervision)",
    )
    require(
        bool(np.isfinite(values).all() and (values >= 0).all() and np.allclose(values.sum(axis=-1), 1, atol=1e-9)),
        "frequencies must be distributions: finite, nonnegative, sum one",
    )
    return values


def outcomes(phi: ArrayLike, supervision: ArrayLike) -> int:
    """How many there are."""
    statistics = as_numbers(phi, "phi")
    require(statistics.ndim in (2, 3), "phi must have shape (m, d): one row of statistics per state")
    return len(as_supervision(supervision, statistics.shape[-2]))


def check_observations(observations: ArrayLike, phi: ArrayLike, supervision: ArrayLike) -> Array:
    """Outcomes as whole numbers, at least one."""
    seen = as_reals(observations, "observations")
    require(seen.ndim == 1 and len(seen) > 0, "observations must have shape (n,), n at least 1")
    require(
        seen.dtype.kind in "iu" and 0 <= seen.min() <= seen.max() < outcomes(phi, supervision),
        "observations must be integers from 0 to k - 1: rows of supervision",
    )
    return seen


def match_moments(
    moments: ArrayLike, phi: ArrayLike, start: ArrayLike | None = None, shares: Sequence[float] = (1.0,)
) -> Floats:
    """θ with E_θ[φ] = `moments`: argmax μᵀθ − Ê[A(θ; x)], the convex second step of figure 2, by Newton steps.

    `phi` (g, m, d) has the statistics given each of g values of x, and `shares` how often these values occur.
    """
    families = as_families(phi, shares)
    statistics = np.concatenate([family for _, family in families])
    target = as_parameters(moments, statistics)
    origin = np.zeros_like(target) if start is None else as_parameters(start, statistics)
    theta, converged = _ascend(
        statistics,
        np.broadcast_to(origin, target.shape),
        lambda at: np.sum(target * at, axis=-1) - sum(share * _log_partition(own, at) for share, own in families),
        lambda at: target - sum(share * weighted_mean(own, probabilities(own, at)) for share, own in families),
        lambda at: complete_information(families, at),
    )
    spread = np.diagonal(complete_information(families, theta), axis1=-2, axis2=-1)
    if not (converged.all() and (spread > 1e-12 * np.ptp(statistics, axis=0) ** 2).all()):
        raise NoEstimate(
            "moments must lie inside the convex hull of phi's rows: no finite theta has these expectations"
        )
    return theta


def as_families(phi: ArrayLike, shares: Sequence[float]) -> list[tuple[float, Floats]]:
    """The share of each value of x, and the statistics (m, d) given it; a single (m, d) where x is empty."""
    given = as_numbers(phi, "phi")
    require(given.ndim in (2, 3), "phi must have shape (m, d), or (g, m, d) for g values of x")
    several = [given] if given.ndim == 2 else list(given)
    require(len(several) == len(shares), "phi must have shape (g, m, d): one entry for each value of x")
    return [(float(share), as_statistics(own)) for share, own in zip(shares, several, strict=True)]


def complete_information(families: Sequence[tuple[float, Floats]], theta: Floats) -> Floats:
    """Ê[Cov_θ[φ | x]]."""
    return np.asarray(sum(share * fisher_information(own, theta) for share, own in families))


def one_scoring_step(
    frequencies: ArrayLike, phi: ArrayLike, supervision: ArrayLike, start: ArrayLike, shares: Sequence[float] = (1.0,)
) -> Floats:
    """One scoring step on (2), shortened if it does not raise the likelihood: efficient from any √n-consistent start.

    `frequencies` (..., g, k) are those given each value of x, or (..., k) where x is empty.
    """
    families = as_families(phi, shares)
    statistics = np.concatenate([family for _, family in families])
    matrix = as_supervision(supervision, states=len(families[0][1]))
    seen = as_frequencies(frequencies, len(matrix))
    if np.ndim(phi) == 2:
        seen = seen[..., None, :]
    origin = np.broadcast_to(as_parameters(start, statistics), (*seen.shape[:-2], statistics.shape[1]))
    parts = [(share, own, seen[..., g, :]) for g, (share, own) in enumerate(families)]
    theta, _ = _ascend(
        statistics,
        origin,
        lambda at: np.asarray(sum(share * log_marginal(own, at, matrix, q) for share, own, q in parts)),
        lambda at: np.asarray(sum(share * marginal_score(own, at, matrix, q) for share, own, q in parts)),
        lambda at: np.asarray(sum(share * marginal_information(own, at, matrix) for share, own, _ in parts)),
        steps=1,
    )
    return theta


def moment_estimate(frequencies: ArrayLike, phi: ArrayLike, supervision: ArrayLike) -> Floats:
    """θ̂_mom: μ̂ = Σ_o q̂(o) β(o), then the θ that has these moments."""
    return match_moments(estimate_moments(frequencies, phi, supervision), phi)


def estimate_moments(frequencies: ArrayLike, phi: ArrayLike, supervision: ArrayLike) -> Floats:
    """μ̂ = Σ_o q̂(o) β(o), the linear first step of figure 2."""
    beta = observation_function(phi, supervision)
    return as_frequencies(frequencies, len(beta)) @ beta


def maximise_marginal(
    frequencies: ArrayLike, phi: ArrayLike, supervision: ArrayLike, start: ArrayLike
) -> tuple[Floats, Floats]:
    """(θ, log-marginal) of the stationary point of (2) that damped Fisher scoring reaches from `start`."""
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, states=len(statistics))
    seen = as_frequencies(frequencies, len(matrix))
    origin = as_parameters(start, statistics)
    shape = np.broadcast_shapes(seen.shape[:-1], origin.shape[:-1])
    seen = np.broadcast_to(seen, (*shape, len(matrix)))
    theta, _ = _ascend(
        statistics,
        np.broadcast_to(origin, (*shape, statistics.shape[1])),
        lambda at: log_marginal(statistics, at, matrix, seen),
        lambda at: marginal_score(statistics, at, matrix, seen),
        lambda at: marginal_information(statistics, at, matrix),
    )
    return theta, log_marginal(statistics, theta, matrix, seen)


def maximise_marginal_em(
    frequencies: ArrayLike, phi: ArrayLike, supervision: ArrayLike, start: ArrayLike, steps: int
) -> tuple[Floats, Floats]:
    """(θ, log-marginal) of EM from `start`, at rest or after at most `steps` iterations."""
    require(steps >= 1, "steps must be at least 1")
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, states=len(statistics))
    seen = as_frequencies(frequencies, len(matrix))
    theta = as_parameters(start, statistics)
    for _ in range(steps):
        means = np.einsum("...k,...kd->...d", seen, posterior_means(statistics, theta, matrix))
        before, theta = theta, match_moments(means, statistics, start=theta)
        if np.abs(theta - before).max() <= EM_REST:
            break
    return theta, log_marginal(statistics, theta, matrix, seen)


def _log_partition(phi: Floats, theta: Floats) -> Floats:
    scores = theta @ phi.T
    top = scores.max(axis=-1, keepdims=True)
    result: Floats = np.log(np.exp(scores - top).sum(axis=-1)) + top[..., 0]
    return result


def _ascend(
    phi: Floats,
    theta: Floats,
    objective: Callable[[Floats], Floats],
    gradient: Callable[[Floats], Floats],
    information: Callable[[Floats], Floats],
    steps: int = MAX_STEPS,
) -> tuple[Floats, Array]:
    """Scoring steps with a backtracking line search, all rows at once; also which rows converged.

    A row rests once it converged, ran to infinity or found no higher point: the others alone go on.
    """
    value = objective(theta)
    resting = np.zeros(value.shape, dtype=bool)
    for _ in range(steps):
        slope = gradient(theta)
        newton = _solve(information(theta), slope)
        longest = np.ptp(newton @ phi.T, axis=-1)
        newton = newton * np.minimum(1, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))[..., None]
        decrement = np.sum(slope * newton, axis=-1)
        converged = decrement / 2 <= DECREMENT
        resting = resting | converged | (np.ptp(theta @ phi.T, axis=-1) > LOG_ODDS_LIMIT)
        if resting.all():
            break
        step, promised = np.where(resting[..., None], 0.0, newton), np.where(resting, 0.0, decrement)
        theta, value, moved = _backtrack(theta, value, step, promised, objective)
        resting = resting | ~moved
    # The last step is too short for the line search to see, and doubles the digits.
    return np.where(converged[..., None], theta + newton, theta), converged


def _backtrack(
    theta: Floats, value: Floats, step: Floats, decrement: Floats, objective: Callable[[Floats], Floats]
) -> tuple[Floats, Floats, Array]:
    """Halve each row's step until its objective rises by a share of what the slope promises."""
    length = np.ones(value.shape)
    for _ in range(40):
        trial = theta + length[..., None] * step
        reached = objective(trial)
        good = reached >= value + 1e-4 * length * decrement
        if good.all():
            break
        length = np.where(good, length, length / 2)
    moved = good & (reached > value)
    return np.where(good[..., None], trial, theta), np.where(good, reached, value), moved


def _solve(information: Floats, slope: Floats) -> Floats:
    """Information⁻¹ slope; a trace of ridge lets a direction without information rest instead of failing."""
    d = slope.shape[-1]
    ridge = 1e-13 * np.trace(information, axis1=-2, axis2=-1) + 1e-300
    damped = information + ridge[..., None, None] * np.eye(d)
    result: Floats = np.linalg.solve(damped, slope[..., None])[..., 0]
    return result
