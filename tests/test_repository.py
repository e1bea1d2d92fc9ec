"""The documents around the code agree with it: what is cited, licensed, checked and named."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from project import ROOT

PAGES = [ROOT / name for name in ("CONTRIBUTING.md", "docs/architecture.md", "config/README.md")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: What a run makes, and a fresh clone lacks.
MADE = ("data/raw", "data/prepared", "results", "figures", ".venv")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def load(name: str) -> Any:
    """A YAML file of the repository."""
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def named_paths(page: str) -> Iterator[str]:
    """Every path between backticks: it has a slash or a suffix, and no blank."""
    for token in re.findall(r"`([^`\s]+)`", page):
        if re.fullmatch(r"[\w.<>/-]+", token) and ("/" in token or re.search(r"\w\.[a-z]{2,6}$", token)):
            yield token


def is_there(path: str) -> bool:
    """Whether something matches a path, whatever stands for its `<placeholders>`; results are made later."""
    return path.startswith(MADE) or any(ROOT.glob(re.sub(r"<\w+>", "*", path.rstrip("/"))))


def hooks(config: Any) -> set[str]:
    """The commands of the hooks before commits and pushes."""
    return {hook["entry"].removeprefix("env ") for repo in config["repos"] for hook in repo["hooks"]}


def test_the_citation_agrees_with_the_package() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["version"] == PROJECT["project"]["version"]
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["authors"] == [{"name": "The unveil authors"}]
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith(f"{CITATION['license']} License\n")


def test_the_citation_has_the_keys_that_its_format_asks_for() -> None:
    for work in (CITATION, *CITATION["references"]):
        assert {"title", "authors", "type"} <= set(work)
        assert all("name" in author or "family-names" in author for author in work["authors"])
    assert CITATION["message"]


def test_every_paper_of_the_readme_is_cited() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `\w+` \| (\w+)", readme, flags=re.MULTILINE)
    assert [work["authors"][0]["family-names"] for work in CITATION["references"]] == rows


def test_the_changelog_ends_with_the_current_version() -> None:
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", page, flags=re.MULTILINE)
    assert versions[0] == PROJECT["project"]["version"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    paths = list(named_paths(page.read_text(encoding="utf-8")))
    assert len(paths) > 3
    assert [path for path in paths if not is_there(path)] == []


def test_a_path_that_does_not_exist_is_noticed() -> None:
    page = "`src/unveil/mechanisms/`, `tests/<kind>/nowhere.py`, `pyproject.tom`, `make check`, `moments`"
    assert [path for path in named_paths(page) if not is_there(path)] == ["tests/<kind>/nowhere.py", "pyproject.tom"]


def test_the_architecture_names_every_layer() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for contract in PROJECT["tool"]["importlinter"]["contracts"]:
        for package in contract.get("containers", ()):
            for layer in re.findall(r"\w+", " ".join(contract["layers"])):
                assert re.search(rf"^\|.*`src/{package}/{layer}(/|\.py)`", page, flags=re.MULTILINE), layer


def test_the_papers_words_are_found_where_the_page_says() -> None:
    page = (ROOT / "docs/changing.md").read_text(encoding="utf-8").partition("## The papers' words")[2]
    for words, places in re.findall(r"^\| ([^|]*) \| ([^|]*src/[^|]*) \|$", page, flags=re.MULTILINE):
        held = " ".join((ROOT / path).read_text(encoding="utf-8") for path in re.findall(r"`(src/[^`]+)`", places))
        assert [word for word in words.split(", ") if word.lower() not in held.lower()] == []


def test_the_hooks_call_what_make_check_calls() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", makefile, flags=re.MULTILINE)
    assert recipe
    commands = {line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()}
    assert hooks(load(".pre-commit-config.yaml")) == commands


def test_the_hooks_need_no_network() -> None:
    config = load(".pre-commit-config.yaml")
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert any(word.startswith(".venv/bin/") for word in shlex.split(hook["entry"]))


def test_hosted_checks_run_on_every_python_that_is_admitted() -> None:
    job, gallery = load(".github/workflows/ci.yml")["jobs"].values()
    admitted = SpecifierSet(PROJECT["project"]["requires-python"])
    assert job["strategy"]["matrix"]["python"] == [f"3.{n}" for n in range(30) if f"3.{n}" in admitted]
    assert {step["run"] for step in job["steps"] if "run" in step} >= {"make check", "make sample"}
    assert "make gallery docs" in {step["run"] for step in gallery["steps"] if "run" in step}
    actions = [step["uses"] for step in job["steps"] + gallery["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", action) for action in actions)
    kept = [step["with"]["path"] for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    sample = [load(name) for name in load("profiles/sample/config.yaml")["configfile"]]
    assert [layer["folders"]["figures"] for layer in sample if "folders" in layer] == kept[:1]


def test_the_container_copies_what_there_is_and_runs_what_make_knows() -> None:
    recipe = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    steps = re.findall(r"^(COPY|RUN|CMD) (.*)$", recipe, flags=re.MULTILINE)
    copied = [words.split()[1:-1] for step, words in steps if step == "COPY"]
    assert all((ROOT / source).exists() for sources in copied for source in sources)
    # The environment is made before the rest of the project is there: its rule may need nothing else.
    order = [step for step, _ in steps]
    made = next(i for i, (step, words) in enumerate(steps) if step == "RUN" and words.startswith("make "))
    assert order[made + 1] == "COPY"
    targets = set(re.findall(r"^([a-z./-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert set(re.findall(r"make (\.?[a-z/-]+)", recipe)) <= targets | {"and"}
