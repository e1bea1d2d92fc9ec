"""Kernels that are compiled ahead: none is left to compile for a figure's learners."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from project import ROOT
from replication.engine.warming import KINDS, TAGGER, warm_up

FIG7 = "replication.papers.linear_moments.fig7.learn"
#: Every estimator of figure 7, on windows with few and with many vectors of counts.
LEARNERS = """
from itertools import product
from replication.papers.linear_moments.fig7.learn import TAGGERS, learn
from replication.papers.linear_moments.fig7.settings import Learn
from replication.randomness import Trial
from tagging_fields import TRAINING, public, regions

owner, learner = (Trial(1, "linear_moments", "fig7", stage, "all", 0) for stage in ("release", "learn"))
for budget, window in product((1, 500), (1, 5, 10)):
    own = {**TRAINING, "budget": budget, "two_evaluate_at": (0.5, 1.0), "rate": 0.1, "optimizer": "adagrad"}
    settings = Learn(estimators=dict.fromkeys(TAGGERS, (window,)), **own)
    learn(regions(owner, window), public("tags"), learner, settings)
"""


def test_nothing_is_compiled_for_figures_without_a_tagger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    warm_up(["replication.papers.mean_operator.release.learn", "replication.papers.spread.fig1.learn"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_all_that_learners_of_counts_need_is_compiled_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    warm_up([FIG7])
    ready = {path for path in tmp_path.rglob("*.nbc") if TAGGER.rpartition(".")[2] in path.parent.name}
    assert {path.name for path in tmp_path.glob("tagger-*")} == {f"tagger-{kind}" for kinds in KINDS for kind in kinds}
    support = os.pathsep.join([str(ROOT / "tests" / "support"), str(ROOT / "src"), str(ROOT)])
    subprocess.run([sys.executable, "-c", LEARNERS], env={**os.environ, "PYTHONPATH": support}, check=True)
    assert ready
    assert {path for path in tmp_path.rglob("*.nbc") if "counts" in path.parent.name} == ready


def test_what_is_compiled_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for kinds in KINDS:
        for kind in kinds:
            (tmp_path / f"tagger-{kind}").touch()
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **_: started.append(arguments))
    warm_up([FIG7])
    assert started == []
