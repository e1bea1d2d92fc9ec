"""docs/changing.md, followed word for word: one parameter changed, in folders of its own, and compared."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tools.configuration import shipped

from project import ROOT, TOY, Project

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


def test_a_table_of_ones_own_is_released_learned_scored_and_drawn(tmp_path: Path) -> None:
    """On the page's overlay; the figure's other data sets are left out to save time."""
    project = Project.build(tmp_path / "project")
    figure = shipped(ROOT)["papers"]["linear_moments"]["figures"]["fig6"]
    empty: dict[str, Any] = {
        "settings": {"protocols": {}},
        "release": {"small": {}},
        "learn": {"small": {}, "clear": {}},
        "score": {},
    }
    papers = {"linear_moments": {"public": {}, "figures": {"fig6": {**figure, **empty, "trials": 2}}}}
    project.configure({**TOY, "papers": papers})
    rng = np.random.default_rng(1)
    X = rng.random((400, 3))
    rows = np.column_stack([X, X @ [3.0, 1.0, 2.0] + rng.random(400)])
    project.file("data/tables").mkdir(exist_ok=True)
    table = project.file("data/tables/wages.csv")
    np.savetxt(table, rows, delimiter=",", header="age,hours,years,target", comments="")
    (overlay,) = re.findall(r"```yaml\n# own_table.yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    project.file("own_table.yaml").write_text(overlay, encoding="utf-8")
    (shown,) = re.findall(r"^snakemake (.*own_table.*)$", PAGE, flags=re.MULTILINE)
    project.run(*shown.split())
    scores = project.rows("results/own_table/linear_moments/fig6/scores.csv")
    assert {row["dataset"] for row in scores} == {"wages"}
    least = next(float(row["skill"]) for row in scores if row["estimator"] == "least_squares")
    assert 0.8 < least < 1
    assert "wages" in project.file("figures/own_table/linear_moments/fig6.svg").read_text(encoding="utf-8")
    overlay = yaml.safe_load(overlay)
    del overlay["papers"]["linear_moments"]["figures"]["fig6"]["score"]
    project.file("own_table.yaml").write_text(yaml.safe_dump(overlay), encoding="utf-8")
    assert "must name the data sets" in project.run(*shown.split(), expect=1)
    table.write_text("age,wage\n1,2\n", encoding="utf-8")
    assert "must have a column called target" in project.run("-n", "all", expect=1)
