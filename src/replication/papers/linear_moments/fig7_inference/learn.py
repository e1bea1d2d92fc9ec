"""Beam against exact, the learner: how far the beams' marginals are from the exact ones as training goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import file_notes, note_run, train, window_order, windows_of
from replication.papers.linear_moments.fig7_inference.settings import Inference, Learn
from replication.randomness import Trial
from unveil.estimators.counts.count_posterior import count_states, count_transitions
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.types import Array, Floats

BEAMS: tuple[Inference, ...] = ("beam", "merged")


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """The count vectors of all windows, and for each inference of `trained` a tagger a window size.

    Beams and exact are compared on `probes` windows with at most `probe_states` count vectors, at the θ reached by
    the first inference of `trained` that lists the window size.
    """
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[Key, Array] = {}
    for window in settings.windows:
        counts = regions[window, "counts"]
        costs: Named = {"states": count_states(counts), "transitions": count_transitions(counts)}
        learned |= file_notes(costs, corpus, window)
    shared: dict[str, Any] = {name: getattr(settings, name) for name in ("beam", "optimizer", "rate", "evaluate_at")}
    for inference, sizes in settings.trained.items():
        for window in (window for window in settings.windows if sizes is None or window in sizes):
            own = under(regions, window)
            tagger = Tagger("marginal", inference, **shared, random_state=window_order(trial, window))
            probe = None
            if (corpus, window, "probed") not in learned:
                chosen = _draw_probed(learned[corpus, window, "states"], settings, trial.rng_of(window))
                windows = windows_of(own, text)
                part = Windows(windows.words, windows.tokens, windows.start[chosen], windows.stop[chosen])
                probe = Probe(tagger, part, own["counts"][chosen])
            notes = note_run(train(tagger, own, text, probe))
            learned["seconds", "train", inference, window] = notes.pop("seconds")
            learned |= file_notes(notes, corpus, inference, window)
            if probe is not None:
                learned[corpus, window, "probed"] = np.array(len(chosen))
                for beam, distances in probe.distances.items():
                    compared: Named = {"distance": np.array(distances), "passes": notes["passes"]}
                    learned |= file_notes(compared, corpus, beam, window)
                for name, seconds in probe.seconds.items():
                    learned["seconds", "probe", name, window] = np.array(seconds)
    return learned


def _draw_probed(states: Floats, settings: Learn, rng: Generator) -> Array:
    """At most `probes` windows among those whose exact posterior is affordable."""
    affordable = np.flatnonzero(states <= settings.probe_states)
    return np.sort(rng.permutation(affordable)[: settings.probes])


@dataclass
class Probe:
    """Compares inferences at the θ that a tagger has reached, on some of its windows."""

    tagger: Tagger
    windows: Windows
    counts: Array
    distances: dict[Inference, list[float]] = field(default_factory=lambda: {name: [] for name in BEAMS})
    seconds: dict[Inference, list[float]] = field(default_factory=lambda: {name: [] for name in ("exact", *BEAMS)})

    def __call__(self, passes: float, coef: Floats) -> None:
        """Note each beam's total variation from exact: ½ Σ |p − q| over the tags, averaged over positions."""
        del passes, coef  # the tagger holds both
        exact = self._posterior("exact")
        for name in BEAMS:
            difference = np.abs(self._posterior(name) - exact)
            self.distances[name].append(float(difference.sum() / 2 / len(exact)))

    def _posterior(self, inference: Inference) -> Floats:
        began = time.perf_counter()
        posterior = self.tagger.posterior(self.windows, self.counts, inference=inference)
        self.seconds[inference].append(time.perf_counter() - began)
        return posterior
