"""Configurations of the right words and types that mean nothing: each is one line that names the place."""

from __future__ import annotations

import copy
import datetime
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from configured import CONFIG, FIELDS, alone, refusal
from replication.judging.multiverse.settings import studied
from unveil.errors import UnveilError

ONCE, NONE, LEAST, MOST = "must name each value once", "should have at least 1 item", "greater than", "less than"
#: By place, of a figure's settings from `paper/figure` on: what stands there, and what is said of it.
CASES: list[tuple[str, Any, str]] = [
    # What a flip, a probability, a level and a scale may be.
    ("spread/fig3 p_flips", [0.1, 0.5], MOST),
    ("spread/fig3 p_flips", [0.9], MOST),
    ("spread/fig1 p_flips", [0.5], MOST),
    ("spread/attack label_flip", 0.9, MOST),
    ("spread/voting flips", [[0.2, 0.9]], MOST),
    ("spread/theory label_flips", [[0.5, 0.5]], MOST),
    ("spread/consistency p_flips", [0.0], LEAST),
    ("spread/fig2 levels", [0.6], "levels of pixel_flip must be less than 0.5"),
    ("spread/gaussian variances", [inf], MOST),
    ("spread/gaussian variances", [5e-324], LEAST),
    ("spread/gaussian prior", [nan, 1.0], LEAST),
    ("spread/gaussian rate", inf, MOST),
    ("spread/attack sure", 1, MOST),
    ("class_ratio/fig3 epsilon", inf, MOST),
    ("class_ratio/fig3 epsilon", 0, LEAST),
    ("class_ratio/fig3 delta", 1, MOST),
    ("mean_operator/release l2s", [inf], MOST),
    ("mean_operator/release alphas", [-1], "a level is 1e-6 to 1e6, or .inf"),
    ("mean_operator/release alphas", [1e300], "a level is 1e-6 to 1e6, or .inf"),
    ("crossover/epsilon epsilons", [nan], "a level is 1e-6 to 1e6, or .inf"),
    ("linear_moments/fig3 epsilons", [0], LEAST),
    ("linear_moments/fig4 theta", inf, MOST),
    ("linear_moments/fig4 theta", 10**30, MOST),
    # Empty lists, and lists that say a thing twice.
    ("spread/fig3 p_flips", [], NONE),
    ("spread/fig3 p_flips", [0.1, 0.1], ONCE),
    ("class_ratio/fig1 mechanisms", [], NONE),
    ("class_ratio/fig1 mechanisms", ["laplace", "laplace"], ONCE),
    ("class_ratio/fig3 sets", {}, NONE),
    ("class_ratio/fig3 sets.mnist.rhos", [], NONE),
    ("mean_operator/release losses", ["logistic", "logistic"], ONCE),
    ("crossover/epsilon sizes", [2000, 2000], ONCE),
    ("crossover/epsilon classifiers", ["naive", "naive"], ONCE),
    ("linear_moments/fig6 protocols", {}, NONE),
    ("linear_moments/fig7 evaluate_at", [1, 0.5], "must rise from value to value"),
    ("linear_moments/fig7 windows", [5, 5], ONCE),
    ("spread/fig3 iterations", [400, 50], "must rise from value to value"),
    # Numbers that nobody has, in memory or at all.
    ("spread/attack users", 10**9, MOST),
    ("spread/attack users", 5001, "there are more users than candidates"),
    ("spread/attack folds", 10**6, MOST),
    ("spread/attack folds", 1, LEAST),
    ("spread/theory inputs", [40], MOST),
    ("class_ratio/fig3 draws", 10**12, MOST),
    ("linear_moments/fig4 points", 1, LEAST),
    ("linear_moments/fig3 groups", 1, LEAST),
    # What does not fit together.
    ("linear_moments/fig4 theta_range", [1.0, -1.0], "must go from less to more"),
    ("linear_moments/fig4 model", {"statistics": [1.0, 2.0]}, "as many columns as there are statistics"),
    ("linear_moments/theory supervision", [[0.5, 0.5], [0.6, 0.5]], "each column of a supervision sums to one"),
    ("linear_moments/theory supervision", [[0.5], [0.5, 1.0]], "each column of a supervision sums to one"),
    ("class_ratio/fig3 sets.mnist.rhos", [0.2], "classes but one leaves nothing to that one"),
    ("class_ratio/fig1 proportions", [0.3], "classes but one leaves nothing to that one"),
    ("class_ratio/guarantee public_minimum", 41, "public_minimum is more than the smallest count"),
    ("spread/appendix_b theta", [1.0], "theta, variances and shift must be as long as one another"),
    ("spread/consistency logits", [1.0], "theta and logits must be as long as one another"),
    # Trials, arms and what they read.
    ("papers.spread.figures.fig3.trials", 0, "only an exact figure has no trial"),
    ("papers.spread.figures.voting.trials", 0, "only an exact figure has no trial"),
    ("papers.spread.figures.fig3.chunk", 10**9, MOST),
    ("papers.spread.figures.fig3.learn.private.from", ["noisy", "noisy"], ONCE),
    ("papers.spread.figures.fig3.score.reads.mnist", [], NONE),
    ("papers.crossover.public.census", ["split", "split"], ONCE),
    # The run.
    ("seed", -1, LEAST),
    ("seed", 2**64, MOST),
    ("seed", datetime.date(2016, 1, 1), "is neither a number nor text"),
    ("mirror", "a\nb", "must have printable characters only"),
    ("wsj", "", "at least 1 character"),
    ("include", None, "should be a valid array"),
    ("folders.results", "README.md", "must be a folder, and README.md is a file"),
    ("folders.results", "results\nmore", "must have printable characters only"),
    ("folders.results", "a{paper}", "must be a folder of plain short names"),
    ("folders.logs", "x" * 300, "must be a folder of plain short names"),
    ("folders.figures", "README.md/figures", "must be a folder, and README.md is a file"),
    ("multiverse.spread.fig3.without", ["peeking", "peeking"], ONCE),
    ("multiverse.spread.fig3.choices", {"a\nb": {}}, "must have printable characters only"),
    ("guarantees.samples", 10**12, MOST),
    ("guarantees.spread.flip", 0.5, MOST),
    ("guarantees.spread.digits.flips", [], NONE),
]  # fmt: skip


def laid(place: str, value: Any) -> dict[str, Any]:
    """The shipped configuration with that value; of a figure's settings, that figure's and what it extends alone."""
    config = copy.deepcopy(CONFIG)
    figure, _, inside = place.partition(" ")
    steps = place.split(".")
    if inside:
        paper, name = figure.split("/")
        config["papers"] = copy.deepcopy({paper: alone(paper, name)})
        steps = ["papers", paper, "figures", name, "settings", *inside.split(".")]
    part = config
    for step in steps[:-1]:
        part = part.setdefault(step, {})
    part[steps[-1]] = value
    return config


@pytest.mark.parametrize(("place", "value", "said"), CASES, ids=[f"{place}={value!r:.30}" for place, value, _ in CASES])
def test_what_means_nothing_is_refused(
    place: str, value: Any, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README.md").touch()
    config = laid(place, value)
    line = refusal(config)
    if not line:
        with pytest.raises(UnveilError) as refused:
            studied(config, FIELDS)
        line = str(refused.value)
    assert said in line
    assert line.isprintable()
    assert len(line) < 300
    word = place.split()[0].split(".")[0].rpartition("/")[2]
    assert word in line or isinstance(value, datetime.date)
