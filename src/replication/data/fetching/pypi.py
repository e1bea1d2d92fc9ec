"""Taking one file of a Python package from the index that pip is configured with, without building anything."""

from __future__ import annotations

import functools
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import requests

from replication.data.fetching.download import NoAnswer, download, reason
from replication.data.fetching.patience import Patience
from unveil.errors import SourceError

_SETTING = re.compile(r"(?:global|download|install|:env:)\.(index-url|extra-index-url|cert|no-index)='(.*)'")

#: Where Debian keeps the wheels that it takes out of ensurepip.
WHEELS = Path("/usr/share/python-wheels")


@dataclass(frozen=True)
class Index:
    """Where pip looks for packages, and which certificates it trusts."""

    urls: tuple[str, ...]
    verify: bool | str = True


def take_file(project: str, version: str, sha256: str, target: Path, limit: int, patience: Patience) -> None:
    """Download the file of a project's release that has the given sha256 (or is its source archive)."""
    index = configured_index()
    failed: list[SourceError] = []
    for base in index.urls:
        page = f"{base.rstrip('/')}/{normalised(project)}/"
        try:
            chosen = choose(_links(page, index, patience), project, version, sha256)
            if chosen is not None:
                _fetch(urljoin(page, chosen), target, limit, patience, index.verify)
                return
        except SourceError as error:
            failed.append(error)
    raise next(iter(failed), SourceError(f"{project} {version} is not offered by the package index"))


def choose(links: list[str], project: str, version: str, sha256: str) -> str | None:
    """The link with our hash, else the source archive of our version."""
    by_hash = [link for link in links if urldefrag(link).fragment == f"sha256={sha256}"]
    stem = re.escape(version)
    named = re.compile(rf"([A-Za-z0-9._-]+)-{stem}\.(tar\.gz|zip)")
    by_name = []
    for link in links:
        match = named.fullmatch(unquote(urlsplit(link).path).rpartition("/")[2])
        if match and normalised(match[1]) == normalised(project):
            by_name.append(link)
    return next(iter(by_hash + by_name), None)


def normalised(project: str) -> str:
    """A project's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", project).lower()


@functools.cache
def configured_index() -> Index:
    """What pip's configuration says, files and environment alike; pip's own default where it says nothing."""
    pip = pip_command()
    settings: dict[str, str] = {}
    for line in _output([*pip, "config", "list"]).splitlines():
        match = _SETTING.fullmatch(line.strip())
        if match and (line.startswith(":env:") or match[1] not in settings):
            settings[match[1]] = match[2]
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        raise SourceError("pip is configured not to use any package index")
    first = settings.get("index-url") or _default_index(pip)
    return Index((first, *settings.get("extra-index-url", "").split()), settings.get("cert") or True)


def _default_index(pip: list[str]) -> str:
    """The address that pip itself states as its default."""
    match = re.search(
        r"\(default:?\s+(https?://\S+?)\)", " ".join(_output([*pip, "download", "--help"]).split())
    )
    if match is None:
        raise SourceError("pip does not say which package index it uses; set PIP_INDEX_URL")
    return match[1]


def pip_command() -> list[str]:
    """Some pip: this interpreter's, else one on the path, else the one Python carries for new environments."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            return [found]
    carried = importlib.util.find_spec("ensurepip")
    folders = [Path(carried.origin).parent / "_bundled"] if carried and carried.origin else []
    wheels = [wheel for folder in [*folders, WHEELS] for wheel in sorted(folder.glob("pip-*.whl"))]
    if wheels:
        return [sys.executable, str(wheels[-1] / "pip")]
    raise SourceError("there is no pip to ask for the package index; install pip")


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)  # noqa: S603 - fixed arguments
    except (OSError, subprocess.SubprocessError) as error:
        raise SourceError(f"pip cannot be asked for the package index ({type(error).__name__})") from error
    return done.stdout


def _links(page: str, index: Index, patience: Patience) -> list[str]:
    """The links of a project's page; none where this index does not know the project."""
    if page.startswith("file:"):
        listing = Path(unquote(urlsplit(page).path)) / "index.html"
        return _Anchors.of(listing.read_text(encoding="utf-8")) if listing.is_file() else []
    try:
        answer = requests.get(
            page,
            timeout=(patience.connect, patience.stall),
            headers={
                "Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5",
                "User-Agent": "unveil",
            },
            verify=index.verify,
        )
    except requests.exceptions.RequestException as error:
        raise NoAnswer(f"the package index does not answer ({reason(error)})") from error
    if answer.status_code == requests.codes.not_found:
        return []
    if answer.status_code != requests.codes.ok:
        raise SourceError(f"the package index answers {answer.status_code} {answer.reason}")
    if "json" in answer.headers.get("Content-Type", ""):
        return _json_links(answer.text)
    return _Anchors.of(answer.text)


def _json_links(text: str) -> list[str]:
    try:
        files = json.loads(text)["files"]
        return [f"{each['url']}#sha256={each.get('hashes', {}).get('sha256', '')}" for each in files]
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError("the package index answers something that is no list of files") from error


def _fetch(link: str, target: Path, limit: int, patience: Patience, verify: bool | str) -> None:
    url = urldefrag(link).url
    if not url.startswith("file:"):
        download(url, target, limit, patience, verify=verify)
        return
    try:
        shutil.copyfile(unquote(urlsplit(url).path), target)
    except FileNotFoundError as error:
        raise SourceError(f"the package index lists {Path(url).name} but does not have it") from error


class _Anchors(HTMLParser):
    """Collects the links of an index page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]

    @classmethod
    def of(cls, text: str) -> list[str]:
        parser = cls()
        parser.feed(text)
        return parser.links
