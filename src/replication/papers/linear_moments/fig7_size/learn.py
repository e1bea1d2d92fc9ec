"""Figure 7 by the number of sentences, the learner: its taggers from the counts of ever more of the sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.fig7.learn import learn as train_all
from replication.papers.linear_moments.fig7_size.settings import Learn
from replication.randomness import Trial
from unveil.errors import require
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """What figure 7's learner learns from so many of the released windows; fewer are always some of more."""
    ((corpus, regions),) = released.items()
    n = len(regions[settings.windows[0], "start"])
    require(max(settings.sizes) <= n, f"sizes must be at most the number of training sentences, {n}")
    order = trial.shared("held out", "size").permutation(n)
    learned: dict[Key, Array] = {}
    for size in settings.sizes:
        chosen = np.sort(order[:size])
        part = {name: array[chosen] for name, array in regions.items()}
        most = max(settings.least_passes, settings.most_windows / size)
        times = tuple(passes for passes in settings.evaluate_at if passes <= most)
        own = train_all({corpus: part}, public, trial, replace(settings, evaluate_at=times))
        learned |= {_sized(name, size): array for name, array in own.items()}
        runs = {name[:-1] for name in own if name[-1] == "tags" and isinstance(name, tuple)}
        learned |= {(*run, size, "n_train"): np.array(size) for run in runs}
    return learned


def _sized(name: Key, size: int) -> Key:
    """(corpus, estimator, window, what) with the size before what; seconds have it last."""
    parts = name if isinstance(name, tuple) else (name,)
    return (*parts, size) if parts[0] == "seconds" else (*parts[:-1], size, parts[-1])
