"""The bench's rows for the crossover's classifiers: a fit with its ridge tuned, on labels that were flipped."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.random import Generator

from tools.bench.kernels import census_like
from tools.bench.measure import Kernel, Work
from tools.configuration import shipped

ROOT = Path(__file__).resolve().parents[2]
PEER = "scikit-learn LogisticRegressionCV on the flipped labels"


def crossover_fit(name: str, records: int = 2_000, epsilon: float = 1.0) -> Kernel:
    """One classifier of the crossover as its figure fits it, against whom a user would let tune a plain regression."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from sklearn.linear_model import LogisticRegressionCV

        from replication.papers.crossover.margin_losses import losses
        from replication.papers.crossover.settings import Tuning
        from replication.papers.crossover.tuned import tuned
        from replication.papers.crossover.veiling import flip_probability
        from unveil.estimators.statistics.risk import Design

        given = shipped(ROOT)["papers"]["crossover"]["figures"]["epsilon"]["settings"]
        tuning = Tuning(
            l2s=tuple(map(float, given["l2s"])),
            folds=given["folds"],
            samples=given["samples"],
            tolerance=given["tolerance"],
        )
        x, y = census_like(rng)
        x, y = x[:records], y[:records]
        flip = flip_probability(epsilon)
        signs = np.where(rng.random(records) < flip, -y, y)
        # The mean loss + l2‖θ‖² of ours is scikit-learn's objective at C = 1/(2 n l2); a fold leaves out its share.
        learning = records * (1 - 1 / tuning.folds)
        peer = LogisticRegressionCV(
            Cs=[1 / (2 * learning * l2) for l2 in tuning.l2s], cv=tuning.folds, scoring="neg_log_loss",
            fit_intercept=False, tol=tuning.tolerance, max_iter=200,
        )  # fmt: skip

        def theirs() -> object:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of fits that ended early, as ours do
                return peer.fit(x, signs)

        loss = losses(tuning.samples)[name]  # type: ignore[index]
        return lambda: tuned(Design(x), signs[None], np.array([flip]), loss, tuning), theirs

    size = f"{name}: Census, {records:,}, nine ridges, five folds"
    return Kernel("crossover_fit", size, PEER, 1, make, repeats=3, kind="peer")


CROSSING = tuple(crossover_fit(name) for name in ("marginal", "moment", "mean_operator", "spread", "naive"))
