"""`unveil release`, `inspect`, `fit`, `predict`: from a table to predictions, for each protocol and both sides."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from unveil.command import main as cli
from unveil.confinement import landlock_version
from unveil.ledger import Ledger
from unveil.protocols import Release

SOURCE = Path(cli.__file__).parents[2]


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Unveil = Callable[..., Said]


@pytest.fixture
def unveil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Unveil:
    """The command, in this process and in a folder of its own; a word may be a line of words."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> Said:
        capsys.readouterr()
        code = cli.main(line.split())
        return Said(code, *capsys.readouterr())

    return run


def process(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a stranger would run it."""
    command = [sys.executable, "-m", "unveil", *line.split()]
    settings = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=300, check=False)


def rents(n: int = 60_000) -> pd.DataFrame:
    rng = default_rng(0)
    frame = pd.DataFrame({"flat": np.arange(n), "area": rng.uniform(10, 200, n), "city": rng.choice(["A", "B"], n)})
    frame["rent"] = 10 * frame["area"] + 500 * (frame["city"] == "B") + rng.normal(0, 50, n) + 100
    return frame


RENTS = {"area": {"range": [10, 200]}, "city": {"categories": ["A", "B"]}, "rent": {"range": [0, 3000]}}


def schema(columns: object, name: str = "schema.json") -> None:
    Path(name).write_text(json.dumps({"columns": columns}))


def people(n: int = 4000) -> pd.DataFrame:
    rng = default_rng(1)
    frame = pd.DataFrame({"person": [f"p{i}" for i in range(n)], "age": rng.uniform(0, 100, n).round(1)})
    frame["town"] = rng.choice(["in", "out"], n)
    margin = (frame["age"] - 50) / 10 + 3 * (frame["town"] == "in") - 1.5 + rng.logistic(size=n) / 2
    frame["ill"] = np.where(margin > 0, "yes", "no")
    return frame


PEOPLE = {"age": {"range": [0, 100]}, "town": {"categories": ["in", "out"]}, "ill": {"categories": ["no", "yes"]}}


def votes(sets: int = 12, size: int = 200) -> pd.DataFrame:
    rng = default_rng(2)
    parts = []
    for place in range(sets):
        share = rng.random()
        left = rng.random(size) < share
        points = rng.normal(np.where(left, 0.3, 0.7)[:, None], 0.08, (size, 2)).clip(0, 1)
        parts.append(
            pd.DataFrame(points, columns=["x", "z"]).assign(
                district=f"d{place:02d}", party=np.where(left, "left", "right")
            )
        )
    return pd.concat(parts).sample(frac=1, random_state=0).reset_index(drop=True)


def corpus(sentences: int = 300) -> pd.DataFrame:
    rng = default_rng(3)
    words = {"DT": ["the", "a"], "NN": ["dog", "cat", "tree"], "VB": ["runs", "sees", "barks"]}
    rows = []
    for number in range(sentences):
        tags = ("DT", "NN", "VB", "DT", "NN")[: rng.integers(2, 6)]
        rows += [(number, rng.choice(words[tag]), tag) for tag in tags]
    return pd.DataFrame(rows, columns=["sentence", "word", "tag"])


@pytest.mark.slow
def test_products_from_a_table_to_predictions(unveil: Unveil) -> None:
    frame = rents()
    frame.to_csv("rents.csv", index=False)
    schema(RENTS)
    done = unveil("release products rents.csv --epsilon 8 --label rent --id flat --schema schema.json --out r.unveil")
    assert done.code == 0, done.err
    assert "products of 60000 records by ExactProducts; epsilon 8" in done.out
    release = Release.load("r.unveil")
    assert (release.randomness, release.parameters["intercept"]) == ("os", True)
    assert "flat" not in json.dumps(release.parameters)
    assert "rent" in unveil("inspect r.unveil").out
    assert unveil("fit products r.unveil --set solver=ridge --model r.model").code == 0
    frame.drop(columns="rent").head(500).to_parquet("new.parquet")
    assert unveil("predict r.model new.parquet --id flat --out predicted.csv").code == 0
    predicted = pd.read_csv("predicted.csv")
    assert predicted["flat"].tolist() == list(range(500))
    spread = frame["rent"].head(500).std()
    assert np.sqrt(np.mean((predicted["prediction"] - frame["rent"].head(500)) ** 2)) < spread / 2
    assert unveil("predict r.model new.parquet --out predicted.parquet").code == 0
    assert np.allclose(pd.read_parquet("predicted.parquet")["prediction"], predicted["prediction"])


@pytest.mark.slow
def test_private_labels_from_a_table_to_predictions(unveil: Unveil) -> None:
    frame = people()
    frame.to_csv("private.csv", index=False)
    frame.drop(columns="ill").to_parquet("public.parquet")
    schema(PEOPLE)
    done = unveil("release mean-operator private.csv --epsilon 2 --label ill --id person --schema schema.json --out r")
    assert done.code == 0, done.err
    assert "epsilon 2" in done.out
    done = unveil("fit mean-operator r public.parquet --set l2=0.001 --model m")
    assert done.code == 0, done.err
    assert unveil("predict m public.parquet --id person --out predicted.csv").code == 0
    predicted = pd.read_csv("predicted.csv")
    assert np.mean(predicted["prediction"] == frame["ill"]) > 0.85
    assert np.array_equal(predicted["probability of yes"] > 0.5, predicted["prediction"] == "yes")


@pytest.mark.slow
def test_class_ratios_from_a_table_to_predictions(unveil: Unveil) -> None:
    frame = votes()
    old, new = frame[frame["district"] < "d09"], frame[frame["district"] >= "d09"]
    old.to_csv("old.csv", index=False)
    old.drop(columns="party").sample(frac=1, random_state=1).to_csv("public.csv", index=False)
    new.drop(columns="party").to_csv("new.csv", index=False)
    for extra, name in (("", "r"), ("--delta 1e-6", "g")):
        line = "release ratios old.csv --epsilon 1 --label party --sets district"
        done = unveil(f"{line} {extra} --range x=0:1 --range z=0:1 --out {name}")
        assert done.code == 0, done.err
    truth = (new["party"] == "left").groupby(new["district"]).mean()
    for estimator in ("MMDClassRatio", "SetIdEM", "SetIdLogistic"):
        done = unveil(f"fit ratios r public.csv --estimator {estimator} --model m --force")
        assert done.code == 0, done.err
        assert unveil("predict m new.csv --out predicted.csv --force").code == 0
        predicted = pd.read_csv("predicted.csv", index_col="district")
        assert predicted.index.tolist() == ["d09", "d10", "d11"]
        assert np.abs(predicted["share of left"] - truth).max() < 0.15
    assert unveil("inspect m").code == 0


@pytest.mark.slow
def test_proportion_svm_from_a_table_to_predictions(unveil: Unveil) -> None:
    """Fewer points than for the others: its labels are found by trying, and again whenever a model is read."""
    frame = votes(9, 40)
    old, new = frame[frame["district"] < "d06"], frame[frame["district"] >= "d06"]
    old.to_csv("private.csv", index=False)
    old.drop(columns="party").to_csv("public.csv", index=False)
    new.drop(columns="party").to_csv("new.csv", index=False)
    ranges = "--range x=0:1 --range z=0:1"
    assert unveil(f"release ratios private.csv --epsilon 2 --label party --sets district {ranges} --out r").code == 0
    done = unveil("fit ratios r public.csv --estimator ProportionSVM --model m")
    assert done.code == 0, done.err
    assert unveil("predict m new.csv --out predicted.csv").code == 0
    predicted = pd.read_csv("predicted.csv", index_col="district")["share of left"]
    truth = (new["party"] == "left").groupby(new["district"]).mean()
    assert np.abs(predicted - truth).max() < 0.2


def test_releases_of_sets_by_two_owners_merge(unveil: Unveil) -> None:
    frame = votes(6, 60)
    schema({"x": {"range": [0, 1]}, "z": {"range": [0, 1]}, "party": {"categories": ["left", "right"]}})
    owners = {"one": ["d05", "d00", "d03"], "two": ["d01", "d04", "d02"]}
    for name, sets in owners.items():
        frame[frame["district"].isin(sets)].to_csv(f"{name}.csv", index=False)
        done = unveil(
            f"release ratios {name}.csv --epsilon 20 --label party --sets district --schema schema.json --out {name}"
        )
        assert done.code == 0, done.err
    Release.load("one").merge(Release.load("two")).save("both")
    frame.drop(columns="party").to_csv("public.csv", index=False)
    assert unveil("fit ratios both public.csv --model m").code == 0
    assert unveil("predict m public.csv --out p.csv").code == 0
    # Each set has its own counts, though the names of one release lie between those of the other.
    truth = (frame["party"] == "left").groupby(frame["district"]).mean()
    assert np.abs(pd.read_csv("p.csv", index_col="district")["share of left"] - truth).max() < 0.1


@pytest.mark.slow
def test_tags_from_a_table_to_predictions(unveil: Unveil) -> None:
    frame = corpus()
    frame.to_csv("private.csv", index=False)
    frame.drop(columns="tag").to_csv("public.csv", index=False)
    line = "release tags private.csv --label tag --features word --sets sentence --window 2 --out r"
    done = unveil(line)
    assert done.code == 0, done.err
    assert "no privacy is promised" in done.out
    done = unveil("fit tags r public.csv --set method=moments --set passes=20 --model m")
    assert done.code == 0, done.err
    assert unveil("predict m public.csv --out predicted.csv").code == 0
    predicted = pd.read_csv("predicted.csv")
    assert predicted["word"].tolist() == frame["word"].tolist()
    assert np.mean(predicted["prediction"] == frame["tag"]) > 0.95


@pytest.mark.slow
def test_noisy_records_from_a_table_to_predictions(unveil: Unveil) -> None:
    frame = people(20_000)
    frame.to_csv("private.csv", index=False)
    frame.drop(columns="ill").to_csv("new.csv", index=False)
    schema(PEOPLE)
    done = unveil("release records private.csv --epsilon 8 --label ill --id person --schema schema.json --out r")
    assert done.code == 0, done.err
    assert Release.load("r").exact_epsilon == pytest.approx(8, rel=1e-6)
    done = unveil("fit records r --set prior=learned --set rate=5 --set fit_intercept=true --model m")
    assert done.code == 0, done.err
    assert unveil("predict m new.csv --out predicted.csv").code == 0
    assert np.mean(pd.read_csv("predicted.csv")["prediction"] == frame["ill"]) > 0.75


def test_a_seed_is_a_simulation_and_says_so(unveil: Unveil) -> None:
    rents(500).to_csv("rents.csv", index=False)
    schema(RENTS)
    line = "release products rents.csv --epsilon 8 --label rent --id flat --schema schema.json"
    assert "--seed needs --simulation" in unveil(f"{line} --seed 1 --out a").err
    assert "--simulation needs --seed" in unveil(f"{line} --simulation --out a").err
    for name in ("a", "b"):
        done = unveil(f"{line} --simulation --seed 1 --out {name}")
        assert done.out.startswith("SIMULATION, drawn from a seed: ")
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert Release.load("a").randomness == "seeded"
    assert "SIMULATION" in unveil("inspect a").out
    assert "from a SIMULATED release" in unveil("fit products a --model m").out
    for _ in range(2):
        Path("c").unlink(missing_ok=True)
        assert unveil(f"{line} --out c").code == 0
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
    assert unveil(f"{line} --epsilon 2 --limit 3 --out a").code == 0
    assert Ledger("spent").spent("flats")[0] == pytest.approx(2)
    done = unveil(f"{line} --epsilon 2 --limit 3 --out b")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "above the limit of 3; nothing was spent" in done.err
    assert not Path("b").exists()


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
        f"{good} --features area,rent": "must not hold",
        f"{good} --range city=0:1": "the range of 'city' is given twice",
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


@pytest.mark.slow
def test_the_shell_completes(tmp_path: Path) -> None:
    done = process(tmp_path, "", _UNVEIL_COMPLETE="bash_complete", COMP_WORDS="unveil rel", COMP_CWORD="1")
    assert done.stdout.split() == ["plain,release"]


def test_labels_are_flipped_alone_where_it_is_said_and_nowhere_else(unveil: Unveil) -> None:
    frame = people(3000)
    frame.to_csv("private.csv", index=False)
    frame.drop(columns="ill").to_csv("new.csv", index=False)
    schema(PEOPLE)
    line = "release records private.csv --epsilon 2 --label ill --id person --schema schema.json --clear-features"
    done = unveil(f"{line} --ledger spent --out r")
    assert done.code == 0, done.err
    assert "of the label alone, the features are published IN THE CLEAR" in done.out
    assert "holds 'age', 'town' of every record in the clear" in done.err
    release = Release.load("r")
    assert release.exact_epsilon == np.inf
    assert release.parameters["label_epsilon"] == pytest.approx(2, rel=1e-6) == Ledger("spent").spent("private.csv")[0]
    assert "in_the_clear" in unveil("inspect r").out
    own = np.column_stack([frame["age"] / 100, frame["town"] == "in", frame["town"] == "out"])
    assert np.allclose(release.arrays["features"], own)
    flipped = release.arrays["labels"] != (frame["ill"] == "yes")
    # Five standard deviations about 1/(1 + e^2): wrong once in two million.
    assert abs(flipped.mean() - 0.1192) < 5 * np.sqrt(0.1192 * 0.8808 / 3000)
    done = unveil("fit records r --set fit_intercept=true --model m")
    assert done.code == 0, done.err
    assert unveil("predict m new.csv --out predicted.csv").code == 0
    assert np.mean(pd.read_csv("predicted.csv")["prediction"] == frame["ill"]) > 0.85
    assert "--states does not apply" in unveil(f"{line} --states 4 --out s").err
    assert "--clear-features does not apply to products" in unveil(f"{line} --out s".replace("records", "products")).err
