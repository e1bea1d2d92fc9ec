"""Noisy records today: a few public directions at a level that protects, by the paper's likelihood or by none."""

import pandas as pd

from replication.common.today.margins import ahead_of_best
from replication.judging.claim import ALL, Claim, Matters, Origin, measure
from replication.judging.statistics import over_trials, rows
from replication.judging.verdicts import Observation, Quantifier

POINT = Matters(0.01, "a point of accuracy, which the paper's figure can show")


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


SPREAD_BEATS_PLAIN = Claim(
    id="today-spread-beats-plain",
    statement="On records released at a level that protects them whole, the spread likelihood errs less than plain "
    "training.",
    place="beyond the paper",
    figure="today",
    measure=ahead_of_best(("gaussian_spread", "sphere_spread"), ("gaussian_plain", "sphere_plain")),
    quantifier=Quantifier.TYPICAL,
    quantity="share of wrong classes, plain training minus the spread likelihood, each on its better release",
    unit="share of the records",
    matters=POINT,
    datasets=ALL,
    origin=Origin.BEYOND,
    short="The spread likelihood beats plain training on protected records",
)
CLAIMS = (
    SPREAD_BEATS_PLAIN,
    Claim(
        id="today-few-directions-beat-pixels",
        statement="Released along a few public directions at ε = 8 for the whole record, records teach at least as "
        "much as through the paper's noise.",
        place="beyond the paper",
        figure="today",
        measure=beats_the_papers_noise("sphere_spread", 8.0),
        quantifier=Quantifier.ALL,
        quantity="share of wrong classes, the paper's mildest noise minus ε = 8",
        unit="share of the records",
        matters=POINT,
        datasets=ALL,
        origin=Origin.BEYOND,
        short="A few directions at ε = 8 teach as much as the paper's noise",
    ),
)
