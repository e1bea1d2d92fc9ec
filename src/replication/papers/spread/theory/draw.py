"""Draw appendix B as it is stated: where much data with flipped labels leads among θ of length one."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style

TITLES = {"angle": "‖θ‖ = ‖θ₀‖ = 1", "slope": "along the sphere, at θ₀", "length": "length free"}
VALUES = {"angle": "angle to θ₀, degrees", "slope": "slope, nats a radian", "length": "‖θ‖ over ‖θ₀‖"}


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a quantity: one row a law of the inputs, one mark a θ₀, looks by the flips."""
    figure, axes = style.panels(1, 3, height=3.1)
    scores = scores[scores["quantity"].isin(TITLES)]
    flips = scores[["zero_to_one", "one_to_zero"]].drop_duplicates().itertuples(index=False, name=None)
    looks = palette.scale(flips)
    for panel, (quantity, title) in zip(axes[0], TITLES.items(), strict=True):
        _rows(panel, scores[scores["quantity"] == quantity], looks)
        panel.set(title=title, xlabel=VALUES[quantity])
    style.finish(figure)
    return figure


def _rows(axes: Axes, scores: pd.DataFrame, looks: dict[tuple[float, float], palette.Method]) -> None:
    laws = sorted(scores["inputs"].unique(), key=lambda law: (not law.endswith("Gaussian"), len(law), law))
    for i, ((zero, one), look) in enumerate(looks.items()):
        part = scores[(scores["zero_to_one"] == zero) & (scores["one_to_zero"] == one)]
        heights = part["inputs"].map(laws.index) + 0.22 * (i - (len(looks) - 1) / 2)
        label = f"flips: {zero:g} of zeros, {one:g} of ones"
        axes.plot(part["value"], heights, markersize=3.5, alpha=0.8, label=label, **look.marks)
    axes.set_yticks(range(len(laws)), [law.replace(" random", "").replace(" G", "\nG") for law in laws])
    axes.set(ylim=(len(laws) - 0.5, -0.5))
    axes.margins(x=0.1)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
