"""What a learner's code cannot read, whatever way it takes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from boundary_ways import BEGIN, END, KNOWN_GAPS, PAGE, WAYS, attempt, table
from unveil import confinement

kernel = pytest.mark.skipif(not confinement.landlock_version(), reason="this kernel has no Landlock")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Somebody who would answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


FOUND: dict[str, str] = {}


@kernel
@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_stopped(way: str, port: int) -> None:
    FOUND[way] = attempt(WAYS[way], port=port)
    assert FOUND[way] != "gets through"


@pytest.mark.parametrize("way", KNOWN_GAPS)
def test_what_is_known_to_get_through(way: str) -> None:
    FOUND[way] = attempt(KNOWN_GAPS[way], kernel=bool(confinement.landlock_version()))
    assert FOUND[way] == "gets through"


@kernel
def test_the_page_says_what_was_found() -> None:
    """Run `python tests/support/boundary_ways.py` to write it anew."""
    shown = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip().splitlines()
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in shown[2:]}
    assert list(rows) == [*WAYS, *KNOWN_GAPS]
    for way, became in FOUND.items():  # under xdist each process knows its own
        assert rows[way] == table({way: became}).splitlines()[-1]


@pytest.mark.parametrize("way", ["opens the file", "reads a hard link that lies about", "lets `cat` read it"])
def test_python_is_watched_without_the_kernel(way: str) -> None:
    assert attempt(WAYS[way], kernel=False) == "stopped by the watch"


def test_the_attempts_can_succeed() -> None:
    """A way that reads a file which is not private does read it: the others do not fail for another reason."""
    assert attempt(f"got = open('data/prepared/toy/public.csv').read() + {'the-label-' + 'is-one'!r}") == "gets through"
