"""The referee: accuracy on held-out records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named, under
from replication.papers.mean_operator.scoring import Row, frame, held_out
from replication.randomness import Trial

COLUMNS = ["dataset", "bagging", "bags", "method", "mechanism", "alpha", "trial", "accuracy"]
MORE = ["base_rate"]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial]) -> pd.DataFrame:
    """One row a model; models learnt from the mean operator itself have the bagging `none` and no bags."""
    return frame(learned, trials, partial(_models, fields), COLUMNS + MORE)


def _models(fields: Fields, part: Named, trial: Trial) -> Iterator[Row]:
    dataset = part["dataset"].item()
    test, truth, base_rate = held_out(dataset, fields, trial)
    about = {"dataset": dataset, "trial": trial.number, "base_rate": base_rate}
    for name, thetas in under(part, "theta").items():
        label = dict(zip(("method", "bagging", "bags"), name, strict=True))
        accuracies = np.mean((test @ thetas.T > 0) == (truth > 0)[:, None], axis=0)
        for alpha, accuracy in zip([inf, *part["alphas"].tolist()], accuracies, strict=True):
            yield {
                **about,
                **label,
                "alpha": alpha,
                "mechanism": "none" if alpha == inf else "laplace",
                "accuracy": accuracy,
            }
