"""The learner: each method's tag for every word, its rate and passes chosen by what was held out of the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import windows_of
from replication.papers.linear_moments.fig7.release import choose_sentences
from replication.papers.linear_moments.fig7_cost.learn import KINDS, inference_work
from replication.papers.linear_moments.today_tags.rivals import EXPECTATIONS, POSTERIORS, PROPORTIONS, TURNS, CountRival
from replication.papers.linear_moments.today_tags.settings import Learn
from replication.randomness import Trial
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.estimators.counts.window_steps import score_words
from unveil.types import Array, Arrays, Floats

#: From numbers of words to the scores of their tags, (words, tags).
Score: TypeAlias = Callable[[Array], Floats]
#: The paper's two, and what else learns from counts; all move the same weights by AdaGrad.
METHODS: Mapping[str, Callable[..., Tagger]] = {
    "moments": partial(Tagger, method="moments", span="all"),
    "marginal_exact": partial(Tagger, method="marginal"),
    "proportion_loss": partial(CountRival, PROPORTIONS),
    "expectations": partial(CountRival, EXPECTATIONS),
    "posteriors": partial(CountRival, POSTERIORS),
}


class Trained(NamedTuple):
    """The last tagger, and by rate and look: the tags of all words, what was missed, and the seconds until then."""

    tagger: Tagger
    tags: Array
    missed: Floats
    seconds: Floats

    def choose(self, looks: Array) -> Array:
        """The tags that miss least at some of the looks, at any rate."""
        tags = self.tags[:, looks]
        return np.asarray(tags.reshape(-1, tags.shape[-1])[int(self.missed[:, looks].argmin())])


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """The tag of every word: `(method, window)`, at each look `(…, "tags")`, or `("supervised", tagged tokens)`.

    The tags at a look are those of the rate that misses least there; `work` is what they took.
    """
    ((corpus, text),) = public.items()
    if "tags" in text:
        return learn_tagged(text, trial, settings)
    learned: dict[Key, Array] = {}
    looks = np.array(sorted({*settings.looks, *map(float, settings.passes)}))
    for window in settings.windows:
        regions = under(released[corpus], window)
        windows, counts = windows_of(regions, text), np.asarray(regions["counts"]).astype(np.int64)
        held_out = trial.shared("held out", window).random(len(counts)) < settings.held_out
        kept, known = choose_windows(windows, ~held_out), counts[~held_out]
        miss = partial(count_error, windows=windows, counts=counts, held_out=held_out)
        for name in settings.methods:
            found = train(METHODS[name], kept, known, text, miss, trial, settings.rates, looks)
            best = found.missed.argmin(axis=0), np.arange(len(looks))
            learned |= {
                (name, window): found.choose(np.isin(looks, settings.passes)),
                (name, window, "tags"): found.tags[best],
                (name, window, "passes"): looks,
                (name, window, "work"): measure_work(name, found.tagger, kept, known, looks),
                ("seconds", name, window): found.seconds[best],
            }
    return learned


def choose_windows(windows: Windows, chosen: Array) -> Windows:
    """Some of the windows."""
    return Windows(windows.words, windows.tokens, windows.start[chosen], windows.stop[chosen], windows.sentences)


def train(
    make: Callable[..., Tagger],
    windows: Windows,
    y: Array,
    text: Arrays,
    miss: Callable[[Score], float],
    trial: Trial,
    rates: Sequence[float],
    looks: Floats,
) -> Trained:
    """A training at each rate, looked at after so many passes."""
    asked = {"passes": looks[-1], "evaluate_at": looks, "n_tags": len(text["tag_names"])}
    taggers = [make(rate=rate, random_state=trial.shared("order"), **asked) for rate in rates]
    missed: list[float] = []
    for tagger in taggers:

        def judge(_: float, theta: Floats, tagger: Tagger = tagger) -> None:
            missed.append(miss(partial(score_some, theta, tagger.features_)))

        tagger.fit(windows, y, monitor=judge)
    tags, seconds = (np.stack([getattr(own, name) for own in taggers]) for name in ("snapshots_", "seconds_"))
    return Trained(taggers[-1], tags.astype(np.uint8), np.reshape(missed, seconds.shape), seconds)


def score_some(theta: Floats, features: Array, words: Array) -> Floats:
    """The scores of these words, (words, tags)."""
    scores = np.empty((len(words), theta.shape[1]))
    score_words(theta, features, words, scores)
    return scores


def count_error(score: Score, windows: Windows, counts: Array, held_out: Array) -> float:
    """How far the expected counts of held-out windows are from those released, in L1."""
    total = 0.0
    for i in np.flatnonzero(held_out):
        scores = score(windows.tokens[windows.start[i] : windows.stop[i]])
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        total += float(np.abs(shares.sum(axis=0) - counts[i]).sum())
    return total


def measure_work(name: str, tagger: Tagger, windows: Windows, counts: Array, looks: Floats) -> Floats:
    """Numbers changed until each look, as figure 7's cost counts them, and in scaling marginals to their counts."""
    tags, inside = counts.shape[1], float(windows.lengths.sum())
    begin, end = windows.spans if tagger.span == "all" else (windows.start, windows.stop)
    each, first = 2.0 * KINDS * tags * float(np.sum(end - begin)), 0.0
    if name == "moments":
        first = 2.0 * tags * inside * float(tagger.step1_passes_)
    elif name == "marginal_exact":
        each += float(inference_work("auto", counts, tagger.beam, tagger.budget).sum())
    elif name == "posteriors":
        each += 2.0 * TURNS * tags * inside
    return np.asarray(first + each * looks)


def learn_tagged(text: Arrays, trial: Trial, settings: Learn) -> Named:
    """Supervised training on whole sentences of the same draw, until so many tokens are tagged."""
    chosen = trial.shared("order").permutation(choose_sentences(text, trial, settings.sentences))
    passes = np.asarray(settings.passes, dtype=float)
    ends, learned = np.asarray(text["sentences"]), dict[Key, Array]()
    lengths = np.cumsum(ends[chosen + 1] - ends[chosen])
    for number in settings.tagged:
        own = chosen[: 1 + int(np.searchsorted(lengths, number))]
        held = max(1, round(settings.held_out * len(own)))
        test = np.concatenate([np.arange(ends[s], ends[s + 1]) for s in own[:held]])
        kept = own[held:] if len(own) > held else own
        windows = Windows(text["words"], text["tokens"], ends[kept], ends[kept + 1])

        def miss(score: Score, test: Array = test) -> float:
            return float(np.mean(score(text["tokens"][test]).argmax(axis=1) != text["tags"][test]))

        supervised = partial(Tagger, method="supervised")
        found = train(supervised, windows, text["tags"], text, miss, trial, settings.rates, passes)
        learned["supervised", number] = found.choose(passes > 0)
    return learned
