"""Servers that misbehave: the next source is used, nothing bad lands, and the message says what happened."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unveil
from local_server import GOOD, HURRIED, PACKED, PAGE, Server, sha
from replication.data.fetching import download
from replication.data.fetching.fetch import fetch
from unveil.errors import SourceError

Write = Callable[..., Path]
STRUCTURE = {"lines": 1000, "columns": 2, "contains": ["31,961"]}


def by_hash(address: str, **more: Any) -> dict[str, Any]:
    return {"grade": "full", "url": address, "files": {"data.csv": {"sha256": sha(GOOD)}}} | more


def by_structure(address: str) -> dict[str, Any]:
    return {"grade": "full", "url": address, "files": {"data.csv": {"pin": True, "expect": STRUCTURE}}}


def provenance(raw: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((raw / "provenance.json").read_text())
    return content


def assert_only_good(raw: Path) -> None:
    """The raw folder holds the right file and its provenance, and no half of anything is left anywhere."""
    assert {path.name for path in raw.iterdir()} == {"data.csv", "provenance.json"}
    assert (raw / "data.csv").read_bytes() == GOOD
    assert not list((raw.parent / ".staging").iterdir())


MISBEHAVIOUR = {
    "truncated": r"data\.csv (was cut off after 3000 of|stopped coming after 3000 bytes)",
    "short": r"data\.csv has (sha256|\d+ lines instead)",
    "dropped": r"data\.csv stopped coming after 100 bytes",
    "flipped": r"data\.csv (has sha256|lacks a known row|does not have)",
    "page": r"data\.csv is an HTML page",
    "stalled": r"data\.csv stopped coming after 2000 bytes",
    "dripping": r"data\.csv comes too slowly",
    "mute": r"does not answer",
    "huge": r"data\.csv is larger than the 1 MB",
    "boasting": r"data\.csv is larger than the 1 MB",
    "nowhere": r"answers 404",
}


# One flipped digit shows in a hash only.
CASES = [
    (kind, how) for kind in MISBEHAVIOUR for how in (by_hash, by_structure) if (kind, how) != ("flipped", by_structure)
]


@pytest.mark.parametrize(("kind", "verified"), CASES)
def test_next_source_is_used(
    kind: str, verified: Callable[[str], dict[str, Any]], server: Server, write_sources: Write, tmp_path: Path
) -> None:
    bad = verified(f"{server.url}/{kind}") | {"megabytes": 1}
    raw = tmp_path / "raw" / "toy"
    # Another name for the same machine: a host that fell silent is not asked for anything else.
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    fetch("toy", write_sources(bad, by_hash(f"{elsewhere}/good")), raw, patience=HURRIED)
    assert_only_good(raw)
    told = provenance(raw)
    assert len(told["tried"]) == 1
    assert re.search(MISBEHAVIOUR[kind], told["tried"][0]), told["tried"]
    assert told["source"] == f"{elsewhere}/good"
    assert told["files"] == {"data.csv": sha(GOOD)}
    assert told["sha256"] == sha(GOOD)


def test_mirrors_of_one_source_are_tried_in_turn(server: Server, write_sources: Write, tmp_path: Path) -> None:
    addresses = [f"{server.url}/{kind}" for kind in ("nowhere", "page", "good")]
    raw = tmp_path / "raw" / "toy"
    fetch("toy", write_sources(by_hash("") | {"url": addresses}), raw, patience=HURRIED)
    assert_only_good(raw)
    assert provenance(raw)["source"] == addresses[-1]


def test_every_source_bad_and_no_stand_in(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    sources = write_sources(by_hash(f"{server.url}/nowhere"), by_hash(f"{server.url}/page"))
    with pytest.raises(SourceError, match=r"toy: no source answered.*404.*HTML page") as caught:
        fetch("toy", sources, raw, patience=HURRIED)
    assert "\n" not in str(caught.value)
    assert not raw.exists()
    assert not list((tmp_path / "raw" / ".staging").iterdir())


@pytest.mark.parametrize("verified", [by_hash, by_structure])
def test_what_is_there_is_not_fetched_again(
    verified: Callable[[str], dict[str, Any]], server: Server, write_sources: Write, tmp_path: Path
) -> None:
    """The provenance was lost, the network is down: the files are known, so they are kept."""
    raw = tmp_path / "raw" / "toy"
    sources = write_sources(verified(f"{server.url}/good"), {"grade": "stand-in", "synthetic": True})
    fetch("toy", sources, raw, patience=HURRIED)
    (raw / "provenance.json").unlink()
    server.pages.clear()
    fetch("toy", sources, raw, patience=HURRIED)
    assert_only_good(raw)
    told = provenance(raw)
    assert (told["grade"], told["source"], told["tried"]) == ("full", f"{server.url}/good", [])
    assert server.asked["/good/data.csv"] == 1


def test_what_is_there_but_wrong_is_replaced(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    sources = write_sources(by_hash(f"{server.url}/good"))
    fetch("toy", sources, raw, patience=HURRIED)
    (raw / "data.csv").write_bytes(GOOD[:-1])
    fetch("toy", sources, raw, patience=HURRIED)
    assert_only_good(raw)


def test_what_is_there_stays_when_nothing_comes(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    fetch("toy", write_sources(by_hash(f"{server.url}/good")), raw, patience=HURRIED)
    files = {"data.csv": {"sha256": sha(b"other")}}
    with pytest.raises(SourceError):
        fetch("toy", write_sources(by_hash(f"{server.url}/good", files=files)), raw, patience=HURRIED)
    assert_only_good(raw)


def test_stand_in_of_last_resort_is_loud(
    server: Server, write_sources: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "raw" / "toy"
    synthetic = {"grade": "stand-in", "synthetic": True}
    fetch("toy", write_sources(by_hash(f"{server.url}/nowhere"), synthetic), raw, patience=HURRIED)
    told = provenance(raw)
    assert (told["grade"], told["source"], told["files"]) == ("stand-in", "synthetic", {})
    said = capsys.readouterr().err
    assert "WARNING: toy" in said
    assert "SYNTHETIC STAND-IN" in said
    assert "404" in said


def test_files_of_an_earlier_source_do_not_stay(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    fetch("toy", write_sources(by_hash(f"{server.url}/good")), raw, patience=HURRIED)
    fetch("toy", write_sources({"grade": "stand-in", "synthetic": True}), raw, patience=HURRIED)
    assert {path.name for path in raw.iterdir()} == {"provenance.json"}


def test_pinned_on_first_use(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    sources = write_sources(by_structure(f"{server.url}/good"), {"grade": "stand-in", "synthetic": True})
    fetch("toy", sources, raw, patience=HURRIED)
    assert_only_good(raw)
    # Still right in structure, but not what was seen first.
    shutil.rmtree(raw)
    server.pages["/good/data.csv"] = GOOD.replace(b"5,25\n", b"5,26\n", 1)
    fetch("toy", sources, raw, patience=HURRIED)
    told = provenance(raw)
    assert told["source"] == "synthetic"
    assert "is not the file that was pinned on first use" in told["tried"][0]
    assert str(raw.parent / ".pins" / "toy.json") in told["tried"][0]


def test_compressed_file_is_kept_as_it_came(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    files = {"data.csv": {"from": "data.csv.gz", "pin": True, "expect": STRUCTURE}}
    fetch("toy", write_sources({"grade": "full", "url": f"{server.url}/good", "files": files}), raw, patience=HURRIED)
    assert (raw / "data.csv").read_bytes() == PACKED


def test_long_file_is_cut_and_the_connection_closed(server: Server, write_sources: Write, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "toy"
    cut = {"from": "long.gz", "lines": 12345, "pin": True, "expect": {"lines": 12345, "columns": 2}}
    source = {"grade": "subset", "url": f"{server.url}/stream", "files": {"data.csv": cut}}
    fetch("toy", write_sources(source), raw, patience=HURRIED)
    content = (raw / "data.csv").read_bytes()
    assert content.count(b"\n") == 12345
    assert content.splitlines()[-1].startswith(b"12344,")
    time.sleep(0.2)
    assert server.finished["/stream/long.gz"] < 6_000_000, "the server could send on long after the cut"


def test_a_stream_that_ends_before_the_cut(server: Server, write_sources: Write, tmp_path: Path) -> None:
    cut = {"from": "data.csv.gz", "lines": 5000, "pin": True, "expect": {"lines": 5000}}
    sources = write_sources({"grade": "subset", "url": f"{server.url}/good", "files": {"data.csv": cut}})
    with pytest.raises(SourceError, match="1000 lines instead of 5000"):
        fetch("toy", sources, tmp_path / "raw" / "toy", patience=HURRIED)


def silent_hosts(count: int) -> list[socket.socket]:
    """Hosts that accept a connection and never say a word."""
    return [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]


def test_dead_network_is_noticed_once_and_remembered(write_sources: Write, tmp_path: Path) -> None:
    """Eight hosts that never answer, five data sets that need them: one short wait in all."""
    silent = silent_hosts(8)
    try:
        addresses = [f"http://127.0.0.1:{each.getsockname()[1]}" for each in silent]
        names = [f"other{number}" for number in range(4)]
        more = {name: by_hash("") | {"url": addresses} for name in names}
        sources = write_sources(by_hash("") | {"url": addresses}, **more)
        start = time.monotonic()
        for name in ["toy", *names]:
            with pytest.raises(SourceError, match="does not answer"):
                fetch(name, sources, tmp_path / "raw" / name, patience=HURRIED)
        assert time.monotonic() - start < 3 * HURRIED.probe + 1
    finally:
        for each in silent:
            each.close()


def test_a_host_that_died_is_not_asked_again(server: Server, write_sources: Write, tmp_path: Path) -> None:
    """It answers the first question, then nothing: the wait is paid by one data set only."""
    entry = by_hash(f"{server.url}/mute")
    sources = write_sources(entry, second=entry, third=entry)
    for name in ("toy", "second", "third"):
        with pytest.raises(SourceError, match="does not answer"):
            fetch(name, sources, tmp_path / "raw" / name, patience=HURRIED)
    assert server.asked["/mute/data.csv"] == 1


def test_verdicts_do_not_hold_forever(server: Server, write_sources: Write, tmp_path: Path) -> None:
    state = tmp_path / "raw" / ".network.json"
    state.parent.mkdir()
    stale = {server.url: {"trouble": "was down", "when": time.time() - 2 * HURRIED.memory}}
    state.write_text(json.dumps(stale))
    fetch("toy", write_sources(by_hash(f"{server.url}/good")), tmp_path / "raw" / "toy", patience=HURRIED)
    assert_only_good(tmp_path / "raw" / "toy")


def test_a_damaged_memory_is_no_obstacle(server: Server, write_sources: Write, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / ".network.json").write_text("{ half")
    fetch("toy", write_sources(by_hash(f"{server.url}/good")), tmp_path / "raw" / "toy", patience=HURRIED)
    assert_only_good(tmp_path / "raw" / "toy")


def test_proxies_are_respected(
    server: Server, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that only the proxy can reach: a direct question would have said that it is dead."""
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "")
    beyond = "http://beyond.invalid/good"
    server.pages[f"{beyond}/data.csv"] = GOOD
    fetch("toy", write_sources(by_hash(beyond)), tmp_path / "raw" / "toy", patience=HURRIED)
    assert_only_good(tmp_path / "raw" / "toy")
    assert server.asked[f"{beyond}/data.csv"] == 1


def test_html_page_with_the_right_length_is_refused(server: Server, write_sources: Write, tmp_path: Path) -> None:
    server.pages["/good/data.csv"] = PAGE.ljust(len(GOOD))
    with pytest.raises(SourceError, match="HTML page"):
        fetch("toy", write_sources(by_hash(f"{server.url}/good")), tmp_path / "raw" / "toy", patience=HURRIED)


@pytest.mark.slow
def test_parallel_jobs_ask_once(server: Server, write_sources: Write, tmp_path: Path) -> None:
    """Four processes at the same time: one question, and all of them get their file."""
    entry = by_hash(f"{server.url}/good")
    names = ["toy", "second", "third", "fourth"]
    sources = write_sources(entry, second=entry, third=entry, fourth=entry)
    program = (
        "import sys; from pathlib import Path; from replication.data.fetching.fetch import fetch; "
        "fetch(sys.argv[1], *map(Path, sys.argv[2:]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(unveil.__file__).parents[1])}
    command = [sys.executable, "-c", program]
    running = [
        subprocess.Popen([*command, name, str(sources), str(tmp_path / "raw" / name)], env=environment)
        for name in names
    ]
    assert [each.wait(60) for each in running] == [0] * 4
    for name in names:
        assert_only_good(tmp_path / "raw" / name)
    assert server.asked["HEAD /good"] == 1
    assert server.asked["/good/data.csv"] == 4


def test_long_downloads_tell_how_far_they_are(
    server: Server,
    write_sources: Write,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = GOOD * 400
    server.pages["/good/data.csv"] = long
    entry = by_hash(f"{server.url}/good", files={"data.csv": {"sha256": sha(long)}})
    sources = write_sources(entry, second=entry)
    fetch("second", sources, tmp_path / "raw" / "second", patience=HURRIED)
    assert " MB" not in capsys.readouterr().err
    monkeypatch.setattr(download, "TELL_EVERY", 0.0)
    fetch("toy", sources, tmp_path / "raw" / "toy", patience=HURRIED)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "data.csv: 0 of 4 MB"
    assert said[-2] == "data.csv: 4 of 4 MB"
