"""One look a method: every method that is drawn has one, and no two look alike."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest

from project import ROOT
from replication.papers.linear_moments.fig6.draw import OPEN, PRIVATE
from replication.papers.linear_moments.fig6.settings import Mechanism, Solver
from replication.papers.linear_moments.palette import METHODS
from replication.papers.linear_moments.settings import Estimator, Inference
from replication.style import Method, scale

DRAWINGS = sorted((ROOT / "src/replication/papers/linear_moments").glob("*/draw.py"))


def alike(one: Method, other: Method) -> bool:
    """Whether colour, or marker and dash, tell the two apart no more."""
    if one.label == other.label or (one.marker, one.linestyle) == (other.marker, other.linestyle):
        return True
    return one.color == other.color and (one.marker == other.marker or one.linestyle == other.linestyle)


def test_every_choice_of_a_method_has_a_look() -> None:
    chosen = {*get_args(Estimator), *get_args(Mechanism), *PRIVATE, *OPEN}
    chosen |= {f"moments_{solver}" for solver in get_args(Solver)}
    chosen |= {f"marginal_{inference}" for inference in get_args(Inference)}
    assert chosen <= set(METHODS)


def test_no_two_methods_look_alike() -> None:
    assert [pair for pair in combinations(METHODS, 2) if alike(METHODS[pair[0]], METHODS[pair[1]])] == []


def test_no_two_steps_of_a_scale_look_alike() -> None:
    looks = scale(range(8))
    assert [pair for pair in combinations(looks.values(), 2) if alike(*pair)] == []


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.parent.name)
def test_no_figure_picks_colours_of_its_own(drawing: Path) -> None:
    assert not re.search(r"#[0-9A-Fa-f]{6}|COLOURS|looks\(|\bC\d\b", drawing.read_text(encoding="utf-8"))
