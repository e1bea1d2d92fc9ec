"""Downloading one file: every wait has a limit, its size a bound, and one line says what went wrong."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
from urllib3.exceptions import HTTPError, SSLError

from replication.data.fetching.landing import tell
from replication.data.fetching.patience import Patience
from replication.data.fetching.unpacking import copy_file, damage_named, opener, require_size
from unveil.errors import SourceError

_CHUNK = 1 << 16
#: After so many seconds a person is told how far a long download is.
TELL_EVERY = 5.0


class NoAnswer(SourceError):  # noqa: N818 - says what happened
    """The host did not answer at all: no other file of it needs to be tried."""


@contextmanager
def answered(url: str, waits: tuple[float, float], method: str = "GET", **options: Any) -> Iterator[requests.Response]:
    """The answer to one question, its body still to come; `options` are those of `requests`."""
    with requests.Session() as session:
        session.headers["User-Agent"] = "unveil"
        # A file that is compressed on the server must arrive as it is: its hash is that of the compressed bytes.
        session.headers["Accept-Encoding"] = "identity"
        with session.request(method, url, stream=True, timeout=waits, **options) as response:
            yield response


def download(
    url: str, target: Path, limit: int, patience: Patience, *, lines: int | None = None, **options: Any
) -> None:
    """Write what `url` answers to `target`: all of it, or its first unpacked `lines`, then the connection closes."""
    if url.startswith("file:"):  # which an index of packages may have
        path = Path(unquote(urlsplit(url).path))
        copy_file(path / "index.html" if path.is_dir() else path, target, limit, path.name)
        return
    try:
        with answered(url, (patience.connect, patience.stall), **options) as response:
            if response.status_code != requests.codes.ok:
                place = host_of(url) + urlsplit(url).path
                raise SourceError(f"{place} answers {response.status_code} {response.reason}")
            chunks = _received(response, target.name, limit, patience)
            with target.open("wb") as file:
                file.writelines(chunks if lines is None else first_lines(chunks, lines, limit, target.name))
    except requests.exceptions.RequestException as error:
        raise NoAnswer(f"{host_of(url)} does not answer ({reason(error)})") from error


def _received(response: requests.Response, name: str, limit: int, patience: Patience) -> Iterator[bytes]:
    """The body in pieces as they come, unless it stalls, drips, drops, or is too long."""
    declared = response.headers.get("Content-Length", "")
    expected = int(declared) if declared.isdigit() else 0
    require_size(expected, limit, name)
    whole = f" of {expected / 1e6:.0f}" if expected else ""
    start = said = time.monotonic()
    size = 0
    while True:
        try:
            # Unlike a plain read it returns however little came, so a dripping server is noticed.
            chunk = bytes(response.raw.read1(_CHUNK, decode_content=False))
        except (HTTPError, OSError) as error:
            raise SourceError(f"{name} stopped coming after {size} bytes ({reason(error)})") from error
        if not chunk:
            return
        size += len(chunk)
        require_size(size, limit, name)
        now = time.monotonic()
        seconds = now - start
        if seconds > patience.ceiling or (seconds > patience.grace and size < patience.slowest * seconds):
            raise SourceError(f"{name} comes too slowly ({size} bytes in {seconds:.0f} s)")
        if now - said >= TELL_EVERY:
            said = now
            tell(f"{name}: {size / 1e6:.0f}{whole} MB")
        yield chunk


class _Stream(io.RawIOBase):
    """Chunks as a file that can be read once."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self.chunks, self.left = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while len(self.left) < len(buffer) and (chunk := next(self.chunks, b"")):
            self.left += chunk
        size = min(len(buffer), len(self.left))
        buffer[:size], self.left = self.left[:size], self.left[size:]
        return size


def first_lines(chunks: Iterator[bytes], lines: int, limit: int, name: str) -> Iterator[bytes]:
    """The first `lines` lines of compressed or plain chunks; nothing beyond them is asked for."""
    stream, size = io.BufferedReader(_Stream(chunks)), 0
    with damage_named(name):
        unpack = opener(stream.peek(6))
        file = unpack(stream) if unpack else stream
        for _ in range(lines):
            if not (line := file.readline(limit - size + 1)):
                return
            size += len(line)
            require_size(size, limit, name)
            yield line


def host_of(url: str) -> str:
    """scheme://host of an address, without anybody's credentials."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def reason(error: BaseException) -> str:
    """The innermost cause of a network error, in a few words."""
    seen: BaseException = error
    while (inner := seen.__cause__ or seen.__context__) is not None and not isinstance(seen, SSLError):
        seen = inner
    text = " ".join(str(seen).split()) or type(seen).__name__
    return text[:160]
