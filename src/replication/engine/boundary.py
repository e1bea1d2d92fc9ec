"""The trust boundary inside a learner's process.

The rules already give a learner only what was released or is public; this makes sure that its code does not go around
them. Python's own calls are watched, and answered by a line that says what is wrong; where the kernel has Landlock,
it confines compiled code and other processes, too. It guards against mistakes, not against malice.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from replication.engine.seal import seal_of
from unveil import confinement
from unveil.errors import UnveilError
from unveil.kernels import use_copies

#: What starts another process, which would not be watched.
_STARTS = ("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn")
#: What sends to other machines or asks them, be it for a name.
_ASKS = (
    "socket.__new__", "socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo",
)  # fmt: skip
#: What opens files, or gives them another name, and which of its arguments are names.
_OPENS = {"open": (0,), "sqlite3.connect": (0,), "os.rename": (0, 1), "os.link": (0, 1), "os.symlink": (0, 1)}
#: Where libraries keep copies of data sets, labels included.
_CARRIED = (("sklearn", "datasets/data"), ("nltk", "../nltk_data"))


def confine(private: Iterable[Path], granted: Iterable[Path], output: Path) -> str:
    """From now on open nothing private but the `granted` files, their seals and this process's `output`.

    Returns who sees to it, for the log.
    """
    own, carried = ([Path(os.path.realpath(folder)) for folder in folders] for folders in (private, _carried()))
    allowed = [Path(os.path.realpath(file)) for path in granted for file in (path, seal_of(path))]
    target = Path(os.path.realpath(output))
    sys.addaudithook(_Watch([*own, *carried], allowed, target))
    # The kernel knows no exceptions: a folder that holds private ones is not granted as a whole.
    readable = [
        path for path in confinement.system_folders() if not any(_holds(path.resolve(), folder) for folder in own)
    ]
    writable = [target.parent, use_copies()]
    for folder in writable:
        # What is not there cannot be granted, and will not be made later.
        folder.mkdir(parents=True, exist_ok=True)
    if confinement.confine([*readable, *allowed], writable):
        return f"watched, and confined by the kernel (Landlock {confinement.landlock_version()})"
    return "watched; this kernel has no Landlock to confine compiled code"


def private_folders(config: Mapping[str, Any]) -> list[Path]:
    """What holds private data by a run's configuration: its data, its results, and copies elsewhere."""
    named = [config[name] or os.environ.get(f"UNVEIL_{name.upper()}") for name in ("mirror", "wsj")]
    return [Path("data"), Path(config["folders"]["results"]), *map(Path, filter(None, named))]


def _carried() -> Iterator[Path]:
    for package, folder in _CARRIED:
        spec = importlib.util.find_spec(package)
        if spec and spec.submodule_search_locations:
            yield from (Path(place, folder) for place in spec.submodule_search_locations)


def _holds(folder: Path, path: Path) -> bool:
    return folder == path or folder in path.parents


class _Watch:
    """Sees every call that opens a file by name or starts a process."""

    def __init__(self, closed: Iterable[Path], allowed: Iterable[Path], output: Path) -> None:
        self.prefixes = tuple(f"{folder}{os.sep}" for folder in closed)
        self.allowed = {str(path) for path in (*allowed, output.parent, output, seal_of(output))}
        # A file may have several names. Looked up now: the kernel will not let us look into private folders later.
        named = {str(path): path.stat() for top in self.prefixes for path in Path(top).rglob("*") if path.is_file()}
        several = {name: found for name, found in named.items() if found.st_nlink > 1 and name not in self.allowed}
        self.files = {(found.st_dev, found.st_ino) for found in several.values()}
        self.drafts = str(output.with_name(f".{output.name}."))

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        for place in _OPENS.get(event, ()):
            if isinstance(arguments[place], str | bytes | os.PathLike):
                self.require(os.path.realpath(os.fsdecode(arguments[place])))
        if event in _STARTS:
            raise UnveilError(f"a learner may not start a process ({event}): it would not be watched")
        if event in _ASKS:
            raise UnveilError(f"a learner may not open the network ({arguments[1]})")

    def require(self, path: str) -> None:
        """Raise where the file is private."""
        private = path.startswith(self.prefixes) and path not in self.allowed and not path.startswith(self.drafts)
        if private or self.is_other_name(path):
            raise UnveilError(f"a learner may not read {path}: it was neither released nor declared public")

    def is_other_name(self, path: str) -> bool:
        """Whether this is a private file under another name."""
        try:
            found = os.stat(path)  # noqa: PTH116 - called at every open
        except (OSError, ValueError):
            return False
        return (found.st_dev, found.st_ino) in self.files
