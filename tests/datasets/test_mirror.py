"""Facts about the real data, where a mirror of it is at hand (UNVEIL_MIRROR)."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil.datasets.prepare import prepare
from unveil.fetching.fetch import fetch
from unveil.fetching.landing import read_json

SOURCES = Path(__file__).resolve().parents[2] / "data" / "sources.yaml"
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
    return prepare(dataset, raw / dataset)


def test_housing(raw: Path) -> None:
    fields = real("housing", raw)
    assert fields["features"].shape == (506, 13)
    assert fields["features"][0].tolist() == [
        0.00632,
        18,
        2.31,
        0,
        0.538,
        6.575,
        65.2,
        4.09,
        1,
        296,
        15.3,
        396.9,
        4.98,
    ]
    assert fields["target"].mean() == pytest.approx(22.532806, abs=1e-6)


def test_california(raw: Path) -> None:
    fields = real("california", raw)
    assert fields["features"].shape == (20640, 8)
    assert fields["features"][0].tolist() == [-122.23, 37.88, 41, 880, 129, 322, 126, 8.3252]
    assert fields["target"].max() == 500001


def test_songs_subset(raw: Path) -> None:
    fields = real("songs_subset", raw)
    assert fields["features"].shape == (8162, 90)
    assert fields["target"].min() >= 1922
    assert len(np.unique(fields["features"], axis=0)) > 8100


def test_mnist(raw: Path) -> None:
    fields = real("mnist", raw)
    train = fields["split"] == 0
    counts = np.bincount(fields["labels"][train])
    assert counts.tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert fields["labels"][:5].tolist() == [5, 0, 4, 1, 9]
    assert fields["labels"][60000:60005].tolist() == [7, 2, 1, 0, 4]
    assert fields["images"][train].mean() / 255 == pytest.approx(0.1307, abs=1e-4)


def test_treebank(raw: Path) -> None:
    fields = real("treebank", raw)
    assert len(fields["sentences"]) - 1 == 3914
    assert len(fields["tokens"]) == 94084
    assert len(fields["tag_names"]) == 45
    assert np.bincount(fields["split"]).tolist() == [3396, 518]
    first = fields["words"][fields["tokens"][:5]]
    assert first.tolist() == ["Pierre", "Vinken", ",", "61", "years"]


def test_ewt(raw: Path) -> None:
    fields = real("ewt", raw)
    assert np.bincount(fields["split"]).tolist() == [12544, 2077, 2001]
    assert "NN" in fields["tag_names"]


def test_census(raw: Path) -> None:
    fields = real("census", raw)
    assert np.bincount(fields["labels"]).tolist() == [37155, 11687]
    assert np.bincount(fields["split"]).tolist() == [32561, 16281]
    assert fields["features"].min() == 0
    assert fields["features"].max() == 1
    assert (fields["features"][:, 6:].sum(axis=1) == 8).all()


def test_higgs(raw: Path) -> None:
    fields = real("higgs", raw)
    assert fields["features"].shape[1] == 28
    assert fields["labels"].mean() == pytest.approx(0.53, abs=0.02)
    np.testing.assert_allclose(fields["features"].mean(axis=0, dtype=np.float64), 0, atol=1e-4)
    np.testing.assert_allclose(fields["features"].std(axis=0, dtype=np.float64), 1, atol=1e-4)


def test_twitter(raw: Path) -> None:
    fields = real("twitter", raw)
    assert fields["features"].shape == (6940, 3600)
    assert np.bincount(fields["split"]).tolist() == [6248, 692]
    assert np.bincount(fields["labels"]).tolist() == [1733, 3473, 1734]
    norms = np.linalg.norm(fields["features"], axis=1)
    assert np.all((np.abs(norms - 1) < 1e-5) | (norms == 0))
    assert (norms == 0).mean() < 0.01


def test_youtube(raw: Path) -> None:
    fields = real("youtube", raw)
    assert fields["features"].shape == (1956, 1001)
    assert np.bincount(fields["labels"]).tolist() == [951, 1005]


def test_tagged_words_are_plausible(raw: Path) -> None:
    """'the' is a determiner in both corpora, nearly always."""
    for dataset in ("treebank", "ewt"):
        fields = real(dataset, raw)
        place = int(np.searchsorted(fields["words"], "the"))
        tags = Counter(fields["tag_names"][fields["tags"][fields["tokens"] == place]].tolist())
        assert tags["DT"] / tags.total() > 0.99
