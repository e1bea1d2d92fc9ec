"""The local server, and sources files that point at it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from local_server import HURRIED, Get, Server, Write
from replication.data.fetching import transfer
from replication.data.fetching.fetch import fetch


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in HURRIED.items():
        monkeypatch.setattr(transfer, name, value)
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def write_sources(tmp_path: Path) -> Write:
    """Writes a sources file of one data set, `toy`, from its sources."""

    def write(*sources: dict[str, Any], **more: dict[str, Any]) -> Path:
        entry = {"title": "Toy", "licence": "none", "fields": {"x": "x"}}
        path = tmp_path / "sources.yaml"
        content = {"toy": entry | {"sources": list(sources)}}
        content |= {name: entry | {"sources": [each]} for name, each in more.items()}
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path

    return write


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Where `toy` lands."""
    return tmp_path / "raw" / "toy"


@pytest.fixture
def get(raw: Path, write_sources: Write) -> Get:
    """Fetches a data set, `toy` from its sources or one of `more`; the folder where it lands."""

    def run(
        *sources: dict[str, Any],
        name: str = "toy",
        mirror: Path | None = None,
        allow_stand_in: bool = False,
        **more: dict[str, Any],
    ) -> Path:
        path = write_sources(*sources, **more)
        fetch(name, path, raw.with_name(name), mirror, allow_stand_in=allow_stand_in)
        return raw.with_name(name)

    return run


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests say themselves which mirror there is, and reach the local server without a proxy."""
    for name in ("UNVEIL_MIRROR", "UNVEIL_WSJ", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
