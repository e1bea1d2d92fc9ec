"""What the README shows works as shown."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from project import ROOT

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]


def test_the_library_example_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own page
    said = [float(text) for text in re.findall(r"-?\d+\.\d+", capsys.readouterr().out)]
    assert said[0] == 6.0  # half of what is promised
    assert said[1:4] == pytest.approx([0.6, 0.1, 0.2], abs=0.15)
    intervals = list(zip(said[4::2], said[5::2], strict=True))
    assert all(low < value < high for (low, high), value in zip(intervals, said[1:4], strict=True))


def test_the_commands_run_as_shown(tmp_path: Path) -> None:
    """From a table of 200,000 flats to predicted rents, by the four lines of the page."""
    rng = np.random.default_rng(0)
    area, age = rng.uniform(20, 120, 200_000), rng.uniform(0, 50, 200_000)
    rows = np.column_stack([area, age, 8 * area - 2 * age + 200]).round(1)
    np.savetxt(tmp_path / "rents.csv", rows, "%.1f", ",", header="area,age,rent", comments="")
    (tmp_path / "new.csv").write_text("area,age\n50,10\n80,40\n", encoding="utf-8")
    ranges = {"area": [20, 120], "age": [0, 50], "rent": [0, 1200]}
    schema = {"columns": {name: {"range": pair} for name, pair in ranges.items()}}
    (tmp_path / "public.json").write_text(json.dumps(schema), encoding="utf-8")
    lines = [line.partition("#")[0] for line in re.findall(r"^unveil .*$", PAGE, flags=re.MULTILINE)]
    assert [line.split()[1] for line in lines] == ["advise", "release", "fit", "predict"]
    for line in lines[1:]:  # advice has tests of its own
        subprocess.run([sys.executable, "-m", *line.split()], cwd=tmp_path, check=True, capture_output=True)
    with (tmp_path / "predicted.csv").open(encoding="utf-8") as file:
        predicted = [float(row["prediction"]) for row in csv.DictReader(file)]
    # The rents are 580 and 760; the noise of ε = 4 moves them by twenty or so.
    assert predicted == pytest.approx([580, 760], abs=200)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_make_targets_that_pages_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for page in PAGES:
        shown = re.findall(r"(?:^|`)make ([a-z-]+)(?=`|\s+#|$)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(shown) <= targets, page.name
