"""Packages as plain files from the registries that pip and npm are configured with; neither client downloads."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from replication.data.fetching.download import Network
from replication.data.fetching.unpacking import read_bounded, require_source
from unveil.errors import SourceError

_PIP_SETTING = re.compile(r"(?:global|download|install|:env:)\.(index-url|extra-index-url|cert|no-index)='(.*)'")
_PIP_DEFAULT = re.compile(r"\(default:?\s+(https?://\S+?)\)")
_LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*["']([^"']+)""", re.IGNORECASE)
#: Where Debian keeps the wheels that it takes out of ensurepip.
WHEELS = Path("/usr/share/python-wheels")
#: What an index answers says more to people than to programs, unless less is asked for.
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.npm.install-v1+json, text/html;q=0.5, */*;q=0.1"


def take(kind: str, name: str, version: str, sha256: str, target: Path, limit: int, network: Network) -> None:
    """Download the archive of a package's version, for PyPI the file that has the given sha256."""
    if kind == "npm":
        indexes, verify = npm_registry(name)
        place = quote(name, safe="@")
    else:
        indexes, verify = pip_indexes()
        place = re.sub(r"[-_.]+", "-", name).lower() + "/"
    failed = [SourceError(f"{name} {version} is not offered by the package index")]
    for base in indexes:
        page = f"{base.rstrip('/')}/{place}"
        try:
            network.download(page, target, limit, verify=verify, headers={"Accept": _ACCEPT})
            found = links(read_bounded(target, limit).decode(errors="replace"), version)
            link = choose(found, name, version, sha256) if kind == "pypi" else next(iter(found), None)
            if link is not None:
                network.download(urldefrag(urljoin(page, link)).url, target, limit, verify=verify)
                return
        except ValueError as error:  # a SourceError, or an address that is none
            failed.append(SourceError(str(error)))
    raise failed[min(1, len(failed) - 1)]


def links(page: str, version: str) -> list[str]:
    """The files that an index lists, in HTML or JSON; of an npm package the one archive of the version."""
    if not page.lstrip().startswith("{"):
        return [html.unescape(link) for link in _LINK.findall(page)]
    try:
        listed = json.loads(page)
        if "versions" in listed and "files" not in listed:
            return [listed["versions"][version]["dist"]["tarball"]] if version in listed["versions"] else []
        return [f"{each['url']}#sha256={each.get('hashes', {}).get('sha256', '')}" for each in listed["files"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("the package index answers something that is no list of files") from error


def choose(found: Sequence[str], project: str, version: str, sha256: str) -> str | None:
    """The link with our hash, else the source archive of our version."""
    by_hash = [link for link in found if urldefrag(link).fragment == f"sha256={sha256}"]
    stem = "[-_.]+".join(map(re.escape, re.split(r"[-_.]+", project)))
    source = re.compile(rf"{stem}-{re.escape(version)}\.(tar\.gz|zip)", re.IGNORECASE)
    names = {link: unquote(urlsplit(link).path).rpartition("/")[2] for link in found}
    return next(iter(by_hash + [link for link in found if source.fullmatch(names[link])]), None)


@cache
def pip_indexes() -> tuple[tuple[str, ...], bool | str]:
    """The indexes that pip's configuration names, files and environment alike, or its default; and whom it trusts."""
    pip = pip_command()
    settings: dict[str, str] = {}
    for line in _output(*pip, "config", "list").splitlines():
        match = _PIP_SETTING.fullmatch(line.strip())
        if match and (line.startswith(":env:") or match[1] not in settings):
            settings[match[1]] = match[2]
    barred = settings.get("no-index", "").lower() in ("1", "true", "yes", "on")
    require_source(not barred, "pip is configured not to use any package index")
    if "index-url" not in settings:
        stated = _PIP_DEFAULT.search(" ".join(_output(*pip, "download", "--help").split()))
        settings["index-url"] = stated[1] if stated else ""
    first = settings["index-url"]
    require_source(first, "pip does not say which package index it uses; set PIP_INDEX_URL")
    return (first, *settings.get("extra-index-url", "").split()), settings.get("cert") or True


def pip_command() -> list[str]:
    """Some pip: this interpreter's, else one on the path, else the one Python carries for new environments."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if found := shutil.which("pip3") or shutil.which("pip"):
        return [found]
    carried = importlib.util.find_spec("ensurepip")
    folders = [Path(carried.origin).parent / "_bundled"] if carried and carried.origin else []
    wheels = [wheel for folder in [*folders, WHEELS] for wheel in sorted(folder.glob("pip-*.whl"))]
    require_source(wheels, "there is no pip to ask for the package index; install pip")
    return [sys.executable, str(wheels[-1] / "pip")]


def npm_registry(name: str) -> tuple[tuple[str, ...], bool | str]:
    """The registry that npm is configured with for a package, and whom it trusts."""
    scope = f"{name.partition('/')[0]}:registry" if name.startswith("@") else "registry"
    address = _npm_setting(scope) or _npm_setting("registry")
    if not address and (npm := shutil.which("npm")):
        address = _output(npm, "config", "get", "registry").strip()
    unset = "no npm registry is configured, and there is no npm to say its own (npm_config_registry)"
    require_source("://" in address, unset)
    return (address,), _npm_setting("cafile") or True


def _npm_setting(key: str) -> str:
    """What the environment says, else the first of npm's files: the project's, the user's, the system's."""
    environment = {name.lower(): value for name, value in os.environ.items()}
    if value := environment.get(f"npm_config_{key}"):
        return value
    user = environment.get("npm_config_userconfig") or "~/.npmrc"
    system = environment.get("npm_config_globalconfig") or "/etc/npmrc"
    for file in (".npmrc", user, system):
        with suppress(OSError, ValueError, RuntimeError):
            for line in Path(file).expanduser().read_text(encoding="utf-8").splitlines():
                name, _, value = line.partition("=")
                if name.strip() == key:
                    return os.path.expandvars(value.strip().strip("\"'"))
    return ""


def _output(*command: str) -> str:
    """What a client answers to a question about itself."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise SourceError(f"{Path(command[0]).name} does not say where packages come from ({error})") from error
