"""What was released about which records at which level: a file that only grows, and refuses to overspend."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from math import fsum, inf
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from unveil.errors import UnveilError, is_real, require
from unveil.files import create
from unveil.privacy.composition import composed_delta, composed_epsilon

_FORMAT = "unveil ledger 1"
#: What the first line of all follows.
_START = sha256(_FORMAT.encode()).hexdigest()
#: No level is larger, so that no sum of them is infinite.
_LARGEST = 1e100


class Ledger:
    """A file that lists every release about a group of records, and refuses one that would exceed a limit.

    Levels add up (basic composition, Dwork and Roth 2014, theorem 3.16), which holds for any mechanisms in any order,
    and is exact for pure levels at δ = 0. Many small releases with a δ to spare cost less together: "optimal" asks
    for the exact δ of the worst mechanisms of these levels instead (Kairouz, Oh and Viswanath 2015).
    Each line carries a seal, a hash of itself and of all lines before it, and the first line says how many there are
    and how the last is sealed: a line that was changed or taken out is noticed, the last one too, and a file that was
    emptied. This guards against accidents, not against malice, and a file that was removed is begun anew. The file is
    locked while a line is added, and a line that could not be written whole is taken back.

    Parameters
    ----------
    path : path-like
        The file; made at the first spending.
    epsilon, delta : float
        The limits for each group of records.
    composition : {"sum", "optimal"}
        What counts as within the limits: the sums alone, or also what keeps (ε, δ) by optimal composition. The latter
        holds for levels that were not chosen by what earlier releases showed, and needs a limit on both.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unveil import Ledger
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder, "spent.jsonl"), epsilon=1.0)
    ...     ledger.spend("patients of 2026", 0.7, what="mean operator for the study")
    ...     ledger.spent("patients of 2026")
    ...     try:
    ...         ledger.spend("patients of 2026", 0.5)
    ...     except ValueError as refused:
    ...         print(refused)
    (0.7, 0.0)
    epsilon would be 1.2 for 'patients of 2026', above the limit of 1; nothing was spent

    `publish` of every mechanism takes it, and hands out a release only once its level is noted:

    >>> from unveil import GeometricCounts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder, "spent.jsonl"), epsilon=1.0)
    ...     release = GeometricCounts(0.75).publish([[120, 80], [30, 90]], ledger=ledger, records="voters")
    ...     ledger.spent("voters")
    (0.75, 0.0)

    Twenty releases of level 0.1 are well within (1.5, 10⁻³):

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder, "spent.jsonl"), 1.5, 1e-3, composition="optimal")
    ...     for _ in range(20):
    ...         ledger.spend("patients of 2026", 0.1)
    ...     epsilon, delta = ledger.spent("patients of 2026")
    >>> round(epsilon, 2), delta
    (1.15, 0.001)

    See Also
    --------
    Release
    """

    def __init__(self, path: str | Path, epsilon: float = inf, delta: float = 1.0, composition: str = "sum") -> None:
        for name, value in (("epsilon", epsilon), ("delta", delta)):
            require(value == inf or _is_level(value), f"{name} must be a number, at least 0, not {value!r}")
        require(composition in ("sum", "optimal"), f"composition must be 'sum' or 'optimal', not {composition!r}")
        limited = epsilon < inf and delta < 1
        require(limited or composition == "sum", "composition 'optimal' needs a finite epsilon and a delta below 1")
        self.path, self.epsilon, self.delta = Path(path), float(epsilon), float(delta)
        self.composition = composition

    def spend(self, records: str, epsilon: float, delta: float = 0.0, what: str = "") -> None:
        """Note a release before it is made, or refuse it.

        Parameters
        ----------
        records : str
            Whom the release is about; names that look alike (Unicode NFKC, however many blanks) are the same.
        epsilon, delta : float
            The level that it keeps.
        what : str
            What is released, for whoever reads the file.
        """
        name = _name(records)
        ok = _is_level(epsilon) and _is_level(delta)
        require(ok, f"epsilon and delta must be finite numbers, at least 0, not {epsilon!r} and {delta!r}")
        level = float(epsilon), float(delta)
        entry = {"records": name, "epsilon": level[0], "delta": level[1], "what": str(what)}
        with self._lock() as file:
            book = _read(os.pread(file, os.fstat(file).st_size, 0), self.path)
            self._require_room([*book.levels(name), level], name)
            _append(file, book, {**entry, "when": datetime.now(UTC).isoformat(timespec="seconds")}, self.path)

    def spent(self, records: str) -> tuple[float, float]:
        """(ε, δ) of all releases about these records together; by optimal composition ε at the limit of δ."""
        if not self.path.exists():
            return 0.0, 0.0
        with self._lock() as file:
            levels = _read(os.pread(file, os.fstat(file).st_size, 0), self.path).levels(_name(records))
        total = _total(levels)
        if self.composition == "optimal" and total[1] <= self.delta:
            return composed_epsilon(levels, self.delta), self.delta
        return total

    def _require_room(self, levels: list[tuple[float, float]], records: str) -> None:
        """Raise unless releases of these levels keep the limits together."""
        limits = self.epsilon, self.delta
        # A sum of levels that were meant to fill the limit may exceed it by rounding.
        over = [
            f"{name} would be {total:g} for {records!r}, above the limit of {limit:g}"
            for name, total, limit in zip(("epsilon", "delta"), _total(levels), limits, strict=True)
            if total > limit * (1 + 1e-12)
        ]
        if over and self.composition == "optimal":
            delta = composed_delta(levels, self.epsilon)
            said = f"delta at epsilon {self.epsilon:g} would be {delta:g} for {records!r}"
            over = [f"{said}, above the limit of {self.delta:g}"] if delta > self.delta else []
        require(not over, f"{''.join(over[:1])}; nothing was spent")

    @contextmanager
    def _lock(self) -> Iterator[int]:
        """The file, open and nobody else's; it is never seen empty."""
        if not os.path.lexists(self.path):
            try:
                create(self.path, [_head(0, _START)])
            except UnveilError:
                if not os.path.lexists(self.path):  # nor did another process make it
                    raise
        try:
            file = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise UnveilError(f"cannot open the ledger {self.path}: {error.strerror}") from error
        try:
            require(stat.S_ISREG(os.fstat(file).st_mode), f"cannot open the ledger {self.path}: it is no plain file")
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        except OSError as error:
            raise UnveilError(f"cannot read the ledger {self.path}: {error.strerror}") from error
        finally:
            with suppress(OSError):  # all that was written is on the disk
                os.close(file)


class _Book(NamedTuple):
    """What a ledger holds, the seal of its last line, and where that ends."""

    entries: list[dict[str, Any]]
    seal: str
    end: int

    def levels(self, records: str) -> list[tuple[float, float]]:
        """Of all releases about these records."""
        return [(entry["epsilon"], entry["delta"]) for entry in self.entries if entry["records"] == records]


def _read(content: bytes, path: Path) -> _Book:
    """Every line, once it is seen to be what was written: byte by byte, after what stood before, and none missing.

    A process that was killed may have left more than the first line says: a whole line counts, and less than a line is
    of a release that nobody got.
    """
    entries: list[dict[str, Any]] = []
    seals: list[str] = []
    *lines, rest = content.split(b"\n")
    damaged = "the ledger was altered or cut off; restore it before anything is released"
    try:
        head = json.loads(lines[0])
        require(lines[0] + b"\n" == _head(head["lines"], head["last"]), damaged)
        seals.append(_START)
        for line in lines[1:]:
            entry = json.loads(line)
            del entry["seal"]
            known, seal = _seal(entry, seals[-1])
            levels = entry["epsilon"], entry["delta"]
            fine = all(isinstance(level, float) and _is_level(level) for level in levels)
            require(line + b"\n" == known and fine and entry["records"] == _name(entry["records"]), damaged)
            entries.append(entry)
            seals.append(seal)
        require(0 <= head["lines"] <= len(entries) and head["last"] == seals[head["lines"]], damaged)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise UnveilError(f"{path}, line {len(seals) + 1}: {damaged}") from error
    return _Book(entries, seals[-1], len(content) - len(rest))


def _append(file: int, book: _Book, entry: dict[str, Any], path: Path) -> None:
    """The line first, and then that there is one more; all of it or nothing."""
    line, seal = _seal(entry, book.seal)
    before = _head(len(book.entries), book.seal)
    try:
        os.ftruncate(file, book.end)
        _write(file, line, book.end)
        _write(file, _head(len(book.entries) + 1, seal), 0)
    except BaseException as error:
        with suppress(OSError):
            os.pwrite(file, before, 0)
            os.ftruncate(file, book.end)
        if isinstance(error, OSError):
            raise UnveilError(f"cannot write the ledger {path}: {error.strerror}; nothing was spent") from error
        raise


def _write(file: int, content: bytes, at: int) -> None:
    """To the disk, however many calls it takes."""
    while content:
        written = os.pwrite(file, content, at)
        content, at = content[written:], at + written
    os.fsync(file)


def _head(lines: int, last: str) -> bytes:
    """The first line, as long for any number of lines."""
    return f'{{"format": "{_FORMAT}", "lines": {lines:12d}, "last": "{last}"}}\n'.encode()


def _seal(entry: dict[str, Any], before: str) -> tuple[bytes, str]:
    """The line of an entry that follows one with the seal `before`, and its own seal."""
    seal = sha256(f"{before}{json.dumps(entry)}".encode()).hexdigest()
    return f"{json.dumps({**entry, 'seal': seal})}\n".encode(), seal


def _name(records: str) -> str:
    """One name, however it is written."""
    require(isinstance(records, str) and records.strip(), "records must say whom the release is about")
    return " ".join(normalize("NFKC", records).split())


def _is_level(value: Any) -> bool:
    return is_real(value) and bool(0 <= value <= _LARGEST)


def _total(levels: list[tuple[float, float]]) -> tuple[float, float]:
    return fsum(epsilon for epsilon, _ in levels), fsum(delta for _, delta in levels)
