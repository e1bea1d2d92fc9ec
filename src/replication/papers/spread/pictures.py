"""Grids of digit pictures: figures 2 and 4."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.digits import DIGITS
from unveil.types import Array

COLUMNS = ["digit", "noise", "level", "row", "column", "pixel"]
SIDE = 28


def grid(pictures: Mapping[float, Array], labels: Array, noise: str) -> pd.DataFrame:
    """One row a pixel, from images (n, 784) in [0, 1] at every noise level."""
    rows, columns = np.divmod(np.arange(SIDE**2), SIDE)
    parts = [
        pd.DataFrame(
            {
                "digit": DIGITS[label],
                "noise": noise,
                "level": level,
                "row": rows,
                "column": columns,
                "pixel": image,
            }
        )
        for level, images in pictures.items()
        for image, label in zip(images, labels, strict=True)
    ]
    table = pd.concat(parts, ignore_index=True)[COLUMNS]
    return table.sort_values(["digit", "level", "row", "column"], ignore_index=True)


def draw_grid(scores: pd.DataFrame, symbol: str) -> Figure:
    """Digits in rows, noise levels in columns, dark on light."""
    levels, digits = sorted(scores["level"].unique()), sorted(scores["digit"].unique())
    figure, axes = style.panels(len(digits), len(levels), width=1.1 * len(levels), height=1.2)
    for row, digit in zip(axes, digits, strict=True):
        for panel, level in zip(row, levels, strict=True):
            part = scores[(scores["digit"] == digit) & (scores["level"] == level)]
            picture = part.sort_values(["row", "column"])["pixel"].to_numpy().reshape(SIDE, SIDE)
            # Gaussian noise leaves [0, 1]; it is shown clipped.
            panel.imshow(picture, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
            panel.set(xticks=[], yticks=[])
            panel.grid(visible=False)
            panel.set_title("clean" if level == 0 else f"{symbol} = {level:g}")
    return figure
