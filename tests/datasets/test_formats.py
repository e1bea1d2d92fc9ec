"""Each format as it really comes, in small; and each way in which it can be wrong."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from raw_files import ADULT, ADULT_TEST, COMMENTS, TWEETS, idx, mnist_files, raw_folder

from unveil.datasets import census, songs, youtube
from unveil.datasets.mnist import read_idx
from unveil.datasets.prepare import prepare
from unveil.datasets.texts import frequent_terms, tfidf
from unveil.errors import SourceError


def housing_line(first: float) -> str:
    return f" {first:.5f}  " + "  ".join(["0.5"] * 12) + "  24.00\n"


def test_housing(tmp_path: Path) -> None:
    original = prepare(
        "housing", raw_folder(tmp_path / "a", "housing", **{"housing.data": housing_line(0.00632) * 3})
    )
    names = "crim,zn,indus,chas,nox,rm,age,dis,rad,tax,ptratio,b,lstat,medv\n"
    copy = names + (",".join(["0.00632", *["0.5"] * 12, "24.00"]) + "\n") * 3
    package = prepare("housing", raw_folder(tmp_path / "b", "housing", **{"housing.csv": copy}))
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
        fields = prepare("california", raw_folder(tmp_path / str(number), "california", **files))
        np.testing.assert_array_equal(fields["features"], CALIFORNIA[:, :8])
        np.testing.assert_array_equal(fields["target"], CALIFORNIA[:, 8])


def song_lines(rows: int) -> str:
    return "".join(f"{1950 + row % 60}," + ",".join([f"{row}.25"] * 90) + "\n" for row in range(rows))


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
    sample = prepare(
        "songs_subset", raw_folder(tmp_path / "a", "songs_subset", **{"YearPredictionMSD.sample.csv": packed})
    )
    assert np.bincount(sample["split"]).tolist() == [180, 20]
    whole = raw_folder(tmp_path / "b", "songs_subset", **{"YearPredictionMSD.txt": song_lines(200)})
    np.testing.assert_array_equal(prepare("songs_subset", whole)["features"], sample["features"])


def test_higgs_from_both_forms(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([np.arange(50) % 2, rng.normal(3, 2, size=(50, 28))])
    lines = "".join(",".join(f"{value:.18e}" for value in row) + "\n" for row in values)
    tabs = "".join("\t".join(repr(float(value)) for value in row) + "\n" for row in values)
    expected = (values[:, 1:] - values[:, 1:].mean(0)) / values[:, 1:].std(0)
    for place, files in (
        ("a", {"HIGGS.csv": gzip.compress(lines.encode())}),
        ("b", {"binary.train": tabs.encode()}),
    ):
        fields = prepare("higgs", raw_folder(tmp_path / place, "higgs", **files))
        np.testing.assert_allclose(fields["features"], expected, rtol=1e-6, atol=1e-6)
        assert fields["labels"].tolist() == [0, 1] * 25


def test_acoustic(tmp_path: Path) -> None:
    lines = "3 1:-0.5 2:0.25 50:1\n1 7:0.125\n2 1:1 50:-1\n"
    files = {
        "acoustic_scale": bz2.compress(lines.encode()),
        "acoustic_scale.t": lines.splitlines()[0].encode(),
    }
    fields = prepare("acoustic", raw_folder(tmp_path, "acoustic", **files))
    assert fields["labels"].tolist() == [2, 0, 1, 2]
    assert fields["split"].tolist() == [0, 0, 0, 1]
    assert fields["features"].shape == (4, 50)
    assert fields["features"][0, [0, 1, 2, 49]].tolist() == [-0.5, 0.25, 0.0, 1.0]


def test_census(tmp_path: Path) -> None:
    fields = prepare(
        "census", raw_folder(tmp_path, "census", **{"adult.data": ADULT, "adult.test": ADULT_TEST})
    )
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
    unknown = [
        starts[list(census.CATEGORIES).index(name)] for name in ("workclass", "occupation", "native-country")
    ]
    assert features[1, unknown].tolist() == [1, 1, 1]
    assert features[0, unknown].tolist() == [0, 0, 0]


def test_mnist(tmp_path: Path) -> None:
    files = mnist_files(np.random.default_rng(2))
    fields = prepare("mnist", raw_folder(tmp_path, "mnist", **files))
    raw = np.frombuffer(gzip.decompress(files["train-images-idx3-ubyte"])[16:], np.uint8).reshape(30, 784)
    np.testing.assert_array_equal(fields["images"][:30], raw)
    assert fields["labels"].tolist() == [n % 10 for n in range(30)] + [n % 10 for n in range(10)]
    assert np.bincount(fields["split"]).tolist() == [30, 10]


def test_twitter(tmp_path: Path) -> None:
    files = {"train.raw": TWEETS * 2, "test.raw": TWEETS[: TWEETS.index("$T$ is")]}
    fields = prepare("twitter", raw_folder(tmp_path, "twitter", **files))
    assert fields["labels"].tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert fields["split"].tolist() == [0] * 6 + [1]
    norms = np.linalg.norm(fields["features"], axis=1)
    np.testing.assert_allclose(norms, 1, rtol=1e-6)
    np.testing.assert_array_equal(fields["features"][0], fields["features"][6])
    # The target is back in its place: 'carter' is a term, 't' of $T$ is none.
    texts = ["i agree about jimmy carter .", "google is here", "love wii ! !"]
    terms = frequent_terms(texts * 2, 3600, (1, 2), r"\w+|[^\w\s]+")
    assert fields["features"].shape[1] == len(terms)
    assert "jimmy carter" in terms
    assert "! !" in terms


def test_other_tweets(tmp_path: Path) -> None:
    lines = "1\t2.5\tgreat , really\n2\t-0.2\tmeh\n3\t-3\tawful &amp; bad\tand\ttabs\n" * 10
    fields = prepare("twitter", raw_folder(tmp_path, "twitter", **{"tweets_GroundTruth.txt": lines}))
    assert fields["labels"].tolist() == [2, 1, 0] * 10
    assert np.bincount(fields["split"]).tolist() == [27, 3]


def test_youtube(tmp_path: Path) -> None:
    fields = prepare("youtube", raw_folder(tmp_path, "youtube", **dict.fromkeys(youtube.FILES, COMMENTS)))
    assert fields["labels"].tolist() == [1, 0] * 5
    words, length = fields["features"][:, :-1], fields["features"][:, -1]
    np.testing.assert_allclose(np.linalg.norm(words, axis=1), 1, rtol=1e-6)
    characters = np.array([len("Huh, check out this & that"), len("i love this song")])
    np.testing.assert_allclose(length[:2], np.log1p(characters) / np.log1p(characters.max()), rtol=1e-6)


def test_tfidf_by_hand() -> None:
    """scikit-learn's smoothed formula on a corpus small enough to compute with pencil and paper."""
    texts = ["a b", "a c", "b zzz"]
    fitted = np.array([True, True, False])
    features = tfidf(texts, fitted, 10, (1, 1), r"\w+")
    weight = {"a": np.log(3 / 3) + 1, "b": np.log(3 / 2) + 1, "c": np.log(3 / 2) + 1}
    rows = np.array([[weight["a"], weight["b"], 0], [weight["a"], 0, weight["c"]], [0, weight["b"], 0]])
    np.testing.assert_allclose(features, rows / np.linalg.norm(rows, axis=1, keepdims=True), rtol=1e-6)


def test_ties_in_the_vocabulary_do_not_depend_on_the_order_of_texts() -> None:
    texts = ["d c b a", "a b x", "b y", "z w"]
    assert (
        frequent_terms(texts, 3, (1, 1), r"\w+")
        == frequent_terms(texts[::-1], 3, (1, 1), r"\w+")
        == ["a", "b", "c"]
    )


NUMBERS = housing_line(1.0)
WRONG = [
    ("housing", "housing.data", "", "cannot be read"),
    ("housing", "housing.data", "1 2 3\n", "has 3 columns instead of 14"),
    ("housing", "housing.data", NUMBERS + "1 2\n", "has missing or infinite values"),
    ("housing", "housing.data", NUMBERS.strip() + " 7\n" + NUMBERS, "has 15 columns instead of 14"),
    ("housing", "housing.data", NUMBERS + NUMBERS.strip() + " 7\n", "cannot be read"),
    ("housing", "housing.data", NUMBERS.replace("24.00", "inf"), "has missing or infinite values"),
    ("housing", "housing.data", NUMBERS.replace("24.00", "word"), "cannot be read"),
    ("housing", "housing.data", NUMBERS.encode() + b"\xff\xfe\n", "cannot be read|has|UTF-8"),
    ("housing", "housing.data", gzip.compress(NUMBERS.encode())[:-6], "truncated or damaged"),
    ("california", "california_housing.parquet", b"PAR1 no", "cannot be read|truncated or damaged"),
    ("california", "cal_housing.data", "1,2\n", "has 2 columns instead of 9"),
    ("higgs", "HIGGS.csv", ("1," + ",".join("1" * 28) + "\n") * 2, "has a constant column"),
    (
        "songs_subset",
        "YearPredictionMSD.sample.csv",
        "1800," + ",".join(["1"] * 90) + "\n",
        "has years outside",
    ),
    (
        "songs_subset",
        "YearPredictionMSD.sample.csv",
        "1999.5," + ",".join(["1"] * 90) + "\n",
        "has years outside",
    ),
]


@pytest.mark.parametrize(("dataset", "name", "content", "message"), WRONG)
def test_wrong_tables(dataset: str, name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    assert_refused(dataset, message, tmp_path, **{name: content})


def assert_refused(dataset: str, message: str, place: Path, **files: str | bytes) -> None:
    """One line that names a file and says what to do."""
    raw = raw_folder(place, dataset, **files)
    with pytest.raises(SourceError, match=message) as caught:
        prepare(dataset, raw)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(f"; delete {raw} and fetch it again")
    assert any(name in said for name in files), said


def test_wrong_higgs_labels(tmp_path: Path) -> None:
    rows = "".join(f"{label}," + ",".join([str(label)] * 28) + "\n" for label in (0, 1, 2))
    assert_refused("higgs", "labels other than 0, 1", tmp_path, **{"HIGGS.csv": rows})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("State-gov", "Circus"), "unknown workclass"),
        (("39, ", "old, "), "cannot be read"),
        (("39, ", "nan, "), "values of age that are not finite"),
        ((", <=50K", ", maybe"), "labels other than <=50K and >50K"),
        ((", United-States, <=50K", ""), "cannot be read|columns"),
    ],
)
def test_wrong_census(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    assert_refused(
        "census", message, tmp_path, **{"adult.data": ADULT.replace(*change), "adult.test": ADULT_TEST}
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("4 1:1\n", "labels other than 1, 2, 3"),
        ("1 51:1\n", "cannot be read"),
        ("1 0:1\n", "cannot be read"),
        ("1 1:x\n", "cannot be read"),
        ("1 1:nan\n", "not finite"),
        ("", "no rows"),
        (bz2.compress(b"1 1:1\n")[:-4], "truncated or damaged"),
    ],
)
def test_wrong_acoustic(content: str | bytes, message: str, tmp_path: Path) -> None:
    assert_refused(
        "acoustic", message, tmp_path, **{"acoustic_scale": content, "acoustic_scale.t": "1 1:1\n"}
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text\ntarget\n", "not three a tweet"),
        ("text\ntarget\n2\n", "labels other than -1, 0, 1"),
        ("text\ntarget\nfine\n", "cannot be read"),
        (b"caf\xe9\ntarget\n1\n", "is not UTF-8 text"),
        ("", "not three a tweet"),
    ],
)
def test_wrong_tweets(content: str | bytes, message: str, tmp_path: Path) -> None:
    assert_refused("twitter", message, tmp_path, **{"train.raw": content, "test.raw": TWEETS})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\t2\n", "not number, rating and text"),
        ("1\t9\tword\n", "ratings beyond 4"),
        ("1\tx\tword\n", "cannot be read"),
        ("1\tnan\tword\n", "ratings beyond 4"),
    ],
)
def test_wrong_other_tweets(content: str, message: str, tmp_path: Path) -> None:
    assert_refused("twitter", message, tmp_path, **{"tweets_GroundTruth.txt": content})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "does not have the columns"),
        (COMMENTS.replace("song,0", "song,maybe"), "cannot be read"),
        (COMMENTS.replace("song,0", "song,3"), "labels other than 0, 1"),
        (COMMENTS.split("\n")[0] + "\n", "has no rows"),
        (COMMENTS.encode().replace(b"Julius", b"J\xfclius"), "is not UTF-8 text"),
        (COMMENTS + 'a3,C,,"cut off here', "cannot be read"),
    ],
)
def test_wrong_comments(content: str | bytes, message: str, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = dict.fromkeys(youtube.FILES, COMMENTS)
    assert_refused("youtube", message, tmp_path, **{**files, youtube.FILES[2]: content})


def lying(declared: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:4] + declared.to_bytes(4, "big") + content[8:]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda content: content[:-1], r"declares \(10, 28, 28\) but holds 7839 bytes"),
        (lambda content: content + b"x", "but holds 7841 bytes"),
        (lying(11), "declares"),
        (lying(2**32 - 1), r"declares \(4294967295, 28, 28\)"),
        (lying(0), "declares"),
        (lambda content: content[:9], "has a damaged header"),
        (lambda content: content[:3], "not in the idx format"),
        (lambda _: b"", "not in the idx format"),
        (lambda content: b"\0\0\x0d" + content[3:], "not in the idx format"),
        (lambda content: content[:3] + b"\xff" + content[4:], "has a damaged header"),
        (
            lambda content: content[:8] + (14).to_bytes(4, "big") + (56).to_bytes(4, "big") + content[16:],
            "instead of images",
        ),
        (lambda content: gzip.compress(content)[:-8], "truncated or damaged"),
        (lambda _: gzip.compress(bytes(70_000_000)), "larger than the 64 MB"),
    ],
)
def test_wrong_images(spoil: Callable[[bytes], bytes], message: str, tmp_path: Path) -> None:
    files = mnist_files(np.random.default_rng(3))
    good = gzip.decompress(files["t10k-images-idx3-ubyte"])
    assert_refused("mnist", message, tmp_path, **{**files, "t10k-images-idx3-ubyte": spoil(good)})


@pytest.mark.parametrize(
    ("labels", "message"),
    [(np.full(10, 10, np.uint8), "labels above 9"), (np.zeros(9, np.uint8), "for 10 images")],
)
def test_wrong_digit_labels(labels: np.ndarray, message: str, tmp_path: Path) -> None:
    files = mnist_files(np.random.default_rng(3))
    assert_refused("mnist", message, tmp_path, **{**files, "t10k-labels-idx1-ubyte": idx(labels)})


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 4), (1, 2, 3, 4)])
def test_idx_of_any_dimension(shape: tuple[int, ...], tmp_path: Path) -> None:
    values = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    (tmp_path / "x").write_bytes(idx(values))
    np.testing.assert_array_equal(read_idx(tmp_path / "x"), values)
