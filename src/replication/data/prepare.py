"""From raw files to fields: the way to the modules of the data sets."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np

from replication.data.provenance import digest, read_json
from replication.randomness import generator
from replication.settings import OWN
from unveil.errors import SourceError, require
from unveil.types import Array, Arrays


def module_of(dataset: str) -> str:
    """What reads the raw files of a data set."""
    return "replication.data.own" if dataset in OWN else f"replication.data.sets.{dataset}"


def prepare(dataset: str, raw: Path) -> dict[str, Array]:
    """The fields of one data set from its folder `raw`, whose files are first checked against the provenance."""
    provenance = read_json(raw / "provenance.json")
    require(provenance.get("dataset") == dataset, f"{raw} does not hold {dataset}; fetch it first")
    _check_files(raw, provenance["files"])
    module = importlib.import_module(module_of(dataset))
    if provenance["source"] == "synthetic":
        # A generator away from every experiment's: the stand-in is the same for everybody and every seed.
        fields = module.stand_in(generator(0, "stand-in", dataset))
    else:
        fields = module.prepare(raw)
    _check_fields(dataset, fields)
    return {name: np.ascontiguousarray(values) for name, values in fields.items()}


def _check_files(raw: Path, files: dict[str, str]) -> None:
    for name, sha256 in files.items():
        path = raw / name
        if not path.is_file() or digest(path) != sha256:
            raise SourceError(f"{path} is not as it was fetched; delete {raw} and fetch it again")


def _check_fields(dataset: str, fields: dict[str, Array]) -> None:
    """Every field is a plain array without a NaN, ready to be written as it is."""
    for name, values in fields.items():
        plain = isinstance(values, np.ndarray) and not values.dtype.hasobject
        require(plain and values.size, f"{dataset}: the field {name} must be a plain array with something in it")
        require(values.dtype.kind != "f" or np.isfinite(values).all(), f"{dataset}: the field {name} must be finite")


def count_records(fields: Arrays) -> int:
    """How many records a data set has: the length of its targets, labels or tags."""
    return next(len(fields[name]) for name in ("target", "labels", "tags") if name in fields)
