"""Facts about the real data, where a mirror of it is at hand (UNVEIL_MIRROR)."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replication.data.fetching.fetch import fetch
from replication.data.fetching.sources import load
from replication.data.prepare import prepare
from replication.data.provenance import read_json

SOURCES = Path(__file__).resolve().parents[3] / "data" / "sources.yaml"
MIRROR = os.environ.get("UNVEIL_MIRROR", "")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not MIRROR, reason="UNVEIL_MIRROR names no mirror")]


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("raw")


def real(dataset: str, raw: Path) -> dict[str, Any]:
    """The prepared data set; fetched from the mirror, or the test is about something else."""
    fetch(dataset, SOURCES, raw / dataset, Path(MIRROR))
    provenance = read_json(raw / dataset / "provenance.json")
    if not provenance["source"].startswith("mirror:"):
        pytest.skip(f"the mirror has no {dataset}")
    prepared = prepare(dataset, raw / dataset)
    assert list(prepared) == list(load(SOURCES)[dataset].fields)
    return prepared


#: Fields, and a digest of them: the bytes that all results were computed from.
FIELDS = {
    "housing": ("features target", "a452688f7de3e21b"),
    "california": ("features target", "a0e1a69ae03f410b"),
    "songs_subset": ("features target split", "a0194304b0cedc39"),
    "mnist": ("images labels split", "e10378d1a1706246"),
    "treebank": ("tokens tags sentences split", "e9f61249eb6f1062"),
    "ewt": ("tokens tags sentences split", "c25b3433e3219ab6"),
    "census": ("features labels split", "c3b85bc365a24a53"),
    "higgs": ("labels", "93181df7f167073e"),
    "twitter": ("labels split", "22c12067804cae4d"),
    "youtube": ("labels", "55f9f49c54b12699"),
}
#: How many records are of each class or part, as published.
COUNTS = {
    ("mnist", "labels"): [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958],
    ("mnist", "split"): [60000, 10000],
    ("treebank", "split"): [3396, 518],
    ("ewt", "split"): [12544, 2077, 2001],
    ("census", "labels"): [37155, 11687],
    ("census", "split"): [32561, 16281],
    ("twitter", "labels"): [1733, 3473, 1734],
    ("twitter", "split"): [6248, 692],
    ("youtube", "labels"): [951, 1005],
}


@pytest.mark.parametrize("dataset", FIELDS)
def test_fields_are_those_of_the_results(dataset: str, raw: Path) -> None:
    found = real(dataset, raw)
    names, known = FIELDS[dataset]
    content = b"".join(found[name].tobytes() for name in names.split())
    assert hashlib.sha256(content).hexdigest().startswith(known)
    for (_, name), counts in ((key, counts) for key, counts in COUNTS.items() if key[0] == dataset):
        assert np.bincount(found[name]).tolist() == counts


def test_features_have_the_promised_scale(raw: Path) -> None:
    higgs = real("higgs", raw)["features"].astype(np.float64)
    np.testing.assert_allclose([higgs.mean(axis=0), higgs.std(axis=0)], [[0] * 28, [1] * 28], atol=1e-4)
    norms = np.linalg.norm(real("twitter", raw)["features"], axis=1)
    assert np.all((np.abs(norms - 1) < 1e-5) | (norms == 0))
    assert (norms == 0).mean() < 0.01


def test_tagged_words_are_plausible(raw: Path) -> None:
    """'the' is a determiner in both corpora, nearly always."""
    for dataset in ("treebank", "ewt"):
        found = real(dataset, raw)
        place = int(np.searchsorted(found["words"], "the"))
        tags = Counter(found["tag_names"][found["tags"][found["tokens"] == place]].tolist())
        assert tags["DT"] / tags.total() > 0.99
