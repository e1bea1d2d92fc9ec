"""Draw figure 3: the efficiency of moments against ε, for a weak and a strong signal."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import amount
from replication.palette import METHODS

EQUAL = palette.Method("as good as marginal likelihood", palette.MUTED, "", "--")


def draw(scores: pd.DataFrame) -> Figure:
    """The paper's two panels, with what simulation finds."""
    efficiency = scores[scores["quantity"] == "efficiency"]
    signals = [name for name, rows in efficiency.groupby("signal", sort=False) if "exact" in set(rows["source"])]
    figure, axes = style.panels(1, len(signals), height=2.9, sharey=True)
    for panel, signal in zip(axes[0], signals, strict=True):
        own = efficiency[efficiency["signal"] == signal].set_index("source")
        exact, sampled = own.loc["exact"], own.loc["monte_carlo"].rename(columns={"value": "mean"})
        panel.plot(exact["epsilon"], exact["value"], label="exact", linewidth=2, color=METHODS["moments"].color)
        label = f"simulated, n = $10^{{{np.log10(float(sampled['n'].iloc[0])):.3g}}}$, 95 % interval"
        style.bars(panel, sampled["epsilon"], sampled, palette.Method(label, palette.INK, ""), elinewidth=1.5, zorder=3)
        style.level(panel, 1, EQUAL, above=False)
        title = f"{signal} signal, θ = ({exact['theta'].iloc[0].replace(' ', ', ').replace('-', '−')})"
        panel.set(title=title, xlim=(0, 1.02), ylim=(0.7, 1.02))
    style.label(axes, "ε, chance of a truthful answer", "efficiency of moments")
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """Where the efficiency goes as ε does to zero."""
    limits = scores[scores["quantity"] == "efficiency"].groupby("signal", sort=False)["limit"].first().dropna()
    return {"limits": " and ".join(f"{amount(limit)} for the {signal} signal" for signal, limit in limits.items())}
