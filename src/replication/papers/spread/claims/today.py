"""Noisy records today: a few public directions at a level that protects, by the paper's likelihood or by none."""

from functools import partial

import pandas as pd

from replication.common.today.margins import ahead_of_best, ask
from replication.judging.claim import Matters, measure
from replication.judging.statistics import over_trials, rows
from replication.judging.verdicts import Observation, Quantifier

_claim = partial(
    ask, unit="share of the records", matters=Matters(0.01, "a point of accuracy, which the paper's figure can show")
)


@measure
def beats_the_papers_noise(scores: pd.DataFrame, ours: str, epsilon: float) -> list[Observation]:
    """The least mean error under the paper's noise minus that of a release at a level, by data set and trial."""
    samples = {}
    for dataset, part in scores.groupby("dataset", sort=False):
        paper = rows(part, method="spread_paper")
        best = paper.groupby("epsilon")["error"].mean().idxmin()
        own = rows(part, method=ours, epsilon=epsilon).set_index("trial")["error"]
        samples[str(dataset)] = paper[paper["epsilon"] == best].set_index("trial")["error"] - own
    return over_trials(samples)


SPREAD_BEATS_PLAIN = _claim(
    "today-spread-beats-plain",
    "On records released at a level that protects them whole, the spread likelihood errs less than plain training.",
    measure=ahead_of_best(("gaussian_spread", "sphere_spread"), ("gaussian_plain", "sphere_plain")),
    quantity="share of wrong classes, plain training minus the spread likelihood, each on its better release",
    short="The spread likelihood beats plain training on protected records",
)
CLAIMS = (
    SPREAD_BEATS_PLAIN,
    _claim(
        "today-few-directions-beat-pixels",
        "Released along a few public directions at ε = 8 for the whole record, records teach at least as much as "
        "through the paper's noise.",
        measure=beats_the_papers_noise("sphere_spread", 8.0),
        quantifier=Quantifier.ALL,
        quantity="share of wrong classes, the paper's mildest noise minus ε = 8",
        short="A few directions at ε = 8 teach as much as the paper's noise",
    ),
)
