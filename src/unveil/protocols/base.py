"""What a mechanism publishes and an estimator is fitted to: the arrays that leave the owner, and what they promise."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from unveil.errors import TooNoisy, is_real, require, warn
from unveil.fingerprints import checksum, jsonable
from unveil.protocols import PROTOCOLS
from unveil.types import Array, Arrays

FORMAT = "unveil release 1"
#: How arrays of different records become one: they are added, or put behind each other.
SUM, ROWS = "sum", "rows"
RANDOMNESS = ("os", "seeded")
SCOPES = ("supremum", "here")
LEVELS = ("claimed_epsilon", "claimed_delta", "exact_epsilon", "exact_delta")


class Shard(NamedTuple):
    """One of the releases that a release was merged from: its records, its content, and its public rows."""

    records: int
    content: str
    rows: str


class Budget(Protocol):
    """What notes levels, or refuses them: a `Ledger`."""

    def spend(self, records: str, epsilon: float, delta: float = 0.0, what: str = "") -> None:
        """Note a release about some records, or refuse it."""
        ...


@dataclass(frozen=True)
class Release:
    """What leaves an owner, with all that fitting needs.

    `publish` of a mechanism makes it and `fit` of an estimator of the same protocol takes it. As a file it is a header
    that a person can read, the arrays behind it, and a checksum, which guards against accidents; who wants to be safe
    from forgers must sign the file.

    Parameters
    ----------
    protocol : {"mean-operator", "products", "moments", "ratios", "tags", "records"}
        What was released.
    mechanism : str
        The name of the mechanism.
    parameters : mapping
        What is public about the veil: keep probabilities, the scale of the noise, names. Numbers, texts, truth values,
        nothing, and lists and mappings of these.
    arrays : mapping of str to ndarray
        What was released.
    records : int
        Of how many records.
    claimed_epsilon, claimed_delta : float
        The level that the mechanism's authors promise; ε is infinite where nothing is promised.
    exact_epsilon, exact_delta : float
        The level that holds.
    scope : {"supremum", "here"}
        For which data the exact level holds: all, or those at hand.
    randomness : {"seeded", "os"}
        Where the noise came from: a seed, for simulations, or the operating system.
    rows : str
        A fingerprint of the public rows that belong to the release, where there are some.
    shards : tuple of Shard
        The releases that it was merged from, in order; empty where it was not merged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from numpy.random import default_rng
    >>> from unveil import CoordinateRelease, Release
    >>> X = default_rng(0).random((1000, 2))
    >>> release = CoordinateRelease(4.0).publish((X, X[:, 0]), default_rng(1))
    >>> release.protocol, release.records, release.exact_epsilon, release.randomness
    ('products', 1000, 2.0, 'seeded')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release.save(Path(folder, "products.unveil"))
    ...     loaded = Release.load(Path(folder, "products.unveil"))
    >>> loaded.merge(CoordinateRelease(4.0).publish((X, X[:, 1]), default_rng(2))).records
    2000

    See Also
    --------
    MomentRegression, CountTagger, MeanOperatorClassifier, MMDClassRatio, SpreadLogisticRegression
    """

    protocol: str
    mechanism: str
    parameters: Mapping[str, Any]
    arrays: Arrays = field(repr=False)
    records: int
    claimed_epsilon: float = inf
    claimed_delta: float = 0.0
    exact_epsilon: float = inf
    exact_delta: float = 0.0
    scope: str = "supremum"
    randomness: str = "seeded"
    rows: str = ""
    shards: tuple[Shard, ...] = field(default=(), repr=False)

    def require_protocol(self, protocol: str, estimator: str) -> None:
        """Raise unless an estimator of this protocol can be fitted to it."""
        require(
            self.protocol == protocol,
            f"release must be of the protocol {protocol!r} for {estimator}, not {self.protocol!r}",
        )

    def warn_of(self, estimator: Any) -> None:
        """Tell whoever fitted an estimator to it where that is expected to be worth little."""
        said = find_protocol(self.protocol).judge(estimator, self)
        if said:
            warn(said, TooNoisy)

    def number(self, name: str) -> float:
        """A parameter that has to be a number: whoever can write a file can leave it out."""
        value: Any = self.parameters[name]
        fine = is_real(value) and isfinite(value)
        require(fine, f"a release of {self.protocol!r} must have a number as its parameter {name!r}, not {value!r}")
        return float(value)

    def require_rows(self, same: Callable[[int, int, str], bool], number: int, name: str) -> None:
        """Raise unless public rows are those that it was made from, in the same order.

        `same(start, stop, text)` says whether some of the `number` rows, which are called `name`, have the fingerprint
        `text`.
        """
        require(number == self.records, f"{name} must have the {self.records} rows of the release, got {number}")
        stop = 0
        for piece in self.pieces:
            start, stop = stop, stop + piece.records
            known = not piece.rows or same(start, stop, piece.rows)
            require(known, f"{name} must be the rows of the release, in the same order: others found from row {start}")

    @property
    def pieces(self) -> tuple[Shard, ...]:
        """What it was merged from: itself where it was not merged."""
        return self.shards or (Shard(self.records, self.checksum, self.rows),)

    @property
    def checksum(self) -> str:
        """A hash of all of it, the same on every machine."""
        return checksum(self.describe(), self.arrays)

    def describe(self) -> dict[str, Any]:
        """All of it but the arrays, as JSON has it."""
        return {
            "format": FORMAT,
            "protocol": self.protocol,
            "mechanism": self.mechanism,
            "parameters": jsonable(self.parameters),
            "records": int(self.records),
            **{name: _finite(getattr(self, name)) for name in LEVELS},
            "scope": self.scope,
            "randomness": self.randomness,
            "rows": self.rows,
            "shards": [list(shard) for shard in self.shards],
        }

    def merge(self, other: Release) -> Release:
        """One release about the records of both, which must be different ones.

        What was released twice is noticed: the same release, or one of the same public rows. That no person is in both
        is the owners' promise. The order of rows is self's before other's.

        Parameters
        ----------
        other : Release
            Of the same protocol, mechanism and parameters; names of sets, where there are any, must be different.

        Returns
        -------
        Release
            Its level is the worse of the two: a record is in one of them only.
        """
        _require_same("protocol", self.protocol, other.protocol)
        _require_same("mechanism", self.mechanism, other.mechanism)
        pieces = (*self.pieces, *other.pieces)
        for name in ("content", "rows"):
            seen = [getattr(piece, name) for piece in pieces if getattr(piece, name)]
            require(len(set(seen)) == len(seen), f"releases must be about different records: the same {name} twice")
        levels = {name: max(getattr(self, name), getattr(other, name)) for name in LEVELS}
        protocol = find_protocol(self.protocol)
        return replace(
            self,
            parameters=_merge_parameters(protocol.of_rows, self.parameters, other.parameters),
            arrays={
                name: _merge_arrays(rule.how, self.arrays[name], other.arrays[name], name)
                for name, rule in protocol.kind_of(self.arrays).items()
            },
            records=self.records + other.records,
            scope="here" if "here" in (self.scope, other.scope) else "supremum",
            # One seed is enough for the whole to be no safe release.
            randomness="os" if self.randomness == other.randomness == "os" else "seeded",
            rows="",
            shards=pieces,
            **levels,
        )

    def charge(self, ledger: Budget | None, records: str) -> Release:
        """Itself, once a ledger, if there is one, has noted its level; one that is refused is handed to nobody.

        Everything else is done before: noise is drawn, and what could not be written and read again is not paid for.
        """
        if ledger is not None:
            files = _files()
            files.read_release(b"".join(files.content_of(self)), "the release")
            ledger.spend(records, self.exact_epsilon, self.exact_delta, f"{self.protocol} by {self.mechanism}")
        return self

    def save(self, path: str | Path) -> None:
        """Write the file whole or not at all; a file that exists is never overwritten."""
        _files().save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Release:
        """Read a release file; anything but an intact one is an error."""
        release: Release = _files().load(Path(path))
        return release


def find_protocol(name: str) -> Any:
    """What is known of a protocol, its `unveil.protocols.protocol.Protocol`.

    It is looked up by name, so that who publishes a release need not know what is done with it later.
    """
    require(name in PROTOCOLS, f"unknown protocol: {name!r}")
    return import_module(f"unveil.protocols.{name.replace('-', '_')}_protocol").PROTOCOL


def _files() -> Any:
    """The format of release files is no business of those who publish or learn."""
    return import_module("unveil.protocols.release_files")


def _finite(value: float) -> float | str:
    """JSON has no infinity."""
    return float(value) if isfinite(value) else "infinite"


def _merge_arrays(how: str, ours: Array, theirs: Array, name: str) -> Array:
    same = ours.shape == theirs.shape if how == SUM else ours.shape[1:] == theirs.shape[1:]
    require(same, f"only releases of the same shape merge: {name} is {ours.shape} and {theirs.shape}")
    return np.asarray(ours + theirs) if how == SUM else np.concatenate([ours, theirs])


def _merge_parameters(of_rows: Collection[str], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same in both, and what belongs to the rows of one before what belongs to those of the other."""
    _require_same("parameters", *({k: v for k, v in known.items() if k not in of_rows} for known in (ours, theirs)))
    found = dict(ours)
    for name in of_rows:
        both = name in ours and name in theirs
        require(both or not (name in ours or name in theirs), f"only one of the releases names its {name}: name both's")
        if both:
            found[name] = [*ours[name], *theirs[name]]
            twice = [entry for entry, times in Counter(found[name]).items() if times > 1]
            require(not twice, f"releases that merge must name different {name}: {twice[:1]} is in both")
    return found


def _require_same(what: str, ours: Any, theirs: Any) -> None:
    """Raise unless both would be written alike."""
    first, second = (json.dumps(jsonable(value), sort_keys=True) for value in (ours, theirs))
    require(first == second, f"only releases of the same {what} merge: {ours} and {theirs}")
