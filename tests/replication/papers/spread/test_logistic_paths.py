"""Batched gradient ascent against scikit-learn, and cross-validation against a loop."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from refusals import refused
from replication.papers.spread.fig3.paths import ascend, tuned_path
from unveil.types import Array, Floats


def _data(n: int = 90, d: int = 4) -> tuple[Floats, Array]:
    rng = default_rng(60)
    inputs = rng.normal(size=(n, d))
    return inputs, (rng.random(n) < expit(inputs @ np.arange(1.0, d + 1))).astype(np.uint8)


def test_ascent_converges_to_the_penalised_maximum() -> None:
    inputs, labels = _data()
    rows = np.ones((90, 3), bool)
    rows[::3, 2] = False
    found = ascend(inputs, labels, [0.05, 0.3, 0.3], 1.0, [4000], rows)[0]
    for weights, l2, chosen in zip(found, (0.05, 0.3, 0.3), rows.T, strict=True):
        peer = LogisticRegression(C=1 / (l2 * chosen.sum()), fit_intercept=False, tol=1e-10, max_iter=5000)
        np.testing.assert_allclose(weights, peer.fit(inputs[chosen], labels[chosen]).coef_[0], rtol=1e-4)


def test_checkpoints_are_points_of_one_path() -> None:
    inputs, labels = _data()
    path = ascend(inputs, labels, [0.1], 0.5, [3, 1, 7])
    for row, count in zip(path, (3, 1, 7), strict=True):
        assert np.array_equal(row, ascend(inputs, labels, [0.1], 0.5, [count])[0])
    np.testing.assert_allclose(path[1, 0], 0.5 * (labels - 0.5) @ inputs / 90)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 3), (7, 9), (9, 9), (9, 7)], ids=str)
def test_few_rows_of_many_inputs_are_ascended_alike(kind: type, shape: tuple[int, int]) -> None:
    inputs, labels = _data(*shape)
    penalties, rows = np.array([0.0, 0.1]), np.ones((len(inputs), 2), bool)
    rows[1::2, 1] = False
    theta = np.zeros((shape[1], 2))
    for _ in range(20):
        residual = rows / rows.sum(axis=0) * (labels[:, None] - expit(inputs @ theta))
        theta += 0.5 * (inputs.T @ residual - penalties * theta)
    found = ascend(inputs.astype(kind), labels, penalties.tolist(), 0.5, [20], rows)[0]
    assert found.dtype == kind
    np.testing.assert_allclose(found.T, theta, rtol=1e-4 if kind is np.float32 else 1e-10, atol=1e-6)


def test_tuning_takes_the_least_cross_validated_loss() -> None:
    inputs, labels = _data()
    penalties, folds = [0.0, 0.02, 0.2, 2.0], 3
    weights, chosen = tuned_path(inputs, labels, penalties, 0.5, [5, 200], folds)
    for point, count in enumerate((5, 200)):
        losses = []
        for l2 in penalties:
            loss = 0.0
            for fold in range(folds):
                held = np.arange(90) % folds == fold
                theta = ascend(inputs[~held], labels[~held], [l2], 0.5, [count])[0, 0]
                z = np.where(labels[held] == 1, 1, -1) * (inputs[held] @ theta)
                loss += float(np.log1p(np.exp(-z)).sum())
            losses.append(loss)
        best = penalties[int(np.argmin(losses))]
        assert chosen[point] == best
        np.testing.assert_allclose(weights[point], ascend(inputs, labels, [best], 0.5, [count])[0, 0])


test_bad_input = refused((tuned_path, *_data(), [0.1], 0.5, [1], 91, "folds"))
