"""Packages: the index that pip is configured with, and npm, both replaced by local ones."""

from __future__ import annotations

import ensurepip
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local_server import GOOD, HURRIED, Get, Server, Write, assert_only_good, sha, told
from raw_files import tar_of, zip_of
from replication.data.fetching import registries
from replication.data.fetching.fetch import fetch
from unveil.errors import SourceError

CARRIED = Path(str(ensurepip.__file__)).parent / "_bundled"


SDIST = tar_of({"toy_data-1.2/setup.py": b"raise SystemExit('must not run')", "toy_data-1.2/inside/data.csv": GOOD})


def page_of(*addresses: str) -> bytes:
    """An index's page of a project."""
    links = [f"<a href='{address}'>{address.rpartition('/')[2].partition('#')[0]}</a>" for address in addresses]
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode()


def package(purl: str, content: bytes, **files: Any) -> dict[str, Any]:
    return {"grade": "full", "package": purl, "sha256": sha(content), "files": files or {"data.csv": {}}}


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


def test_local_index(index: Server, get: Get, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "index" / "toy-data"
    folder.mkdir(parents=True)
    (folder / "toy_data-1.2.tar.gz").write_bytes(SDIST)
    (folder / "index.html").write_bytes(page_of("toy_data-1.2.tar.gz"))
    monkeypatch.setenv("PIP_INDEX_URL", folder.parent.as_uri())
    assert_only_good(get(INSIDE))


def test_package_is_known_again(
    index: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are kept while the package is the same one, under a relative path too."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        fetch("toy", write_sources(INSIDE), Path("raw/toy"), patience=HURRIED)
    assert index.asked["/good/toy_data-1.2.tar.gz"] == 1
    other = tar_of({"toy_data-1.2/inside/data.csv": GOOD[::-1]})
    index.pages["/good/toy_data-1.2.tar.gz"] = other
    index.pages["/good/simple/toy-data/"] = page_of("/good/toy_data-1.2.tar.gz")
    fetch("toy", write_sources(INSIDE | {"sha256": sha(other)}), Path("raw/toy"), patience=HURRIED)
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


def test_default_index_is_pips_own(index: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing configured: what pip states in its help is what pip uses."""
    monkeypatch.delenv("PIP_INDEX_URL")
    found = registries.pip_indexes()[0][0]
    program = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    # Some environments are made without pip; the wheel that Python carries says the same.
    environment = {**os.environ, "PYTHONPATH": ":".join(map(str, CARRIED.glob("pip-*.whl")))}
    command = [sys.executable, "-c", program]
    stated = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert found == stated.strip()


def test_some_pip_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This interpreter's, else one on the path, else the wheel that Python carries, which really runs."""
    if importlib.util.find_spec("pip"):
        assert registries.pip_command() == [sys.executable, "-m", "pip"]
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
    (tmp_path / "pip3").write_text("#!/bin/sh\n")
    (tmp_path / "pip3").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert registries.pip_command() == [str(tmp_path / "pip3")]
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    if list(CARRIED.glob("pip-*.whl")):
        done = subprocess.run([*registries.pip_command(), "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("pip ")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(registries, "WHEELS", tmp_path / "empty")
    with pytest.raises(SourceError, match="there is no pip"):
        registries.pip_command()


def test_choose_prefers_the_hash() -> None:
    links = ["a-1.0-py3-none-any.whl#sha256=aa", "a-1.0.tar.gz#sha256=bb", "b_c-1.0.tar.gz", "a-1.0.post1.tar.gz"]
    assert registries.choose(links, "a", "1.0", "aa") == links[0]
    assert registries.choose(links, "a", "1.0", "cc") == links[1]
    assert registries.choose(links, "B.C", "1.0", "cc") == links[2]
    assert registries.choose(links, "a", "2.0", "cc") is None


def test_archive_inside_an_archive(index: Server, get: Get) -> None:
    inner = tar_of({"folder/data.csv": GOOD})
    outer = tar_of({"toy_data-1.2/more/inner.tar.gz": inner})
    index.pages["/good/toy_data-1.2.tar.gz"] = outer
    index.pages["/good/simple/toy-data/"] = page_of("/good/toy_data-1.2.tar.gz")
    files = {"data.csv": {"from": ["inner.tar.gz", "folder/data.csv"]}}
    assert_only_good(get(package("pkg:pypi/toy-data@1.2#more", outer, **files)))


def test_zip_from_an_address(server: Server, tmp_path: Path, get: Get) -> None:
    server.pages["/good/toy.zip"] = zip_of({"../../evil.txt": b"out of the folder", "data.csv": GOOD})
    files = {"data.csv": {"sha256": sha(GOOD)}}
    assert_only_good(get({"grade": "full", "url": f"{server.url}/good/toy.zip", "archive": True, "files": files}))
    assert not list(tmp_path.rglob("evil.txt"))


TARBALL = tar_of({"package/inside/data.csv": GOOD})
SCOPED = package("pkg:npm/%40scope/toy@1.0#inside", TARBALL)
PLAIN = package("pkg:npm/toy@1.0#inside", TARBALL)


def listing(address: str) -> bytes:
    """What a registry says of a package: one archive a version."""
    versions = {"1.0": {"dist": {"tarball": address}}, "0.9": {"dist": {"tarball": "/good/older.tgz"}}}
    return json.dumps({"name": "toy", "versions": versions}).encode()


@pytest.fixture
def registry(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """npm's configuration points at the local server, which knows one package; there is no npm."""
    server.pages["/good/npm/@scope%2Ftoy"] = server.pages["/good/npm/toy"] = listing(f"{server.url}/good/toy-1.0.tgz")
    server.pages["/good/toy-1.0.tgz"] = TARBALL
    for name in [name for name in os.environ if name.lower().startswith("npm_config_")]:
        monkeypatch.delenv(name)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("npm_config_globalconfig", str(tmp_path / "etc"))
    monkeypatch.setenv("npm_config_registry", f"{server.url}/good/npm/")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    return server


@pytest.mark.parametrize("source", [SCOPED, PLAIN], ids=["scoped", "plain"])
def test_npm_package(source: dict[str, Any], registry: Server, get: Get) -> None:
    raw = get(source)
    assert_only_good(raw)
    assert told(raw)["source"] == source["package"].partition("#")[0]
    assert registry.asked["/good/toy-1.0.tgz"] == 1


@pytest.mark.parametrize("place", ["project/.npmrc", ".npmrc", "elsewhere", "etc"])
def test_registry_of_npms_files(place: str, registry: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's file, the user's, one named in the environment, and the system's, where the others say nothing."""
    monkeypatch.delenv("npm_config_registry")
    monkeypatch.setenv("PLACE", "https://a.example")
    if place == "elsewhere":
        monkeypatch.setenv("NPM_CONFIG_USERCONFIG", str(tmp_path / "elsewhere"))
    (tmp_path / place).write_text(
        "; a comment\nprefix=/x\nregistry = ${PLACE}/npm/\n@scope:registry=https://b.example/\ncafile=/certificates\n"
    )
    assert registries.npm_registry("toy") == (("https://a.example/npm/",), "/certificates")
    assert registries.npm_registry("@scope/toy") == (("https://b.example/",), "/certificates")
    assert registries.npm_registry("@other/toy") == (("https://a.example/npm/",), "/certificates")


def test_nearer_configuration_wins(registry: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, place in (("etc", "c"), (".npmrc", "b"), ("project/.npmrc", "a")):
        (tmp_path / name).write_text(f"registry=https://{place}.example/")
    assert registries.npm_registry("toy") == ((f"{registry.url}/good/npm/",), True)
    for name, place in (("project/.npmrc", "a"), (".npmrc", "b"), ("etc", "c")):
        monkeypatch.delenv("npm_config_registry", raising=False)
        assert registries.npm_registry("toy") == ((f"https://{place}.example/",), True)
        (tmp_path / name).unlink()


def test_npm_says_its_own_registry(registry: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing configured: what an installed npm says; without npm there is one line."""
    monkeypatch.delenv("npm_config_registry")
    with pytest.raises(SourceError, match="no npm registry is configured, and there is no npm"):
        registries.npm_registry("toy")
    monkeypatch.setenv("PATH", str(tmp_path))
    npm = tmp_path / "npm"
    npm.write_text('#!/bin/sh\n[ "$*" = "config get registry" ] && echo https://own.example/\n')
    npm.chmod(0o755)
    assert registries.npm_registry("toy") == (("https://own.example/",), True)
    npm.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(SourceError, match="npm does not say where packages come from"):
        registries.npm_registry("toy")
    npm.write_text("#!/bin/sh\necho undefined\n")
    with pytest.raises(SourceError, match="no npm registry is configured"):
        registries.npm_registry("toy")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b'{"versions": {"2.0": {}}}', r"toy 1\.0 is not offered"),
        (b'{"versions": {"1.0": {}}}', "answers something that is no list of files"),
        (b'{"versions": ["1.0"]}', "answers something that is no list of files"),
        (b'{"half', "answers something that is no list of files"),
        (b"<html>Please try again later</html>", r"toy 1\.0 is not offered"),
        (listing("/good/gone.tgz"), r"/good/gone\.tgz answers 404"),
        (listing("/truncated/toy-1.0.tgz"), r"toy-1\.0 stopped coming after 3000 bytes"),
        (listing("/huge/toy-1.0.tgz"), r"toy-1\.0 is larger than the 1 MB"),
        (listing("/flipped/toy-1.0.tgz"), r"toy-1\.0 has sha256"),
        (listing("/page/toy-1.0.tgz"), r"toy-1\.0 is an HTML page"),
        (listing("/dripping/toy-1.0.tgz"), r"toy-1\.0 comes too slowly"),
    ],
)
def test_registry_in_trouble(page: bytes, message: str, registry: Server, get: Get, raw: Path) -> None:
    registry.pages |= {"/good/npm/toy": page}
    with pytest.raises(SourceError, match=message) as caught:
        get(PLAIN | {"megabytes": 1})
    assert "\n" not in str(caught.value)
    assert not raw.exists()


def test_registry_that_is_down_is_remembered(registry: Server, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    monkeypatch.setenv("npm_config_registry", f"{registry.url}/mute")
    for name in ("toy", "second"):
        with pytest.raises(SourceError, match="does not answer"):
            get(PLAIN, name=name, second=PLAIN)
    assert registry.asked["/mute/toy"] == 1


def test_credentials_stay_out_of_messages(
    registry: Server, monkeypatch: pytest.MonkeyPatch, get: Get, raw: Path
) -> None:
    address = registry.url.replace("://", "://user:secret@")
    monkeypatch.setenv("npm_config_registry", f"{address}/good/nowhere")
    with pytest.raises(SourceError, match="/good/nowhere/toy answers 404") as caught:
        get(PLAIN)
    assert not [part for part in ("secret", "\n") if part in str(caught.value)]
    assert not raw.exists()
    assert "secret" not in (raw.parent / ".network.json").read_text()


def test_index_in_json(index: Server, get: Get) -> None:
    wheel = zip_of({"inside/data.csv": GOOD})
    index.pages["/good/toy_data-1.2-py3-none-any.whl"] = wheel
    files = [
        {"url": "/good/toy_data-1.2.tar.gz", "hashes": {"sha256": sha(SDIST)}},
        {"url": "/good/toy_data-1.2-py3-none-any.whl", "hashes": {"sha256": sha(wheel)}},
    ]
    index.pages["/good/simple/toy-data/"] = json.dumps({"files": files, "versions": ["1.2"]}).encode()
    assert_only_good(get(package("pkg:pypi/toy-data@1.2#inside", wheel)))
    assert index.asked["/good/toy_data-1.2.tar.gz"] == 0
