"""How files reach `data/raw/<dataset>`, whole and by renaming only, and what they then say of themselves."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from replication.engine.job import ADVICE
from replication.engine.seal import swapped
from unveil.errors import UnveilError, require


def tell(message: str) -> None:
    """Say one thing to the person who is watching (or reading the log)."""
    print(message, file=sys.stderr, flush=True)  # noqa: T201 - the person's line


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full disk or a read-only folder into one line that says so."""
    try:
        yield
    except OSError as error:
        advice = ADVICE.get(error.errno or 0, error.strerror or str(error))
        raise UnveilError(f"{error.filename or folder}: {advice}") from error


@contextmanager
def staging(raw: Path) -> Iterator[Path]:
    """A folder beside `raw`, on the same file system, that is gone afterwards whatever happens.

    Two runs never fetch at the same time; so what lies there already was left behind by one that was killed.
    """
    stage = raw.parent / ".staging" / raw.name
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def land(stage: Path, raw: Path, provenance: Mapping[str, Any]) -> None:
    """Move the verified files of `stage` into `raw`; the provenance comes last and never describes a mixture."""
    described = stage / "provenance.json"
    write_json(described, {**provenance, "checksum": checksum(provenance)})
    raw.mkdir(parents=True, exist_ok=True)
    (raw / described.name).unlink(missing_ok=True)
    # From here on only renaming is left, which needs no space.
    for stale in set(raw.iterdir()) - {raw / name for name in provenance["files"]}:
        if stale.is_file():
            stale.unlink()
    for name in provenance["files"]:
        (stage / name).replace(raw / name)
    described.replace(raw / described.name)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a small JSON file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Always the same name: what a killed run leaves is written over by the next one.
    with swapped(path.with_name(f".{path.name}.tmp"), path) as partial:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def checksum(content: Mapping[str, Any]) -> str:
    """A checksum of a provenance."""
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_provenance(raw: Path) -> dict[str, Any]:
    """What a folder of raw files says of itself, as it was written; else an error that says what to do."""
    path = raw / "provenance.json"
    content = read_json(path)
    known = content.pop("checksum", None)
    require(known == checksum(content), f"{path} is damaged (it does not match its checksum); delete it and run again")
    return content


def read_json(path: Path) -> dict[str, Any]:
    """The content of a small JSON file; empty where there is none or it is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def stand_ins(raw: Path, datasets: Iterable[str]) -> list[str]:
    """A warning for each fetched data set that is not the paper's own, and what to do about it."""
    fetched = [read_json(raw / dataset / "provenance.json") for dataset in datasets]
    others = [item for item in fetched if item and item["grade"] != "full"]
    lines = [f"note: {it['dataset']} is a {it['grade']} ({it['source']}), not the paper's data" for it in others]
    return [*lines, "note: data/README.md says how to bring the real files"] if lines else []
