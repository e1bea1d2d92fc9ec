from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from refusals import refused
from unveil.errors import UnveilError
from unveil.estimators.bags.quantify import EMQ, ClassifyAndCount, adjust_prior
from unveil.estimators.bags.unmixing import class_scores, unmix
from unveil.types import Array


def bag(share: float, size: int, rng: np.random.Generator, gap: float = 1.5) -> tuple[Array, Array]:
    labels = (np.arange(size) < round(share * size)).astype(int)
    return rng.normal(size=(size, 2)) + gap * labels[:, None] * np.array([1.0, 0.0]), labels


def test_adjusted_prior_maximises_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    posterior = rng.beta(2, 3, size=400)
    probabilities, prior = np.column_stack([1 - posterior, posterior]), np.array([0.4, 0.6])

    def negative(q: float) -> float:
        return -float(np.log(probabilities[:, 0] / 0.4 * (1 - q) + probabilities[:, 1] / 0.6 * q).sum())

    best = minimize_scalar(negative, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x
    assert adjust_prior(probabilities, prior)[1] == pytest.approx(best, abs=1e-5)


def test_emq_undoes_a_shift_that_counting_does_not() -> None:
    rng = np.random.default_rng(1)
    X, y = bag(0.5, 4000, rng)
    test, _ = bag(0.95, 4000, rng)
    counted, adjusted = (model.fit(X, y).predict(test)[1] for model in (ClassifyAndCount(), EMQ()))
    assert counted < 0.85
    assert adjusted == pytest.approx(0.95, abs=0.03)


def test_unmixing_inverts_mixing() -> None:
    rng = np.random.default_rng(2)
    B = rng.dirichlet(np.ones(4), size=3)
    P = rng.dirichlet(np.ones(3), size=6)
    per_class = class_scores(P @ B, P)
    np.testing.assert_allclose(per_class, B, atol=1e-10)
    ratios = rng.dirichlet(np.ones(3), size=5)
    np.testing.assert_allclose(unmix(ratios @ B, per_class), ratios, atol=1e-9)
    assert unmix(B[0] + 0.3 * (B[0] - B[1]), per_class)[0] == pytest.approx([1, 0, 0])
    with pytest.raises(UnveilError, match="A0"):
        class_scores(P @ B, np.tile(P[0], (6, 1)))
    with pytest.raises(UnveilError, match="one row"):
        class_scores(P[:2] @ B, P)


test_bad_input = refused(
    (EMQ().fit, np.zeros((3, 2)), [0, 1], "same number of rows"),
    (ClassifyAndCount().fit, np.full((2, 2), np.nan), [0, 1], "finite"),
    (EMQ("much").fit, np.zeros((2, 2)), [0, 1], "^cost must be a number"),
)
