"""Tabulate the step-size study: each estimator's accuracy at every rate, and the rate that serves it best."""

import pandas as pd

from replication.palette import METHODS
from replication.papers.linear_moments.fig7.draw import in_order, row_name

OPTIMIZERS = {"adagrad": "AdaGrad", "sgd": "SGD"}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy in percent, averaged over evaluations and trials: a row a window and estimator, a column a rate.

    In brackets the rate that is best on held-out tags in most trials, starred the one that held-out counts choose.
    """
    test = scores[scores["split"] == "test"]
    rates = test[["optimizer", "rate"]].drop_duplicates().sort_values(["optimizer", "rate"])
    known = [name for name in METHODS if name in set(test["estimator"])]
    rows = []
    for window in in_order(test["window"].unique()):
        for name in known:
            own = test[(test["window"] == window) & (test["estimator"] == name)]
            best, chosen = (_mode(own.loc[own[mark], ["optimizer", "rate"]].apply(tuple, axis=1)) for mark in MARKS)
            cells = {
                f"{OPTIMIZERS[optimizer]} {rate:g}": _cell(own, (optimizer, rate), best, chosen)
                for optimizer, rate in rates.itertuples(index=False)
            }
            if len(own):
                rows.append({"window": row_name(window), "estimator": METHODS[name].label, **cells})
    return pd.DataFrame(rows)


#: The columns that mark the best rate by held-out tags, and by held-out counts.
MARKS = ("best", "chosen")


def _mode(values: pd.Series) -> object:
    return values.mode().iloc[0] if len(values) else None


def _cell(own: pd.DataFrame, rate: tuple[str, float], best: object, chosen: object) -> str:
    part = own[(own["optimizer"] == rate[0]) & (own["rate"] == rate[1])]
    text = f"{100 * part['accuracy'].mean():.1f}" + "*" * (rate == chosen)
    return f"[{text}]" if rate == best else text
