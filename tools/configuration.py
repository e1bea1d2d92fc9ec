"""The configuration as it is shipped, for whoever reads it without Snakemake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def shipped(root: Path) -> dict[str, Any]:
    """The configuration of the project at `root`: config.yaml with what it includes."""
    config: dict[str, Any] = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    config.setdefault("papers", {})
    for name in config["include"]:
        part = yaml.safe_load((root / "config" / f"{name}.yaml").read_text(encoding="utf-8"))
        config |= {**part, "papers": config["papers"] | part.get("papers", {})}
    return config
