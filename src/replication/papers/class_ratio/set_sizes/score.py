"""Many small against few large sets, the referee: mean error over the test mixtures."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.arrays import Learned
from replication.papers.class_ratio.fig3.score import outcomes
from replication.papers.class_ratio.fig3.settings import Designed


def score(learned: Learned, settings: Designed) -> pd.DataFrame:
    """One row a data set, number of sets, trial and mechanism; no error where the mechanism has no scale.

    The accuracy is that of the classifier whose predictions ∝SVM counts.
    """
    table = pd.DataFrame(
        {
            "dataset": found.dataset,
            "sets": len(found.design.train),
            "n": found.design.train[0].sum(),
            "trial": found.trial,
            "l1_error": found.mean,
            "mechanism": found.mechanism,
            "method": found.estimator,
            "accuracy": found.accuracy if found.estimator == "psvm" else np.nan,
        }
        for found in outcomes(learned, settings)
    )
    # ∝SVM learns from some releases only.
    return table[(table["method"] != "psvm") | table["l1_error"].notna()].reset_index(drop=True)
