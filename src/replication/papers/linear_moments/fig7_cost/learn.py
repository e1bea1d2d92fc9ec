"""Accuracy against computing, the learner: figure 7's taggers, and how much they add and multiply on the way.

Work is counted, not timed, so that it is the same on every machine: one unit is one number read, changed and written
in the innermost loops of inference, of a gradient, or of step 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import binom

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import TAGGERS, windows_of
from replication.papers.linear_moments.fig7.learn import learn as train_all
from replication.papers.linear_moments.fig7.settings import Learn
from replication.randomness import Trial
from unveil.estimators.counts.count_posterior import count_states, count_transitions
from unveil.estimators.counts.features import AFFIXES, Windows
from unveil.types import Array, Floats

#: Features of a word: itself, its affixes and its signature.
KINDS = 2 + 2 * len(AFFIXES)


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """What figure 7's learner learns, and beside each evaluation the work until then."""
    learned: dict[Key, Array] = dict(train_all(released, public, trial, settings))
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    for estimator in settings.estimators:
        for window in settings.sizes_of(estimator):
            own, notes = under(regions, window), under(learned, corpus, estimator, window)
            each, first = work(estimator, windows_of(own, text), own["counts"], settings)
            done = notes["passes"] * each + notes["step1_passes"] * first
            learned[corpus, estimator, window, "work"] = done
    return learned


def work(estimator: str, windows: Windows, counts: Array, settings: Learn) -> tuple[float, float]:
    """Units of work in a pass of the likelihood or of (10), and in a pass of step 1."""
    tags, how = counts.shape[1], TAGGERS[estimator]
    begin, end = windows.spans if how.get("span") == "all" else (windows.start, windows.stop)
    # A position's scores are read and its gradient written, for each feature and tag.
    each = 2.0 * KINDS * tags * float(np.sum(end - begin))
    if how["method"] == "marginal":
        return each + float(np.sum(inference_work(how["inference"], counts, settings.beam, settings.budget))), 0.0
    if "step1" in how:
        # The window's excess, the change of ŵ, and its projection.
        return each, 3.0 * tags * float(windows.lengths.sum())
    # Conjugate gradients apply the design and its transpose to every tag's column.
    factor = KINDS + 1 if how["method"] == "moments_features" else 1
    return each, 2.0 * tags * factor * float(windows.lengths.sum())


def inference_work(inference: str, counts: Array, beam: int, budget: int) -> Floats:
    """Extensions of count vectors or prefixes, forward and backward, in each window."""
    exact = 2 * count_transitions(counts)
    if inference == "exact":
        return exact
    tags = np.count_nonzero(counts, axis=1)
    prefixes = inference == "beam"
    levels = np.array([np.minimum(level_sizes(row[row > 0], prefixes), beam)[:-1].sum() for row in counts])
    # Backward, a beam goes over what it kept, not over what it tried.
    cut = levels * tags + (levels if prefixes else levels * tags)
    return np.asarray(cut if prefixes else np.where(count_states(counts) <= budget, exact, cut), dtype=float)


def level_sizes(counts: Array, prefixes: bool) -> Floats:
    """How many count vectors, or prefixes of sequences, there are of each length from 0 to Σ counts; at most 1e100."""
    total = np.ones(1)
    for n in counts.tolist():
        length = np.arange(len(total) + n)
        sizes = np.zeros(len(length))
        for i in range(n + 1):
            # Where a tag's i occurrences lie among the prefix's positions.
            places = binom(length[i : i + len(total)], i) if prefixes else 1.0
            sizes[i : i + len(total)] += places * total
        total = np.minimum(sizes, 1e100)
    return total
