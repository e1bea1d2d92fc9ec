"""Servers that misbehave: the next source is used, nothing bad lands, and the message says what happened."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import requests

from local_server import GOOD, PACKED, SYNTHETIC, Get, Server, assert_only_good, sha, told
from replication.data.fetching import transfer
from unveil.errors import SourceError

STRUCTURE = {"lines": 1000, "counts": {",": 1000}, "contains": ["31,961"]}


def by_hash(address: str, **more: Any) -> dict[str, Any]:
    return {"grade": "full", "from": address, "files": {"data.csv": {"sha256": sha(GOOD)}}} | more


def by_structure(address: str) -> dict[str, Any]:
    return {"grade": "full", "from": address, "files": {"data.csv": dict(STRUCTURE)}}


MISBEHAVIOUR = {
    "truncated": r"data\.csv stopped coming \(.*3000 bytes",
    "short": r"data\.csv has (sha256|\d+ lines instead)",
    "dropped": r"data\.csv stopped coming \(.*100 bytes",
    "flipped": r"data\.csv (has sha256|lacks a known row|does not have)",
    "page": r"data\.csv is an HTML page",
    "stalled": r"data\.csv stopped coming \(timed out",
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


def test_a_person_vouches_for_a_pin(server: Server, get: Get, raw: Path) -> None:
    """Data is unverified until its hash stands in the sources file; then another file is refused at once."""
    source = by_structure(f"{server.url}/good")
    provenance = told(get(source))
    assert provenance["grade"] == "full, unverified"
    source["files"]["data.csv"]["sha256"] = provenance["files"]["data.csv"]
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
    assert "comes too slowly (0 bytes" in told(raw)["tried"][0]
    assert time.monotonic() - started < 4, "the server goes on for eight seconds"


@pytest.mark.parametrize(("there", "target", "refused"), [
    ("https://a.example/x", "http://b.example/x", True),
    ("https://a.example/x", "https://b.example/x", False),
    ("http://a.example/x", "http://b.example/x", False),
])  # fmt: skip
def test_redirects_keep_encryption(there: str, target: str, refused: bool) -> None:
    answer = requests.Response()
    answer.status_code, answer.url, answer.headers["location"] = 302, there, target
    told = r"https://a\.example redirects from https to http"
    with pytest.raises(SourceError, match=told) if refused else nullcontext():
        transfer._refuse_downgrade(answer)


def test_compressed_file_is_kept_as_it_came(server: Server, get: Get) -> None:
    files = {"data.csv": {"from": "data.csv.gz"} | STRUCTURE}
    raw = get({"grade": "full", "from": f"{server.url}/good", "files": files})
    assert (raw / "data.csv").read_bytes() == PACKED


def test_long_file_is_cut_and_the_connection_closed(server: Server, get: Get) -> None:
    cut = {"from": "long.gz", "first": 12345, "lines": 12345}
    source = {"grade": "subset", "from": f"{server.url}/stream", "files": {"data.csv": cut}}
    content = (get(source) / "data.csv").read_bytes()
    assert content.count(b"\n") == 12345
    assert content.splitlines()[-1].startswith(b"12344,")
    time.sleep(0.2)
    assert server.finished["/stream/long.gz"] < 6_000_000, "the server could send on long after the cut"


def test_a_stream_that_ends_before_the_cut(server: Server, get: Get) -> None:
    cut = {"from": "data.csv.gz", "first": 5000, "lines": 5000}
    with pytest.raises(SourceError, match="1000 lines instead of 5000"):
        get({"grade": "subset", "from": f"{server.url}/good", "files": {"data.csv": cut}})


def test_proxies_are_respected(server: Server, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    """A host that only the proxy can reach: a direct question would have said that it is dead."""
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "")
    beyond = "http://beyond.invalid/good"
    server.pages[f"{beyond}/data.csv"] = GOOD
    assert_only_good(get(by_hash(beyond)))
    assert server.asked[f"{beyond}/data.csv"] == 1


def test_long_downloads_tell_how_far_they_are(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, get: Get
) -> None:
    monkeypatch.setattr(transfer, "GRACE", 60.0)
    get(by_hash(f"{server.url}/dripping"), by_hash(f"{server.url}/good"))
    assert "data.csv: 0 MB" in capsys.readouterr().err.splitlines()
