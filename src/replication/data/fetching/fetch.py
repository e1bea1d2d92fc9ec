"""Filling `data/raw/<dataset>` from the best source that answers with the right bytes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from replication.data.fetching import landing
from replication.data.fetching.landing import tell
from replication.data.fetching.patience import Patience
from replication.data.fetching.sources import Dataset, Expectation, Source, Wanted, load
from replication.data.fetching.structure import check_hash, check_structure
from unveil.errors import SourceError, UnveilError, require


def fetch(
    dataset: str, sources: Path, raw: Path, mirror: Path | None = None, patience: Patience | None = None
) -> None:
    """Fetch one data set into the folder `raw`; the last thing written is `provenance.json`.

    `mirror` is a folder of ready files (by default the one that UNVEIL_MIRROR names, if any). The sources are
    tried in their order; what failed and why is told, and kept in the provenance.
    """
    raw = raw.absolute()  # the registries' clients run in folders of their own
    declared = load(sources)
    require(dataset in declared, f"{sources} has no data set {dataset!r}; it has {', '.join(declared)}")
    if mirror is None and os.environ.get("UNVEIL_MIRROR"):
        mirror = Path(os.environ["UNVEIL_MIRROR"])
    with landing.disk_errors(raw.parent), landing.staging(raw) as stage:
        everything = tuple(declared.values())
        errand = Errand(declared[dataset], raw, stage, mirror, everything, patience or Patience())
        source = errand.run()
        provenance = errand.provenance(source)
        errand.note(provenance)
        landing.land(stage, raw, provenance)


@dataclass
class Errand:
    """One data set on its way: what was tried, and what was found."""

    dataset: Dataset
    raw: Path
    stage: Path
    mirror: Path | None
    everything: tuple[Dataset, ...]
    patience: Patience
    tried: list[str] = field(default_factory=list)
    pinned: dict[str, str] = field(default_factory=dict)
    came_from: str = ""

    def run(self) -> Source:
        """The first source that works; its files then lie verified in the stage."""
        for source in self.dataset.sources:
            try:
                self.came_from = self._keep(source) or self._take(source)
            except SourceError as error:
                self._clear()
                self.tried.append(f"{source.label}: {error}")
            else:
                self._say(source)
                return source
        raise SourceError(
            f"{self.dataset.name}: no source answered with the right bytes. Tried: {'; '.join(self.tried)}"
        )

    def provenance(self, source: Source) -> dict[str, object]:
        """What `provenance.json` says."""
        files = {wanted.name: landing.digest(self.stage / wanted.name) for wanted in source.files}
        return {
            "dataset": self.dataset.name,
            "title": self.dataset.title,
            "licence": self.dataset.licence,
            "grade": source.grade,
            "source": self.came_from,
            "sha256": combined(files),
            "files": files,
            "tried": self.tried,
        }

    def note(self, provenance: Mapping[str, object]) -> None:
        """Note where the files came from, and the hashes that nobody knew beforehand.

        So these files cannot change unnoticed, and are known again.
        """
        if provenance["files"]:
            origin = {f"origin of {provenance['sha256']}": self.came_from}
            landing.write_json(self._pins, landing.read_json(self._pins) | self.pinned | origin)

    @property
    def _pins(self) -> Path:
        return self.raw.parent / ".pins" / f"{self.dataset.name}.json"

    def _keep(self, source: Source) -> str:
        """Use the files that lie in `raw` already, if they are known to be this source's; else say nothing.

        So an edit of the sources file or a lost provenance downloads nothing again, and never replaces real
        data by a stand-in because the network happens to be down.
        """
        noted = landing.read_json(self._pins)
        known = {each.name: each.sha256 or noted.get(_note(source, each)) for each in source.files}
        there = {name: self.raw / name for name in known}
        if not known or None in known.values() or not all(path.is_file() for path in there.values()):
            return ""
        if any(landing.digest(path) != known[name] for name, path in there.items()):
            return ""
        for name, path in there.items():
            landing.copy(path, self.stage / name)
        origin = noted.get(f"origin of {combined({name: str(sha256) for name, sha256 in known.items()})}")
        return str(origin or source.label)

    def _take(self, source: Source) -> str:
        """Bring the files of one source to the stage and verify them; returns where they came from."""
        if source.kind in ("builtin", "synthetic"):
            return source.label
        if source.kind in ("mirror", "folder"):
            self._copy(source)
            self._verify(source)
            return source.label
        # Imported only now: a machine with a mirror needs none of it.
        from replication.data.fetching.remote import Remote

        remote = Remote(self.raw.parent, self.stage, self.everything, self.patience)
        return remote.take(source, self._verify)

    def _copy(self, source: Source) -> None:
        base = self._base(source)
        for wanted in source.files:
            if source.kind == "folder":
                _pack(base, wanted, self.stage / wanted.name, source.limit)
            else:
                _copy_file(base / wanted.path[0], wanted.path[0], self.stage / wanted.name, source.limit)

    def _base(self, source: Source) -> Path:
        """The folder that a mirror or a folder source stands for on this machine."""
        if source.kind == "folder":
            named = os.environ.get(source.where[0])
            if not named:
                raise SourceError(f"{source.where[0]} is not set")
            base = Path(named)
        elif self.mirror is None:
            raise SourceError("no mirror is set (UNVEIL_MIRROR)")
        elif not self.mirror.is_dir():
            raise SourceError(f"the mirror {self.mirror} is no folder")
        else:
            base = self.mirror / source.where[0]
        if not base.is_dir():
            raise SourceError(f"there is no folder {source.where[0]}")
        return base

    def _verify(self, source: Source) -> None:
        """Raise `SourceError` unless every file in the stage is what its source says."""
        pins = landing.read_json(self._pins)
        self.pinned = {}
        for wanted in source.files:
            path = self.stage / wanted.name
            if wanted.sha256 is not None:
                check_hash(path, wanted.sha256)
            if wanted.expect != Expectation():
                check_structure(path, wanted.expect, source.limit)
            if wanted.sha256 is None:
                found = landing.digest(path)
                known = pins.get(_note(source, wanted), found)
                if known != found:
                    raise SourceError(
                        f"{wanted.name} is not the file that was pinned on first use "
                        f"({found[:12]}… instead of {known[:12]}…); to accept it, delete {self._pins}"
                    )
                self.pinned[_note(source, wanted)] = found

    def _clear(self) -> None:
        for left in self.stage.iterdir():
            if left.is_file():
                left.unlink()

    def _say(self, source: Source) -> None:
        """One line for a good source, what failed for a worse one, a loud warning for a synthetic stand-in."""
        name = self.dataset.name
        failed = "".join(f"\n    {each}" for each in self.tried)
        if source.kind != "synthetic":
            worse = source.grade != self.dataset.sources[0].grade
            tell(
                f"{name}: {source.grade}, from {self.came_from}" + worse * f". Better sources failed:{failed}"
            )
            return
        tell(
            f"WARNING: {name}: no source of the real data answered, so a SYNTHETIC STAND-IN is used."
            f"\n  Results for {name} are then results for the stand-in only. Tried:{failed}"
            f"\n  To try again, delete {self.raw} or name a folder of ready files in UNVEIL_MIRROR."
        )


def _note(source: Source, wanted: Wanted) -> str:
    """The name under which a file's hash is noted: members of a verified archive belong to that very archive."""
    return wanted.name if wanted.pin else f"{wanted.name} of {source.sha256}"


def combined(files: Mapping[str, str]) -> str:
    """One hash for a set of files: the file's own where there is just one, nothing where there is none."""
    if len(files) <= 1:
        return next(iter(files.values()), "")
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(listing.encode()).hexdigest()


def _copy_file(path: Path, named: str, target: Path, limit: int) -> None:
    """Copy a file that should be there; trouble with reading is the source's, trouble with writing is ours."""
    try:
        size = path.stat().st_size
        content = path.open("rb")
    except OSError as error:
        raise SourceError(f"{named}: {error.strerror}") from error
    with content, target.open("wb") as file:
        if size > limit:
            raise SourceError(f"{named} is larger than the {limit / 1e6:.0f} MB it may have")
        while chunk := content.read(1 << 20):
            file.write(chunk)


def _pack(base: Path, wanted: Wanted, target: Path, limit: int) -> None:
    """Pack the matching files of somebody's own folder into one archive."""
    from replication.data.fetching.unpacking import pack

    found = [
        (path.relative_to(base).as_posix(), path) for path in base.glob(wanted.path[0]) if path.is_file()
    ]
    if not found:
        raise SourceError(f"the folder has no files like {wanted.path[0]}")
    if sum(path.stat().st_size for _, path in found) > limit:
        raise SourceError(f"the files like {wanted.path[0]} are larger than {limit / 1e6:.0f} MB together")
    try:
        pack(found, target)
    except PermissionError as error:
        raise UnveilError(f"{error.filename} may not be read") from error
