"""Which code stands behind each figure, and where the replication uses each public name: read, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import unveil
from replication.engine.code import ROOT, closure, module_file
from replication.engine.plan import extending, stage_file
from tools.configuration import shipped

STAGES = ("release", "learn", "score", "draw")
#: Stands among a paper's figures where its guarantees rest on a name.
GUARANTEES = "guarantees"
#: Code of the replication that may use the library on a figure's behalf.
OURS = ("replication.papers.", "replication.common.")


_papers = cache(lambda: shipped(ROOT)["papers"])


def figure_code(paper: str, figure: str) -> list[Path]:
    """The files of a figure's stages, its own or those of a figure that it extends, below the project's root."""
    folders = extending(_papers()[paper]["figures"], figure)
    files = (stage_file(paper, folders, f"{stage}.py") for stage in STAGES)
    return [file.relative_to(ROOT) for file in files if file.is_file()]


@cache
def read_imports(module: str) -> frozenset[str]:
    """Everything that a module imports from, as `module.name`."""
    file = module_file(module)
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if file else ()
    found = (node for node in nodes if isinstance(node, ast.ImportFrom))
    return frozenset(f"{node.module}.{alias.name}" for node in found for alias in node.names)


def find_uses(figures: Iterable[tuple[str, str]]) -> dict[str, dict[str, list[str]]]:
    """By public name and paper the figures that rest on it, directly or through other modules of the papers."""
    homes = {f"unveil.{home}.{name}": name for name, home in unveil._HOME.items()}
    behind = {place: [".".join(file.with_suffix("").parts[1:]) for file in figure_code(*place)] for place in figures}
    told = {(paper, GUARANTEES): [f"replication.papers.{paper}.guarantees"] for paper, _ in behind}
    found: dict[str, dict[str, list[str]]] = {}
    for (paper, figure), modules in (behind | told).items():
        reached = {name for module in modules if module_file(module) for name in closure(module)}
        names = {name for module in reached if module.startswith(OURS) for name in read_imports(module)}
        for name in sorted(homes[full] for full in names & homes.keys()):
            found.setdefault(name, {}).setdefault(paper, []).append(figure)
    return found
