"""Which scores and verdicts differ between two runs: `make compare A=results B=results/other`.

Rows of a figure are matched by everything but the numbers that were measured; what came, what went and how far the
others moved is printed, and drawn in figures/compare.svg. Equal runs print one line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.engine.storage import save_bytes
from replication.engine.task import read_scores
from replication.judging import words
from unveil.errors import UnveilError, require

#: How many claims are printed, and how many lines of each kind are drawn; a grid has no more values than this.
MOST = 40
#: Margins beyond this many smallest effects are drawn there.
CLIP = 10.0
#: How the scores of one figure differ: rows of one run alone, or a column, in how many rows, and how far.
CHANGES = ["figure", "what", "rows", "mean", "most", "size"]


def is_grid(first: pd.Series, second: pd.Series) -> bool:
    """Whether a column says what was varied, rather than what was measured.

    Text and whole numbers do. Other numbers do if both runs have the same, or few, each of them many times.
    """
    if "f" not in (first.dtype.kind, second.dtype.kind):
        return True
    few = all(column.nunique() <= min(MOST, len(column) // 10) for column in (first, second))
    return few or set(first.dropna()) == set(second.dropna())


def compare_scores(figure: str, first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Match the rows of both runs: which only one has, and by how much each column moved, in its deviations, too."""
    shared = [name for name in first.columns if name in second.columns]
    keys = [name for name in shared if is_grid(first[name], second[name])]
    # Rows with the same keys are told apart by their order.
    ours, theirs = (
        table.assign(row=table.groupby(keys, dropna=False).cumcount() if keys else np.arange(len(table)))
        for table in (first, second)
    )
    both = ours.merge(theirs, on=[*keys, "row"], how="outer", suffixes=(" A", " B"), indicator=True)
    changes = [
        (figure, f"only in {run}", int((both["_merge"] == f"{side}_only").sum()), np.nan, np.nan, 0.0)
        for run, side in (("A", "left"), ("B", "right"))
    ]
    matched = both[both["_merge"] == "both"]
    for name in (name for name in shared if name not in keys):
        old, new = (matched[f"{name} {run}"].to_numpy(dtype=float) for run in "AB")
        differ = (old != new) & ~(np.isnan(old) & np.isnan(new))
        finite = np.isfinite(old) & np.isfinite(new)
        change = (new - old)[finite] if finite.any() else np.zeros(1)
        mean, spread = float(change.mean()), float(old[finite].std()) if finite.any() else 0.0
        size = mean / spread if spread else float(np.sign(mean))
        changes.append((figure, name, int(differ.sum()), mean, float(np.abs(change).max()), size))
    table = pd.DataFrame(changes, columns=CHANGES)
    return table[table["rows"] > 0]


def compare_figures(first: Path, second: Path) -> tuple[int, pd.DataFrame]:
    """How many figures both runs have scored, and the changes of all of them."""
    names = [file.parent.relative_to(first).as_posix() for file in sorted(first.glob("*/*/scores.csv"))]
    shared = [name for name in names if (second / name / "scores.csv").is_file()]
    require(bool(shared), f"{first} and {second} share no figure: there is no <paper>/<figure>/scores.csv in both")
    scores = ([read_scores(run / name / "scores.csv") for run in (first, second)] for name in shared)
    changes = [compare_scores(name, *tables) for name, tables in zip(shared, scores, strict=True)]
    return len(shared), pd.concat(changes, ignore_index=True)


def compare_claims(first: Path, second: Path) -> pd.DataFrame:
    """The claims whose verdict, or what was seen, differs, the former first; none where a run judged none."""
    files = [run / "claims.csv" for run in (first, second)]
    if not all(file.is_file() for file in files):
        return pd.DataFrame({"turned": []})
    both = read_scores(files[0]).merge(read_scores(files[1]), on=["paper", "claim"], suffixes=(" A", " B"))
    seen = ((both[f"{name} A"], both[f"{name} B"]) for name in ("ours", "low", "high"))
    same = np.logical_and.reduce([(old == new) | (old.isna() & new.isna()) for old, new in seen])
    turned = both["verdict A"] != both["verdict B"]
    return both.assign(turned=turned)[turned | ~same].sort_values("turned", ascending=False, kind="stable")


def describe(figures: int, changes: pd.DataFrame, claims: pd.DataFrame) -> Iterator[str]:
    """The differences in words."""
    yield f"{changes['figure'].nunique()} of {figures} figures in both differ"
    for figure, part in changes.groupby("figure", sort=False):
        yield f"  {figure}: {'; '.join(map(_describe_change, part.to_dict('records')))}"
    turned = int(claims["turned"].sum())
    yield f"{turned} verdicts changed, {len(claims) - turned} more claims were seen otherwise"
    for row in claims.head(MOST).to_dict("records"):
        yield f"  {row['paper']} {row['claim']}: {_describe_claim(row, ' A')} → {_describe_claim(row, ' B')}"
    if len(claims) > MOST:
        yield f"  and {len(claims) - MOST} more"


def _describe_change(row: words.Row) -> str:
    if np.isnan(row["mean"]):
        return f"{row['rows']} rows {row['what']}"
    moved = f"{'+' * (row['mean'] > 0)}{words.amount(row['mean'])} on average and {words.amount(row['most'])} at most"
    return f"{row['what']} differs in {row['rows']} rows, by {moved}"


def _describe_claim(row: words.Row, run: str) -> str:
    known = {name.removesuffix(run): value for name, value in row.items()}
    return str(known["verdict"]) if pd.isna(known["ours"]) else f"{known['verdict']}, {words.span(known)}"


def draw(changes: pd.DataFrame, claims: pd.DataFrame) -> Figure:
    """Left: how far each column of scores moved, in standard deviations. Right: each claim's margin in both runs."""
    moved = changes.dropna().sort_values("size", key=lambda size: -size.abs(), kind="stable").head(MOST)
    claims = claims.head(MOST)
    height = 0.9 + 0.16 * max(len(moved), len(claims), 4)
    figure, axes = style.panels(1, 2, width=style.PAGE, height=height)
    left, right = axes[0]
    left.barh(range(len(moved)), moved["size"], color=palette.COLOURS[0])
    left.set_yticks(range(len(moved)), moved["figure"] + " " + moved["what"], fontsize=5.5)
    left.set_xlabel("mean change / deviation in A")
    right.set_xlabel("margin of a claim / what matters")
    if len(claims):
        _draw_margins(right, claims)
    for panel in axes[0]:
        panel.invert_yaxis()
    return figure


def _draw_margins(panel: Axes, claims: pd.DataFrame) -> None:
    """Where the claims stood in A and stand in B; left of 0 they do not hold."""
    places = range(len(claims))
    first, second = (claims[f"margin {run}"].astype(float).clip(-CLIP, CLIP) for run in "AB")
    panel.hlines(places, first, second, color=palette.MUTED, linewidth=0.6)
    panel.plot(first, places, "o", color=palette.COLOURS[7], label="A")
    panel.plot(second, places, "D", color=palette.COLOURS[1], label="B")
    panel.axvline(0, color=palette.MUTED, linewidth=0.6)
    panel.set_yticks(places, claims["paper"] + " " + claims["claim"], fontsize=5.5)
    panel.legend()


def main(first: Path, second: Path, output: Path) -> None:
    """Print the differences, and draw them."""
    (figures, changes), claims = compare_figures(first, second), compare_claims(first, second)
    print(*describe(figures, changes, claims), sep="\n")  # noqa: T201
    if len(changes) or len(claims):
        output.parent.mkdir(parents=True, exist_ok=True)
        with style.applied():
            for path, content in style.pictures(draw(changes, claims), [output]):
                save_bytes(path, content)
        print(f"drawn in {output}")  # noqa: T201


if __name__ == "__main__":
    try:
        require(len(sys.argv) == 3, "say which: make compare A=results B=results/other")
        for folder in sys.argv[1:]:
            require(Path(folder).is_dir(), f"there is no folder {folder}")
        main(Path(sys.argv[1]), Path(sys.argv[2]), Path("figures", "compare.svg"))
    except UnveilError as error:
        sys.exit(f"error: {error}")
