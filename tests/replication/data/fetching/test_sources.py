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
    order = ["folder", "mirror", "https", "http", "pkg", "builtin", "synthetic"]
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
    return {"toy": {"title": "t", "licence": "l", "fields": {"x": "x"}, "sources": [{"grade": "full"} | source]}}


MIRROR = {"from": "mirror:toy", "files": {"a": {"sha256": HASH}}}


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
    (changed("toy/licence", None), "toy: the setting 'licence' is missing"),
    (changed("toy/tittle", "t"), "toy: unknown key 'tittle'; did you mean 'title'?"),
    (changed("toy/title", 3), "toy.title: input should be a valid string, not 3"),
    (changed("toy/fields", {}), "toy.fields: dictionary should have at least 1 item"),
    (changed("toy/sources", []), "toy.sources: tuple should have at least 1 item"),
    (changed("toy/sources/0/from", "toy"), "toy.sources.0.from: must read mirror:FOLDER, an address"),
    (changed("toy/sources/0/from", None), "toy.sources.0: the setting 'from' is missing"),
    (changed("toy/sources/0/from", "mirror:../elsewhere"), "sources.0.from: must stay below its folder"),
    (changed("toy/sources/0/from", ["a", "b"]), "sources.0.from: input should be a valid string"),
    (changed("toy/sources/0/archive", True), "toy.sources.0: archive goes with an address"),
    (changed("toy/sources/0/megabytes", 0), "megabytes: input should be greater than or equal to 1, not 0"),
    (changed("toy/sources/0/files", {}), "toy.sources.0: files must name the files"),
    (changed("toy/sources/0/files/a", {}), "files.a must be verified: by its sha256, or by lines"),
    (changed("toy/sources/0/files/a/sha256", "abc"), "files.a.sha256: string should match pattern '^[0-9a-f]{64}$'"),
    (changed("toy/sources/0/files/a/from", "/etc/passwd"), "files.a.from.0: must stay below its folder"),
    (changed("toy/sources/0/files/a/from", "x/../../y"), "files.a.from.0: must stay below its folder"),
    (changed("toy/sources/0/files/a/form", "x"), "files.a: unknown key 'form'; did you mean 'from'?"),
    (changed("toy/sources/0/files/a/contains", [""]), "contains.0: string should have at least 1 char"),
    (changed("toy/sources/0/files/a/counts", {"x": "y"}), "counts.x: input should be a valid integer"),
    (changed("toy/sources/0/files", {"../a": {"sha256": HASH}}), "files.../a.[key]: string should match pattern"),
    (toy(**{"from": "synthetic"}, files={"a": {"sha256": HASH}}), "files must not name the files"),
    (toy(**{"from": "pkg:cargo/x@1"}, sha256=HASH, files={"a": {}}), "from: must read mirror:FOLDER, an address, pkg:"),
    (toy(**{"from": "pkg:npm/x"}, sha256=HASH, files={"a": {}}), "from: must read mirror:FOLDER, an address, pkg:"),
    (toy(**{"from": "pkg:npm/x@1"}, files={"a": {"sha256": HASH}}), "lacks the sha256 of the package"),
    (toy(**{"from": "file:///etc"}, files={"a": {"sha256": HASH}}), "from: must read mirror:FOLDER, an address, pkg:"),
]


def written(place: Path, entry: dict[str, Any]) -> Path:
    (place / "sources.yaml").write_text(yaml.safe_dump(entry))
    return place / "sources.yaml"


@pytest.mark.parametrize(("entry", "message"), SLIPS)
def test_slips_are_caught(entry: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = written(tmp_path, entry)
    with pytest.raises(UnveilError, match=re.escape(message)) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}, toy")


def test_the_unchanged_entry_is_right(tmp_path: Path) -> None:
    assert load(written(tmp_path, toy(**MIRROR)))["toy"].sources[0].label == "mirror:toy"


def test_worse_before_better(tmp_path: Path) -> None:
    entry = toy(**MIRROR)
    entry["toy"]["sources"].insert(0, {"grade": "stand-in", "from": "synthetic"})
    with pytest.raises(UnveilError, match="better grades first"):
        load(written(tmp_path, entry))


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda _: None, "cannot be read: No such file"),
        (lambda path: path.write_text("a: [1,\nb: }"), "is not YAML"),
        (lambda path: path.write_bytes(b"\xff\xfe\x00a"), "is not YAML"),
        (lambda path: path.write_text(""), "sources.yaml, top level: input should be an object, not None"),
        (lambda path: path.write_text("{}"), "names no data set"),
        (lambda path: path.write_text("- a"), "sources.yaml, top level: input should be an object, not"),
    ],
)
def test_unreadable_file(write: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    write(path)
    with pytest.raises(UnveilError, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)
