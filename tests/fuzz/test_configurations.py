"""Hostile configurations: whatever stands in one, it is planned or refused in one line, before any job starts."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.harness import assert_one_line, examples

from configured import CONFIG, Place, at, places, refusal
from replication.engine.checking import require_single_keys
from unveil.errors import UnveilError

NUMBERS = [float("nan"), float("inf"), -float("inf"), 10**30, -(10**30), 2**63, 1e308, 5e-324, -1, 0, True]
TEXTS = ["", "{x}", "{", "}", "{0.__class__}", "../../..", "/dev/zero", "a\nb", "\x1b[2J", "\x00", "\ud800", "x" * 5000]
OTHERS: list[Any] = [None, [], {}, [[]], {"": ""}, {"{": 1}, [1] * 5000, [None], {"a\nb": {"c": []}}]
DEEP = json.loads("[" * 500 + "]" * 500)


PLACES = sorted(places(CONFIG), key=lambda place: (len(place), str(place)))


@examples(60)
@given(
    place=st.integers(1, 9).flatmap(lambda deep: st.sampled_from([p for p in PLACES if len(p) <= deep])),
    wrong=st.sampled_from([*NUMBERS, *TEXTS, *OTHERS, DEEP]),
    renamed=st.booleans(),
)
def test_a_value_or_a_key_that_nobody_expects(place: Place, wrong: Any, renamed: bool) -> None:
    config = copy.deepcopy(CONFIG)
    parent = at(config, place[:-1])
    if renamed and isinstance(parent, dict) and isinstance(wrong, str):
        parent[wrong] = parent[place[-1]]
    else:
        parent[place[-1]] = copy.deepcopy(wrong)
    assert len(refusal(config)) < 1000


LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
FILES: dict[str, tuple[bytes, str]] = {
    "stands in itself": (b"a: &a [*a]\n", "line 1: an alias refers to what it stands in"),
    "a mapping in itself": (b"b: 1\na: &a {b: *a}\n", "line 2: an alias refers to what it stands in"),
    "few words, many values": (LAUGHS.encode(), "line 7: with its aliases written out it holds more than 1,000,000"),
    "deep": (b"[" * 100_000, "nothing is nested in more than 100 levels"),
    "deep mappings": (b"{a: " * 5000 + b"1" + b"}" * 5000, "nothing is nested in more than 100 levels"),
    "a list for a key": (b"? [a, b]\n: c\n", "line 1: a key must be a single word"),
    "twice further in": (b"a: [{b: {c: 1, c: 2}}]\n", "line 1: the key 'c' stands there twice"),
    "twice in another spelling": (b"1: a\n'1': b\n", "line 2: the key '1' stands there twice"),
    "merged twice": (b"a: &a {x: 1}\nb: {<<: *a, <<: *a}\n", "line 2: the key '<<' stands there twice"),
    "a zero byte": (b"a: \x00", "cannot be read: it is not YAML"),
    "other letters": (b"a: \xff\xfe", "cannot be read: it is not YAML"),
    "two documents": (b"a: 1\n---\nb: 2\n", "cannot be read: it is not YAML"),
    "an alias of nothing": (b"a: *none\n", "cannot be read: it is not YAML"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    content, said = FILES[name]
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    with pytest.raises(UnveilError) as refused:
        require_single_keys(path)
    assert_one_line(refused.value)
    assert str(path) in str(refused.value)
    assert said in str(refused.value)


def test_aliases_and_what_they_add_to_are_fine(tmp_path: Path) -> None:
    text = "a: &a {x: 1, y: &y [1, 2]}\nb: {<<: *a, x: 2, z: *y}\nc: [*y, *y]\n"
    assert yaml.safe_load(text)["b"] == {"x": 2, "y": [1, 2], "z": [1, 2]}
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    require_single_keys(path)
    path.write_text(text.replace("x: 2", "x: 2, x: 2"), encoding="utf-8")
    with pytest.raises(UnveilError, match="line 2: the key 'x' stands there twice"):
        require_single_keys(path)
