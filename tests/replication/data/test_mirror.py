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


def test_housing(raw: Path) -> None:
    found = real("housing", raw)
    assert found["features"].shape == (506, 13)
    assert found["features"][0].tolist() == [0.00632, 18, 2.31, 0, 0.538, 6.575, 65.2, 4.09, 1, 296, 15.3, 396.9, 4.98]
    assert found["target"].mean() == pytest.approx(22.532806, abs=1e-6)


def test_california(raw: Path) -> None:
    found = real("california", raw)
    assert found["features"].shape == (20640, 8)
    assert found["features"][0].tolist() == [-122.23, 37.88, 41, 880, 129, 322, 126, 8.3252]
    assert found["target"].max() == 500001


def test_songs_subset(raw: Path) -> None:
    found = real("songs_subset", raw)
    assert found["features"].shape == (8162, 90)
    assert found["target"].min() >= 1922
    assert len(np.unique(found["features"], axis=0)) > 8100


def test_mnist(raw: Path) -> None:
    found = real("mnist", raw)
    train = found["split"] == 0
    counts = np.bincount(found["labels"][train])
    assert counts.tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert found["labels"][:5].tolist() == [5, 0, 4, 1, 9]
    assert found["labels"][60000:60005].tolist() == [7, 2, 1, 0, 4]
    assert found["images"][train].mean() / 255 == pytest.approx(0.1307, abs=1e-4)


def test_treebank(raw: Path) -> None:
    found = real("treebank", raw)
    assert len(found["sentences"]) - 1 == 3914
    assert len(found["tokens"]) == 94084
    assert len(found["tag_names"]) == 45
    assert np.bincount(found["split"]).tolist() == [3396, 518]
    first = found["words"][found["tokens"][:5]]
    assert first.tolist() == ["Pierre", "Vinken", ",", "61", "years"]
    # Every token and tag in its place: the bytes that all results were computed from.
    everything = hashlib.sha256(b"".join(found[name].tobytes() for name in ("tokens", "tags", "sentences")))
    assert everything.hexdigest() == "d87145e8641dd8f2a2fe3890b0ec334e2ac8cb6a4a6fd8b7b7828cb8bd98f598"


def test_ewt(raw: Path) -> None:
    found = real("ewt", raw)
    assert np.bincount(found["split"]).tolist() == [12544, 2077, 2001]
    assert "NN" in found["tag_names"]


def test_census(raw: Path) -> None:
    found = real("census", raw)
    assert np.bincount(found["labels"]).tolist() == [37155, 11687]
    assert np.bincount(found["split"]).tolist() == [32561, 16281]
    assert found["features"].min() == 0
    assert found["features"].max() == 1
    assert (found["features"][:, 6:].sum(axis=1) == 8).all()


def test_higgs(raw: Path) -> None:
    found = real("higgs", raw)
    assert found["features"].shape[1] == 28
    assert found["labels"].mean() == pytest.approx(0.53, abs=0.02)
    np.testing.assert_allclose(found["features"].mean(axis=0, dtype=np.float64), 0, atol=1e-4)
    np.testing.assert_allclose(found["features"].std(axis=0, dtype=np.float64), 1, atol=1e-4)


def test_twitter(raw: Path) -> None:
    found = real("twitter", raw)
    assert found["features"].shape == (6940, 3600)
    assert np.bincount(found["split"]).tolist() == [6248, 692]
    assert np.bincount(found["labels"]).tolist() == [1733, 3473, 1734]
    norms = np.linalg.norm(found["features"], axis=1)
    assert np.all((np.abs(norms - 1) < 1e-5) | (norms == 0))
    assert (norms == 0).mean() < 0.01


def test_youtube(raw: Path) -> None:
    found = real("youtube", raw)
    assert found["features"].shape == (1956, 1001)
    assert np.bincount(found["labels"]).tolist() == [951, 1005]


def test_tagged_words_are_plausible(raw: Path) -> None:
    """'the' is a determiner in both corpora, nearly always."""
    for dataset in ("treebank", "ewt"):
        found = real(dataset, raw)
        place = int(np.searchsorted(found["words"], "the"))
        tags = Counter(found["tag_names"][found["tags"][found["tokens"] == place]].tolist())
        assert tags["DT"] / tags.total() > 0.99
