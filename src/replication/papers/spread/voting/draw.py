"""Draw the voting example."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from replication.papers.spread.panels import estimates

#: How far each estimator is moved aside, so that all can be seen.
ESTIMATORS = {"votes_printed": 0.0, "votes_corrected": -0.02, "clipped": 0.02}
#: What the registry of looks calls those whose names mean something else elsewhere.
NAMES = {"printed": "votes_printed", "corrected": "votes_corrected"}


def draw(scores: pd.DataFrame) -> Figure:
    """Estimates against the truth; their error against the number of voters; what M reports reveal."""
    figure, axes = style.panels(1, 3, height=2.9)
    elections = scores.assign(estimator=scores["estimator"].replace(NAMES))
    elections = elections[elections["estimator"].isin(ESTIMATORS)]
    _estimates(axes[0, 0], elections)
    _errors(axes[0, 1], elections)
    _revealed(axes[0, 2], scores[scores["estimator"] == "posterior"])
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """How far from the truth the printed formula leads, on average over the trials."""
    own = scores[(scores["estimator"] == "printed") & (scores["n"] == scores["n"].max())]
    miss = (own["estimate"] - own["theta"]).groupby([own["theta"], own["p10"], own["p01"]]).mean().abs()
    return {"printed": f"{100 * miss.max():.0f}"}


def _noisiest(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last pair of flip probabilities, the one that is not symmetric."""
    last = scores[["p10", "p01"]].drop_duplicates().iloc[-1]
    return scores[(scores["p10"] == last["p10"]) & (scores["p01"] == last["p01"])]


def _estimates(axes: Axes, scores: pd.DataFrame) -> None:
    few = _noisiest(scores[scores["n"] == scores["n"].min()])
    estimates(axes, few, "estimator", ESTIMATORS, "theta", "estimate")
    n = few["n"].iloc[0]
    axes.set(xlabel="true share θ", title=f"estimate, {n:,} votes")


def _errors(axes: Axes, scores: pd.DataFrame) -> None:
    scores = _noisiest(scores)
    scores = scores[scores["theta"] == scores["theta"].min()]
    for name in ESTIMATORS:
        part = scores[scores["estimator"] == name]
        squared = (part["estimate"] - part["theta"]) ** 2
        error = np.sqrt(squared.groupby(part["n"]).mean())
        axes.loglog(error.index, error, **METHODS[name].line)
    axes.set(xlabel="voters n", title=f"error at θ = {scores['theta'].iloc[0]:g}")


def _revealed(axes: Axes, scores: pd.DataFrame) -> None:
    for p_flip, look in palette.scale(sorted(scores["p10"].unique()), "flips {:g}").items():
        part = scores[scores["p10"] == p_flip]
        axes.plot(part["releases"], part["estimate"], markevery=5, label=look.label, **look.line)
    axes.set(xlabel="reports M of one person", ylim=(0.48, 1.02), title="posterior of the vote")
    style.label_ends(axes)
