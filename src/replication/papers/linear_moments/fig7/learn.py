"""Figure 7, the learner: taggers from counts, and the tag each gives to every word as training goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.settings import Learn, Training
from replication.randomness import Trial
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.types import Array, Arrays, Floats

#: Start, stop and tag counts of the released windows of one size.
Regions: TypeAlias = Mapping[Key, Array]
#: By its first step the tagger that solved (12) for the windows at hand: what comes of that depends on no more.
Solved: TypeAlias = dict[tuple[str, str, float], Tagger]

#: The figure's estimators as settings of the tagger (section 4); `most_frequent` is none.
TAGGERS: Mapping[str, Mapping[str, Any]] = {
    "most_frequent": {"method": "most_frequent"},
    "supervised": {"method": "supervised"},
    "moments": {"method": "moments"},
    "moments_all": {"method": "moments", "span": "all"},
    "moments_features": {"method": "moments_features"},
    "moments_features_all": {"method": "moments_features", "span": "all"},
    "moments_seen": {"method": "moments", "span": "seen"},
    "moments_least_all": {"method": "moments", "span": "all", "ridge": 1e-3},
    "moments_sgd": {"method": "moments", "step1": "sgd_constant"},
    "moments_sgd_all": {"method": "moments", "step1": "sgd_constant", "span": "all"},
    "moments_sgd_mean_all": {"method": "moments", "step1": "sgd", "span": "all"},
    "moments_sgd_two": {"method": "moments", "step1": "sgd_first"},
    "moments_sgd_two_all": {"method": "moments", "step1": "sgd_first", "span": "all"},
    "marginal_exact": {"method": "marginal", "inference": "exact"},
    "marginal_beam": {"method": "marginal", "inference": "beam"},
    "marginal_merged": {"method": "marginal", "inference": "auto"},
}


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Train each estimator on its window sizes; predictions are kept a word, not a token."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[Key, Array] = {}
    for window in settings.windows:
        own = under(regions, window)
        solved: Solved = {}
        for estimator in (name for name in settings.estimators if window in settings.sizes_of(name)):
            twin = (corpus, estimator.removesuffix("_all"), window)
            if (*twin, "tags") in learned and covers(windows_of(own, text)):
                # The span is the window: the same training.
                notes: Named = {**under(learned, *twin), "seconds": learned["seconds", *twin[1:]]}
            else:
                notes = run_estimator(estimator, own, text, window_order(trial, window), settings, solved)
            learned |= file_notes(notes, corpus, estimator, window)
    return learned


def covers(windows: Windows) -> bool:
    """Whether the windows are whole sentences."""
    return all(np.array_equal(*ends) for ends in zip(windows.spans, (windows.start, windows.stop), strict=True))


def run_estimator(
    estimator: str, regions: Regions, text: Arrays, order: Generator, settings: Learn, solved: Solved | None = None
) -> Named:
    """Train an estimator on the windows of one size: what it leaves to the referee."""
    if estimator == "most_frequent":
        # The tag that the counts show most often, for every word; it takes no pass.
        tags = np.full((1, len(text["words"])), regions["counts"].sum(axis=0).argmax(), dtype=np.uint8)
        return {"tags": tags, "passes": np.zeros(1), "step1_passes": np.zeros(1)}
    steps = {"optimizer": settings.optimizer, "rate": settings.rate}
    tagger = make_tagger(estimator, settings, **steps, random_state=order)
    return note_run(train(tagger, regions, text, solved=solved))


def make_tagger(estimator: str, settings: Training, **own: Any) -> Tagger:
    """An estimator's tagger with what all of them share, and its own settings."""
    how = TAGGERS[estimator]
    names = ("ridge", "beam", "budget", "evaluate_at", "step1_rate", "step1_tolerance")
    shared = {name: getattr(settings, name) for name in names}
    if how.get("step1") == "sgd_first":
        shared["step1_passes"] = settings.sgd_passes
    return Tagger(**{**shared, **how, **own})


def train(
    tagger: Tagger,
    regions: Regions,
    text: Arrays,
    monitor: Callable[[float, Floats], None] | None = None,
    solved: Solved | None = None,
) -> Tagger:
    """Fit to the windows of one size until the last evaluation: to their counts, or if supervised to their tags.

    Of the taggers that solve (12) before they train the first of a kind does it for the others, and is noted as solved.
    """
    tagger.passes, tagger.n_tags = max(tagger.evaluate_at), len(text["tag_names"])
    y = text["tags"] if tagger.method == "supervised" else regions["counts"]
    like = None
    if solved is not None and tagger.method.startswith("moments") and tagger.step1 in ("exact", "sgd_first"):
        kind = tagger.method, tagger.step1, tagger.ridge
        like = solved.get(kind)
        solved.setdefault(kind, tagger)
    return tagger.fit(windows_of(regions, text), y, regions.get("asked"), monitor, like)


def windows_of(regions: Regions, text: Arrays) -> Windows:
    """Released windows over the public text."""
    return Windows(text["words"], text["tokens"], regions["start"], regions["stop"], text["sentences"])


def window_order(trial: Trial, window: int) -> Generator:
    """The order in which training goes through the windows: the same for all estimators, so that they pair."""
    return trial.shared("order", window)


def note_run(tagger: Tagger) -> dict[Key, Array]:
    """What a trained tagger leaves to the referee: the tag of every word at each evaluation, and its steps."""
    passes, swept = np.array(tagger.evaluate_at, dtype=float), tagger.step1 in ("sgd", "sgd_constant")
    return {
        "tags": tagger.snapshots_.astype(np.uint8),
        "passes": passes,
        # In one sweep step 1 goes on for as long as step 2 does.
        "step1_passes": passes if swept else np.full(len(passes), float(tagger.step1_passes_)),
        "step1_gap": np.array(float(tagger.step1_gap_)),
        "optimizer": np.array(tagger.optimizer),
        "rate": np.array(float(tagger.rate)),
        "seconds": tagger.seconds_,
    }


def file_notes(notes: Named, corpus: str, *run: str | int) -> dict[Key, Array]:
    """Notes under the names of a corpus and a run; seconds stand apart, as all timings do."""
    names = {what: ("seconds", *run) if what == "seconds" else (corpus, *run, str(what)) for what in notes}
    return {names[what]: array for what, array in notes.items()}
