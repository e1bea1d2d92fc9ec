"""A warning names the line of the user's program that led to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import unveil
from unveil import ExactMoments, FeatureClassRatio, MMDClassRatio, MomentClassifier, MomentRegression

SHARES = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
BAGS: list[Any] = list(default_rng(6).normal(size=(3, 40, 2)))
TABLE, VEIL = default_rng(7).random((200, 2)), ExactMoments(0.1, testing=True)
SIGNS = np.sign(TABLE[:, 0] - 0.5)
OPERATOR = unveil.GeometricMeanOperator(20.0, testing=True).publish((TABLE, SIGNS), default_rng(8))
NUMBERS = VEIL.publish((TABLE, TABLE[:, 0]), default_rng(8))
CLASSES = VEIL.publish((TABLE, TABLE[:, 0] > 0.5), default_rng(8), classes=(False, True))


@pytest.mark.parametrize(
    ("warned", "message"),
    [
        (lambda: MMDClassRatio([1e-3], "unbiased").fit(BAGS, SHARES), "not positive definite"),
        (lambda: MMDClassRatio([1e5]).fit(BAGS, SHARES), "badly conditioned"),
        (lambda: MMDClassRatio([0.01, 0.011, 0.012]).fit(BAGS, SHARES, (BAGS, SHARES)), "the last of its grid"),
        (lambda: FeatureClassRatio([1e-3], 50).fit(BAGS, SHARES).predict(BAGS[0]), "cannot be told apart"),
        (lambda: FeatureClassRatio([1e-3, 2e-3], 50).fit(BAGS, SHARES).tune(BAGS, SHARES), "cannot be told apart"),
        (lambda: MomentRegression().partial_fit(NUMBERS), "no better than the mean"),
        (lambda: unveil.MeanOperatorClassifier(max_iter=1).fit(TABLE, TABLE[:, 0] > 0.5), "no convergence"),
        (lambda: unveil.MeanOperatorClassifier(max_iter=1).fit(OPERATOR, TABLE), "no convergence"),
        (lambda: MomentRegression().fit(NUMBERS), "no better than the mean"),
        (lambda: MomentClassifier().fit(CLASSES), "no better than the majority"),
        (lambda: MomentRegression().fit(TABLE[:, [0, 0]], TABLE[:, 1]).intervals(), "1 of 3 directions"),
    ],
)
def test_warnings_of_every_estimator(warned: Callable[[], object], message: str) -> None:
    with pytest.warns(UserWarning, match=message) as caught:
        warned()
    assert {(one.filename, one.lineno) for one in caught} == {(__file__, warned.__code__.co_firstlineno)}
