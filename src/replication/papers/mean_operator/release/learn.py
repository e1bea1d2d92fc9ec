"""The learner: a linear classifier from each release and the public features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from replication.papers.mean_operator.tasks import PublicFeatures, is_test
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.types import Array, Arrays, Floats

PUBLIC = PublicFeatures()

#: What is released as an (unbiased) statistic for all losses and all λ.
STATISTICS = ("printed", "laplace", "gamma", "randomized_response")


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    dataset: str,
    alphas: Sequence[float],
    losses: Sequence[str],
    l2s: Sequence[float],
    sizes: Sequence[int],
    tolerance: float,
) -> Arrays:
    """θ of each mechanism by (size, α, loss, λ), and the statistics it was learnt from by (size, α).

    ASSUME: λ runs over a fixed grid, since choosing it by labels would cost privacy that nobody accounts for.
    """
    (parts,) = released.values()
    everybody = parts["everybody"]
    features = PUBLIC.of(dataset, public, everybody)
    rows = np.flatnonzero(~is_test(dataset, public, everybody, trial))
    if sizes:
        rows = rows[trial.public.permutation(len(rows))]
    thetas: dict[str, list[Floats]] = {}
    estimates: dict[str, list[Floats]] = {}
    for index, m in enumerate(parts["m"]):
        design = Design(features[rows[:m]])
        statistics = _statistics(
            {name: part[index] for name, part in parts.items() if part.ndim}, design, alphas
        )
        for name, statistic in statistics.items():
            estimates.setdefault(name, []).append(statistic)
            found = np.stack([_over_grid(design, mu, losses, l2s, tolerance) for mu in statistic])
            thetas.setdefault(name, []).append(found)
        thetas.setdefault("output", []).append(parts["output"][index])
        noisy, ridges = parts["objective"][index], parts["objective_l2"][index]
        thetas.setdefault("objective", []).append(_objective(design, noisy, ridges, losses, tolerance))
    about = {"m": parts["m"], "everybody": everybody, "dataset": dataset, "swept": bool(sizes)}
    grid = {"alphas": alphas, "losses": losses, "l2s": l2s}
    return {
        **{f"theta_{name}": np.stack(found) for name, found in thetas.items()},
        **{f"statistic_{name}": np.stack(found) for name, found in estimates.items()},
        **{name: np.asarray(value) for name, value in {**about, **grid}.items()},
    }


def _statistics(part: Mapping[str, Array], design: Design, alphas: Sequence[float]) -> dict[str, Floats]:
    """The mean operator as each mechanism lets it be known, by α."""
    m = len(design.features)
    debiased = [
        LabelResponse(alpha).mean_operator(design.features, signs[:m])
        for alpha, signs in zip(alphas, part["randomized_response"], strict=True)
    ]
    known = {name: np.asarray(part[name]) for name in STATISTICS if name != "randomized_response"}
    return {"none": part["exact"][None, :], **known, "randomized_response": np.stack(debiased)}


def _over_grid(
    design: Design, mu: Floats, losses: Sequence[str], l2s: Sequence[float], tolerance: float
) -> Floats:
    """θ by (loss, λ)."""
    return np.stack(
        [
            [minimise_statistic(design, linear_odd_loss(name), mu, l2, tolerance).theta for l2 in l2s]
            for name in losses
        ]
    )


def _objective(
    design: Design, noisy: Array, ridges: Array, losses: Sequence[str], tolerance: float
) -> Floats:
    """The minimisers of the noisy objectives by (α, loss, λ); NaN where the mechanism does not exist."""
    thetas = np.full(noisy.shape, np.nan)
    for i, j, k in product(*map(range, ridges.shape)):
        if np.isfinite(ridges[i, j, k]):
            loss = linear_odd_loss(losses[j])
            thetas[i, j, k] = minimise_statistic(
                design, loss, noisy[i, j, k], float(ridges[i, j, k]), tolerance
            ).theta
    return thetas
