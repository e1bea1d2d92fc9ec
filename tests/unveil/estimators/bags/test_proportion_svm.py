from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.svm import SVC

from refusals import refused
from unveil.estimators.bags.kernel_svm import solve_svm
from unveil.estimators.bags.proportion_svm import ProportionSVM, best_labels, first_labels
from unveil.types import Array

P = np.array([[0.9, 0.1], [0.1, 0.9]])


def bag(share: float, size: int, rng: np.random.Generator, gap: float = 4.0) -> Array:
    labels = np.arange(size) < round(share * size)
    return np.asarray(rng.normal(size=(size, 2)) + gap * labels[:, None] * np.array([1.0, 0.0]))


def test_the_solver_survives_labels_of_one_kind() -> None:
    beta, offset, _ = solve_svm(np.eye(3), np.ones(3), 1.0, np.array([0.5, -0.5, 0.0]))
    assert (beta == 0).all()
    assert offset >= 1.0 - 1e-12


@pytest.mark.parametrize("cost", [1e-4, 0.3, 20.0])
@pytest.mark.parametrize("start", ["labels", "cheaper", "dearer", "other labels", "random", "zero"])
def test_the_solver_ends_at_the_same_optimum_from_any_start(cost: float, start: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    kernel = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 2)
    y = np.where(X[:, 0] + rng.normal(size=60) > 0.4, 1.0, -1.0)
    flipped = np.where(rng.random(60) < 0.2, -y, y)
    duals = {
        "labels": y,
        "cheaper": solve_svm(kernel, y, cost / 1.5, np.zeros(60), tolerance=1e-6).dual,
        "dearer": solve_svm(kernel, y, cost * 7.0, np.zeros(60), tolerance=1e-6).dual,
        "other labels": solve_svm(kernel, flipped, cost, np.zeros(60), tolerance=1e-6).dual,
        "random": rng.normal(size=60),
        "zero": np.zeros(60),
    }
    found = solve_svm(kernel, y, cost, duals[start], tolerance=1e-7)
    spared = solve_svm(kernel, y, cost, duals[start], kernel @ duals[start], tolerance=1e-7)
    reference = SVC(C=cost, kernel="precomputed", tol=1e-9).fit(kernel, y)
    np.testing.assert_array_equal(found.dual, spared.dual)
    np.testing.assert_allclose(found.scores, kernel @ found.dual, atol=1e-12)
    np.testing.assert_allclose(found.scores + found.offset, reference.decision_function(kernel), atol=1e-5)
    assert found.dual.sum() == pytest.approx(0.0, abs=1e-10 * cost)
    assert ((found.dual * y >= 0) & (found.dual * y <= cost * (1 + 1e-12))).all()


def test_points_at_the_bound_stay_there_when_the_cost_grows() -> None:
    labels = np.array([1.0, -1.0, 1.0, -1.0])
    kernel = np.eye(4) + 0.5
    at_bound = solve_svm(kernel, labels, 0.1, labels)
    np.testing.assert_array_equal(at_bound.dual, 0.1 * labels)
    np.testing.assert_array_equal(solve_svm(kernel, labels, 0.13, *at_bound[::2]).dual, 0.13 * labels)


@pytest.mark.parametrize("seed", range(6))
def test_best_labels_against_all_labellings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, share, cost, price = rng.normal(size=8) * 2, rng.random(), 0.7, rng.choice([0.0, 0.3, 2.0])

    def objective(labels: Array) -> float:
        hinge = np.maximum(1 - labels * scores, 0).sum()
        return float(cost * (hinge + price * abs((labels > 0).sum() - 8 * share)))

    best = min(objective(np.array(labels)) for labels in product([-1.0, 1.0], repeat=8))
    labels, value = best_labels(scores, np.array([0, 8]), np.array([share]), cost, price)
    assert value == pytest.approx(best)
    assert objective(labels) == pytest.approx(best)


def test_best_labels_of_bags_of_one_and_of_equal_points() -> None:
    """Every bag alone; of equal points the first ones are positive."""
    scores, starts, shares = np.array([2.0, -0.5, 0.1, 0.1, 0.1, 0.1]), np.array([0, 1, 2, 6]), np.array([1, 0, 0.5])
    labels, value = best_labels(scores, starts, shares, 2.0, 10.0)
    np.testing.assert_array_equal(labels, [1, -1, 1, 1, -1, -1])
    assert value == pytest.approx(2.0 * (0.0 + 0.5 + 2 * 0.9 + 2 * 1.1))


def test_first_labels_have_the_proportions() -> None:
    labels = first_labels(np.array([0, 10, 30]), np.array([0.3, 0.5]), np.random.default_rng(0))
    assert ((labels[:10] > 0).sum(), (labels[10:] > 0).sum()) == (3, 10)


@pytest.mark.slow
def test_it_learns_where_classes_are_apart() -> None:
    rng = np.random.default_rng(2)
    bags, held_out = [bag(0.1, 100, rng), bag(0.9, 100, rng)], [bag(0.1, 100, rng), bag(0.9, 100, rng)]
    model = ProportionSVM(bandwidths=[1.0, 4.0], costs=(1.0,), random_state=np.random.default_rng(0))
    model.fit(bags, P, (held_out, P))
    for share in (0.0, 0.3, 0.8):
        X = bag(share, 200, rng)
        assert model.predict(X)[1] == pytest.approx(share, abs=0.1)
        assert model.predict_unmixed(X)[1] == pytest.approx(share, abs=0.1)


def test_ratios_are_shares_of_decisions() -> None:
    rng = np.random.default_rng(4)
    model = ProportionSVM(bandwidths=[1.0], costs=(1.0,), restarts=1).fit([bag(0.1, 50, rng), bag(0.9, 50, rng)], P)
    X = bag(0.3, 60, rng)
    decided = model.decide(X)
    assert decided.shape == (60,)
    assert model.predict(X).tolist() == [1.0 - decided.mean(), decided.mean()]


@pytest.mark.parametrize("bandwidths", [[1e-3, 1.0], [1.0, 1e-3]])
def test_the_bandwidth_that_errs_least_on_the_validation_bags_is_chosen(bandwidths: list[float]) -> None:
    """A kernel that sees no point but its own knows nothing of others."""
    rng = np.random.default_rng(6)
    bags, held = ([bag(0.1, 30, rng), bag(0.9, 30, rng)] for _ in range(2))
    model = ProportionSVM(bandwidths, costs=[1.0], restarts=1, annealing=3.0).fit(bags, P, (held, P))
    assert model.model_.bandwidth == 1.0


@pytest.mark.slow
def test_annealing_reaches_a_low_objective() -> None:
    """On a small problem the alternation comes near the best of all labellings with the right counts."""
    rng = np.random.default_rng(3)
    X = np.concatenate([bag(0.25, 4, rng), bag(0.75, 4, rng)])
    kernel = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)

    def svm_objective(labels: Array) -> float:
        factor = np.linalg.cholesky(kernel + 1e-10 * np.eye(8))

        def loss(w: Array) -> float:
            f = factor @ w[:-1] + w[-1]
            hinge = np.maximum(1 - labels * f, 0)
            return float(0.5 * w[:-1] @ w[:-1] + (hinge**2 / (hinge + 1e-3)).sum())

        return float(minimize(loss, np.zeros(9), tol=1e-8).fun)

    first = [l for l in product([-1.0, 1.0], repeat=4) if sum(l) == -2]  # noqa: E741
    second = [l for l in product([-1.0, 1.0], repeat=4) if sum(l) == 2]  # noqa: E741
    best = min(svm_objective(np.array(a + b)) for a in first for b in second)
    model = ProportionSVM(bandwidths=[2.0], costs=(1.0,), restarts=5, random_state=np.random.default_rng(0))
    model.fit([X[:4], X[4:]], np.array([[0.75, 0.25], [0.25, 0.75]]))
    assert model.model_.objective <= best * 1.05 + 0.05


test_bad_input = refused(
    ({}, np.eye(3)[:2], "rank|two columns"),
    ({"annealing": 1.0}, P, "annealing"),
    ({"restarts": 0}, P, "restarts"),
    ({"costs": (0.0,)}, P, "costs"),
    call=lambda change, proportions: ProportionSVM(**change).fit([np.zeros((4, 2)), np.ones((4, 2))], proportions),
)


@pytest.mark.parametrize("kind", [np.float32, np.float64, "sparse"])
@pytest.mark.parametrize("held", [False, True])
def test_shared_distances_judge_a_machine_as_its_predictions_do(kind: type | str, held: bool) -> None:
    rng = np.random.default_rng(5)

    def stored(share: float, size: int) -> Any:
        points = bag(share, size, rng, gap=1.0)
        return csr_array(points) if kind == "sparse" else points.astype(kind)

    bags = [stored(0.1, 20), stored(0.8, 30)]
    others = [stored(0.3, 25), stored(0.6, 11), stored(0.5, 1)]
    truth = np.array([[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]])
    rows = np.array([[0.9, 0.1], [0.2, 0.8]])
    model = ProportionSVM([0.5, 2.0], costs=[0.1, 1.0], restarts=1, annealing=3.0)
    model.fit(bags, rows, (others, truth) if held else None)
    judged, known = (others, truth) if held else (bags, rows)
    found = np.stack([model.predict(one.toarray() if kind == "sparse" else one) for one in judged])
    assert model.validation_error_ == pytest.approx(np.abs(found - known).sum(axis=1).mean(), abs=1e-12)
