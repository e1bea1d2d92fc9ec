"""What was released about which records at which level: a file that only grows, and refuses to overspend."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import IO, Any

from unveil.errors import UnveilError, is_real, require
from unveil.privacy.composition import composed_delta, composed_epsilon

_START = "unveil ledger 1"


class Ledger:
    """A file that lists every release about a group of records, and refuses one that would exceed a limit.

    Levels add up (basic composition, Dwork and Roth 2014, theorem 3.16), which holds for any mechanisms in any order,
    and is exact for pure levels at δ = 0. Many small releases with a δ to spare cost less together: "optimal" asks
    for the exact δ of the worst mechanisms of these levels instead (Kairouz, Oh and Viswanath 2015).
    Each line holds a hash of all lines before it, so that a line which was changed or taken out is noticed; this
    guards against accidents, not against malice. The file is locked while a line is added.

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
            require(is_real(value) and value >= 0, f"{name} must be a number, at least 0, not {value!r}")
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
            Whom the release is about.
        epsilon, delta : float
            The level that it keeps.
        what : str
            What is released, for whoever reads the file.
        """
        require(isinstance(records, str) and records, "records must say whom the release is about")
        ok = all(is_real(value) and 0 <= value < inf for value in (epsilon, delta))
        require(ok, f"epsilon and delta must be finite numbers, at least 0, not {epsilon!r} and {delta!r}")
        with self._lock() as file:
            lines = file.read()
            self._require_room([*_levels(_entries(lines, self.path), records), (epsilon, delta)], records)
            entry = {"records": records, "epsilon": float(epsilon), "delta": float(delta), "what": what}
            line = json.dumps({**entry, "when": datetime.now(UTC).isoformat(timespec="seconds"), "after": _hash(lines)})
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())

    def spent(self, records: str) -> tuple[float, float]:
        """(ε, δ) of all releases about these records together; by optimal composition ε at the limit of δ."""
        if not self.path.exists():
            return 0.0, 0.0
        with self._lock() as file:
            levels = _levels(_entries(file.read(), self.path), records)
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
    def _lock(self) -> Iterator[IO[str]]:
        try:
            number = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise UnveilError(f"cannot open the ledger {self.path}: {error.strerror}") from error
        with os.fdopen(number, "r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file


def _hash(lines: str) -> str:
    return hashlib.sha256(f"{_START}\n{lines}".encode()).hexdigest()


def _entries(lines: str, path: Path) -> list[dict[str, Any]]:
    """Every line, once its hash has been seen to be that of the lines before it."""
    entries, before = [], ""
    for number, line in enumerate(lines.splitlines(keepends=True), start=1):
        damaged = f"{path}, line {number}: the ledger was altered or cut off; restore it before anything is released"
        try:
            entry = json.loads(line)
            whole = line.endswith("\n") and entry["after"] == _hash(before)
            known = isinstance(entry["records"], str) and all(is_real(entry[name]) for name in ("epsilon", "delta"))
        except (ValueError, KeyError, TypeError) as error:
            raise UnveilError(damaged) from error
        require(whole and known, damaged)
        entries.append(entry)
        before += line
    return entries


def _levels(entries: list[dict[str, Any]], records: str) -> list[tuple[float, float]]:
    return [(entry["epsilon"], entry["delta"]) for entry in entries if entry["records"] == records]


def _total(levels: list[tuple[float, float]]) -> tuple[float, float]:
    return float(sum(epsilon for epsilon, _ in levels)), float(sum(delta for _, delta in levels))
