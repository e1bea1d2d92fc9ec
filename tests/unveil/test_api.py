"""The public names: each can be imported, has its own type, and says in its docstring how to be used."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import unveil

ROOT = Path(__file__).resolve().parents[2]
NAMES = dir(unveil)
USER = """
import numpy as np
from unveil import CountTagger, MMDClassRatio, ScaledDirichlet, exact_count_posterior

shares = ScaledDirichlet(epsilon=0.5, delta=0.05).release([[40, 60], [60, 40]], np.random.default_rng(0))
model = MMDClassRatio().fit([np.eye(2), np.ones((3, 2))], shares)
reveal_type(model)
reveal_type(exact_count_posterior(np.zeros((2, 2)), [1, 1])[1])
reveal_type(CountTagger(passes=2))
"""


def test_every_public_name_can_be_imported_and_no_other() -> None:
    assert NAMES == sorted(NAMES) == unveil.__all__  # type: ignore[attr-defined]
    for name in NAMES:
        assert getattr(unveil, name).__name__ == name
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = unveil.no_such_name  # type: ignore[attr-defined]


def test_importing_the_package_loads_nothing_of_it() -> None:
    script = "import sys, unveil; print(*[name for name in sys.modules if name.startswith(('numpy', 'unveil'))])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.split() == ["unveil"]


def revealed(script: str, place: Path) -> tuple[list[str], list[str]]:
    """What mypy says of a user's script: the types it reveals, and its errors."""
    (place / "user.py").write_text(script)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache", "user.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    said = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False).stdout
    return re.findall(r'Revealed type is "(.*)"$', said, re.M), re.findall(r"error: (.*)$", said, re.M)


def untyped(types: Iterable[str]) -> list[str]:
    """Types that say nothing."""
    return [kind for kind in types if re.fullmatch(r"Any|builtins\.object|def .*-> (Any|builtins\.object)", kind)]


@pytest.mark.slow
def test_type_checkers_know_every_public_name(tmp_path: Path) -> None:
    each = "".join(f"from unveil import {name}\nreveal_type({name})\n" for name in NAMES)
    types, errors = revealed(each, tmp_path)
    assert not errors
    assert len(types) == len(NAMES)
    assert untyped(types) == []
    assert [name for name, kind in zip(NAMES, types, strict=True) if name[0].isupper() and name not in kind] == []
    types, errors = revealed(USER, tmp_path)
    assert not errors
    assert [kind.rpartition(".")[2] for kind in types] == ["MMDClassRatio", "float", "CountTagger"]
    types, errors = revealed("import unveil\nreveal_type(unveil.no_such_name)\n", tmp_path)
    assert errors, "a name that is not there must be missed"
    assert untyped(types) == types == ["Any"]


def sections(docstring: str) -> dict[str, str]:
    """The sections of a numpydoc docstring by their headings; what precedes them is the summary."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"Summary": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def listed(section: str) -> list[str]:
    """The names that a section documents: `a, b : type`, on lines without indentation."""
    heads = re.findall(r"^(\S.*?)(?: ?:.*)?$", section, re.MULTILINE)
    return [name.strip() for head in heads for name in head.split(",")]


def parameters(thing: Any) -> list[str]:
    """What a caller may give by name; an error takes its message alone."""
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [name for name, p in inspect.signature(thing).parameters.items() if p.kind not in variable]


def fitted(thing: Any) -> list[str]:
    """The attributes `…_` that an estimator's code names: what it learns."""
    ours = [kind for kind in getattr(thing, "__mro__", ()) if kind.__module__.startswith("unveil")]
    return sorted({name for kind in ours for name in re.findall(r"self\.([a-z]\w*_)\b", inspect.getsource(kind))})


def gaps(thing: Any) -> list[str]:
    """What a docstring leaves its reader without."""
    said = sections(thing.__doc__ or "")
    missing = [] if said["Summary"] else ["a summary"]
    expected, documented = parameters(thing), listed(said.get("Parameters", ""))
    missing += [f"parameter {name}" for name in expected if name not in documented]
    wrong = [name for name in documented if name and not name.startswith("*") and name not in expected]
    missing += [f"{name}, which is no parameter" for name in wrong]
    if inspect.isfunction(thing) and inspect.signature(thing).return_annotation not in (None, "None"):
        missing += [] if said.get("Returns", "").strip() else ["what is returned"]
    missing += [f"attribute {name}" for name in fitted(thing) if name not in listed(said.get("Attributes", ""))]
    return missing + ([] if ">>> " in said.get("Examples", "") else ["an example"])


@pytest.mark.parametrize("name", NAMES)
def test_the_docstring_says_how_to_use_it(name: str) -> None:
    assert gaps(getattr(unveil, name)) == []


def test_a_poor_docstring_is_noticed() -> None:
    def poor(a: int, b: int) -> int:
        """Add.

        Parameters
        ----------
        a, c : int
            Numbers.
        """
        return a + b

    assert gaps(poor) == ["parameter b", "c, which is no parameter", "what is returned", "an example"]
    assert gaps(type("Silent", (), {})) == ["a summary", "an example"]
