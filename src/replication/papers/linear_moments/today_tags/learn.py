"""The learner: each method's tag for every word, its rate and passes chosen by what was held out of the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import windows_of
from replication.papers.linear_moments.fig7.release import choose_sentences
from replication.papers.linear_moments.today_tags.rivals import EXPECTATIONS, POSTERIORS, PROPORTIONS, CountRival
from replication.papers.linear_moments.today_tags.settings import Learn
from replication.randomness import Trial
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.types import Array, Arrays, Floats

#: The paper's two, and what else learns from counts; all move the same weights by AdaGrad.
METHODS: Mapping[str, Callable[..., Tagger]] = {
    "moments": lambda **given: Tagger(method="moments", span="all", **given),
    "marginal_exact": lambda **given: Tagger(method="marginal", **given),
    "proportion_loss": lambda **given: CountRival(PROPORTIONS, **given),
    "expectations": lambda **given: CountRival(EXPECTATIONS, **given),
    "posteriors": lambda **given: CountRival(POSTERIORS, **given),
}


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """The tag of every word, `(method, window)` or, from so many tagged tokens, `("supervised", number)`."""
    ((_, text),) = public.items()
    learned: dict[Key, Array] = {}
    if "tags" in text:
        return learn_tagged(text, trial, settings)
    for window in settings.windows:
        regions = under(released["treebank"], window)
        windows, counts = windows_of(regions, text), np.asarray(regions["counts"]).astype(np.int64)
        held_out = trial.shared("held out", window).random(len(counts)) < settings.held_out
        for name in settings.methods:

            def miss(
                shares: Floats, windows: Windows = windows, counts: Array = counts, own: Array = held_out
            ) -> float:
                return count_error(shares, windows, counts, own)

            kept = choose_windows(windows, ~held_out)
            learned[name, window] = best_tags(METHODS[name], kept, counts[~held_out], text, miss, trial, settings)
    return learned


def choose_windows(windows: Windows, chosen: Array) -> Windows:
    """Some of the windows."""
    return Windows(windows.words, windows.tokens, windows.start[chosen], windows.stop[chosen], windows.sentences)


def best_tags(
    make: Callable[..., Tagger],
    windows: Windows,
    y: Array,
    text: Arrays,
    miss: Callable[[Floats], float],
    trial: Trial,
    settings: Learn,
) -> Array:
    """Of all rates and numbers of passes the word tags that miss least of what was held out."""
    best, chosen = np.inf, np.empty(0, dtype=np.uint8)
    for rate in settings.rates:
        tagger = make(
            rate=rate,
            passes=max(settings.passes),
            evaluate_at=settings.passes,
            n_tags=len(text["tag_names"]),
            random_state=trial.shared("order"),
        )

        def judge(_: float, theta: Floats, tagger: Tagger = tagger) -> None:
            nonlocal best, chosen
            rows = tagger.features_
            scores = sum(np.where(rows[:, g, None] >= 0, theta[rows[:, g]], 0.0) for g in range(rows.shape[1]))
            found = miss(np.asarray(scores))
            if found < best:
                best, chosen = found, np.asarray(scores).argmax(axis=1).astype(np.uint8)

        tagger.fit(windows, y, monitor=judge)
    return chosen


def count_error(scores: Floats, windows: Windows, counts: Array, held_out: Array) -> float:
    """How far the expected counts of held-out windows are from those released, in L1."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    total = 0.0
    for i in np.flatnonzero(held_out):
        own = shares[windows.tokens[windows.start[i] : windows.stop[i]]].sum(axis=0)
        total += float(np.abs(own - counts[i]).sum())
    return total


def learn_tagged(text: Arrays, trial: Trial, settings: Learn) -> Named:
    """Supervised training on whole sentences of the same draw, until so many tokens are tagged."""
    chosen = trial.shared("order").permutation(choose_sentences(text, trial, settings.sentences))
    ends, learned = np.asarray(text["sentences"]), dict[Key, Any]()
    lengths = np.cumsum(ends[chosen + 1] - ends[chosen])
    for number in settings.tagged:
        own = chosen[: 1 + int(np.searchsorted(lengths, number))]
        held = max(1, round(settings.held_out * len(own)))
        test = np.concatenate([np.arange(ends[s], ends[s + 1]) for s in own[:held]])
        kept = own[held:] if len(own) > held else own
        windows = Windows(text["words"], text["tokens"], ends[kept], ends[kept + 1])

        def miss(scores: Floats, test: Array = test) -> float:
            return float(np.mean(scores[text["tokens"][test]].argmax(axis=1) != text["tags"][test]))

        learned["supervised", number] = best_tags(_supervised, windows, text["tags"], text, miss, trial, settings)
    return learned


def _supervised(**given: Any) -> Tagger:
    return Tagger(method="supervised", **given)
