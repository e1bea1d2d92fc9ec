"""Downloading files: every wait has a limit, every size a bound, and one line says what went wrong.

Which hosts answer is asked once, of all at the same time, and remembered, so that a dead network costs seconds.
"""

from __future__ import annotations

import fcntl
import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
from urllib3.exceptions import HTTPError, SSLError

from replication.data.fetching.landing import read_json, tell, write_json
from replication.data.fetching.unpacking import (
    copy_file,
    damage_named,
    opened,
    require_kind,
    require_size,
    require_source,
)
from unveil.errors import SourceError

_CHUNK = 1 << 16
#: After so many seconds a person is told how far a long download is.
TELL_EVERY = 5.0
#: What a proxy answers for a host that it cannot reach itself.
_PROXY_TROUBLE = (407, 502, 503, 504)


@dataclass(frozen=True)
class Patience:
    """Limits in seconds, and the slowest transfer that is borne, in bytes a second."""

    #: For each host's answer to the first question; all are asked at once.
    probe: float = 7.0
    #: To connect, and for the next bytes of a transfer.
    connect: float = 4.0
    stall: float = 10.0
    #: For one answer's headers as a whole, all redirects included: a server may send them byte by byte.
    headers: float = 30.0
    #: For one file as a whole; its average speed counts after the grace time.
    ceiling: float = 3600.0
    slowest: float = 2000.0
    grace: float = 15.0
    #: How long a verdict about a host holds.
    memory: float = 900.0


@dataclass(frozen=True)
class Network:
    """The hosts that the data may come from, and what is known about them.

    `state` is a small file that all fetching processes share; `addresses` holds one for each host that any
    data set names, so that one round of questions serves every job.
    """

    state: Path
    addresses: tuple[str, ...]
    patience: Patience

    def download(self, url: str, target: Path, limit: int, *, lines: int | None = None, **options: Any) -> None:
        """Write what `url` answers to `target`: all of it, or its first unpacked `lines`, then the connection closes.

        A host that is known not to answer is not asked; one that proves dead is noted for the other jobs.
        """
        if url.startswith("file:"):  # which an index of packages may have
            path = Path(unquote(urlsplit(url).path))
            copy_file(path / "index.html" if path.is_dir() else path, target, limit, path.name)
            return
        host, patience = host_of(url), self.patience
        self._require(host, url)
        try:
            with answered(url, patience, **options) as response:
                answer = f"{response.status_code} {response.reason}"
                good = response.status_code == requests.codes.ok
                require_source(good, f"{host}{urlsplit(url).path} answers {answer}")
                chunks = _received(response, target.name, limit, patience)
                source = unquote(urlsplit(url).path).rpartition("/")[2]
                with target.open("wb") as file:
                    file.writelines(chunks if lines is None else first_lines(chunks, lines, limit, source))
        except requests.exceptions.RequestException as error:
            # What was heard from the others is forgotten: if it was the network that died, the next question
            # finds that out about all of them at once.
            verdict = _verdict(host, reason(error))
            with self._locked():
                dead = {name: entry for name, entry in self._known().items() if entry.get("trouble")}
                write_json(self.state, dead | {host: verdict})
            raise SourceError(verdict["trouble"]) from error

    def _require(self, host: str, url: str) -> None:
        """Raise where the host does not answer; find out about all hosts where nothing is known."""
        with self._locked():
            known = self._known()
            if host not in known:
                hosts = {host_of(each): each for each in (url, *self.addresses)}
                known |= self._ask({name: each for name, each in hosts.items() if name not in known})
                write_json(self.state, known)
        trouble = known[host].get("trouble")
        require_source(not trouble, str(trouble))

    def _known(self) -> dict[str, dict[str, Any]]:
        """The verdicts that are still fresh."""
        now, lifetime = time.time(), self.patience.memory
        entries = {host: entry for host, entry in read_json(self.state).items() if isinstance(entry, dict)}
        return {host: e for host, e in entries.items() if 0 <= now - float(e.get("when", 0)) < lifetime}

    def _ask(self, hosts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """One question to every host at once; whoever has not answered in time counts as dead.

        The threads are left alone after that: looking up a name cannot be interrupted.
        """
        wait = self.patience.probe
        heard = {host: _verdict(host, f"nothing heard in {wait + 1:.0f} s") for host in hosts}

        def ask(host: str, url: str) -> None:
            heard[host] = _verdict(host, _trouble(url, self.patience))

        threads = [threading.Thread(target=ask, args=each, daemon=True) for each in hosts.items()]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + wait + 1
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return dict(heard)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Only one process asks; the others wait for its verdicts."""
        self.state.parent.mkdir(parents=True, exist_ok=True)
        with self.state.with_suffix(".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class _Session(requests.Session):
    """Follows no redirect that would give up encryption."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Where an answer sends us."""
        target = super().get_redirect_target(resp)
        lost = target is not None and urlsplit(resp.url).scheme == "https" and urlsplit(target).scheme == "http"
        require_source(not lost, f"{host_of(resp.url)} redirects from https to http")
        return target


@contextmanager
def answered(url: str, patience: Patience, method: str = "GET", **options: Any) -> Iterator[requests.Response]:
    """The answer to one question, its body still to come; `options` are those of `requests`."""
    with _Session() as session:
        # A file that is compressed on the server must arrive as it is: its hash is that of the compressed bytes.
        session.headers.update({"User-Agent": "unveil", "Accept-Encoding": "identity"})
        waits: dict[str, Any] = {"timeout": (patience.connect, patience.stall)}
        ask = partial(session.request, method, url, stream=True, **(waits | options))
        with _within(patience.headers, ask, f"{host_of(url)} is too slow to begin its answer") as response:
            yield response


def _within(seconds: float, call: Callable[[], requests.Response], trouble: str) -> requests.Response:
    """What `call` returns, if it does so in time; a call that does not is left alone, it cannot be interrupted."""
    heard: list[requests.Response | BaseException] = []

    def run() -> None:
        try:
            heard.append(call())
        except BaseException as error:
            heard.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    require_source(heard, f"{trouble} ({seconds:g} s)")
    if isinstance(heard[0], BaseException):
        raise heard[0]
    return heard[0]


def _trouble(url: str, patience: Patience) -> str:
    """Any answer will do, even a refusal: it shows that somebody is there. Proxies are respected."""
    try:
        with answered(url, patience, "HEAD", allow_redirects=False, timeout=patience.probe) as answer:
            proxied = requests.utils.get_environ_proxies(url) and answer.status_code in _PROXY_TROUBLE
            return f"the proxy says {answer.status_code}" if proxied else ""
    except requests.exceptions.SSLError:
        return ""  # it answered; whether it can be trusted shows when the file is asked for
    except (requests.exceptions.RequestException, OSError) as error:
        return reason(error)


def _verdict(host: str, said: str) -> dict[str, Any]:
    """What is noted of a host: that it answers, or what it was that did not."""
    return {"trouble": said and f"{host} does not answer ({said})", "when": time.time()}


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
        slow = seconds > patience.ceiling or (seconds > patience.grace and size < patience.slowest * seconds)
        require_source(not slow, f"{name} comes too slowly ({size} bytes in {seconds:.0f} s)")
        if now - said >= TELL_EVERY:
            said = now
            tell(f"{name}: {size / 1e6:.0f}{whole} MB")
        yield chunk


class _Stream(io.RawIOBase):
    """Chunks as a file that can be read once."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.content = chain.from_iterable(chunks)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = bytes(islice(self.content, len(buffer)))
        buffer[: len(found)] = found
        return len(found)


def first_lines(chunks: Iterator[bytes], lines: int, limit: int, name: str) -> Iterator[bytes]:
    """The first `lines` lines of chunks that are packed as `name` says; nothing beyond them is asked for."""
    stream, size = io.BufferedReader(_Stream(chunks)), 0
    with damage_named(name):
        kind = require_kind(stream.peek(6), name, name)
        file = opened(stream, kind) if kind else stream
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
    # A server's words may hold what moves a terminal's cursor.
    said = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in " ".join(str(seen).split()))
    return (said or type(seen).__name__)[:160]
