"""Which scores and verdicts differ between two runs: `make compare A=results B=results/other`.

Rows of a figure are matched by everything but the numbers that were measured; what came, what went and how far the
others moved is printed, and drawn in figures/compare.svg. Equal runs print one line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

#: What names a row of the table of claims.
CLAIM = ["paper", "claim"]
#: How many lines of each kind are printed and drawn; the rest is counted.
MOST = 40


@dataclass(frozen=True)
class Moved:
    """How one column of scores differs: in how many rows, on average, at most, and in standard deviations."""

    figure: str
    column: str
    rows: int
    mean: float
    most: float
    size: float


@dataclass(frozen=True)
class Scores:
    """How the scores of one figure differ: rows that only one run has, and columns that moved."""

    figure: str
    gone: int
    new: int
    moved: tuple[Moved, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.gone or self.new or self.moved)


def is_grid(first: pd.Series, second: pd.Series) -> bool:
    """Whether a column says what was varied, rather than what was measured.

    Text and whole numbers do. Other numbers do if both runs have the same, or few, each of them many times.
    """
    if not {first.dtype.kind, second.dtype.kind} & {"f"}:
        return True
    ours, theirs = set(first.dropna()), set(second.dropna())
    few = all(len(known) <= min(MANY, len(column) // 10) for known, column in ((ours, first), (theirs, second)))
    return ours == theirs or few


#: A grid has no more values than this.
MANY = 40


def compare_scores(figure: str, first: pd.DataFrame, second: pd.DataFrame) -> Scores:
    """Match the rows of both runs, and measure how far they are apart."""
    shared = [name for name in first.columns if name in second.columns]
    keys = [name for name in shared if is_grid(first[name], second[name])]
    values = [name for name in shared if name not in keys]
    ours, theirs = (_numbered(table, keys) for table in (first, second))
    both = ours.merge(theirs, on=[*keys, "row"], how="outer", suffixes=(" A", " B"), indicator=True)
    counts = both["_merge"].value_counts()
    matched = both[both["_merge"] == "both"]
    moved = (_moved(figure, name, matched) for name in values)
    return Scores(figure, int(counts["left_only"]), int(counts["right_only"]), tuple(one for one in moved if one.rows))


def _numbered(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Rows with the same keys are told apart by their order."""
    return table.assign(row=table.groupby(keys, dropna=False).cumcount() if keys else np.arange(len(table)))


def _moved(figure: str, name: str, matched: pd.DataFrame) -> Moved:
    first, second = (matched[f"{name} {run}"].to_numpy(dtype=float) for run in "AB")
    finite = np.isfinite(first) & np.isfinite(second)
    differ = np.where(finite, first != second, ~((first == second) | (np.isnan(first) & np.isnan(second))))
    change = (second - first)[finite]
    spread = float(first[finite].std()) if finite.any() else 0.0
    mean, most = (float(change.mean()), float(np.abs(change).max())) if finite.any() else (0.0, 0.0)
    return Moved(figure, name, int(differ.sum()), mean, most, mean / spread if spread else float(np.sign(mean)))


def all_scores(first: Path, second: Path) -> list[Scores]:
    """Every figure that both runs have scored."""
    names = [file.parent.relative_to(first).as_posix() for file in sorted(first.glob("*/*/scores.csv"))]
    shared = [name for name in names if (second / name / "scores.csv").is_file()]
    require(bool(shared), f"{first} and {second} share no figure: there is no <paper>/<figure>/scores.csv in both")
    return [
        compare_scores(name, *(read_scores(run.joinpath(*name.split("/"), "scores.csv")) for run in (first, second)))
        for name in shared
    ]


def changed_claims(first: Path, second: Path) -> pd.DataFrame:
    """The claims whose verdict, or what was seen, differs; none where a run judged none."""
    files = [run / "claims.csv" for run in (first, second)]
    if not all(file.is_file() for file in files):
        return pd.DataFrame()
    tables = [read_scores(file) for file in files]
    both = tables[0].merge(tables[1], on=CLAIM, suffixes=(" A", " B"))
    same = both["verdict A"] == both["verdict B"]
    for name in ("ours", "low", "high"):
        same &= (both[f"{name} A"] == both[f"{name} B"]) | (both[f"{name} A"].isna() & both[f"{name} B"].isna())
    order = (both["verdict A"] == both["verdict B"])[~same].sort_values(kind="stable").index
    return both.loc[order]


def said(scores: Sequence[Scores], claims: pd.DataFrame) -> Iterator[str]:
    """The differences in words."""
    differ = [one for one in scores if not one.equal]
    yield f"{len(differ)} of {len(scores)} figures in both differ"
    for one in differ:
        rows = [f"{one.gone} rows only in A"] * bool(one.gone) + [f"{one.new} rows only in B"] * bool(one.new)
        yield f"  {one.figure}: {'; '.join([*rows, *map(_words, one.moved)])}"
    turned = claims[claims["verdict A"] != claims["verdict B"]] if len(claims) else claims
    yield f"{len(turned)} verdicts changed, {len(claims) - len(turned)} more claims were seen otherwise"
    for row in claims.head(MOST).to_dict("records"):
        yield f"  {row['paper']} {row['claim']}: {_claim(row, 'A')} → {_claim(row, 'B')}"
    if len(claims) > MOST:
        yield f"  and {len(claims) - MOST} more"


def _words(moved: Moved) -> str:
    sign = "+" if moved.mean > 0 else ""
    return (
        f"{moved.column} differs in {moved.rows} rows, by {sign}{words.amount(moved.mean)} on average"
        f" and {words.amount(moved.most)} at most"
    )


def _claim(row: dict[str, object], run: str) -> str:
    known = {str(name).removesuffix(f" {run}"): value for name, value in row.items()}
    return str(known["verdict"]) if pd.isna(known["ours"]) else f"{known['verdict']}, {words.span(known)}"


def draw(scores: Sequence[Scores], claims: pd.DataFrame) -> Figure:
    """Left: how far each column of scores moved, in standard deviations. Right: each claim's margin in both runs."""
    moved = sorted((one for part in scores for one in part.moved), key=lambda one: -abs(one.size))[:MOST]
    seen = claims.head(MOST)
    height = 0.9 + 0.16 * max(len(moved), len(seen), 4)
    figure, axes = style.panels(1, 2, width=style.PAGE, height=height)
    changes, margins = axes[0]
    places = np.arange(len(moved))
    changes.barh(places, [one.size for one in moved], color=palette.COLOURS[0])
    changes.set_yticks(places, [f"{one.figure} {one.column}" for one in moved], fontsize=5.5)
    changes.set_xlabel("mean change / deviation in A")
    _draw_margins(margins, seen)
    for panel in axes[0]:
        panel.invert_yaxis()
    return figure


def _draw_margins(panel: Axes, claims: pd.DataFrame) -> None:
    """Where the claims stood in A and stand in B; left of 0 they do not hold."""
    panel.set_xlabel("margin of a claim / what matters")
    if claims.empty:
        return
    places = np.arange(len(claims))
    first, second = (claims[f"margin {run}"].astype(float).clip(-CLIP, CLIP) for run in "AB")
    panel.hlines(places, first, second, color=palette.MUTED, linewidth=0.6)
    panel.plot(first, places, "o", color=palette.COLOURS[7], label="A")
    panel.plot(second, places, "D", color=palette.COLOURS[1], label="B")
    panel.axvline(0, color=palette.MUTED, linewidth=0.6)
    panel.set_yticks(places, [f"{row.paper} {row.claim}" for row in claims.itertuples()], fontsize=5.5)
    panel.legend()


#: Margins beyond this many smallest effects are drawn there.
CLIP = 10.0


def main(first: Path, second: Path, output: Path) -> None:
    """Print the differences, and draw them."""
    scores, claims = all_scores(first, second), changed_claims(first, second)
    print(*said(scores, claims), sep="\n")  # noqa: T201
    if all(one.equal for one in scores) and claims.empty:
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    with style.applied():
        for path, content in style.pictures(draw(scores, claims), [output]):
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
