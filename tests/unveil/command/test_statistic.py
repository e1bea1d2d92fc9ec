"""Algorithm 3 as two processes in two folders that exchange one file, by the older commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unveil.command import main as cli
from unveil.command import statistic
from unveil.command.models import Model
from unveil.confinement import landlock_version
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.ledger import Ledger
from unveil.mechanisms.entropy import SecureGenerator
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.protocols import Release
from unveil.releases import MeanOperator

SOURCE = Path(cli.__file__).parents[2]


def unveil(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, in a folder of its own, as a stranger would run it."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "unveil.command.main", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def agents(tmp_path: Path) -> tuple[Path, Path]:
    """An owner with features and labels, a learner with the features only."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    X /= np.linalg.norm(X, axis=1).max()
    y = np.where(X @ [3, -2, 1, 0] + 0.1 * rng.normal(size=2000) > 0, 1, -1)
    owner, learner = tmp_path / "owner", tmp_path / "learner"
    for folder in (owner, learner):
        folder.mkdir()
        np.save(folder / "features.npy", X)
    np.save(owner / "labels.npy", y)
    return owner, learner


def run(folder: Path, *arguments: str) -> int:
    """The same in this process, with file names relative to the folder."""
    files = ("--features", "--labels", "--release", "--out", "--model", "--ledger")
    placed = [
        str(folder / word) if before in files else word
        for before, word in zip(("", *arguments), arguments, strict=False)
    ]
    return cli.main(placed)


def assert_one_line(capsys: pytest.CaptureFixture[str], message: str) -> None:
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


OWNER = ("owner-release", "--features", "features.npy", "--labels", "labels.npy", "--out", "release.json")
LEARNER = ("learner-fit", "--features", "features.npy", "--release", "release.json", "--model", "model.json")


@pytest.mark.slow
def test_two_processes_exchange_one_file(agents: tuple[Path, Path]) -> None:
    owner, learner = agents
    done = unveil(owner, *OWNER, "--alpha", "2")
    assert done.returncode == 0, done.stderr
    assert "mean-operator of 2000 records by GeometricMeanOperator; epsilon 2" in done.stdout
    (learner / "release.json").write_bytes((owner / "release.json").read_bytes())
    labels = (owner / "labels.npy").read_bytes()
    (owner / "labels.npy").unlink()  # nobody has them now
    done = unveil(learner, *LEARNER, "--l2", "0.001")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in learner.iterdir()) == ["features.npy", "model.json", "release.json"]
    model = Model.load(learner / "model.json").estimator
    (owner / "labels.npy").write_bytes(labels)
    X, y = np.load(learner / "features.npy"), np.load(owner / "labels.npy")
    assert np.mean(np.sign(X @ model.coef_[0]) == y) > 0.9
    assert model.gradient_norm_ < 1e-8


def test_they_are_the_same_as_the_library(agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    owner, _ = agents
    X, y = np.load(owner / "features.npy"), np.load(owner / "labels.npy")
    for noise in ("geometric", "printed", "laplace", "gamma"):
        (owner / "release.json").unlink(missing_ok=True)
        assert run(owner, *OWNER, "--alpha", "1", "--noise", noise, "--simulation", "--seed", "1") == 0
        overclaimed = ", though 1 is claimed" in capsys.readouterr().out
        assert run(owner, *LEARNER, "--loss", "matsushita", "--l2", "0.1", "--force") == 0
        released = Release.load(owner / "release.json")
        if noise == "geometric":
            again = GeometricMeanOperator(1.0, testing=True).publish((X, y), np.random.default_rng(1))
            assert released.checksum == again.checksum
        model = Model.load(owner / "model.json")
        expected = MeanOperatorClassifier("matsushita", l2=0.1).fit(released, X)
        assert np.array_equal(model.estimator.coef_, expected.coef_)
        assert overclaimed == (released.exact_epsilon > 1.0001) == (noise == "printed")


@pytest.mark.parametrize("earlier", [False, True])
def test_the_learner_takes_releases_that_name_no_columns(
    agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str], earlier: bool
) -> None:
    owner, _ = agents
    X, y = 3 * np.load(owner / "features.npy"), np.load(owner / "labels.npy")
    np.save(owner / "features.npy", X)
    np.savetxt(owner / "rows.csv", X, delimiter=",", header="a,b,c,d", comments="", fmt="%.17g")
    classes: list[object] = [-1, 1] if earlier else ["no", "yes"]
    if earlier:
        MeanOperator.released(X, y, GeometricMeanOperator(2.0), SecureGenerator()).save(owner / "release.json")
    else:
        names = np.where(y > 0, "yes", "no")
        GeometricMeanOperator(2.0).publish((X, names), intercept=True, classes=classes).save(owner / "release.json")
    assert run(owner, *LEARNER) == 0
    expected = MeanOperatorClassifier().fit(Release.load(owner / "release.json"), X)
    assert np.array_equal(Model.load(owner / "model.json").estimator.coef_, expected.coef_)
    release, rows, model = (str(owner / name) for name in ("release.json", "rows.csv", "model"))
    assert cli.main(["fit", "mean-operator", release, rows, "--model", model]) == 0
    assert cli.main(["inspect", model]) == 0
    assert cli.main(["predict", model, rows, "--out", str(owner / "out.csv")]) == 0
    predicted = [line.split(",")[0] for line in (owner / "out.csv").read_text().splitlines()[1:]]
    assert predicted == [str(name) for name in expected.predict(X)]
    np.save(owner / "features.npy", X[::-1])
    capsys.readouterr()
    assert run(owner, *LEARNER, "--force") == 1
    assert_one_line(capsys, "must be the rows of the release, in the same order")


def test_noise_is_fresh_without_a_seed(agents: tuple[Path, Path]) -> None:
    owner, _ = agents
    values = []
    for _ in range(2):
        assert run(owner, *OWNER, "--alpha", "1") == 0
        values.append(Release.load(owner / "release.json").arrays["sum"])
        (owner / "release.json").unlink()
    assert not np.any(np.isclose(values[0], values[1], rtol=1e-12))


def test_csv_files_with_and_without_names(agents: tuple[Path, Path]) -> None:
    owner, _ = agents
    X, y = np.load(owner / "features.npy"), np.load(owner / "labels.npy")
    np.savetxt(owner / "features.csv", X, delimiter=",", header="a,b,c,d", comments="", fmt="%.17g")
    np.savetxt(owner / "labels.csv", y, fmt="%d")
    arguments = ["features.csv" if a == "features.npy" else "labels.csv" if a == "labels.npy" else a for a in OWNER]
    assert run(owner, *arguments, "--alpha", "1", "--simulation", "--seed", "3") == 0
    by_csv = (owner / "release.json").read_bytes()
    (owner / "release.json").unlink()
    assert run(owner, *OWNER, "--alpha", "1", "--simulation", "--seed", "3") == 0
    assert (owner / "release.json").read_bytes() == by_csv
    assert run(owner, *[a.replace(".npy", ".csv") for a in LEARNER]) == 0
    assert statistic.read_features(owner / "labels.csv").shape == (2000, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--alpha", "0"), "alpha must be a number"),
        (("--alpha", "0", "--noise", "gamma", "--simulation", "--seed", "1"), "alpha must be a positive"),
        (("--alpha", "1", "--noise", "gamma", "--simulation", "--seed", "1", "--bound", "0.1"), "‖x‖₂ ≤ bound"),
        (("--alpha", "1", "--noise", "laplace", "--simulation", "--seed", "1", "--l1-bound", "0.1"), "‖x‖₁ ≤ l1_bound"),
        (("--alpha", "1", "--noise", "laplace"), "for simulation only: give --simulation and --seed"),
        (("--alpha", "1", "--simulation", "--seed", "-1"), "--seed must not be negative"),
        (("--alpha", "1", "--labels", "features.npy"), "y must have shape"),
        (("--alpha", "1", "--labels", "nowhere.npy"), "cannot read"),
        (("--alpha", "1", "--labels", "labels.txt"), "must be a .npy or a .csv file"),
        (("--alpha", "1", "--out", "nowhere/release.json"), "cannot write"),
    ],
)
def test_mistakes_of_the_owner_are_one_line(
    agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str], change: tuple[str, ...], message: str
) -> None:
    owner, _ = agents
    assert run(owner, *OWNER, *change) == 1
    assert_one_line(capsys, message)
    assert not (owner / "release.json").exists()


def test_a_release_is_never_overwritten(agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A second release about the same labels would spend the budget twice; and the labels themselves are no target."""
    owner, _ = agents
    assert run(owner, *OWNER, "--alpha", "1") == 0
    before = {path.name: path.read_bytes() for path in owner.iterdir()}
    (owner / "elsewhere").symlink_to(owner / "nowhere.json")
    before["elsewhere"] = b""
    for target in ("release.json", "labels.npy", "features.npy", "elsewhere"):
        capsys.readouterr()
        assert run(owner, *OWNER, "--alpha", "1", "--out", target) == 1
        assert_one_line(capsys, f"{target} exists, and a release never takes another file's place")
    after = {path.name: b"" if path.is_symlink() else path.read_bytes() for path in owner.iterdir()}
    assert after == before


def test_nothing_is_spent_on_what_nobody_can_read(
    agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    owner, _ = agents
    X = np.load(owner / "features.npy")
    ledger = ("--ledger", "spent.jsonl", "--limit", "1.5")
    np.save(owner / "huge.npy", X * 1e308)
    (owner / "half.csv").write_text("1,-0.5,O.3,1\n0.2,0.1,0.4,0\n")
    mistakes = {"huge.npy": "X must hold numbers of at most 1e+100", "half.csv": "line 1 holds numbers and words"}
    for features, message in mistakes.items():
        assert run(owner, *OWNER, "--alpha", "1", "--features", features, *ledger) == 1
        assert_one_line(capsys, message)
    np.save(owner / "labels3.npy", np.arange(2000) % 3)
    assert run(owner, *OWNER, "--alpha", "1", "--labels", "labels3.npy", *ledger) == 1
    assert_one_line(capsys, "y must hold the labels -1 and +1 only")
    assert not (owner / "release.json").exists()
    assert not (owner / "spent.jsonl").exists()


def test_the_ledger_refuses_to_overspend(agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    owner, _ = agents
    ledger = ("--ledger", "spent.jsonl", "--limit", "1.5", "--records", "study")
    assert run(owner, *OWNER, "--alpha", "1", *ledger) == 0
    assert Ledger(owner / "spent.jsonl").spent("study") == (1.0, 0.0)
    capsys.readouterr()
    assert run(owner, *OWNER, "--alpha", "1", *ledger, "--out", "again.json") == 1
    assert_one_line(capsys, "epsilon would be 2 for 'study', above the limit of 1.5; nothing was spent")
    assert not (owner / "again.json").exists()


def test_a_seed_is_said_wherever_it_was_used(agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    owner, _ = agents
    assert run(owner, *OWNER, "--alpha", "1", "--seed", "1") == 1
    assert_one_line(capsys, "--seed needs --simulation")
    assert run(owner, *OWNER, "--alpha", "1", "--simulation", "--seed", "1") == 0
    assert capsys.readouterr().out.startswith("SIMULATION, drawn from a seed: ")
    assert Release.load(owner / "release.json").randomness == "seeded"
    assert run(owner, *LEARNER) == 0
    assert "from a SIMULATED release" in capsys.readouterr().out
    (owner / "release.json").unlink()
    assert run(owner, *OWNER, "--alpha", "1") == 0
    assert Release.load(owner / "release.json").randomness == "os"
    assert "SIMUL" not in capsys.readouterr().out


def test_a_model_takes_no_input_s_place(agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    owner, _ = agents
    assert run(owner, *OWNER, "--alpha", "1") == 0
    assert run(owner, *LEARNER) == 0
    capsys.readouterr()
    assert run(owner, *LEARNER) == 1
    assert_one_line(capsys, "model.json exists, and is not overwritten")
    assert run(owner, *LEARNER, "--force", "--model", "release.json") == 1
    assert_one_line(capsys, "which is read")
    os.mkfifo(owner / "pipe")
    assert run(owner, *LEARNER, "--force", "--model", "pipe") == 1
    assert_one_line(capsys, "it is no plain file")
    assert run(owner, *LEARNER, "--force") == 0


@pytest.mark.slow
@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_the_owner_opens_nothing_else(agents: tuple[Path, Path]) -> None:
    """Whatever the code of a release tries: the kernel refuses files that the command did not name."""
    owner, learner = agents
    program = "import sys\nfrom unveil.command import main, statistic\nfrom pathlib import Path\n"
    spy = f"statistic.read_features = lambda path: Path({str(learner / 'features.npy')!r}).read_bytes()\n"
    for text, code in ((program, 0), (program + spy, 1)):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        command = [sys.executable, "-c", f"{text}sys.exit(main.program())", *OWNER, "--alpha", "1"]
        done = subprocess.run(command, cwd=owner, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        if code:
            assert "Permission denied" in done.stderr
        (owner / "release.json").unlink(missing_ok=True)


def test_mistakes_of_the_learner_are_one_line(agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    owner, learner = agents
    assert run(owner, *OWNER, "--alpha", "1") == 0
    release = (owner / "release.json").read_bytes()
    np.save(learner / "other.npy", np.load(learner / "features.npy")[::-1])
    (learner / "text.csv").write_text("a,b\n1,x\n")
    (learner / "broken.npy").write_bytes(b"")
    for text, change, message in [
        (release[: len(release) // 2], (), "truncated"),
        (release.replace(b"geometric", b"geometrIc"), (), "altered"),
        (release, ("--features", "other.npy"), "must be the rows of the release"),
        (release, ("--features", "text.csv"), "must hold numbers"),
        (release, ("--features", "broken.npy"), "must hold numbers"),
        (release, ("--loss", "hinge"), "loss must be"),
        (release, ("--l2", "-1"), "l2 must be"),
        (release, ("--model", "nowhere/model.json"), "cannot write"),
    ]:
        (learner / "release.json").write_bytes(text)
        assert run(learner, *LEARNER, *change) == 1
        assert_one_line(capsys, message)
    assert not (learner / "model.json").exists()
