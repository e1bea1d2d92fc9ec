"""Beam against exact, the learner: how far the beams' marginals are from the exact ones as training goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from replication.papers.linear_moments.fig7.learn import train, window_order, windows_of
from replication.randomness import Trial
from unveil.estimators.counts.count_posterior import count_states, count_transitions
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import CountTagger
from unveil.types import Array, Arrays, Floats

BEAMS = ("beam", "merged")


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    windows: Sequence[int],
    trained: Mapping[str, Sequence[int]],
    evaluate_at: Sequence[float],
    optimizer: str,
    rate: float,
    beam: int,
    probes: int,
    probe_states: int,
) -> Arrays:
    """The count vectors of all windows, and for each inference of `trained` a tagger a window size.

    Beams and exact are compared on `probes` windows with at most `probe_states` count vectors, at the θ reached by
    the first inference of `trained` that lists the window size.
    """
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[str, Any] = {"corpus": np.array(corpus), "passes": np.array(evaluate_at, dtype=float)}
    for window in windows:
        learned[f"states_{window}"] = count_states(regions[f"counts_{window}"])
        learned[f"transitions_{window}"] = count_transitions(regions[f"counts_{window}"])
    for inference, sizes in trained.items():
        for window in sizes:
            tagger = CountTagger("marginal", inference, beam=beam, optimizer=optimizer, rate=rate)
            tagger.set_params(random_state=window_order(trial, window))
            probe = None
            if f"distance_beam_{window}" not in learned:
                chosen = _drawn(learned[f"states_{window}"], probes, probe_states, trial)
                probe = Probe(tagger, windows_of(regions, text, window), regions[f"counts_{window}"], chosen)
            train(tagger, regions, text, window, evaluate_at, probe)
            learned[f"tags_{inference}_{window}"] = tagger.snapshots_
            learned[f"seconds_train_{inference}_{window}"] = tagger.seconds_
            if probe is not None:
                learned |= probe.arrays(window)
    return learned


@dataclass
class Probe:
    """Compares inferences at the θ that a tagger has reached, on some of its windows."""

    tagger: CountTagger
    windows: Windows
    counts: Array
    chosen: Array
    distances: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in BEAMS})
    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in ("exact", *BEAMS)})

    def __call__(self, passes: float, coef: Floats) -> None:
        """Note each beam's total variation from exact: ½ Σ |p − q| over the tags, averaged over positions."""
        del passes, coef  # the tagger holds both
        exact = self._posterior("exact")
        for name in BEAMS:
            difference = np.abs(self._posterior(name) - exact)
            self.distances[name].append(float(difference.sum() / 2 / len(exact)))

    def _posterior(self, inference: str) -> Floats:
        text, start, stop = self.windows, self.windows.start[self.chosen], self.windows.stop[self.chosen]
        part = Windows(text.words, text.tokens, start, stop)
        began = time.perf_counter()
        posterior = self.tagger.posterior(part, self.counts[self.chosen], inference=inference)
        self.seconds[inference].append(time.perf_counter() - began)
        return posterior

    def arrays(self, window: int) -> dict[str, Array]:
        """What was noted, by name."""
        noted = {f"distance_{name}_{window}": np.array(found) for name, found in self.distances.items()}
        timed = {f"seconds_probe_{name}_{window}": np.array(found) for name, found in self.seconds.items()}
        return noted | timed | {f"probed_{window}": np.array(len(self.chosen))}


def _drawn(states: Floats, probes: int, probe_states: int, trial: Trial) -> Array:
    """At most `probes` windows among those whose exact posterior is affordable."""
    affordable = np.flatnonzero(states <= probe_states)
    return np.sort(trial.rng.permutation(affordable)[:probes])
