"""What a folder of raw files says of itself: where they came from, what they are, and their hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from replication.engine.seal import swapped
from unveil.errors import require

NAME = "provenance.json"


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def combine(files: Mapping[str, str]) -> str:
    """One hash for a set of files: the file's own where there is just one, nothing where there is none."""
    if len(files) <= 1:
        return next(iter(files.values()), "")
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(listing.encode()).hexdigest()


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a small JSON file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Always the same name: what a killed run leaves is written over by the next one.
    with swapped(path.with_name(f".{path.name}.tmp"), path) as partial:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """The content of a small JSON file; empty where there is none or it is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_provenance(raw: Path, content: Mapping[str, Any]) -> None:
    """Write what a folder says of itself, with a checksum."""
    write_json(raw / NAME, {**content, "checksum": _checksum(content)})


def read_provenance(raw: Path) -> dict[str, Any]:
    """What a folder of raw files says of itself, as it was written; else an error that says what to do."""
    content = read_json(raw / NAME)
    known = content.pop("checksum", None)
    remedy = "is damaged (it does not match its checksum); delete it and run again"
    require(known == _checksum(content), f"{raw / NAME} {remedy}")
    return content


def warn_of_stand_ins(raw: Path, datasets: Iterable[str]) -> list[str]:
    """A warning for each fetched data set that is not the paper's own, and what to do about it."""
    fetched = [read_json(raw / dataset / NAME) for dataset in datasets]
    others = [item for item in fetched if item and item["grade"] != "full"]
    lines = [f"note: {it['dataset']} is a {it['grade']} ({it['source']}), not the paper's data" for it in others]
    return [*lines, "note: data/README.md says how to bring the real files"] if lines else []
