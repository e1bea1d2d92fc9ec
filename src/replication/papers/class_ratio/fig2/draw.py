"""Figure 2: error over the share of positives: the paper's methods, their peers, and those that see labels."""

import pandas as pd
from matplotlib.figure import Figure

from replication.palette import METHODS
from replication.papers.class_ratio.panels import panel_rows

#: What a row of panels holds against each other; what the paper compares stands alone.
ROWS = {
    "as in the paper": ("mmd", "mmd_refit", "psvm"),
    "peers without labels": (
        "mmd",
        "mmd_unbiased",
        "mmd_auto",
        "mmd_rff",
        "psvm_unmixed",
        "set_id_logistic",
        "set_id_em",
    ),
    "peers with labels": (
        "classify_count_labelled",
        "emq_labelled",
        "acc_labelled",
        "pacc_labelled",
        "hdy_labelled",
        "kdey_labelled",
    ),
}


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set; each row on a scale of its own, so that its methods can be told apart."""
    rows = {title: scores[scores["method"].isin(names)] for title, names in ROWS.items()}
    return panel_rows(
        {title: part for title, part in rows.items() if len(part)},
        "method",
        "positive_fraction",
        "positives in the test set",
        "L1 error",
    )


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """Bandwidths at the grid's ends, and the least errors."""
    widths = scores.dropna(subset="bandwidth").query("positive_fraction == positive_fraction.min()")
    low, high = widths["bandwidth"].min(), widths["bandwidth"].max()
    matched = widths[widths["method"].isin(["mmd", "mmd_unbiased"])].groupby(["dataset", "method"])["bandwidth"]
    edges = matched.agg(lambda own: ((own == low) | (own == high)).mean())
    means = scores.groupby(["dataset", "method"])["l1_error"].mean()
    best = {dataset: own.droplevel(0).sort_values() for dataset, own in means.groupby("dataset")}
    return {
        "edges": "; ".join(f"{dataset}, {METHODS[name].label}: {v:.0%}" for (dataset, name), v in edges.items()),
        "best": "; ".join(
            f"{dataset}: " + ", ".join(f"{METHODS[name].label} {value:.3f}" for name, value in own.head(3).items())
            for dataset, own in best.items()
        ),
    }
