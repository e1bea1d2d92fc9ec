"""The owner: noisy mean operators, flipped labels, and models learnt in the owner's room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.random import Generator

from replication.papers.mean_operator.tasks import PublicFeatures, is_test, label_signs, task_rows
from replication.randomness import Trial
from unveil.estimators.statistics.losses import LinearOddLoss, linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.mechanisms.label_perturbation import LabelResponse, ObjectivePerturbation, OutputPerturbation
from unveil.mechanisms.mean_operator import NOISES, MeanOperatorRelease, mean_operator
from unveil.types import Array, Arrays, Floats

PUBLIC = PublicFeatures()


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    dataset: str,
    alphas: Sequence[float],
    losses: Sequence[str],
    l2s: Sequence[float],
    sizes: Sequence[int],
) -> Arrays:
    """For each size: μ, noisy μ at each α, flipped labels, a noisy model and a noisy objective for each loss and λ.

    ASSUME: the features are public, so the largest ‖x‖₁ among them is; the right Laplace scale uses it.
    """
    everybody = task_rows(dataset, fields)
    features = PUBLIC.of(dataset, fields, everybody)
    rows = np.flatnonzero(~is_test(dataset, fields, everybody, trial))
    if sizes:
        rows = rows[trial.public.permutation(len(rows))]
    kinds = [linear_odd_loss(name) for name in losses]
    parts = [
        _released(
            features[rows[:m]],
            label_signs(dataset, fields, everybody[rows[:m]]),
            trial.rng,
            alphas,
            kinds,
            l2s,
            len(rows),
        )
        for m in (sizes or [len(rows)])
    ]
    stacked = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
    return {**stacked, "everybody": everybody}


def _released(
    X: Floats,
    y: Array,
    rng: Generator,
    alphas: Sequence[float],
    losses: Sequence[LinearOddLoss],
    l2s: Sequence[float],
    length: int,
) -> dict[str, Array]:
    m = len(X)
    widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
    mu = mean_operator(X, y)
    noisy = {
        noise: np.stack(
            [
                MeanOperatorRelease(alpha, noise, l1_bound=widest if noise == "laplace" else None).release(
                    X, y, rng
                )
                for alpha in alphas
            ]
        )
        for noise in NOISES
    }
    flipped = np.zeros((len(alphas), length), dtype=np.int8)
    for signs, alpha in zip(flipped, alphas, strict=True):
        signs[:m] = LabelResponse(alpha).release(y, rng)
    models = _models(Design(X), mu, rng, alphas, losses, l2s)
    return {"exact": mu, **noisy, "randomized_response": flipped, **models, "m": np.array(m)}


def _models(
    design: Design,
    mu: Floats,
    rng: Generator,
    alphas: Sequence[float],
    losses: Sequence[LinearOddLoss],
    l2s: Sequence[float],
) -> dict[str, Array]:
    """What the peers release: a noisy minimiser, and the statistic and λ of a noisy objective.

    ASSUME: objective perturbation hands out its linear term, from which (and public data) the minimiser follows.
    """
    m, d = design.features.shape
    shape = (len(alphas), len(losses), len(l2s))
    output, objective, ridge = np.empty((*shape, d)), np.full((*shape, d), np.nan), np.full(shape, np.nan)
    for (j, loss), (k, l2) in product(enumerate(losses), enumerate(l2s)):
        theta = minimise_statistic(design, loss, mu, l2).theta
        for i, alpha in enumerate(alphas):
            output[i, j, k] = OutputPerturbation(alpha, loss.a, l2).release(theta, m, rng)
            if np.isfinite(loss.lipschitz):
                mechanism = ObjectivePerturbation(alpha, loss.lipschitz, loss.steepest, l2)
                objective[i, j, k] = mu - 2 / loss.a * mechanism.linear_term(m, d, rng)
                ridge[i, j, k] = l2 + mechanism.extra_l2(m)
    return {"output": output, "objective": objective, "objective_l2": ridge}
