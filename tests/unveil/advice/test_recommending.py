"""Advice: yardsticks where they belong, intervals that cover, verdicts that follow from them, and no private data."""

from __future__ import annotations

import json
import re
import time
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng
from scipy import stats

from unveil.advice import worlds
from unveil.advice.recommending import Option, Recommendation, _verdict, describe_setting, recommend
from unveil.command import main as cli
from unveil.command.learner import settings_of
from unveil.errors import UnveilError
from unveil.protocols.base import find_protocol


@pytest.fixture(scope="module")
def regression() -> Recommendation:
    return recommend(30_000, 2, "regress", epsilon=6.0, trials=4)


def test_yardsticks_enclose_what_is_learned(regression: Recommendation) -> None:
    errors = {(option.mechanism, option.estimator): option.error for option in regression.options}
    clean, blind = errors["no veil", "least squares"], errors["nothing seen", "mean"]
    assert 0.05 < clean < 0.2  # noise of a third of the spread leaves a tenth unexplained
    assert blind == pytest.approx(1.0, abs=0.01)
    assert clean < regression.best.error < blind
    assert [option.error for option in regression.options] == sorted(errors.values())


def test_levels_are_those_of_the_releases(regression: Recommendation) -> None:
    for option in regression.options:
        assert option.low <= option.error <= option.high
        assert option.bound or option.epsilon == pytest.approx(6.0)


def test_the_best_choice_has_commands_that_the_command_knows(regression: Recommendation) -> None:
    assert regression.best.commands[0].startswith("unveil release moments DATA --epsilon 6 ")
    assert_commands_do_what_was_tried(regression)


def assert_commands_do_what_was_tried(found: Recommendation) -> None:
    """As the command reads them: the protocol, the estimator and its settings, and public rows where it has some."""
    for option in found.options:
        if option.commands:
            release, fit = (
                cli.cli.commands[name].make_context(name, words).params
                for name, *words in (line.split()[1:] for line in option.commands)
            )
            protocol = find_protocol(release["protocol"])
            assert (fit["protocol"], fit["release"]) == (protocol.name, release["out"])
            assert fit["public"] == (Path("PUBLIC") if protocol.with_public else None)
            learner = protocol.learner(fit["estimator"])
            assert option.estimator.split(", ") == [learner.__name__, *fit["settings"]]
            learner(**settings_of(learner, fit["settings"]))


def test_the_table_shows_every_option(regression: Recommendation) -> None:
    head, *rows = (re.split("  +", line) for line in str(regression).splitlines() if line.count("  ") > 3)
    assert head == ["mechanism", "estimator", "1 - R²", "95 %", "epsilon", "delta", "CPU s"]
    shown = {(row[0].removesuffix(" (simulation)"), row[1]): row[2:] for row in rows}
    for option in regression.options:
        error, interval, level, *_ = shown[option.mechanism, option.estimator]
        numbers = [float(error), *map(float, interval.split(" to "))]
        assert numbers == pytest.approx([option.error, option.low, option.high], abs=5e-4)
        assert level == "none" if option.mechanism == "no veil" else float(level) == pytest.approx(option.epsilon)


def test_what_is_private_and_who_may_see_the_table_have_tables_of_their_own() -> None:
    found = recommend(300, 2, "classify", epsilon=4.0, trials=3)
    label, whole = (describe_setting(name) for name in ("mean-operator", "records"))
    assert {label, whole} <= set(found.verdicts)
    tables = {setting: {option.mechanism for option in found.of(setting)} for setting in found.verdicts}
    assert tables[label] >= {"GeometricMeanOperator", "no veil", "nothing seen"}
    assert "NoisyRecords" in tables[whole] - tables[label]
    said = str(found)
    assert said.startswith("Who may see the table, and what is private?")
    assert said.count("unveil release mean-operator") == 1 == said.count("unveil release records")


def test_the_same_seed_gives_the_same_errors_and_seconds_are_of_one_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(time, "process_time", lambda: next(ticks))
    shares: list[float] = []
    first, second = (
        recommend(500, 2, "regress", epsilon=6.0, trials=3, seed=5, progress=shares.append) for _ in range(2)
    )
    assert [option.error for option in first.options] == [option.error for option in second.options]
    assert {option.seconds for option in first.options} == {1.0}
    assert np.allclose(shares, 2 * [*np.linspace(0, 1, len(shares) // 2 + 1)[1:]])


def option(error: float, **change: object) -> Option:
    usual = dict(mechanism="veil", estimator="aware", error=error, low=error, high=error, epsilon=1.0, delta=0.0)
    rest = dict(seconds=0.0, ignores=False, bound=False, commands=("unveil",))
    return Option(**{**usual, **rest, **change})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("naive", "said"),
    [
        ([0.2, 0.2, 0.201], "Ignoring the veil does as well"),
        ([0.3, 0.31, 0.3], "Ignoring the veil costs"),
        ([0.1, 0.4, 0.3], "Whether ignoring the veil does as well is open"),
    ],
)
def test_the_verdict_follows_from_the_paired_interval(naive: list[float], said: str) -> None:
    columns = {"aware": [0.2, 0.201, 0.2], "naive": naive, "nothing": [0.5, 0.5, 0.51]}
    errors = np.array(list(columns.values())).T
    options = [
        option(0.2),
        option(float(np.mean(naive)), estimator="naive", ignores=True, commands=()),
        option(0.5, mechanism="nothing seen", epsilon=0.0, bound=True, commands=()),
    ]
    verdict = _verdict(options, errors, matters=0.01)
    assert said in verdict
    paired = stats.ttest_rel(errors[:, 1], errors[:, 0]).confidence_interval(0.95)
    assert f"costs {paired.low:.3f} to {paired.high:.3f}" in verdict or "does as well:" in verdict
    assert "not shown to beat" not in verdict
    assert "not shown to beat" in _verdict(options, errors[:, [2, 1, 2]], matters=0.01)


def test_public_rows_to_test_on_are_never_learned_from() -> None:
    X = np.arange(400.0)[:, None] / 400
    world = worlds.draw_targets(1000, 1, (X, X[:, 0]), default_rng(0))
    assert not set(world.X_test[:, 0]) & set(world.X[:, 0])
    assert len(world.X) == 1000


def test_a_public_table_is_learned_as_it_is() -> None:
    """Without a veil nothing of a target that is linear in its features stays unexplained."""
    X = default_rng(0).random((100, 2))
    found = recommend(100, 2, "regress", epsilon=6.0, trials=3, like=(X, X @ [0.25, 0.5]))
    clean, blind = (option.error for option in found.options if option.bound)
    assert clean == pytest.approx(0, abs=1e-9)
    assert blind == pytest.approx(1, abs=0.2)


def test_synthetic_sets_and_text_have_the_shape_asked_for() -> None:
    sets = worlds.draw_sets(600, 3, 6, None, default_rng(0))
    assert [bag.shape for bag in sets.X] == [(100, 3)] * 6
    assert sets.y.sum(axis=1).tolist() == [100] * 6
    # The first points of a set are of the second class: two deviations away from the others.
    (points,), ((_, ones),) = (getattr(worlds.draw_sets(20_000, 3, 1, None, default_rng(1)), name) for name in "Xy")
    apart = np.linalg.norm(points[:ones].mean(axis=0) - points[ones:].mean(axis=0))
    assert apart / points[:ones].std(axis=0).mean() == pytest.approx(2, rel=0.1)
    assert np.all(np.abs(points - 0.5) < 1)
    text = worlds.draw_text(400, default_rng(0))
    assert sum(map(len, text.X)) == 400 == sum(map(len, text.y))


def test_mistakes() -> None:
    changes: list[tuple[dict[str, object], str]] = [
        (dict(task="sort"), "task must be one of"),
        (dict(n=3), "n must be a whole number of at least 20"),
        (dict(d=0), "d must be"),
        (dict(epsilon=0.0), "epsilon must be"),
        (dict(trials=1), "trials must be"),
        (dict(like=(np.ones(30), np.ones(30))), "at least 20 rows"),
        (dict(like=(np.ones((30, 2)), np.ones(29))), "at least 20 rows"),
        (dict(like=(np.ones((19, 2)), np.ones(19))), "at least 20 rows"),
        (dict(like=(np.ones((30, 2)) * 2, np.ones(30))), "like must have features in"),
        (dict(like=(np.ones((30, 2)), np.ones(30)), task="classify"), "like must have classes 0 and 1"),
        (dict(like=(np.ones((30, 3)), np.ones(30))), "like must have d = 2 features"),
    ]
    for change, message in changes:
        with pytest.raises(UnveilError, match=message):
            recommend(**{**dict(n=100, d=2, task="regress", epsilon=1.0), **change})  # type: ignore[arg-type]


def test_the_command_prints_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = default_rng(0)
    frame = pd.DataFrame({"area": rng.uniform(10, 90, 300), "town": rng.choice(["A", "B"], 300)})
    frame.assign(rent=frame["area"] * 3).to_csv("public.csv", index=False)
    line = "advise --rows 2000 --columns 2 --task regress --epsilon 8 --trials 3 --like public.csv --label rent"
    assert cli.main([*line.split(), "--figure", "advice.svg"]) == 0
    said = capsys.readouterr()
    assert "unveil release products DATA" in said.out
    assert said.err == ""
    assert "<svg" in Path("advice.svg").read_text()[:500]
    for words, message in {
        "--figure advice.svg": "advice.svg exists",
        "--figure advice.txt": "must be a .png, .pdf or .svg file",
        "--label rnt": "no column 'rnt'",
        "--like nowhere.csv": "no such file",
        "--task tags": "--like does not apply to tags",
        "--task classify": "must hold two classes",
    }.items():
        assert cli.main([*line.split(), *words.split()]) == 1
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert json.dumps(sorted(path.name for path in Path().iterdir())) == '["advice.svg", "public.csv"]'
    # The town tells the class: of public rows nothing is lost where nothing veils them.
    frame.assign(rent=np.where(frame["town"] == "A", "low", "high")).to_csv("public.csv", index=False)
    assert cli.main([*line.replace("regress", "classify").split()]) == 0
    assert re.search(r"^no veil +LogisticRegression +0\.000 ", capsys.readouterr().out, re.M)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classify", "ratios", "tags"])
def test_every_task_ranks_between_its_yardsticks(task: str) -> None:
    found = recommend(2000, 2, task, epsilon=4.0, sets=10, trials=3)
    ends = [option.error for option in found.options if option.bound]
    assert min(ends) - 0.02 <= found.best.error < max(ends)
    assert all(verdict.startswith("Best: ") for verdict in found.verdicts.values())
    assert_commands_do_what_was_tried(found)


@pytest.mark.slow
def test_the_command_audits(capsys: pytest.CaptureFixture[str]) -> None:
    for protocol in ("mean-operator", "products", "ratios", "records"):
        assert cli.main(["audit", protocol, "--epsilon", "2", "--samples", "4000"]) == 0
        assert "the claim is not refuted" in capsys.readouterr().out
    assert cli.main(["audit", "tags", "--epsilon", "2"]) == 1
    assert "promise no privacy, so there is nothing to audit" in capsys.readouterr().err
