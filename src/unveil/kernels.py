"""Where compiled kernels are kept between processes."""

from __future__ import annotations

import atexit
import os
import pickletools
import sys
from collections.abc import Iterable
from contextlib import suppress
from glob import escape
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import mkdtemp

#: More of an index than this is looked at by its ends alone.
_SMALL = 100_000


def kernel_folders() -> list[Path]:
    """Where compiled kernels are kept, folders that are made here: numba could make none later, and would give up.

    Where the user says, or else beside their modules; where these cannot be written, where numba keeps them for this
    user, or else in a folder of this process.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named and _make(Path(named)):
        return [Path(named)]
    root = Path(__file__).parent
    beside = [folder / "__pycache__" for folder in (root, *root.rglob("*")) if any(folder.glob("*.py"))]
    if not named and all(_make(folder) for folder in beside):
        return beside
    own = home() / ".cache" / "numba"
    if not named and _make(own):
        return [*beside, own]
    os.environ["NUMBA_CACHE_DIR"] = passing = mkdtemp(prefix="unveil-kernels-")
    atexit.register(rmtree, passing, ignore_errors=True)
    return [Path(passing)]


def use_copies() -> Path:
    """Have this process, which is to be confined, use copies of the kernels: the folder where they are, to be written.

    An index of kernels is a pickle: whoever writes it has code run by whoever reads it. So confined processes share a
    folder that no other process reads; from the others they get what they lack.
    """
    shared = kernel_folders()[0]
    copies = shared / "confined"
    copies.mkdir(exist_ok=True)
    for index in shared.glob("*/*.nbi"):
        folder = copies / index.parent.name
        if not (folder / index.name).exists():
            folder.mkdir(exist_ok=True)
            for path in (*index.parent.glob(f"{escape(index.stem)}.*.nbc"), index):
                draft = folder / f".{path.name}.{os.getpid()}"
                copyfile(path, draft)
                draft.replace(folder / path.name)
    os.environ["NUMBA_CACHE_DIR"] = str(copies)
    if "numba" in sys.modules:
        _bind_again(copies)
    return copies


def _bind_again(folder: Path) -> None:
    """Kernels are bound to a folder when their module is imported."""
    import numba
    from numba.core.dispatcher import Dispatcher

    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    for name, module in [*sys.modules.items()]:
        for kernel in vars(module).values() if name.startswith(("unveil", "replication")) else ():
            if isinstance(kernel, Dispatcher) and kernel.stats.cache_path:
                kernel.enable_caching()


def home() -> Path:
    """The user's folder; for a user whom the system does not know, a place in which no folder can be made."""
    found = os.path.expanduser("~")  # noqa: PTH111 - it fails nowhere
    return Path(os.devnull if found.startswith("~") else found)


def drop_broken(folders: Iterable[Path]) -> None:
    """Delete the files of numba's cache that a power cut left empty, cut, or as NULs: numba would fail on them."""
    for folder in folders:
        for path in folder.rglob("*.nb[ic]"):
            with suppress(OSError):  # another process was here first, or it is not ours to delete
                if not _is_whole(path):
                    path.unlink()


def _is_whole(path: Path) -> bool:
    """Whether the file is pickles and nothing else, without running them; large ones by their ends."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > _SMALL:
            first = file.read(1)
            file.seek(-1, os.SEEK_END)
            return first + file.read(1) == b"\x80."
        try:
            while file.tell() < size or not size:
                for _ in pickletools.genops(file):
                    pass
        except Exception:
            return False
        return True


def _make(folder: Path) -> bool:
    """Whether it is there, by now, and can be written."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
