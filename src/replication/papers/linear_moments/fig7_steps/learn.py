"""The step-size study, the learner: figure 7's taggers under every optimiser and rate, and how well each predicts.

A tenth of the released windows trains no tagger: how far the tags that a tagger expects there are from the counts says
which rate serves it, from nothing but what was released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import (
    Solved,
    file_notes,
    make_tagger,
    note_run,
    train,
    window_order,
    windows_of,
)
from replication.papers.linear_moments.fig7_steps.settings import Learn
from replication.randomness import Trial
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.estimators.counts.window_steps import score_words
from unveil.types import Array, Floats


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Train all combinations on most of the windows, and test them on the others' counts."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[Key, Array] = {}
    solved: dict[int, Solved] = {window: {} for window in settings.windows}
    for number, (estimator, window, steps) in enumerate(runs(settings)):
        own = under(regions, window)
        seen, held = divide_regions(own, trial, settings.held_out)
        tagger = make_tagger(estimator, settings, **steps, random_state=window_order(trial, window))
        errors: list[float] = []
        others, counts = windows_of(held, text), held["counts"]
        train(tagger, seen, text, lambda *_: errors.append(count_error(tagger, others, counts)), solved[window])  # noqa: B023
        notes = note_run(tagger)
        notes |= {"held_out": np.array(errors), "run": np.array(number)}
        learned[corpus, window, "held"] = held["start"]
        learned |= file_notes(notes, corpus, estimator, window, number)
    return learned


def runs(settings: Learn) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Every run of the study: an estimator, a window size, and the steps that its tagger takes."""
    rates = [(optimizer, float(rate)) for optimizer, own in settings.rates.items() for rate in own]
    for estimator in settings.estimators:
        for window, (optimizer, rate) in product(settings.sizes_of(estimator), rates):
            yield estimator, window, {"optimizer": optimizer, "rate": rate}


def divide_regions(regions: Named, trial: Trial, share: float) -> tuple[dict[Key, Array], dict[Key, Array]]:
    """The windows that train and those that are held out: the same for all runs of a trial."""
    n = len(regions["start"])
    order = trial.shared("held out").permutation(n)
    held, seen = np.sort(order[: round(share * n)]), np.sort(order[round(share * n) :])
    return {k: v[seen] for k, v in regions.items()}, {k: v[held] for k, v in regions.items()}


def count_error(tagger: Tagger, windows: Windows, counts: Array) -> float:
    """Σ (expected − counted)² over windows and tags, for each position; by (11) w* has the least on average."""
    words, inverse = np.unique(windows.tokens[windows.positions], return_inverse=True)
    scores: Floats = np.zeros((len(words), tagger.n_tags_))
    score_words(tagger.coef_, tagger.features_, words, scores)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    starts = np.cumsum(windows.lengths) - windows.lengths
    expected = np.add.reduceat(chances[inverse], starts, axis=0)
    return float(np.sum((expected - counts) ** 2) / windows.lengths.sum())
