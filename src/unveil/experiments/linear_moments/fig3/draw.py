"""Draw figure 3: one panel a signal, exact curve, closed form, Monte-Carlo check and the limit at ε = 0."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure


def draw(scores: pd.DataFrame) -> Figure:
    """Efficiency against ε, weak and strong signal side by side."""
    signals = list(scores["signal"].unique())
    figure, axes = plt.subplots(
        1, len(signals), figsize=(7.0, 3.0), sharey=True, layout="constrained", squeeze=False
    )
    for letter, axis, signal in zip("abcdef", axes[0], signals, strict=False):
        _panel(axis, scores[scores["signal"] == signal])
        axis.set_title(f"({letter}) {signal} signal")
        axis.set_xlabel("ε, probability of a truthful answer")
    axes[0, 0].set_ylabel("efficiency of moments")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def _panel(axis: Axes, scores: pd.DataFrame) -> None:
    efficiency = scores[scores["quantity"] == "efficiency"].set_index("source")
    exact, closed, sampled = (efficiency.loc[source] for source in ("exact", "closed_form", "monte_carlo"))
    limit = scores.loc[scores["quantity"] == "efficiency_limit", "value"].item()
    axis.plot(exact["epsilon"], exact["value"], color="C0", linewidth=2, label="exact")
    axis.plot(closed["epsilon"], closed["value"], color="white", linewidth=0.8, linestyle=":")
    bars = [sampled["value"] - sampled["low"], sampled["high"] - sampled["value"]]
    axis.errorbar(
        sampled["epsilon"], sampled["value"], yerr=bars, fmt=".", color="C1", label="simulated, 95 % interval"
    )
    axis.plot([0], [limit], "o", color="C0", fillstyle="none", clip_on=False, label="limit ε → 0")
    axis.annotate(
        f"{limit:.3f}", (0, limit), xytext=(6, -4), textcoords="offset points", va="top", fontsize="small"
    )
    axis.axhline(1, color="grey", linewidth=0.8, linestyle="--", label="as good as marginal likelihood")
    axis.set_xlim(0, 1.02)
    axis.set_ylim(0.6, 1.03)
