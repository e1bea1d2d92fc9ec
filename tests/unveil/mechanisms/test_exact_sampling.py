"""The exact samplers against closed forms, and against an enumeration of every choice that they make."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp, log, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from checks import assert_frequencies, assert_mean
from unveil.errors import UnveilError
from unveil.mechanisms import exact_sampling
from unveil.types import Array

Law = dict[int, Fraction]


def leading(bits: int, word: int) -> int:
    """A word that begins with these bits."""
    return word << (64 - bits)


def enumerated(draw: Callable[[Array], int | None], bits: int, depth: int) -> tuple[Law, Fraction]:
    """The law of `draw` over all words' first `bits` bits, and the mass of the choices not finished after `depth`.

    A draw returns None where it would need more words.
    """
    law: Law = {}
    open_words: list[list[int]] = [[]]
    for used in range(depth + 1):
        further = []
        for words in open_words:
            result = draw(np.array(words, dtype=np.uint64))
            if result is None:
                further.append(words)
            else:
                law[result] = law.get(result, Fraction(0)) + Fraction(1, 2 ** (bits * used))
        if used < depth:
            open_words = [[*words, leading(bits, word)] for words, word in product(further, range(2**bits))]
    return law, 1 - sum(law.values(), Fraction(0))


class UsedUpError(Exception):
    """More words were asked for than there are."""


class Words:
    """A source of these words, and of no other."""

    def __init__(self, words: Array) -> None:
        self.left = words.astype("<u8").tobytes()

    def bytes(self, length: int, /) -> bytes:
        if length > len(self.left):
            raise UsedUpError
        given, self.left = self.left[:length], self.left[length:]
        return given


def numbers(sampler: Callable[[Words], Array]) -> Callable[[Array], int | None]:
    """The one number that the sampler draws from words, for `enumerated`."""

    def draw(words: Array) -> int | None:
        try:
            (drawn,) = sampler(Words(words))
        except UsedUpError:
            return None
        return int(drawn)

    return draw


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 8])
def test_uniform_numbers_by_enumeration(n: int) -> None:
    """Of all first words each number below n gets the same share; the rest is rejected, never folded back."""
    draw = numbers(lambda rng: exact_sampling.uniform_below(n, 1, rng))
    law, rest = enumerated(draw, max((n - 1).bit_length(), 1), 1)
    assert set(law) == set(range(n))
    assert len(set(law.values())) == 1
    assert rest == 1 - n * next(iter(law.values()))


@given(st.integers(2, 1 << 62), st.data())
def test_uniform_numbers_of_any_size_are_the_leading_bits_or_nothing(n: int, data: st.DataObject) -> None:
    """So each number below n has one of the 2^bits beginnings, exactly, however large n is."""
    bits = (n - 1).bit_length()
    for drawn in (0, n - 1, min(n, 2**bits - 1), 2**bits - 1, data.draw(st.integers(0, 2**bits - 1))):
        tail = data.draw(st.integers(0, 2 ** (64 - bits) - 1))
        words = np.array([leading(bits, drawn) | tail], dtype=np.uint64)
        got = numbers(lambda rng: exact_sampling.uniform_below(n, 1, rng))(words)
        assert got == (drawn if drawn < n else None)


@pytest.mark.parametrize(("u", "t"), [(0, 1), (1, 1), (1, 2), (3, 4)])
def test_exponential_events_by_enumeration(u: int, t: int) -> None:
    law, rest = enumerated(
        numbers(lambda rng: exact_sampling.exp_events(np.array([u]), t, rng)), 3, 6
    )  # k stays below 9, so three bits are all that is looked at
    happened = float(law.get(1, Fraction(0)))
    assert happened - 1e-12 <= exp(-u / t) <= happened + float(rest) + 1e-12
    assert rest < Fraction(1, 5)


@pytest.mark.parametrize(("s", "t"), [(1, 1), (2, 1), (1, 2)])
def test_two_sided_geometric_noise_by_enumeration(s: int, t: int) -> None:
    draw = numbers(lambda rng: exact_sampling.two_sided_geometric((1,), Fraction(s, t), 1, rng))
    law, rest = enumerated(draw, 3, 5)
    p = exp(-s / t)
    for value, mass in law.items():
        true = (1 - p) / (1 + p) * p ** abs(value)
        assert float(mass) - 1e-12 <= true <= float(mass) + float(rest) + 1e-12
        assert law.get(-value) == mass
    assert 0 in law
    assert rest < Fraction(9, 10)


@pytest.mark.parametrize(("level", "sensitivity"), [(1.0, 1), (0.1, 2), (3.7, 2), (0.3, 40)])
def test_two_sided_geometric_noise_in_large_samples(level: float, sensitivity: int) -> None:
    kept = exact_sampling.level_below(level)
    noise = exact_sampling.two_sided_geometric((400, 1000), kept, sensitivity, default_rng(3))
    p = exp(-float(kept) / sensitivity)
    edge = max(int(4 / -log(p)), 1)
    law = (1 - p) / (1 + p) * p ** np.abs(np.arange(-edge, edge + 1.0))
    tail = p ** (edge + 1) / (1 + p)
    seen = np.bincount(np.clip(noise, -edge - 1, edge + 1).ravel() + edge + 1)
    assert_frequencies(seen, [tail, *law, tail])


def test_blocks_of_draws_have_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_sampling, "BLOCK", 3)
    noise = exact_sampling.two_sided_geometric((2000, 2), Fraction(1), 1, default_rng(5))
    assert_mean(noise.astype(float) ** 2, np.full(2, exact_sampling.geometric_variance(Fraction(1), 1)))
    answers = exact_sampling.weighted_choice(np.full((2000, 2), 1), 3, 2, 1, default_rng(7))
    assert_frequencies(np.bincount(answers.ravel(), minlength=3), np.array([1, 2, 1]) / 4)


@pytest.mark.parametrize("state", range(4))
def test_responses_by_enumeration(state: int) -> None:
    """Of the numbers below the total weight, the true state gets `true_weight`, each other one `unit`."""
    true_weight, unit = 7, 3
    words = np.array([leading(4, n) for n in range(true_weight + 3 * unit)], dtype=np.uint64)
    answers = exact_sampling.weighted_choice(np.full(len(words), state), 4, true_weight, unit, Words(words))
    expected = np.full(4, unit)
    expected[state] = true_weight
    assert np.bincount(answers, minlength=4).tolist() == expected.tolist()


@given(st.floats(2.0**-20, 20.0))
def test_levels_are_rounded_down_only(epsilon: float) -> None:
    kept = exact_sampling.level_below(epsilon)
    assert Fraction(epsilon) * (1 - Fraction(1, 2**18)) < kept <= Fraction(epsilon)
    assert kept.denominator <= 1 << 41
    assert kept.numerator < 1 << 25


@given(st.floats(2.0**-20, 20.0))
def test_odds_are_at_most_those_of_the_level(epsilon: float) -> None:
    import sympy

    unit = 1 << 30
    odds = exact_sampling.odds_below(epsilon, unit)
    true = sympy.Rational(epsilon)
    assert bool(sympy.log(sympy.Rational(odds, unit)).evalf(50) <= true)
    assert bool(sympy.log(sympy.Rational(odds + 1, unit)).evalf(50) > true)
    assert exact_sampling.log_above(Fraction(odds, unit)) >= sympy.log(sympy.Rational(odds, unit)).evalf(50)


def test_a_ratio_beyond_64_bits_is_refused() -> None:
    with pytest.raises(UnveilError, match="epsilon must be larger"):
        exact_sampling.two_sided_geometric((3,), exact_sampling.level_below(1e-6), 1 << 40, default_rng(0))


@given(st.fractions(Fraction(1, 10**9), 20))
def test_the_level_that_is_said_is_the_next_double_that_is_not_below(level: Fraction) -> None:
    said = exact_sampling.as_level(level)
    assert Fraction(nextafter(said, 0.0)) < level <= Fraction(said)
