from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from checks import assert_frequencies
from refusals import refused
from unveil.mechanisms.response import RandomizedResponse, randomized_response_matrix


@st.composite
def mechanisms(draw: st.DrawFn) -> RandomizedResponse:
    m = draw(st.integers(2, 8))
    base = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).dirichlet(np.full(m, 2.0))
    return RandomizedResponse(m, draw(st.floats(0.01, 0.99)), draw(st.sampled_from([None, tuple(base)])))


@given(mechanisms())
def test_matrix_is_the_mixture_it_says(mechanism: RandomizedResponse) -> None:
    matrix = mechanism.matrix
    assert_allclose(matrix.sum(axis=0), 1)
    base = np.full(mechanism.m, 1 / mechanism.m) if mechanism.base is None else np.asarray(mechanism.base)
    for o in range(mechanism.m):
        for y in range(mechanism.m):
            assert matrix[o, y] == pytest.approx(mechanism.epsilon * (o == y) + (1 - mechanism.epsilon) * base[o])


@given(mechanisms())
def test_tight_level_is_what_enumeration_gives(mechanism: RandomizedResponse) -> None:
    matrix = mechanism.matrix
    worst = max(np.log(row[y] / row[z]) for row in matrix for y in range(len(row)) for z in range(len(row)))
    assert mechanism.tight_epsilon() == pytest.approx(worst, rel=1e-9)
    assert mechanism.claimed_epsilon >= mechanism.tight_epsilon()


@given(mechanisms())
def test_debias_is_exactly_unbiased(mechanism: RandomizedResponse) -> None:
    rows = mechanism.debias(np.arange(mechanism.m))
    assert_allclose(mechanism.matrix.T @ rows, np.eye(mechanism.m), atol=1e-9 / mechanism.epsilon)


@given(mechanisms(), st.integers(0, 2**32 - 1))
def test_total_is_the_sum_of_the_rows(mechanism: RandomizedResponse, seed: int) -> None:
    rng = np.random.default_rng(seed)
    released = mechanism.release(rng.integers(0, mechanism.m, 50), rng)
    assert_allclose(mechanism.debias(released, total=True), mechanism.debias(released).sum(axis=0), atol=1e-7)


@pytest.mark.parametrize("base", [None, (0.5, 0.1, 0.25, 0.15), (0.0, 0.8, 0.2, 0.0)])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_answers_follow_the_matrix(base: tuple[float, ...] | None, dtype: Any) -> None:
    mechanism = RandomizedResponse(4, 0.3, base)
    rng = np.random.default_rng(1)
    for state in range(4):
        answers = mechanism.release(np.full(100_000, state, dtype=dtype), rng)
        assert answers.dtype == dtype
        assert_frequencies(np.bincount(answers, minlength=4), mechanism.matrix[:, state])


def test_one_hot_rows_are_states() -> None:
    mechanism = RandomizedResponse(3, 0.5)
    states = np.array([0, 2, 1, 1])
    by_rows = mechanism.release(np.eye(3)[states], np.random.default_rng(3))
    assert (by_rows == mechanism.release(states, np.random.default_rng(3))).all()


def test_the_truth_alone_at_epsilon_one() -> None:
    states = np.arange(5)
    mechanism = RandomizedResponse(5, 1.0)
    assert (mechanism.release(states, np.random.default_rng(2)) == states).all()
    assert mechanism.tight_epsilon() == np.inf


test_impossible_input_names_the_rule = refused(
    *((RandomizedResponse, 3, epsilon, "epsilon must lie in") for epsilon in (0.0, 1.5, np.nan)),
    (lambda: RandomizedResponse(3, 0.5, (0.5, 0.5)), "one probability per state"),
    (lambda: randomized_response_matrix(2, 0.5, [0.7, 0.7]), "base must be a distribution"),
    (lambda: randomized_response_matrix(0, 0.5), "m must be at least 1"),
    (lambda: RandomizedResponse(3, 0.5).release(np.array([0, 3]), np.random.default_rng()), "from 0 to m - 1"),
    (lambda: RandomizedResponse(3, 0.5).release(np.array([-1]), np.random.default_rng()), "from 0 to m - 1"),
    (lambda: RandomizedResponse(3, 0.5).release(np.array([0.5]), np.random.default_rng()), "integer states"),
    (lambda: RandomizedResponse(2, 0.5).release(np.ones((2, 2)), np.random.default_rng()), "one-hot"),
    (lambda: RandomizedResponse(2, 0.5).debias(np.eye(2, dtype=int)), "one answer a record"),
    (lambda: RandomizedResponse(3, 0.5).debias(np.array([4])), "must lie between 0 and 2, found 4"),
)
