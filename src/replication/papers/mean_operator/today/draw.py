"""Draw wrong labels against the exact level of a label: the mean operator, and what is done to labels today."""

import pandas as pd
from matplotlib.figure import Figure

from replication.common.today.margins import answer
from replication.common.today.picture import draw_levels
from replication.palette import TITLES
from replication.papers.mean_operator.claims.today import MEAN_OPERATOR_LEADS

#: Radial noise is in the scores, beside Laplace noise.
SHOWN = ("laplace", "forward", "backward", "two_rounds", "denoised", "objective")


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set."""
    title = answer(MEAN_OPERATOR_LEADS, scores, "the mean operator")
    percent = scores.assign(error=100 * scores["error"])
    return draw_levels(percent, SHOWN, title, TITLES, "wrong labels, %", ("none", "chance"), logarithmic=True)
