"""The sources file: what is in it is complete and agrees with the code, and slips in it are caught."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from replication.data.fetching.sources import GRADES, load
from unveil.errors import UnveilError

HERE = Path(__file__).resolve().parents[4]
FILE = HERE / "data" / "sources.yaml"
DATASETS = {
    "housing", "california", "songs", "songs_subset", "mnist", "treebank", "ewt", "census", "higgs", "acoustic",
    "twitter", "youtube", "breast_cancer",
}  # fmt: skip
HASH = "0" * 64


def test_every_data_set_is_there_with_a_module() -> None:
    declared = load(FILE)
    assert set(declared) >= DATASETS
    for name in declared:
        module = importlib.import_module(f"replication.data.sets.{name}")
        assert list(inspect.signature(module.prepare).parameters) == ["raw"]
        assert list(inspect.signature(module.stand_in).parameters) == ["rng"]


@pytest.mark.parametrize("name", sorted(load(FILE)))
def test_order_of_sources(name: str) -> None:
    """Better grades first; within a grade a mirror, then addresses, then packages; the synthetic stand-in last."""
    order = ["folder", "mirror", "url", "package", "builtin", "synthetic"]
    sources = load(FILE)[name].sources
    ranks = [(GRADES.index(each.grade), order.index(each.kind)) for each in sources]
    assert ranks == sorted(ranks)
    assert [each.kind for each in sources].count("synthetic") == 1
    assert sources[-1].kind == "synthetic"
    assert sources[-1].grade == "stand-in"


def test_no_registry_is_named() -> None:
    """Packages are named as packages; where a registry is, only its client knows."""
    text = FILE.read_text()
    for path in [*(HERE / "src/replication/data/fetching").glob("*.py"), HERE / "data/README.md"]:
        text += path.read_text()
    named = "|".join(["py" + "pi.org", "python" + "hosted", "npm" + "js"])
    assert not re.search(named, text)


def toy(**source: Any) -> dict[str, Any]:
    return {
        "toy": {"title": "t", "licence": "l", "fields": {"x": "x"}, "sources": [{"grade": "full"} | source]}
    }


MIRROR = {"mirror": "toy", "files": {"a": {"sha256": HASH}}}


def changed(path: str, value: Any) -> dict[str, Any]:
    """A right entry with one thing changed; None takes it away."""
    entry = toy(**{**MIRROR, "files": {"a": {"sha256": HASH}}})
    here: Any = entry
    *way, last = path.split("/")
    for step in way:
        here = here[int(step) if step.isdigit() else step]
    if value is None:
        del here[last]
    else:
        here[last] = value
    return entry


SLIPS = [
    (changed("toy/licence", None), "toy lacks licence"),
    (changed("toy/tittle", "t"), "unknown key tittle"),
    (changed("toy/title", 3), "title must be text"),
    (changed("toy/fields", []), "fields must map"),
    (changed("toy/fields/x", 1), "fields must map"),
    (changed("toy/sources", []), "at least one source"),
    (changed("toy/sources/0/grade", "best"), "grade must be one of full, subset, stand-in"),
    (changed("toy/sources/0/grade", None), "lacks grade"),
    (changed("toy/sources/0/url", "https://x.example"), "exactly one of"),
    (changed("toy/sources/0/mirror", None), "exactly one of"),
    (changed("toy/sources/0/mirror", "../elsewhere"), "must stay below the mirror"),
    (changed("toy/sources/0/mirror", ["a", "b"]), "must be one text"),
    (changed("toy/sources/0/archive", True), "goes with url"),
    (changed("toy/sources/0/megabytes", "many"), "megabytes must be a positive whole number"),
    (changed("toy/sources/0/files", {}), "files must name the files"),
    (changed("toy/sources/0/files/a", {}), "verified one way"),
    (changed("toy/sources/0/files/a/pin", True), "verified one way"),
    (changed("toy/sources/0/files/a", {"pin": True}), "needs expect"),
    (changed("toy/sources/0/files/a/sha256", "abc"), "64 hexadecimal digits"),
    (changed("toy/sources/0/files/a/from", "/etc/passwd"), "must stay below its folder"),
    (changed("toy/sources/0/files/a/from", "x/../../y"), "must stay below its folder"),
    (changed("toy/sources/0/files/a/hash", HASH), "unknown key hash"),
    (changed("toy/sources/0/files/a/lines", -1), "lines must be a positive whole number"),
    (changed("toy/sources/0/files/a/expect", {"rows": 3}), "unknown key rows"),
    (changed("toy/sources/0/files/a/expect", {"columns": 0}), "columns must be a positive whole number"),
    (changed("toy/sources/0/files/a/expect", {"separator": "::"}), "separator must be one character"),
    (changed("toy/sources/0/files/a/expect", {"contains": [1]}), "must be a text or a list of texts"),
    (changed("toy/sources/0/files/a/expect", {"members": {"x": "y"}}), "members must map texts"),
    (changed("toy/sources/0/files", {"../a": {"sha256": HASH}}), "must be a plain file name"),
    (toy(synthetic=True, files={"a": {"sha256": HASH}}), "files must not name the files"),
    (toy(package="pkg:cargo/x@1", sha256=HASH, files={"a": {}}), "must read pkg:npm/NAME@VERSION"),
    (toy(package="pkg:npm/x", sha256=HASH, files={"a": {}}), "must read pkg:npm/NAME@VERSION"),
    (toy(package="pkg:npm/x@1", files={"a": {"sha256": HASH}}), "lacks the sha256 of the package"),
    (toy(url="file:///etc", files={"a": {"sha256": HASH}}), "must be http or https addresses"),
    ({"toy": "text"}, "must be a mapping"),
]


@pytest.mark.parametrize(("entry", "message"), SLIPS)
def test_slips_are_caught(entry: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(yaml.safe_dump(entry))
    with pytest.raises(UnveilError, match=re.escape(message)) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path)) or "package" in str(caught.value)


def test_the_unchanged_entry_is_right(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(yaml.safe_dump(toy(**MIRROR)))
    assert load(path)["toy"].sources[0].label == "mirror:toy"


def test_worse_before_better(tmp_path: Path) -> None:
    entry = toy(**MIRROR)
    entry["toy"]["sources"].insert(0, {"grade": "stand-in", "synthetic": True})
    path = tmp_path / "sources.yaml"
    path.write_text(yaml.safe_dump(entry))
    with pytest.raises(UnveilError, match="better grades first"):
        load(path)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda _: None, "cannot be read: No such file"),
        (lambda path: path.write_text("a: [1,\nb: }"), "is not YAML"),
        (lambda path: path.write_bytes(b"\xff\xfe\x00a"), "is not YAML"),
        (lambda path: path.write_text(""), "must map data sets"),
        (lambda path: path.write_text("- a"), "must map data sets"),
    ],
)
def test_unreadable_file(write: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    write(path)
    with pytest.raises(UnveilError, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)
