"""One look a method: every method that is drawn has one, and no two of a paper look alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from matplotlib.colors import to_hex

from project import ROOT
from replication.papers.class_ratio import palette as class_ratio
from replication.papers.class_ratio import settings as class_ratio_settings
from replication.papers.class_ratio.fig2.learn import METHODS as MATCHERS
from replication.papers.class_ratio.guarantee.draw import RULES
from replication.papers.crossover import palette as crossover
from replication.papers.crossover import settings as crossover_settings
from replication.papers.linear_moments import palette as linear_moments
from replication.papers.linear_moments import settings as linear_moments_settings
from replication.papers.linear_moments.fig6.draw import OPEN, PRIVATE
from replication.papers.linear_moments.fig6.settings import Mechanism, Solver
from replication.papers.mean_operator import palette as mean_operator
from replication.papers.spread import palette as spread
from replication.papers.spread.consistency.draw import PRIORS as DRAWN_PRIORS
from replication.papers.spread.consistency.score import PRIORS
from replication.papers.spread.divergences.draw import DIVERGENCES
from replication.papers.spread.divergences.penalties import GENERATORS
from replication.papers.spread.fig3.draw import PAPER, RIVALS, STRONG
from replication.papers.spread.fig3.settings import Method
from replication.papers.spread.voting.draw import ESTIMATORS as DRAWN_ESTIMATORS
from replication.papers.spread.voting.score import ESTIMATORS
from replication.style import Method as Look
from replication.style import scale

DRAWINGS = sorted((ROOT / "src/replication/papers/linear_moments").glob("*/draw.py"))

#: By what any two looks of a palette differ: as marks and as lines, without colour, or in something at least.
MARKS_AND_LINES = [("color", "marker"), ("color", "linestyle")]
GREY, SOMEHOW = [("marker", "linestyle")], [("color", "marker", "linestyle")]
MARKED = {name: look for name, look in mean_operator.METHODS.items() if look.marker}


#: What one figure of linear moments may draw together: taggers, regressions, mechanisms, estimators of finite models.
TAGGERS = {"moments", "supervised", "most_frequent", *get_args(linear_moments_settings.Estimator)}
REGRESSIONS = {"moments_truncated", "moments_ridge", "moments_centred", "binarised", "least_squares", "constant"}
MECHANISMS = {"coordinate", "per_value", "classical", "subset_selection"}
TOGETHER = [
    {name: linear_moments.METHODS[name] for name in sorted(group)}
    for group in (TAGGERS, REGRESSIONS, MECHANISMS, {"moments", "one_step", "marginal", "em"})
]


def test_every_method_of_linear_moments_is_in_some_group() -> None:
    assert set().union(*TOGETHER) == set(linear_moments.METHODS)


@pytest.mark.parametrize(
    ("palette", "features"),
    [
        *((group, MARKS_AND_LINES + GREY) for group in TOGETHER),
        (scale(range(8)), MARKS_AND_LINES + GREY),
        (mean_operator.METHODS, SOMEHOW),
        (MARKED, MARKS_AND_LINES[:1]),
        (crossover.METHODS, MARKS_AND_LINES),
        (class_ratio.METHODS, MARKS_AND_LINES),
        (class_ratio.DATASETS, MARKS_AND_LINES),
        (spread.METHODS, MARKS_AND_LINES),
        (scale([0.2, 0.3, 0.4, 100, 1000]), MARKS_AND_LINES),
    ],
)
def test_no_two_look_or_are_called_alike(palette: Mapping[object, Look], features: list[tuple[str, ...]]) -> None:
    shown = [{**look.line, "color": to_hex(look.color), "label": look.label} for look in palette.values()]
    for names in [("label",), *features]:
        seen: list[Any] = [tuple(str(look[name]) for name in names) for look in shown]
        assert sorted(seen) == sorted(set(seen)), names


def test_everything_that_can_be_chosen_is_drawn_and_has_a_look() -> None:
    moments = {*get_args(linear_moments_settings.Estimator), *get_args(Mechanism), *PRIVATE, *OPEN}
    moments |= {f"moments_{solver}" for solver in get_args(Solver)}
    moments |= {f"marginal_{inference}" for inference in get_args(linear_moments_settings.Inference)}
    assert moments <= set(linear_moments.METHODS)
    matched = {*get_args(class_ratio_settings.Mechanism), *MATCHERS, "psvm_unmixed"}
    assert matched == set(class_ratio.METHODS) > set(RULES.values())
    assert set(get_args(class_ratio_settings.Dataset)) == set(class_ratio.DATASETS)
    crossed = {*get_args(crossover_settings.Classifier), *get_args(crossover_settings.Quantifier)}
    assert {*crossed, "information", "chance"} == set(crossover.METHODS)
    assert set(spread.METHODS) >= {*get_args(Method), *GENERATORS, *ESTIMATORS, *DRAWN_PRIORS.values()}
    assert {*PAPER, *STRONG} == set(get_args(Method)) >= set(RIVALS)
    for chosen, drawn in ((PRIORS, DRAWN_PRIORS), (ESTIMATORS, DRAWN_ESTIMATORS), (GENERATORS, DIVERGENCES)):
        assert set(chosen) == set(drawn)


def test_what_stands_in_one_figure_of_spread_differs_in_colour() -> None:
    flat = ("spread_flat", "spread_flat_summed", "spread_flat_z", "spread_flat_z_summed")
    others = (("global", "interior", "em"), ESTIMATORS, GENERATORS, ("label", "pixel", "image", "image_delta"))
    for group in (get_args(Method), DRAWN_PRIORS.values(), flat, *others):
        assert len({spread.METHODS[name].color for name in group}) == len(group)


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.parent.name)
def test_no_figure_of_linear_moments_picks_colours_of_its_own(drawing: Any) -> None:
    assert not re.search(r"#[0-9A-Fa-f]{6}|COLOURS|looks\(|\bC\d\b", drawing.read_text(encoding="utf-8"))
