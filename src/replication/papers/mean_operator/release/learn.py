"""The learner: a linear classifier from each release and the public features, λ chosen by three rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.common.tasks import stack, training
from replication.papers.mean_operator.release.settings import Learn
from replication.papers.mean_operator.rules import RULES, response_noise, statistic_noise
from replication.randomness import Trial
from unveil.estimators.statistics.losses import LinearOddLoss, linear_odd_loss
from unveil.estimators.statistics.risk import Design
from unveil.estimators.statistics.tuning import Noise, minimise_together, public_l2, risks_without_noise
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.types import Array, Floats


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """θ and λ of each mechanism by (size, α, loss, rule), and the statistics learnt from by (size, α).

    What is chosen by released numbers is chosen by these and public features alone; what has no such choice is NaN.
    """
    (parts,) = released.values()
    X, _ = training(settings.dataset, public, trial, shuffled=bool(settings.sizes))
    learned = []
    for index, m in enumerate(parts["m"]):
        own = {name: part[index] for name, part in parts.items()}
        learned.append(_learn_size(Design(X[:m]), own, settings, partial(trial.rng_of, m)))
    about = {"m": parts["m"], "dataset": settings.dataset, "swept": bool(settings.sizes)}
    grid = {"alphas": settings.alphas, "losses": settings.losses}
    return {**stack(learned), **{name: np.asarray(value) for name, value in {**about, **grid}.items()}}


def _learn_size(design: Design, part: Named, settings: Learn, rng_of: Callable[[str], Generator]) -> dict[Key, Array]:
    """Everything from the releases of one size: all statistics are solved together, loss by loss."""
    flipped = _debias(design, part["flipped"], settings)
    statistics = {**{str(k): v for k, v in under(part, "statistic").items()}, "randomized_response": flipped}
    noises = {name: _noises(design, name, part, settings) for name in statistics}
    by_loss = [
        _minimise_loss(design, j, name, part, (statistics, noises), settings, rng_of(name))
        for j, name in enumerate(settings.losses)
    ]
    learned: dict[Key, Array] = {("statistic", name): statistic for name, statistic in statistics.items()}
    for name in [*statistics, "output", "objective"]:
        for index, what in enumerate(("theta", "l2")):
            learned[what, name] = np.stack([cells[name][index] for cells in by_loss], axis=1)
    # The level of objective perturbation hangs on the λ that it was calibrated for.
    return learned | {"asked": part["asked", "objective"][..., [0, 1, 1]]}


def _debias(design: Design, flipped: Array, settings: Learn) -> Floats:
    """The mean operator as flipped labels let it be known, by α."""
    X, pairs = design.features, zip(settings.alphas, flipped, strict=True)
    return np.stack([LabelResponse(alpha).mean_operator(X, labels[: len(X)]) for alpha, labels in pairs])


def _noises(design: Design, name: str, part: Named, settings: Learn) -> list[Noise]:
    """The noise of each of a mechanism's statistics."""
    if name == "none":
        return [Noise(0.0, 0.0)]
    if name == "randomized_response":
        return [response_noise(alpha) for alpha in settings.alphas]
    return [statistic_noise(name, scale, design.features.shape[1]) for scale in part["scale", name].tolist()]


def _minimise_loss(
    design: Design, j: int, name: str, part: Named, seen: tuple[dict[str, Floats], dict[str, list[Noise]]],
    settings: Learn, rng: Generator,
) -> dict[str, tuple[Floats, Floats]]:  # fmt: skip
    """θ and λ by (α, rule) of every mechanism, for one loss."""
    loss, (statistics, noises) = linear_odd_loss(name), (dict(seen[0]), dict(seen[1]))
    d = design.features.shape[1]
    # The objective of the public rule is a statistic like others, whose λ may be chosen anew.
    exists = bool(np.isfinite(part["objective", "l2"][:, j]).all())
    if exists:
        scales = part["objective", "scale"][:, j, 1].tolist()
        statistics["objective"] = part["objective", "statistic"][:, j, 1]
        noises["objective"] = [statistic_noise("objective", scale, d) for scale in scales]
    stacked_up, noise = np.concatenate(list(statistics.values())), [one for each in noises.values() for one in each]
    chosen = _choose_ridges(design, loss, stacked_up, noise, settings, rng)
    ends = np.cumsum([len(each) for each in noises.values()])
    parts = zip(*(np.split(array, ends[:-1]) for array in chosen), strict=True)
    found = dict(zip(statistics, parts, strict=True))
    shape = len(settings.alphas), len(RULES)
    missing = np.full((*shape, d), np.nan), np.full(shape, np.nan)
    if exists:
        thetas, l2s = found["objective"]
        ridges = part["objective", "l2"][:, j]
        for k in range(2):
            thetas[:, k] = minimise_together(
                design, loss, part["objective", "statistic"][:, j, k], ridges[:, k], tolerance=settings.tolerance
            )
            l2s[:, k] = ridges[:, k]
    thetas, l2s = missing[0].copy(), missing[1].copy()
    thetas[:, :2], l2s[:, :2] = part["output"][:, j], part["asked", "output"][:, j]
    return {"objective": missing, **found, "output": (thetas, l2s)}


def _choose_ridges(
    design: Design, loss: LinearOddLoss, statistics: Floats, noises: list[Noise], settings: Learn, rng: Generator
) -> tuple[Floats, Floats]:
    """θ (k, rule, d) and λ (k, rule) of every statistic."""
    m, l2s = len(design.features), settings.l2s
    risks = risks_without_noise(design, loss, statistics, noises, l2s, rng, settings.draws, settings.tolerance)
    picked = np.array([
        np.full(len(noises), float(settings.fixed)),
        [public_l2(loss, noise, m) for noise in noises],
        np.asarray(l2s, dtype=float)[risks.argmin(axis=1)],
    ])  # fmt: skip
    together = minimise_together(
        design, loss, np.tile(statistics, (len(RULES), 1)), picked.ravel(), tolerance=settings.tolerance
    )
    return together.reshape(len(RULES), *statistics.shape).swapaxes(0, 1), picked.T
