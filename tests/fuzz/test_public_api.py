"""Mechanisms and functions around them, called with one or two hostile arguments: a clear error or a finite answer."""

from __future__ import annotations

import inspect

import pytest
from fuzz.calls import GOOD, Good
from fuzz.harness import examples, little_memory, missing_numbers, spoiled, tame
from hypothesis import given
from hypothesis import strategies as st

import unveil


def test_every_public_mechanism_is_called() -> None:
    named = {
        name: getattr(unveil, name) for name, home in unveil._HOME.items() if home.startswith("mechanisms.")
    }
    mechanisms = {name for name, kind in named.items() if inspect.isclass(kind) and hasattr(kind, "release")}
    assert mechanisms <= {good.name for good in GOOD}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("good", GOOD, ids=lambda good: good.name)
def test_hostile_arguments_are_refused_or_harmless(good: Good) -> None:
    assert not missing_numbers(good.call(**good.arguments))

    @examples(15)
    @given(st.data())
    def hostile(data: st.DataObject) -> None:
        names = data.draw(
            st.lists(st.sampled_from(sorted(good.arguments)), min_size=1, max_size=2, unique=True)
        )
        changed = {name: data.draw(spoiled(good.arguments[name])) for name in names}
        with little_memory():
            tame(good.call, **{**good.arguments, **changed})

    hostile()
