"""Files that come to be whole or not at all, under names that nobody can guess or plant beforehand."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import TypeAlias

from unveil.errors import UnveilError, require


def require_free(path: Path, what: str) -> None:
    """Raise where something has this name already, be it a link to nowhere, or where no file can be made."""
    require(not os.path.lexists(path), f"{path} exists, and {what} never takes another file's place; choose a new name")
    require(
        path.parent.is_dir() and os.access(path.parent, os.W_OK), f"cannot write {path}: its folder cannot be written"
    )


#: What is written, in pieces.
Content: TypeAlias = Iterable[bytes | memoryview]


def create(path: Path, content: Content, note: Callable[[Path], object] | None = None) -> None:
    """Write a file that did not exist; a file, a link or a device of that name stays what it is.

    `note` is called once all is on the disk but the name, with the file as it is called until then: what it refuses
    leaves nothing, and what it accepts is never lost.
    """
    _place(path, content, _link, note)


def replace(path: Path, content: Content) -> None:
    """Write a file in the place of another one, and of nothing but a plain file."""
    plain = not os.path.lexists(path) or stat.S_ISREG(path.lstat().st_mode)
    require(plain, f"cannot write {path}: it is no plain file")
    _place(path, content, os.replace)


def _link(draft: str, path: Path) -> None:
    # Unlike a renaming it never replaces what lies there.
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        # A file system without links: the name is taken first, and what is replaced is ours.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
        try:
            os.replace(draft, path)  # noqa: PTH105
        except BaseException:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108
            raise
    with suppress(OSError):
        os.unlink(draft)  # noqa: PTH108 - beside its opposite


def _place(
    path: Path, content: Content, settle: Callable[[str, Path], None], note: Callable[[Path], object] | None = None
) -> None:
    kept = ""
    try:
        number, draft = mkstemp(prefix=".unveil-", dir=path.parent)
        try:
            with os.fdopen(number, "wb") as file:
                file.writelines(content)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(draft, 0o666 & ~mask)  # noqa: PTH101 - as any new file
            if note:
                note(Path(draft))
                kept = f"; it was noted, and lies whole in {draft}"
            settle(draft, path)
        except BaseException:
            if not kept:
                with suppress(OSError):
                    os.unlink(draft)  # noqa: PTH108
            raise
    except FileExistsError as error:
        raise UnveilError(f"{path} exists, and is not overwritten{kept}") from error
    except OSError as error:
        raise UnveilError(f"cannot write {path}: {error.strerror}{kept}") from error
