"""Exact levels of finite channels against the definition over all events."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels import channel_delta
from refusals import refused
from unveil.privacy.channels import channel_epsilon, smallest_epsilon
from unveil.types import Floats


@st.composite
def channels(draw: st.DrawFn) -> Floats:
    outcomes, inputs = draw(st.integers(2, 5)), draw(st.integers(2, 3))
    weights = draw(st.lists(st.floats(0.01, 1), min_size=outcomes * inputs, max_size=outcomes * inputs))
    matrix = np.array(weights).reshape(outcomes, inputs)
    channel: Floats = matrix / matrix.sum(axis=0)
    return channel


@given(channels())
def test_epsilon_is_where_delta_vanishes(matrix: Floats) -> None:
    level = channel_epsilon(matrix)
    assert channel_delta(matrix, level) <= 1e-12
    assert level == 0 or channel_delta(matrix, level - min(level, 1e-3)) > 0


@given(channels(), st.floats(0.001, 0.5))
def test_the_smallest_epsilon_has_its_delta(matrix: Floats, delta: float) -> None:
    level = smallest_epsilon(lambda epsilon: channel_delta(matrix, epsilon), delta)
    assert channel_delta(matrix, level) <= delta + 1e-9
    assert level == 0 or channel_delta(matrix, level) == pytest.approx(delta, abs=1e-9)


def test_randomised_response_and_a_sure_answer() -> None:
    assert channel_epsilon([[0.75, 0.25], [0.25, 0.75]]) == pytest.approx(log(3))
    assert channel_epsilon([[1.0, 0.5], [0.0, 0.5]]) == inf
    assert smallest_epsilon(lambda _: 0.5, 0.1) == inf


@pytest.mark.parametrize("level", [0.3, 1.0, 40.0, 300.0, 513.0, 640.0, 700.0])
def test_levels_are_found_up_to_where_a_release_is_public(level: float) -> None:
    assert smallest_epsilon(lambda epsilon: 1 - epsilon / (2 * level), 0.5) == pytest.approx(level)


def test_beyond_it_a_level_is_infinite() -> None:
    assert smallest_epsilon(lambda epsilon: 1 - epsilon / 1402, 0.5) == inf


test_bad_input = refused(
    ([0.5, 0.5], "one row"), ([[1.5], [-0.5]], "probabilities"), ([[0.5], [0.4]], "sum to one"), call=channel_epsilon
)
