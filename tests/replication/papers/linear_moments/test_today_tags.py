"""What else learns from counts: gradients by differences, and targets that keep the counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime, minimize
from tests.replication.judging.tables import table

import stages
from replication.papers.linear_moments.claims.today_tags import at_work, equal_tokens
from replication.papers.linear_moments.today_tags.rivals import EXPECTATIONS, PROPORTIONS, pull, scale_to
from unveil.types import Floats

SCORES = np.random.default_rng(0).normal(size=(4, 3))
COUNTS = np.array([2.0, 2.0, 0.0])


def softmax(scores: Floats) -> Floats:
    """Row by row."""
    weights = np.exp(scores)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def proportion_loss(total: Floats) -> float:
    """Σ c log q, whose 0·log 0 is 0."""
    return float(np.sum(COUNTS[COUNTS > 0] * np.log(total[COUNTS > 0])))


def squares(total: Floats) -> float:
    """−½ ‖q − c‖²."""
    return float(-0.5 * ((total - COUNTS) ** 2).sum())


@pytest.mark.parametrize(("target", "objective"), [(PROPORTIONS, proportion_loss), (EXPECTATIONS, squares)])
def test_steps_climb_their_objective(target: int, objective: object) -> None:
    def at(flat: Floats) -> float:
        return objective(softmax(flat.reshape(SCORES.shape)).sum(axis=0))  # type: ignore[operator, no-any-return]

    expected = approx_fprime(SCORES.ravel(), at, 1e-7).reshape(SCORES.shape)
    assert pull(softmax(SCORES), COUNTS, target) == pytest.approx(expected, abs=1e-5)


def test_scaled_marginals_are_the_nearest_with_these_counts() -> None:
    shares = softmax(SCORES)
    counts = np.array([1.6, 1.4, 1.0])
    found = scale_to(shares, counts)
    for _ in range(30):
        found = scale_to(found, counts)
    assert found.sum(axis=0) == pytest.approx(counts, abs=1e-6)
    assert found.sum(axis=1) == pytest.approx(1)
    # The nearest in relative entropy has the form p·exp(λ): the dual's maximum gives the same.
    dual = minimize(lambda pulls: np.log((shares * np.exp(pulls)).sum(axis=1)).sum() - pulls @ counts, np.zeros(3))
    weights = shares * np.exp(dual.x)
    assert found == pytest.approx(weights / weights.sum(axis=1, keepdims=True), abs=1e-4)


def test_the_picture_puts_counts_where_so_many_tags_teach_as_much() -> None:
    axes = {"dataset": "treebank", "n": [100, 1000], "trial": range(4)}
    tagged = table("error", lambda n, **_: 0.5 if n == 100 else 0.1, 1e-3, **axes, method="supervised", window=0)
    about = {**axes, "n": 500, "method": ["moments", "posteriors"], "window": [5, 20]}
    looks = table("error", lambda passes, **_: 0.3 / passes, 1e-3, **about, passes=[0.5, 1.0])
    looks["work"] = looks["passes"] * looks["method"].map({"moments": 10, "posteriors": 20})
    scores = pd.concat([tagged, table("error", 0.3, 1e-3, **about), looks], ignore_index=True)
    assert equal_tokens(scores, "moments", 5).to_numpy() == pytest.approx(np.sqrt(100 * 1000), rel=0.05)
    own = scores[scores["window"] == 5]
    assert at_work(own, "moments").mean().to_numpy() == pytest.approx([0.3, 0.6], abs=0.01)
    assert len(stages.drawn("linear_moments.today_tags", scores).axes) == 2
    assert len(stages.module("linear_moments.today_tags", "draw").table(scores)) == 4
