from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy.optimize import check_grad, minimize, minimize_scalar
from scipy.sparse import csr_array, issparse
from scipy.special import log_softmax

from refusals import refused
from unveil.estimators.bags.set_em import SetIdEM, fit_set_models, lean
from unveil.types import Array

P = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


def bag(shares: Array, size: int, rng: Generator, apart: float = 1.5) -> Array:
    counts = np.round(np.asarray(shares) * size).astype(int)
    return np.repeat(apart * np.eye(3), counts, axis=0) + rng.normal(size=(counts.sum(), 3))


def test_the_set_model_is_the_penalised_maximum_likelihood() -> None:
    """The same objective written in another way, with numerical gradients, has its minimum at the same place."""
    rng = default_rng(0)
    points, rows = np.concatenate([bag(p, 60, rng) for p in P]), np.repeat(P, 60, axis=0)
    (model,) = fit_set_models(points, rows, [0.1])
    x = (points - model.centre) / model.scale

    def loss(flat: Array) -> float:
        theta = flat.reshape(4, 3)
        total = 0.0
        for point, own in zip(x, rows, strict=True):
            shares = np.exp(log_softmax(point @ theta[:3] + theta[3]))
            total -= np.log(own @ shares) - np.log(rows.mean(axis=0) @ shares)
        return float(total / len(x) + 0.5 * (theta[:3] ** 2).sum() / (0.1 * len(x)))

    found = minimize(loss, model.weights.ravel(), tol=1e-10)
    assert found.fun == pytest.approx(loss(model.weights.ravel()), abs=1e-7)
    assert check_grad(loss, lambda _: np.zeros(12), model.weights.ravel()) < 1e-3


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_coordinates_that_never_change_say_nothing(kind: type) -> None:
    """Also one whose mean is off by a rounding, which is no spread."""
    rng = default_rng(2)
    points, rows = np.concatenate([bag(p, 60, rng) for p in P]), np.repeat(P, 60, axis=0)
    constant: Array = np.column_stack([np.full(180, 0.1), points, np.zeros(180)]).astype(kind)
    costs = [0.01, 0.1]
    for plain, model in zip(
        fit_set_models(points.astype(kind), rows, costs), fit_set_models(constant, rows, costs), strict=True
    ):
        np.testing.assert_array_equal(model.weights[1:4], plain.weights[:3])
        np.testing.assert_array_equal(model.weights[[0, 4]], 0.0)
        np.testing.assert_array_equal(model.weights[5], plain.weights[3])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("words", [60, 0])
def test_points_with_few_coordinates_give_the_same_models(
    words: int, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no coordinate is anything but zero, and with one that hardly changes."""
    rng, rows = default_rng(3), np.repeat(P, 60, axis=0)
    points: Array = np.zeros((180, 120), kind)
    points[:, :words] = np.where(rng.random((180, words)) < 0.03 + 0.1 * rows[:, [0]], rng.random((180, words)), 0.0)
    points[:, words] = 0.0 if words == 0 else 1.0 + 1e-6 * rng.random(180)
    thin = list(fit_set_models(points, rows, [0.01, 1.0]))
    assert issparse(lean(points))
    monkeypatch.setattr("unveil.estimators.bags.set_em.thin_out", lambda _: None)
    dense = list(fit_set_models(points.astype(float), rows, [0.01, 1.0]))
    for one, other in zip(thin, dense, strict=True):
        np.testing.assert_allclose(one.scale, other.scale, rtol=1e-6)
        np.testing.assert_allclose(one.weights, other.weights, atol=2e-3)
        sparse = one.log_shares(csr_array(points))
        np.testing.assert_allclose(sparse, one.log_shares(points), atol=1e-9)
        np.testing.assert_allclose(sparse, other.log_shares(points), atol=1e-2)


@pytest.mark.slow
def test_error_falls_as_sets_grow() -> None:
    truth = np.array([0.1, 0.3, 0.6])

    def error(size: int) -> float:
        found = []
        for seed in range(8):
            rng = default_rng([2, seed])
            first, second = ([bag(p, size, rng) for p in P] for _ in range(2))
            found.append(np.abs(SetIdEM().fit(first, P, (second, P)).predict(bag(truth, size, rng)) - truth).sum())
        return float(np.mean(found))

    assert error(1600) < 0.6 * error(100)


def test_halves_of_the_bags_serve_where_no_others_are_held_out() -> None:
    rng = default_rng(3)
    bags, truth = [bag(p, 400, rng, 3.0) for p in P], np.array([[0.0, 0.5, 0.5], [0.7, 0.2, 0.1]])
    sets = [bag(p, 300, rng, 3.0) for p in truth]
    mixed = [rng.permutation(b) for b in bags]
    model = SetIdEM().fit(mixed, P)
    np.testing.assert_allclose(model.predict(sets), truth, atol=0.1)
    alone = SetIdEM([model.cost_]).fit(mixed, P)  # the penalty that it says was chosen
    np.testing.assert_allclose(alone.model_.log_shares(sets[0]), model.model_.log_shares(sets[0]), atol=0.1)


def test_predictions_are_most_likely_at_the_temperature_that_was_chosen() -> None:
    """With a penalty that leaves scores too small, against a search over the share of the second class."""
    rng, P2 = default_rng(4), np.array([[0.9, 0.1], [0.2, 0.8]])
    model = SetIdEM([0.1]).fit([bag(p, 200, rng)[:, :2] for p in np.column_stack([P2, [0, 0]])], P2)
    assert model.temperature_ < 0.8
    points = bag(np.array([0.35, 0.65, 0.0]), 300, rng)[:, :2]
    centre, scale, weights = model.model_
    odds = np.exp(np.diff((points - centre) / scale @ weights[:-1] + weights[-1])[:, 0] / model.temperature_)
    best = minimize_scalar(lambda q: -np.log1p(q * (odds - 1)).sum(), bounds=(0, 1), method="bounded").x
    assert model.predict(points)[1] == pytest.approx(best, abs=1e-3)


test_bad_input = refused(
    ([], "costs must be positive"),
    ([0.0], "costs must be positive"),
    call=lambda costs: SetIdEM(costs).fit([bag(p, 20, default_rng(0)) for p in P], P),
)
