"""Draw appendix A.4: the exact traces, the other forms over them, and where the schemes cross."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS

SCHEMES = ("coordinate", "per_value")
FORMS = {
    "exact": "exact",
    "printed": "printed",
    "small_alpha": "small α, printed",
    "small_alpha_corrected": "small α, corrected",
}
DASHES = {"exact": "-", "printed": "--", "small_alpha": ":", "small_alpha_corrected": "-."}


def draw(scores: pd.DataFrame) -> Figure:
    """Exact against δ̄, nominal and actual; the forms over the exact one against α; the crossover against d."""
    figure, axes = style.panels(2, 3, height=2.1)
    d = _at(scores["d"], 0.5)
    shown = scores[scores["d"] == d]
    share = shown["mean_norm"] / (shown["delta_bar"] * shown["size"])
    full, sparse = (shown[np.isclose(share, fill)] for fill in (share.max(), share.min()))
    binary = full[full["size"] == full["size"].max()]
    _traces(axes[0, 0], binary, "exact", "crossover", "equal nominal α")
    _traces(axes[0, 1], binary, "actual", "crossover_actual", "equal actual privacy")
    delta_bar, size = _at(shown["delta_bar"], 0.85), shown["size"].min()
    for panel, population, title in (
        (axes[1, 0], full[full["size"] == size], f"φ ∈ {{0, {size:g}}}"),
        (axes[1, 1], sparse[sparse["size"] == 1], "binary, sparser"),
    ):
        _ratios(panel, population[population["delta_bar"] == delta_bar])
        panel.set(title=title, xlabel=f"α, at d = {d:g}, δ̄ = {delta_bar:g}")
    axes[1, 0].set_ylabel("tr H over the exact one")
    _crossover(axes[0, 2], scores, "crossover", "nominal α")
    _crossover(axes[1, 2], scores, "crossover_actual", "actual ε")
    _key(axes[0, 0])
    style.finish(figure, columns=6)
    return figure


def _key(axes: Axes) -> None:
    """Colours say the scheme, dashes the form."""
    for scheme in SCHEMES:
        axes.plot([], [], color=METHODS[scheme].color, label=METHODS[scheme].label)
    for form, name in FORMS.items():
        axes.plot([], [], color=palette.MUTED, linestyle=DASHES[form], label=name)


def _at(values: pd.Series, quantile: float) -> float:
    """The member of the grid that stands at a share of its length."""
    unique = sorted(values.unique())
    return float(unique[int(quantile * len(unique))])


def _traces(axes: Axes, scores: pd.DataFrame, form: str, meeting: str, title: str) -> None:
    alpha = _at(scores["alpha"], 0.5)
    for scheme in SCHEMES:
        chosen = scores["scheme"].eq(scheme) & scores["form"].eq(form) & scores["alpha"].eq(alpha)
        curve = scores[chosen].sort_values("delta_bar")
        axes.plot(curve["delta_bar"], curve["trace"], color=METHODS[scheme].color)
    level = "α" if form == "exact" else "ε"
    label = f"δ̄, at d = {scores['d'].iloc[0]}, {level} = {alpha:g}"
    at = float(scores.loc[scores["alpha"].eq(alpha), meeting].iloc[0])
    axes.axvline(at, color=palette.MUTED, linewidth=0.9, linestyle=":", label="crossover")
    axes.set(xscale="log", yscale="log", title=title, xlabel=label, ylabel="tr H")


def _ratios(axes: Axes, scores: pd.DataFrame) -> None:
    for scheme in SCHEMES:
        own = scores[scores["scheme"] == scheme]
        exact = own[own["form"] == "exact"].set_index("alpha")["trace"]
        for form in FORMS:
            curve = own[own["form"] == form].set_index("alpha")["trace"] / exact
            axes.plot(curve.index, curve, color=METHODS[scheme].color, linestyle=DASHES[form])
    axes.set_xscale("log")


def _crossover(axes: Axes, scores: pd.DataFrame, which: str, level: str) -> None:
    full = scores[np.isclose(scores["mean_norm"], scores["delta_bar"])]
    full = full[np.isfinite(full[which])].drop_duplicates(["d", "alpha"]).sort_values("d")
    for alpha, look in palette.scale(sorted(full["alpha"].unique()), "α, ε = {:g}").items():
        curve = full[full["alpha"] == alpha]
        label = look.label if which == "crossover" else None
        axes.plot(curve["d"], curve[which], label=label, markersize=2.5, **look.line)
    d = np.array(sorted(full["d"].unique()))
    # Wide and behind the curves that lie on it.
    axes.plot(
        d,
        np.sqrt(d),
        color=palette.MUTED,
        linewidth=4,
        alpha=0.35,
        zorder=1,
        label="√d" if which == "crossover" else None,
    )
    top = 2 * max(full[which].max(), 2)
    axes.set(xscale="log", yscale="log", ylim=(0.9, top), xlabel="d", ylabel="δ̄ of the crossover", title=level)
    if which == "crossover":  # the looks are the same in both panels
        axes.legend(loc="lower right", fontsize=5.5, handlelength=2)
