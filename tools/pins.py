"""Take over what this machine has pinned on first use: data/raw/.pins into data/pins.yaml.

`python -m tools.pins [DATASET …]`; whoever calls it has looked at the files.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from replication.data.fetching.sources import PINS, load
from replication.data.provenance import read_json


def vouch(data: Path, wanted: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """The pins of a data folder with those that were noted in its raw files; written, and returned."""
    path = data / PINS
    text = path.read_text(encoding="utf-8")
    pins: dict[str, dict[str, str]] = yaml.safe_load(text)
    for name, dataset in load(data / "sources.yaml").items():
        noted = read_json(data / "raw" / ".pins" / f"{name}.json")
        unverified = {file for source in dataset.sources for file in source.unverified}
        found = {file: noted[file] for file in sorted(unverified) if file in noted}
        if found and (not wanted or name in wanted):
            pins[name] = pins.get(name, {}) | found
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    path.write_text(head + yaml.safe_dump(pins), encoding="utf-8")
    return pins


if __name__ == "__main__":
    vouch(Path("data"), sys.argv[1:])
