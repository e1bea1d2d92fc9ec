"""Files are whole or not there, and take the place of nothing that they should not."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from unveil.errors import UnveilError
from unveil.files import create, replace, require_free


def test_a_new_file_is_like_any_other(tmp_path: Path) -> None:
    create(tmp_path / "a", [b"text"])
    (tmp_path / "b").write_text("text")
    assert (tmp_path / "a").read_text() == "text"
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


@pytest.mark.parametrize("kind", ["file", "link", "link to nowhere", "pipe", "folder"])
def test_what_exists_stays(kind: str, tmp_path: Path) -> None:
    target, other = tmp_path / "a", tmp_path / "other"
    other.write_text("other")
    if kind == "file":
        target.write_text("mine")
    elif kind == "folder":
        target.mkdir()
    elif kind == "pipe":
        os.mkfifo(target)
    else:
        target.symlink_to(other if kind == "link" else tmp_path / "nowhere")
    with pytest.raises(UnveilError, match="exists"):
        create(target, [b"text"])
    with pytest.raises(UnveilError, match="exists"):
        require_free(target, "a release")
    if kind == "file":
        replace(target, [b"text"])
        assert target.read_text() == "text"
    else:
        with pytest.raises(UnveilError, match="no plain file"):
            replace(target, [b"text"])
    assert other.read_text() == "other"
    assert {path.name for path in tmp_path.iterdir()} == {"a", "other"}


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(UnveilError, match=r"cannot write .*: File too large"):
            create(tmp_path / "a", [b"x" * 2000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(tmp_path.iterdir()) == []


def test_a_name_is_free_where_a_file_can_be_made(tmp_path: Path) -> None:
    require_free(tmp_path / "new", "a release")
    with pytest.raises(UnveilError, match="its folder cannot be written"):
        require_free(tmp_path / "no" / "new", "a release")
    if os.geteuid():  # root writes everywhere
        tmp_path.chmod(0o500)
        with pytest.raises(UnveilError, match="its folder cannot be written"):
            require_free(tmp_path / "new", "a release")
