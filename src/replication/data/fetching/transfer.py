"""Bringing one file from a folder or an address: every wait has a limit, every size a bound."""

from __future__ import annotations

import gzip
import os
import re
import signal
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import HTTPError

from replication.data.compressed import name_damage, read_pieces, require_size, require_source
from unveil.errors import SourceError

#: Seconds to connect, and for the next bytes of an answer.
WAIT = (4.0, 10.0)
#: So often a transfer is looked at; after the grace time it must have brought so many bytes a second.
LOOK_EVERY, GRACE, SLOWEST = 5.0, 15.0, 5_000
#: A file that is compressed on the server must arrive as it is: its hash is that of the compressed bytes.
_HEADERS = {"User-Agent": "unveil", "Accept-Encoding": "identity"}


def tell(message: str) -> None:
    """Say one thing to the person who is watching (or reading the log)."""
    print(message, file=sys.stderr, flush=True)  # noqa: T201 - the person's line


def download(url: str, target: Path, limit: int, first: int | None = None, verify: bool | str = True) -> None:
    """Write what `url` answers to `target`: all of it, or the `first` lines of a gzip file, then the line is cut."""
    options: dict[str, Any] = {"hooks": {"response": _refuse_downgrade}, "headers": _HEADERS, "verify": verify}
    trouble = f"{host_of(url)} does not answer"
    try:
        with _watch(target), requests.get(url, stream=True, timeout=WAIT, **options) as answer:
            told = f"{host_of(url)}{urlsplit(url).path} answers {answer.status_code} {answer.reason}"
            require_source(answer.status_code == requests.codes.ok, make_printable(told))
            trouble = f"{target.name} stopped coming"
            with name_damage(target.name), target.open("wb") as file:
                if first:
                    with gzip.open(answer.raw) as text:
                        file.writelines(islice(read_pieces(text.readline, limit, target.name), first))
                else:
                    declared = answer.headers.get("Content-Length", "")
                    require_size(int(declared) if declared.isdecimal() else 0, limit, target.name)
                    file.writelines(read_pieces(answer.raw.read, limit, target.name))
    except (requests.RequestException, HTTPError) as error:
        raise SourceError(f"{trouble} ({_find_cause(error)})") from error


def _refuse_downgrade(answer: requests.Response, **_: Any) -> None:
    target = answer.headers.get("Location", "") if answer.is_redirect else ""
    lost = answer.url.startswith("https:") and target.startswith("http:")
    require_source(not lost, f"{host_of(answer.url)} redirects from https to http")


@contextmanager
def _watch(target: Path) -> Iterator[None]:
    """Interrupt what stalls or drips, be it in the headers of an answer, and tell how far a long download is."""
    start = time.monotonic()

    def look(*_: Any) -> None:
        seconds = time.monotonic() - start
        size = target.stat().st_size if target.exists() else 0
        slow = seconds > GRACE and size < SLOWEST * seconds
        require_source(not slow, f"{target.name} comes too slowly ({size} bytes in {seconds:.0f} s)")
        tell(f"{target.name}: {size / 1e6:.0f} MB")

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_EVERY, LOOK_EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def copy_file(path: Path, target: Path, limit: int, name: str) -> None:
    """Copy a file that should be there; trouble with reading is the source's, trouble with writing is ours."""
    try:
        # Without waiting: a pipe that nobody writes to would be waited for until it is opened.
        content = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise SourceError(f"{name}: {error.strerror}") from error
    with content, target.open("wb") as file:
        require_source(stat.S_ISREG(os.fstat(content.fileno()).st_mode), f"{name} is no regular file")
        file.writelines(read_pieces(content.read, limit, name))


def host_of(url: str) -> str:
    """scheme://host of an address, without anybody's credentials."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def make_printable(text: str) -> str:
    """What somebody else said, on one line: it may hold credentials, or what moves a terminal's cursor."""
    said = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in " ".join(text.split()))
    return re.sub(r"//[^/@ ]*@", "//", said)[:200]


def _find_cause(error: BaseException) -> str:
    """The innermost cause of a network error, in a few words."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return make_printable(str(error)) or type(error).__name__
