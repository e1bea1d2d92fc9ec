"""Where the replication uses each public name of the library: by reading its imports, not by running it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import unveil
from replication.engine.plan import extending
from tools.configuration import shipped

PREFIX = "replication.papers"


def modules(root: Path) -> dict[str, ast.Module]:
    """All modules of the papers, parsed."""
    source = root / "src"
    files = sorted((source / "replication" / "papers").rglob("*.py"))
    names = (".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__") for file in files)
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in zip(names, files, strict=True)}


def imports(tree: ast.Module) -> set[str]:
    """Everything that a module imports from, as `module.name`."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
    return {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}


def closure(module: str, known: Mapping[str, set[str]]) -> set[str]:
    """What a module of the papers imports, through other modules of the papers too."""
    seen, waiting = set[str](), [module]
    while waiting:
        for name in known[waiting.pop()] - seen:
            seen.add(name)
            # What is imported is a module itself, or stands in one.
            waiting += [part for part in (name, name.rpartition(".")[0]) if part in known and part not in seen]
            seen |= {part for part in (name, name.rpartition(".")[0]) if part in known}
    return seen


def uses(root: Path, figures: Iterable[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """The figures behind every public name, and ("<paper>", "guarantees") where its guarantee is told."""
    blocks = shipped(root)["papers"]
    known = {name: imports(tree) for name, tree in modules(root).items()}
    homes = {f"unveil.{home}.{name}": name for name, home in unveil._HOME.items()}
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    papers = dict.fromkeys(paper for paper, _ in figures)
    for place in [*figures, *((paper, "guarantees") for paper in papers)]:
        paper, figure = place
        folders = extending(blocks[paper]["figures"], figure) if place in figures else [figure]
        own = tuple(f"{PREFIX}.{paper}.{folder}." for folder in folders)
        reached = {name for module in known if f"{module}.".startswith(own) for name in closure(module, known)}
        for name in sorted(homes[full] for full in reached & homes.keys()):
            found[name].append(place)
    return found
