"""Keeping runs and jobs out of each other's way.

One run holds `run.lock` for as long as it lives; every job holds `jobs.lock` together with the others. A lock
belongs to its process, so the kernel drops it when the process is killed: nothing is left to unlock by hand.

The file `run` says which run the folder belongs to. A job on the run's own host follows the run's process. A job on
another host, as a cluster starts it, cannot; it follows that file, and ends once the folder belongs to a later run.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import IO

from replication.engine.seal import swapped
from unveil.errors import UnveilError, require

_RUN = "UNVEIL_RUN"
_FOLDER = "UNVEIL_RUN_FOLDER"
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_held: list[IO[str]] = []


def claim_folder(folder: Path, patience: float = 20.0) -> None:
    """Take `folder` for this run, or refuse where another is alive; wait for a killed one's orphans to end."""
    folder.mkdir(parents=True, exist_ok=True)
    refusal = "another run is at work in this folder; wait for it to end or stop it"
    _held.append(_lock(folder / "run.lock", fcntl.LOCK_EX, 0.0, refusal))
    token = f"{socket.gethostname()} {os.getpid()} {_birth(os.getpid())}"
    # Before the wait: this is what tells an earlier run's jobs on other hosts to end.
    with swapped(folder / f".run.{os.getpid()}", folder / "run") as draft:
        draft.write_text(token, encoding="utf-8")
    refusal = "jobs of an earlier run are still at work in this folder; stop them"
    _lock(folder / "jobs.lock", fcntl.LOCK_EX, patience, refusal).close()
    os.environ[_RUN] = token


def join_run(folder: Path) -> None:
    """Make this job visible to later runs, and end it when the run that started it is over."""
    folder.mkdir(parents=True, exist_ok=True)
    _held.append(_lock(folder / "jobs.lock", fcntl.LOCK_SH, 20.0, "a new run is starting in this folder"))
    os.environ[_FOLDER] = str(folder.absolute())
    require(run_is_alive(), "the run that started this job is over")
    period = 0.25 if _is_near() else 2.0

    def follow() -> None:
        while True:
            time.sleep(period)
            require_run()

    threading.Thread(target=follow, daemon=True).start()


def run_is_alive() -> bool:
    """Whether the run that started this job still lives, or, where only its host can tell, has no successor yet."""
    token = os.environ.get(_RUN, "")
    if _is_near():
        _, pid, birth = token.split(" ")
        return _birth(int(pid)) == birth
    return not token or _FOLDER not in os.environ or _owner(Path(os.environ[_FOLDER])) in (token, None)


def require_run() -> None:
    """End this job if it is an orphan: called right before a result takes its place."""
    if not run_is_alive():
        os._exit(1)


def only_attempt(log: Path, patience: float = 30.0) -> None:
    """Hold the job's log alone, so that no two attempts of one job ever write the same result.

    When a cluster loses sight of a node, the job is tried again elsewhere while the first attempt may still live.
    """
    refusal = "an earlier attempt of this job is still at work; wait for it or stop it"
    _held.append(_lock(log, fcntl.LOCK_EX, patience, refusal))


def _is_near() -> bool:
    """Whether the run lives on this host, where its process can be followed."""
    return os.environ.get(_RUN, "").partition(" ")[0] == socket.gethostname()


def _owner(folder: Path) -> str | None:
    """The run that the folder belongs to: empty when there is none, None when the file system does not say.

    Opening a file makes a network file system ask its server, so the answer is not one of a cache.
    """
    try:
        return (folder / "run").read_text(encoding="utf-8")
    except OSError as error:
        return "" if isinstance(error, FileNotFoundError) else None


def _birth(pid: int) -> str:
    """The start time of a living process (a number may be recycled); empty when it is dead."""
    try:
        if not Path("/proc/self").exists():
            os.kill(pid, 0)  # tells only whether the process exists
            return "alive"
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if stat[0] in "ZX" else stat[19]


def _lock(path: Path, kind: int, patience: float, refusal: str) -> IO[str]:
    file = path.open("a")
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                file.close()
                raise UnveilError(refusal) from None
            time.sleep(0.1)
            continue
        except OSError as error:
            # Some cluster file systems are mounted without locks: then the file `run` alone tells runs apart.
            if error.errno not in _WITHOUT_LOCKS:
                file.close()
                raise
        return file


def settle_records(database: Path) -> None:
    """Let Snakemake find its records in a folder that was moved, or raise where they cannot be read.

    An output without a record would count as up to date. Snakemake files records under the absolute path of their
    folder; this database lies in that folder and knows no other.
    """
    if not database.is_file():
        return
    try:
        with closing(sqlite3.connect(database)) as records, records:
            require(records.execute("PRAGMA quick_check").fetchone() == ("ok",), "it is not whole")
            for table in ("metadata", "locks", "persistence_db_settings"):
                change = f"UPDATE OR REPLACE snakemake_{table} SET namespace = ?1 WHERE namespace <> ?1"  # noqa: S608
                records.execute(change, (str(database.parent.absolute()),))
    except (sqlite3.DatabaseError, UnveilError) as error:
        damaged = f"{database}, Snakemake's record of what was made of what, is damaged ({error})"
        raise UnveilError(f"{damaged}; run `make clean`, which keeps the raw data, and run again") from error
