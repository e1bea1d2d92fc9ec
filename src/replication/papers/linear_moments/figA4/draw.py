"""Draw appendix A.4: the exact traces, the other forms over them, and where the schemes cross."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.linear_moments.palette import METHODS

SCHEMES = ("coordinate", "per_value")
FORMS = {
    "exact": "exact",
    "printed": "printed",
    "small_alpha": "small α, printed",
    "small_alpha_corrected": "small α, corrected",
}
DASHES = {"exact": "-", "printed": "--", "small_alpha": ":", "small_alpha_corrected": "-."}


def draw(scores: pd.DataFrame) -> Figure:
    """Exact against δ̄; the forms over the exact one against α for two populations; the crossover against d."""
    figure, axes = style.panels(1, 4, height=2.3)
    d = _at(scores["d"], 0.5)
    shown = scores[scores["d"] == d]
    share = shown["mean_norm"] / (shown["delta_bar"] * shown["size"])
    full, sparse = (shown[np.isclose(share, fill)] for fill in (share.max(), share.min()))
    _traces(axes[0, 0], full[full["size"] == full["size"].max()])
    delta_bar, size = _at(shown["delta_bar"], 0.85), shown["size"].min()
    for panel, population, title in (
        (axes[0, 1], full[full["size"] == size], f"φ ∈ {{0, {size:g}}}"),
        (axes[0, 2], sparse[sparse["size"] == 1], "binary, sparser"),
    ):
        _ratios(panel, population[population["delta_bar"] == delta_bar])
        panel.set(title=title, xlabel=f"α, at d = {d:g}, δ̄ = {delta_bar:g}")
    axes[0, 1].set_ylabel("tr H over the exact one")
    _crossover(axes[0, 3], scores)
    _key(axes[0, 0])
    style.finish(figure, columns=6)
    return figure


def _key(axes: Axes) -> None:
    """Colours say the scheme, dashes the form."""
    for scheme in SCHEMES:
        axes.plot([], [], color=METHODS[scheme].color, label=METHODS[scheme].label)
    for form, name in FORMS.items():
        axes.plot([], [], color=style.MUTED, linestyle=DASHES[form], label=name)


def _at(values: pd.Series, quantile: float) -> float:
    """The member of the grid that stands at a share of its length."""
    unique = sorted(values.unique())
    return float(unique[int(quantile * len(unique))])


def _traces(axes: Axes, scores: pd.DataFrame) -> None:
    alpha = _at(scores["alpha"], 0.5)
    for scheme in SCHEMES:
        chosen = scores["scheme"].eq(scheme) & scores["form"].eq("exact") & scores["alpha"].eq(alpha)
        curve = scores[chosen].sort_values("delta_bar")
        axes.plot(curve["delta_bar"], curve["trace"], color=METHODS[scheme].color)
    label = f"δ̄, at d = {scores['d'].iloc[0]}, α = {alpha:g}"
    axes.set(xscale="log", yscale="log", title="binary", xlabel=label, ylabel="tr H")


def _ratios(axes: Axes, scores: pd.DataFrame) -> None:
    for scheme in SCHEMES:
        own = scores[scores["scheme"] == scheme]
        exact = own[own["form"] == "exact"].set_index("alpha")["trace"]
        for form in FORMS:
            curve = own[own["form"] == form].set_index("alpha")["trace"] / exact
            axes.plot(curve.index, curve, color=METHODS[scheme].color, linestyle=DASHES[form])
    axes.set_xscale("log")


def _crossover(axes: Axes, scores: pd.DataFrame) -> None:
    full = scores[np.isclose(scores["mean_norm"], scores["delta_bar"])]
    full = full[np.isfinite(full["crossover"])].drop_duplicates(["d", "alpha"]).sort_values("d")
    for alpha, look in style.scale(sorted(full["alpha"].unique()), "α = {:g}").items():
        curve = full[full["alpha"] == alpha]
        axes.plot(curve["d"], curve["crossover"], label=look.label, markersize=2.5, **look.line)
    d = np.array(sorted(full["d"].unique()))
    # Wide and behind the curves that lie on it.
    axes.plot(d, np.sqrt(d), color=style.MUTED, linewidth=4, alpha=0.35, zorder=1, label="√d")
    top = 2 * full["crossover"].max()
    axes.set(xscale="log", yscale="log", ylim=(1, top), xlabel="d", ylabel="δ̄ of the crossover")
    axes.legend(loc="lower right", fontsize=5.5, handlelength=2)
