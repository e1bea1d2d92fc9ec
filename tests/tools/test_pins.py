"""What a machine has pinned on first use becomes what is asked of everybody."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tools.pins import vouch

from replication.data.fetching.sources import load
from replication.data.provenance import write_json

HASH = "ab" * 32


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with two data sets of one file each that no source vouches for, one of them fetched."""
    files = {"a.csv": {"lines": 1}}
    source = {"grade": "full", "from": "mirror:toy", "files": files}
    entry = {"title": "t", "licence": "l", "fields": {"x": "x"}, "sources": [source]}
    (tmp_path / "sources.yaml").write_text(yaml.safe_dump({"toy": entry, "other": entry}))
    (tmp_path / "pins.yaml").write_text("# why\n{}\n")
    write_json(tmp_path / "raw" / ".pins" / "toy.json", {"a.csv": HASH, "origin of x": "y", "b of c": "d"})
    return tmp_path


def test_pins_are_taken_over(data: Path) -> None:
    assert load(data / "sources.yaml")["toy"].sources[0].unverified == ["a.csv"]
    assert vouch(data) == {"toy": {"a.csv": HASH}}
    assert (data / "pins.yaml").read_text().startswith("# why\n")
    declared = load(data / "sources.yaml")
    assert [declared[name].sources[0].unverified for name in ("toy", "other")] == [[], ["a.csv"]]
    assert declared["toy"].sources[0].files["a.csv"].sha256 == HASH


def test_only_what_is_named(data: Path) -> None:
    assert vouch(data, ["other"]) == {}
