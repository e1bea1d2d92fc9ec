"""One colour, marker and label for a method, everywhere in the paper."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import get_args

import pytest

from replication import style
from replication.papers.spread.consistency.draw import PRIORS as DRAWN_PRIORS
from replication.papers.spread.consistency.score import PRIORS
from replication.papers.spread.divergences.draw import DIVERGENCES
from replication.papers.spread.fig3.draw import PAPER, RIVALS, STRONG
from replication.papers.spread.fig3.settings import Method
from replication.papers.spread.palette import METHODS
from replication.papers.spread.voting.draw import ESTIMATORS as DRAWN_ESTIMATORS
from replication.papers.spread.voting.score import ESTIMATORS
from unveil.theory.spread_divergences import GENERATORS


def test_every_method_has_an_entry_and_is_drawn() -> None:
    assert set(METHODS) >= {*get_args(Method), *GENERATORS, *ESTIMATORS, *DRAWN_PRIORS.values()}
    assert {*PAPER, *STRONG} == set(get_args(Method)) >= {rival for rival, _ in RIVALS}
    assert set(DRAWN_PRIORS) == set(PRIORS)
    assert set(DRAWN_ESTIMATORS) == set(ESTIMATORS)
    assert set(DIVERGENCES) == set(GENERATORS)


@pytest.mark.parametrize("methods", [METHODS, style.scale([0.2, 0.3, 0.4, 100, 1000])])
def test_no_two_look_alike(methods: Mapping[object, style.Method]) -> None:
    """Neither as marks nor as lines; and no two are called the same."""
    for one, other in combinations(methods.values(), 2):
        assert one.label != other.label
        assert (one.color, one.marker) != (other.color, other.marker), (one, other)
        assert (one.color, one.linestyle) != (other.color, other.linestyle), (one, other)


def test_what_stands_in_one_figure_differs_in_colour() -> None:
    groups = [
        get_args(Method),
        DRAWN_PRIORS.values(),
        ("spread_flat", "spread_flat_summed", "spread_flat_z", "spread_flat_z_summed"),
        ("global", "interior", "em"),
        ESTIMATORS,
        GENERATORS,
        ("label", "pixel", "image", "image_delta"),
    ]
    for group in groups:
        assert len({METHODS[name].color for name in group}) == len(list(group))
