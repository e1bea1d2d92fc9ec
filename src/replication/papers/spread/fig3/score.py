"""Figure 3, the referee: accuracy on clean held-out digits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import get_args

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.spread.digits import judged, lead_deviation, tested
from replication.papers.spread.fig3.settings import Method, Score
from replication.randomness import Trial
from unveil.types import Array

#: Methods of which others are held to be ahead.
REFERENCES: tuple[Method, ...] = ("clean", "noisy", "noisy_l2_centred", "spread_flat", "spread_learned")
COLUMNS = ["p_flip", "method", "iterations", "trial", "accuracy"]
COLUMNS += [f"lead_{reference}_sd" for reference in REFERENCES]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """One row a noise level, method, checkpoint and trial.

    `lead_…_sd` is what the choice of the test images, which all trials share, adds to the mean lead over that method:
    its standard deviation when they are drawn anew.
    """
    cases = list(product(get_args(Method), range(len(settings.p_flips))))
    hits: dict[tuple[str, int, int], dict[int, Array]] = defaultdict(dict)
    found = []
    for result in judged(learned, fields, trials, settings, cases):
        method, level = result.case
        key = method, level, result.checkpoint
        hits[key][result.trial] = result.hits
        found.append((key, result.trial, result.test))
    images = tested(fields, trials, settings)
    deviations = {
        (method, level, checkpoint): [
            lead_deviation(own, other, images) if (other := hits.get((reference, level, checkpoint))) else None
            for reference in REFERENCES
        ]
        for (method, level, checkpoint), own in hits.items()
    }
    rows = [
        (settings.p_flips[key[1]], key[0], settings.iterations[key[2]], trial, accuracy, *deviations[key])
        for key, trial, accuracy in found
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:4], ignore_index=True)
