"""Snakemake's own records of a run, where a crash or a bad disk left them unreadable.

Snakemake writes one JSON file an output, in place, below `.snakemake/metadata`. It stops at some of the forms that
half of one can take, and takes an output without a record for up to date, whatever code made it. Here such an output
is marked as incomplete instead: the run makes it anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def mend_records(state: Path) -> None:
    """Mark every output as incomplete whose record below `state` (`.snakemake`) cannot be read."""
    records, marks = state / "metadata", state / "incomplete"
    for place, _, names in os.walk(records):
        for name in names:
            record = Path(place, name)
            if not _readable(record):
                mark = marks / record.relative_to(records)
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.write_text('{"external_jobid": null}', encoding="utf-8")
                record.unlink()
    for place, _, names in os.walk(marks):
        for name in names:
            if not _readable(Path(place, name)):
                Path(place, name).write_text('{"external_jobid": null}', encoding="utf-8")


def _readable(record: Path) -> bool:
    try:
        return isinstance(json.loads(record.read_bytes()), dict)
    except ValueError:
        return False
