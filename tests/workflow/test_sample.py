"""The sample run: every figure of the project, in small, from raw data to pictures."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import yaml
from workflow.house import ROOT, House

from unveil.pipeline.costs import configured_figures

# One worker runs them all, so that the sample is made once.
pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("sample")]

SAMPLE = ("--cores", "2", "--profile", "profiles/sample", "all")
FIGURES = configured_figures(ROOT / "config.yaml")
COLUMNS = yaml.safe_load((Path(__file__).parent / "columns.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A copy of the project in which the sample was run once."""
    house = House.build(tmp_path_factory.mktemp("sample") / "house")
    house.file("config.yaml").write_text((ROOT / "config.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    house.run(*SAMPLE)
    return house


def test_a_second_sample_run_has_nothing_to_do(sample: House) -> None:
    assert "Nothing to be done" in sample.run(*SAMPLE)


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_every_figure_is_drawn(sample: House, paper: str, figure: str) -> None:
    picture = sample.file(f"figures/sample/{paper}/{figure}")
    assert picture.with_suffix(".svg").read_bytes().startswith(b"<?xml")
    assert picture.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert picture.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert (
        (ROOT / "src/unveil/experiments" / paper / figure / "caption.rst").read_text(encoding="utf-8").strip()
    )


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_scores_have_the_promised_columns_and_numbers(sample: House, paper: str, figure: str) -> None:
    folder = sample.file(f"results/sample/{paper}/{figure}")
    with (folder / "scores.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    promised = COLUMNS[paper][figure].split(",")
    assert header[: len(promised)] == promised
    assert rows
    assert not any(cell.lower() == "nan" for row in rows for cell in row)
    metadata = json.loads((folder / "scores.meta.json").read_text(encoding="utf-8"))
    assert (metadata["paper"], metadata["figure"]) == (paper, figure)
    assert all(item.keys() >= {"dataset", "grade", "source", "sha256"} for item in metadata["data"])


def test_released_files_hold_no_timings(sample: House) -> None:
    import numpy as np

    for path in sample.root.glob("results/sample/*/*/released/**/*.npz"):
        with np.load(path) as archive:
            assert not [name for name in archive.files if "seconds" in name], path
