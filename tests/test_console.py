"""Every console block of the pages: what is quick runs as shown, what is long is planned, in a dry run."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from project import ROOT

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]
#: Tests of their own follow these two word for word: tests/workflow/test_adding.py, test_changing.py.
FOLLOWED = {"adding.md", "changing.md"}
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_lines(page: Path) -> list[str]:
    """The commands of a page's console blocks, without their comments."""
    text = "\n".join(_BLOCK.findall(page.read_text(encoding="utf-8"))).replace("\\\n", " ")
    return [line for line in (re.split(r"(?:^|\s+)#\s", line)[0].strip() for line in text.splitlines()) if line]


SHOWN = {page: read_lines(page) for page in PAGES if page.name not in FOLLOWED}
LINES = sorted({line for lines in SHOWN.values() for line in lines})
TABLES = {page for page, lines in SHOWN.items() if any(line.startswith("unveil ") for line in lines)}


def run(line: str, place: Path) -> str:
    """What a line says, given to the shell with this environment's programs on the path."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=place, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout + done.stderr


def lines_of(program: str) -> list[str]:
    """The distinct lines that call a program."""
    return [line for line in LINES if line.split()[0] == program]


def test_no_line_is_left_out() -> None:
    known = {"make", "snakemake", "unveil", "pip", ".venv/bin/pre-commit", "grep"}
    assert {line.split()[0] for line in LINES} == known


@pytest.mark.parametrize("line", lines_of("make"))
def test_make_knows_the_target(line: str) -> None:
    run(line.replace("make", "make -n", 1), ROOT)


@cache
def plan(line: str) -> str:
    """What Snakemake would do."""
    return run(line.replace("snakemake", "snakemake -n --nolock", 1), ROOT)


@pytest.mark.pipeline
@pytest.mark.parametrize("line", lines_of("snakemake"))
def test_snakemake_can_plan_it(line: str) -> None:
    plan(line)


@pytest.mark.pipeline
def test_small_is_equally_small_everywhere() -> None:
    small = [plan(line) for line in lines_of("snakemake") if "profiles/sample" in line]
    universes = [re.findall(r"^universe +(\d+)$", said, re.MULTILINE)[:1] for said in small]
    assert len(small) == 2
    assert universes[0] == universes[1]


@pytest.mark.slow
@pytest.mark.parametrize("line", lines_of("pip"))
def test_pip_can_install_it(line: str) -> None:
    options = f"--dry-run --quiet --no-deps --no-build-isolation --python {sys.executable}"
    run(f"uv {line.replace('install', f'install {options}', 1)}", ROOT)


def test_hooks_are_installed(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".pre-commit-config.yaml", tmp_path)
    run("git init -q", tmp_path)
    for line in lines_of(".venv/bin/pre-commit"):
        assert "pre-commit installed" in run(line.removeprefix(".venv/bin/"), tmp_path)


def test_grades_are_found(tmp_path: Path) -> None:
    (tmp_path / "data/raw/toy").mkdir(parents=True)
    (tmp_path / "data/raw/toy/provenance.json").write_text('{\n  "grade": "full"\n}')
    for line in lines_of("grep"):
        assert "toy" in run(line, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(TABLES), ids=lambda page: page.name)
def test_the_commands_run_as_shown(page: Path, tmp_path: Path) -> None:
    """From a table of 200,000 flats to predicted rents."""
    rng = np.random.default_rng(0)
    area, age, city = rng.uniform(20, 120, 200_000), rng.uniform(0, 50, 200_000), rng.integers(2, size=200_000)
    named = "--id flat" in "\n".join(SHOWN[page])
    with (tmp_path / "rents.csv").open("w", encoding="utf-8") as file:
        file.write("flat,area,city,rent\n" if named else "area,age,rent\n")
        for n, (a, b, c) in enumerate(zip(area.round(1), age.round(1), city, strict=True)):
            rent = 8 * a - 2 * b + 200
            file.write(f"{n},{a},{'AB'[c]},{rent:.1f}\n" if named else f"{a},{b},{rent:.1f}\n")
    other = {"city": {"categories": ["A", "B"]}} if named else {"age": {"range": [0, 50]}}
    schema = {"columns": {"area": {"range": [20, 120]}, **other, "rent": {"range": [0, 1200]}}}
    (tmp_path / "public.json").write_text(json.dumps(schema), encoding="utf-8")
    (tmp_path / "new.csv").write_text("area,age,city\n50,10,A\n80,40,B\n", encoding="utf-8")
    lines = [line for line in SHOWN[page] if line.startswith("unveil ")]
    # Advice has tests of its own, and the template of a schema waits for its ranges.
    lines = [line for line in lines if line.split()[1] not in ("advise", "schema")]
    assert [line.split()[1] for line in lines] == ["release", "fit", "predict"]
    for line in lines:
        run(f"python -m {line}", tmp_path)
    with (tmp_path / "predicted.csv").open(encoding="utf-8") as file:
        predicted = [float(row["prediction"]) for row in csv.DictReader(file)]
    # The rents are about 580 and 760; the noise of ε = 4 moves them by twenty or so.
    assert predicted == pytest.approx([580, 760], abs=200)
