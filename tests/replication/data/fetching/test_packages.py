"""Packages: the index that pip is configured with, and npm, both replaced by local ones."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from local_server import GOOD, Get, Server, Write, assert_only_good, sha, told
from raw_files import tar_of, zip_of
from replication.data.fetching import packages
from replication.data.fetching.fetch import fetch
from unveil.errors import SourceError

SDIST = tar_of({"toy_data-1.2/setup.py": b"raise SystemExit('must not run')", "toy_data-1.2/inside/data.csv": GOOD})


def page_of(*addresses: str) -> bytes:
    """An index's page of a project."""
    links = [f"<a href='{address}'>{address.rpartition('/')[2].partition('#')[0]}</a>" for address in addresses]
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode()


def package(purl: str, content: bytes, **files: Any) -> dict[str, Any]:
    return {"grade": "full", "from": purl, "sha256": sha(content), "files": files or {"data.csv": {}}}


INSIDE = package("pkg:pypi/toy-data@1.2#inside", SDIST)
ANYWHERE = package("pkg:pypi/toy-data@1.2", SDIST)


@pytest.fixture
def index(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """pip's configuration points at the local server, which knows one project."""
    links = ["../../files/other-9.tar.gz#sha256=00", f"/good/toy_data-1.2.tar.gz#sha256={sha(SDIST)}"]
    server.pages["/good/simple/toy-data/"] = page_of(*links)
    server.pages["/good/toy_data-1.2.tar.gz"] = SDIST
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/good/simple")
    return server


def test_sdist_from_the_configured_index(index: Server, get: Get) -> None:
    raw = get(package("pkg:pypi/Toy.Data@1.2#inside", SDIST))
    assert_only_good(raw)
    assert told(raw)["source"] == "pkg:pypi/Toy.Data@1.2"
    assert index.asked["/good/toy_data-1.2.tar.gz"] == 1


@pytest.mark.parametrize(("first", "more"), [("good/empty", ["good/empty2"]), ("truncated", [])])
def test_another_index_is_asked(
    first: str, more: list[str], index: Server, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one lacks the project, or answers the question whether it is there, and then with an error."""
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/{first}")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", " ".join(f"{index.url}/{place}" for place in [*more, "good/simple"]))
    assert_only_good(get(INSIDE))


def test_package_is_known_again(
    index: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are kept while the package is the same one, under a relative path too."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        fetch("toy", write_sources(INSIDE), Path("raw/toy"))
    assert index.asked["/good/toy_data-1.2.tar.gz"] == 1
    other = tar_of({"toy_data-1.2/inside/data.csv": GOOD[::-1]})
    index.pages["/good/toy_data-1.2.tar.gz"] = other
    index.pages["/good/simple/toy-data/"] = page_of(f"/good/toy_data-1.2.tar.gz#sha256={sha(other)}")
    fetch("toy", write_sources(INSIDE | {"sha256": sha(other)}), Path("raw/toy"))
    assert Path("raw/toy/data.csv").read_bytes() == GOOD[::-1]


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (page_of(), "is not offered by the package index"),
        (page_of(f"/good/toy_data-1.2.tar.gz#sha256={sha(SDIST)}"), "has sha256"),
    ],
)
def test_index_without_the_right_file(index: Server, page: bytes, message: str, get: Get, raw: Path) -> None:
    index.pages["/good/simple/toy-data/"] = page
    index.pages["/good/toy_data-1.2.tar.gz"] = SDIST[:-1] + bytes([SDIST[-1] ^ 1])
    with pytest.raises(SourceError, match=message):
        get(ANYWHERE)
    assert not raw.exists()


def test_index_that_is_configured_away(index: Server, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SourceError, match="not to use any package index"):
        get(ANYWHERE)


def test_archive_inside_an_archive(index: Server, get: Get) -> None:
    inner = tar_of({"folder/data.csv": GOOD})
    outer = tar_of({"toy_data-1.2/more/inner.tar.gz": inner})
    index.pages["/good/toy_data-1.2.tar.gz"] = outer
    index.pages["/good/simple/toy-data/"] = page_of(f"/good/toy_data-1.2.tar.gz#sha256={sha(outer)}")
    files = {"data.csv": {"from": ["inner.tar.gz", "folder/data.csv"]}}
    assert_only_good(get(package("pkg:pypi/toy-data@1.2#more", outer, **files)))


def test_zip_from_an_address(server: Server, tmp_path: Path, get: Get) -> None:
    server.pages["/good/toy.zip"] = zip_of({"../../evil.txt": b"out of the folder", "data.csv": GOOD})
    files = {"data.csv": {"sha256": sha(GOOD)}}
    assert_only_good(get({"grade": "full", "from": f"{server.url}/good/toy.zip", "archive": True, "files": files}))
    assert not list(tmp_path.rglob("evil.txt"))


TARBALL = tar_of({"package/inside/data.csv": GOOD})
SCOPED = package("pkg:npm/%40scope/toy@1.0.0#inside", TARBALL)
PLAIN = package("pkg:npm/toy@1.0.0#inside", TARBALL)


def listing(address: str) -> bytes:
    """What a registry says of a package: one archive a version."""
    found = {"1.0.0": address, "0.9.0": "http://older.invalid"}
    versions = {version: {"version": version, "dist": {"tarball": place}} for version, place in found.items()}
    return json.dumps({"name": "toy", "dist-tags": {"latest": "1.0.0"}, "versions": versions}).encode()


@pytest.fixture
def registry(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """An npm that asks the local server, which knows one package."""
    server.pages["/good/npm/@scope%2ftoy"] = server.pages["/good/npm/toy"] = listing(f"{server.url}/good/toy-1.0.tgz")
    server.pages["/good/toy-1.0.tgz"] = TARBALL
    for name in [name for name in os.environ if name.lower().startswith("npm_config_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("npm_config_registry", f"{server.url}/good/npm/")
    return server


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
@pytest.mark.parametrize("source", [SCOPED, PLAIN], ids=["scoped", "plain"])
def test_npm_package(source: dict[str, Any], registry: Server, get: Get) -> None:
    raw = get(source)
    assert_only_good(raw)
    assert told(raw)["source"] == source["from"].partition("#")[0]
    assert registry.asked["/good/toy-1.0.tgz"] == 1


NPM_SAYS = {
    "echo": r"toy 1\.0\.0 is not offered by npm's registry",
    "echo undefined": r"toy 1\.0\.0 is not offered by npm's registry",
    "echo {}/good/gone.tgz": r"/good/gone\.tgz answers 404",
    "echo {}/flipped/toy-1.0.tgz": r"toy@1\.0\.0 has sha256",
    "echo {}/page/toy-1.0.tgz": r"toy@1\.0\.0 is an HTML page",
    "exec ./no-such-file": "is not offered by npm's registry",
}


@pytest.fixture
def npm(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name, still to be written."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    return tmp_path / "npm"


@pytest.mark.parametrize("says", NPM_SAYS)
def test_registry_in_trouble(says: str, npm: Path, server: Server, get: Get, raw: Path) -> None:
    npm.write_text(f"#!/bin/sh\n{says.format(server.url)}\n")
    npm.chmod(0o755)
    with pytest.raises(SourceError, match=NPM_SAYS[says]) as caught:
        get(PLAIN | {"megabytes": 1})
    assert "\n" not in str(caught.value)
    assert not raw.exists()


def test_without_npm(npm: Path, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(npm.parent))
    with pytest.raises(SourceError, match="npm, which knows its registry, does not answer"):
        get(PLAIN)


@pytest.mark.parametrize("nearer", ["environment", "named", "user", "old"])
def test_nearer_configuration_wins(nearer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pip's variables say, else its files: the one they name, the user's, in the new place or the old one."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    files = {"old": ".pip/pip.conf", "user": ".config/pip/pip.conf", "named": "elsewhere"}
    for name, place in files.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(f"[global]\nindex-url = https://{name}.example/%(x)s\n[list]\nformat = columns\n")
        if name == nearer:
            break
    if nearer in ("named", "environment"):
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "elsewhere"))
    if nearer == "environment":
        monkeypatch.setenv("PIP_INDEX_URL", "https://environment.example/%(x)s")
    assert packages.read_pip_settings()["index-url"] == f"https://{nearer}.example/%(x)s"


def test_a_configuration_that_is_none(index: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    (tmp_path / "pip.conf").write_text("index-url = x\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    with pytest.raises(SourceError, match=r"pip's configuration cannot be read") as caught:
        get(ANYWHERE)
    assert "\n" not in str(caught.value)


def test_credentials_stay_out_of_messages(index: Server, monkeypatch: pytest.MonkeyPatch, get: Get, raw: Path) -> None:
    address = index.url.replace("://", "://user:secret@")
    for place in ("nowhere", "truncated"):
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/{place}")
        with pytest.raises(SourceError, match="toy-data is not offered") as caught:
            get(INSIDE)
        assert not [part for part in ("secret", "\n") if part in str(caught.value)]
    index.pages["/good/simple/toy-data/"] = page_of(f"{address}/nowhere/x.tar.gz#sha256={sha(SDIST)}")
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/good/simple")
    with pytest.raises(SourceError, match=r"/nowhere/x\.tar\.gz answers 404") as caught:
        get(INSIDE)
    assert "secret" not in str(caught.value)
