"""One look a method: every method that is drawn has one, and no two of a paper look alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import pytest
from matplotlib.colors import to_hex

from project import ROOT
from replication.common.margin_losses import LOSSES
from replication.palette import DATASETS, METHODS, VERDICTS, scale
from replication.palette import Method as Look
from replication.papers.class_ratio.fig2.learn import METHODS as MATCHERS
from replication.papers.class_ratio.guarantee.draw import RULES
from replication.papers.class_ratio.mechanisms import MECHANISMS as COUNT_MECHANISMS
from replication.papers.linear_moments.fig6.draw import OPEN, PRIVATE
from replication.papers.linear_moments.fig6.settings import Mechanism, Solver
from replication.papers.linear_moments.fig7.learn import TAGGERS
from replication.papers.linear_moments.fig7_inference.settings import Inference
from replication.papers.mean_operator.release.score import TRUE_LEVELS
from replication.papers.spread.consistency.draw import PRIORS as DRAWN_PRIORS
from replication.papers.spread.consistency.score import PRIORS
from replication.papers.spread.divergences.draw import DIVERGENCES
from replication.papers.spread.divergences.penalties import GENERATORS
from replication.papers.spread.fig3.draw import PAPER, RIVALS, STRONG
from replication.papers.spread.fig3.learn import METHODS as DIGIT_METHODS
from replication.papers.spread.voting.draw import ESTIMATORS as DRAWN_ESTIMATORS
from replication.papers.spread.voting.score import ESTIMATORS
from replication.settings import choices

#: By what any two looks of a picture differ: as marks and as lines, without colour, or in something at least.
MARKS_AND_LINES = [("color", "marker"), ("color", "linestyle")]
GREY, SOMEHOW = [("marker", "linestyle")], [("color", "marker", "linestyle")]

#: What one figure may draw together: taggers, regressions, mechanisms, estimators of finite models, and so on.
FINITE = {"moments", "one_step", "marginal", "em"}
REGRESSIONS, MECHANISMS = {*PRIVATE, *OPEN, "moments_centred"}, {*choices(Mechanism), "classical", "subset_selection"}
MATCHED = {"none", *COUNT_MECHANISMS, *MATCHERS, "psvm_unmixed"}
CROSSED = {*LOSSES, "chance"}
FLAT = {"spread_flat", "spread_flat_summed", "spread_flat_z", "spread_flat_z_summed"}
SHARES = {"clipped" if name == "clipped" else f"votes_{name}" for name in ESTIMATORS}
LEVELS = {"label", "pixel", "image", "image_delta"}
SPREAD = (DIGIT_METHODS, DRAWN_PRIORS.values(), FLAT, ("global", "interior", "em"), SHARES, GENERATORS, LEVELS)
#: And what else figures of mean operators draw.
OPERATED = {"chance", "limit", "delta", "mean_map", "soft_labels", *TRUE_LEVELS}
BOUNDED = {"delta", "stated", "corrected", "corrected_fixed", "measured", "measured_uniform"}


def _looks(names: Iterable[str]) -> Mapping[str, Look]:
    return {name: METHODS[name] for name in names}


@pytest.mark.parametrize(
    ("palette", "features"),
    [
        *((_looks(group), MARKS_AND_LINES + GREY) for group in (TAGGERS, FINITE, REGRESSIONS, MECHANISMS)),
        *((_looks(group), MARKS_AND_LINES) for group in (MATCHED, CROSSED, *SPREAD)),
        *((_looks(group), SOMEHOW) for group in (OPERATED, BOUNDED)),
        (scale(range(8)), MARKS_AND_LINES + GREY),
        (DATASETS, MARKS_AND_LINES),
        (scale([0.2, 0.3, 0.4, 100, 1000]), MARKS_AND_LINES),
    ],
)
def test_no_two_look_or_are_called_alike(palette: Mapping[object, Look], features: list[tuple[str, ...]]) -> None:
    shown = [{**look.line, "color": to_hex(look.color), "label": look.label} for look in palette.values()]
    for names in [("label",), *features]:
        seen: list[Any] = [tuple(str(look[name]) for name in names) for look in shown]
        assert sorted(seen) == sorted(set(seen)), names


def test_everything_that_can_be_chosen_is_drawn_and_has_a_look() -> None:
    moments = {f"moments_{solver}" for solver in get_args(Solver)}
    moments |= {f"marginal_{inference}" for inference in get_args(Inference)}
    assert {*moments, *RULES.values()} <= set(METHODS)
    assert {*PAPER, *STRONG} == set(DIGIT_METHODS) >= set(RIVALS)
    for chosen, drawn in ((PRIORS, DRAWN_PRIORS), (SHARES, DRAWN_ESTIMATORS), (GENERATORS, DIVERGENCES)):
        assert set(chosen) == set(drawn)


def test_what_stands_in_one_figure_of_spread_differs_in_colour() -> None:
    for group in SPREAD:
        assert len({METHODS[name].color for name in group}) == len(group)


def test_every_name_has_one_label() -> None:
    labels = [method.label for method in METHODS.values()]
    assert sorted(labels) == sorted(set(labels))


def test_only_the_registry_names_colours() -> None:
    files = [
        file
        for folder in ("src/replication", "tools")
        for file in (ROOT / folder).rglob("*.py")
        if file.name != "palette.py"
    ]
    literal = re.compile(r"""#[0-9A-Fa-f]{6}\b|\bC\d\b|(?<![a-z])color=["'](?!none)[a-z]""")
    assert [str(file) for file in files if literal.search(file.read_text(encoding="utf-8"))] == []


def test_a_verdict_has_a_colour_and_a_symbol_that_mean_nothing_else() -> None:
    colours = [look.color for look in VERDICTS.values()]
    assert not {*colours} & {look.color for look in (*METHODS.values(), *DATASETS.values())}
    for distinct in (colours, [look.symbol for look in VERDICTS.values()], [look.marker for look in VERDICTS.values()]):
        assert len(set(distinct)) == len(VERDICTS)
