"""A holder's second moments: what a record can move by enumeration, the noise against its law, levels against both."""

from __future__ import annotations

from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.mechanisms.exact_moments import ExactMoments, MomentTally, Shape, gaussian_sums_delta
from unveil.numerics.columns import column_places
from unveil.privacy.audit import audit_release
from unveil.privacy.discrete_gaussian import discrete_gaussian_delta
from unveil.protocols.moments_protocol import PROTOCOL
from unveil.types import Array

#: Widths of the columns, and whether the target is one of two classes.
SHAPES = [((1,), False), ((1,), True), ((1, 1), False), ((3,), False), ((2, 1), True), ((2, 2, 1), False)]


def every_record(columns: tuple[int, ...], classified: bool) -> Array:
    """On a grid of two steps: all values of numbers, all categories and none, and all targets."""
    values = [[(k / 4,) for k in range(5)] if w == 1 else [*map(tuple, np.eye(w)), (0.0,) * w] for w in columns]
    targets = [(0.0,), (1.0,)] if classified else [(k / 4,) for k in range(5)]
    return np.array([sum(record, ()) for record in product(*values, targets)])


def every_move(columns: tuple[int, ...], classified: bool) -> tuple[Array, Shape]:
    """How far each record, put in the place of each other, moves the private sums of a grid of two steps."""
    records, shape = every_record(columns, classified), Shape(columns, classified)
    how: dict[str, Any] = {"columns": columns, "classes": (0, 1) if classified else None}
    sums = np.array([MomentTally(2, **how).take((r[None, :-1], r[-1:])).sums[shape.private()] for r in records])
    return np.abs(sums[:, None] - sums[None]).reshape(-1, sums.shape[1]), shape


@pytest.mark.parametrize(("columns", "classified"), SHAPES)
def test_a_record_moves_the_sums_by_the_stated_sensitivities(columns: tuple[int, ...], classified: bool) -> None:
    """Every pair of records. The bound by the 1-norm is reached wherever half of the numbers can turn."""
    moves, shape = every_move(columns, classified)
    rows, others = shape.private()
    one, two = shape.sensitivities(2)
    weights = np.where(rows == others, 0.5, 1.0)
    largest = (moves * weights).sum(axis=1).max()
    assert largest <= one
    assert largest == one or shape.numbers % 2
    assert ((moves * weights) ** 2).sum(axis=1).max() <= two**2


@pytest.mark.parametrize(("columns", "classified"), SHAPES)
def test_the_level_is_that_of_the_worst_records(columns: tuple[int, ...], classified: bool) -> None:
    """Of independent two-sided geometric noises the loss is the sum of rate times move, half a rate for squares."""
    moves, shape = every_move(columns, classified)
    rows, others = shape.private()
    veil = ExactMoments(1.5, steps=2)
    rate = float(veil._level(shape.sensitivities(2)[0])) / shape.sensitivities(2)[0]
    loss = (moves * rate * np.where(rows == others, 0.5, 1.0)).sum(axis=1).max()
    kept = veil.promises(shape)[0]
    assert loss <= kept * (1 + 1e-12) <= 1.5 * (1 + 1e-9)
    assert loss == pytest.approx(kept) or shape.numbers % 2


def test_products_that_get_no_noise_are_public() -> None:
    """They are the same whatever a record is, or the sum of a category with the constant."""
    for columns, classified in SHAPES:
        records, shape = every_record(columns, classified), Shape(columns, classified)
        how: dict[str, Any] = {"columns": columns, "classes": (0, 1) if classified else None}
        private = np.zeros((sum(columns) + 2,) * 2, dtype=bool)
        private[shape.private()] = True
        for record in records:
            sums = MomentTally(2, **how).take((record[None, :-1], record[-1:])).sums
            for start, width in column_places(columns):
                own = np.arange(start, start + width if width > 1 else start)
                np.testing.assert_array_equal(np.diagonal(sums)[own], sums[own, -2])
                sums[own, own] = 0
            assert set(sums[~np.triu(private) & np.triu(np.ones_like(private))].tolist()) <= {0, 4}


def geometric_law(rate: float, reach: int) -> Array:
    noise = np.arange(-reach, reach + 1)
    law = (1 - exp(-rate)) / (1 + exp(-rate)) * np.exp(-rate * np.abs(noise))
    law[[0, -1]] += (1 - law.sum()) / 2
    return np.asarray(law)


def test_noise_follows_its_law_and_squares_have_twice_as_much() -> None:
    veil, shape = ExactMoments(6.0, steps=1, testing=True), Shape((1,), False)
    tally = veil.tally((np.array([[1.0], [0.0], [0.5]]), np.array([1.0, 0.0, 0.5])))
    seen = veil.release_many(tally, 40_000, default_rng(1)) - tally.sums[shape.private()]
    one = shape.sensitivities(1)[0]
    for place, (row, column) in enumerate(zip(*shape.private(), strict=True)):
        rate = veil.promises(shape)[0] / one / (2 if row == column else 1)
        reach = int(6 / rate)
        counts = np.bincount(np.clip(seen[:, place], -reach, reach) + reach, minlength=2 * reach + 1)
        assert_frequencies(counts, geometric_law(rate, reach), 1e-6 / seen.shape[1])
    correlations = np.asarray(np.corrcoef(seen.T))[np.triu_indices(seen.shape[1], 1)]
    assert np.abs(correlations).max() < 6 / np.sqrt(len(seen))


def test_gaussian_noise_keeps_its_delta() -> None:
    """The bound from concentrated privacy lies above the exact δ of one direction, and not far."""
    for variance, epsilon in ((20, 0.5), (50, 1.0), (7, 1.0)):
        exact = discrete_gaussian_delta(variance, epsilon, moved=1)
        assert exact <= gaussian_sums_delta(1 / variance, epsilon) <= 12 * exact
    veil = ExactMoments(1.0, 1e-6, testing=True)
    shape = Shape((1, 1, 3), False)
    kept, delta, noise = veil.promises(shape)
    assert kept == 1.0
    assert 0.99e-6 < delta <= 1e-6
    tally = MomentTally(1 << 8, (1, 1, 3)).take((np.array([[0.5, 0.5, 1, 0, 0]]), np.array([0.5])))
    drawn = veil.release_many(tally, 2000, default_rng(2)) - tally.sums[shape.private()]
    rows, columns = shape.private()
    spread = np.where(rows == columns, 4, 1) * noise
    assert_mean(drawn**2 / spread, 1)


def test_the_audit_finds_too_little_noise_and_nothing_else() -> None:
    case = PROTOCOL.audit_case(1.0)
    fair = audit_release(case.release, case.here, case.there, n=40_000, rng=default_rng(0))
    assert not fair.refutes(case.kept)
    assert fair.detection_limit < 0.1

    def half(x: list[float], n: int, rng: Any) -> Array:
        """Noise as if a record moved one product at a time by one: half of the true sensitivity."""
        veil = ExactMoments(2.0, steps=1, testing=True)
        return veil.release_many(veil.tally((np.array([x[:2]]), np.array(x[2:]))), n, rng)

    assert audit_release(half, case.here, case.there, n=40_000, rng=default_rng(0)).refutes(1.0)


def table(n: int = 500) -> tuple[Array, Array]:
    rng = default_rng(0)
    return np.column_stack([rng.random((n, 2)), np.eye(3)[rng.integers(0, 3, n)]]), rng.random(n)


def test_batches_and_shards_give_the_same_release() -> None:
    (X, y), veil = table(), ExactMoments(1.0, testing=True)
    whole = veil.publish((X, y), default_rng(1), (1, 1, 3))
    cut = veil.publish(((X[k : k + 7], y[k : k + 7]) for k in range(0, 500, 7)), default_rng(1), (1, 1, 3))
    shards = [veil.tally((X[k : k + 250], y[k : k + 250]), (1, 1, 3)) for k in (0, 250)]
    merged = veil.publish_tally(shards[0].merge(shards[1]).merge(MomentTally(1 << 8)), default_rng(1))
    assert whole.checksum == cut.checksum == merged.checksum
    grid = np.rint(X * [512, 512, 256, 256, 256] - [256, 256, 0, 0, 0])
    z = np.column_stack([grid, np.full(500, 256), np.rint(y * 512 - 256)])
    np.testing.assert_array_equal(shards[0].merge(shards[1]).sums, z.T @ z)


VEIL = ExactMoments(1.0)
test_what_cannot_be_released_is_refused = refused(
    (lambda: VEIL.publish(([[2.0]], [0.5])), "X must lie in"),
    (lambda: VEIL.publish(([[0.5]], [1.5])), "y must lie in"),
    (lambda: VEIL.publish(([[0.5, 0.5]], [0.5]), columns=(2,)), "a single one"),
    (lambda: VEIL.publish(([[1.0, 1.0]], [0.5]), columns=(2,)), "a single one"),
    (lambda: VEIL.publish(([[1.0, 1.0]], [0.5]), columns=(1,)), "the 1 features of its columns"),
    (lambda: VEIL.publish(([[1.0]], [0.5]), columns=(0,)), "columns must be"),
    (lambda: VEIL.publish(([[1.0]], ["maybe"]), classes=("no", "yes")), "y must hold"),
    (lambda: VEIL.publish((np.empty((0, 2)), [])), "at least one row"),
    (lambda: ExactMoments(1.0, 1.0), "delta must be"),
    (lambda: ExactMoments(30.0), "epsilon must be"),
    (lambda: ExactMoments(1.0, steps=0), "steps must be"),
    (lambda: ExactMoments(2.0**-20, steps=1 << 20).publish(([[0.5] * 9], [0.5])), "epsilon must be larger"),
    (lambda: VEIL.tally(([[0.5]], [0.5])).merge(VEIL.tally(([[0.5] * 2], [0.5]))), "same columns merge"),
    (lambda: ExactMoments(1.0, steps=4).publish_tally(VEIL.tally(([[0.5]], [0.5]))), "steps of the mechanism"),
)
