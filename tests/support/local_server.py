"""A local server that behaves like the servers one meets."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import unveil

Write = Callable[..., Path]
Get = Callable[..., Path]

GOOD = b"".join(b"%d,%d\n" % (row, row * row) for row in range(1000))
PAGE = b"<!DOCTYPE html><html><body>Please try again later</body></html>"
PACKED = gzip.compress(GOOD, mtime=0)
#: What is sent, and its length as declared: where that is honest only the hash or the structure can tell.
WRONG: dict[str, tuple[bytes, int | None]] = {
    "truncated": (GOOD[:3000], len(GOOD)),
    "short": (GOOD[:3000], None),
    "flipped": (GOOD[:500] + bytes([GOOD[500] ^ 1]) + GOOD[501:], None),
    "page": (PAGE, None),
    "negative": (GOOD[:500], -500),
    "boasting": (GOOD, 10**15),
}
SYNTHETIC = {"grade": "stand-in", "from": "synthetic"}

#: Short waits, so that the tests are quick; the limits are the same ones that a real run has.
HURRIED = {"WAIT": (0.5, 0.4), "LOOK_EVERY": 0.1, "GRACE": 0.6}


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def told(raw: Path) -> dict[str, Any]:
    """The provenance of a folder."""
    content: dict[str, Any] = json.loads((raw / "provenance.json").read_text())
    return content


def assert_only_good(raw: Path) -> None:
    """The raw folder holds the right file and its provenance, and no half of anything is left anywhere."""
    assert {path.name for path in raw.iterdir()} == {"data.csv", "provenance.json"}
    assert (raw / "data.csv").read_bytes() == GOOD
    assert not list((raw.parent / ".staging").iterdir())


def python(program: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of its own that knows the library."""
    environment = {**os.environ, "PYTHONPATH": str(Path(unveil.__file__).parents[1])}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


class Server(ThreadingHTTPServer):
    """Serves `pages`, counts the requests, and misbehaves under the paths that say so."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, bytes] = {"/good/data.csv": GOOD, "/good/data.csv.gz": PACKED}
        self.asked: Counter[str] = Counter()
        self.finished: dict[str, int] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """Clients that hang up are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        kind = self.path.split("/")[1]
        if kind in WRONG:
            self.send(*WRONG[kind])
        else:
            getattr(self, f"answer_{kind}", self.answer_good)()

    def send(self, content: bytes, declared: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if declared is None else declared))
        self.end_headers()
        self.wfile.write(content)

    def answer_good(self) -> None:
        if self.path in self.server.pages:
            self.send(self.server.pages[self.path])
        else:
            self.send_error(404, "Not Found")

    def answer_dropped(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"800\r\n" + GOOD[:100])
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def answer_stalled(self) -> None:
        self.send(GOOD[:2000], declared=len(GOOD))
        self.wfile.flush()
        time.sleep(1.5)

    def answer_dripping(self) -> None:
        self.send(b"", declared=len(GOOD))
        for at in range(0, 300, 10):
            self.wfile.write(GOOD[at : at + 10])
            self.wfile.flush()
            time.sleep(0.05)

    def answer_creeping(self) -> None:
        """Headers without end, a few bytes at a time."""
        self.send_response(200)
        self.flush_headers()
        for n in range(80):
            self.wfile.write(b"X-%d: y\r\n" % n)
            self.wfile.flush()
            time.sleep(0.1)

    def redirect(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer_circling(self) -> None:
        self.redirect(self.path)

    def answer_inward(self) -> None:
        """To a file of the client's own machine."""
        self.redirect(Path(__file__).as_uri())

    def answer_garbled(self) -> None:
        """A line that would clear a terminal."""
        self.wfile.write(b"\x1b[2J" + bytes(range(256)) * 8)

    def answer_swollen(self) -> None:
        """One header of two megabytes."""
        self.send_response(200)
        self.send_header("X-Long", "x" * 2_000_000)
        self.send(GOOD)

    def answer_inflated(self) -> None:
        """Five megabytes that travel as five kilobytes."""
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(gzip.compress(bytes(5_000_000), mtime=0))

    def answer_mute(self) -> None:
        time.sleep(1.5)

    def answer_huge(self) -> None:
        """Never declares a length and never ends by itself (but after a bound, for the machine's sake)."""
        self.send_response(200)
        self.end_headers()
        sent = 0
        for _ in range(2000):
            self.wfile.write(GOOD)
            sent += len(GOOD)
            self.server.finished[self.path] = sent

    def answer_stream(self) -> None:
        """A long gzip file whose lines are asked for one after the other; how much was wanted is kept."""
        packer = zlib.compressobj(1, wbits=31)
        self.send_response(200)
        self.end_headers()
        sent = 0
        for block in range(4000):
            lines = b"".join(
                b"%d,%d\n" % (row, hash((row, 7)) % 10**9) for row in range(block * 500, block * 500 + 500)
            )
            piece = packer.compress(lines) + packer.flush(2)
            self.wfile.write(piece)
            sent += len(piece)
            self.server.finished[self.path] = sent
