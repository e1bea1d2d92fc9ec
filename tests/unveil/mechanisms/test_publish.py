"""What mechanisms publish: unbiased, with noise of the size that is said, whole or in batches, by no mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose

import unveil
from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.errors import SimulationOnly
from unveil.protocols.base import Release
from unveil.types import Array

X = default_rng(0).uniform(-0.5, 0.5, (60, 3))
Y = np.where(default_rng(1).random(60) < 0.5, 1, -1)
COUNTS = np.array([[40, 60, 100], [300, 150, 60], [35, 35, 90]])
BITS = default_rng(2).integers(0, 2, (40, 3))

OPERATORS: dict[str, Any] = {
    "geometric": unveil.GeometricMeanOperator(1.0, testing=True),
    **{noise: unveil.MeanOperatorRelease(1.0, noise, bound=2.0) for noise in ("printed", "laplace", "gamma")},
}
ADDITIVE: list[Any] = [
    unveil.LaplaceCounts(1.0),
    unveil.GeometricCounts(1.0, testing=True),
    unveil.GaussianCounts(0.5, 0.05),
    unveil.GaussianCounts(0.5, 0.05, exact=True, testing=True),
    unveil.LaplacePrior(1.0, 0.05),
    unveil.ScaledDirichlet(0.5, 0.05, minimum_count=30),
    unveil.SubsampleCounts(0.3),
]
SIMULATED: list[tuple[Any, Any]] = [
    (unveil.MeanOperatorRelease(1.0, bound=2.0), (X, Y)),
    (unveil.CoordinateRelease(1.0), (X + 0.5, Y > 0)),
    (unveil.PerValueRelease(1.0, 9), (X + 0.5, Y > 0)),
    (unveil.NoisyRecords(0.1, 1.0, noise="gaussian"), (X, Y > 0)),
    *((kind, COUNTS) for kind in (unveil.LaplaceCounts(1.0), unveil.GaussianCounts(0.5, 0.05))),
    *((kind, COUNTS) for kind in (unveil.LaplacePrior(1.0, 0.1), unveil.ScaledDirichlet(0.5, 0.05))),
    *((kind, COUNTS) for kind in (unveil.DirichletOrLaplacePrior(1.0, 0.1), unveil.SubsampleCounts(0.3))),
]
EXACT: list[tuple[Any, Any]] = [
    (unveil.GeometricMeanOperator(1.0), (X, Y)),
    (unveil.GeometricCounts(1.0), COUNTS),
    (unveil.GaussianCounts(0.5, 0.05, exact=True), COUNTS),
    (unveil.NoisyRecords(0.1, 0.2), (BITS, BITS[:, 0])),
    (unveil.NoisyRecords(0.1, 0.0, noise="gaussian"), (X, Y > 0)),
]


def kind_of(value: Any) -> str:
    return f"{type(value).__name__} {getattr(value, 'exact', '')}" if not isinstance(value, tuple) else ""


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("noise", OPERATORS)
def test_a_sum_has_noise_of_the_variance_that_is_said(noise: str, intercept: bool) -> None:
    rng, veil = default_rng(3), OPERATORS[noise]
    drawn = [veil.publish((X, Y), rng, intercept=intercept) for _ in range(3000)]
    sums = np.array([release.arrays["sum"] for release in drawn])
    design = np.column_stack([X, np.ones(60)]) if intercept else X
    # Rounding to a grid moves an entry by at most half a step of each record.
    step = np.abs(X).max() / 1024 / 2 * 60 if noise == "geometric" else 0.0
    spread = np.sqrt(drawn[0].arrays["variance"])
    assert (np.abs(sums.mean(axis=0) - Y @ design) < 5 * spread / np.sqrt(3000) + step).all()
    assert_mean((sums - sums.mean(axis=0)) ** 2, drawn[0].arrays["variance"] * (1 - 1 / 3000))


def test_levels_of_sums_are_those_of_the_mechanism() -> None:
    for veil in OPERATORS.values():
        release = veil.publish((X, Y), default_rng(0))
        assert release.exact_epsilon == pytest.approx(veil.tight_epsilon(X))
        assert release.claimed_epsilon == 1.0
    assert OPERATORS["geometric"].publish((0 * X, Y), default_rng(0)).exact_epsilon == 0.0


@pytest.mark.parametrize("veil", ADDITIVE, ids=kind_of)
def test_proportions_have_noise_of_the_size_that_is_said(veil: Any) -> None:
    trials = 4000
    release = veil.publish(np.tile(COUNTS, (trials, 1)), default_rng(4))
    shares = release.arrays["proportions"].reshape(trials, 3, 3)
    errors = shares - COUNTS / COUNTS.sum(axis=1, keepdims=True)
    # The noise of a draw is read off the released shares, which scatter themselves: within a tenth.
    said = release.arrays["noise"].reshape(trials, 3).mean(axis=0)
    assert_allclose(np.sqrt((errors**2).mean(axis=(0, 2))), said, rtol=0.1)
    assert release.records == trials * COUNTS.sum()
    assert release.arrays["sizes"][:3].tolist() == COUNTS.sum(axis=1).tolist()


def test_levels_of_proportions_are_those_of_the_mechanism() -> None:
    worst = [31, 30, 500]
    for veil in (ADDITIVE[i] for i in (0, 2, 3, 4)):
        release = veil.publish(COUNTS, default_rng(0))
        assert (release.exact_epsilon, release.exact_delta) == (veil.epsilon, veil.true_delta(worst))
    assert ADDITIVE[1].publish(COUNTS, default_rng(0)).exact_epsilon == ADDITIVE[1].tight_epsilon()
    bounded = ADDITIVE[5].publish(COUNTS, default_rng(0))
    assert bounded.exact_delta == pytest.approx(ADDITIVE[5].true_delta(worst), rel=1e-9)
    assert bounded.exact_delta <= bounded.claimed_delta
    # Next to the last counts that have a scale lie counts without one.
    assert unveil.ScaledDirichlet(0.5, 0.05).publish(COUNTS, default_rng(0)).exact_delta == 1.0
    # A label that is alone in its class, among sets of which the smallest is cut off most.
    alone = max(ADDITIVE[6].true_delta([1, size - 1]) for size in COUNTS.sum(axis=1))
    assert ADDITIVE[6].publish(COUNTS, default_rng(0)).exact_delta == pytest.approx(alone)


def same(one: Release, other: Release) -> None:
    assert one.checksum == other.checksum


@pytest.mark.parametrize("cut", [[0, 60], [0, 1, 60], [0, 20, 20, 59, 60]])
def test_batches_give_what_the_whole_gives(cut: list[int]) -> None:
    """Empty batches and one-shot iterables included."""
    slices = [slice(*ends) for ends in pairwise(cut)]
    geometric = OPERATORS["geometric"]
    same(
        geometric.publish(((X[part], Y[part]) for part in slices), default_rng(5)),
        geometric.publish((X, Y), default_rng(5)),
    )
    labels, records = np.array(["no", "yes"])[BITS[:, 0]], unveil.NoisyRecords((0.1, 0.2), 0.3, testing=True)
    whole = records.publish((BITS, labels), default_rng(5), classes=("no", "yes"))
    parts = [(BITS[part], labels[part]) for part in slices]
    same(whole, records.publish(iter(parts), default_rng(5), classes=("no", "yes")))
    tables = [COUNTS[:1], COUNTS[:0], COUNTS[1:]]
    for data in (tables, iter(tables), [table.tolist() for table in tables], COUNTS.tolist()):
        same(ADDITIVE[0].publish(COUNTS, default_rng(5)), ADDITIVE[0].publish(data, default_rng(5)))
    assert_allclose(
        OPERATORS["printed"].publish([(X[:7], Y[:7]), (X[7:], Y[7:])], default_rng(5)).arrays["sum"],
        OPERATORS["printed"].publish((X, Y), default_rng(5)).arrays["sum"],
        rtol=1e-12,
    )


def test_a_large_sum_is_that_of_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unveil.mechanisms.batches.NUMBERS", 30)
    veil = unveil.GeometricMeanOperator(20.0, steps=1 << 20, testing=True)
    noisy = veil.publish((X * np.linspace(0, 1, 60)[:, None], Y), default_rng(0)).arrays["sum"]
    assert_allclose(noisy, Y @ (X * np.linspace(0, 1, 60)[:, None]), atol=1.0)


@pytest.mark.parametrize(("veil", "data"), SIMULATED, ids=kind_of)
def test_what_is_not_fit_for_a_real_release_refuses_one(veil: Any, data: Any) -> None:
    for source in ([], [None], [unveil.SecureGenerator()]):
        with pytest.raises(SimulationOnly, match="rng must be a numpy Generator"):
            veil.publish(data, *source)
    assert veil.publish(data, default_rng(0)).randomness == "seeded"


@pytest.mark.parametrize(("veil", "data"), EXACT, ids=kind_of)
def test_what_is_fit_for_a_real_release_makes_one(veil: Any, data: Any) -> None:
    """A seed marks exact noise, too."""
    assert veil.publish(data).randomness == veil.publish(data, unveil.SecureGenerator()).randomness == "os"
    assert replace(veil, testing=True).publish(data, default_rng(0)).randomness == "seeded"


@pytest.mark.parametrize(("flip", "states"), [(0.2, 2), (0.3, 4), (0.9, 256), (1e-6, 2)])
def test_records_are_flipped_as_often_as_is_said(flip: float, states: int) -> None:
    veil = unveil.NoisyRecords((0.6, flip), flip, states=states, testing=True)
    inputs, labels = np.full((100_000, 2), states - 1), np.repeat([0, 1], 50_000)
    noisy, reports = veil.release(inputs, labels, default_rng(6))
    chances = np.append(np.full(states - 1, flip / (states - 1)), 1 - flip)
    assert_frequencies(np.bincount(noisy.ravel(), minlength=states), chances)
    assert_frequencies(np.bincount(reports[:50_000], minlength=2), [0.4, 0.6])
    assert_frequencies(np.bincount(reports[50_000:], minlength=2), [flip, 1 - flip])
    assert veil.input_epsilon == pytest.approx(unveil.PixelFlips(flip, states).epsilon, abs=1e-8)
    assert veil.label_epsilon == pytest.approx(unveil.LabelFlips(0.6, flip).epsilon, abs=1e-8)


def test_the_level_of_records_is_that_of_all_that_they_show() -> None:
    veil = unveil.NoisyRecords(0.25, 0.1)
    assert veil.publish((BITS, BITS[:, 0])).exact_epsilon == pytest.approx(np.log(3) + 3 * np.log(9), abs=1e-8)
    assert unveil.NoisyRecords(0.25, 0.0).publish((BITS, BITS[:, 0])).exact_epsilon == np.inf
    release = unveil.NoisyRecords(0.25, 2.0, noise="gaussian").publish((X, Y > 0), default_rng(0))
    assert release.exact_epsilon == np.inf
    assert release.parameters["label_epsilon"] == pytest.approx(np.log(3), abs=1e-8)


def test_gaussian_records_have_the_variance_that_is_said() -> None:
    zeros = np.zeros((50_000, 2), dtype=np.float32)
    noisy = unveil.NoisyRecords(0.1, 2.5, noise="gaussian").publish((zeros, zeros[:, 0]), default_rng(0))
    assert noisy.arrays["features"].dtype == np.float32
    assert_mean(noisy.arrays["features"].astype(float) ** 2, np.full(2, 2.5))


def test_one_record_and_one_class_are_published() -> None:
    for veil in OPERATORS.values():
        assert veil.publish((X[:1], Y[:1]), default_rng(0)).records == 1
        assert veil.publish((X, np.ones(60)), default_rng(0)).records == 60
    release = unveil.NoisyRecords(0.1, 0.1).publish((BITS[:1], [0]))
    assert release.arrays["features"].shape == (1, 3)
    assert unveil.GeometricCounts(1.0).publish([[5, 0]]).arrays["proportions"].shape == (1, 2)


EXACT_SUM, PRINTED = unveil.GeometricMeanOperator(1.0), unveil.MeanOperatorRelease(1.0)


def publishing(veil: Any, *data: Any, **more: Any) -> Callable[[], Any]:
    return lambda: veil.publish(*data, **more)


def altered(value: float) -> Array:
    changed = X.copy()
    changed[1, 1] = value
    return changed


test_bad_input_is_refused_before_noise_is_drawn = refused(
    (publishing(EXACT_SUM, (altered(np.nan), Y)), "X must be finite"),
    (publishing(EXACT_SUM, (altered(1e200), Y)), "X must hold numbers of at most 1e\\+100"),
    (publishing(EXACT_SUM, (X, Y[:3])), "one target per row of X"),
    (publishing(EXACT_SUM, (X, 2 * Y)), "y must hold the labels -1 and \\+1 only"),
    (publishing(EXACT_SUM, (X, Y), classes=("no", "yes")), "y must hold 'no' and 'yes' only"),
    (publishing(EXACT_SUM, (X, Y), classes=("yes", "yes")), "classes must be two different"),
    (publishing(EXACT_SUM, (X, Y), classes="ab"), "classes must be two"),
    (publishing(EXACT_SUM, (X, Y), intercept=1), "intercept must be True or False"),
    (publishing(EXACT_SUM, []), "at least one row"),
    (publishing(EXACT_SUM, 5), "data must be a pair"),
    (publishing(EXACT_SUM, [X]), "data must be a pair"),
    (publishing(EXACT_SUM, [(X, Y), (X[:, :2], Y)]), "as many columns"),
    (publishing(EXACT_SUM, (X.astype(str), Y)), "real numbers"),
    (publishing(PRINTED, [(X, Y), (5 * X, Y)], default_rng(0)), "row \\d+ has"),
    (publishing(unveil.GeometricCounts(1.0), []), "at least one set"),
    (publishing(unveil.GeometricCounts(1.0), [[1, 2], [3]]), "counts must hold numbers in a regular shape"),
    (publishing(unveil.GeometricCounts(1.0), [[[1, 2]], [[1, 2, 3]]]), "as many classes in every batch"),
    (publishing(unveil.GeometricCounts(1.0), [[1, -2]]), "counts must not be negative"),
    (publishing(unveil.GeometricCounts(1.0), [[1, 2]], classes=["a"]), "classes must be 2 different names"),
    (publishing(unveil.NoisyRecords(0.1, 0.1), (X, Y > 0)), "X must hold states from 0 to 1"),
    (publishing(unveil.NoisyRecords(0.1, 0.1), (BITS + 0.5, BITS[:, 0])), "X must hold"),
    (publishing(unveil.NoisyRecords(0.1, 0.1), (BITS, BITS[:, 0] + 1)), "y must hold 0 and 1 only"),
    (lambda: unveil.NoisyRecords(0.5, 0.1), "label_flip must not sum to 1"),
    (lambda: unveil.NoisyRecords(cast(Any, np.full(3, 0.1)), 0.1), "label_flip must be one probability or a pair"),
    (lambda: unveil.NoisyRecords(0.1, 0.5), "input_noise must be 0, or lie in"),
    (lambda: unveil.NoisyRecords(0.1, 1e-9), "input_noise must be 0, or lie in"),
    (lambda: unveil.NoisyRecords(0.1, -1.0, noise="gaussian"), "input_noise must be a variance"),
    (lambda: unveil.NoisyRecords(0.1, 0.1, noise="laplace"), "noise must be one of"),
    (lambda: unveil.NoisyRecords(0.1, 0.1, states=1), "states must be between"),
)
