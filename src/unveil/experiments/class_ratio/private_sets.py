"""What figures 3, skew and set sizes share: the release of a family of sets, and what a learner does with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.random import Generator

from unveil.errors import NoValidScale, require
from unveil.estimators.mmd import class_ratios, l1_errors, mixture_weights
from unveil.estimators.mmd_gram import BANDWIDTHS, mean_similarities, mmd_gram
from unveil.experiments.class_ratio.sets import points_of, shares_of
from unveil.mechanisms.counts import (
    CountMechanism,
    DirichletOrLaplacePrior,
    GaussianCounts,
    LaplaceCounts,
    LaplacePrior,
    ScaledDirichlet,
)
from unveil.types import Array, Arrays

NONE = "none"
Entry = TypeVar("Entry")


def mechanism_of(name: str, epsilon: float, delta: float) -> CountMechanism:
    """The mechanism behind a name of figure 3."""
    known: dict[str, CountMechanism] = {
        "laplace": LaplaceCounts(epsilon),
        "gaussian_analytic": GaussianCounts(epsilon, delta, "analytic"),
        "laplace_prior": LaplacePrior(epsilon, delta),
        "scaled_dirichlet": ScaledDirichlet(epsilon, delta, "paper"),
        "scaled_dirichlet_tight": ScaledDirichlet(epsilon, delta, "tight"),
        "fallback": DirichletOrLaplacePrior(epsilon, delta, "paper"),
    }
    require(name in known, f"mechanisms: unknown '{name}'; known: {NONE}, {', '.join(known)}")
    return known[name]


def release_proportions(
    counts: Array, mechanisms: Sequence[str], epsilon: float, delta: float, draws: int, rng: Generator
) -> dict[str, Array]:
    """`draws` independent releases of all sets by every mechanism, as (draws, sets, classes).

    Where a mechanism has no valid scale for some set it publishes nothing, and its name is missing.
    """
    released = {}
    for name in mechanisms:
        if name == NONE:
            released[name] = shares_of(counts)[None]
            continue
        try:
            rows = mechanism_of(name, epsilon, delta).release(np.tile(counts, (draws, 1)), rng)
        except NoValidScale:
            continue
        released[name] = rows.reshape(draws, *counts.shape)
    return released


class Matched(NamedTuple):
    """Weights α̂ of validation and test sets at every bandwidth; they depend on no proportions."""

    validation: Array
    tests: Array


def match(released: Arrays, inputs: Array) -> Matched:
    """One kernel pass over the points of all sets; it serves every mechanism, draw and test mixture."""
    bags = list(points_of(inputs, released["train"]))
    held_out = list(points_of(inputs, released["validation"]))
    gram, cross = mmd_gram(bags, BANDWIDTHS, held_out)
    each = mean_similarities(bags, points_of(inputs, released["pool"]))
    tests = released["tests"]
    shares = tests / tests.sum(axis=1, keepdims=True)
    return Matched(mixture_weights(gram, cross), mixture_weights(gram, each @ shares.T))


def estimate(matched: Matched, proportions: Array) -> Array:
    """Class ratios of all test sets, (draws, tests, classes), from released proportions (draws, sets, classes).

    The bandwidth is chosen by the mean L1 error against the *released* proportions of the validation sets: the
    learner has no others.
    """
    sets = matched.tests.shape[2]
    estimates = []
    for rows in proportions:
        chosen = int(np.argmin(l1_errors(matched.validation, rows[:sets], rows[sets:])))
        estimates.append(class_ratios(matched.tests[chosen], rows[:sets]))
    return np.stack(estimates)


def error_rows(estimates: Array | None, truth: pd.DataFrame) -> pd.DataFrame:
    """L1 errors of estimates (draws, tests, classes), one row a draw and test; without estimates, empty ones.

    `truth` has one row a test set, its index the x under which the test set is shown.
    """
    if estimates is None:
        return pd.DataFrame({"x": truth.index, "l1_error": np.nan, "draw": 0, "status": "no_scale"})
    errors = np.abs(estimates - truth.to_numpy()).sum(axis=2)
    draws, tests = errors.shape
    return pd.DataFrame(
        {
            "x": np.tile(truth.index, draws),
            "l1_error": errors.ravel(),
            "draw": np.repeat(np.arange(draws), tests),
            "status": "ok",
        }
    )


def only(arms: Mapping[str, Entry]) -> Entry:
    """What the one arm of a stage has to say."""
    require(len(arms) == 1, f"one arm is expected, not {', '.join(arms) or 'none'}")
    return next(iter(arms.values()))


def part(arrays: Arrays, *path: str | int) -> dict[str, Array]:
    """The arrays below `path`, as in `<data set>/<name>`, without it."""
    prefix = "".join(f"{step}/" for step in path)
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def below(arrays: Arrays, *path: str | int) -> dict[str, Array]:
    """The arrays with `path` before their names: the inverse of `part`."""
    prefix = "".join(f"{step}/" for step in path)
    return {prefix + name: array for name, array in arrays.items()}


def inputs_of(arrays: Arrays) -> Array:
    """The feature matrix, or the images, of a data set."""
    return arrays["images"] if "images" in arrays else arrays["features"]
