"""Fields that owner, learner and referee share equal their definitions, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raw_files import housing_line, idx, mnist_files, prepared, raw_folder, song_lines, stand_in
from replication.data.prepare import prepare
from replication.data.scaling import unit_range
from replication.data.sets import songs
from unveil.errors import UnveilError
from unveil.types import Array


def assert_same(found: Array, expected: Array) -> None:
    """Equal in every bit, in type and in shape."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == expected.tobytes()


def scaled(features: Array) -> Array:
    low, high = features.min(axis=0), features.max(axis=0)
    shares: Array = np.clip((features - low) / np.where(high > low, high - low, 1), 0, 1)
    return shares


@pytest.mark.parametrize("dataset", ["housing", "california", "songs_subset"])
def test_scaled_fields(dataset: str, tmp_path: Path) -> None:
    fields = stand_in(tmp_path, dataset)
    features, target = fields["features"], fields["target"].astype(np.float64)
    assert_same(fields["scaled_features"], scaled(features))
    assert (fields["scaled_features"].min(), fields["scaled_features"].max()) == (0, 1)
    shares = (target - 1922) / 89 if dataset == "songs_subset" else target / target.max()
    assert_same(fields["scaled_target"], shares.astype(features.dtype))
    assert 0 <= fields["scaled_target"].min() < fields["scaled_target"].max() <= 1


def test_thinned_songs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every 20th record, by the ranges of these records, which are narrower than those of all."""
    monkeypatch.setattr(songs, "TRAIN", 50)
    monkeypatch.setattr(songs, "TEST", 25)
    fields = prepared(tmp_path, "songs", **{"YearPredictionMSD.txt": song_lines(75)})
    assert_same(fields["scaled_features"], scaled(fields["features"]))
    assert_same(fields["thinned_features"], scaled(fields["features"][::20]))
    assert fields["thinned_features"][:, 0].tolist() == np.array([0, 1 / 3, 2 / 3, 1], dtype=np.float32).tolist()
    assert fields["scaled_features"][60, 0] < 1
    assert_same(fields["thinned_target"], fields["scaled_target"][::20])
    years = np.array([1950, 1970, 1990, 1950])
    assert_same(fields["thinned_target"], ((years - 1922) / 89).astype(np.float32))
    assert fields["thinned_split"].tolist() == [0, 0, 0, 1]


def test_constant_columns_become_zero() -> None:
    assert_same(unit_range(np.array([[3.0, 1.0], [3.0, 2.0]])), np.array([[0.0, 0.0], [0.0, 1.0]]))


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        (housing_line(1.0).replace("24.00", "0.00") * 2, "scaled_target"),
        (housing_line(1.0).replace("0.5 ", "1e308 ") + housing_line(1.0).replace("0.5 ", "-1e308 "), "scaled_features"),
    ],
)  # fmt: skip
def test_what_cannot_be_scaled(lines: str, field: str, tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match=f"housing: the field {field} must be finite"):
        prepared(tmp_path, "housing", **{"housing.data": lines})


def test_sevens_and_nines(tmp_path: Path) -> None:
    raw = raw_folder(tmp_path, "mnist", **mnist_files(np.random.default_rng(2), train=600, test=100))
    fields = prepare("mnist", raw)
    rows = np.flatnonzero(np.isin(fields["labels"], [7, 9]))
    assert fields["sevens_nines_labels"].dtype == np.int8
    assert (
        fields["sevens_nines_labels"].tolist()
        == [-1 if digit == 7 else 1 for digit in fields["labels"][rows]]
    )  # fmt: skip
    assert fields["sevens_nines_split"].tolist() == fields["split"][rows].tolist() == [0] * 120 + [1] * 20

    pixels = fields["images"][rows].astype(np.float32) / 255
    pixels -= pixels.mean(axis=0)
    values, vectors = np.linalg.eigh((pixels.T @ pixels).astype(float) / len(pixels))
    directions = vectors[:, ::-1][:, :50]
    signs = np.sign(directions[np.argmax(np.abs(directions), axis=0), np.arange(50)])
    coordinates = pixels.astype(float) @ (directions * signs) / np.sqrt(values[-1])
    extended = np.column_stack([coordinates, np.ones(len(rows))])
    assert_same(fields["sevens_nines_features"], extended / np.linalg.norm(extended, axis=1, keepdims=True))

    # What the components are for: uncorrelated, the first of variance one, the others falling.
    recovered = fields["sevens_nines_features"][:, :50] / fields["sevens_nines_features"][:, 50:]
    covariance = recovered.T @ recovered / len(rows)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-5)
    assert covariance[0, 0] == pytest.approx(1, abs=1e-5)
    assert (np.diff(np.diag(covariance)) < 0).all()


@pytest.mark.parametrize("dataset", ["census", "breast_cancer"])
def test_unit_features(dataset: str, tmp_path: Path) -> None:
    fields = stand_in(tmp_path, dataset)
    plain = fields["features"].astype(np.float64)
    if dataset == "breast_cancer":
        plain = (plain - plain.mean(axis=0)) / plain.std(axis=0)
    extended = np.column_stack([plain, np.ones(len(plain))])
    assert_same(fields["unit_features"], extended / np.linalg.norm(extended, axis=1, keepdims=True))
    # Every record stays on its side of every separator.
    theta = np.random.default_rng(0).normal(size=extended.shape[1])
    assert np.array_equal(fields["unit_features"] @ theta > 0, extended @ theta > 0)


@pytest.mark.parametrize("labels", [np.zeros(10, np.uint8), np.array([7, *[0] * 9], np.uint8)], ids=["none", "one"])
def test_no_sevens_and_nines(labels: np.ndarray[tuple[int], np.dtype[np.uint8]], tmp_path: Path) -> None:
    files = mnist_files(np.random.default_rng(3), train=10)
    both = {f"{part}-labels-idx1-ubyte": idx(np.zeros(10, np.uint8)) for part in ("train", "t10k")}
    both["t10k-labels-idx1-ubyte"] = idx(labels)
    with pytest.raises(UnveilError, match=r"shows no two different sevens or nines; delete"):
        prepared(tmp_path, "mnist", **{**files, **both})
