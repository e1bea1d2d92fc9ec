"""Synthetic scores in the shape of the figures' own, on either side of a claim."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Case:
    """Scores on which a claim holds, and the same perturbed so that it does not."""

    holds: pd.DataFrame
    fails: pd.DataFrame


def table(value: str, mean: Callable[..., float] | float, scatter: float = 1e-4, /, **axes: Any) -> pd.DataFrame:
    """One row for every combination of the axes; with an axis `trial`, values scatter around `mean` at the cell."""
    rng = np.random.default_rng(crc32(repr(axes).encode()))
    lists = {name: values if isinstance(values, list | range) else [values] for name, values in axes.items()}
    rows = []
    for cell in product(*lists.values()):
        keys = dict(zip(lists, cell, strict=True))
        shift = scatter * rng.standard_normal() if "trial" in keys else 0.0
        rows.append({**keys, value: (mean(**keys) if callable(mean) else mean) + shift})
    return pd.DataFrame(rows)


def by_level(value: str, column: str, levels: Mapping[str, float], /, **axes: Any) -> pd.DataFrame:
    """A table in which each name of a column has a level of its own."""
    return table(value, lambda **cell: levels[cell[column]], **{column: list(levels)}, **axes)


def swapped(scores: pd.DataFrame, column: str, one: Any, other: Any) -> pd.DataFrame:
    """The same scores with two names exchanged."""
    return scores.assign(**{column: scores[column].replace({one: other, other: one})})


def levels(
    good: Collection[str], others: Collection[str], better: float = 0.1, worse: float = 0.5, /, **axes: Any
) -> Case:
    """Errors of methods at a level of privacy, the good ones' less; and the other way round."""
    axes = {"epsilon": 8.0, "n": 600, "trial": range(8), **axes, "method": [*good, *others]}

    def make(own: float, rest: float) -> pd.DataFrame:
        return table("error", lambda method, **_: own if method in good else rest, 1e-3, **axes)

    return Case(make(better, worse), make(worse, better))


def contest(value: str, column: str, levels: Mapping[str, float], winner: str, loser: str, /, **axes: Any) -> Case:
    """Each method at a level of its own; the perturbation exchanges `winner` and `loser`."""
    holds = by_level(value, column, levels, **axes)
    return Case(holds, swapped(holds, column, winner, loser))
