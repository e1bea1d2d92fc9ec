"""What the commands say, note and refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from own_tables import PEOPLE, RENTS, Unveil, people, rents, schema
from unveil import confinement
from unveil.command import main as cli
from unveil.confinement import landlock_version
from unveil.kernels import kernel_folders
from unveil.ledger import Ledger
from unveil.protocols.base import Release

SOURCE = Path(cli.__file__).parents[2]


def process(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a stranger would run it."""
    command = [sys.executable, "-m", "unveil", *line.split()]
    settings = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=300, check=False)


def test_a_seed_is_a_simulation_and_says_so(unveil: Unveil) -> None:
    rents(500).to_csv("rents.csv", index=False)
    schema(RENTS)
    line = "release products rents.csv --epsilon 8 --label rent --id flat --schema schema.json"
    assert "--seed needs --simulation" in unveil(f"{line} --seed 1 --out a").err
    assert "--simulation needs --seed" in unveil(f"{line} --simulation --out a").err
    for name in ("a", "b"):
        done = unveil(f"{line} --simulation --seed 0 --out {name}")
        assert done.out.startswith("SIMULATION, drawn from a seed: ")
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert Release.load("a").randomness == "seeded"
    assert "SIMULATION" in unveil("inspect a").out
    assert "from a SIMULATED release" in unveil("fit products a --model m").out
    for _ in range(2):
        Path("c").unlink(missing_ok=True)
        unveil(f"{line} --out c").well()
        assert Release.load("c").checksum != Release.load("a").checksum


def test_the_owner_hears_of_values_outside_the_range_and_nobody_else(unveil: Unveil) -> None:
    frame = rents(500)
    frame.loc[3, "area"] = 1000.0
    frame.to_csv("high.csv", index=False)
    frame.loc[3, "area"] = 200.0
    frame.to_csv("edge.csv", index=False)
    schema(RENTS)
    for name in ("high", "edge"):
        line = f"release products {name}.csv --epsilon 8 --label rent --id flat --schema schema.json"
        done = unveil(f"{line} --simulation --seed 1 --out {name}")
        assert done.code == 0
        assert ("1 value of 'area' lies outside its public range" in done.err) == (name == "high")
    assert Path("high").read_bytes() == Path("edge").read_bytes()


def test_the_owner_hears_that_the_names_of_classes_become_public(unveil: Unveil) -> None:
    people(200).to_csv("people.csv", index=False)
    line = "release mean-operator people.csv --epsilon 2 --label ill --id person --schema schema.json"
    schema({name: column for name, column in PEOPLE.items() if name != "ill"})
    assert "the classes of 'ill' become public, as the column shows them: no, yes" in unveil(f"{line} --out a").err
    schema(PEOPLE)
    assert unveil(f"{line} --out b").err == ""


def test_the_ledger_notes_and_refuses(unveil: Unveil) -> None:
    rents(500).to_csv("rents.csv", index=False)
    schema(RENTS)
    line = "release products rents.csv --label rent --id flat --schema schema.json --ledger spent --records flats"
    unveil(f"{line} --epsilon 2 --limit 3 --out a").well()
    assert Ledger("spent").spent("flats")[0] == pytest.approx(2)
    assert "products in a" in Path("spent").read_text()
    done = unveil(f"{line} --epsilon 2 --limit 3 --out b")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "above the limit of 3; nothing was spent" in done.err
    assert not Path("b").exists()


@pytest.mark.parametrize("landlock", [True, False])
def test_the_owners_process_may_open_what_it_was_told(
    unveil: Unveil, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], landlock: bool
) -> None:
    rents(50).to_csv("rents.csv", index=False)
    schema(RENTS)
    opened: list[set[Path]] = []

    def note(*paths: Iterable[Path]) -> bool:
        opened.extend(map(set, paths))
        return landlock

    monkeypatch.setattr(confinement, "confine", note)
    line = "release products rents.csv --epsilon 8 --label rent --id flat --schema schema.json --ledger books/spent"
    Path("books").mkdir()
    monkeypatch.setattr(sys, "argv", ["unveil", *line.split(), "--out", "r"])
    assert cli.program() == 0
    readable, writable = opened
    own = {Path("rents.csv"), Path("schema.json"), Path(), Path("books")}
    assert (readable & own, writable & own) == ({Path("rents.csv"), Path("schema.json")}, {Path(), Path("books")})
    assert {*kernel_folders()} <= writable
    assert ("no Landlock" in capsys.readouterr().err) == (not landlock)


@pytest.mark.slow
@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_the_owner_is_confined(tmp_path: Path) -> None:
    """A process of its own works within its confinement, with files in other folders than it starts in."""
    for name in ("data", "out", "home"):
        (tmp_path / name).mkdir()
    rents(2000).to_parquet(tmp_path / "data/rents.parquet")
    (tmp_path / "data/schema.json").write_text(json.dumps({"columns": RENTS}))
    line = "release products ../data/rents.parquet --epsilon 8 --label rent --id flat --schema ../data/schema.json"
    done = process(tmp_path / "home", f"{line} --out ../out/r --ledger ../out/spent")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["r", "spent"]
    (tmp_path / "data/rents.parquet").rename(tmp_path / "data/real.parquet")
    (tmp_path / "data/rents.parquet").symlink_to("/proc/self/environ")
    done = process(tmp_path / "home", f"{line} --out ../out/s")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert not (tmp_path / "out/s").exists()


def test_mistakes_of_use_are_one_line(unveil: Unveil) -> None:
    rents(50).to_csv("rents.csv", index=False)
    schema(RENTS)
    Path("r").write_text("no release")
    good = "release products rents.csv --epsilon 8 --label rent --id flat --schema schema.json --out x"
    for line, message in {
        "relese": "No such command 'relese'",
        "release prod rents.csv": "'prod' is not one of",
        f"{good} --epsilom 1": "Did you mean '--epsilon'?",
        f"{good} --epsilon one": "'one' is not a valid float",
        "release products rents.csv --out x": "Missing option '--label'",
        "fit products": "Missing argument 'RELEASE'",
        f"{good} --delta 1e-6": "--delta does not apply to products",
        f"{good} --window 3": "--window does not apply to products",
        f"{good} --sets city": "--sets does not apply to products",
        f"{good} --limit 3": "--records and --limit need --ledger",
        f"{good} --epsilon 0": "epsilon must be a number",
        f"{good} --epsilon nan": "epsilon must be a number",
        "release tags rents.csv --epsilon 1 --label city --sets flat --features rent --out x": "promise no privacy",
        "release tags rents.csv --label city --features rent --out x": "--sets is needed for tags",
        "release ratios rents.csv --label city --sets flat --features area --out x": "--epsilon is needed for ratios",
        f"{good} --features area,area": "list each column once",
        f"{good} --features {'x' * 200_000}": "--features must be a line of names as in CSV",
        f"{good} --features area,rent": "must not hold",
        f"{good} --range city=0:1": "the range of 'city' is given twice",
        f"{good} --range flat=0:1": "--range flat: it is neither a feature nor the label",
        f"{good} --schema nowhere.json": "cannot read nowhere.json",
        f"{good} --out nowhere/x": "cannot write nowhere/x",
        f"{good} --out rents.csv": "rents.csv exists, and a release never takes another file's place",
        "inspect nowhere": "cannot read nowhere",
        "inspect r": "r is no release file",
        "fit products r --model m": "r is no release file",
        "predict r rents.csv --out p.csv": "r is no model file",
    }.items():
        done = unveil(line)
        assert done.code in (1, 2), line
        assert message in done.err, line
        assert done.err.count("\n") == 1, done.err
        assert done.out == ""
    assert sorted(path.name for path in Path().iterdir()) == ["r", "rents.csv", "schema.json"]


def test_help_says_how(unveil: Unveil) -> None:
    for command in ("release", "inspect", "fit", "predict"):
        done = unveil(f"{command} --help")
        assert done.code == 0
        assert f"unveil {command} " in done.out.partition("Example:")[2]
    assert "_UNVEIL_COMPLETE" in unveil("--help").out
    assert unveil("--version").out.startswith("unveil, version ")
    assert unveil("").code == 2


@pytest.mark.slow
def test_help_loads_no_heavy_library(tmp_path: Path) -> None:
    probe = (
        "import sys\nfrom unveil.command import main\nmain.main(['--help'])\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'pyarrow', 'pandas', 'matplotlib'}\n"
        "print('loaded', sorted(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "loaded []" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk to write to")
def test_a_full_disk_behind_the_output_is_one_line() -> None:
    command, environment = [sys.executable, "-m", "unveil", "--version"], {**os.environ, "PYTHONPATH": str(SOURCE)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "unveil: No space left on device: standard output\n")


@pytest.mark.slow
def test_the_shell_completes(tmp_path: Path) -> None:
    done = process(tmp_path, "", _UNVEIL_COMPLETE="bash_complete", COMP_WORDS="unveil rel", COMP_CWORD="1")
    assert done.stdout.split() == ["plain,release"]
