from __future__ import annotations

from math import cos, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.numerics.search import bisect, lowest


def test_bisection_finds_the_sign_change_in_either_direction() -> None:
    assert bisect(cos, 0.0, 3.0) == pytest.approx(pi / 2, abs=1e-13)
    assert bisect(lambda x: -cos(x), 0.0, 3.0) == pytest.approx(pi / 2, abs=1e-13)


def test_large_roots_are_found_to_their_last_digits() -> None:
    assert bisect(lambda x: x - 1e15 / 3, 0.0, 1e300) == pytest.approx(1e15 / 3, rel=2e-14)


def test_bisection_ends_on_the_side_of_high() -> None:
    assert bisect(lambda x: 1.0 if x >= 0.3 else -1.0, 0.0, 1.0) >= 0.3
    # Zero is not above zero.
    assert bisect(lambda x: max(x - 0.3, 0.0), 0.0, 1.0) == pytest.approx(0.3, abs=1e-13)


@given(st.floats(-5, 5), st.floats(0.2, 5))
def test_golden_section_finds_the_bottom(bottom: float, steepness: float) -> None:
    found = lowest(lambda x: steepness * abs(x - bottom) ** 1.5, -8.0, 8.0)
    assert found == pytest.approx(bottom, abs=1e-6)
