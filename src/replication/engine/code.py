"""Which code a job runs, as one hash: what changes a result changes it, and nothing else does.

Snakemake does not look inside imported packages. So every job carries a hash of the *import closure* of its stage's
module, read off the source without comments, docstrings and layout, and of the locked versions of the packages that
this code imports. The pipeline itself moves data and computes none: a new version of what it writes is a new `FORMAT`.
"""

from __future__ import annotations

import ast
import atexit
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

import grimp

from unveil.kernels import home

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
    """A digest of a file's code without comments, docstrings, layout and the wording of errors."""
    content, known = file.read_bytes(), _essences()
    # The digest is this file's doing, and Python's, whose own words for a piece of code may change with its version.
    key = hashlib.sha256(content + sys.version.encode() + _own_source()).hexdigest()
    if key not in known:
        tree = _Wordless().visit(ast.parse(content.decode(), filename=str(file)))
        known[key] = hashlib.sha256(ast.unparse(tree).encode()).hexdigest()
    return bytes.fromhex(known[key])


class _Wordless(ast.NodeTransformer):
    """Takes from code what it says to people when it fails, and what is written for readers only."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body[0] = ast.Pass()
        return super().generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        # Why a claim cannot be told is a result.
        if isinstance(node.exc, ast.Call) and "CannotTell" not in ast.unparse(node.exc.func):
            node.exc.args = [given for given in node.exc.args if not _is_text(given)]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "require":
            node.args = node.args[:1]
        return self.generic_visit(node)


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is a text in quotes, or begins with one."""
    if isinstance(node, ast.BinOp):
        return _is_text(node.left)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


@cache
def _own_source() -> bytes:
    return Path(__file__).read_bytes()


@cache
def _essences() -> dict[str, str]:
    """The digests of all files that were ever asked for, by their content: kept, since they take seconds to make."""
    path = ROOT / ".cache" / "essences.json"
    try:
        known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    atexit.register(_keep, path, known, len(known))
    return known


def _keep(path: Path, known: dict[str, str], before: int) -> None:
    """Write the digests where there are new ones; a folder that takes none costs time and nothing else."""
    if len(known) > before:
        with suppress(OSError, ValueError):  # what another process kept meanwhile stays
            known.update(json.loads(path.read_text(encoding="utf-8")))
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{path.name}.{os.getpid()}")
            draft.write_text(json.dumps(known), encoding="utf-8")
            draft.replace(path)


@cache
def _locked() -> dict[str, str]:
    """The locked version of every package, by the lock's name for it."""
    lock = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
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
    place = ROOT / ".cache" if os.access(ROOT, os.W_OK) else home() / ".cache" / "unveil"
    return place / "kernels" / total.hexdigest()[:16]
