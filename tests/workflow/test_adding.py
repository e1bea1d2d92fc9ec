"""Follow docs/adding.md word for word in a copy of the project."""

from __future__ import annotations

import json
import os
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


#: Where a line of a table or list goes; other blocks go to the end of their file.
BEHIND = {
    "docs/safe_noise.md": "| --- | --- | --- |\n",
    "tests/fuzz/calls.py": "GOOD = [\n",
    "tests/fuzz/learners.py": "LEARNERS = [\n",
    "tools/templates/groups.yaml": "    papers/crossover: the papers' estimators on the same data.\n",
    "tests/unveil/mechanisms/test_exact_mechanisms.py": "RELEASES: dict[str, Callable[[Any], Any]] = {\n",
}


def follow(root: Path) -> None:
    """Do below `root` what the page says."""
    blocks = named_blocks(PAGE)
    assert len(blocks) >= 10
    for name, text in blocks.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    paper = root / "src/replication/papers/coins"
    for folder in (paper, paper / "shares"):
        (folder / "__init__.py").touch()
    for name, text in re.findall(r"^Into `([^`\n]+)`:\n\n```\w+\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL):
        path = root / name
        old = path.read_text(encoding="utf-8")
        behind = BEHIND.get(name, old)
        if name.endswith(".pyi"):
            behind = next(line for line in reversed(old.splitlines(keepends=True)) if "import" in line and line < text)
        assert behind in old
        path.write_text(old.replace(behind, behind + text, 1), encoding="utf-8")


def test_the_page_works(tmp_path: Path) -> None:
    project = Project.build(tmp_path / "project")
    for name in ("docs", "tests/fuzz", "tests/unveil/mechanisms"):
        shutil.copytree(ROOT / name, project.file(name))
    follow(project.root)
    config = yaml.safe_load(project.file("config.yaml").read_text(encoding="utf-8"))
    project.configure(config, include=["coins"])
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


#: Of `make check`, what goes over all mechanisms, estimators, data sets, figures and papers.
LOOKING = " ".join(
    [
        *(f"tests/{name}.py" for name in ("test_layers", "test_captions", "unveil/test_api", "fuzz/test_public_api")),
        *(f"tests/unveil/mechanisms/test_{name}.py" for name in ("coins", "exact_mechanisms")),
        *(f"tests/replication/engine/test_{name}.py" for name in ("configuration", "costs", "domains", "plan")),
        *(f"tests/replication/judging/test_{name}.py" for name in ("captions", "claims", "multiverse", "words")),
        *(
            "tests/replication/papers/test_palettes.py",
            "tests/replication/test_settings.py",
            "tests/tools/test_paper.py",
        ),
        *("tests/unveil/estimators/moments/test_share.py", "src/unveil/estimators/moments/share.py"),
        "src/unveil/mechanisms/coins.py",
    ]
)


def test_who_follows_the_page_passes_the_check(tmp_path: Path) -> None:
    ignore = shutil.ignore_patterns(".*", "figures", "results", "logs", "raw", "prepared", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, tmp_path, ignore=ignore, dirs_exist_ok=True)
    follow(tmp_path)
    include = tmp_path / "config.yaml"
    include.write_text(re.sub(r"^(include: .*)]$", r"\1, coins]", include.read_text("utf-8"), flags=re.MULTILINE))
    for tool in (
        "ruff check --no-cache .",
        "ruff format --no-cache --check .",
        "mypy --follow-imports=silent src/replication/papers/coins src/unveil/mechanisms/coins.py",
        f"pytest -p no:cacheprovider -m not\0slow\0and\0not\0pipeline {LOOKING}",
    ):
        words = [word.replace("\0", " ") for word in tool.split()]
        environment = {**os.environ, "PYTHONPATH": "src:."}
        command = [sys.executable, "-m", *words]
        said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert said.returncode == 0, said.stdout
