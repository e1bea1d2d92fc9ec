"""Learn from samples of two laws how to tell them apart: scores that stand for a log-likelihood ratio.

Two kinds of law matter. Where values repeat, each value is counted on its own: finite outputs, and also noise
that takes too few values, the mark of careless floating-point code. Elsewhere a sum of functions of one
coordinate, or of the sum or difference of two, is fitted: histograms first, then their weights by logistic
regression. It is exact for independent coordinates and for Dirichlet laws up to the width of the bins, and sees
noise that coordinates share. Boosted trees see what coordinates tell only together, such as the sign of a product; of
one coordinate the histogram says it all.
A poor score makes an audit weak, never wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from unveil.types import Array, Floats

#: With more coordinates than this their pairs are left out.
PAIRED = 8
#: So many functions at most are summed: the most telling ones.
SUMMED = 20
#: A law that shows each value this often on average is taken to be finite: its values are all there is to learn.
REPEATED = 20
#: So many values of a function at most have a bin of their own.
ATOMS = 64
#: Samples of each law from which the weights are fitted.
FITTED = 20_000
#: Trees need this many samples of each law, and are fitted to this many numbers at most.
LEAST_FOR_TREES, MOST_FOR_TREES = 40, 20_000_000
#: With no more coordinates than this, most samples share a cell of the trees' bins with others.
CELLED = 2
_STEPS, _RIDGE = 8, 1e-3
_MIX = np.uint64(0x9E3779B97F4A7C15)

Score = Callable[[Array], Floats]


def as_rows(samples: Array) -> Floats:
    """Samples of any shape as rows of doubles; what is not a number counts as infinite."""
    rows: Floats = np.ascontiguousarray(samples.reshape(len(samples), -1), dtype=np.float64)
    return np.where(np.isnan(rows), np.inf, rows) + 0.0  # no negative zeros


def quantile_edges(values: Floats) -> Floats:
    """Ascending borders: quantiles, closer and closer towards both ends, where likelihood ratios are extreme."""
    ordered = np.sort(values)
    tails = 0.5 ** np.arange(2, 40)
    shares = np.concatenate([np.arange(1, 64) / 64, tails, 1 - tails])
    ranks = np.unique((shares * len(ordered)).astype(np.int64))
    return np.asarray(np.unique(ordered[ranks[ranks < len(ordered)]]))


def learn_log_ratio(first: Array, second: Array, rng: Generator) -> dict[str, Score]:
    """Scores that are large where the first law is likelier: by repeated values, smooth functions and trees."""
    values, place = np.unique(np.concatenate([_keys(first), _keys(second)]), return_inverse=True)
    scores = {"values": _score_repeats(values, place[: len(first)], place[len(first) :])}
    if len(values) * REPEATED <= len(place):
        return scores
    scores["functions"] = _fit_functions(first, second)
    if len(first) >= LEAST_FOR_TREES and first[0].size > 1:
        scores["trees"] = _fit_trees(first, second, rng)
    return scores


def _keys(samples: Array) -> Array:
    """One whole number a row, equal for equal rows: two unequal ones meet once in 2⁶⁴ or so, and do no harm."""
    words = as_rows(samples).view(np.uint64)
    keys = np.zeros(len(words), np.uint64)
    for column in range(words.shape[1]):
        keys = (keys ^ words[:, column]) * _MIX
        keys ^= keys >> np.uint64(32)
    return keys


def _score_repeats(values: Array, first: Array, second: Array) -> Score:
    """The log-ratio of how often exactly this value was seen; zero for a value never seen."""
    ratios = _log_ratio(*(np.bincount(places, minlength=len(values)) for places in (first, second)))

    def score(samples: Array) -> Floats:
        keys = _keys(samples)
        at = np.minimum(np.searchsorted(values, keys), len(values) - 1)
        return np.where(values[at] == keys, ratios[at], 0.0)

    return score


def _log_ratio(here: Array, there: Array) -> Floats:
    return np.asarray(np.log((here + 0.5) / (there + 0.5)))


class _Feature(NamedTuple):
    """A coordinate, or the sum (+1) or difference (−1) of two."""

    first: int
    second: int = 0
    sign: float = 0.0

    def of(self, rows: Floats) -> Floats:
        if self.sign == 0.0:
            return rows[:, self.first]
        with np.errstate(invalid="ignore"):
            pair = rows[:, self.first] + self.sign * rows[:, self.second]
        return np.where(np.isnan(pair), np.inf, pair)


def _features(width: int) -> list[_Feature]:
    """Every coordinate, and the sum and the difference of every two where there are few."""
    alone = [_Feature(i) for i in range(width)]
    if width > PAIRED:
        return alone
    return alone + [_Feature(i, j, sign) for i, j in combinations(range(width), 2) for sign in (1.0, -1.0)]


def _fit_functions(first: Array, second: Array) -> Score:
    here, there = as_rows(first), as_rows(second)
    tables = [(feature, *_histogram(feature.of(here), feature.of(there))) for feature in _features(here.shape[1])]
    tables = sorted(tables, key=lambda table: -table[3])[:SUMMED]

    def parts(rows: Floats) -> Floats:
        return np.column_stack(
            [ratios[np.searchsorted(edges, feature.of(rows), side="right")] for feature, edges, ratios, _ in tables]
        )

    weights = _logistic_weights(parts(here[:FITTED]), parts(there[:FITTED]))
    return lambda samples: np.asarray(parts(as_rows(samples)) @ weights)


def _histogram(here: Floats, there: Floats) -> tuple[Floats, Floats, float]:
    """Borders of bins, the log-ratio of the two laws in each, and how far apart they are by Jeffreys' divergence."""
    pooled = np.concatenate([here, there])
    edges = np.union1d(quantile_edges(pooled), _around_atoms(pooled))
    counts = [
        np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1) for values in (here, there)
    ]
    ratios = _log_ratio(*counts)
    return edges, ratios, float((counts[0] - counts[1]) @ ratios)


def _around_atoms(values: Floats) -> Floats:
    """Borders on either side of the values that are repeated most: each is a bin of its own."""
    found, seen = np.unique(values, return_counts=True)
    often = np.flatnonzero(seen >= REPEATED)
    atoms = found[often[np.argsort(-seen[often], kind="stable")[:ATOMS]]]
    return np.asarray(np.concatenate([atoms, np.nextafter(atoms, np.inf)]))


def _logistic_weights(first: Floats, second: Floats) -> Floats:
    """Weights of the parts by Newton's method on the ridged logistic likelihood, started from equal ones."""
    rows = np.concatenate([first, second])
    side = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
    weights = np.full(rows.shape[1], 1 / rows.shape[1])
    ridge = _RIDGE * len(rows) * np.eye(rows.shape[1])
    for _ in range(_STEPS):
        chance = expit(rows @ weights)
        slope = rows.T @ (side - chance) - ridge @ weights
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + ridge
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def _fit_trees(first: Array, second: Array, rng: Generator) -> Score:
    """The log-odds of gradient-boosted trees (scikit-learn's histogram kind, with its defaults)."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # imported late: a second that few audits spend

    most = max(MOST_FOR_TREES // (2 * max(first[0].size, 1)), LEAST_FOR_TREES)
    rows = np.concatenate([_clip(first[:most]), _clip(second[:most])])
    side = np.repeat([1, 0], len(rows) // 2)
    trees = HistGradientBoostingClassifier(early_stopping=False, random_state=int(rng.integers(1 << 31)))
    trees.fit(rows, side)
    bins = getattr(trees, "_bin_mapper", None)  # no public name leads to them, and another version may have none

    def score(samples: Array) -> Floats:
        rows = _clip(samples)
        if bins is None or rows.shape[1] > CELLED:
            return np.asarray(trees.decision_function(rows), dtype=float)
        # Trees border on bins, so they say the same of all rows of a cell.
        cells = _keys(bins.transform(rows))
        _, some, cell = np.unique(cells, return_index=True, return_inverse=True)
        return np.asarray(trees.decision_function(rows[some])[cell], dtype=float)

    return score


def _clip(samples: Array) -> Floats:
    """Rows of numbers that can be averaged: trees put their borders between two."""
    return np.asarray(np.clip(as_rows(samples), -1e150, 1e150))
