"""The discrete Gaussian: its sampler against its law, its δ against enumeration, and exact releases of counts."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from checks import assert_frequencies
from refusals import refused
from unveil.errors import SimulationOnly
from unveil.mechanisms.counts import GaussianCounts
from unveil.mechanisms.entropy import SecureGenerator
from unveil.mechanisms.exact_gaussian import _Source, discrete_gaussian
from unveil.privacy import discrete_gaussian as privacy
from unveil.privacy.discrete_gaussian import discrete_gaussian_delta, discrete_gaussian_variance
from unveil.types import Array

SECURE: Any = SecureGenerator()  # to the type checker it is no numpy Generator


def law(variance: int, reach: int) -> Array:
    weights = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * variance))
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("variance", [1, 2, 7, 40])
def test_draws_follow_the_law(variance: int) -> None:
    draws = discrete_gaussian((20_000,), variance, default_rng(variance))
    reach = 6 * int(sqrt(variance)) + 6
    counts = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=2 * reach + 1)
    expected = law(variance, reach)
    common = expected * len(draws) > 5
    merged = [np.append(values[common], values[~common].sum()) for values in (counts, expected)]
    assert_frequencies(merged[0], merged[1])


@pytest.mark.parametrize(("above", "below"), [(1, 8), (1, 3), (1, 1), (7, 3)])
def test_events_have_their_probability(above: int, below: int) -> None:
    source = _Source(default_rng(5))
    seen = sum(source.exp_event(above, below) for _ in range(20_000))
    p = exp(-above / below)
    assert_frequencies([seen, 20_000 - seen], [p, 1 - p])


def test_every_bit_is_used_once() -> None:
    """No bit is invented where a block of random bytes begins, and none lost where it ends."""
    rng, again = default_rng(7), default_rng(7)
    source, number = _Source(rng), 2 * 8 * 4096 + 40
    drawn = [source.below(2) for _ in range(number)]
    blocks = np.frombuffer(b"".join(again.bytes(4096) for _ in range(3)), dtype=np.uint8)
    assert drawn == np.unpackbits(blocks, bitorder="little")[:number].tolist()


def delta_with_forty_digits(variance: int, epsilon: float, moved: int) -> Decimal:
    """By enumeration, as no floating-point sum has it."""
    with localcontext() as context:
        context.prec = 40
        reach = int(13 * sqrt(variance)) + 2
        weights = {z: (-Decimal(z * z) / (2 * variance)).exp() for z in range(-reach, reach + 1)}
        mass, growth = sum(weights.values()), Decimal(epsilon).exp()
        # A noise of z on a count is one of z − 1 on the other input's.
        stay, move = ({z: p / mass for z, p in weights.items()}, {z + 1: p / mass for z, p in weights.items()})
        if moved == 1:
            return sum((max(p - growth * move.get(z, 0), Decimal(0)) for z, p in stay.items()), Decimal(0))
        pairs = ((p * q, move.get(x, 0) * stay.get(y, 0)) for x, p in stay.items() for y, q in move.items())
        return sum((max(here - growth * there, Decimal(0)) for here, there in pairs), Decimal(0))


@pytest.mark.parametrize("moved", [1, 2])
def test_what_is_said_of_delta_is_never_below_it(moved: int) -> None:
    """Above the true one by the allowance for rounding, and by no more."""
    for variance, epsilon in ((1, 0.5), (3, 0.05), (3, 2.0)):
        true = delta_with_forty_digits(variance, epsilon, moved)
        said = Decimal(discrete_gaussian_delta(variance, epsilon, moved))
        assert true * (1 + Decimal("5e-10")) < said < true * (1 + Decimal("2e-9"))


@pytest.mark.parametrize("moved", [1, 2])
def test_where_an_integral_stands_for_the_sum_it_is_not_below_it(moved: int, monkeypatch: pytest.MonkeyPatch) -> None:
    said = discrete_gaussian_delta(4_000_001, 0.001, moved)
    monkeypatch.setattr(privacy, "_CONTINUOUS", 5_000_000)
    summed = discrete_gaussian_delta(4_000_001, 0.001, moved)
    assert summed <= said <= summed * 1.0003


@pytest.mark.parametrize(("epsilon", "delta"), [(0.05, 0.05), (0.5, 1e-6), (2.0, 1e-3), (0.01, 1e-9)])
def test_the_variance_is_the_least_that_keeps_the_promise(epsilon: float, delta: float) -> None:
    variance = discrete_gaussian_variance(epsilon, delta)
    assert discrete_gaussian_delta(variance, epsilon) <= delta
    assert variance == 1 or discrete_gaussian_delta(variance - 1, epsilon) > delta
    veil = GaussianCounts(epsilon, delta, "analytic", exact=True)
    assert veil.true_delta([5, 5]) <= delta
    assert veil.deviation == sqrt(variance)
    if variance > 20:
        assert veil.deviation == pytest.approx(GaussianCounts(epsilon, delta, "analytic").deviation, rel=0.05)


def test_an_exact_release_takes_the_systems_randomness_and_has_the_noise_that_it_says() -> None:
    counts = np.array([400, 300, 300])
    veil = GaussianCounts(0.5, 1e-3, exact=True)
    with pytest.raises(SimulationOnly, match="with testing=True"):
        veil.noisy_counts(counts, default_rng(0))
    assert veil.fit_for_release
    assert not GaussianCounts(0.5, 1e-3).fit_for_release
    shares = veil.release(counts, SECURE)
    assert shares.sum() == pytest.approx(1)
    seeded = GaussianCounts(0.5, 1e-3, exact=True, testing=True)
    noisy = seeded.noisy_counts(np.tile(counts, (4000, 1)), default_rng(0))
    assert noisy.dtype == np.int64
    noise = (noisy - counts).ravel()
    error = noise.std() / veil.deviation - 1
    assert abs(error) < 5 / sqrt(2 * len(noise))


def test_a_private_total_is_not_used() -> None:
    """What is released follows from the noisy counts: with the same noise, one record more shows in them alone."""
    veil = GaussianCounts(0.5, 1e-3, exact=True, neighbours="unbounded", testing=True)
    assert veil.deviation < GaussianCounts(0.5, 1e-3, exact=True).deviation
    assert veil.true_delta([5, 5]) <= 1e-3 < discrete_gaussian_delta(round(veil.deviation**2), 0.5)
    assert veil.release([0, 1], default_rng(0)).sum() == pytest.approx(1)  # even where the noisy total is below one


test_bad_settings = refused(
    (0.5, 0.05, "classic", 1, "exact must be true or false"),
    (1e-7, 0.05, "classic", True, "at least 1e-5"),
    (0.5, 1e-40, "classic", True, "at least 1e-5"),
    (2.0, 0.05, "classic", False, "proven for epsilon below 1"),
    call=GaussianCounts,
)

test_unbounded_neighbours_need_exact_noise = refused(
    (lambda: GaussianCounts(0.5, 0.05, neighbours="unbounded"), "for exact noise only"),
    (lambda: GaussianCounts(0.5, 0.05, exact=True, neighbours="all"), "must be 'bounded' or 'unbounded'"),
)
