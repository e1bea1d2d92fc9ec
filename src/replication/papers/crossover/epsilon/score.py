"""The referee of all crossover figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import expit

from replication.arrays import Fields, Named
from replication.common.tasks import features, signs
from replication.papers.crossover.epsilon.release import flip_probability, positives
from replication.papers.crossover.epsilon.settings import Score
from replication.randomness import Trial
from unveil.types import Array, Floats

COLUMNS = ["dataset", "task", "estimator", "epsilon", "n", "l2", "trial", "error", "positive_fraction", "base_rate"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """Task `classify`: share of wrong labels; `ratio`: L1 distance of class ratios, a row a test set.

    `base_rate` is what guessing makes of a task: the rarer class's share, or the distance from an even ratio. The
    estimator `information` is none: the error of clean training on as many labels as the flipped ones are worth.
    """
    found = errors(learned, fields, trials, settings)
    limit = pd.DataFrame(_worth(found, learned, fields, settings))
    return pd.concat([found, limit], ignore_index=True)[COLUMNS]


def errors(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """The errors of everything that any arm learned."""
    parts = [
        pd.DataFrame(rows).assign(trial=trial.number)
        for arm in learned.values()
        for trial, arrays in zip(trials, arm, strict=True)
        if (rows := list(_errors(arrays, fields, settings)))
    ]
    return pd.concat(parts, ignore_index=True)


def _errors(arrays: Named, fields: Fields, settings: Score) -> Iterator[dict[str, object]]:
    for dataset in settings.datasets:
        if (dataset, "sizes") not in arrays:
            continue
        test = arrays[dataset, "test"]
        X, truth = features(dataset, fields)[test], signs(dataset, fields)[test] > 0
        rarer = min(truth.mean(), 1 - truth.mean())
        set_size = int(arrays[dataset, "set_size"])
        shares = [count / set_size for count in positives(settings.fractions, set_size)]
        cells = product(enumerate(arrays[dataset, "epsilons"].tolist()), enumerate(arrays[dataset, "sizes"].tolist()))
        for (i, epsilon), (j, n) in cells:
            about = {"dataset": dataset, "epsilon": epsilon, "n": n}
            for name, thetas in _list_learned(arrays, dataset, "classify", "theta", j):
                wrong = np.mean((X @ thetas[i] > 0) != truth)
                own = {"l2": arrays[dataset, "classify", name, "l2", j][i], "error": wrong, "base_rate": rarer}
                yield {**about, **own, "task": "classify", "estimator": name, "positive_fraction": np.nan}
            for name, ratios in _list_learned(arrays, dataset, "ratio", "ratios", j):
                l2 = arrays[dataset, "ratio", name, "l2", j][i]
                for share, fraction, ratio in zip(shares, settings.fractions, ratios[i], strict=True):
                    own = {"l2": l2, "error": 2 * abs(ratio - share), "base_rate": abs(2 * share - 1)}
                    yield {**about, **own, "task": "ratio", "estimator": name, "positive_fraction": fraction}


def _list_learned(arrays: Named, dataset: str, task: str, what: str, size: int) -> Iterator[tuple[str, Array]]:
    """What every estimator of a task learned from one size, in the order of the settings."""
    for key, array in arrays.items():
        if key[:2] == (dataset, task) and key[3:] == (what, size):
            yield str(key[2]), array


def _worth(
    found: pd.DataFrame, learned: Mapping[str, Sequence[Named]], fields: Fields, settings: Score
) -> Iterator[dict[str, object]]:
    """Where clean training was run with so few labels: its mean error at n times the information that flips leave."""
    sizes = found.loc[(found["task"] == "classify") & (found["estimator"] == "marginal"), ["dataset", "n"]]
    clean = found[(found["task"] == "classify") & (found["estimator"] == "clean")]
    for dataset, part in clean.groupby("dataset", sort=False):
        curve = part.groupby("n")["error"].mean()
        theta = _largest_clean(learned, str(dataset))
        rows = features(dataset, fields)
        for epsilon in settings.epsilons:
            share = information_share(rows, theta, flip_probability(epsilon))
            for n in sorted(sizes.loc[sizes["dataset"] == dataset, "n"].unique()):
                if n * share >= curve.index.min():
                    error = np.interp(np.log(n * share), np.log(curve.index.to_numpy(dtype=float)), curve)
                    about = {"dataset": dataset, "task": "classify", "estimator": "information", "epsilon": epsilon}
                    yield {**about, "n": n, "l2": np.nan, "trial": 0, "error": error,
                           "positive_fraction": np.nan, "base_rate": part["base_rate"].mean()}  # fmt: skip


def _largest_clean(learned: Mapping[str, Sequence[Named]], dataset: str) -> Floats:
    """The separator of the first trial's largest clean fit."""
    arrays = learned["clean"][0]
    last = len(arrays[dataset, "sizes"]) - 1
    theta: Floats = arrays[dataset, "classify", "clean", "theta", last][0]
    return theta


def information_share(rows: Array, theta: Floats, p_flip: float) -> float:
    """d⁻¹·tr(I⁻¹Iₚ): how much of the labels' Fisher information about θ flips leave, over the features' own span.

    A clean label has the information σ(1 − σ)·xxᵀ, a flipped one (1 − 2p)²σ²(1 − σ)²/(q(1 − q))·xxᵀ, q = p + (1 − 2p)σ.
    """
    one = expit(rows @ theta)
    seen = p_flip + (1 - 2 * p_flip) * one
    clear = one * (1 - one)
    veiled = (1 - 2 * p_flip) ** 2 * clear**2 / np.maximum(seen * (1 - seen), 1e-300)
    both = [(rows * weight[:, None]).T @ rows / len(rows) for weight in (clear, veiled)]
    values, axes = np.linalg.eigh(both[0])
    inside = axes[:, values > 1e-10 * values[-1]]
    small, large = (inside.T @ matrix @ inside for matrix in (both[1], both[0]))
    return float(np.trace(np.linalg.solve(large, small)) / len(small))
