"""Servers that misbehave: the next source is used, nothing bad lands, and the message says what happened."""

from __future__ import annotations

import json
import re
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import requests

from local_server import GOOD, HURRIED, PACKED, PAGE, SYNTHETIC, Get, Server, Write, assert_only_good, python, sha, told
from replication.data.fetching import download
from unveil.errors import SourceError

STRUCTURE = {"lines": 1000, "columns": 2, "contains": ["31,961"]}


def by_hash(address: str, **more: Any) -> dict[str, Any]:
    return {"grade": "full", "url": address, "files": {"data.csv": {"sha256": sha(GOOD)}}} | more


def by_structure(address: str) -> dict[str, Any]:
    return {"grade": "full", "url": address, "files": {"data.csv": {"pin": True, "expect": STRUCTURE}}}


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
    "circling": r"does not answer \(Exceeded 30 redirects",
    "inward": r"does not answer \(No connection adapters were found for 'file:",
    "garbled": r"does not answer \(\\x1b\[2J",
    "negative": r"data\.csv has (sha256|\d+ lines instead)",
    "swollen": r"does not answer \(got more than 65536 bytes",
    "inflated": r"data\.csv (has sha256|is gzip compressed, and its name says that it is not)",
}


# One flipped digit shows in a hash only.
CASES = [
    (kind, how) for kind in MISBEHAVIOUR for how in (by_hash, by_structure) if (kind, how) != ("flipped", by_structure)
]


@pytest.mark.parametrize(("kind", "verified"), CASES)
def test_next_source_is_used(kind: str, verified: Callable[[str], dict[str, Any]], server: Server, get: Get) -> None:
    bad = verified(f"{server.url}/{kind}") | {"megabytes": 1}
    # Another name for the same machine: a host that fell silent is not asked for anything else.
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    raw = get(bad, by_hash(f"{elsewhere}/good"))
    assert_only_good(raw)
    provenance = told(raw)
    assert len(provenance["tried"]) == 1
    assert re.search(MISBEHAVIOUR[kind], provenance["tried"][0]), provenance["tried"]
    assert provenance["source"] == f"{elsewhere}/good"
    assert (provenance["files"], provenance["sha256"]) == ({"data.csv": sha(GOOD)}, sha(GOOD))


def test_mirrors_of_one_source_are_tried_in_turn(server: Server, get: Get, raw: Path) -> None:
    addresses = [f"{server.url}/{kind}" for kind in ("nowhere", "page", "good")]
    get(by_hash("") | {"url": addresses})
    assert_only_good(raw)
    assert told(raw)["source"] == addresses[-1]


def test_every_source_bad_and_no_stand_in(server: Server, get: Get, raw: Path) -> None:
    with pytest.raises(SourceError, match=r"toy: no source answered.*404.*HTML page") as caught:
        get(by_hash(f"{server.url}/nowhere"), by_hash(f"{server.url}/page"))
    assert "\n" not in str(caught.value)
    assert not raw.exists()
    assert not list((raw.parent / ".staging").iterdir())


@pytest.mark.parametrize("verified", [by_hash, by_structure])
def test_what_is_there_is_not_fetched_again(
    verified: Callable[[str], dict[str, Any]], server: Server, get: Get, raw: Path
) -> None:
    """The provenance was lost, the network is down: the files are known, so they are kept."""
    sources = (verified(f"{server.url}/good"), SYNTHETIC)
    get(*sources)
    (raw / "provenance.json").unlink()
    server.pages.clear()
    get(*sources)
    assert_only_good(raw)
    provenance = told(raw)
    grade = "full" if verified is by_hash else "full, unverified"
    assert [provenance[name] for name in ("grade", "source", "tried")] == [grade, f"{server.url}/good", []]
    assert server.asked["/good/data.csv"] == 1


def test_what_is_there_but_wrong_is_replaced(server: Server, get: Get, raw: Path) -> None:
    get(by_hash(f"{server.url}/good"))
    (raw / "data.csv").write_bytes(GOOD[:-1])
    assert_only_good(get(by_hash(f"{server.url}/good")))


def test_what_is_there_stays_when_nothing_comes(server: Server, get: Get, raw: Path) -> None:
    get(by_hash(f"{server.url}/good"))
    files = {"data.csv": {"sha256": sha(b"other")}}
    with pytest.raises(SourceError):
        get(by_hash(f"{server.url}/good", files=files))
    assert_only_good(raw)


def test_stand_in_of_last_resort_is_loud(
    server: Server, capsys: pytest.CaptureFixture[str], get: Get, raw: Path
) -> None:
    get(by_hash(f"{server.url}/nowhere"), SYNTHETIC)
    provenance = told(raw)
    assert [provenance[name] for name in ("grade", "source", "files")] == ["stand-in", "synthetic", {}]
    said = capsys.readouterr().err
    assert "WARNING: toy" in said
    assert "SYNTHETIC STAND-IN" in said
    assert "404" in said


def test_files_of_an_earlier_source_do_not_stay(server: Server, get: Get, raw: Path) -> None:
    get(by_hash(f"{server.url}/good"))
    get(SYNTHETIC)
    assert {path.name for path in raw.iterdir()} == {"provenance.json"}


def test_pinned_on_first_use(server: Server, get: Get, raw: Path) -> None:
    """Still right in structure, but not what was seen first: that stops the run, unless a worse grade is allowed."""
    sources = (by_structure(f"{server.url}/good"), SYNTHETIC)
    assert_only_good(get(*sources))
    shutil.rmtree(raw)
    server.pages["/good/data.csv"] = GOOD.replace(b"5,25\n", b"5,26\n", 1)
    with pytest.raises(SourceError, match="is not the file that was pinned on first use") as caught:
        get(*sources)
    assert "\n" not in str(caught.value)
    assert "to go on with a stand-in in place of the full data, run with --config allow_stand_in=true" in str(
        caught.value
    )
    assert str(raw.parent / ".pins" / "toy.json") in str(caught.value)
    assert not raw.exists()
    get(*sources, allow_stand_in=True)
    assert told(raw)["source"] == "synthetic"


def test_another_file_than_its_hash_stops_the_run(server: Server, get: Get, raw: Path) -> None:
    """Another source of the same grade may have the right one; a stand-in never takes its place in silence."""
    altered = by_hash(f"{server.url}/flipped")
    with pytest.raises(SourceError, match=r"data\.csv has sha256 .* instead of"):
        get(altered, SYNTHETIC)
    assert not raw.exists()
    assert_only_good(get(altered, by_hash(f"{server.url}/good"), SYNTHETIC))


def test_a_person_vouches_for_a_pin(server: Server, get: Get, raw: Path, tmp_path: Path) -> None:
    """Data is unverified until its hash stands in the committed file; then another file is refused at once."""
    source = by_structure(f"{server.url}/good")
    assert told(get(source))["grade"] == "full, unverified"
    (tmp_path / "pins.yaml").write_text(f"# by hand\ntoy: {{data.csv: {sha(GOOD)}}}\n")
    assert told(get(source))["grade"] == "full"
    shutil.rmtree(raw.parent)
    server.pages["/good/data.csv"] = GOOD.replace(b"5,25\n", b"5,26\n", 1)
    with pytest.raises(SourceError, match=r"data\.csv has sha256"):
        get(source, SYNTHETIC)


def test_headers_that_never_end(server: Server, get: Get) -> None:
    """Each byte comes in time, the answer does not."""
    started = time.monotonic()
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    raw = get(by_hash(f"{server.url}/creeping"), by_hash(f"{elsewhere}/good"))
    assert "is too slow to begin its answer" in told(raw)["tried"][0]
    assert time.monotonic() - started < 4, "the server goes on for eight seconds"


@pytest.mark.parametrize(("there", "target", "refused"), [
    ("https://a.example/x", "http://b.example/x", True),
    ("https://a.example/x", "https://b.example/x", False),
    ("http://a.example/x", "http://b.example/x", False),
])  # fmt: skip
def test_redirects_keep_encryption(there: str, target: str, refused: bool) -> None:
    answer = requests.Response()
    answer.status_code, answer.url, answer.headers["location"] = 302, there, target
    with download._Session() as session:
        if refused:
            with pytest.raises(SourceError, match=r"https://a\.example redirects from https to http"):
                session.get_redirect_target(answer)
        else:
            assert session.get_redirect_target(answer) == target


def test_compressed_file_is_kept_as_it_came(server: Server, get: Get) -> None:
    files = {"data.csv": {"from": "data.csv.gz", "pin": True, "expect": STRUCTURE}}
    raw = get({"grade": "full", "url": f"{server.url}/good", "files": files})
    assert (raw / "data.csv").read_bytes() == PACKED


def test_long_file_is_cut_and_the_connection_closed(server: Server, get: Get) -> None:
    cut = {"from": "long.gz", "lines": 12345, "pin": True, "expect": {"lines": 12345, "columns": 2}}
    source = {"grade": "subset", "url": f"{server.url}/stream", "files": {"data.csv": cut}}
    content = (get(source) / "data.csv").read_bytes()
    assert content.count(b"\n") == 12345
    assert content.splitlines()[-1].startswith(b"12344,")
    time.sleep(0.2)
    assert server.finished["/stream/long.gz"] < 6_000_000, "the server could send on long after the cut"


def test_a_stream_that_ends_before_the_cut(server: Server, get: Get) -> None:
    cut = {"from": "data.csv.gz", "lines": 5000, "pin": True, "expect": {"lines": 5000}}
    with pytest.raises(SourceError, match="1000 lines instead of 5000"):
        get({"grade": "subset", "url": f"{server.url}/good", "files": {"data.csv": cut}})


def test_dead_network_is_noticed_once_and_remembered(get: Get) -> None:
    """Eight hosts that accept a connection and never say a word, five data sets: one short wait in all."""
    with ExitStack() as open_hosts:
        silent = [open_hosts.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(8)]
        entry = by_hash("") | {"url": [f"http://127.0.0.1:{each.getsockname()[1]}" for each in silent]}
        more = {f"other{number}": entry for number in range(4)}
        start = time.monotonic()
        for name in ["toy", *more]:
            with pytest.raises(SourceError, match="does not answer"):
                get(entry, name=name, **more)
        assert time.monotonic() - start < 3 * HURRIED.probe + 1


def test_a_host_that_died_is_not_asked_again(server: Server, get: Get) -> None:
    """It answers the first question, then nothing: the wait is paid by one data set only."""
    entry = by_hash(f"{server.url}/mute")
    for name in ("toy", "second", "third"):
        with pytest.raises(SourceError, match="does not answer"):
            get(entry, name=name, second=entry, third=entry)
    assert server.asked["/mute/data.csv"] == 1


@pytest.mark.parametrize("damaged", [False, True])
def test_an_old_or_damaged_memory_is_no_obstacle(damaged: bool, server: Server, get: Get, raw: Path) -> None:
    stale = {server.url: {"trouble": "was down", "when": time.time() - 2 * HURRIED.memory}}
    raw.parent.mkdir()
    (raw.parent / ".network.json").write_text("{ half" if damaged else json.dumps(stale))
    assert_only_good(get(by_hash(f"{server.url}/good")))


def test_proxies_are_respected(server: Server, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    """A host that only the proxy can reach: a direct question would have said that it is dead."""
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "")
    beyond = "http://beyond.invalid/good"
    server.pages[f"{beyond}/data.csv"] = GOOD
    assert_only_good(get(by_hash(beyond)))
    assert server.asked[f"{beyond}/data.csv"] == 1


def test_html_page_with_the_right_length_is_refused(server: Server, get: Get) -> None:
    server.pages["/good/data.csv"] = PAGE.ljust(len(GOOD))
    with pytest.raises(SourceError, match="HTML page"):
        get(by_hash(f"{server.url}/good"))


@pytest.mark.slow
def test_parallel_jobs_ask_once(server: Server, write_sources: Write, tmp_path: Path) -> None:
    """Four processes at the same time: one question, and all of them get their file."""
    entry = by_hash(f"{server.url}/good")
    sources = write_sources(entry, second=entry, third=entry, fourth=entry)
    folders = [tmp_path / "raw" / name for name in ("toy", "second", "third", "fourth")]
    program = (
        "import sys; from pathlib import Path; from replication.data.fetching.fetch import fetch; "
        "fetch(sys.argv[1], *map(Path, sys.argv[2:]))"
    )
    with ExitStack() as open_processes:
        running = [open_processes.enter_context(python(program, each.name, sources, each)) for each in folders]
        assert [each.wait(60) for each in running] == [0] * 4
    for folder in folders:
        assert_only_good(folder)
    assert server.asked["HEAD /good"] == 1
    assert server.asked["/good/data.csv"] == 4


def test_long_downloads_tell_how_far_they_are(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, get: Get
) -> None:
    long = GOOD * 400
    server.pages["/good/data.csv"] = long
    entry = by_hash(f"{server.url}/good", files={"data.csv": {"sha256": sha(long)}})
    get(entry, name="second", second=entry)
    assert " MB" not in capsys.readouterr().err
    monkeypatch.setattr(download, "TELL_EVERY", 0.0)
    get(entry)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "data.csv: 0 of 4 MB"
    assert said[-2] == "data.csv: 4 of 4 MB"
