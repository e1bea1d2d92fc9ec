"""Stage `prepare`: from raw files to one array a field; nothing is noised here."""

from __future__ import annotations

from pathlib import Path

from unveil.datasets.prepare import prepare as prepare_fields
from unveil.fetching.landing import read_provenance
from unveil.pipeline.guard import require_run
from unveil.pipeline.storage import save_array, save_json
from unveil.types import Arrays


def prepare(dataset: str, raw: Path, output: Path) -> None:
    """Write every field of a data set, and where it comes from."""
    provenance = read_provenance(raw)
    fields = prepare_fields(dataset, raw)
    for name, array in fields.items():
        save_array(output / f"{name}.npy", array, require_run)
    save_json(output / "provenance.json", {**provenance, "rows": _records(fields)}, require_run)


def _records(fields: Arrays) -> int:
    """How many records a data set has: the length of its targets, labels or tags."""
    return next(len(fields[name]) for name in ("target", "labels", "tags") if name in fields)
