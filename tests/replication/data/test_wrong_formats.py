"""Each way in which a file can be wrong is named."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from raw_files import ADULT, ADULT_TEST, COMMENTS, TWEETS, housing_line, idx, mnist_files, raw_folder
from replication.data.prepare import prepare
from replication.data.sets import youtube
from unveil.errors import SourceError

NUMBERS = housing_line(1.0)
THREE = "".join(f"{label}," + ",".join([str(label)] * 28) + "\n" for label in (0, 1, 2))
TABLES: list[tuple[str, str, str | bytes, str]] = [
    ("housing", "housing.data", "", "cannot be read"),
    ("housing", "housing.data", "1 2 3\n", "has 3 columns instead of 14"),
    ("housing", "housing.data", NUMBERS + "1 2\n", "has missing or infinite values"),
    ("housing", "housing.data", NUMBERS.strip() + " 7\n" + NUMBERS, "has 15 columns instead of 14"),
    ("housing", "housing.data", NUMBERS + NUMBERS.strip() + " 7\n", "cannot be read"),
    ("housing", "housing.data", NUMBERS.replace("24.00", "inf"), "has missing or infinite values"),
    ("housing", "housing.data", NUMBERS.replace("24.00", "word"), "cannot be read"),
    ("housing", "housing.data", NUMBERS.encode() + b"\xff\xfe\n", "cannot be read|has|UTF-8"),
    ("housing", "housing.data", gzip.compress(NUMBERS.encode(), mtime=0)[:-6], "truncated or damaged"),
    ("california", "california_housing.parquet", b"PAR1 no", "cannot be read|truncated or damaged"),
    ("california", "cal_housing.data", "1,2\n", "has 2 columns instead of 9"),
    ("higgs", "HIGGS.csv", ("1," + ",".join("1" * 28) + "\n") * 2, "has a constant column"),
    ("higgs", "HIGGS.csv", THREE, "labels other than 0, 1"),
    ("songs_subset", "YearPredictionMSD.sample.csv", "1800," + ",".join(["1"] * 90) + "\n", "has years outside"),
    ("songs_subset", "YearPredictionMSD.sample.csv", "1999.5," + ",".join(["1"] * 90) + "\n", "has years outside"),
]
PEOPLE = [
    (ADULT.replace("State-gov", "Circus"), "unknown workclass"),
    (ADULT.replace("39, ", "old, "), "cannot be read"),
    (ADULT.replace("39, ", "nan, "), "values of age that are not finite"),
    (ADULT.replace(", <=50K", ", maybe"), "labels other than <=50K and >50K"),
    (ADULT.replace(", United-States, <=50K", ""), "cannot be read|columns"),
]
SOUNDS: list[tuple[str | bytes, str]] = [
    ("4 1:1\n", "labels other than 1, 2, 3"),
    ("1 51:1\n", "cannot be read"),
    ("1 0:1\n", "cannot be read"),
    ("1 1:x\n", "cannot be read"),
    ("1 1:nan\n", "not finite"),
    ("", "no rows"),
    (bz2.compress(b"1 1:1\n")[:-4], "truncated or damaged"),
]
TWEET: list[tuple[str | bytes, str]] = [
    ("text\ntarget\n", "not three a tweet"),
    ("text\ntarget\n2\n", "labels other than -1, 0, 1"),
    ("text\ntarget\nfine\n", "cannot be read"),
    (b"caf\xe9\ntarget\n1\n", "is not UTF-8 text"),
    ("", "not three a tweet"),
]
SCORED = [
    ("1\t2\n", "not number, rating and text"),
    ("1\t9\tword\n", "ratings beyond 4"),
    ("1\tx\tword\n", "cannot be read"),
    ("1\tnan\tword\n", "ratings beyond 4"),
]
COMMENT: list[tuple[str | bytes, str]] = [
    ("a,b\n1,2\n", "does not have the columns"),
    (COMMENTS.replace("song,0", "song,maybe"), "cannot be read"),
    (COMMENTS.replace("song,0", "song,3"), "labels other than 0, 1"),
    (COMMENTS.split("\n")[0] + "\n", "has no rows"),
    (COMMENTS.encode().replace(b"Julius", b"J\xfclius"), "is not UTF-8 text"),
    (COMMENTS + 'a3,C,,"cut off here', "cannot be read"),
]
GOOD_COMMENTS: dict[str, str | bytes] = dict.fromkeys(youtube.FILES, COMMENTS)
#: Data set, files of which one is wrong, and what is said.
WRONG: list[tuple[str, Mapping[str, str | bytes], str]] = [
    *((dataset, {name: content}, message) for dataset, name, content, message in TABLES),
    *(("census", {"adult.data": content, "adult.test": ADULT_TEST}, message) for content, message in PEOPLE),
    *(("acoustic", {"acoustic_scale": content, "acoustic_scale.t": "1 1:1\n"}, message) for content, message in SOUNDS),
    *(("twitter", {"train.raw": content, "test.raw": TWEETS}, message) for content, message in TWEET),
    *(("twitter", {"tweets_GroundTruth.txt": content}, message) for content, message in SCORED),
    *(("youtube", {**GOOD_COMMENTS, youtube.FILES[2]: content}, message) for content, message in COMMENT),
]


@pytest.mark.parametrize(("dataset", "files", "message"), WRONG)
def test_wrong_tables_and_texts(dataset: str, files: Mapping[str, str | bytes], message: str, tmp_path: Path) -> None:
    assert_refused(dataset, message, tmp_path, **files)


def assert_refused(dataset: str, message: str, place: Path, **files: str | bytes) -> None:
    """One line that names a file and says what to do."""
    raw = raw_folder(place, dataset, **files)
    with pytest.raises(SourceError, match=message) as caught:
        prepare(dataset, raw)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(f"; delete {raw} and fetch it again")
    assert any(name in said for name in files), said


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
    ("labels", "message"), [(np.full(10, 10, np.uint8), "labels above 9"), (np.zeros(9, np.uint8), "for 10 images")]
)
def test_wrong_digit_labels(labels: np.ndarray, message: str, tmp_path: Path) -> None:
    files = mnist_files(np.random.default_rng(3))
    assert_refused("mnist", message, tmp_path, **{**files, "t10k-labels-idx1-ubyte": idx(labels)})
