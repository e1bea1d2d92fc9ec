"""Reading imports and settings off the source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replication.engine import source


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(source, "ROOT", tmp_path)
    for name, text in {
        "unveil/__init__.py": "",
        "unveil/a/__init__.py": "",
        "unveil/a/one.py": "from unveil.a import two\n\n\ndef f():\n    import unveil.b.three\n",
        "unveil/a/two.py": "import numpy as np\n",
        "unveil/b/__init__.py": "",
        "unveil/b/three.py": "from unveil.a.one import f\n",
        "unveil/b/four.py": "x = 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "unveil"


def names(files: list[Path], tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in files}


def test_the_closure_follows_lazy_imports_and_circles(tree: Path) -> None:
    assert names(source.closure([tree / "a/one.py"]), tree) == {
        "a/__init__.py",
        "a/one.py",
        "a/two.py",
        "b/three.py",
    }


def hash_of(file: Path) -> str:
    for cached in (source._tree, source.imports, source._digest):
        cached.cache_clear()
    return source.code_hash(file)


def test_the_hash_changes_with_what_is_imported_and_with_nothing_else(tree: Path) -> None:
    before = hash_of(tree / "a/one.py")
    (tree / "b/four.py").write_text("x = 2\n", encoding="utf-8")
    assert hash_of(tree / "a/one.py") == before
    (tree / "b/three.py").write_text("from unveil.a.one import f as g\n", encoding="utf-8")
    assert hash_of(tree / "a/one.py") != before


def test_kernels_are_compiled_anew_when_any_compiled_file_changes(tree: Path) -> None:
    kernel = tree / "a/two.py"
    kernel.write_text("from numba import njit\n", encoding="utf-8")
    before = source.kernel_cache()
    (tree / "b/four.py").write_text("x = 3\n", encoding="utf-8")
    assert source.kernel_cache() == before
    kernel.write_text("from numba import njit  # edited\n", encoding="utf-8")
    assert source.kernel_cache() != before


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("int", {"type": "integer"}),
        ("Sequence[float]", {"type": "array", "items": {"type": "number"}}),
        ("str | None", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("Mapping[str, bool]", {"type": "object", "additionalProperties": {"type": "boolean"}}),
        ("Literal['a', 'b']", {"enum": ["a", "b"]}),
    ],
)
def test_types_become_schemas(tmp_path: Path, annotation: str, schema: dict[str, Any]) -> None:
    file = tmp_path / "stage.py"
    file.write_text(f"def score(learned, fields, *, x: {annotation}): ...\n", encoding="utf-8")
    assert source.settings_schema(file, "score") == {"x": schema}


@pytest.mark.parametrize("signature", ["*, x: dict", "*, x", "*, x: int = 3"])
def test_settings_have_a_known_type_and_no_default(tmp_path: Path, signature: str) -> None:
    file = tmp_path / "stage.py"
    file.write_text(f"def score({signature}): ...\n", encoding="utf-8")
    with pytest.raises(TypeError):
        source.settings_schema(file, "score")
