"""What can be read off the project's own source without running it.

Snakemake does not look inside imported packages. So every job carries a hash of the *import closure* of its
own stage's module: editing an estimator re-runs the learners that import it, and nothing else. The same
reading of the source tells which settings a stage asks for: its function's keyword-only parameters and types.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

#: The packages of this repository.
PACKAGES = ("unveil", "replication", "tools")
ROOT = Path(__file__).resolve().parents[2]

_SCALARS = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "Any": {},
}


def module_file(name: str) -> Path | None:
    """The file of a module of this package, or None where there is none."""
    path = (ROOT.parent if name.partition(".")[0] == "tools" else ROOT) / Path(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


@cache
def imports(file: Path) -> frozenset[str]:
    """The modules of this package that `file` imports, anywhere in it (functions may import lazily)."""
    return frozenset(name for name in _imported_names(_tree(file)) if module_file(name))


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from a.b import c` may name the module a.b.c or something inside a.b.
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            if name.partition(".")[0] in PACKAGES:
                yield name


def closure(files: Iterable[Path]) -> list[Path]:
    """`files` and every file of this package that they import, directly or not."""
    seen: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting += [path for name in imports(file) if (path := module_file(name))]
    return sorted(seen)


@cache
def _digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()


def code_hash(*files: Path) -> str:
    """A hash of the import closure of `files`: the same on every machine, whatever the folder is called."""
    total = hashlib.sha256()
    for file in closure(files):
        name = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name
        total.update(str(name).encode() + b"\0" + _digest(file))
    return total.hexdigest()[:16]


def kernel_cache() -> Path:
    """Where compiled kernels are kept: a folder of their own for every state of the code that is compiled.

    numba's cache looks at the file of a kernel, but not at the files of what it calls.
    """
    total = hashlib.sha256()
    for file in sorted((ROOT / "unveil").rglob("*.py")):
        content = file.read_bytes()
        if b"njit" in content:
            total.update(content)
    return ROOT.parent / ".cache" / "kernels" / total.hexdigest()[:16]


def settings_schema(file: Path, function: str) -> dict[str, dict[str, Any]]:
    """JSON schemas of the settings that `function` in `file` asks for: its keyword-only parameters."""
    for node in _tree(file).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            if any(default is not None for default in node.args.kw_defaults):
                raise TypeError(
                    f"{file}: settings of {function}() have no defaults; they stand in config.yaml"
                )
            return {argument.arg: _schema(argument.annotation) for argument in node.args.kwonlyargs}
    raise TypeError(f"{file} has no function {function}()")


def defines(file: Path, function: str) -> bool:
    """Whether `file` has a function of that name at its top level."""
    return any(isinstance(node, ast.FunctionDef) and node.name == function for node in _tree(file).body)


def _schema(annotation: ast.expr | None) -> dict[str, Any]:
    """The JSON schema of a type annotation, for the few types that settings may have."""
    match annotation:
        case ast.Name(id=name) if name in _SCALARS:
            return _SCALARS[name]
        case ast.Constant(value=None):
            return _SCALARS["None"]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return {"anyOf": [_schema(left), _schema(right)]}
        case ast.Subscript(value=ast.Name(id="Sequence"), slice=item):
            return {"type": "array", "items": _schema(item)}
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, value])):
            return {"type": "object", "additionalProperties": _schema(value)}
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=choices)):
            return {"enum": [ast.literal_eval(choice) for choice in choices]}
    raise TypeError(f"settings cannot have the type {ast.unparse(annotation) if annotation else 'missing'}")
