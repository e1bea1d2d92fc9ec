"""The learner: a linear classifier from each release and the public features."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.mean_operator.release.settings import Learn
from replication.papers.mean_operator.tasks import stacked, training
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.types import Array, Floats


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """θ of each mechanism by (size, α, loss, λ), and the statistics it was learnt from by (size, α).

    ASSUME: λ runs over a fixed grid, since choosing it by labels would cost privacy that nobody accounts for.
    """
    (parts,) = released.values()
    X, _ = training(settings.dataset, public, trial, shuffled=bool(settings.sizes))
    learned = [
        _learned(Design(X[:m]), {name: part[index] for name, part in parts.items()}, settings)
        for index, m in enumerate(parts["m"])
    ]
    about = {"m": parts["m"], "dataset": settings.dataset, "swept": bool(settings.sizes)}
    grid = {"alphas": settings.alphas, "losses": settings.losses, "l2s": settings.l2s}
    return {**stacked(learned), **{name: np.asarray(value) for name, value in {**about, **grid}.items()}}


def _learned(design: Design, part: Named, settings: Learn) -> dict[Key, Array]:
    """Everything from the releases of one size; what is a statistic serves all losses and all λ."""
    statistics = {**under(part, "statistic"), "randomized_response": _debiased(design, part["flipped"], settings)}
    return {
        **{("statistic", str(name)): statistic for name, statistic in statistics.items()},
        **{
            ("theta", str(name)): np.stack([_over_grid(design, mu, settings) for mu in statistic])
            for name, statistic in statistics.items()
        },
        ("theta", "output"): part["output"],
        ("theta", "objective"): _objective(design, part["objective", "statistic"], part["objective", "l2"], settings),
    }


def _debiased(design: Design, flipped: Array, settings: Learn) -> Floats:
    """The mean operator as flipped labels let it be known, by α."""
    X = design.features
    found = [
        LabelResponse(alpha).mean_operator(X, labels[: len(X)])
        for alpha, labels in zip(settings.alphas, flipped, strict=True)
    ]
    return np.stack(found)


def _over_grid(design: Design, mu: Floats, settings: Learn) -> Floats:
    """θ by (loss, λ)."""
    losses = map(linear_odd_loss, settings.losses)
    return np.stack(
        [[minimise_statistic(design, loss, mu, l2, settings.tolerance).theta for l2 in settings.l2s] for loss in losses]
    )


def _objective(design: Design, noisy: Floats, ridges: Floats, settings: Learn) -> Floats:
    """The minimisers of the noisy objectives by (α, loss, λ); NaN where the mechanism does not exist."""
    thetas = np.full(noisy.shape, np.nan)
    for i, j, k in product(*map(range, ridges.shape)):
        if np.isfinite(ridges[i, j, k]):
            loss, l2 = linear_odd_loss(settings.losses[j]), float(ridges[i, j, k])
            thetas[i, j, k] = minimise_statistic(design, loss, noisy[i, j, k], l2, settings.tolerance).theta
    return thetas
