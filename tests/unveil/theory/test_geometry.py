from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from refusals import refused
from replication.papers.linear_moments.simplex import simplex_relaxation
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.geometry import closest_distributions


def divergence(p: ArrayLike, q: ArrayLike) -> float:
    """KL(p ‖ q)."""
    return float(rel_entr(p, q).sum())


@settings(max_examples=60)
@given(st.integers(2, 7), st.integers(2, 7), st.integers(1, 500), st.integers(0, 2**32 - 1))
def test_interior_steps_end_where_em_does(k: int, m: int, n: int, seed: int) -> None:
    """Also off S(P), with observations that never came, and with more states than observations."""
    rng = np.random.default_rng(seed)
    supervision = rng.dirichlet(np.full(k, 0.5), m).T
    seen = rng.multinomial(n, (supervision @ rng.dirichlet(np.full(m, 0.3), 8).T).T) / n
    found = closest_distributions(seen, supervision)
    assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)
    assert (found >= 0).all()
    reached = found @ supervision.T
    gain = np.divide(seen, reached, out=np.zeros_like(seen), where=seen > 0) @ supervision
    assert gain.max() - 1 <= 2e-12
    plain = simplex_relaxation(seen, supervision, steps=3000) @ supervision.T
    for q, one, other in zip(seen, reached, plain, strict=True):
        assert divergence(q, one) <= divergence(q, other) + 1e-12


def test_interior_steps_find_the_distribution_behind_exact_frequencies_and_the_edge() -> None:
    """Where EM still is 10⁻⁴ away after 10⁵ steps: an almost even response, and a state with no share."""
    supervision = randomized_response_matrix(3, 0.1)
    truth = np.array([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6], [0.0, 0.0, 1.0]])
    assert_allclose(closest_distributions(truth @ supervision.T, supervision), truth, atol=1e-5)
    one = closest_distributions(np.ones((2, 1)), np.ones((1, 1)))
    assert_allclose(one, 1.0)
    assert closest_distributions(np.empty((0, 3)), supervision).shape == (0, 3)
    alone = closest_distributions(truth[0] @ supervision.T, supervision)
    assert_allclose(alone, truth[0], atol=1e-5)


def test_an_observation_that_no_state_gives_and_nobody_saw_changes_nothing() -> None:
    supervision = np.array([[0.9, 0.2], [0.1, 0.8], [0.0, 0.0]])
    found = closest_distributions([0.5, 0.5, 0.0], supervision)
    assert_allclose(found, [3 / 7, 4 / 7], atol=1e-9)


test_impossible_input_names_the_rule = refused(
    (lambda: closest_distributions(0.5, np.eye(2)), "frequencies must be distributions"),
    (lambda: closest_distributions([[0.5, 0.5]], [[1.0], [0.0]]), "must be possible"),
    (lambda: closest_distributions([[0.5, 0.5]], np.eye(3)), "one row per observation"),
)
