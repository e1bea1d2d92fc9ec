"""What a mechanism publishes and an estimator is fitted to: the arrays that leave the owner, and what they promise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unveil import containers
from unveil.containers import jsonable
from unveil.earlier import is_earlier
from unveil.earlier import read as earlier_content
from unveil.errors import UnveilError, is_real, is_whole, require
from unveil.merging import ROWS, SUM, merged_arrays, merged_parameters, require_same
from unveil.types import Arrays

FORMAT = "unveil release 3"
#: Every protocol's kinds of release: the arrays of one, and how they merge.
PROTOCOLS: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "mean-operator": ({"sum": SUM, "variance": SUM},),
    "products": ({"targets": SUM, "pairs": SUM}, {"ones": SUM, "both": SUM}),
    "ratios": (dict.fromkeys(("proportions", "sizes", "noise"), ROWS),),
    "tags": (dict.fromkeys(("start", "width", "lengths", "counts", "asked"), ROWS),),
    "records": ({"features": ROWS, "labels": ROWS},),
}
#: The parameters that estimators rely on.
_NEEDED: Mapping[str, frozenset[str]] = {
    "mean-operator": frozenset({"dimension", "intercept", "classes"}),
    "products": frozenset({"dimension", "intercept", "upper", "noise_of_one"}),
    "ratios": frozenset({"classes"}),
    "tags": frozenset({"tags"}),
    "records": frozenset({"label_flip", "input_noise", "noise", "states", "classes"}),
}
RANDOMNESS = ("os", "seeded")
SCOPES = ("supremum", "here")
_LEVELS = ("claimed_epsilon", "claimed_delta", "exact_epsilon", "exact_delta")


class Shard(NamedTuple):
    """One of the releases that a release was merged from: its records, its content, and its public rows."""

    records: int
    content: str
    rows: str


@dataclass(frozen=True)
class Release:
    """What leaves an owner, with all that fitting needs.

    `publish` of a mechanism makes it and `fit` of an estimator of the same protocol takes it. As a file it is a header
    that a person can read, the arrays behind it, and a checksum, which guards against accidents; who wants to be safe
    from forgers must sign the file.

    Parameters
    ----------
    protocol : {"mean-operator", "products", "ratios", "tags", "records"}
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
        return containers.checksum(_header(self), self.arrays)

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
        require_same("protocol", self.protocol, other.protocol)
        require_same("mechanism", self.mechanism, other.mechanism)
        pieces = (*self.pieces, *other.pieces)
        for name in ("content", "rows"):
            seen = [getattr(piece, name) for piece in pieces if getattr(piece, name)]
            require(len(set(seen)) == len(seen), f"releases must be about different records: the same {name} twice")
        levels = {name: max(getattr(self, name), getattr(other, name)) for name in _LEVELS}
        return replace(
            self,
            parameters=merged_parameters(self.protocol, self.parameters, other.parameters),
            arrays=merged_arrays(_kind(self), self.arrays, other.arrays),
            records=self.records + other.records,
            scope="here" if "here" in (self.scope, other.scope) else "supremum",
            # One seed is enough for the whole to be no safe release.
            randomness="os" if self.randomness == other.randomness == "os" else "seeded",
            rows="",
            shards=pieces,
            **levels,
        )

    def save(self, path: str | Path) -> None:
        """Write the file whole or not at all; a file that exists is never overwritten."""
        containers.write(Path(path), _header(self), self.arrays)

    @classmethod
    def load(cls, path: str | Path) -> Release:
        """Read a release file, of this format or an earlier one; anything but an intact one is an error."""
        if is_earlier(path):
            return _from_earlier(earlier_content(path))
        names = set(cls.__dataclass_fields__) - {"arrays"}
        content, arrays, expected = containers.read(Path(path), FORMAT, names, "release")
        try:
            release = _release(content, arrays, path)
            found = release.checksum
        except UnveilError as error:
            raise UnveilError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
        require(found == expected, f"{path} was altered: its checksum does not match its content")
        return release


def _header(release: Release) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "protocol": release.protocol,
        "mechanism": release.mechanism,
        "parameters": jsonable(release.parameters),
        "records": int(release.records),
        **{name: _number(getattr(release, name)) for name in _LEVELS},
        "scope": release.scope,
        "randomness": release.randomness,
        "rows": release.rows,
        "shards": [list(shard) for shard in release.shards],
    }


def _number(value: float) -> float | str:
    """JSON has no infinity."""
    return float(value) if isfinite(value) else "infinite"


def _kind(release: Release) -> Mapping[str, str]:
    """The arrays that a release of this protocol has."""
    for kind in PROTOCOLS.get(release.protocol, ()):
        if set(kind) == set(release.arrays):
            return kind
    raise UnveilError(f"a release of the protocol {release.protocol!r} does not hold {', '.join(release.arrays)}")


class _Said(dict[str, Any]):
    """Parameters as a file says them; one that a learner needs and that is left out is an error that names the file."""

    def __init__(self, content: Mapping[str, Any], path: str | Path) -> None:
        super().__init__(content)
        self.path = path

    def __missing__(self, name: str) -> Any:
        raise UnveilError(f"{self.path} must hold the parameter {name!r}")


def _release(content: dict[str, Any], arrays: Arrays, path: str | Path) -> Release:
    """Whoever can write a file can write a right checksum, too: kinds and ranges are checked all the same."""
    for name in ("protocol", "mechanism", "scope", "randomness", "rows"):
        require(isinstance(content[name], str), f"{path} must hold a text as its {name}")
    require(content["protocol"] in PROTOCOLS, f"{path} is of an unknown protocol: {content['protocol']!r}")
    require(content["scope"] in SCOPES, f"{path} must hold one of {', '.join(SCOPES)} as its scope")
    require(content["randomness"] in RANDOMNESS, f"{path} must hold one of {', '.join(RANDOMNESS)} as its randomness")
    require(isinstance(content["parameters"], dict), f"{path} must hold named parameters")
    content["parameters"] = _Said(content["parameters"], path)
    records = content["records"]
    fine = is_whole(records) and 1 <= records < 1 << 62
    require(fine, f"{path} must hold a positive whole number as its records")
    for name in _LEVELS:
        value = inf if content[name] == "infinite" else content[name]
        require(is_real(value) and value >= 0, f"{path} must hold a number, at least 0, as its {name}")
        content[name] = float(value)
    content["shards"] = _shards(content["shards"], records, path)
    release = Release(**content, arrays=arrays)
    _kind(release)
    _require_content(release, path)
    return release


def _from_earlier(content: Mapping[str, Any]) -> Release:
    """A mean operator, the only protocol that files of earlier formats had."""
    value, m, noise = np.array(content["value"]), content["records"], content["noise"]
    # As the mechanisms have it: Laplace noise, or a vector of gamma length.
    factor = len(value) + 1 if noise == "gamma" else 2
    known = {"alpha": content["claimed_epsilon"], "noise": noise, "dimension": len(value)}
    return Release(
        protocol="mean-operator",
        mechanism="GeometricMeanOperator" if noise == "geometric" else "MeanOperatorRelease",
        parameters={**known, "intercept": False, "classes": [-1, 1]},
        arrays={"sum": m * value, "variance": np.full(len(value), factor * (m * content["scale"]) ** 2)},
        records=m,
        claimed_epsilon=content["claimed_epsilon"],
        exact_epsilon=content["true_epsilon"],
        # What does not say where its noise came from is not taken for safe.
        randomness="os" if content["randomness"] == "os" else "seeded",
        rows=content["features"],
    )


def _require_content(release: Release, path: str | Path) -> None:
    """What estimators rely on: the parameters of the protocol, and arrays that belong together."""
    known, arrays = release.parameters, release.arrays
    missing = _NEEDED[release.protocol] - set(known)
    require(not missing, f"{path} must say {', '.join(sorted(missing))} among its parameters")
    if "dimension" in known:
        require(is_whole(known["dimension"]) and known["dimension"] >= 1, f"{path} must hold a dimension of at least 1")
        require(isinstance(known["intercept"], bool), f"{path} must say whether it has an intercept")
    for name in {"classes", "tags"} & set(known):
        require(isinstance(known[name], list) and known[name], f"{path} must hold a list of {name}")
    if release.protocol == "mean-operator":
        sized = all(array.shape == (known["dimension"],) for array in arrays.values())
        require(sized and len(known["classes"]) == 2, f"{path} must hold sums of its dimension, and two classes")
    rows = [array for name, array in arrays.items() if _kind(release)[name] == ROWS]
    require(all(array.ndim >= 1 for array in rows), f"{path} must hold one row a record, or a set")
    number = {len(array) for array in rows}
    if release.protocol == "ratios":
        require(arrays["sizes"].sum() == release.records, f"{path} must hold sets of {release.records} records in all")
        require(arrays["proportions"].shape[1:] == (len(known["classes"]),), f"{path} must hold a share of each class")
        require(len(number) == 1, f"{path} must hold as many rows in every array")
        names: Any = known.get("sets")
        named = isinstance(names, list) and all(isinstance(name, str) for name in names)
        fine = named and len(set(names)) == len(names) == len(arrays["sizes"])
        require(names is None or fine, f"{path} must give each of its sets a name of its own, or none a name")
    elif rows:
        require(number == {release.records}, f"{path} must hold one row a record")


def _shards(shards: Any, records: int, path: str | Path) -> tuple[Shard, ...]:
    rule = f"{path} must hold records, content and rows of the releases that it was merged from"
    require(isinstance(shards, list), rule)
    for shard in shards:
        require(isinstance(shard, list) and len(shard) == len(Shard._fields), rule)
        require(is_whole(shard[0]) and shard[0] >= 1 and all(isinstance(text, str) for text in shard[1:]), rule)
    require(not shards or sum(shard[0] for shard in shards) == records, rule)
    return tuple(Shard(*shard) for shard in shards)
