"""What of the code is in a job's hash, and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.engine import code

LEARNER = "replication.papers.linear_moments.fig6.learn"
PLAIN = '''
"""What it is."""

import numpy as np

RATE = 0.1  # a comment


def f(x):
    """What it does."""
    require(x > 0, f"{x} must be positive")
    if x > 9:
        raise ValueError("x is large" f" ({x})")
    if x > 8:
        raise CannotTell("too large")
    return x * RATE
'''


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Digests are kept for the life of a process."""
    code.essence.cache_clear()
    yield
    code.essence.cache_clear()


def essence_of(folder: Path, text: str) -> bytes:
    file = folder / "x.py"
    file.write_text(text, encoding="utf-8")
    code.essence.cache_clear()
    return code.essence(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# a comment", "# another"),
        ("What it is", "What it was"),
        ("What it does", "What it did"),
        ('f"{x} must be positive"', '"give a positive one"'),
        ('"x is large" f" ({x})"', '"too large: %s" % x'),
        ("x * RATE", "(\n        x\n        * RATE\n    )"),
        ("\n\n\ndef", "\n\n\n\n\ndef"),
    ],
)
def test_words_and_layout_are_not_in_it(tmp_path: Path, old: str, new: str) -> None:
    assert old in PLAIN
    assert essence_of(tmp_path, PLAIN.replace(old, new)) == essence_of(tmp_path, PLAIN)


def test_digests_are_kept_for_the_next_run_and_never_trusted_blindly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "ROOT", tmp_path)
    kept = tmp_path / ".cache" / "essences.json"
    code._essences.cache_clear()
    whole = essence_of(tmp_path, PLAIN)
    code._keep(kept, code._essences(), 0)
    assert list(json.loads(kept.read_text()).values()) == [whole.hex()]
    for content in (kept.read_text(), "{", ""):
        kept.write_text(content)
        code._essences.cache_clear()
        assert essence_of(tmp_path, PLAIN) == whole
        assert essence_of(tmp_path, PLAIN.replace("0.1", "0.2")) != whole
    code._essences.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.1", "0.2"),
        ("x * RATE", "x + RATE"),
        ("numpy as np", "scipy as np"),
        ("x > 0", "x > 1"),
        ("x > 9", "x > 7"),
        ("too large", "very large"),
    ],
)
def test_what_computes_is_in_it(tmp_path: Path, old: str, new: str) -> None:
    assert essence_of(tmp_path, PLAIN.replace(old, new)) != essence_of(tmp_path, PLAIN)


def test_a_learner_reaches_its_estimator_and_its_packages_but_no_data() -> None:
    reached = code.closure(LEARNER)
    assert {"unveil.estimators.moments.regression", "replication.randomness", "numpy"} <= reached
    assert not {name for name in reached if name.startswith(("replication.data", "replication.engine"))}
    assert not reached & {"matplotlib", "snakemake"}


def test_a_locked_package_concerns_what_imports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = "replication.papers.linear_moments.fig6.draw"
    before = {module: code.code_hash(module) for module in (LEARNER, drawing)}
    locked = code._locked()
    monkeypatch.setattr(code, "_locked", lambda: {**locked, "matplotlib": "0.0"})
    assert code.code_hash(LEARNER) == before[LEARNER]
    assert code.code_hash(drawing) != before[drawing]
    monkeypatch.setattr(code, "_locked", lambda: {**locked, "numpy": "0.0"})
    assert code.code_hash(LEARNER) != before[LEARNER]


def test_a_new_format_concerns_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code.code_hash(LEARNER)
    monkeypatch.setattr(code, "FORMAT", code.FORMAT + 1)
    assert code.code_hash(LEARNER) != before


def test_kernels_are_compiled_anew_when_any_compiled_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "ROOT", tmp_path)
    kernel, other = (tmp_path / "src" / "unveil" / name for name in ("kernel.py", "other.py"))
    kernel.parent.mkdir(parents=True)

    def cache() -> Path:
        code.essence.cache_clear()
        return code.kernel_cache()

    kernel.write_text("from numba import njit\n", encoding="utf-8")
    other.write_text("x = 1\n", encoding="utf-8")
    before = cache()
    other.write_text("x = 2\n", encoding="utf-8")
    kernel.write_text("from numba import njit  # said\n", encoding="utf-8")
    assert cache() == before
    kernel.write_text("from numba import njit\n\ny = 1\n", encoding="utf-8")
    assert cache() != before
