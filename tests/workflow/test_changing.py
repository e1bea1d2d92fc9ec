"""docs/changing.md, followed word for word: one parameter changed, in folders of its own, and compared."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from project import ROOT, Project

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("judged")]
PAGE = (ROOT / "docs/changing.md").read_text(encoding="utf-8")


def test_the_page_works_as_written(judged: Project, tmp_path: Path) -> None:
    shutil.copytree(judged.root, tmp_path / "project", symlinks=True)
    own = Project(tmp_path / "project")
    (overlay,) = re.findall(r"```yaml\n# more_noise.yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    own.file("more_noise.yaml").write_text(overlay, encoding="utf-8")
    before = own.file("results/spread/fig1/scores.csv").read_bytes()
    shown = re.findall(r"^snakemake (.*more_noise.*)$", PAGE, flags=re.MULTILINE)
    own.run(*shown[0].split())
    assert own.file("figures/more_noise/spread/fig1.pdf").is_file()
    assert own.file("results/spread/fig1/scores.csv").read_bytes() == before
    said = subprocess.run(
        [sys.executable, "-m", "tools.compare", "results", "results/more_noise"],
        cwd=own.root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "1 of 1 figures in both differ" in said
    assert re.search(r"spread/fig1: \d+ rows only in A; \d+ rows only in B", said)
    assert own.file("figures/compare.svg").is_file()
