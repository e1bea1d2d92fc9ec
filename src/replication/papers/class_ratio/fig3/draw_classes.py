"""Tabulate figure 3's errors by which class is the common one in the test sets."""

import pandas as pd

from replication.palette import DATASETS, METHODS
from replication.papers.class_ratio.fig3.draw import keep_classes

SHOWN = ("none", "laplace", "laplace_prior", "fallback", "scaled_dirichlet_tight", "gaussian_analytic")


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row a data set and kind of common class: mean errors over test sets of all classes, by mechanism."""
    own = keep_classes(scores, 0)
    kinds = {
        "most frequent (the paper's, as taken)": own["dominant"] == own.groupby("dataset")["dominant"].transform("max"),
        "last by label": own["named_last"],
        "each in turn": own["dominant"] >= 0,
    }
    rows = []
    for dataset in dict.fromkeys(own["dataset"]):
        for words, chosen in kinds.items():
            means = own[chosen & (own["dataset"] == dataset)].groupby("mechanism")["l1_error"].mean()
            errors = {METHODS[name].label: means.get(name) for name in SHOWN}
            rows.append({"data set": DATASETS[dataset].label, "common class": words, **errors})
    return pd.DataFrame(rows).round(3)
