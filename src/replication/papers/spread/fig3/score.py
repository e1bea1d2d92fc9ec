"""Figure 3, the referee: accuracy on clean held-out digits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.spread.digits import find_tested, judge_cases, lead_deviation
from replication.papers.spread.fig3.settings import Score
from replication.randomness import Trial
from unveil.types import Array

#: Methods of which others are held to be ahead.
REFERENCES = ("clean", "noisy", "noisy_l2_centred", "spread_flat", "spread_learned")
COLUMNS = ["p_flip", "method", "iterations", "trial", "accuracy"]
MORE = ["protocol", "ended", *(f"lead_{reference}_sd" for reference in REFERENCES)]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """One row a noise level, method, checkpoint and trial; `ended`: after how many steps.

    What converged stands at the most iterations that it was allowed, however soon it ended. `lead_…_sd` is what the
    choice of the test images, which all trials share, adds to the mean lead over that method: its standard deviation
    when they are drawn anew.
    """
    stops: dict[str, tuple[int, ...]] = {"steps": settings.iterations, "converged": (settings.most,)}
    found = (name for arm in learned.values() for name in arm[0])
    cases = [name[1:] for name in found if isinstance(name, tuple) and name[0] == "weights"]
    ends = {(trial.number, *name[1:]): int(array) for arm in learned.values() for trial in trials
            for name, array in arm[trial.number].items() if name[0] == "ended"}  # fmt: skip
    results = list(judge_cases(learned, fields, trials, settings, cases))
    hits: dict[tuple[object, ...], dict[int, Array]] = defaultdict(dict)
    for result in results:
        hits[(*result.case, result.checkpoint)][result.trial] = result.hits
    images = find_tested(fields, trials, settings)

    def deviations(protocol: str, method: str, level: int, checkpoint: int) -> list[float | None]:
        own = hits[protocol, method, level, checkpoint]
        others = (hits.get((protocol, reference, level, checkpoint)) for reference in REFERENCES)
        return [lead_deviation(own, other, images) if other else None for other in others]

    leads = {key: deviations(*key) for key in hits}  # type: ignore[arg-type]
    rows = [
        (settings.p_flips[level], method, stops[protocol][result.checkpoint], result.trial, result.test, protocol,
         ends[result.trial, protocol, method, level], *leads[protocol, method, level, result.checkpoint])
        for result in results
        for protocol, method, level in [result.case]
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS + MORE).sort_values(COLUMNS[:4], ignore_index=True)
