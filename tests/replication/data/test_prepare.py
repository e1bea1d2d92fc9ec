"""Preparing data sets, and what holds for all of them."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from raw_files import describe, raw_folder, stand_in
from replication.data.fetching.sources import load
from replication.data.prepare import prepare
from replication.randomness import generator
from unveil.errors import SourceError, UnveilError
from unveil.types import Array

SOURCES = load(Path(__file__).resolve().parents[3] / "data" / "sources.yaml")

#: Rows, and how many of them are for testing where the data set has a split.
SHAPES = {
    "housing": ((506, 13), None),
    "california": ((20640, 8), None),
    "songs": ((515345, 90), 51630),
    "songs_subset": ((8162, 90), 816),
    "mnist": ((70000, 784), 10000),
    "census": ((48842, 108), 16281),
    "higgs": ((50000, 28), None),
    "acoustic": ((78823, 50), 15765),
    "twitter": ((6940, 3600), 694),
    "youtube": ((1956, 1001), None),
    "breast_cancer": ((569, 30), None),
}
DTYPES = {
    "target": {"housing": "float64", "california": "float64", "songs": "int16", "songs_subset": "int16"},
    "features": dict.fromkeys(SHAPES, "float32") | dict.fromkeys(("housing", "california", "breast_cancer"), "float64"),
}
#: Fields of a part of the records: every 20th song; the sevens and nines, as many as there are.
PARTS = {"songs": ("thinned_", 25768), "mnist": ("sevens_nines_", None)}
LARGE = ("songs", "mnist", "acoustic")


@pytest.mark.parametrize("dataset", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in SHAPES])
def test_stand_in_has_the_declared_shape(dataset: str, tmp_path: Path) -> None:
    fields = stand_in(tmp_path, dataset)
    assert list(fields) == list(SOURCES[dataset].fields)
    shape, test = SHAPES[dataset]
    assert next(iter(fields.values())).shape == shape
    prefix, rows = PARTS.get(dataset, ("none_", 0))
    if dataset == "mnist":
        rows = int(np.isin(fields["labels"], [7, 9]).sum())
    assert {len(values) for name, values in fields.items() if not name.startswith(prefix)} == {shape[0]}
    assert all(len(values) == rows for name, values in fields.items() if name.startswith(prefix))
    assert all(values.flags.c_contiguous for values in fields.values())
    for name in ("features", "target"):
        assert name not in fields or fields[name].dtype == DTYPES[name][dataset]
    if test is not None:
        assert fields["split"].dtype == np.uint8
        assert np.bincount(fields["split"]).tolist() == [shape[0] - test, test]
    if "labels" in fields:
        assert fields["labels"].dtype == np.uint8
        assert np.bincount(fields["labels"]).min() > 0


@pytest.mark.parametrize("dataset", ["treebank", "ewt"])
def test_stand_in_corpora(dataset: str, tmp_path: Path) -> None:
    fields = stand_in(tmp_path, dataset)
    assert list(fields) == list(SOURCES[dataset].fields)
    dtypes = {"tokens": "int32", "tags": "int16", "sentences": "int64", "split": "uint8"}
    assert {name: fields[name].dtype for name in dtypes} == dtypes
    assert len(fields["tag_names"]) == 45
    assert fields["sentences"][0] == 0
    assert fields["sentences"][-1] == len(fields["tokens"]) == len(fields["tags"])
    assert np.diff(fields["sentences"]).min() >= 1
    assert len(fields["split"]) == len(fields["sentences"]) - 1
    assert fields["tokens"].max() == len(fields["words"]) - 1


@pytest.mark.parametrize("dataset", ["housing", "treebank", "youtube", "breast_cancer"])
def test_stand_in_is_the_same_for_everybody(dataset: str, tmp_path: Path) -> None:
    module = importlib.import_module(f"replication.data.sets.{dataset}")
    again = module.stand_in(generator(0, "stand-in", dataset))
    for name, values in stand_in(tmp_path, dataset).items():
        np.testing.assert_array_equal(values, again[name])


def centroid_accuracy(features: Array, labels: Array) -> float:
    """Nearest class centre, learned on every second row, tested on the others."""
    train, test = np.arange(len(labels)) % 2 == 0, np.arange(len(labels)) % 2 == 1
    x = (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-9)
    centres = np.stack([x[train & (labels == kind)].mean(axis=0) for kind in np.unique(labels)])
    distance = ((x[test][:, None] - centres) ** 2).sum(axis=2)
    return float((distance.argmin(axis=1) == labels[test]).mean())


@pytest.mark.parametrize(
    ("dataset", "at_least", "below"),
    [
        ("census", 0.7, 0.97),
        ("higgs", 0.55, 0.9),
        ("youtube", 0.75, 1.01),
        ("twitter", 0.5, 1.01),
        ("breast_cancer", 0.85, 1.01),
        pytest.param("mnist", 0.9, 1, marks=pytest.mark.slow),
        pytest.param("acoustic", 0.6, 1, marks=pytest.mark.slow),
    ],
)
def test_stand_in_can_be_learned(dataset: str, at_least: float, below: float, tmp_path: Path) -> None:
    fields = stand_in(tmp_path, dataset)
    features = fields["images"].astype(np.float64) if dataset == "mnist" else fields["features"]
    assert at_least <= centroid_accuracy(features[:4000], fields["labels"][:4000]) < below


def linear_r2(features: Array, target: Array) -> float:
    design = np.column_stack([np.ones(len(target)), (features - features.mean(0)) / features.std(0)]).astype(float)
    y = target.astype(float)
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(1 - residual.var() / y.var())


STRENGTHS = {"housing": (0.5, 0.9), "california": (0.5, 0.9), "songs_subset": (0.1, 0.35)}


@pytest.mark.parametrize("dataset", STRENGTHS)
def test_stand_in_has_a_linear_signal_of_the_right_strength(dataset: str, tmp_path: Path) -> None:
    fields = stand_in(tmp_path, dataset)
    low, high = STRENGTHS[dataset]
    assert low < linear_r2(fields["features"], fields["target"]) < high


def test_years_of_the_stand_in_are_skewed_like_the_real_ones(tmp_path: Path) -> None:
    years = stand_in(tmp_path, "songs_subset")["target"]
    assert 1922 <= years.min() < 1960
    assert years.max() <= 2011
    assert np.median(years) - years.mean() > 2
    assert 1998 <= np.median(years) <= 2005


def test_suffixes_and_context_tell_tags_in_the_stand_in(tmp_path: Path) -> None:
    """The most frequent tag of a word's last three letters beats chance by far, and is not perfect."""
    fields = stand_in(tmp_path, "treebank")
    endings = np.array([word[-3:] for word in fields["words"].tolist()])[fields["tokens"]]
    _, ending = np.unique(endings, return_inverse=True)
    table = np.zeros((ending.max() + 1, 45))
    np.add.at(table, (ending, fields["tags"]), 1)
    accuracy = table.max(axis=1).sum() / len(ending)
    assert 0.5 < accuracy < 0.99


def test_not_fetched(tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match=r"does not hold housing; fetch it first"):
        prepare("housing", tmp_path / "housing")
    describe(tmp_path / "other", "synthetic")
    with pytest.raises(UnveilError, match=r"does not hold housing"):
        prepare("housing", tmp_path / "other")


@pytest.mark.parametrize("spoil", [lambda path: path.write_text("1 2"), lambda path: path.unlink()])
def test_file_that_changed_since(spoil: object, tmp_path: Path) -> None:
    raw = raw_folder(tmp_path, "housing", **{"housing.data": " ".join(["1"] * 14) + "\n"})
    spoil(raw / "housing.data")  # type: ignore[operator]
    with pytest.raises(SourceError, match=r"housing\.data is not as it was fetched; delete"):
        prepare("housing", raw)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1.0, np.nan]), "the field x must be finite"),
        (np.array([]), "must be a plain array with something in it"),
        (np.array([None]), "must be a plain array"),
        ([1, 2], "must be a plain array"),
    ],
)
def test_fields_are_checked(values: object, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    describe(tmp_path / "toy", "synthetic")
    toy = SimpleNamespace(stand_in=lambda _: {"x": values})
    monkeypatch.setattr("replication.data.prepare.importlib.import_module", lambda _: toy)
    with pytest.raises(UnveilError, match=message):
        prepare("toy", tmp_path / "toy")
