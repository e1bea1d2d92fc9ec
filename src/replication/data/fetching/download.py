"""Downloading one file: every wait has a limit, its size a bound, and one line says what went wrong."""

from __future__ import annotations

import bz2
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import requests
from urllib3.exceptions import HTTPError, SSLError

from replication.data.fetching.landing import tell
from replication.data.fetching.patience import Patience
from replication.data.fetching.unpacking import damage_named, require_size
from unveil.errors import SourceError

_CHUNK = 1 << 16


class NoAnswer(SourceError):  # noqa: N818 - says what happened
    """The host did not answer at all: no other file of it needs to be tried."""


class Decompressor(Protocol):
    """What zlib's and bz2's decompressors have in common."""

    @property
    def unused_data(self) -> bytes:
        """What came after the end of the compressed stream."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    def decompress(self, data: bytes, /) -> bytes:
        """What these bytes unpack to, as far as can be told yet."""


def download(
    url: str,
    target: Path,
    limit: int,
    patience: Patience,
    *,
    lines: int | None = None,
    verify: bool | str = True,
) -> None:
    """Write what `url` answers to `target`: all of it, or its first unpacked `lines`, then the connection closes."""
    try:
        with _opened(url, patience, verify) as response:
            chunks = _received(response, target.name, limit, patience)
            with target.open("wb") as file:
                for chunk in chunks if lines is None else first_lines(chunks, lines, limit, target.name):
                    file.write(chunk)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _opened(url: str, patience: Patience, verify: bool | str) -> requests.Response:
    """The answer to a request for `url`, its body still to come."""
    try:
        response = requests.get(
            url,
            stream=True,
            timeout=(patience.connect, patience.stall),
            # A file that is compressed on the server must arrive as it is: its hash is that of the compressed bytes.
            headers={"Accept-Encoding": "identity", "User-Agent": "unveil"},
            verify=verify,
        )
    except requests.exceptions.RequestException as error:
        raise NoAnswer(f"{host_of(url)} does not answer ({reason(error)})") from error
    if response.status_code != requests.codes.ok:
        response.close()
        raise SourceError(f"{url} answers {response.status_code} {response.reason}")
    return response


def _received(response: requests.Response, name: str, limit: int, patience: Patience) -> Iterator[bytes]:
    """The body in pieces as they come, unless it stalls, drips, drops, or is too long."""
    declared = response.headers.get("Content-Length", "")
    expected = int(declared) if declared.isdigit() else None
    require_size(expected or 0, limit, name)
    progress = _Progress(name, expected)
    start, size = time.monotonic(), 0
    while chunk := _next_chunk(response, name, size):
        size += len(chunk)
        require_size(size, limit, name)
        seconds = time.monotonic() - start
        if seconds > patience.ceiling or (seconds > patience.grace and size < patience.slowest * seconds):
            raise SourceError(f"{name} comes too slowly ({size} bytes in {seconds:.0f} s)")
        progress.at(size)
        yield chunk
    if expected is not None and size < expected:
        raise SourceError(f"{name} was cut off after {size} of {expected} bytes")


def _next_chunk(response: requests.Response, name: str, size: int) -> bytes:
    """What one wait brings: unlike a plain read it returns however little came, so a dripping server is noticed."""
    try:
        return bytes(response.raw.read1(_CHUNK, decode_content=False))
    except (HTTPError, OSError) as error:
        raise SourceError(f"{name} stopped coming after {size} bytes ({reason(error)})") from error


def first_lines(chunks: Iterator[bytes], lines: int, limit: int, name: str) -> Iterator[bytes]:
    """The first `lines` lines of compressed or plain chunks; nothing beyond them is asked for."""
    left, size = lines, 0
    for chunk in _decompressed(chunks, name):
        size += len(chunk)
        require_size(size, limit, name)
        found = chunk.count(b"\n")
        if found < left:
            left -= found
            yield chunk
            continue
        end = -1
        for _ in range(left):
            end = chunk.index(b"\n", end + 1)
        yield chunk[: end + 1]
        return


def _decompressed(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Chunks unpacked if the first bytes are those of gzip or bzip2; several members may follow one another."""
    first = b""
    while len(first) < 2 and (more := next(chunks, b"")):
        first += more
    kinds: dict[bytes, Callable[[], Decompressor]] = {
        b"\x1f\x8b": lambda: zlib.decompressobj(31),
        b"BZ": bz2.BZ2Decompressor,
    }
    fresh = kinds.get(first[:2])
    if fresh is None:
        yield first
        yield from chunks
        return
    unpacker = fresh()
    with damage_named(name):
        chunk = first
        while chunk:
            yield unpacker.decompress(chunk)
            if unpacker.eof:
                chunk, unpacker = unpacker.unused_data, fresh()
                if chunk:
                    continue
            chunk = next(chunks, b"")


class _Progress:
    """Tells a person how far a long download is, every few seconds."""

    def __init__(self, name: str, expected: int | None, every: float = 5.0) -> None:
        self.name, self.every = name, every
        self.whole = "" if expected is None else f" of {expected / 1e6:.0f}"
        self.said = time.monotonic()

    def at(self, size: int) -> None:
        if time.monotonic() - self.said >= self.every:
            self.said = time.monotonic()
            tell(f"{self.name}: {size / 1e6:.0f}{self.whole} MB")


def host_of(url: str) -> str:
    """scheme://host of an address, without anybody's credentials."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}"


def reason(error: BaseException) -> str:
    """The innermost cause of a network error, in a few words."""
    seen: BaseException = error
    while (inner := seen.__cause__ or seen.__context__) is not None and not isinstance(seen, SSLError):
        seen = inner
    text = " ".join(str(seen).split()) or type(seen).__name__
    return text[:160]
