"""Each format as it really comes, in small."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from raw_files import (
    ADULT,
    ADULT_TEST,
    COMMENTS,
    TWEETS,
    housing_line,
    idx,
    mnist_files,
    prepared,
    raw_folder,
    song_lines,
)
from replication.data.prepare import prepare
from replication.data.sets import census, songs, youtube
from replication.data.sets.mnist import read_idx
from replication.data.texts import find_frequent_terms, weigh_texts
from unveil.errors import SourceError


def test_housing(tmp_path: Path) -> None:
    original = prepared(tmp_path / "a", "housing", **{"housing.data": housing_line(0.00632) * 3})
    names = "crim,zn,indus,chas,nox,rm,age,dis,rad,tax,ptratio,b,lstat,medv\n"
    copy = names + (",".join(["0.00632", *["0.5"] * 12, "24.00"]) + "\n") * 3
    package = prepared(tmp_path / "b", "housing", **{"housing.csv": copy})
    for name in ("features", "target"):
        np.testing.assert_array_equal(original[name], package[name])
    assert original["features"].shape == (3, 13)
    assert original["features"][0, 0] == 0.00632
    assert original["target"].tolist() == [24.0] * 3


CALIFORNIA = np.array(
    [
        [-122.23, 37.88, 41.0, 880.0, 129.0, 322.0, 126.0, 8.3252, 452600.0],
        [-122.22, 37.86, 21.0, 7099.0, 1106.0, 2401.0, 1138.0, 8.3014, 358500.0],
    ]
)


def test_california_from_all_three_forms(tmp_path: Path) -> None:
    lines = "".join(",".join(f"{value:f}" for value in row) + "\n" for row in CALIFORNIA)
    x = CALIFORNIA.T
    averages = pd.DataFrame(
        {
            "MedInc": x[7], "HouseAge": x[2], "AveRooms": x[3] / x[6], "AveBedrms": x[4] / x[6], "Population": x[5],
            "AveOccup": x[5] / x[6], "Latitude": x[1], "Longitude": x[0], "MedHouseVal": x[8] / 1e5,
        }
    )  # fmt: skip
    parquet = io.BytesIO()
    averages.to_parquet(parquet, compression="brotli")
    forms: list[dict[str, bytes | str]] = [
        {"cal_housing.data": lines},
        {"cal_housing.data": "longitude,latitude,a,b,c,d,e,f,g\n" + lines},
        {"california_housing.parquet": parquet.getvalue()},
    ]
    for number, files in enumerate(forms):
        fields = prepared(tmp_path / str(number), "california", **files)
        np.testing.assert_array_equal(fields["features"], CALIFORNIA[:, :8])
        np.testing.assert_array_equal(fields["target"], CALIFORNIA[:, 8])


def test_songs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(songs, "TRAIN", 15)
    monkeypatch.setattr(songs, "TEST", 5)
    raw = raw_folder(tmp_path, "songs", **{"YearPredictionMSD.txt": song_lines(20)})
    fields = prepare("songs", raw)
    assert fields["features"].dtype == np.float32
    assert fields["features"][7].tolist() == [7.25] * 90
    assert fields["target"].tolist() == [1950 + row for row in range(20)]
    assert fields["split"].tolist() == [0] * 15 + [1] * 5
    monkeypatch.setattr(songs, "TEST", 6)
    with pytest.raises(SourceError, match="has 20 rows instead of 21"):
        prepare("songs", raw)


def test_songs_subset_from_sample_and_from_the_whole(tmp_path: Path) -> None:
    packed = gzip.compress(song_lines(200).encode())
    sample = prepared(tmp_path / "a", "songs_subset", **{"YearPredictionMSD.sample.csv": packed})
    assert np.bincount(sample["split"]).tolist() == [180, 20]
    whole = raw_folder(tmp_path / "b", "songs_subset", **{"YearPredictionMSD.txt": song_lines(200)})
    np.testing.assert_array_equal(prepare("songs_subset", whole)["features"], sample["features"])


def test_higgs_from_both_forms(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([np.arange(50) % 2, rng.normal(3, 2, size=(50, 28))])
    lines = "".join(",".join(f"{value:.18e}" for value in row) + "\n" for row in values)
    tabs = "".join("\t".join(repr(float(value)) for value in row) + "\n" for row in values)
    expected = (values[:, 1:] - values[:, 1:].mean(0)) / values[:, 1:].std(0)
    for place, files in (("a", {"HIGGS.csv": gzip.compress(lines.encode())}), ("b", {"binary.train": tabs.encode()})):
        fields = prepared(tmp_path / place, "higgs", **files)
        np.testing.assert_allclose(fields["features"], expected, rtol=1e-6, atol=1e-6)
        assert fields["labels"].tolist() == [0, 1] * 25


def test_acoustic(tmp_path: Path) -> None:
    lines = "3 1:-0.5 2:0.25 50:1\n1 7:0.125\n2 1:1 50:-1\n"
    files = {"acoustic_scale": bz2.compress(lines.encode()), "acoustic_scale.t": lines.splitlines()[0].encode()}
    fields = prepared(tmp_path, "acoustic", **files)
    assert fields["labels"].tolist() == [2, 0, 1, 2]
    assert fields["split"].tolist() == [0, 0, 0, 1]
    assert fields["features"].shape == (4, 50)
    assert fields["features"][0, [0, 1, 2, 49]].tolist() == [-0.5, 0.25, 0.0, 1.0]


def test_census(tmp_path: Path) -> None:
    fields = prepared(tmp_path, "census", **{"adult.data": ADULT, "adult.test": ADULT_TEST})
    assert fields["labels"].tolist() == [0, 1, 0, 1]
    assert fields["split"].tolist() == [0, 0, 1, 1]
    features = fields["features"]
    assert features.shape == (4, 108)
    np.testing.assert_array_equal(features[:2], features[2:])
    ages = [(39 - 17) / 73, (50 - 17) / 73]
    np.testing.assert_allclose(features[:2, 0], ages, rtol=1e-6)
    one_hot = features[:, len(census.CONTINUOUS) :]
    sizes = [len(listed.split()) for listed in census.CATEGORIES.values()]
    for block in np.split(one_hot, np.cumsum(sizes)[:-1], axis=1):
        np.testing.assert_array_equal(block.sum(axis=1), 1)
    # '?' is the first category of three attributes; the second row has it in all of them.
    starts = len(census.CONTINUOUS) + np.cumsum([0, *sizes[:-1]])
    unknown = [starts[list(census.CATEGORIES).index(name)] for name in ("workclass", "occupation", "native-country")]
    assert features[1, unknown].tolist() == [1, 1, 1]
    assert features[0, unknown].tolist() == [0, 0, 0]


def test_mnist(tmp_path: Path) -> None:
    files = mnist_files(np.random.default_rng(2))
    fields = prepared(tmp_path, "mnist", **files)
    raw = np.frombuffer(gzip.decompress(files["train-images-idx3-ubyte"])[16:], np.uint8).reshape(30, 784)
    np.testing.assert_array_equal(fields["images"][:30], raw)
    assert fields["labels"].tolist() == [n % 10 for n in range(30)] + [n % 10 for n in range(10)]
    assert np.bincount(fields["split"]).tolist() == [30, 10]


def test_twitter(tmp_path: Path) -> None:
    files = {"train.raw": TWEETS * 2, "test.raw": TWEETS[: TWEETS.index("$T$ is")]}
    fields = prepared(tmp_path, "twitter", **files)
    assert fields["labels"].tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert fields["split"].tolist() == [0] * 6 + [1]
    norms = np.linalg.norm(fields["features"], axis=1)
    np.testing.assert_allclose(norms, 1, rtol=1e-6)
    np.testing.assert_array_equal(fields["features"][0], fields["features"][6])
    # The target is back in its place: 'carter' is a term, 't' of $T$ is none.
    texts = ["i agree about jimmy carter .", "google is here", "love wii ! !"]
    terms = find_frequent_terms(texts * 2, 3600, (1, 2), r"\w+|[^\w\s]+")
    assert fields["features"].shape[1] == len(terms)
    assert "jimmy carter" in terms
    assert "! !" in terms


def test_other_tweets(tmp_path: Path) -> None:
    lines = "1\t2.5\tgreat , really\n2\t-0.2\tmeh\n3\t-3\tawful &amp; bad\tand\ttabs\n" * 10
    fields = prepared(tmp_path, "twitter", **{"tweets_GroundTruth.txt": lines})
    assert fields["labels"].tolist() == [2, 1, 0] * 10
    assert np.bincount(fields["split"]).tolist() == [27, 3]


def test_youtube(tmp_path: Path) -> None:
    fields = prepared(tmp_path, "youtube", **dict.fromkeys(youtube.FILES, COMMENTS))
    assert fields["labels"].tolist() == [1, 0] * 5
    words, length = fields["features"][:, :-1], fields["features"][:, -1]
    np.testing.assert_allclose(np.linalg.norm(words, axis=1), 1, rtol=1e-6)
    characters = np.array([len("Huh, check out this & that"), len("i love this song")])
    np.testing.assert_allclose(length[:2], np.log1p(characters) / np.log1p(characters.max()), rtol=1e-6)


def test_tfidf_by_hand() -> None:
    """scikit-learn's smoothed formula on a corpus small enough to compute with pencil and paper."""
    texts = ["a b", "a c", "b zzz"]
    fitted = np.array([True, True, False])
    features = weigh_texts(texts, fitted, 10, (1, 1), r"\w+")
    weight = {"a": np.log(3 / 3) + 1, "b": np.log(3 / 2) + 1, "c": np.log(3 / 2) + 1}
    rows = np.array([[weight["a"], weight["b"], 0], [weight["a"], 0, weight["c"]], [0, weight["b"], 0]])
    np.testing.assert_allclose(features, rows / np.linalg.norm(rows, axis=1, keepdims=True), rtol=1e-6)


def test_ties_in_the_vocabulary_do_not_depend_on_the_order_of_texts() -> None:
    texts = ["d c b a", "a b x", "b y", "z w"]
    assert (
        find_frequent_terms(texts, 3, (1, 1), r"\w+")
        == find_frequent_terms(texts[::-1], 3, (1, 1), r"\w+")
        == ["a", "b", "c"]
    )


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 4), (1, 2, 3, 4)])
def test_idx_of_any_dimension(shape: tuple[int, ...], tmp_path: Path) -> None:
    values = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    (tmp_path / "x").write_bytes(idx(values))
    np.testing.assert_array_equal(read_idx(tmp_path / "x"), values)
