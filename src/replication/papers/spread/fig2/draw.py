"""Draw figures 2 and 4."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style

SYMBOLS = {"pixel_flip": "p", "gaussian": "σ²"}


def draw(scores: pd.DataFrame) -> Figure:
    """Digits in rows, noise levels in columns, dark on light."""
    symbol = SYMBOLS[scores["noise"].iloc[0]]
    levels, digits = sorted(scores["level"].unique()), sorted(scores["digit"].unique())
    figure, axes = style.panels(len(digits), len(levels), height=1.5 if len(levels) > 3 else 2.2)
    for row, digit in zip(axes, digits, strict=True):
        for panel, level in zip(row, levels, strict=True):
            part = scores[(scores["digit"] == digit) & (scores["level"] == level)]
            picture = part.pivot_table(index="row", columns="column", values="pixel")
            # Gaussian noise leaves [0, 1]; it is shown clipped.
            panel.imshow(picture, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
            panel.set(xticks=[], yticks=[])
            panel.grid(visible=False)
            for side in panel.spines.values():
                side.set_visible(False)
            if digit == digits[0]:
                panel.set_title("clean" if level == 0 else f"{symbol} = {level:g}")
            if level == levels[0]:
                panel.set_ylabel(f"a {digit}", rotation=0, ha="right", va="center")
    return figure
