"""What several releases give away together, against enumeration, a closed formula and an accountant of others."""

from __future__ import annotations

from itertools import product
from math import comb, exp, inf, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refused
from unveil.privacy.composition import composed_delta, composed_epsilon

Levels = list[tuple[float, float]]


def by_enumeration(levels: Levels, epsilon: float) -> float:
    """Every vector of answers of the worst mechanisms: δ of all together (Murtagh and Vadhan 2016, theorem 1.5)."""
    weights = [exp(level) / (1 + exp(level)) for level, _ in levels]
    leak = 0.0
    for truths in product((True, False), repeat=len(levels)):
        here = prod(w if t else 1 - w for w, t in zip(weights, truths, strict=True))
        there = prod(1 - w if t else w for w, t in zip(weights, truths, strict=True))
        leak += max(here - exp(epsilon) * there, 0.0)
    return 1 - prod(1 - delta for _, delta in levels) * (1 - leak)


levels = st.lists(st.tuples(st.floats(0, 2), st.sampled_from([0.0, 1e-6, 0.01])), min_size=1, max_size=6)


@given(levels, st.floats(0, 8))
def test_delta_is_that_of_the_worst_mechanisms(given: Levels, epsilon: float) -> None:
    exact = by_enumeration(given, epsilon)
    found = composed_delta(given, epsilon)
    assert exact - 1e-12 <= found
    # The grid rounds levels up, together by at most a 64th of the highest each.
    assert found <= by_enumeration([(level + max(e for e, _ in given) / 2048, d) for level, d in given], epsilon) + 1e-9


@pytest.mark.parametrize("k", [1, 3, 20, 300])
def test_equal_levels_have_a_closed_formula(k: int) -> None:
    """Kairouz, Oh and Viswanath (2015), theorem 3.3: at ε' = (k − 2i) ε, a sum over i terms."""
    level = 0.1
    for i in range(k // 2 + 1):
        terms = (
            comb(k, j) * (exp((k - j) * level) - exp((k - 2 * i + j) * level)) / (1 + exp(level)) ** k for j in range(i)
        )
        assert composed_delta([(level, 0.0)] * k, (k - 2 * i) * level) == pytest.approx(sum(terms), rel=1e-6, abs=1e-15)


def test_as_the_accountants_of_others_have_it() -> None:
    """dp-accounting 0.6, `from_privacy_parameters` composed: pessimistic, on a grid of 10⁻⁴."""
    assert composed_delta([(0.1, 0.0)] * 10, 0.5) == pytest.approx(0.009929626917389833, rel=1e-3)
    assert composed_epsilon([(0.1, 0.0)] * 10, 1e-6) == pytest.approx(0.9993709057223882, rel=1e-3)


@given(levels, st.sampled_from([0.0, 1e-9, 1e-4, 0.2]))
def test_the_epsilon_found_keeps_the_delta_and_is_never_above_the_sum(given: Levels, delta: float) -> None:
    epsilon = composed_epsilon(given, delta)
    if epsilon == inf:
        assert 1 - prod(1 - d for _, d in given) > delta
        return
    assert composed_delta(given, epsilon) <= delta
    assert epsilon <= sum(level for level, _ in given)
    if epsilon > 0:
        assert composed_delta(given, epsilon * (1 - 1e-5)) > delta


def test_certain_failure_and_nothing_at_all() -> None:
    assert composed_delta([], 0.0) == 0.0
    assert composed_epsilon([], 0.0) == 0.0
    assert composed_delta([(0.0, 1.0)], 3.0) == 1.0
    assert composed_epsilon([(0.0, 0.1)], 0.0) == inf


test_bad_input = refused(
    (lambda: composed_delta([(1.0, 0.0)], -1.0), "epsilon must be a number"),
    (lambda: composed_delta([(inf, 0.0)], 1.0), "levels must hold pairs"),
    (lambda: composed_delta([(1.0, 2.0)], 1.0), "levels must hold pairs"),
    (lambda: composed_epsilon([(1.0, 0.0)], 2.0), "delta must lie in"),
)
