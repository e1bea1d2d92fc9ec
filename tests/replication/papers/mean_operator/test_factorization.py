"""Section 2 as demonstrations: theorem 3, corollary 4 and where it fails, and (1) to (3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from replication.papers.mean_operator.factorization import labelled_risk
from unveil.estimators.statistics.losses import LOSSES, LinearOddLoss
from unveil.estimators.statistics.proper_losses import ENTROPY, ROOT, mixture, symmetric_proper_loss
from unveil.types import Floats


def factorized_risk(loss: Callable[[Floats], Floats], a: float, theta: Floats, X: Floats, mu: Floats) -> float:
    """(4): both labels tried on every record, and the mean operator. No label enters."""
    margins = X @ theta
    return float(np.mean(loss(margins) + loss(-margins)) / 2 - a / 2 * (theta @ mu))


ALL = [*LOSSES.values(), symmetric_proper_loss(mixture(ENTROPY, ROOT, 0.4), 0.6)]


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 60), d=st.integers(1, 8))
def test_theorem_3_the_labelled_risk_needs_the_mean_operator_only(
    loss: LinearOddLoss, seed: int, m: int, d: int
) -> None:
    rng = np.random.default_rng(seed)
    X, y, theta = rng.normal(size=(m, d)), rng.choice([-1, 1], m), rng.normal(size=d)
    assert_allclose(
        factorized_risk(loss, loss.a, theta, X, y @ X / m), labelled_risk(loss, theta, X, y), rtol=0, atol=1e-12
    )
