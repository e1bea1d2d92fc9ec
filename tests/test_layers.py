"""Each line of code stands in its place: the contracts of pyproject.toml, and what they cannot say."""

from __future__ import annotations

import pytest
from importlinter.cli import lint_imports

from project import ROOT


def test_the_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(cache_dir=None) == 0


def test_packages_re_export_nothing() -> None:
    """An import closure must stay small: only unveil/__init__.py names what others define, and lazily.

    A paper's claims are always wanted together: where they fill a package, it lists them.
    """
    packages = [*(ROOT / "src").rglob("__init__.py"), *(ROOT / "tools").rglob("__init__.py")]
    crowded = [file for file in packages if file.parent.name not in ("unveil", "claims") and file.read_text().strip()]
    assert [file for file in crowded if "logger_plugin" not in str(file)] == []
