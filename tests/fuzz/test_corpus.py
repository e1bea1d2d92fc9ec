"""Hostile files that were made by hand, or once broke a reader: each is read, or refused in one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz.corpora import FOLDER, READERS, generated, good
from tests.fuzz.harness import assert_one_line, little_memory

from unveil.errors import UnveilError

FILES = [(path.parent.name, path.name) for path in sorted(FOLDER.glob("*/*"))]
#: What does no harm: tables that are shorter, and files whose end or beginning says all.
READ = {
    ("table", "half"), ("parquet", "doubled"), ("trials", "doubled"), ("array", "doubled"),
    # What is a number, and a finite one, is for the columns' use to say.
    ("table", "doubled"), ("table", "nul"), ("table", "overflow"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Reading `.npy`")
@pytest.mark.parametrize(("reader", "name"), FILES)
def test_a_hostile_file_is_refused_in_one_line(reader: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"hostile{READERS[reader].ending}"
    path.write_bytes((FOLDER / reader / name).read_bytes())
    refused = None
    try:
        with little_memory():
            READERS[reader].read(path)
    except UnveilError as error:
        refused = error
    if refused is None:
        assert (reader, name) in READ or name.startswith("crash-"), "a hostile file was read"
    else:
        assert_one_line(refused)
        # A learner is given a release, and not the name of its file.
        assert path.name in str(refused) or "a release of" in str(refused)


@pytest.mark.parametrize("reader", READERS)
def test_a_good_file_is_read(reader: str, tmp_path: Path) -> None:
    path = tmp_path / f"good{READERS[reader].ending}"
    path.write_bytes(good(reader))
    assert READERS[reader].read(path) is not None


def test_the_corpus_holds_all_that_is_generated() -> None:
    assert {(reader, name) for reader, name, _ in generated()} <= set(FILES)
