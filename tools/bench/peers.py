"""The bench's rows against what a user would take in our place, as its own users call it.

Those that are references of a limit already (scikit-learn's solvers, CRFsuite) have their rows there. All are imported
when they are measured, so that one that is not installed costs its own row alone.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from numpy.random import Generator

from tools.bench.measure import Kernel, Work
from tools.bench.sums import drawn_bags


def kernel_sums(points: int = 250, bags: int = 10, features: int = 784, widths: int = 11) -> Kernel:
    """Kernel means of all pairs of bags and a test set, against scikit-learn's kernel matrix for each width."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from sklearn.metrics.pairwise import rbf_kernel

        from unveil.estimators.bags.mmd_gram import mmd_gram

        sets = [rng.random((points, features), dtype=np.float32) for _ in range(bags + 1)]
        train, everything = np.concatenate(sets[:-1]), np.concatenate(sets)

        def matrices() -> None:
            for width in np.geomspace(0.1, 10, widths):
                kernel = rbf_kernel(train, everything, gamma=width / features)
                kernel.reshape(bags, points, bags + 1, points).mean(axis=(1, 3))

        return lambda: mmd_gram(sets[:-1], queries=sets[-1:]), matrices

    size = f"{bags} bags x {points}, d = {features}, {widths} widths"
    return _peer("mmd_gram", size, "scikit-learn rbf_kernel", make, repeats=3)


def response_by_opendp(records: int = 3_000, states: int = 10) -> Kernel:
    """Randomised response of categories, against OpenDP's, a record at a time."""

    def make(rng: Generator) -> tuple[Work, Work]:
        dp: Any = import_module("opendp.prelude")

        from unveil.mechanisms.response import RandomizedResponse

        dp.enable_features("contrib")
        truth = rng.integers(0, states, records)
        veil, items = RandomizedResponse(states, 0.5), truth.tolist()
        other = dp.m.make_randomized_response(list(range(states)), prob=0.5)
        return lambda: veil.release(truth, rng), lambda: [other(item) for item in items]

    return _peer("randomized_response", f"{records:,} x {states} states", "OpenDP", make, repeats=3)


def response_by_multi_freq(records: int = 100_000, states: int = 10) -> Kernel:
    """The same against multi-freq-ldpy's client."""

    def make(rng: Generator) -> tuple[Work, Work]:
        client = import_module("multi_freq_ldpy.pure_frequency_oracles.GRR").GRR_Client

        from unveil.mechanisms.response import RandomizedResponse

        truth = rng.integers(0, states, records)
        veil, items = RandomizedResponse(states, 0.5), truth.tolist()
        return lambda: veil.release(truth, rng), lambda: [client(item, states, 1.0) for item in items]

    return _peer("randomized_response", f"{records:,} x {states} states", "multi-freq-ldpy GRR", make, repeats=3)


def bits_by_multi_freq(records: int = 1_000, bits: int = 1_000) -> Kernel:
    """Every bit of one-hot records flipped on its own, against multi-freq-ldpy's unary encoding."""

    def make(rng: Generator) -> tuple[Work, Work]:
        client = import_module("multi_freq_ldpy.pure_frequency_oracles.UE").UE_Client

        from unveil.mechanisms.per_value import PerValueRelease

        hot = rng.integers(0, bits, records)
        rows = np.zeros((records, bits), dtype=np.float32)
        rows[np.arange(records), hot] = 1
        veil, items = PerValueRelease(1.0, 1.0), hot.tolist()
        return lambda: veil.release(rows, rng), lambda: [client(item, bits, 1.0) for item in items]

    return _peer("per_value_release", f"{records:,} x {bits:,}", "multi-freq-ldpy UE", make, repeats=3)


def sum_by_opendp(records: int = 100_000, features: int = 10) -> Kernel:
    """The noisy sums of label times feature, against OpenDP's sums, a column at a time."""

    def make(rng: Generator) -> tuple[Work, Work]:
        dp: Any = import_module("opendp.prelude")

        from unveil.mechanisms.exact_operator import GeometricMeanOperator

        dp.enable_features("contrib")
        x, y = rng.random((records, features)), np.where(rng.random(records) < 0.5, -1, 1)
        veil = GeometricMeanOperator(1.0, testing=True)
        domain = dp.vector_domain(dp.atom_domain(bounds=(-1.0, 1.0), nan=False), size=records)
        noisy = (domain, dp.symmetric_distance()) >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0)
        return lambda: veil.publish((x, y), rng), lambda: [noisy(x[:, j] * y) for j in range(features)]

    return _peer("statistic_release", f"{records:,} x {features}", "OpenDP sums with Laplace noise", make, repeats=3)


def ratios_by_quapy(bags: int = 200, size: int = 20, features: int = 28, tests: int = 20) -> Kernel:
    """Class ratios of many test sets, learned once, against QuaPy's expectation maximisation from every label."""

    def make(rng: Generator) -> tuple[Work, Work]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = import_module("quapy.method.aggregative").EMQ
        from sklearn.linear_model import LogisticRegression

        from unveil.estimators.bags.mmd import MMDClassRatio

        known, shares = drawn_bags(rng, bags, size, features)
        unknown, _ = drawn_bags(rng, tests, size, features)
        points = np.concatenate(known)
        labels = np.concatenate([np.arange(size) < round(share * size) for share in shares[:, 1]]).astype(int)
        model = MMDClassRatio().fit(known, shares)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = method(LogisticRegression()).fit(points, labels)
        return lambda: model.predict(unknown), lambda: [other.predict(one) for one in unknown]

    what = f"{bags:,} bags x {size}, {tests} test sets"
    return _peer("ratio_predict", what, "QuaPy EMQ, learned from every label", make, repeats=5)


def _peer(name: str, size: str, reference: str, make: Any, repeats: int) -> Kernel:
    return Kernel(name, size, reference, 1, make, repeats=repeats, kind="peer")


PEERS = (
    kernel_sums(),
    kernel_sums(600, bags=4, features=28),
    response_by_opendp(),
    response_by_multi_freq(),
    bits_by_multi_freq(),
    sum_by_opendp(),
    ratios_by_quapy(),
)
