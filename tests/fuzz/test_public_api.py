"""The public API, called with hostile arguments: a clear error that names the argument, or a finite answer."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.calls import GOOD
from tests.fuzz.harness import Good, examples, little_memory, missing_numbers, names, outcome, spoiled, spoils
from tests.fuzz.learners import LEARNERS

import unveil

#: A warning is a harmless answer.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TABLE = [*GOOD, *LEARNERS]
#: No call to spoil: records, files, a source of bits, an error, and a loss made of functions.
RECORDS = {"Audit", "Ledger", "Release", "SecureGenerator", "SimulationOnly", "LinearOddLoss", "Table"}
#: What works on files, on many processes, or for seconds: tested where they are, a hostile argument at a time.
LARGE = {"choose_model", "cluster", "fit_shards", "publish_shards", "recommend", "sum_over"}


def test_every_public_name_is_called() -> None:
    called = {good.name.split()[0].split(".")[0] for good in TABLE}
    lacking = sorted(set(dir(unveil)) - RECORDS - LARGE - called)
    assert not lacking, f"GOOD in tests/fuzz/calls.py or LEARNERS in tests/fuzz/learners.py needs a call of {lacking}"
    assert called <= set(dir(unveil))


def test_every_public_mechanism_is_called() -> None:
    named = {name: getattr(unveil, name) for name, home in unveil._HOME.items() if home.startswith("mechanisms.")}
    mechanisms = {name for name, kind in named.items() if inspect.isclass(kind) and hasattr(kind, "release")}
    assert mechanisms <= {good.name for good in GOOD}


@pytest.mark.slow
@pytest.mark.parametrize("good", TABLE, ids=lambda good: good.name)
def test_each_hostile_argument_is_named_or_harmless(good: Good) -> None:
    assert not missing_numbers(good.call(**good.arguments))
    silent = []
    for name, value in good.arguments.items():
        for hostile in spoils(value):
            error = outcome(good.call, **{**good.arguments, name: hostile})[1]
            if error is not None and not names(error, name):
                silent.append(f"{name} = {hostile!r}: {error}")
    assert not silent, "\n".join(silent)


@pytest.mark.slow
@pytest.mark.parametrize("good", TABLE, ids=lambda good: good.name)
def test_two_hostile_arguments_are_refused_or_harmless_in_little_memory(good: Good) -> None:
    good.call(**good.arguments)  # compiles what is to be compiled, which takes memory

    @examples(15)
    @given(st.data())
    def hostile(data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(sorted(good.arguments)), min_size=1, max_size=2, unique=True))
        changed = {name: data.draw(spoiled(good.arguments[name])) for name in chosen}
        with little_memory():
            error = outcome(good.call, **{**good.arguments, **changed})[1]
        assert error is None or str(error).strip(), "an error without a word helps nobody"

    hostile()
