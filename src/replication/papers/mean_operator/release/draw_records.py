"""Draw how the mechanisms change places as the number of records grows."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, TITLES
from replication.papers.mean_operator.release.draw import MEASURES, draw_mechanisms, keep_tuned


def draw(scores: pd.DataFrame) -> Figure:
    """How far the statistic is off, with the predicted crossovers; AUC at the strictest and the loosest α."""
    sweep = keep_tuned(scores[scores["panel"] == "m"])
    levels = sorted(sweep.loc[sweep["mechanism"] != "none", "alpha"].unique())
    strictest, loosest = sweep[sweep["alpha"] == levels[0]], sweep[sweep["alpha"] == levels[-1]]
    figure, axes = style.panels(1, 3, height=2.9)
    cases = ((strictest, "statistic_error"), (strictest, "auc"), (loosest, "auc"))
    for panel, (part, measure) in zip(axes[0], cases, strict=True):
        draw_mechanisms(panel, part, "m", measure)
        style.log_axis(panel, (1000, 10_000), ("$10^3$", "$10^4$"))
        what = MEASURES.get(measure, "‖μ̃ − μ‖")
        panel.set(xlabel="records m", title=f"{TITLES[part['dataset'].iloc[0]]}: {what}, α = {part['alpha'].iloc[0]:g}")
        if measure in MEASURES:
            panel.set_ylim(0.45, 0.95)
    axes[0, 0].set_yscale("log")
    for name in ("laplace", "gamma"):
        at = strictest.loc[strictest["mechanism"] == name, "predicted_crossover"].mean()
        axes[0, 0].axvline(at, color=METHODS[name].color, linewidth=0.8, linestyle=":")
    style.finish(figure)
    return figure
