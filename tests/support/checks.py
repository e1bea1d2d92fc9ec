"""Statistical checks with a stated false-alarm rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

FALSE_ALARM = 1e-6


def assert_mean(samples: ArrayLike, expected: ArrayLike, false_alarm: float = FALSE_ALARM) -> None:
    """The columns of `samples` have the expected means: z-tests, Bonferroni over the columns."""
    rows = np.asarray(samples, dtype=float)
    rows = rows.reshape(len(rows), -1)
    error = rows.mean(axis=0) - np.broadcast_to(np.asarray(expected, dtype=float).ravel(), rows.shape[1:])
    scale = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    limit = stats.norm.isf(false_alarm / rows.shape[1] / 2)
    assert np.all(np.abs(error) <= limit * scale + 1e-12), (
        f"|z| up to {np.max(np.abs(error) / (scale + 1e-300)):.1f} > {limit:.1f}"
    )


def assert_frequencies(counts: ArrayLike, probabilities: ArrayLike, false_alarm: float = FALSE_ALARM) -> None:
    """The observed `counts` follow `probabilities`: Pearson's χ², impossible cells must be empty."""
    seen = np.asarray(counts, dtype=float).ravel()
    p: np.ndarray[Any, Any] = np.asarray(probabilities, dtype=float).ravel()
    assert seen[p == 0].sum() == 0, "an impossible outcome was seen"
    seen, p = seen[p > 0], p[p > 0]
    statistic = np.sum((seen - seen.sum() * p) ** 2 / (seen.sum() * p))
    assert stats.chi2.sf(statistic, len(p) - 1) > false_alarm, f"chi2 = {statistic:.1f} on {len(p) - 1} degrees"


def assert_covered(hits: ArrayLike, trials: int, slack: float = 0.0, false_alarm: float = FALSE_ALARM) -> None:
    """So many of the intervals of 95 % hold the truth; `slack` is what an approximation is allowed to miss."""
    low = stats.binom.ppf(false_alarm / 2, trials, 0.95 - slack)
    high = stats.binom.ppf(1 - false_alarm / 2, trials, 0.95 + slack)
    assert np.all((low <= np.asarray(hits)) & (np.asarray(hits) <= high)), (low, hits, high)
