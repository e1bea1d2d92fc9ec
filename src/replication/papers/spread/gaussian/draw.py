"""Draw section 6.1 as a table."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.palette import METHODS


def draw(scores: pd.DataFrame) -> Figure:
    """The table as a picture."""
    return style.draw_table(table(scores))


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Means with 95 % intervals over trials; `loss`: test accuracy lost against clean data, same trial."""
    last = scores["iterations"].max()
    clean = scores[(scores["method"] == "clean") & (scores["iterations"] == last)].set_index("trial")["test_accuracy"]
    scores = scores.assign(loss=scores["trial"].map(clean) - scores["test_accuracy"])
    rows = []
    for (sigma2, method, samples, steps), part in scores.groupby(
        ["sigma2", "method", "samples", "iterations"], dropna=False
    ):
        row = {
            "σ²": sigma2,
            "method": METHODS[method].label,
            "S": "" if pd.isna(samples) else str(int(samples)),
            "iterations": steps,
            "‖θ‖": f"{part['theta_norm'].mean():.2f}",
        }
        for column, name in (("train_accuracy", "train %"), ("test_accuracy", "test %"), ("loss", "loss %")):
            found = style.interval(part.assign(all=0), ["all"], column).iloc[0]
            row[name] = f"{100 * found['mean']:.2f} ± {100 * (found['high'] - found['mean']):.2f}"
        rows.append(row)
    return pd.DataFrame(rows)
