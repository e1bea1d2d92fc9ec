"""The project style: files without dates, honest footers, correct intervals."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.transforms import Bbox
from scipy import stats

from replication import palette, style

METADATA: dict[str, Any] = {
    "data": [
        {"dataset": "songs", "grade": "stand-in", "rows": 515345},
        {"dataset": "housing", "grade": "full", "rows": 506},
    ],
    "trials": 10,
    "seed": 2016,
}


def drawn(path: Path, metadata: dict[str, Any] = METADATA) -> bytes:
    with style.applied():
        figure, axes = style.panels(1, 2)
        for panel in axes.ravel():
            table = pd.DataFrame({"x": [1, 2, 3], "mean": [1, 2, 3], "low": [0, 1, 2], "high": [2, 3, 4]})
            style.band(panel, table, "x", palette.scale("ab")["b"])
        style.finish(figure)
        style.add_footer(figure, metadata)
        ((_, content),) = style.pictures(figure, [path])
    return content


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = (drawn(tmp_path / f"{name}.{suffix}") for name in "ab")
    assert first == second
    assert b"202" not in first[:300].replace(b"2016", b"")  # no year of making in the header


def test_the_footer_says_what_the_figure_rests_on() -> None:
    text = style.footer(METADATA).replace("\N{NO-BREAK SPACE}", " ")
    assert text == "songs: stand-in, n = 515,345 · housing: full, n = 506 · trials: 10 · seed: 2016"
    nothing = style.footer({"data": [], "trials": 0, "seed": 1})
    assert nothing.replace("\N{NO-BREAK SPACE}", " ") == "no data set · seed: 1"
    elsewhere = style.footer({"data": [], "otherwise": "data: elsewhere", "trials": 0, "seed": 1})
    assert elsewhere.replace("\N{NO-BREAK SPACE}", " ") == "data: elsewhere · seed: 1"


def test_a_panel_of_a_stand_in_says_so() -> None:
    with style.applied():
        figure, axes = style.panels(1, 3)
        for panel, title in zip(axes[0], ("songs: released", "songs subset", "housing"), strict=True):
            panel.set_title(title)
        style.finish(figure)
        style.add_footer(figure, METADATA)
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert titles == ["(a) songs (stand-in): released", "(b) songs subset", "(c) housing"]


def test_the_footer_makes_room_for_itself(tmp_path: Path) -> None:
    with style.applied():
        figure, axes = style.panels()
        axes[0, 0].set_xlabel("x")
        before = figure.get_size_inches()[1]
        style.add_footer(figure, {**METADATA, "data": METADATA["data"] * 5})
        figure.canvas.draw()
        footer = figure.texts[-1].get_window_extent()
        assert footer.y1 < axes[0, 0].xaxis.label.get_window_extent().y0
        assert footer.x1 <= figure.bbox.x1
        assert figure.get_size_inches()[1] > before


def test_the_interval_is_students() -> None:
    values = np.random.default_rng(0).normal(size=(2, 7))
    scores = pd.DataFrame({"x": np.repeat([1, 2], 7), "y": values.ravel()})
    table = style.interval(scores, by=["x"], value="y")
    for row, sample in zip(table.itertuples(), values, strict=True):
        low, high = stats.t.interval(0.95, 6, sample.mean(), stats.sem(sample))
        assert (row.mean, row.low, row.high, row.n) == pytest.approx((sample.mean(), low, high, 7))


def test_one_trial_has_no_interval_and_no_nan() -> None:
    table = style.interval(pd.DataFrame({"x": [1], "y": [0.5]}), by=["x"], value="y")
    assert table[["mean", "low", "high"]].to_numpy().tolist() == [[0.5, 0.5, 0.5]]


def test_tables_in_markdown() -> None:
    table = pd.DataFrame({"name": ["a|b"], "n": [1234], "share": [0.123456], "missing": [np.nan]})
    assert style.markdown_table(table) == (
        "| name | n | share | missing |\n| --- | --- | --- | --- |\n| a\\|b | 1,234 | 0.1235 |  |\n"
    )


def test_the_last_bits_of_the_layout_leave_no_trace(tmp_path: Path) -> None:
    pictures = []
    for shaken in (False, True):
        with style.applied():
            figure, axes = style.panels(2, 2)
            style.settle(figure)
            for panel in axes.flat if shaken else ():
                corners = np.nextafter(panel.get_position().extents, 2)
                panel.set_position(Bbox.from_extents(*corners), which="both")
                assert (panel.get_position().extents != np.round(corners, 12)).any()
            style.snap(figure)
            for panel in axes.flat:
                corners = panel.get_position().extents
                np.testing.assert_array_equal(corners, np.round(corners, 12))
            pictures += [content for _, content in style.pictures(figure, [tmp_path / "x.svg"])]
    assert pictures[0] == pictures[1]


METHODS = palette.scale("abc", "method {}")


def test_panels_are_lettered_and_every_look_is_explained_once() -> None:
    with style.applied():
        figure, axes = style.panels(2, 2, used=3)
        for panel, names in zip(figure.axes, ("ab", "b", "c"), strict=True):
            panel.set_title("of " + names)
            for name in names:
                panel.plot([0, 1], label=METHODS[name].label, **METHODS[name].line)
        axes[1, 0].legend()
        style.finish(figure)
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["(a) of ab", "(b) of b", "(c) of c"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["method a", "method b"]


def test_labels_stand_once_for_the_panels_that_share_them() -> None:
    with style.applied():
        figure, axes = style.panels(2, 2, used=3, sharex=True)
        style.label(axes, "dose", ["mean", "spread"])
        figure.draw_without_rendering()
    assert [panel.get_xlabel() for panel in figure.axes] == ["", "dose", "dose"]
    assert [panel.get_ylabel() for panel in figure.axes] == ["mean", "", "spread"]
    assert any(tick.label1.get_visible() for tick in axes[0, 1].xaxis.get_major_ticks())


def test_curves_and_bars_show_the_interval() -> None:
    scores = pd.DataFrame(
        {"x": [1, 1, 1, 1, 1, 2, 2, 2, 2, 2], "y": [0.0, 2.0, 0.0, 2.0, 1.0, 3.0, 5.0, 3.0, 5.0, 4.0]}
    )
    table = style.interval(scores, ["x"], "y")
    with style.applied():
        _, axes = style.panels(1, 2)
        style.curve(axes[0, 0], scores, "x", "y", METHODS["a"])
        style.bars(axes[0, 1], table["x"], table, METHODS["a"])
    (line,), (whiskers,) = axes[0, 0].lines, axes[0, 0].collections
    ((marks, _, (reach,)),) = axes[0, 1].containers
    assert line.get_ydata().tolist() == marks.get_ydata().tolist() == [1, 4]
    for ends in (np.array(drawn.get_segments())[:, :, 1] for drawn in (whiskers, reach)):
        assert (ends.min(), ends.max()) == (table["low"].min(), table["high"].max())
    assert marks.get_linestyle() == "None"
    assert line.get_label() == "method a"


def test_a_logarithmic_axis_has_plain_ticks_and_ends_with_its_data() -> None:
    with style.applied():
        _, axes = style.panels()
        axes[0, 0].plot([0.5, 2], [1, 1])
        style.log_axis(axes[0, 0], (0.1, 1, 1000))
    assert [text.get_text() for text in axes[0, 0].get_xticklabels()] == ["0.1", "1", "1000"]
    low, high = axes[0, 0].get_xlim()
    assert 0.1 < low < 0.5 < 2 < high < 1000


def test_few_repetitions_are_points() -> None:
    scores = pd.DataFrame({"x": [1, 1, 2, 2], "y": [0.0, 2.0, 3.0, 5.0]})
    with style.applied():
        _, axes = style.panels()
        style.curve(axes[0, 0], scores, "x", "y", METHODS["a"])
    line, points = axes[0, 0].lines
    assert (line.get_ydata().tolist(), points.get_ydata().tolist()) == ([1, 4], [0, 2, 3, 5])


def test_lines_are_named_at_their_ends_and_not_in_a_legend() -> None:
    with style.applied():
        figure, axes = style.panels()
        for name, height in (("a", 1.0), ("b", 1.001), ("c", 5.0)):
            axes[0, 0].plot([0, 1], [0, height], label=METHODS[name].label, **METHODS[name].line)
        style.level(axes[0, 0], 3, palette.Method("guessing", "k", ""))
        style.label_ends(axes[0, 0])
        style.finish(figure)
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in axes[0, 0].texts if text.get_text().startswith("method")]
    assert not figure.legends
    assert [text.get_text() for text in axes[0, 0].texts] == ["guessing", "method a", "method b", "method c"]
    assert boxes[0].y1 <= boxes[1].y0 + 1
    assert boxes[1].y1 <= boxes[2].y0 + 1
    assert max(box.x1 for box in boxes) <= figure.bbox.x1


def test_a_table_without_a_picture_is_drawn_as_one() -> None:
    drawer = ModuleType("drawer")
    drawer.table = lambda scores: scores  # type: ignore[attr-defined]
    with style.applied():
        figure = style.picture_of(drawer, pd.DataFrame({"name": ["x"], "n": [1234]}))
    assert {cell.get_text().get_text() for cell in figure.axes[0].tables[0].get_celld().values()} == {
        "name",
        "n",
        "x",
        "1,234",
    }
