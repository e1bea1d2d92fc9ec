"""Each line of code stands in its room: who may import whom, and where the rooms' doors are."""

from __future__ import annotations

from pathlib import Path

import pytest

from unveil.pipeline import source

PACKAGE = source.ROOT / "unveil"

#: What each room may import besides itself; `unveil.types`, `unveil.errors`, `unveil.randomness` are open to all.
OPEN = {"types", "errors", "randomness"}
MAY_IMPORT = {
    "fetching": {"pipeline"},
    "datasets": {"fetching", "pipeline"},
    "mechanisms": {"privacy", "theory"},
    "theory": {"mechanisms", "privacy"},
    "privacy": {"mechanisms", "theory"},
    "estimators": {"theory"},
    "claims": {"style"},  # for the scorecard
    "style": set(),
}
STAGE_MAY_IMPORT = {
    # An owner may learn before releasing: output perturbation hands out a noisy model.
    "release": {"mechanisms", "estimators", "theory", "privacy"},
    "learn": {"mechanisms", "estimators", "theory"},
    "score": {"mechanisms", "estimators", "theory", "privacy"},
    "draw": {"style"},
}


def room(module: str) -> str:
    return module.split(".")[1]


def files(folder: str) -> list[Path]:
    return sorted((PACKAGE / folder).rglob("*.py"))


def test_no_room_imports_what_it_may_not() -> None:
    found = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for name, allowed in MAY_IMPORT.items()
        for file in (files(name) or [PACKAGE / f"{name}.py"])
        for module in source.imports(file)
        if room(module) not in {name} | allowed | OPEN
    ]
    assert found == []


@pytest.mark.parametrize("stage", sorted(STAGE_MAY_IMPORT))
def test_a_stage_imports_only_its_side(stage: str) -> None:
    """A stage may share code with its own figure's folder and paper, but never import another stage."""
    found = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in (PACKAGE / "experiments").rglob(f"{stage}.py")
        for module in source.imports(file)
        if room(module) not in STAGE_MAY_IMPORT[stage] | OPEN | {"experiments"}
        or module.rsplit(".", 1)[-1] in set(STAGE_MAY_IMPORT) - {stage}
    ]
    assert found == []


def test_a_learner_never_reaches_the_data_sets() -> None:
    """Not even through something that it imports."""
    for file in (PACKAGE / "experiments").rglob("learn.py"):
        reached = {path.relative_to(PACKAGE).parts[0] for path in source.closure([file])}
        assert not reached & {"datasets", "fetching", "pipeline"}, file


def test_packages_re_export_nothing() -> None:
    """An import closure must stay small: only unveil/__init__.py names what others define, and lazily."""
    crowded = [
        file for file in PACKAGE.rglob("__init__.py") if file.parent != PACKAGE and file.read_text().strip()
    ]
    assert crowded == []


def test_every_public_name_can_be_imported() -> None:
    import unveil

    for name in unveil.__all__:
        assert getattr(unveil, name).__name__ == name
    with pytest.raises(AttributeError, match="no_such_name"):
        unveil.no_such_name  # noqa: B018


def test_inside_the_package_nothing_imports_the_lazy_top() -> None:
    found = [
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if any(f"from unveil import {name}" in file.read_text() for name in __import__("unveil").__all__)
    ]
    assert found == []
