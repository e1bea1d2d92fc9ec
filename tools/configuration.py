"""What the tools read of the project itself: its configuration, its words on each paper, its templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

TEMPLATES = Path(__file__).with_name("templates")


def shipped(root: Path) -> dict[str, Any]:
    """The configuration of the project at `root`: config.yaml with what it includes."""
    config: dict[str, Any] = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    config.setdefault("papers", {})
    for name in config["include"]:
        part = yaml.safe_load((root / "config" / f"{name}.yaml").read_text(encoding="utf-8"))
        config |= {**part, "papers": config["papers"] | part.get("papers", {})}
    return config


def read_texts() -> dict[str, dict[str, Any]]:
    """What each paper asks and what was done for it, in words that hold whatever came out."""
    texts: dict[str, dict[str, Any]] = yaml.safe_load((TEMPLATES / "texts.yaml").read_text(encoding="utf-8"))
    return texts


def load_templates() -> Environment:
    """Templates of pages, in HTML, reStructuredText and Typst; a name that they do not know is an error."""
    return Environment(
        autoescape=select_autoescape(["html"], default=False),
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
