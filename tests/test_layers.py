"""Each line of code stands in its place: the contracts of pyproject.toml, and what they cannot say."""

from __future__ import annotations

import re

import grimp
import pytest
from importlinter.cli import lint_imports

import unveil
from project import ROOT
from unveil.protocols import PROTOCOLS


def test_the_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(cache_dir=None) == 0


def test_packages_re_export_nothing() -> None:
    """An import closure must stay small: only unveil/__init__.py names what others define, and lazily.

    A paper's claims are always wanted together: where they fill a package, it lists them.
    """
    packages = [*(ROOT / "src").rglob("__init__.py"), *(ROOT / "tools").rglob("__init__.py")]
    importing = [file for file in packages if re.search(r"^\s*(from|import) ", file.read_text(), re.MULTILINE)]
    crowded = [str(file) for file in importing if file.parent.name not in ("unveil", "claims")]
    assert [file for file in crowded if "logger_plugin" not in file] == []


def test_the_library_holds_nothing_that_neither_its_api_nor_its_command_reaches() -> None:
    """What a paper alone needs stands with the paper. Protocols and their files are looked up by name, and late."""
    graph = grimp.build_graph("unveil", cache_dir=None)
    doors = {f"unveil.{home}" for home in unveil._HOME.values()} | {"unveil.protocols.release_files"}
    doors |= {f"unveil.protocols.{name.replace('-', '_')}_protocol" for name in PROTOCOLS}
    doors |= {module for module in graph.modules if re.match(r"unveil\.(__main__|advice|command)\b", module)}
    reached = doors.union(*map(graph.find_upstream_modules, doors))
    packages = {module for module in graph.modules if (ROOT / "src" / module.replace(".", "/")).is_dir()}
    assert sorted(graph.modules - reached - packages) == []
