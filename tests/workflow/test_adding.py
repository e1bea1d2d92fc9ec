"""Follow docs/adding.md word for word in a copy of the project."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from project import ROOT, Project

pytestmark = pytest.mark.pipeline

PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")


def named_blocks(page: str) -> dict[str, str]:
    """Blocks that stand right below the name of their file."""
    return dict(re.findall(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL))


def block_after(page: str, sentence: str, language: str) -> str:
    """The first block of a language after a sentence."""
    _, _, rest = page.partition(sentence)
    found = re.search(rf"^```{language}\n(.*?)^```$", rest, flags=re.MULTILINE | re.DOTALL)
    assert found, sentence
    return found[1]


def write_blocks(root: Path) -> int:
    """Write every file of the page below `root`: how many there are."""
    blocks = named_blocks(PAGE)
    for name, text in blocks.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return len(blocks)


def test_the_page_works(tmp_path: Path) -> None:
    project = Project.build(tmp_path / "project")
    assert write_blocks(project.root) >= 10
    paper = project.file("src/replication/papers/coins")
    for folder in (paper, paper / "shares"):
        (folder / "__init__.py").touch()
    config = yaml.safe_load(project.file("config.yaml").read_text(encoding="utf-8"))
    project.configure(config, include=["coins"])
    with project.file("data/sources.yaml").open("a", encoding="utf-8") as sources:
        sources.write("\n" + block_after(PAGE, "Into `data/sources.yaml`", "yaml"))
    command = block_after(PAGE, "\n\nThen\n", "console").split()
    assert command[0] == "snakemake"
    mirror = tmp_path / "mirror"
    (mirror / "pennies").mkdir(parents=True)
    coins = "".join(f"{coin},{int(coin % 5 < 3)}\n" for coin in range(500))
    (mirror / "pennies" / "pennies.csv").write_text(f"coin,heads\n{coins}", encoding="utf-8")
    project.run(*command[1:], UNVEIL_MIRROR=str(mirror))
    assert json.loads(project.file("data/prepared/pennies/provenance.json").read_text())["grade"] == "full, unverified"
    assert project.file("figures/coins/shares.pdf").read_bytes().startswith(b"%PDF")
    caption = project.file("figures/coins/shares.rst").read_text(encoding="utf-8")
    assert "over\n20 trials. The error is largest where a coin is turned with probability 0." in caption
    rows = project.rows("results/coins/shares/scores.csv")
    assert len(rows) == 160
    assert all(abs(float(row["error"])) < 0.5 for row in rows)
    assert {row["turn"] for row in project.rows("results/coins/worn/scores.csv")} == {"0.45", "0.47", "0.49"}
    line = block_after(PAGE, "so a third method is a line there", "python")
    project.edit("src/replication/papers/coins/shares/learn.py", "}\n\n\ndef learn", f"{line}}}\n\n\ndef learn")
    project.edit("config/coins.yaml", "[share_of_heads, naive]", "[share_of_heads, naive, fair]")
    project.run(*command[1:-1], UNVEIL_MIRROR=str(mirror))
    assert {row["method"] for row in project.rows("results/coins/shares/scores.csv")} == {
        "share_of_heads",
        "naive",
        "fair",
    }


def test_the_tests_on_the_page_pass_and_the_mechanism_is_offered(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    write_blocks(tmp_path)
    for name in ("tests/support/checks.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for lint in (["check"], ["format", "--check"]):
        said = subprocess.run([sys.executable, "-m", "ruff", *lint, "."], cwd=tmp_path, capture_output=True, text=True)
        assert said.returncode == 0, said.stdout
    (line,) = re.findall(r"add the line `(.+)` to\s`src/unveil/__init__.pyi`", PAGE)
    with (tmp_path / "src/unveil/__init__.pyi").open("a", encoding="utf-8") as public:
        public.write(f"{line}\n")
    offered = "def test_offered() -> None:\n    from unveil import TurnedCoins\n"
    (tmp_path / "tests/unveil/test_offered.py").write_text(offered, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = src tests/support\n", encoding="utf-8")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "tests"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert "4 passed" in ran.stdout
