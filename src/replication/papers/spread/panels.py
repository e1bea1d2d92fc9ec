"""What several figures draw: estimates of a share against the truth."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from replication import style
from replication.palette import METHODS


def truth(axes: Axes) -> None:
    """The diagonal on which a share and its estimate agree."""
    axes.plot([0, 1], [0, 1], linewidth=0.8, label=METHODS["truth"].label, zorder=1, **METHODS["truth"].stroke)


def estimates(axes: Axes, scores: pd.DataFrame, by: str, offsets: Mapping[str, float], x: str, y: str) -> None:
    """Each method's mean estimates with the central 95 % of them, moved aside a little so that all can be seen."""
    for name, offset in offsets.items():
        found = scores[scores[by] == name].groupby(x)[y]
        table = pd.DataFrame({"mean": found.mean(), "low": found.quantile(0.025), "high": found.quantile(0.975)})
        style.bars(axes, table.index + offset, table, METHODS[name], elinewidth=0.8)
    truth(axes)
