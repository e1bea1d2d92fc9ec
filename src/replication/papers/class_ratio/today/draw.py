"""Draw the error against the exact level of a label; the noises on counts stand in the table."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.common.today.margins import answer
from replication.common.today.picture import draw_levels
from replication.palette import METHODS
from replication.papers.class_ratio.claims.today import LEAST

TITLES = {"census": "Census", "higgs": "Higgs", "mnist": "MNIST, ten classes", "twitter": "Twitter, three classes"}
SHOWN = ("mmd", "emq", "kdey", "mmd_reports", "emq_reports", "kdey_reports")


def draw(scores: pd.DataFrame) -> Figure:
    """Sets and labels at each level."""
    return draw_levels(scores, SHOWN, answer(LEAST, scores), TITLES, "L1 error of class ratios")


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Every method and every noise at every level: the mean over the data sets."""
    datasets = scores["dataset"].nunique()
    means = scores.groupby(["method", "epsilon", "dataset"], as_index=False)["error"].mean()
    # A noise that some data set has no scale for has no mean over all of them.
    whole = means.pivot_table("error", "method", "epsilon", lambda own: own.mean() if len(own) == datasets else np.nan)
    whole.columns = pd.Index([f"error at ε = {level:g}" for level in whole.columns])
    names = [METHODS[name].label for name in whole.index]
    whole.insert(0, "method", names)
    return whole.sort_values(str(whole.columns[-1])).reset_index(drop=True)
