"""Draw appendix B: predicted and measured angles."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style


def draw(scores: pd.DataFrame) -> Figure:
    """One row a case: the predicted angle, and the measured ones for each sample size."""
    scores = scores.rename(columns={"mean": "centre"})
    cases = ["covariance", "centre", "intercept", "noise", "whitening"]
    order = scores.drop_duplicates(cases)[cases].reset_index(drop=True)
    figure, axes = style.panels(height=0.8 + 0.23 * len(order))
    panel = axes[0, 0]
    sizes = sorted(scores["n"].unique())
    rows = {tuple(case): row for row, case in enumerate(order.itertuples(index=False))}
    for i, (n, look) in enumerate(palette.scale(sizes, "measured, n = {:,}").items()):
        part = style.interval(scores[scores["n"] == n], cases, "angle_measured")
        heights = [
            rows[tuple(case)] + 0.22 * (i - (len(sizes) - 1) / 2) for case in part[cases].itertuples(index=False)
        ]
        bars = [part["mean"] - part["low"], part["high"] - part["mean"]]
        panel.errorbar(part["mean"], heights, xerr=bars, label=look.label, **look.marks)
    predicted = scores.drop_duplicates(cases)
    panel.plot(
        predicted["angle_predicted"], range(len(order)), "|", color=palette.INK, markersize=11, label="predicted"
    )
    panel.set(yticks=range(len(order)), xlabel="angle between the learned and the true direction, degrees")
    panel.set_yticklabels([_name(case) for case in order.itertuples(index=False)])
    panel.set(xlim=(-0.5, None), ylim=(len(order) - 0.3, -0.7))
    panel.spines["left"].set_visible(False)
    panel.tick_params(axis="y", length=0)
    style.finish(figure, columns=4)
    return figure


def _name(case: Any) -> str:
    covariance, mean, intercept, noise, whitening = case
    parts = [covariance, "zero mean" if mean == "zero" else "non-zero mean", f"{noise} noise"]
    if intercept:
        parts.append("intercept")
    if whitening != "none":
        parts.append(f"whitened {whitening}")
    return ", ".join(parts)
