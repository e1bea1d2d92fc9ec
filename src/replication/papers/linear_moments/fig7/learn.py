"""Figure 7, the learner: taggers from counts, and the tag each gives to every word as training goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.randomness import Trial, generator
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import CountTagger
from unveil.types import Array, Arrays, Floats

#: The figure's estimators as settings of the tagger.
TAGGERS: Mapping[str, Mapping[str, Any]] = {
    "supervised": {"method": "supervised"},
    "moments": {"method": "moments"},
    "moments_features": {"method": "moments_features"},
    "marginal_exact": {"method": "marginal", "inference": "exact"},
    "marginal_beam": {"method": "marginal", "inference": "beam"},
    "marginal_merged": {"method": "marginal", "inference": "auto"},
}


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    estimators: Mapping[str, Sequence[int]],
    evaluate_at: Sequence[float],
    optimizer: str,
    rate: float,
    ridge: float,
    step1_tolerance: float,
    beam: int,
    budget: int,
) -> Arrays:
    """Train each of `estimators` on its window sizes; predictions are kept a word, not a token."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    common: dict[str, Any] = {
        "optimizer": optimizer,
        "rate": rate,
        "ridge": ridge,
        "step1_tolerance": step1_tolerance,
        "beam": beam,
        "budget": budget,
    }
    learned: dict[str, Any] = {"corpus": np.array(corpus), "passes": np.array(evaluate_at, dtype=float)}
    for estimator, sizes in estimators.items():
        for window in sizes:
            name = f"{estimator}_{window}"
            if estimator == "most_frequent":
                learned[f"tags_{name}"] = most_frequent(regions[f"counts_{window}"], text)
                continue
            tagger = CountTagger(**common, **TAGGERS[estimator], random_state=window_order(trial, window))
            train(tagger, regions, text, window, evaluate_at)
            learned[f"tags_{name}"] = tagger.snapshots_.astype(np.uint8)
            learned[f"step1_passes_{name}"] = np.array(tagger.step1_passes_)
            learned[f"seconds_{name}"] = tagger.seconds_
    return learned


def train(
    tagger: CountTagger,
    regions: Arrays,
    text: Arrays,
    window: int,
    evaluate_at: Sequence[float],
    monitor: Callable[[float, Floats], None] | None = None,
) -> CountTagger:
    """Fit to the windows of one size: to their counts, or for the supervised tagger to their tags."""
    tagger.set_params(passes=max(evaluate_at), evaluate_at=evaluate_at, n_tags=len(text["tag_names"]))
    windows = windows_of(regions, text, window)
    y = text["tags"] if tagger.method == "supervised" else regions[f"counts_{window}"]
    return tagger.fit(windows, y, monitor=monitor)


def windows_of(regions: Arrays, text: Arrays, window: int) -> Windows:
    """The released windows of one size, over the public text."""
    return Windows(text["words"], text["tokens"], regions[f"start_{window}"], regions[f"stop_{window}"])


def window_order(trial: Trial, window: int) -> Generator:
    """The order in which training goes through the windows: the same for all estimators, so that they pair."""
    return generator(trial.seed, trial.paper, trial.figure, "order", trial.number, window)


def most_frequent(counts: Array, text: Arrays) -> Array:
    """The tag that the counts show most often, for every word."""
    return np.full((1, len(text["words"])), counts.sum(axis=0).argmax(), dtype=np.uint8)
