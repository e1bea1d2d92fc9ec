"""The configuration as it is shipped, for whoever reads it without Snakemake, and what is said of each paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

TEXTS = Path(__file__).with_name("report") / "texts.yaml"


def shipped(root: Path) -> dict[str, Any]:
    """The configuration of the project at `root`: config.yaml with what it includes."""
    config: dict[str, Any] = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    config.setdefault("papers", {})
    for name in config["include"]:
        part = yaml.safe_load((root / "config" / f"{name}.yaml").read_text(encoding="utf-8"))
        config |= {**part, "papers": config["papers"] | part.get("papers", {})}
    return config


def read_texts() -> dict[str, dict[str, str]]:
    """What each paper asks and what was done for it, in words that hold whatever came out."""
    texts: dict[str, dict[str, str]] = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return texts
