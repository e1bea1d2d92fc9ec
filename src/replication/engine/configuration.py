"""The frame of the configuration; what stands under a figure's `settings` is the figure's own business."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

import yaml

from replication.settings import Count, Reads, Several, Whole, settings


@settings
class Folders:
    """Where a run writes."""

    results: Annotated[str, Several]
    figures: Annotated[str, Several]
    logs: Annotated[str, Several]


@settings
class Strand:
    """What every arm may say of itself, whatever its stage."""

    reads: Reads = field(default_factory=dict)
    peeks: Reads = field(default_factory=dict)
    releases: tuple[str, ...] | None = None
    trials: Count | None = None
    chunk: Count | None = None


@settings
class Block:
    """A figure in the configuration; what it sets is checked against the figure's own record."""

    trials: Whole
    chunk: Count | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    release: dict[str, dict[str, Any]] = field(default_factory=dict)
    learn: dict[str, dict[str, Any]] = field(default_factory=dict)
    score: dict[str, Any] = field(default_factory=dict)


@settings
class Paper:
    """A paper in the configuration."""

    public: Reads
    figures: dict[str, Block]


@settings
class Configuration:
    """All of it."""

    seed: Whole
    chunk_factor: Count = 1
    mirror: str | None
    wsj: str | None
    folders: Folders
    include: tuple[str, ...]
    guarantees: dict[str, Any] | None = None
    papers: dict[str, Paper]


def shipped(root: Path) -> dict[str, Any]:
    """The configuration of the project at `root`: config.yaml with the papers that it includes."""
    config: dict[str, Any] = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    config.setdefault("papers", {})
    for paper in config["include"]:
        text = (root / "config" / f"{paper}.yaml").read_text(encoding="utf-8")
        config["papers"] |= yaml.safe_load(text)["papers"]
    return config
