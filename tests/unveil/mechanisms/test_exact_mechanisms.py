"""The mechanisms that are fit for real releases, and the refusal of those that are not."""

from __future__ import annotations

import inspect
import pickle
import random
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, default_rng

import unveil
from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.errors import SimulationOnly, UnveilError
from unveil.mechanisms.entropy import SecureGenerator
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.exact_response import UNIT, ExactResponse
from unveil.mechanisms.exact_sampling import geometric_variance
from unveil.mechanisms.exact_sums import GeometricCounts, GeometricMeans
from unveil.types import Array

PAGE = Path(__file__).resolve().parents[3] / "docs" / "safe_noise.md"
SECURE: Any = SecureGenerator()  # to the type checker it is no numpy Generator, which is the point
X, Y = np.eye(3)[[0, 1, 2, 0]], np.array([1, -1, 1, 1])
COUNTS, BITS = [60, 70], np.array([0, 1, 1])

#: Each exact draw, of a mechanism made for tests or for release.
EXACT: dict[str, Callable[[bool, Any], Any]] = {
    "ExactMoments": lambda testing, rng: unveil.ExactMoments(1.0, testing=testing).publish((abs(X), Y > 0), rng),
    "ExactProducts": lambda testing, rng: unveil.ExactProducts(1.0, testing=testing).release(abs(X), Y > 0, rng),
    "ExactProducts.publish": lambda testing, rng: unveil.ExactProducts(1.0, testing=testing).publish(
        (abs(X), Y > 0), rng
    ),
    "ExactResponse": lambda testing, rng: ExactResponse(1.0, testing=testing).release(BITS, rng),
    "ExactResponse.tally": lambda testing, rng: ExactResponse(1.0, testing=testing).tally(BITS, rng),
    "GaussianCounts.exact": lambda testing, rng: unveil.GaussianCounts(0.5, 0.05, exact=True, testing=testing).publish(
        [COUNTS], rng
    ),
    "GeometricCounts": lambda testing, rng: GeometricCounts(0.5, testing=testing).release(COUNTS, rng),
    "GeometricCounts.noisy": lambda testing, rng: GeometricCounts(0.5, testing=testing).noisy_counts(COUNTS, rng),
    "GeometricCounts.publish": lambda testing, rng: GeometricCounts(0.5, testing=testing).publish([COUNTS], rng),
    "GeometricMeanOperator": lambda testing, rng: GeometricMeanOperator(1.0, testing=testing).release(X, Y, rng),
    "GeometricMeanOperator.publish": lambda testing, rng: GeometricMeanOperator(1.0, testing=testing).publish(
        (X, Y), rng
    ),
    "GeometricMeans": lambda testing, rng: GeometricMeans(1.0, testing=testing).release(X, rng),
    "NoisyRecords": lambda testing, rng: unveil.NoisyRecords(0.2, 0.1, testing=testing).release(
        BITS[:, None], BITS, rng
    ),
    "NoisyRecords.publish": lambda testing, rng: unveil.NoisyRecords(0.2, 0.1, testing=testing).publish(
        (BITS[:, None], BITS), rng
    ),
}
#: One release of every mechanism; the same arguments serve a numpy generator.
RELEASES: dict[str, Callable[[Any], Any]] = {
    **{name: partial(draw, True) for name, draw in EXACT.items() if "." not in name},
    "CoordinateRelease": lambda rng: unveil.CoordinateRelease(1.0).release(X, rng),
    "DirichletOrLaplacePrior": lambda rng: unveil.DirichletOrLaplacePrior(0.5, 0.05).release(COUNTS, rng),
    "GaussianCounts": lambda rng: unveil.GaussianCounts(0.5, 0.05).release(COUNTS, rng),
    "GaussianInputNoise": lambda rng: unveil.GaussianInputNoise(1.0).release(X, rng),
    "LabelFlips": lambda rng: unveil.LabelFlips(0.2).release(BITS, rng),
    "LabelResponse": lambda rng: unveil.LabelResponse(1.0).release(Y, rng),
    "LaplaceCounts": lambda rng: unveil.LaplaceCounts(0.5).release(COUNTS, rng),
    "LaplacePrior": lambda rng: unveil.LaplacePrior(0.5, 0.05).release(COUNTS, rng),
    "MeanOperatorRelease": lambda rng: unveil.MeanOperatorRelease(1.0).release(X, Y, rng),
    "PerValueRelease": lambda rng: unveil.PerValueRelease(1.0, 3.0).release(X, rng),
    "PixelFlips": lambda rng: unveil.PixelFlips(0.2, 4).release(BITS, rng),
    "RandomizedResponse": lambda rng: unveil.RandomizedResponse(3, 0.5).release(BITS, rng),
    "RegionCounts": lambda rng: unveil.RegionCounts(2).release(BITS, [0, 3], rng),
    "SampledCoordinates": lambda rng: unveil.SampledCoordinates(1.0).release(X, rng),
    "ScaledDirichlet": lambda rng: unveil.ScaledDirichlet(0.5, 0.05).release(COUNTS, rng),
    "SphereRelease": lambda rng: unveil.SphereRelease(1.0).release(X, rng),
    "SubsampleCounts": lambda rng: unveil.SubsampleCounts(0.05).release(COUNTS, rng),
}


def public_mechanisms() -> set[str]:
    """Every public class among the mechanisms that takes randomness and releases something."""
    named = {name: getattr(unveil, name) for name, home in unveil._HOME.items() if home.startswith("mechanisms.")}
    return {name for name, kind in named.items() if inspect.isclass(kind) and {"release", "publish"} & set(dir(kind))}


def test_every_public_mechanism_is_in_the_table() -> None:
    lacking = sorted(public_mechanisms() ^ set(RELEASES))
    assert not lacking, f"RELEASES in {Path(__file__).name} must hold a release of each public mechanism: {lacking}"


@pytest.mark.parametrize("name", RELEASES)
def test_only_what_is_fit_takes_cryptographic_randomness(name: str) -> None:
    """The attribute is not a promise on paper: what is not fit cannot be run with a secure generator."""
    release = RELEASES[name]
    release(default_rng(1))
    if getattr(unveil, name).fit_for_release:
        release(SECURE)
    else:
        with pytest.raises(SimulationOnly, match="rng must be a numpy Generator"):
            release(SECURE)


def test_answers_do_not_depend_on_the_order_in_memory() -> None:
    """Tables of pandas come column by column: answers drawn into a copy of those once were the truth itself."""
    states = default_rng(0).integers(0, 3, (200, 5))
    veils: dict[str, Callable[[Array], Any]] = {
        "response": lambda X: ExactResponse(1.0, 3, testing=True).release(X, default_rng(1)),
        "records": lambda X: (
            unveil.NoisyRecords(0.3, 0.4, states=3, testing=True)
            .publish((X, X[:, 0] > 0), default_rng(1), classes=(False, True))
            .arrays["features"]
        ),
        "pixels": lambda X: unveil.PixelFlips(0.4, 3).release(X, default_rng(1)),
        "bits": lambda X: unveil.PerValueRelease(1.0, 5.0).release(X / 2, default_rng(1)),
        "products": lambda X: unveil.ExactProducts(1.0, testing=True).release(X / 2, X[:, 0] / 2, default_rng(1)).bits,
        "inputs": lambda X: unveil.GaussianInputNoise(1.0).release(X / 2, default_rng(1)),
        "means": lambda X: unveil.GeometricMeans(1.0, testing=True).release(X / 2, default_rng(1)),
        "moments": lambda X: (
            unveil.ExactMoments(1.0, testing=True).publish((X / 2, X[:, 0] / 2), default_rng(1)).arrays["sums"]
        ),
    }
    for name, release in veils.items():
        answers = release(states)
        np.testing.assert_array_equal(release(np.asfortranarray(states)), answers, err_msg=name)
        assert name in ("products", "means", "moments") or (answers != states).mean() > 0.2


def test_the_page_says_what_the_attribute_says() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (fit for real use|simulation only) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    written = {name: verdict == "fit for real use" for name, verdict in rows}
    fit = {name: getattr(unveil, name).fit_for_release for name in RELEASES}
    wrong = sorted(name for name in {*fit, *written} if fit.get(name) != written.get(name))
    assert not wrong, f"the table of {PAGE.name} must have a row that says so of {wrong}"


def test_the_example_on_the_page_runs() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile(code, PAGE.name, "exec"), {})  # noqa: S102 - our own page


def test_a_secure_generator_has_no_state_and_no_floats() -> None:
    rng = SecureGenerator()
    assert len(rng.bytes(100)) == 100
    assert rng.bytes(32) != rng.bytes(32)
    assert vars(rng) == {}
    with pytest.raises(TypeError, match="no state"):
        pickle.dumps(rng)
    for name in ("random", "laplace", "normal", "integers", "bit_generator"):
        assert hasattr(Generator, name)
        with pytest.raises(SimulationOnly):
            getattr(rng, name)
    assert not hasattr(rng, "no_such_thing")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.floats(-1e6, 1e6), st.integers(1, 1 << 20))
def test_a_record_moves_a_sum_by_the_stated_sensitivity_at_most(
    column: list[float], replaced: float, steps: int
) -> None:
    """Rounding, clipping and huge values included: what is stated holds for whole numbers, without a tolerance."""
    mechanism = GeometricMeans(1.0, -3.0, 5.0, steps, testing=True)
    here = np.array(column)[:, None]
    there = here.copy()
    there[0, 0] = replaced
    sums = [int(mechanism._on_grid(values).sum()) for values in (here, there)]
    assert abs(sums[0] - sums[1]) <= mechanism.sensitivity(1) == steps


def test_means_are_unbiased_up_to_the_grid() -> None:
    mechanism = GeometricMeans(2.0, -1.0, 3.0, 1 << 16, testing=True)
    values = default_rng(0).uniform(-1, 3, (500, 2))
    rng = default_rng(1)
    released = np.array([mechanism.release(values, rng) for _ in range(3000)])
    half_a_step = 4.0 / (2 << 16)
    grid = mechanism._on_grid(values).mean(axis=0) * (4.0 / (1 << 16)) - 1.0
    assert np.abs(grid - values.mean(axis=0)).max() <= half_a_step
    assert_mean(released, grid)


def test_a_label_moves_the_whole_sums_by_the_stated_sensitivity() -> None:
    """The 1-norm of the largest record, by trying every label; the largest entry alone would promise too much."""
    mechanism = GeometricMeanOperator(1.0, steps=8)
    features = np.array([[0.5, -0.5, 1.0], [1.0, 1.0, -1.0], [0.0, 0.25, 0.0]])
    whole, moves = np.rint(8 * features), []
    for signs in np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T:
        sums = np.where(signs[:, None] > 0, whole, 0).sum(axis=0)
        for record in range(3):
            other = signs * np.where(np.arange(3) == record, -1, 1)
            moves.append(np.abs(sums - np.where(other[:, None] > 0, whole, 0).sum(axis=0)).sum())
    assert max(moves) == mechanism.tally((features, np.ones(3))).widest == 24
    assert mechanism.scale_at(features) == pytest.approx(2 * 24 / 8 / 3)


def geometric_law(mechanism: GeometricCounts, count: int, values: Array) -> Array:
    """P[count + noise = value], from the level that the mechanism says it keeps for its neighbours."""
    p = exp(-mechanism.tight_epsilon() / {"bounded": 2, "unbounded": 1}[mechanism.neighbours])
    return np.asarray((1 - p) / (1 + p) * p ** np.abs(values - count))


@pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
def test_the_level_is_exact_for_its_neighbours_and_known_for_the_others(neighbours: str) -> None:
    """Every pair of noisy counts of two classes is enumerated; the noise is first held against its law."""
    mechanism = GeometricCounts(0.5, neighbours=neighbours, testing=True)
    values = np.arange(-40, 60)
    noisy = mechanism.noisy_counts(np.tile([8, 12], (100_000, 1)), default_rng(6))
    inside = np.clip(noisy[:, 0], -6, 22) + 6
    law = geometric_law(mechanism, 8, np.arange(-6, 23))
    tails = 1 - law[1:-1].sum()
    assert_frequencies(np.bincount(inside, minlength=29), [tails / 2, *law[1:-1], tails / 2])

    def joint(counts: tuple[int, int]) -> Array:
        return np.outer(*(geometric_law(mechanism, count, values) for count in counts))

    def loss(other: tuple[int, int]) -> float:
        return float(np.abs(np.log(joint((8, 12))) - np.log(joint(other))).max())

    changed, added = loss((9, 11)), loss((8, 13))
    assert changed == pytest.approx(2 * added)
    assert {"bounded": changed, "unbounded": added}[neighbours] == pytest.approx(mechanism.tight_epsilon())


def test_a_private_number_of_records_has_noise_of_its_own() -> None:
    """One more record moves all sums by the stated sensitivity at most, and the released means use no other number."""
    mechanism = GeometricMeans(1.0, 0.0, 1.0, 8, neighbours="unbounded", testing=True)
    values = np.array([[1.0, 0.0], [0.5, 1.0], [1.0, 1.0]])
    assert mechanism.sensitivity(2) == 3 * 8 == 8 + mechanism._on_grid(np.ones((1, 2))).sum()
    sums = mechanism.noisy_sums(values, default_rng(1))
    assert sums.shape == (3,)
    same_noise = mechanism.noisy_sums(values[:2], default_rng(1))
    np.testing.assert_array_equal(sums - same_noise, [8, 8, 8])
    np.testing.assert_allclose(mechanism.release(values, default_rng(1)), sums[:2] / max(sums[2] / 8, 1) / 8)
    many = default_rng(0).random((100_000, 2))  # so that the quotient has next to no bias
    released = np.array([mechanism.release(many, default_rng(seed)) for seed in range(200)])
    assert_mean(released, mechanism._on_grid(many).mean(axis=0) / 8)


def test_shares_of_a_private_total_follow_from_noisy_counts_alone() -> None:
    mechanism = GeometricCounts(1.0, neighbours="unbounded", testing=True)
    totals = set()
    for seed in range(6):
        noisy = mechanism.noisy_counts([30, 70], default_rng(seed))
        np.testing.assert_allclose(mechanism.release([30, 70], default_rng(seed)), noisy / noisy.sum())
        totals.add(int(noisy.sum()))
    assert totals - {100}
    assert mechanism.release([0, 1], default_rng(5)).sum() == pytest.approx(1)


def test_responses_are_unbiased_and_keep_their_type() -> None:
    mechanism = ExactResponse(0.8, 4, testing=True)
    pixels = np.tile(np.array([0, 3, 1, 1], dtype=np.uint8), (25_000, 1))
    reports = mechanism.release(pixels, default_rng(2))
    assert reports.dtype == np.uint8
    assert reports.shape == pixels.shape
    assert_mean(mechanism.debias(reports[:, 1]), [0, 0, 0, 1])
    np.testing.assert_allclose(mechanism.debias(reports[:, 1], total=True), mechanism.debias(reports[:, 1]).sum(axis=0))
    assert mechanism.debias(np.array([0, 1]), total=True).shape == (4,)  # of answers that nobody gave, too
    assert ExactResponse(0.8, testing=True).release(np.array([True, False]), default_rng(1)).dtype == np.bool_
    assert mechanism.tight_epsilon() <= mechanism.claimed_epsilon <= mechanism.tight_epsilon() + 1e-9


test_bad_input_names_the_argument = refused(
    *[
        (lambda e=e: GeometricCounts(e), "epsilon must be a number from")
        for e in (0, -1, 21, np.nan, np.inf, "1", True)
    ],
    (lambda: ExactResponse(1.0, 1), "states must be a whole number"),
    (lambda: GeometricCounts(1.0, neighbours="none"), "neighbours must be 'bounded' or 'unbounded'"),
    (lambda: GeometricCounts(1.0, neighbours="unbounded").publish([[3, 4]]), "neighbours must be 'bounded' to publish"),
    (lambda: GeometricMeans(1.0, neighbours="none"), "neighbours must be 'bounded' or 'unbounded'"),
    (lambda: GeometricMeans(1.0, 2.0, 1.0), "lower must be below upper"),
    (lambda: GeometricMeans(1.0, 1.0, 1.0), "lower must be below upper"),
    (lambda: GeometricMeans(1.0, -np.inf, 1.0), "lower must be finite"),
    (lambda: GeometricMeans(1.0, -1e308, 1e308), "lower must be a number between"),
    (lambda: GeometricMeans(1.0, steps=0), "steps must be a whole number"),
    (lambda: GeometricMeanOperator(0.0), "epsilon must be a number from"),
    (lambda: GeometricCounts(1.0).release([2.5, 1], SECURE), "whole"),
    (lambda: GeometricCounts(1.0).release([2.0**53, 1], SECURE), "at most 2"),
    (lambda: ExactResponse(1.0).release([0, 2], SECURE), "^stats must lie between 0 and 1"),
    (lambda: ExactResponse(1.0).release([[0], [0, 1]], SECURE), "^stats "),
    (lambda: ExactResponse(1.0).release([0.0], SECURE), "whole numbers"),
)


@pytest.mark.parametrize("name", EXACT)
def test_a_seed_is_for_tests_only(name: str) -> None:
    """Whoever knows the seed can take the noise off; a mechanism made for that purpose says so."""
    with pytest.raises(SimulationOnly, match=r"; for tests and simulation make the mechanism with testing=True$"):
        EXACT[name](False, default_rng(0))
    EXACT[name](True, default_rng(0))


class Disguised(SecureGenerator):
    """Calls itself secure, and always says the same."""

    def bytes(self, length: int, /) -> bytes:
        return bytes(length)


@pytest.mark.parametrize("testing", [False, True])
@pytest.mark.parametrize("name", EXACT)
def test_no_other_source_is_taken(name: str, testing: bool) -> None:
    """The operating system, or for tests a numpy generator; nothing else, though it has bytes."""
    for source in (np.random.RandomState(0), np.random, random, Disguised(), 7):
        with pytest.raises(SimulationOnly, match="rng must be a SecureGenerator"):
            EXACT[name](testing, source)
    EXACT[name](testing, SECURE)


WHOLE = (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


@pytest.mark.parametrize("states", [2, 100, 256, 1000, 65_536])
@pytest.mark.parametrize("kind", WHOLE)
def test_an_answer_does_not_depend_on_the_type_of_the_truth(kind: Any, states: int) -> None:
    """1,000 states do not fit into a byte, whatever the true ones came in."""
    true = np.tile([0, 1], 300)
    flips = unveil.PixelFlips(0.5, states) if states > 2 else unveil.LabelFlips(0.3)
    for veil in (ExactResponse(0.5, states, testing=True), flips, unveil.RandomizedResponse(states, 0.3)):
        if kind == np.bool_ and isinstance(veil, unveil.RandomizedResponse):
            continue  # which takes no truth values
        answers = veil.release(true.astype(kind), default_rng(1))
        np.testing.assert_array_equal(answers, veil.release(true, default_rng(1)))
        assert states == 2 or answers.max() > states / 2
        assert answers.dtype == kind or np.iinfo(answers.dtype).max >= states - 1


@given(st.floats(3 * 2.0**-20, 20))
def test_the_level_of_products_is_rounded_up(epsilon: float) -> None:
    """Beside sixty digits; and it never exceeds the level asked for."""
    veil = unveil.ExactProducts(epsilon)
    with localcontext(prec=60):
        levels = [
            times * (Decimal(response.true_weight) / UNIT).ln()
            for times, response in zip((1, 3), veil._responses(), strict=True)
        ]
        kept = Decimal(veil.tight_epsilon())
        assert max(levels) <= kept <= Decimal(epsilon)
        assert kept - max(levels) < Decimal("1e-8")


@pytest.mark.parametrize(("level", "sensitivity"), [(Fraction(1, 2), 1), (Fraction(3), 2), (Fraction(1, 10), 3)])
def test_the_variance_of_geometric_noise_is_that_of_its_law(level: Fraction, sensitivity: int) -> None:
    z = np.arange(-3000, 3001)
    law = np.exp(-float(level / sensitivity) * np.abs(z))
    assert geometric_variance(level, sensitivity) == pytest.approx(float((law / law.sum()) @ z**2), rel=1e-9)


def test_what_is_refused_says_what_to_do() -> None:
    advice = (
        " and is for simulation only; for a real release take a mechanism with fit_for_release (docs/safe_noise.md)"
    )
    with pytest.raises(SimulationOnly, match=f"{re.escape(advice)}$"):
        unveil.LabelFlips(0.2).release(BITS, SECURE)
    assert ExactResponse(1.0, states=1 << 24).states == 1 << 24
    with pytest.raises(UnveilError, match=r"^states must be a whole number between 2 and 16,777,216"):
        ExactResponse(1.0, states=(1 << 24) + 1)
