"""The learner against scikit-learn, scipy and closed forms; unbounded objectives against linear programming."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog, minimize
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

from refusals import refused
from replication.papers.mean_operator.factorization import labelled_risk
from unveil.errors import UnveilError
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.estimators.statistics.losses import CAUCHY, LOGISTIC, LOSSES, SQUARE, LinearOddLoss, absolute_loss
from unveil.estimators.statistics.proper_losses import ENTROPY, ROOT, mixture, symmetric_proper_loss
from unveil.estimators.statistics.risk import Design, StatisticRisk
from unveil.types import Array, Floats

SMOOTH = [loss for loss in LOSSES.values() if loss.convex and loss.smoothed is None]


def problem(m: int = 400, d: int = 6, seed: int = 0) -> tuple[Floats, Array, Floats]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) * np.geomspace(1, 0.05, d)
    y = np.where(rng.random(m) < 1 / (1 + np.exp(-3 * X @ rng.normal(size=d))), 1, -1)
    return X, y, y @ X / m


def tumours() -> tuple[Floats, Array]:
    data = load_breast_cancer()
    scaled = (data.data - data.data.mean(0)) / data.data.std(0)
    return np.column_stack([scaled, np.ones(len(scaled))]), 2 * data.target - 1


@pytest.mark.parametrize(("X", "y", "l2"), [*((*problem()[:2], l2) for l2 in (1e-1, 1e-3, 1e-5)), (*tumours(), 1e-3)])
def test_exact_statistic_equals_scikit_learn_on_labels(X: Floats, y: Array, l2: float) -> None:
    ours = MeanOperatorClassifier(l2=l2).fit_statistic(X, y @ X / len(y))
    peer = LogisticRegression(C=1 / (2 * l2 * len(y)), fit_intercept=False, tol=1e-13, solver="newton-cholesky")
    assert_allclose(ours.coef_, peer.fit(X, y).coef_, atol=1e-6, rtol=0)
    assert np.array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    # Newton's method: without Hessians from where it is, ten times as many.
    assert ours.n_iter_ < 30


@pytest.mark.parametrize(
    "loss", [*SMOOTH, symmetric_proper_loss(mixture(ENTROPY, ROOT, 0.5), 0.8)], ids=lambda loss: loss.name
)
def test_minimum_matches_a_general_optimiser_on_the_labelled_risk(loss: LinearOddLoss) -> None:
    X, y, mu = problem(120, 4)
    ours = MeanOperatorClassifier(loss, l2=0.01).fit_statistic(X, mu)

    def labelled(theta: Floats) -> float:
        return labelled_risk(loss, theta, X, y) + 0.01 * float(theta @ theta)

    theirs = minimize(labelled, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    assert_allclose(ours.coef_[0], theirs.x, atol=1e-5)
    assert ours.objective_ <= theirs.fun + 1e-12
    assert_allclose(ours.objective_, labelled(ours.coef_[0]), atol=1e-12)
    assert ours.gradient_norm_ <= 1e-9
    assert ours.suboptimality_ <= 1e-15


def test_square_and_linear_have_closed_forms() -> None:
    X, _, mu = problem()
    square = MeanOperatorClassifier("square", l2=0.02).fit_statistic(X, mu)
    assert_allclose(square.coef_[0], np.linalg.solve(X.T @ X / len(X) + 0.02 * np.eye(6), mu), atol=1e-9)
    linear = MeanOperatorClassifier("linear", l2=0.02).fit_statistic(X, mu)
    assert_allclose(linear.coef_[0], mu / 0.04, atol=1e-9)


@pytest.mark.parametrize("sign", [-1, 1])
def test_loss_with_a_kink_comes_within_its_certificate_of_a_conic_optimum(sign: int) -> None:
    """The dual is a least-squares problem on a box; with the exact statistic θ = 0 is best whatever the labels."""
    X, _, mu = problem(60, 3)
    outside = 3 * mu
    loss, l2 = absolute_loss(1.0), 0.05

    def dual(s: Floats) -> float:
        gap = outside - X.T @ s / len(X)
        return float(gap @ gap)

    box = minimize(
        dual,
        np.zeros(60),
        jac=lambda s: -2 * X @ (outside - X.T @ s / 60) / 60,
        bounds=[(-1, 1)] * 60,
        options={"ftol": 1e-15, "gtol": 1e-12},
    )
    fitted = MeanOperatorClassifier(loss, l2=l2, tol=1e-8).fit_statistic(X, sign * outside)
    best = 1 - box.fun / (4 * l2)
    assert best - 1e-9 <= fitted.objective_ <= best + fitted.suboptimality_ + 1e-9
    assert fitted.suboptimality_ < 1e-6
    assert_allclose(fitted.coef_[0], sign * (outside - X.T @ box.x / 60) / (2 * l2), atol=1e-3)
    assert_allclose(MeanOperatorClassifier(loss, l2=l2, tol=1e-8).fit_statistic(X, sign * mu).coef_, 0, atol=1e-6)


def test_loss_without_convexity_reaches_a_stationary_point() -> None:
    X, _, mu = problem()
    fitted = MeanOperatorClassifier(CAUCHY, l2=0.01).fit_statistic(X, mu)
    assert fitted.gradient_norm_ <= 1e-9
    assert fitted.suboptimality_ == np.inf
    assert fitted.objective_ < 0


def test_gradient_matches_differences_across_blocks() -> None:
    X, _, mu = problem(5000, 3)
    risk, theta, h = StatisticRisk(Design(X), mu, LOGISTIC, 0.1), np.array([0.5, -1.0, 2.0]), 1e-6
    differences = [(risk.at(theta + h * e).value - risk.at(theta - h * e).value) / (2 * h) for e in np.eye(3)]
    assert_allclose(risk.at(theta).gradient, differences, atol=1e-8)
    assert_allclose(risk.at(theta).margins, X @ theta)
    assert_allclose(risk.at(np.zeros(3)).gradient, -mu / 2)


def is_unbounded_by_linear_programming(X: Floats, mu: Floats) -> bool:
    """Whether some |θ| ≤ 1 has mean|⟨θ, x⟩| < ⟨θ, μ⟩: the recession of logistic, Matsushita and modified Huber."""
    m, d = X.shape
    cost = np.r_[-mu, np.full(m, 1 / m)]
    faces = np.block([[X, -np.eye(m)], [-X, -np.eye(m)]])
    found = linprog(cost, A_ub=faces, b_ub=np.zeros(2 * m), bounds=[(-1, 1)] * d + [(0, None)] * m)
    return bool(found.fun < -1e-7)


@pytest.mark.parametrize("name", ["logistic", "matsushita", "modified_huber"])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), reach=st.floats(0.2, 3))
def test_unbounded_objective_is_told_exactly_when_it_is_one(name: str, seed: int, reach: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    mu = reach * rng.choice([-1, 1], 25) @ X / 25 + reach * 0.2 * rng.normal(size=3)
    learner = MeanOperatorClassifier(name, l2=0, tol=1e-9)
    if is_unbounded_by_linear_programming(X, mu):
        with pytest.raises(UnveilError, match="unbounded below"):
            learner.fit_statistic(X, mu)
        assert MeanOperatorClassifier(name, l2=1e-3).fit_statistic(X, mu).gradient_norm_ < 1e-8
    else:
        assert learner.fit_statistic(X, mu).gradient_norm_ < 1e-8


def test_square_loss_is_bounded_for_any_statistic_in_the_row_space() -> None:
    X, _, mu = problem()
    fitted = MeanOperatorClassifier(SQUARE, l2=0).fit_statistic(X, 50 * mu)
    assert_allclose(fitted.coef_[0], np.linalg.solve(X.T @ X / len(X), 50 * mu), rtol=1e-6)
    flat = np.column_stack([X, X[:, 0]])
    with pytest.raises(UnveilError, match="unbounded below"):
        MeanOperatorClassifier(SQUARE, l2=0).fit_statistic(flat, np.r_[mu, mu[0] + 1])


@pytest.mark.parametrize("name", ["linear", "absolute", "cauchy"])
def test_losses_of_slow_growth_are_unbounded_without_a_penalty(name: str) -> None:
    X, _, mu = problem()
    with pytest.raises(UnveilError, match="unbounded below"):
        MeanOperatorClassifier(name, l2=0, tol=1e-8).fit_statistic(X, 10 * mu)


def test_redundant_and_rare_columns_do_no_harm() -> None:
    rng = np.random.default_rng(5)
    X = np.zeros((6000, 8))
    X[np.arange(6000), rng.integers(0, 5, 6000)] = 1
    X[:, 5], X[17, 6], X[:, 7] = (1, 1, rng.normal(size=6000))  # the sum of five others; one record only; a plain one
    y = np.where(rng.random(6000) < 0.3 + 0.4 * X[:, 1], 1, -1)
    for l2 in (1e-6, 0.0):
        fitted = MeanOperatorClassifier(l2=l2, tol=1e-9).fit(X, y)
        assert fitted.gradient_norm_ < 1e-8
        assert fitted.n_iter_ < 60


def test_fit_is_fit_statistic_with_the_mean_operator() -> None:
    X, y, mu = problem()
    by_labels = MeanOperatorClassifier(fit_intercept=False).fit(X, np.where(y > 0, "yes", "no"))
    assert_allclose(by_labels.coef_, MeanOperatorClassifier().fit_statistic(X, mu).coef_, atol=1e-12)
    assert set(by_labels.predict(X)) == {"yes", "no"}


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_the_estimator() -> None:
    check_estimator(MeanOperatorClassifier())


def test_a_fit_that_has_not_converged_says_so() -> None:
    X, _, mu = problem()
    with pytest.warns(ConvergenceWarning, match="no convergence in 1 steps"):
        MeanOperatorClassifier(max_iter=1).fit_statistic(X, mu)


def spoiled_fit(change: dict[str, Any]) -> None:
    X, _, mu = problem()
    data = {"X": X, "mu": mu} | change
    learner = MeanOperatorClassifier(**{key: change[key] for key in change.keys() & {"l2", "loss", "tol", "max_iter"}})
    if "y" in data:
        learner.fit(X, data["y"])
    else:
        learner.fit_statistic(data["X"], data["mu"])


test_bad_input_is_named = refused(
    ({"mu": np.ones(5)}, r"mu must have shape \(6,\)"),
    ({"mu": np.full(6, np.nan)}, "mu must be finite"),
    ({"X": np.full((3, 6), np.nan)}, "NaN"),
    ({"X": np.zeros((0, 6))}, "0 sample"),
    ({"l2": -1.0}, "l2 must be"),
    ({"l2": np.nan}, "l2 must be"),
    ({"loss": "hinge"}, "loss must be"),
    ({"tol": 0.0}, "tol must be"),
    ({"max_iter": 0}, "max_iter must be"),
    ({"y": np.ones(400)}, "two classes, got 1"),
    ({"y": np.arange(400) % 3}, "two classes, got 3"),
    ({"y": np.full(400, np.nan)}, "NaN"),
    call=spoiled_fit,
)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_sparse_features_and_weights_are_dense_ones_and_copies(fit_intercept: bool) -> None:
    X, y, _ = problem(2500, 5)
    X[np.abs(X) < 0.02] = 0
    counts = np.random.default_rng(1).integers(0, 4, 2500)
    settings_ = {"l2": 0.01, "fit_intercept": fit_intercept}
    copied = MeanOperatorClassifier(**settings_).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))  # type: ignore[arg-type]
    weighted = MeanOperatorClassifier(**settings_).fit(X, y, sample_weight=3.0 * counts)  # type: ignore[arg-type]
    thin = MeanOperatorClassifier(**settings_).fit(sparse.csc_array(X), y, sample_weight=counts)  # type: ignore[arg-type]
    for other in (weighted, thin):
        assert_allclose(other.coef_, copied.coef_, atol=1e-7)
        assert_allclose(other.intercept_, copied.intercept_, atol=1e-7)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), copied.decision_function(X), atol=1e-7)


def test_an_intercept_is_the_weight_of_a_constant() -> None:
    X, y, _ = problem()
    y[:300] = 1
    wide = np.column_stack([X, np.ones(len(X))])
    long, short = (
        MeanOperatorClassifier(l2=0.01, fit_intercept=False).fit(wide, y),
        MeanOperatorClassifier(l2=0.01).fit(X, y),
    )
    assert_allclose(short.coef_[0], long.coef_[0, :-1], atol=1e-8)
    assert short.intercept_[0] == pytest.approx(long.coef_[0, -1], abs=1e-8)
    assert np.array_equal(short.predict(X), long.predict(wide))
    statistic = MeanOperatorClassifier(l2=0.01, fit_intercept=True).fit_statistic(X, y @ wide / len(y))
    assert_allclose(statistic.coef_, short.coef_, atol=1e-8)


@pytest.mark.parametrize("name", ["logistic", "square", "matsushita", "modified_huber"])
def test_probabilities_are_those_for_which_a_margin_is_the_least_risky(name: str) -> None:
    """Against the definition: z minimises p·f(z) + (1 − p)·f(−z)."""
    loss = LOSSES[name]
    model = MeanOperatorClassifier(name, l2=1.0)
    model.coef_, model.intercept_, model.classes_, model.n_features_in_ = np.eye(1), np.zeros(1), np.array([-1, 1]), 1
    for p in (0.1, 0.4, 0.5, 0.8):
        z = minimize(lambda z, p=p: float(p * loss(z)[0] + (1 - p) * loss(-z)[0]), [0.0]).x
        assert model.predict_proba(z[:, None])[0, 1] == pytest.approx(p, abs=1e-4)


@pytest.mark.parametrize("name", ["linear", "absolute", "cauchy"])
def test_losses_without_probabilities_have_none(name: str) -> None:
    assert not hasattr(MeanOperatorClassifier(name), "predict_proba")


test_bad_weights_are_named = refused(
    *(
        ({"sample_weight": weights}, "^sample_weight")
        for weights in (np.ones(3), -np.ones(400), np.zeros(400), np.nan, ["one"] * 400)
    ),
    call=lambda given: MeanOperatorClassifier().fit(*problem()[:2], **given),
)
