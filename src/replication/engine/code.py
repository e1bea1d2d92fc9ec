"""Which code a job runs, as one hash: what changes a result changes it, and nothing else does.

Snakemake does not look inside imported packages. So every job carries a hash of the *import closure* of its stage's
module, read off the source without comments, docstrings and layout, and of the locked versions of the packages that
this code imports. The pipeline itself moves data and computes none: a new version of what it writes is a new `FORMAT`.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[3]
PAPERS = ROOT / "src" / "replication" / "papers"
SCRIPTS = ROOT / "workflow" / "scripts"

#: The version of every file that passes between jobs; another one makes everything anew.
FORMAT = 2

_distributions = cache(metadata.packages_distributions)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_OURS = ("unveil", "replication", "tools")
#: Moves data, and computes none.
_ENGINE = "replication.engine"


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*_OURS, include_external_packages=True, cache_dir=None)


@cache
def closure(module: str) -> frozenset[str]:
    """A module, and all it imports, directly or not, lazily or not: ours by module, others by package."""
    return frozenset({module}) | _graph().find_upstream_modules(module)


def module_file(name: str) -> Path | None:
    """The file of a module of ours, or None where there is none."""
    path = ROOT.joinpath("src" if name.partition(".")[0] != "tools" else "", *name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def essence(file: Path) -> bytes:
    """A digest of a file's code without comments, docstrings and layout."""
    tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body[0] = ast.Pass()
    return hashlib.sha256(ast.unparse(tree).encode()).digest()


@cache
def _locked() -> dict[str, str]:
    """The locked version of every package, by the lock's name for it."""
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9.-]+)==([^\s;\\]+)", lock, re.MULTILINE))


def _versions(packages: Iterable[str]) -> list[str]:
    """`numpy==2.4.6` and so on, for those of `packages` that the lock knows."""
    names = {
        re.sub(r"[-_.]+", "-", distribution).lower()
        for package in packages
        for distribution in _distributions().get(package, [])
    }
    return sorted(f"{name}=={_locked()[name]}" for name in names if name in _locked())


def code_hash(*modules: str, script: str | None = None) -> str:
    """A hash of the closures of `modules`, and of a script of the workflow: the same wherever the folder lies."""
    reached = sorted(set().union(*(closure(module) for module in modules)))
    total = hashlib.sha256(f"{FORMAT}".encode())
    for name in reached:
        file = module_file(name)
        if file is not None and not name.startswith(_ENGINE):
            total.update(name.encode() + b"\0" + essence(file))
    for version in _versions(name for name in reached if name.partition(".")[0] not in _OURS):
        total.update(version.encode() + b"\0")
    if script is not None:
        total.update(essence(SCRIPTS / script))
    return total.hexdigest()[:16]


def kernel_cache() -> Path:
    """Where compiled kernels are kept: a folder of their own for every state of the code that is compiled.

    numba's cache looks at the file of a kernel, but not at the files of what it calls.
    """
    total = hashlib.sha256("".join(_versions(["numba", "llvmlite", "numpy"])).encode())
    for file in sorted((ROOT / "src" / "unveil").rglob("*.py")):
        if b"njit" in file.read_bytes():
            total.update(essence(file))
    place = ROOT / ".cache" if os.access(ROOT, os.W_OK) else Path.home() / ".cache" / "unveil"
    return place / "kernels" / total.hexdigest()[:16]
