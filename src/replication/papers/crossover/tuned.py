"""Linear classifiers with a cross-validated ridge, for several veils at once: they share products with the features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replication.papers.crossover.margin_losses import MarginLoss
from replication.papers.crossover.settings import Tuning
from unveil.estimators.statistics.risk import Design
from unveil.numerics.descent import descend
from unveil.types import Array, Floats

#: Rows handled at once.
BLOCK = 2048
#: A veil's path ends when this many smaller ridges in a row have done no better on held-out labels.
PATIENCE = 2
#: Single precision: decreases below this are rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Fit:
    """The separator of each veil (k, d), its λ (k,), and the held-out loss of every λ tried, (k, λ)."""

    theta: Floats
    l2: Floats
    held_out: Floats


class _Problems:
    """One problem a veil and fold, the last of a veil's without a fold: records, weights, and reported signs."""

    def __init__(self, rows: Floats, signs: Array, flips: Floats, loss: MarginLoss, folds: int) -> None:
        n = len(rows)
        self._rows, self._loss = rows, loss
        self._signs = signs.T.astype(np.float32)  # (n, veils)
        self._flips = flips.astype(np.float32)
        out = np.arange(n)[:, None] % folds == np.arange(folds + 1)
        self._out = out
        self._weights = (~out / (~out).sum(axis=0)).astype(np.float32)
        self.folds = folds + 1

    def risks(self, points: Floats, problems: Array, l2: float) -> tuple[Floats, Floats]:
        """Penalised mean losses (k,) on what each problem learns from, and their gradients (k, d)."""
        veil, fold = np.divmod(problems, self.folds)
        value, slope = np.zeros(len(points)), np.zeros(points.shape)
        turned = points.T.astype(np.float32)
        for start in range(0, len(self._rows), BLOCK):
            part = slice(start, start + BLOCK)
            block, signs, weights = self._rows[part], self._signs[part][:, veil], self._weights[part][:, fold]
            values, slopes = self._loss.of(block @ turned * signs, self._flips[veil])
            value += np.einsum("ik,ik->k", values, weights, dtype=float)
            slope += (slopes * signs * weights).T @ block
        return value + l2 * np.einsum("kd,kd->k", points, points), slope + 2 * l2 * points

    def held_out(self, points: Floats, veils: Array) -> Floats:
        """The mean loss (veils,) of held-out reported labels; `points` (veils, folds, d)."""
        found = np.empty(len(veils))
        for i, veil in enumerate(veils):
            margins = self._rows @ points[i].T.astype(np.float32) * self._signs[:, [veil]]
            values, _ = self._loss.of(margins, self._flips[[veil]])
            found[i] = float(values[self._out[:, :-1]].sum(dtype=float)) / len(self._rows)
        return found


def tuned(X: Floats, signs: Array, flips: Floats, loss: MarginLoss, tuning: Tuning) -> Fit:
    """θ and λ for labels `signs` (k, n) reported through flips (k,), from the largest λ down, each from the last.

    The folds are every `folds`-th record, so records must stand in random order. A λ is judged by each estimator's own
    loss on reported labels that its fit did not see.
    """
    values, axes = Design(X).principal
    problems = _Problems((X @ axes).astype(np.float32), signs, flips, loss, tuning.folds)
    veils, shape = np.arange(len(flips)), (len(flips), problems.folds, len(values))
    points, best = np.zeros(shape), np.zeros((len(flips), len(values)))
    held_out, chosen = np.full((len(flips), len(tuning.l2s)), np.inf), np.zeros(len(flips))
    since = np.zeros(len(flips), dtype=int)
    for j in np.argsort(tuning.l2s, kind="stable")[::-1]:
        l2, going = float(tuning.l2s[j]), veils[since < PATIENCE]
        if not len(going):
            break
        asked = (going[:, None] * problems.folds + np.arange(problems.folds)).ravel()
        scale = 1 / (np.repeat(loss.curvature(flips[going]), problems.folds)[:, None] * values + 2 * l2)
        found = descend(
            lambda at, rows, l2=l2, asked=asked: problems.risks(at, asked[rows], l2),  # type: ignore[misc]
            points[going].reshape(-1, len(values)), scale, tuning.tolerance, 200, ROUNDING,
        )  # fmt: skip
        points[going] = found.points.reshape(len(going), *shape[1:])
        held_out[going, j] = problems.held_out(points[going, :-1], going)
        better = going[held_out[going, j] <= np.delete(held_out[going], j, axis=1).min(axis=1, initial=np.inf)]
        best[better], chosen[better] = points[better, -1], l2
        since[going] += 1
        since[better] = 0
    return Fit(best @ axes.T, chosen, held_out)
