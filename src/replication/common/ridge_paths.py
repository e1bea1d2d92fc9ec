"""Linear classifiers with a cross-validated ridge, for several veils at once: they share products with the features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from replication.common.margin_losses import MarginLoss
from replication.common.tuning import Tuning
from unveil.estimators.statistics.risk import Design
from unveil.numerics.descent import descend, positive_inverses, scale_vectors
from unveil.types import Array, Floats

#: Rows handled at once.
BLOCK = 1024
#: A veil's path ends when this many smaller ridges in a row have done no better on held-out labels.
PATIENCE = 2
#: Single precision: decreases below this are rounding.
ROUNDING = 1e-6
#: The first step takes no loss for flatter at zero than this.
FLATTEST = 1e-4
#: Of more coordinates, a Hessian costs more than the passes that it saves.
MOST = 512
#: Second derivatives below this are left out: their products are denormal, and slow.
FAINT = 1e-15


@dataclass(frozen=True)
class Fit:
    """The separator of each veil (k, d), its λ (k,), and the held-out loss of every λ tried, (k, λ)."""

    theta: Floats
    l2: Floats
    held_out: Floats


class _Problems:
    """One problem a veil and fold, the last of a veil's without a fold: records, and reported signs.

    Rows are in principal coordinates, of second moments `values`: a first guess at curvatures. What of a loss is linear
    in the margins is a statistic of the labels, summed in double precision.
    """

    def __init__(self, design: Design, signs: Array, flips: Floats, loss: MarginLoss, folds: int) -> None:
        rows, values = design.single, design.principal[0]
        self._rows, self._signs = rows, signs.astype(np.float32)
        self._flips, self._loss, self.folds = flips.astype(np.float32)[:, None], loss, folds + 1
        within = np.arange(len(rows)) % folds != np.arange(self.folds)[:, None]
        self._within, self._counts = within.astype(np.float32), within.sum(axis=1)
        sums = [signs[:, fold::folds] @ self._rows[fold::folds].astype(float) for fold in range(folds)]
        self._out = np.stack(sums, axis=1) * loss.pull(flips)[:, None, None]
        whole = self._out.sum(axis=1, keepdims=True)
        self._pulls = np.concatenate([whole - self._out, whole], axis=1) / self._counts[:, None]
        self._bends: dict[int, Floats] = {}
        self._diagonals = np.maximum(loss.bend(np.zeros_like(flips), flips), FLATTEST)[:, None] * values

    def _blocks(self, points: Floats, problems: Array) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Rows that stay in the cache together, and of each problem the signs, the margins, and who is within."""
        veil, fold = np.divmod(problems, self.folds)
        turned = points.T.astype(np.float32)
        for start in range(0, len(self._rows), BLOCK):
            part = slice(start, start + BLOCK)
            block, signs = self._rows[part], self._signs[veil, part]
            yield block, signs, np.multiply((block @ turned).T, signs, order="C"), self._within[fold, part]

    def risks(self, asked: Array, l2: float, points: Floats, rows: Array) -> tuple[Floats, Floats]:
        """Penalised mean losses (k,) on what each of these rows of problems learns from, and their gradients (k, d)."""
        problems = asked[rows]
        veil, fold = np.divmod(problems, self.folds)
        value, slope = np.zeros(len(points)), np.zeros(points.shape)
        for block, signs, margins, within in self._blocks(points, problems):
            values, slopes = self._loss.curved(margins, self._flips[veil])
            values *= within
            value += values.sum(axis=1)
            slopes *= signs
            slopes *= within
            slope += slopes @ block
        counts, pulls = self._counts[fold], self._pulls[veil, fold]
        value = value / counts + np.einsum("kd,kd->k", points, l2 * points - pulls)
        return value, slope / counts[:, None] + 2 * l2 * points - pulls

    def hessians(self, asked: Array, l2: float, points: Floats, rows: Array) -> Floats:
        """The second derivatives (k, d, d) of the same."""
        problems = asked[rows]
        veil, fold = np.divmod(problems, self.folds)
        found: Floats = np.zeros((*points.shape, points.shape[1]))
        for block, _, margins, within in self._blocks(points, problems):
            bends = self._loss.bend(margins, self._flips[veil]) * within
            bends[np.abs(bends) < FAINT] = 0
            for total, weights in zip(found, bends, strict=True):
                total += _gram(block, weights)
        found /= self._counts[fold][:, None, None]
        self._bends |= zip(problems.tolist(), found, strict=True)
        penalised: Floats = found + 2 * l2 * np.eye(points.shape[1])
        return penalised

    def scale(self, problems: Array, l2: float) -> Floats:
        """Guesses at the inverse Hessians: by those last taken, at other ridges, or by the curvature at zero."""
        inverses: Floats = 1 / (self._diagonals[problems // self.folds] + 2 * l2)
        known = np.array([problem in self._bends for problem in problems.tolist()])
        if not known.any():
            return inverses
        ridge = np.eye(inverses.shape[1])
        found: Floats = inverses[:, :, None] * ridge
        bends = np.stack([self._bends[problem] for problem in problems[known].tolist()])
        found[known] = positive_inverses(bends + 2 * l2 * ridge)
        return found

    def held_out(self, points: Floats, veils: Array) -> Floats:
        """The mean loss (veils,) of held-out reported labels; `points` (veils, folds, d)."""
        found: Floats = -np.einsum("vfd,vfd->v", points, self._out[veils])
        folds, turned = self.folds - 1, points.astype(np.float32)
        for fold in range(folds):
            margins = turned[:, fold] @ self._rows[fold::folds].T * self._signs[veils, fold::folds]
            values, _ = self._loss.curved(margins, self._flips[veils])
            found += values.sum(axis=1)
        return found / len(self._rows)


def _gram(rows: Floats, weights: Floats) -> Floats:
    """Σ w·xxᵀ; where no weight is negative, at half the price."""
    if weights.min() < 0:
        return np.asarray((rows * weights[:, None]).T @ rows)
    halves = rows * np.sqrt(weights)[:, None]
    return np.asarray(halves.T @ halves)


def _foreseen(points: Floats, scale: Floats, last: float, l2: float) -> Floats:
    """Where the minima at λ `last` move to first order as it falls to `l2`: the gradient there becomes 2(l2 − last)·θ.

    No farther than a convex loss would let them, by last/l2 − 1 of their length: a Hessian may be nearly singular.
    """
    steps = scale_vectors(scale, 2 * (last - l2) * points)
    most = (last / l2 - 1) * np.linalg.norm(points, axis=1)
    sizes = np.linalg.norm(steps, axis=1)
    shares = np.divide(most, sizes, out=np.ones_like(most), where=sizes > most)
    foreseen: Floats = points + shares[:, None] * steps
    return foreseen


def fit_tuned(design: Design, signs: Array, flips: Floats, loss: MarginLoss, tuning: Tuning) -> Fit:
    """θ and λ for labels `signs` (k, n) reported through flips (k,), from the largest λ down, each from the one before.

    The folds are every `folds`-th record, so records must stand in random order. A λ is judged by each estimator's own
    loss on reported labels that its fit did not see.
    """
    values, axes = design.principal
    problems = _Problems(design, signs, flips, loss, tuning.folds)
    veils, shape = np.arange(len(flips)), (len(flips), problems.folds, axes.shape[1])
    points, best = np.zeros(shape), np.zeros((len(flips), axes.shape[1]))
    held_out, chosen = np.full((len(flips), len(tuning.l2s)), np.inf), np.zeros(len(flips))
    since, last = np.zeros(len(flips), dtype=int), max(tuning.l2s)
    for j in np.argsort(tuning.l2s, kind="stable")[::-1]:
        l2, going = float(tuning.l2s[j]), veils[since < PATIENCE]
        if not len(going):
            break
        asked = (going[:, None] * problems.folds + np.arange(problems.folds)).ravel()
        scale = problems.scale(asked, l2)
        start = _foreseen(points[going].reshape(-1, shape[-1]), scale, last, l2)
        hessians = partial(problems.hessians, asked, l2) if len(values) <= MOST else None
        found = descend(partial(problems.risks, asked, l2), start, scale, tuning.tolerance, 200, ROUNDING, hessians)
        points[going] = found.points.reshape(len(going), *shape[1:])
        held_out[going, j] = problems.held_out(points[going, :-1], going)
        better = going[held_out[going, j] <= np.delete(held_out[going], j, axis=1).min(axis=1, initial=np.inf)]
        best[better], chosen[better] = points[better, -1], l2
        since[going] += 1
        since[better], last = 0, l2
    return Fit(best @ axes.T, chosen, held_out)
