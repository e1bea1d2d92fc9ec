"""The bench's rows for what is learned from sums: from sparse features, and for many sets at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse

from tools.bench.kernels import census_like
from tools.bench.measure import Kernel, Took, Work
from unveil.types import Array, Floats

#: What the contract of `ratio_predict` allows on one core of the reference machine.
PREDICT_SECONDS = 0.05


def ratio_predict(bags: int = 2_000, size: int = 20, features: int = 28, tests: int = 20) -> Kernel:
    """Class ratios of many test sets, learned from many small sets, against the time that is allowed."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.estimators.bags.mmd import MMDClassRatio

        known, shares = drawn_bags(rng, bags, size, features)
        unknown, _ = drawn_bags(rng, tests, size, features)
        model = MMDClassRatio().fit(known, shares)
        return lambda: model.predict(unknown), lambda: Took(PREDICT_SECONDS)

    what = f"{bags:,} bags x {size}, {tests} test sets"
    return Kernel("ratio_predict", what, f"{PREDICT_SECONDS} s on the reference machine", 1, make)


def drawn_bags(rng: Generator, bags: int, size: int, features: int) -> tuple[list[Floats], Floats]:
    """Sets of two classes that differ in their means, and their class shares."""
    positive = rng.binomial(size, rng.uniform(0.1, 0.9, bags))
    labels = np.arange(size) < positive[:, None]
    points = rng.normal(size=(bags, size, features)) + 0.5 * labels[..., None]
    return list(points), np.stack([1 - positive / size, positive / size], axis=1)


def mean_operator_sparse(solver: str = "lbfgs", records: int = 48_842) -> Kernel:
    """Logistic regression from the mean operator of Census's one-hot columns, against scikit-learn on the labels."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from sklearn.linear_model import LogisticRegression

        from unveil.estimators.statistics.classifier import MeanOperatorClassifier

        x, y = one_hot(rng, records)
        l2, tol = 1e-3, 1e-6
        mu = np.asarray(x.T @ y) / len(y)
        peer = LogisticRegression(C=1 / (2 * len(y) * l2), fit_intercept=False, tol=tol, max_iter=10_000, solver=solver)
        return lambda: MeanOperatorClassifier(l2=l2, tol=tol).fit_statistic(x, mu), lambda: peer.fit(x, y)

    reference = f"scikit-learn LogisticRegression, {solver}"
    return Kernel("mean_operator_sparse", f"Census, {records:,}", reference, 0.8, make, alike=True)


def one_hot(rng: Generator, records: int) -> tuple[Any, Array]:
    """Census's categories as a sparse matrix: all columns but the six continuous ones, which are dense."""
    x, y = census_like(rng)
    columns = [j for j in range(x.shape[1]) if np.isin(x[:, j], (0, 1)).all()]
    return sparse.csr_array(x[:records, columns]), y[:records]


SUMS = (
    ratio_predict(),
    mean_operator_sparse("lbfgs"),
    mean_operator_sparse("newton-cholesky"),
    mean_operator_sparse("liblinear"),
)
