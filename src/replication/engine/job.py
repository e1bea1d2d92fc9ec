"""The frame around every job: its log, its errors, its ties to the run, and processes of its own for its parts."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from replication.engine.runs import hold_attempt, join_run
from unveil.errors import UnveilError

#: What to do about what a system refuses, by the number of its error.
ADVICE = {
    errno.ENOENT: "it is gone: run again, and what is missing is made anew",
    errno.ENOSPC: "the disk is full: free some space and run again",
    errno.EDQUOT: "the disk quota is used up: free some space and run again",
    errno.EROFS: "the folder is read-only: make it writable and run again",
    errno.EACCES: "permission denied: make the folder writable and run again",
    errno.EPERM: "permission denied: make the folder writable and run again",
}
#: What stderr was before the log.
_before: list[int] = []


@contextmanager
def job(log: str | os.PathLike[str]) -> Iterator[None]:
    """Send all output to `log`, note what the job cost, and say what went wrong."""
    with explained():
        _redirect(Path(log))
        note_costs = _open_note(cost_of(Path(log)))
    warnings.simplefilter("default")
    try:
        with explained():
            hold_attempt(Path(log))
            os.ftruncate(1, 0)  # what an earlier attempt said
            join_run()
            yield
    finally:
        note_costs()


@contextmanager
def explained() -> Iterator[None]:
    """End with one clear line, and exit code 1, where the user can help."""
    try:
        yield
    except UnveilError as error:
        _end(f"error: {error}")
    except OSError as error:
        if error.errno not in ADVICE:
            traceback.print_exc()
        _end(f"error: {error.filename or ''}: {ADVICE.get(error.errno or 0, error.strerror or error)}")
    except MemoryError:
        traceback.print_exc()
        _end("error: out of memory: run with fewer --cores, or with a smaller `chunk` in config.yaml")
    except Exception as error:
        traceback.print_exc()
        _end(f"error: {_blame(error)}; the lines above show where")


def _blame(error: Exception) -> str:
    """What an error that nobody foresaw is: a figure's own, if its code was running, else ours."""
    places = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [f"{path.name}, line {line}, of {path.parent.name}" for path, line in places if "papers" in path.parts]
    return f"{type(error).__name__} in {own[-1]}: {error}" if own else f"{type(error).__name__}: this is a bug"


def run_apart(what: str, part: Callable[..., object], *arguments: Any) -> None:
    """Run a part of this job in a process of its own, which ends with this one, and wait for it."""
    sys.stdout.flush()
    parent = os.getpid()
    child = os.fork()
    if not child:
        code = 1
        try:
            _die_with(parent)
            with explained():
                part(*arguments)
                sys.stdout.flush()  # a log that cannot be written is a failure, too
            code = 0
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        reason = "the lines above say why" if status > 0 else f"{signal.Signals(-status).name} ended it"
        raise UnveilError(f"{what} failed: {reason}")


def _die_with(parent: int) -> None:
    """Have the kernel, where it is Linux, end this process with its parent."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


def cost_of(log: Path) -> Path:
    """Where a job notes what it cost."""
    return log.with_suffix(".cost.json")


def _open_note(path: Path) -> Callable[[], None]:
    """What writes at a job's end what the kernel knows of its process and of that one's children.

    The file is opened now: a learner may not open it later.
    """
    file, started = path.open("w", encoding="utf-8"), time.monotonic()

    def note() -> None:
        own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        costs = {
            "cpu_seconds": round(sum(used.ru_utime + used.ru_stime for used in (own, others)), 3),
            "wall_seconds": round(time.monotonic() - started, 3),
            "peak_mib": round(max(_own_peak(own.ru_maxrss), others.ru_maxrss) / 1024, 1),
        }
        with suppress(OSError), file:  # a full disk has been said
            file.write(json.dumps(costs) + "\n")

    return note


def _own_peak(known: int) -> int:
    """The peak of this process in KiB. What `getrusage` says is at least what the process that started it had then."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return known


def _redirect(log: Path) -> None:
    """Point stdout and stderr, also those of compiled code, at the log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    _before.append(os.dup(2))
    with log.open("a", encoding="utf-8") as file:
        for number, stream in ((1, sys.stdout), (2, sys.stderr)):
            stream.flush()
            os.dup2(file.fileno(), number)


def _end(message: str) -> None:
    try:
        print(message, file=sys.stderr, flush=True)  # noqa: T201 - the log is this job's voice
    except OSError:  # a log that takes nothing more
        os.write(_before[-1] if _before else 2, f"{message}\n".encode())
        os._exit(1)  # Python would fail once more on what is still to be written
    sys.exit(1)
