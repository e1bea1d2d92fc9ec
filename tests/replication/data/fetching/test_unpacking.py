"""Archives and compressed files that nobody has to trust."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from raw_files import tar_of, zip_of
from replication.data.compressed import open_unpacked, read_bounded, read_pieces, require_kind
from replication.data.fetching.archives import extract, pack
from replication.data.fetching.fetch import check_structure
from replication.data.fetching.sources import Wanted
from replication.data.fetching.transfer import copy_file
from unveil.errors import SourceError

TEXT = b"".join(b"%d,%d\n" % (n, n % 7) for n in range(2000))


@pytest.mark.parametrize("packer", [gzip.compress, bz2.compress, bytes])
def test_compression_is_told_from_the_first_bytes(packer: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(packer(TEXT))
    with open_unpacked(path) as file:
        assert file.read() == TEXT
    assert read_bounded(path, len(TEXT)) == TEXT
    with pytest.raises(SourceError, match=r"data\.csv is larger than"):
        read_bounded(path, len(TEXT) - 1)


@pytest.mark.parametrize("packer", [gzip.compress, bz2.compress])
@pytest.mark.parametrize("spoil", [lambda packed: packed[:-9], lambda packed: packed[:40] + b"????" + packed[44:]])
def test_damaged_compression(packer: Callable[[bytes], bytes], spoil: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(spoil(packer(TEXT)))
    with pytest.raises(SourceError, match=r"data\.csv is truncated or damaged"):
        read_bounded(path, 10**6)


def test_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(gzip.compress(bytes(50_000_000)))
    with pytest.raises(SourceError, match="larger than the 1 MB"):
        read_bounded(path, 1_000_000)
    with pytest.raises(SourceError, match="larger than the 1 MB"):
        check_structure(path, Wanted(lines=1), 1_000_000)


def small_bomb() -> bytes:
    """A zip of a kilobyte whose one member, packed with bzip2, has fifty megabytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as bundle:
        bundle.writestr("x", bytes(50_000_000))
    return packed.getvalue()


def lying_zip() -> bytes:
    """The same, and every place that declares its size says ten bytes."""
    return small_bomb().replace((50_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))


def boasting_tar(size: int) -> bytes:
    """A packed tar whose first header announces a name of so many bytes, and brings them."""
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, size
    return bz2.compress(entry.tobuf() + bytes(size))


@pytest.mark.parametrize("bomb", [small_bomb(), lying_zip(), boasting_tar(50_000_000)], ids=["zip", "lying", "tar"])
def test_archive_bombs_take_no_memory(bomb: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.bz2"
    path.write_bytes(bomb)
    tracemalloc.start()
    with pytest.raises(SourceError):
        extract(path, ["x"], tmp_path / "x", 1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_endless_tar_ends(tmp_path: Path) -> None:
    """What has to be skipped on the way to the wanted member is bounded, too."""
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tar_of({f"{n}": bytes(900_000) for n in range(20)} | {"x": TEXT}))
    with pytest.raises(SourceError, match=r"all that a\.tar\.gz holds is larger than"):
        extract(path, ["x"], tmp_path / "x", 1_000_000)


@pytest.mark.parametrize(
    ("source", "packer", "message"),
    [
        ("data.csv.gz", gzip.compress, ""),
        ("data.csv", bytes, ""),
        ("data.bz2", bz2.compress, ""),
        ("data.csv", gzip.compress, "data is gzip compressed, and its name says that it is not"),
        ("data.csv.gz", bz2.compress, "data is bzip2 compressed, and its name says gzip"),
        ("data.csv.gz", bytes, "data is not compressed, and its name says gzip"),
    ],
)
def test_compression_is_as_the_name_says(
    source: str, packer: Callable[[bytes], bytes], message: str, tmp_path: Path
) -> None:
    (tmp_path / "data").write_bytes(packer(TEXT))
    if not message:
        require_kind(tmp_path / "data", source)
        return
    with pytest.raises(SourceError, match=message):
        require_kind(tmp_path / "data", source)


@pytest.mark.parametrize("place", ["pipe", "/dev/zero"])
def test_what_is_no_file_is_not_copied(place: str, tmp_path: Path) -> None:
    """A pipe would be waited for, a device never ends."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="data is no regular file"):
        copy_file(tmp_path / place, tmp_path / "copy", 10**6, "data")


def test_only_the_wanted_member_is_written(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(tar_of({"../evil": b"x", "/evil": b"x", "root-1.0/inside/data.csv": TEXT}))
    extract(archive, ["inside/data.csv"], place / "data.csv", 10**6)
    assert (place / "data.csv").read_bytes() == TEXT
    assert {path.name for path in tmp_path.rglob("*")} == {"place", "a.tar.gz", "data.csv"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_member_that_is_no_file(kind: bytes, tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(tar_of({"data.csv": b""}, kind, "/etc/passwd"))
    with pytest.raises(SourceError, match=r"a\.tar\.gz has no file data\.csv"):
        extract(archive, ["data.csv"], tmp_path / "data.csv", 10**6)
    assert not (tmp_path / "data.csv").exists()


@pytest.mark.parametrize(("name", "packer"), [("a.zip", zip_of), ("a.tar.gz", tar_of)])
def test_members_are_bounded_and_truncation_is_told(
    name: str, packer: Callable[[dict[str, bytes]], bytes], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(packer({"x": TEXT}))
    with pytest.raises(SourceError, match="is larger than"):
        extract(path, ["x"], tmp_path / "x", 100)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(SourceError, match=rf"{name} is"):
        extract(path, ["x"], tmp_path / "x", 10**6)


def boastful_tar() -> bytes:
    """A tar whose only header declares a petabyte."""
    entry = tarfile.TarInfo("x")
    entry.size = 10**15
    return entry.tobuf() + TEXT


#: A directory that says ten bytes; what comes out is cut there and the checksum tells.
SHRUNKEN = zip_of({"x": TEXT}).replace(len(TEXT).to_bytes(4, "little"), (10).to_bytes(4, "little"))


@pytest.mark.parametrize(("name", "content"), [("a.zip", SHRUNKEN), ("a.tar", boastful_tar())])
def test_an_archive_that_lies_about_a_size(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=rf"{name} is truncated"):
        extract(tmp_path / name, ["x"], tmp_path / "x", 10**6)


def test_packing_is_bounded(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("word")
    with pytest.raises(SourceError, match=r"what is like \*\*/\? is larger"):
        pack(tmp_path, "**/?", tmp_path / "3.zip", 7)
    with pytest.raises(SourceError, match="has no files like"):
        pack(tmp_path, "*.mrg", tmp_path / "3.zip", 5)


def test_pieces_that_never_end() -> None:
    """Neither in all nor in one line; several packed parts are one file."""
    packed = gzip.compress(bytes(50_000)) + gzip.compress(bytes(60_000))
    for name in ("read", "readline"):
        with gzip.open(BytesIO(packed)) as file, pytest.raises(SourceError, match=r"x\.gz is larger than"):
            list(read_pieces(getattr(file, name), 100_000, "x.gz"))
        with gzip.open(BytesIO(packed)) as file:
            assert b"".join(read_pieces(getattr(file, name), 110_000, "x.gz")) == bytes(110_000)


@pytest.mark.parametrize(
    ("content", "expect", "message"),
    [
        (b"1,2\n3,4\n", Wanted(lines=2, contains=("3,4",), counts={",": 2}), None),
        (b"1,2\n3,4", Wanted(lines=2), None),
        (b"1,2\n", Wanted(lines=2), "has 1 lines instead of 2"),
        (b"1,2\n", Wanted(contains=("7,7",)), "lacks a known row: 7,7"),
        (b"1,2\n", Wanted(counts={"1": 3}), "has 1 times '1' instead of 3"),
        (b"", Wanted(lines=1), "is empty"),
    ],
)
def test_structure(content: bytes, expect: Wanted, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    if message is None:
        check_structure(path, expect, 10**6)
    else:
        with pytest.raises(SourceError, match=message):
            check_structure(path, expect, 10**6)
