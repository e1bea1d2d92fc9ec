"""The bench's rows against what a user would take in our place, as its own users call it.

Those that are references of a limit already (scikit-learn's solvers, CRFsuite) have their rows there. Others' packages
are imported when they are measured, so that one that is not installed costs its own row alone.
"""

from __future__ import annotations

import warnings
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics.pairwise import rbf_kernel

from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tuning import Tuning
from replication.papers.crossover.epsilon.release import flip_probability
from tools.bench.inputs import SETS, STATES, TABLE, TESTS, census_like, draw_bags, draw_sets
from tools.bench.measure import Pair, Row
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.mmd_gram import mmd_gram
from unveil.estimators.statistics.risk import Design
from unveil.mechanisms.counts import GaussianCounts
from unveil.mechanisms.entropy import SecureGenerator
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.mechanisms.response import RandomizedResponse


def gram(rng: Generator, bags: int, points: int, features: int) -> Pair:
    """Kernel means of all pairs of bags and a test set, against scikit-learn's kernel matrix for each width."""
    sets = draw_sets(rng, bags, points, features)
    train, everything = np.concatenate(sets[:-1]), np.concatenate(sets)

    def matrices() -> None:
        for width in np.geomspace(0.1, 10, 11):
            kernel = rbf_kernel(train, everything, gamma=width / features)
            kernel.reshape(bags, points, bags + 1, points).mean(axis=(1, 3))

    return lambda: mmd_gram(sets[:-1], queries=sets[-1:]), matrices


def opendp_response(rng: Generator, records: int, states: int) -> Pair:
    """Randomised response of categories, against OpenDP's, a record at a time."""
    truth, veil = rng.integers(0, states, records), RandomizedResponse(states, 0.5)
    items, other = truth.tolist(), opendp().m.make_randomized_response(list(range(states)), prob=0.5)
    return lambda: veil.release(truth, rng), lambda: [other(item) for item in items]


def opendp() -> Any:
    """The package, with the parts that are not proven yet."""
    package = import_module("opendp.prelude")
    package.enable_features("contrib")
    return package


def opendp_counts(_: Generator, noise: str, records: int, states: int) -> Pair:
    """Exact noise on class counts of many sets, drawn from the operating system, against OpenDP's of the same scale."""
    dp, rng, counts = opendp(), SecureGenerator(), np.full((records, states), 500)
    domain, items = dp.vector_domain(dp.atom_domain(T=int), size=counts.size), counts.ravel().tolist()
    if noise == "geometric":
        veil: PublishedCounts = GeometricCounts(0.5)
        other = (domain, dp.l1_distance(T=int)) >> dp.m.then_laplace(scale=4.0)
    else:
        veil = GaussianCounts(0.5, 1e-5, "analytic", exact=True)
        other = (domain, dp.l2_distance(T=float)) >> dp.m.then_gaussian(scale=veil.deviation)
    return lambda: veil.release(counts, rng), lambda: other(items)


def ldpy_response(rng: Generator, records: int, states: int) -> Pair:
    """The same against multi-freq-ldpy's client."""
    client = import_module("multi_freq_ldpy.pure_frequency_oracles.GRR").GRR_Client
    truth, veil = rng.integers(0, states, records), RandomizedResponse(states, 0.5)
    items = truth.tolist()
    return lambda: veil.release(truth, rng), lambda: [client(item, states, 1.0) for item in items]


def ldpy_bits(rng: Generator, records: int, features: int) -> Pair:
    """Every bit of one-hot records flipped on its own, against multi-freq-ldpy's unary encoding."""
    client = import_module("multi_freq_ldpy.pure_frequency_oracles.UE").UE_Client
    hot = rng.integers(0, features, records)
    rows = np.zeros((records, features), dtype=np.float32)
    rows[np.arange(records), hot] = 1
    veil, items = PerValueRelease(1.0, 1.0), hot.tolist()
    return lambda: veil.release(rows, rng), lambda: [client(item, features, 1.0) for item in items]


def opendp_sums(rng: Generator, records: int, features: int) -> Pair:
    """The noisy sums of label times feature, against OpenDP's sums, a column at a time."""
    dp = opendp()
    x, y = rng.random((records, features)), np.where(rng.random(records) < 0.5, -1, 1)
    veil = GeometricMeanOperator(1.0, testing=True)
    domain = dp.vector_domain(dp.atom_domain(bounds=(-1.0, 1.0), nan=False), size=records)
    noisy = (domain, dp.symmetric_distance()) >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0)
    return lambda: veil.publish((x, y), rng), lambda: [noisy(x[:, j] * y) for j in range(features)]


def quapy_ratios(rng: Generator, bags: int, size: int, features: int, tests: int) -> Pair:
    """Class ratios of many test sets, learned once, against QuaPy's expectation maximisation from every label."""
    known, shares = draw_bags(rng, bags, size, features)
    unknown, _ = draw_bags(rng, tests, size, features)
    labels = np.concatenate([np.arange(size) < round(share * size) for share in shares[:, 1]]).astype(int)
    model = MMDClassRatio().fit(known, shares)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = import_module("quapy.method.aggregative").EMQ
        other = method(LogisticRegression()).fit(np.concatenate(known), labels)
    return lambda: model.predict(unknown), lambda: [other.predict(one) for one in unknown]


def crossover_fit(rng: Generator, loss: str, records: int) -> Pair:
    """A classifier of the crossover, tuned as its figures tune it, against whom a user would let tune a plain one."""
    tuning = Tuning()
    x, y = census_like(rng, records)
    flip = flip_probability(1.0)
    signs = np.where(rng.random(records) < flip, -y, y)
    # The mean loss + l2‖θ‖² of ours is scikit-learn's objective at C = 1/(2 n l2); a fold leaves out its share.
    rates = [1 / (2 * records * (1 - 1 / tuning.folds) * l2) for l2 in tuning.l2s]
    peer = LogisticRegressionCV(
        Cs=rates, cv=tuning.folds, scoring="neg_log_loss", fit_intercept=False, tol=tuning.tolerance, max_iter=200
    )

    def theirs() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that ended early, as ours do
            return peer.fit(x, signs)

    margins = LOSSES[loss](tuning.samples)
    return lambda: fit_tuned(Design(x), signs[None], np.array([flip]), margins, tuning), theirs


Peer = partial(Row, repeats=3, kinds=("peer",))
CROSSED = "{loss}: Census, {records:,}, nine ridges, five folds"
CROSS_VALIDATION = "scikit-learn LogisticRegressionCV on the flipped labels"
ROWS = (
    Peer("mmd_gram", SETS, "scikit-learn rbf_kernel", gram, {"bags": 10, "points": 250, "features": 784}),
    Peer("mmd_gram", SETS, "scikit-learn rbf_kernel", gram, {"bags": 4, "points": 600, "features": 28}),
    Peer("randomized_response", STATES, "OpenDP", opendp_response, {"records": 3_000, "states": 10}),
    Peer("randomized_response", STATES, "multi-freq-ldpy GRR", ldpy_response, {"records": 100_000, "states": 10}),
    Peer("per_value_release", TABLE, "multi-freq-ldpy UE", ldpy_bits, {"records": 1_000, "features": 1_000}),
    Peer("statistic_release", TABLE, "OpenDP sums with Laplace noise", opendp_sums,
         {"records": 100_000, "features": 10}),
    *(Peer("counts_release", "{noise}: {records:,} sets x {states} counts", "OpenDP", opendp_counts,
           {"noise": noise, "records": 1_000, "states": 10}) for noise in ("geometric", "discrete Gaussian")),
    Peer("ratio_predict", TESTS, "QuaPy EMQ, learned from every label", quapy_ratios,
         {"bags": 200, "size": 20, "features": 28, "tests": 20}, repeats=5),
    *(Peer("crossover_fit", CROSSED, CROSS_VALIDATION, crossover_fit, {"loss": loss, "records": 2_000})
      for loss in ("marginal", "moment", "mean_operator", "spread", "naive")),
)  # fmt: skip
