"""Compiled arithmetic on rows of numbers, written so that the processor does several at a time."""

from __future__ import annotations

from numba import njit

from unveil.numerics.exponential import exponential
from unveil.types import Array


@njit(cache=True)
def exponentials(row: Array, shift: float, out: Array) -> None:
    """Write exp(row − shift), to 4e-16 of itself, where no entry exceeds the shift by more than 700."""
    for b in range(len(row)):
        out[b] = exponential(row[b] - shift)


@njit(cache=True)
def lane_sum(row: Array) -> float:
    """The sum, by four running sums that do not wait for each other: in the same order on every processor."""
    first = second = third = fourth = 0.0
    whole = len(row) // 4 * 4
    for b in range(0, whole, 4):
        first += row[b]
        second += row[b + 1]
        third += row[b + 2]
        fourth += row[b + 3]
    for b in range(whole, len(row)):
        first += row[b]
    return (first + second) + (third + fourth)
