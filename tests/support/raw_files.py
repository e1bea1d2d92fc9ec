"""Small raw files in the formats that the data sets really come in, made by code."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from replication.data.prepare import prepare
from replication.data.provenance import digest
from unveil.types import Array


def raw_folder(place: Path, dataset: str, **files: bytes | str) -> Path:
    """The folder of a data set that was fetched from somewhere."""
    raw = place / dataset
    raw.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (raw / name).write_bytes(content.encode() if isinstance(content, str) else content)
    describe(raw, "mirror:toy", *files)
    return raw


def describe(raw: Path, source: str, *names: str) -> None:
    """The provenance of a folder as it now is."""
    raw.mkdir(parents=True, exist_ok=True)
    files = {name: digest(raw / name) for name in names}
    content = {"dataset": raw.name, "grade": "full", "source": source, "files": files}
    (raw / "provenance.json").write_text(json.dumps(content))


def prepared(place: Path, dataset: str, **files: bytes | str) -> dict[str, Array]:
    """The fields of a data set with these raw files."""
    return prepare(dataset, raw_folder(place, dataset, **files))


def stand_in(place: Path, dataset: str) -> dict[str, Array]:
    """The fields of a data set that no source had."""
    describe(place / dataset, "synthetic")
    return prepare(dataset, place / dataset)


def idx(values: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    """An array of bytes in the idx format."""
    header = bytes([0, 0, 8, values.ndim]) + b"".join(n.to_bytes(4, "big") for n in values.shape)
    return header + values.tobytes()


def mnist_files(rng: np.random.Generator, train: int = 30, test: int = 10) -> dict[str, bytes]:
    """The four files, half of them compressed."""
    files = {}
    for part, rows in (("train", train), ("t10k", test)):
        images = rng.integers(256, size=(rows, 28, 28), dtype=np.uint8)
        labels = (np.arange(rows) % 10).astype(np.uint8)
        files[f"{part}-images-idx3-ubyte"] = gzip.compress(idx(images))
        files[f"{part}-labels-idx1-ubyte"] = idx(labels)
    return files


TREES = """
( (S
    (NP-SBJ (NNP Ms.) (NNP Haag) )
    (VP (VBZ plays)
      (NP (NNP Elianti) ))
    (. .) ))
( (S (NP-SBJ (-NONE- *) ) (VP (VB Run) ) (. !) ))
"""


def zip_of(files: Mapping[str, str | bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of the files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tar_of(files: Mapping[str, bytes], kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """A compressed tar archive of the files, or of links and the like in their place."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as bundle:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.type, entry.linkname = kind, link
            bundle.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def treebank_zip(files: Mapping[str, str]) -> bytes:
    """An archive like the sample's, with one text a file."""
    return zip_of({"treebank/README": "( unbalanced", **files})


CONLLU = """# sent_id = one
# text = I can't go.
1\tI\tI\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
4.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = two
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

"""

ADULT = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, "
    "2174, 0, 40, United-States, <=50K\n"
    "50, ?, 83311, Masters, 14, Married-civ-spouse, ?, Husband, Black, Female, 0, 0, 13, ?, >50K\n\n"
)
ADULT_TEST = "|1x3 Cross validator\n" + ADULT.replace("50K\n", "50K.\n")

TWEETS = """i agree about $T$ .
jimmy carter
-1
$T$ is here
google
0
love $T$ ! !
wii
1
"""

COMMENTS = """COMMENT_ID,AUTHOR,DATE,CONTENT,CLASS
a1,Julius,2013-11-07T06:20:48,"Huh, check out this &amp; that\ufeff",1
a2,"A, B",,i love this song,0
"""


def housing_line(first: float) -> str:
    """A record of the original file."""
    return f" {first:.5f}  " + "  ".join(["0.5"] * 12) + "  24.00\n"


def song_lines(rows: int) -> str:
    """Records of the original file."""
    return "".join(f"{1950 + row % 60}," + ",".join([f"{row}.25"] * 90) + "\n" for row in range(rows))
