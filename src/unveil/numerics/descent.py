"""Many smooth minimisations at once: L-BFGS on the rows of a matrix, so that problems share products with data.

Where Hessians are to be had, they are taken now and then: what few steps around a diagonal do not bring to its minimum
is ill-conditioned, and a Hessian, the price of some passes over the data, then saves many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unveil.errors import require
from unveil.types import Array, Floats

#: From points (k, d) and which problems they belong to (k,) to values (k,) and gradients (k, d).
Objectives: TypeAlias = Callable[[Floats, Array], tuple[Floats, Floats]]
#: From the same to Hessians (k, d, d).
Hessians: TypeAlias = Callable[[Floats, Array], Floats]

#: Steps that each problem remembers.
MEMORY = 10
#: Steps that do not bring a problem to its tolerance before its Hessian is taken, or taken anew.
RENEWAL = 8
#: A Hessian is taken for no flatter anywhere than this share of where it is steepest.
FLATTEST = 1e-10
#: A step is accepted when it brings this share of the decrease that the slope promises (Armijo).
ARMIJO = 1e-4
#: Steps in a row that bring neither a lower value nor a smaller gradient, beyond rounding: there is no further descent.
IDLE = 15
#: A gradient is smaller if it falls below this share of the smallest so far.
SMALLER = 0.9
#: Halvings of a step before rounding is taken to allow no further descent.
HALVINGS = 30


@dataclass(frozen=True)
class Descents:
    """Where each minimisation ended."""

    points: Floats
    values: Floats
    sizes: Floats
    converged: Array
    iterations: int


def positive_inverses(matrices: Floats) -> Floats:
    """The inverses of symmetric matrices (k, d, d), their eigenvalues by size: a step then leads away from a saddle."""
    found = np.empty_like(matrices)
    for i, matrix in enumerate(matrices):
        try:
            np.linalg.cholesky(matrix)
            found[i] = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            values, axes = np.linalg.eigh(matrix)
            sizes = np.abs(values)
            found[i] = axes / np.maximum(sizes, FLATTEST * sizes.max() + np.finfo(float).tiny) @ axes.T
    return found


def scale_vectors(scale: Floats, vectors: Floats) -> Floats:
    """Each vector (k, d) times its matrix (k, d, d), or that matrix's diagonal (k, d)."""
    return np.asarray(scale * vectors if scale.ndim == 2 else np.einsum("kij,kj->ki", scale, vectors))


class _Memory:
    """The last steps of every problem, and the two loops of L-BFGS around a matrix, for all rows at once."""

    def __init__(self, scale: Floats, hessians: Hessians | None) -> None:
        self._scale, self._hessians = scale.copy(), hessians
        self.age = np.zeros(len(scale), dtype=int)
        self._moves: list[tuple[Floats, Floats, Floats]] = []

    def renew(self, points: Floats, active: Array, old: Array) -> None:
        """Take the Hessians of the old ones among the active, who then forget their steps."""
        self.age[active] += 1
        if self._hessians is None or not len(old):
            return
        if self._scale.ndim == 2:
            self._scale = self._scale[:, :, None] * np.eye(points.shape[1])
        self._scale[old] = positive_inverses(self._hessians(points[old], old))
        self.age[old] = 1
        for _, _, inverse in self._moves:
            inverse[old] = 0

    def learn(self, step: Floats, change: Floats) -> None:
        """Remember a step of every problem; one along which the gradient does not rise counts for nothing."""
        bend = np.einsum("ij,ij->i", step, change)
        sizes = np.linalg.norm(step, axis=1) * np.linalg.norm(change, axis=1)
        inverse = np.divide(1.0, bend, out=np.zeros_like(bend), where=bend > 1e-10 * sizes)
        self._moves = [*self._moves, (step, change, inverse)][-MEMORY:]

    def solve(self, gradient: Floats, rows: Array) -> Floats:
        """The steps for some problems."""
        q, shares = gradient.copy(), []
        moves = [(step[rows], change[rows], inverse[rows]) for step, change, inverse in self._moves]
        for step, change, inverse in reversed(moves):
            shares.append(inverse * np.einsum("ij,ij->i", step, q))
            q -= shares[-1][:, None] * change
        q = scale_vectors(self._scale[rows], q)
        for (step, change, inverse), share in zip(moves, reversed(shares), strict=True):
            q += (share - inverse * np.einsum("ij,ij->i", change, q))[:, None] * step
        return q


class _Progress:
    """The least value and gradient of every problem so far, and how long ago they fell: single precision wanders."""

    def __init__(self, values: Floats, sizes: Floats, rounding: float) -> None:
        self._least, self._smallest, self._rounding = values, sizes, rounding
        self._since = np.zeros(len(values), dtype=int)

    def idle(self, values: Floats, sizes: Floats) -> Array:
        """For how many steps, this one included, neither fell."""
        lower = values < self._least - self._rounding * (1 + np.abs(values))
        smaller = sizes < SMALLER * self._smallest
        self._since = np.where(lower | smaller, 0, self._since + 1)
        self._least = np.where(lower, values, self._least)
        self._smallest = np.where(smaller, sizes, self._smallest)
        return self._since


def descend(
    objectives: Objectives,
    start: Floats,
    scale: Floats,
    tolerance: Floats | float,
    max_iter: int = 500,
    rounding: float = 8 * float(np.finfo(float).eps),
    hessians: Hessians | None = None,
    slow: float | None = None,
) -> Descents:
    """Minimise each problem from its row of `start` (k, d), until its gradient's largest entry is within `tolerance`.

    `scale` is a first guess at each inverse Hessian, its diagonal (k, d) or all of it (k, d, d); a rise of a value by
    its share `rounding` is none. A Hessian is renewed after some steps; given `slow`, after one that leaves more
    than this share of the gradient.
    """
    shapes = start.shape, (*start.shape, *start.shape[1:])
    require(start.ndim == 2 and scale.shape in shapes, "start and scale must have one row a problem")
    diagonals = scale if scale.ndim == 2 else np.einsum("kii->ki", scale)
    require(bool(np.all(diagonals > 0)), "scale must be positive")
    everyone = np.arange(len(start))
    points, limit = start.astype(float), np.broadcast_to(tolerance, len(start))
    values, gradients = objectives(points, everyone)
    memory, stuck, iteration = _Memory(scale, hessians), np.zeros(len(start), dtype=bool), 0
    sizes = np.abs(gradients).max(axis=1)
    progress = _Progress(values, sizes, rounding)
    active, tired = everyone[sizes > limit], np.zeros_like(stuck)
    while len(active) and iteration < max_iter:
        iteration += 1
        memory.renew(points, active, active[tired[active] if slow else memory.age[active] >= RENEWAL])
        steps = np.zeros_like(points)
        steps[active] = -memory.solve(gradients[active], active)
        there, reached, slopes, halted = _line_searches(objectives, points, values, gradients, steps, active, rounding)
        memory.learn(there - points, slopes - gradients)
        points, values, gradients = there, reached, slopes
        stuck[halted] = memory.age[halted] == 1 if slow else True
        before, sizes = sizes, np.abs(gradients).max(axis=1)
        tired = sizes > (slow or 0.0) * before
        active = everyone[(sizes > limit) & ~stuck & (progress.idle(values, sizes) < IDLE)]
    return Descents(points, values, sizes, sizes <= limit, iteration)


def _line_searches(
    objectives: Objectives,
    points: Floats,
    values: Floats,
    gradients: Floats,
    steps: Floats,
    active: Array,
    rounding: float,
) -> tuple[Floats, Floats, Floats, Array]:
    """Each problem's first of θ + p, θ + p/2, … that brings enough of the promised decrease, and who found none."""
    there, reached, slopes = points.copy(), values.copy(), gradients.copy()
    promised = np.einsum("ij,ij->i", gradients, steps)
    slack = rounding * (1 + np.abs(values))
    waiting, length = active, 1.0
    for _ in range(HALVINGS):
        trial = points[waiting] + length * steps[waiting]
        value, gradient = objectives(trial, waiting)
        fine = value <= values[waiting] + ARMIJO * length * promised[waiting] + slack[waiting]
        done = waiting[fine]
        there[done], reached[done], slopes[done] = trial[fine], value[fine], gradient[fine]
        waiting, length = waiting[~fine], length / 2
        if not len(waiting):
            break
    return there, reached, slopes, waiting
