"""What a person sees of a run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.costs import configured_figures, cost_table, readme_table

from project import ROOT
from replication.data.provenance import NAME, write_json
from snakemake_logger_plugin_unveil import advised, conclude, failure, name_failed


def run_program(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own that knows the project."""
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": os.environ["PATH"]}
    return subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True)


def test_a_failure_shows_the_end_of_the_log_and_the_last_line_names_it(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("\n".join(f"line {i}" for i in range(100)), encoding="utf-8")
    record = {"rule_name": "learn", "output": ["a.npz", "b.npz", "c.npz"], "log": [str(log), str(tmp_path / "missing")]}
    said = failure(record)
    assert said.splitlines()[0] == "failed: learn -> a.npz and 2 more"
    assert name_failed(record) == f"failed: learn -> a.npz and 2 more; its log: {log}, {tmp_path / 'missing'}"
    assert "line 99" in said
    assert "line 50" not in said


def test_the_end_says_where_things_are_and_which_data_that_was_read_is_a_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("songs", "tweets"):
        write_json(tmp_path / "data/raw" / name / NAME, {"dataset": name, "grade": "stand-in", "source": "synthetic"})
    made = ["results/claims.csv", "figures/scorecard.pdf", "figures/p/one.pdf (update)", "figures/p/one.svg (update)"]
    note, remedy, pictures, verdicts = conclude(made, ["data/prepared/songs/features.npy", "results/p/one/scores.csv"])
    assert note == "note: songs is a stand-in (synthetic), not the paper's data"
    assert "data/README.md" in remedy
    assert pictures == "pictures: 2 drawn anew in figures"
    assert verdicts.startswith(
        "verdicts: results/claims.csv, on one page in figures/scorecard.pdf; next: `make report`"
    )
    assert list(conclude(["results/p/one/scores.csv"], [])) == []
    assert list(conclude(["figures/p/one.pdf"], [])) == ["pictures: figures/p/one.pdf"]


def test_what_the_system_refuses_snakemake_itself_comes_with_advice() -> None:
    text = "Failed to create output directory a/b.\nOSError: [Errno 30] Read-only file system: 'a/b'"
    assert advised(text) == f"{text}\nerror: a/b: the folder is read-only: make it writable and run again"
    assert advised("OSError: [Errno 28] No space left on device").endswith(
        "error: Snakemake: the disk is full: free some space and run again"
    )
    frames = "Traceback (most recent call last):\n  x.py\nOSError: [Errno 30] Read-only file system: 'a.svg'\n"
    assert advised(frames) == "error: a.svg: the folder is read-only: make it writable and run again"
    for other in ("OSError: [Errno 5] Input/output error", "no error at all"):
        assert advised(other) == other


def test_the_logger_leaves_it_to_the_snakefile_which_copy_of_the_project_is_imported() -> None:
    """Snakemake speaks before it reads the Snakefile; an environment's own copy would then plan another one's run."""
    program = (
        "import sys; from snakemake_logger_plugin_unveil import advised; advised('Using profiles'); print(*sys.modules)"
    )
    assert not {"replication", "unveil"} & set(run_program(ROOT, program).stdout.split())


def test_a_target_behind_the_option_for_configuration_files() -> None:
    for text in (
        "Traceback (most recent call last):\n  in load_configfile\nFileNotFoundError: [Errno 2] x: 'figures/a.png'",
        "Traceback (most recent call last):\n  in load_configfile\nUnicodeDecodeError: 'utf-8' codec can't decode",
        "WorkflowError:\nConfig file is not valid JSON or YAML.",
    ):
        assert "if a target stands behind --configfile, put it before that option" in advised(text)
        assert "\n" not in advised(text)


def test_costs_add_up(tmp_path: Path) -> None:
    for name, note in {"learn/a": (90.0, 512.0), "score": (30.0, 64.0)}.items():
        path = tmp_path / f"p/f/{name}.cost.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"cpu_seconds": note[0], "peak_mib": note[1]}), encoding="utf-8")
    (tmp_path / "p/f/killed.cost.json").touch()
    table = cost_table([("p", "f"), ("p", "g")], tmp_path)
    assert table.to_numpy().tolist() == [["p", "f", 2.0, 0.5]]
    known: dict[tuple[str, ...], tuple[float, float]] = {("p", "f"): (2.0, 0.5)}
    assert "| p | f (2.0), g | 2 |" in readme_table([("p", "f"), ("p", "g")], known)


def test_the_readme_lists_every_figure_of_the_last_whole_run() -> None:
    rows = re.findall(r"^\| (\w+) \| (.*?) \| +\d+ \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    listed = [(paper, cell.split()[0]) for paper, cells in rows for cell in cells.split(", ")]
    run = [tuple(line.split(",")[:2]) for line in (ROOT / "docs/gallery/costs.csv").read_text().splitlines()]
    assert listed == [figure for figure in configured_figures(ROOT) if figure in run]


def test_an_error_in_a_figure_is_blamed_on_it_and_another_on_us(tmp_path: Path) -> None:
    module = tmp_path / "papers/toy/one/learn.py"
    module.parent.mkdir(parents=True)
    module.write_text("def learn():\n    raise KeyError('counts')\n", encoding="utf-8")
    start = "from replication.engine.job import job\nimport runpy\nwith job('x.log'):\n    "
    for code, said in (
        (f"runpy.run_path({str(module)!r})['learn']()", "error: KeyError in learn.py, line 2, of one: 'counts'; the"),
        ("raise ValueError", "error: ValueError: this is a bug; the lines above show where"),
    ):
        assert run_program(tmp_path, start + code).returncode == 1
        assert said in (tmp_path / "x.log").read_text()


def test_a_job_notes_what_the_kernel_knows_of_it(tmp_path: Path) -> None:
    """Processor time and memory of itself and of its children, also where it ends with an error."""
    program = (
        "import os, subprocess, sys\nfrom replication.engine.job import job\n"
        "with job('x.log'):\n"
        "    busy = 'import time\\nwhile time.process_time() < .5: pass'\n"
        "    subprocess.run([sys.executable, '-c', busy])\n    block = bytearray(200 << 20)\n    raise ValueError\n"
    )
    assert run_program(tmp_path, program).returncode == 1
    note = json.loads((tmp_path / "x.cost.json").read_text())
    assert 0.5 < note["cpu_seconds"] < 5
    assert note["wall_seconds"] > 0
    assert 200 < note["peak_mib"] < 400
