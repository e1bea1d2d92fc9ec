"""The referee: L1 distance between the estimated and the true ratios of the test sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.arrays import Learned
from replication.common.today.rows import tabulate
from replication.papers.class_ratio.sets import shares_of
from replication.papers.class_ratio.today.release import draw_ratios
from replication.papers.class_ratio.today.settings import Score
from replication.randomness import Trial

#: Noises that keep their level without a δ.
PURE = ("reports", "geometric")


def score(learned: Learned, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """The mean over a trial's test sets; on sets a method is called after the noise on counts, unless geometric."""
    rows = []
    for arm in learned.values():
        for trial, arrays in zip(trials, arm, strict=True):
            for key, ratios in arrays.items():
                if key[0] == "seconds":
                    continue
                dataset, method, what, level = map(str, key)
                size = settings.sets[dataset]
                truth = shares_of(draw_ratios(trial, size, settings.tests))
                ending = {"reports": "_reports", "geometric": ""}.get(what, f"_{what}")
                rows.append(
                    {
                        "dataset": dataset,
                        "method": f"{method}{ending}",
                        "epsilon": settings.epsilons[int(level)],
                        "delta": 0.0 if what in PURE else settings.delta,
                        "n": size.classes * (size.train + size.validation),
                        "trial": trial.number,
                        "error": float(np.abs(ratios - truth).sum(axis=1).mean()),
                    }
                )
    return tabulate(rows, unit="label", measure="L1 distance of class ratios")
