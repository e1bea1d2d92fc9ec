"""The referee: the share of test tokens with a wrong tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named
from replication.common.today.rows import tabulate
from replication.papers.linear_moments.today_tags.settings import Asked
from replication.randomness import Trial
from unveil.types import Array, Arrays

MORE = ["window", "passes", "work"]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Asked) -> pd.DataFrame:
    """A row a method and window, or for supervised training a number of tagged tokens, which is then `n`.

    These have chosen their passes; rows with `passes` are what a training from counts had come to then, and `work`
    is what it had taken.
    """
    rows = [
        {"dataset": dataset, "trial": trial.number, **row}
        for name, arm in learned.items()
        for dataset in [name.removesuffix("_tagged")]
        for trial, arrays in zip(trials, arm, strict=True)
        for row in _judge(arrays, fields[dataset], settings)
    ]
    more = pd.DataFrame(rows)[MORE]
    return tabulate(rows, unit="none", epsilon=np.inf, measure="share of wrong tags").join(more)


def _judge(arrays: Named, corpus: Arrays, settings: Asked) -> Iterator[dict[str, Any]]:
    test = np.repeat(corpus["split"] == 1, np.diff(corpus["sentences"]))
    words, tags = corpus["tokens"][test], corpus["tags"][test]

    def wrong(found: Array) -> float:
        return float(np.mean(found[words] != tags))

    for key, found in ((key, found) for key, found in arrays.items() if len(key) == 2 and key[0] != "seconds"):
        method, number = str(key[0]), int(key[1])
        if method == "supervised":
            yield {"method": method, "n": number, "window": 0, "error": wrong(found)}
        else:
            about = {"method": method, "n": settings.sentences, "window": number}
            yield {**about, "error": wrong(found)}
            path = zip(*(arrays[method, number, what] for what in ("passes", "tags", "work")), strict=True)
            for passes, at_look, work in path:
                yield {**about, "passes": passes, "work": work, "error": wrong(at_look)}
