"""Sealed lies: releases and models of every kind, changed in one or two places, and sealed again as if it were true."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from tests.fuzz.harness import assert_one_line, missing_numbers

import unveil
from small_releases import BAGS, COUNTS, TAGS, WORDS, X, Y, part
from unveil import containers
from unveil.command.inspecting import inspect
from unveil.command.models import Model
from unveil.errors import UnveilError
from unveil.fingerprints import checksum, contents, describe
from unveil.protocols.base import Release, find_protocol
from unveil.protocols.columns import Column, Encoding
from unveil.protocols.encoded import EncodedTable
from unveil.protocols.sheets import Sheet
from unveil.types import Array, Arrays

HERE, STATES = X[part(0)], np.rint(3 * X[part(0)]).astype(int)
FLIPPED = unveil.NoisyRecords(0.1, 0.2, states=4, testing=True)
#: What of the exact and of other mechanisms is published, and what learns from it.
PUBLISHED: dict[str, Callable[[Generator], Release]] = {
    "exact operator": lambda rng: unveil.GeometricMeanOperator(2.0, testing=True).publish((HERE, Y[part(0)]), rng),
    "operator": lambda rng: unveil.MeanOperatorRelease(5.0, "laplace", 2.0).publish((HERE, Y[part(0)]), rng),
    "exact products": lambda rng: unveil.ExactProducts(4.0, testing=True).publish((HERE, HERE[:, 0]), rng),
    "products": lambda rng: unveil.CoordinateRelease(8.0).publish((HERE, HERE[:, 0]), rng, intercept=True),
    "bits": lambda rng: unveil.PerValueRelease(30.0, 9).publish((HERE, HERE[:, 0]), rng),
    "moments": lambda rng: unveil.ExactMoments(4.0, testing=True).publish((HERE, HERE[:, 0]), rng),
    "moments of classes": lambda rng: unveil.ExactMoments(4.0, 1e-6, testing=True).publish(
        (HERE, Y[part(0)]), rng, classes=(-1, 1)
    ),
    "exact counts": lambda rng: unveil.GeometricCounts(2.0, testing=True).publish(COUNTS[:3], rng),
    "normal counts": lambda rng: unveil.GaussianCounts(0.5, 1e-3).publish(COUNTS[:3], rng),
    "tags": lambda rng: unveil.RegionCounts(2).publish((WORDS[:10], TAGS[:10]), rng, tag_set=["A", "B"]),
    "states": lambda rng: FLIPPED.publish((STATES, Y[part(0)]), rng, classes=(-1, 1)),
    "inputs": lambda rng: unveil.NoisyRecords(0.1, 0.02, noise="gaussian").publish((HERE, Y[part(0)] > 0), rng),
}
PUBLIC: dict[str, tuple[Any, ...]] = {
    "mean-operator": (HERE,), "products": (), "moments": (), "ratios": (BAGS[:3],), "tags": (WORDS[:10],), "records": ()
}  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {
    "MMDClassRatio": {"bandwidths": [1.0], "diagonal": "unbiased"},
    "SetIdEM": {"costs": (0.1,)},
    "ProportionSVM": {"bandwidths": [1.0], "costs": (1.0,), "restarts": 1},
    "CountTagger": {"passes": 1, "random_state": 0},
    "SpreadLogisticRegression": {"l2": 0.1, "iterations": 5},
}


class Kind(NamedTuple):
    """A good file's header and arrays, and what is done with one like it."""

    header: dict[str, Any]
    arrays: Arrays
    use: Callable[[Path], Any]


def _learn(path: Path) -> Any:
    release = Release.load(path)
    assert_plain(inspect(path))
    protocol = find_protocol(release.protocol)
    return protocol.state_of(_fitted(release, None))


def assert_plain(said: str) -> None:
    """No sign in it moves the cursor, or turns the direction of the text."""
    assert all(line.isprintable() for line in said.split("\n"))


def _fitted(release: Release, name: str | None) -> Any:
    kind = find_protocol(release.protocol).learner(name, release)
    return kind(**SETTINGS.get(kind.__name__, {})).fit(release, *PUBLIC[release.protocol])


def _foretell(path: Path) -> Any:
    model, table = Model.load(path), path.with_suffix(".csv")
    assert_plain(inspect(path))
    rows = ["a,b,c,s", *(f"{a},{b},{c},{i % 2}" for i, (a, b, c) in enumerate(HERE.tolist()))]
    table.write_text("\n".join(rows))
    pieces = find_protocol(model.protocol).predict(model.estimator, EncodedTable(Sheet.open(table), model.encoding), ())
    return [{name: np.asarray(column) for name, column in piece.items()} for piece in pieces]


def _encoding(release: Release) -> Encoding:
    known = release.parameters
    classes = tuple(str(name) for name in known.get("classes", known.get("tags", ())))
    if release.protocol == "tags":
        return Encoding((Column("a"),), Column("t", categories=classes), "s")
    range_ = (0.0, 1.0)
    features = tuple(Column(name, range=range_) for name in ("ab" if release.protocol == "ratios" else "abc"))
    label = Column("t", categories=classes) if classes else Column("t", range=range_)
    states = known["states"] if known.get("noise") == "flips" else 0
    return Encoding(features, label, "s" if release.protocol == "ratios" else None, states)


@cache
def kinds() -> dict[str, Kind]:
    """Every kind of file."""
    found = {}
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (name, publish) in enumerate(PUBLISHED.items()):
            release = publish(default_rng(number))
            release.save(Path(folder, f"r{number}"))
            found[f"release: {name}"] = Kind(*_opened(Path(folder, f"r{number}"), "release"), _learn)
            protocol = find_protocol(release.protocol)
            every = [place.partition(":")[2] for place in protocol.learners]
            for learner in every if name in ("exact counts",) else [protocol.default_learner(release)]:
                path = Path(folder, f"m{number}{learner}")
                about = {"mechanism": release.mechanism, "records": release.records, "randomness": "seeded"}
                Model(release.protocol, _fitted(release, learner), _encoding(release), about).save(path, force=False)
                found[f"model: {name}, {learner}"] = Kind(*_opened(path, "model"), _foretell)
    return found


def _opened(path: Path, what: str) -> tuple[dict[str, Any], Arrays]:
    with path.open("rb") as file:
        content, _ = containers._read_header(file.read(), path, what)
    names = set(content) - {"format", "arrays", "sha256"}
    header, arrays = containers.read(path, content["format"], names, what)
    return {"format": content["format"], **header}, arrays


def sealed(header: dict[str, Any], arrays: Arrays) -> bytes:
    """As `containers` writes it, whatever it says."""
    signed = {**describe(header, arrays), "sha256": checksum(header, arrays)}
    return b"".join(map(bytes, chain([json.dumps(signed, indent=1).encode(), b"\n"], contents(arrays))))


ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 7, 255, 10**6, 2**31, 2**53, 2**63, 10**30, -0.5, 0.0, 0.5, 1.5, 1e-310, 1e-12,
    1e12, 1e100, 1e308, -1e308, "infinite", "", "x", "a\x1b[2Jb", "\u202eabc", "A", [], ["A"], ["A", "A"], [0, 1], [[]],
    [1.0, 2.0], {}, {"a": 1}, "flips", "gaussian", "os", "seeded",
]  # fmt: skip


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from _places(entry, (*at, key))


def lie(kind: Kind, rng: Generator) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays with one or two lies in them."""
    header, arrays = copy.deepcopy(kind.header), dict(kind.arrays)
    for _ in range(rng.integers(1, 3)):
        if arrays and rng.random() < 0.5:
            _lie_in_array(arrays, rng)
        else:
            _lie_in_header(header, rng)
    return header, arrays


def _lie_in_header(header: dict[str, Any], rng: Generator) -> None:
    places = list(_places({name: value for name, value in header.items() if name != "format"}))
    # Long lists must not hide what stands beside them.
    first = sorted({place[:2] for place in places}, key=repr)
    chosen = first[rng.integers(len(first))] if rng.random() < 0.6 else places[rng.integers(len(places))]
    inside: Any = header
    for key in chosen[:-1]:
        inside = inside[key]
    key, how = chosen[-1], rng.integers(5)
    value = inside[key]
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(value, int | float):
        inside[key] = value * float(rng.choice([-1, 0.5, 2, 1e-9, 1e9])) if rng.random() < 0.5 else value + 1
    elif how == 2 and isinstance(value, list) and value:
        inside[key] = [*value, value[0]] if rng.random() < 0.5 else value[:-1]
    else:
        inside[key] = copy.deepcopy(ODD[rng.integers(len(ODD))])


def _lie_in_array(arrays: dict[str, Array], rng: Generator) -> None:
    name = sorted(arrays)[rng.integers(len(arrays))]
    old, how = arrays[name], rng.integers(7)
    new = old.copy()
    numbers = [value for value in ODD if isinstance(value, int | float) and abs(value) < 2**63]
    if how <= 2 and new.size:
        with np.errstate(all="ignore"):
            new.reshape(-1)[rng.integers(new.size)] = np.array(numbers[rng.integers(len(numbers))]).astype(new.dtype)
    elif how == 3:
        new = new[:-1] if new.ndim and rng.random() < 0.5 else np.concatenate([new, new]) if new.ndim else new[None]
    elif how == 4:
        new = new[..., None] if rng.random() < 0.5 else new.reshape(-1)
    elif how == 5:
        types = ["|b1", "|i1", "<u8", "<i8", "<f4", "<f8"]
        with np.errstate(all="ignore"):
            new = new.astype(types[rng.integers(len(types))])
    elif rng.random() < 0.3:
        del arrays[name]
        return
    else:
        new = np.asarray(new * np.asarray(rng.choice([-1, 0, 2, 100])).astype(new.dtype))
    arrays[name] = new


def try_lie(kind: Kind, rng: Generator | None, path: Path) -> str:
    """The line that refuses a lie, or nothing where what was learned is finite; the truth without `rng`."""
    path.write_bytes(sealed(kind.header, kind.arrays) if rng is None else sealed(*lie(kind, rng)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = kind.use(path)
    except UnveilError as error:
        assert_one_line(error)
        return str(error)
    assert not missing_numbers(found), "a NaN came out"
    return ""
