"""Draw figure 3: a panel a signal with exact curve, closed form, simulation and the limit, and a counterexample."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import amount
from replication.palette import METHODS

SIMULATED = "simulated, n = {}, 95 % interval"
OTHER = "counterexample"
EQUAL = palette.Method("as good as marginal likelihood", palette.MUTED, "", "--")


def draw(scores: pd.DataFrame) -> Figure:
    """Efficiency against ε, weak and strong signal side by side, and a model whose efficiency falls with ε."""
    signals = [signal for signal in dict.fromkeys(scores["signal"]) if signal != OTHER]
    figure, axes = style.panels(1, len(signals) + 1, height=2.3, sharey=True)
    for panel, signal in zip(axes[0], signals, strict=False):
        own = scores[scores["signal"] == signal]
        _panel(panel, own)
        panel.set_title(f"{signal} signal, θ = ({own['theta'].iloc[0].replace(' ', ', ')})")
    other, panel = scores[scores["signal"] == OTHER], axes[0, -1]
    panel.plot(other["epsilon"], other["value"], color=METHODS["moments"].color, linewidth=2.5)
    style.level(panel, 1, EQUAL)
    panel.set_title(f"another model, θ = {float(other['theta'].iloc[0]):g}")
    style.label(axes, "ε, chance of a truthful answer", "efficiency of moments")
    style.finish(figure, columns=5)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """Where the efficiency goes as ε does to zero."""
    limits = scores[scores["quantity"] == "efficiency"].groupby("signal", sort=False)["limit"].first().dropna()
    return {"limits": " and ".join(f"{amount(limit)} for the {signal} signal" for signal, limit in limits.items())}


def _panel(axes: Axes, scores: pd.DataFrame) -> None:
    efficiency = scores[scores["quantity"] == "efficiency"].set_index("source")
    exact, closed, sampled = (efficiency.loc[source] for source in ("exact", "closed_form", "monte_carlo"))
    limit = exact["limit"].iloc[0]
    colour = METHODS["moments"].color
    axes.plot(exact["epsilon"], exact["value"], color=colour, linewidth=2.5, label="exact")
    axes.plot(closed["epsilon"], closed["value"], ":", color="white", linewidth=1, label="_closed form")
    power = np.log10(float(sampled["n"].iloc[0]))
    look = palette.Method(SIMULATED.format(f"$10^{{{power:.3g}}}$"), palette.INK, "")
    style.bars(axes, sampled["epsilon"], sampled.rename(columns={"value": "mean"}), look, elinewidth=1.5, zorder=3)
    axes.plot([0], [limit], "o", color=colour, fillstyle="none", markersize=5, clip_on=False, label="limit ε → 0")
    axes.annotate(f"{limit:.3f}", (0, limit), xytext=(7, -3), textcoords="offset points", va="top")
    style.level(axes, 1, EQUAL)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0.5, 1.02)
