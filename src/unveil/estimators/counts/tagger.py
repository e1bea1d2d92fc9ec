"""A part-of-speech tagger learned from counts (Raghunathan et al. 2016, sections 4 and 7, figure 7)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.estimators.counts.count_posterior import MOST_STATES, count_states
from unveil.estimators.counts.features import Windows, feature_table, is_list, is_words, vocabulary
from unveil.estimators.counts.passes import (
    BEAM,
    EXACT,
    MERGED,
    joint_pass,
    marginal_pass,
    posterior_marginals,
    soft_pass,
)
from unveil.estimators.counts.tag_regression import StochasticRegression, tag_shares, word_tags
from unveil.estimators.counts.tagged_input import (
    are_sentences,
    check_parameters,
    check_tag_counts,
    number_tags,
    read_windows,
    solves_alike,
    whole_numbers,
)
from unveil.estimators.counts.window_steps import Model, Step, predict_words, score_words
from unveil.estimators.validation import as_generator, require_fitted
from unveil.numerics.simplex import project_to_simplex
from unveil.protocols.base import Release
from unveil.types import Array, Floats

INFERENCES = {"exact": EXACT, "beam": BEAM, "merged": MERGED, "auto": MERGED}

#: Larger tag sets are mistakes: no kernel would fit into memory.
MOST_TAGS = 100_000

#: One pass over some windows, in the order given: it changes θ and returns the objective on the way.
Pass = Callable[[Array], float]


@dataclass(eq=False, repr=False)
class Tagger:
    """What `CountTagger` does, without scikit-learn: its parameters and attributes are described there.

    It says what it is without a base class, so that whoever only trains does not import one.
    """

    method: str = "marginal"
    inference: str = "auto"
    beam: int = 500
    budget: int = 65536
    optimizer: str = "adagrad"
    rate: float = 0.1
    passes: float = 10
    evaluate_at: Sequence[float] = ()
    ridge: float = 1.0
    step1_tolerance: float = 1e-4
    step1_passes: int = 1000
    n_tags: int | None = None
    random_state: int | Generator | None = None
    step1: str = "exact"
    step1_rate: float | None = None
    span: str = "window"
    word_tags_: Floats = field(init=False)
    _prepared: float = field(init=False)
    _swept: StochasticRegression | None = field(init=False)

    def fit(
        self,
        X: Release | Windows | Sequence[Sequence[str]],
        y: ArrayLike | Sequence[Sequence[Any]],
        asked: ArrayLike | None = None,
        monitor: Callable[[float, Floats], None] | None = None,
        like: Tagger | None = None,
    ) -> Self:
        """Learn from windows and their tag counts (windows, tags), or for ``supervised`` from the tags.

        Or from a release of `RegionCounts` as X, and as y the sentences that it was made from. Tags are whole numbers
        or text, one list a window if X is lists of words, else numbers, one a token of the text. `asked` says which
        tags were counted (all by default). `monitor` is called with (passes, `coef_`) at each point of `evaluate_at`.
        `like` is a tagger that solved (12) for the same windows and counts: its solution, and time, serve here, too.
        """
        check_parameters(self, INFERENCES)
        names: Sequence[Any] | None = None
        if isinstance(X, Release):
            require(self.method != "supervised", "method must learn from counts: a release holds no tags")
            X, y, asked, names = read_windows(X, y)
        elif self.method == "supervised" and not isinstance(X, Windows):
            y, names = number_tags(y)
        windows = X if isinstance(X, Windows) else Windows.of(X)
        self.words_ = tuple(np.asarray(windows.words).tolist())
        self.feature_index_, self.features_ = vocabulary(self.words_)
        self.step1_passes_, self.step1_gap_ = 0.0, 0.0
        rng = as_generator(self.random_state)
        began = time.perf_counter()
        counted = self.method != "supervised"
        require(counted or like is None, "like must be None where tags are given")
        run = self._counts(windows, y, asked, rng, like) if counted else self._supervise(windows, X, y)
        spent = time.perf_counter() - began if self.method.startswith("moments") else 0.0
        self._prepared = spent if like is None else like._prepared
        require(names is None or len(names) == self.n_tags_, "n_tags must be None where tags have names")
        self.classes_ = np.arange(self.n_tags_) if names is None else np.asarray(names)
        self._train(run, len(windows), monitor, rng, self._prepared)
        if self._swept is not None:
            self._settle(self._swept)
            self._swept = None
        return self

    def predict(self, words: Sequence[str] | Sequence[Sequence[str]]) -> Any:
        """The tag of each word, ties to the first; of sentences, a list of such arrays."""
        require_fitted(self, "coef_")
        if are_sentences(words):
            return [self.predict(sentence) for sentence in words]
        require(is_words(words), "words must be a list of words, or of sentences")
        table = feature_table(cast("Sequence[str]", words), self.feature_index_)
        return self.classes_[predict_words(self.coef_, table, np.arange(len(words)))]

    def score(self, words: Sequence[str] | Sequence[Sequence[str]], tags: Sequence[Any]) -> float:
        """The share of words, or of all words of the sentences, whose tag is predicted."""
        predicted = self.predict(words)
        if are_sentences(words):
            lengths = [len(sentence) for sentence in words]
            require(lengths == [np.size(own) for own in tags], "tags must be one a word of each sentence")
            predicted, tags = np.concatenate(predicted), [tag for own in tags for tag in own]
        require(len(tags) == len(predicted) > 0, "tags must be one a word")
        return float(np.mean(predicted == np.asarray(tags)))

    def decision_function(self, words: Sequence[str]) -> Floats:
        """(words, tags) scores: log-probabilities up to a constant a word."""
        require_fitted(self, "coef_")
        require(is_words(words), "words must be a list of words")
        scores = np.empty((len(words), self.n_tags_))
        score_words(self.coef_, feature_table(words, self.feature_index_), np.arange(len(words)), scores)
        return scores

    def predict_proba(self, words: Sequence[str]) -> Floats:
        """(words, tags) probabilities."""
        scores = self.decision_function(words)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def posterior(
        self,
        X: Windows | Sequence[Sequence[str]],
        counts: ArrayLike,
        asked: ArrayLike | None = None,
        inference: str | None = None,
    ) -> Floats:
        """(tokens of the windows, tags): which tag sits where, given the counts; by default as in training."""
        require_fitted(self, "coef_")
        windows = X if isinstance(X, Windows) else Windows.of(X)
        whole, chosen = check_tag_counts(counts, asked, windows, self.n_tags_)
        how, work, plain, merged = self._plan(whole, windows.lengths, inference or self.inference)
        words = tuple(np.asarray(windows.words).tolist())
        table = self.features_ if words == self.words_ else feature_table(words, self.feature_index_)
        post = np.zeros((int(windows.lengths.sum()), self.n_tags_))
        regions = windows.tokens, windows.start, windows.stop
        posterior_marginals(self.coef_, table, regions, whole, chosen, how, work, plain, merged, post)
        return post

    def _supervise(self, windows: Windows, X: object, y: Any) -> Pass:
        require(
            isinstance(X, Windows) or (is_list(y) and all(np.ndim(sentence) == 1 for sentence in y)),
            "tags must be lists of whole numbers, one list a window",
        )
        given = y if isinstance(X, Windows) else [tag for sentence in y for tag in sentence]
        tags = whole_numbers(given, "tags")
        require(tags.shape == np.shape(windows.tokens), "tags must be one a token of the text")
        inside = tags[windows.positions]
        self.n_tags_ = self._size(int(inside.max()) + 1)
        require(int(inside.min()) >= 0, "tags must not be negative")
        self._start()
        return self._soft((windows.start, windows.stop), windows, np.eye(self.n_tags_), tags)

    def _counts(self, windows: Windows, y: Any, asked: ArrayLike | None, rng: Generator, like: Tagger | None) -> Pass:
        self.n_tags_ = self._size(whole_numbers(y, "counts").shape[-1] if np.ndim(y) else 0)
        counts, chosen = check_tag_counts(y, asked, windows, self.n_tags_)
        self._start()
        require(like is None or solves_alike(self, like), "like must be fitted to the same words by the same step 1")
        if self.method == "marginal":
            return self._marginal(windows, counts, chosen)
        self.tag_shares_ = tag_shares(counts, chosen, windows.lengths)
        spans = (windows.start, windows.stop) if self.span == "window" else windows.spans
        targets = windows.tokens
        if self.span == "seen":
            seen = np.bincount(targets[windows.positions], minlength=len(self.words_)) > 0
            targets = np.where(seen[targets], targets, -1)
        if like is not None:
            self.word_tags_, self.step1_passes_, self.step1_gap_ = like.word_tags_, like.step1_passes_, like.step1_gap_
        elif self.step1 == "exact":
            self._solve(windows, counts, chosen)
        else:
            rate = 1.0 if self.step1_rate is None else float(self.step1_rate)
            descent = StochasticRegression(windows, counts, chosen, rate, self.step1 != "sgd_constant")
            if self.step1 != "sgd_first":
                return self._sweep(descent, spans, targets)
            self._descend(descent, len(windows), deepcopy(rng))
        return self._soft(spans, windows, self.word_tags_, targets)

    def _solve(self, windows: Windows, counts: Array, asked: Array) -> None:
        """Step 1 by conjugate gradients."""
        self.word_tags_, self.step1_passes_ = word_tags(
            windows,
            counts,
            asked,
            self.features_ if self.method == "moments_features" else None,
            ridge=self.ridge,
            tolerance=self.step1_tolerance,
            passes=int(self.step1_passes),
        )

    def _descend(self, descent: StochasticRegression, n: int, rng: Generator) -> None:
        """Step 1 by stochastic gradients, until its gradient has fallen; in the orders that step 2 will have."""
        for done in range(int(self.step1_passes)):
            descent.descend(rng.permutation(n))
            self.step1_passes_ = done + 1.0
            if descent.gap <= self.step1_tolerance:
                break
        self._settle(descent)

    def _settle(self, descent: StochasticRegression) -> None:
        self.word_tags_, self.step1_gap_ = project_to_simplex(descent.solution), descent.gap

    def _sweep(self, descent: StochasticRegression, spans: tuple[Array, Array], targets: Array) -> Pass:
        """Passes over both programs at once."""
        model, step, wide = self._model(), self._step(), (descent.text[0], *spans)
        self.step1_passes_, shares = float(self.passes), descent.start.copy()
        self._swept = descent
        return lambda order: joint_pass(
            model, descent.text, wide, targets, order, descent.counts, descent.asked, descent.state, shares, step
        )

    def _size(self, seen: int) -> int:
        """The size of the tag set, at least what was seen."""
        if self.n_tags is not None:
            require_number(self.n_tags, "n_tags", whole=True)
            require(1 <= self.n_tags <= MOST_TAGS, f"n_tags must lie between 1 and {MOST_TAGS}, not {self.n_tags}")
        require(seen <= MOST_TAGS, f"tags must be fewer than {MOST_TAGS}")
        size = seen if self.n_tags is None else int(self.n_tags)
        require(seen <= size, f"n_tags = {size} is smaller than the {seen} tags of the data")
        return size

    def _start(self) -> None:
        self.coef_ = np.zeros((len(self.feature_index_), self.n_tags_))
        self._squares, self._swept = np.zeros_like(self.coef_), None

    def _soft(self, spans: tuple[Array, Array], windows: Windows, targets: Floats, target_of: Array) -> Pass:
        """Passes towards given tag distributions: targets[target_of[position]]."""
        model, step, text = self._model(), self._step(), (windows.tokens, *spans)
        return lambda order: soft_pass(model, text, order, targets, target_of, step)

    def _marginal(self, windows: Windows, counts: Array, asked: Array) -> Pass:
        """Passes up the likelihood of the counts."""
        model, step, text = self._model(), self._step(), (windows.tokens, windows.start, windows.stop)
        inferences = self._plan(counts, windows.lengths, self.inference)
        return lambda order: float(marginal_pass(model, text, order, counts, asked, *inferences, step))

    def _model(self) -> Model:
        """The weights that every pass changes in place."""
        return self.coef_, self._squares, self.features_

    def _step(self) -> Step:
        """The step size, and whether it adapts."""
        return float(self.rate), self.optimizer == "adagrad"

    def _plan(
        self, counts: Array, lengths: Array, inference: str
    ) -> tuple[Array, Array | None, int | None, int | None]:
        """How each window's posterior is found, room for the exact one, and widths of the two beams.

        What no window needs is None: the beams and the exact inference take seconds each to compile.
        """
        require(inference in INFERENCES, f"inference must be one of {', '.join(INFERENCES)}")
        states = count_states(np.column_stack([counts, lengths - counts.sum(axis=1)]))
        how = np.full(len(states), INFERENCES[inference], dtype=np.int64)
        if inference == "auto":
            how[states <= self.budget] = EXACT
        most = states[how == EXACT].max(initial=1.0)
        require(
            most <= MOST_STATES,
            f"counts allow {most:.3g} count vectors, too many for exact inference: use inference='auto'",
        )
        work = np.empty((2, int(most))) if EXACT in how else None
        plain, merged = (int(self.beam) if kind in how else None for kind in (BEAM, MERGED))
        return how, work, plain, merged

    def _train(
        self, run: Pass, n: int, monitor: Callable[[float, Floats], None] | None, rng: Generator, spent: float
    ) -> None:
        """Go over the windows in a new order each pass, pausing where an evaluation is due."""
        last = round(self.passes * n)
        times = np.asarray(self.evaluate_at, dtype=float)
        due = np.rint(times * n).astype(np.int64)
        cuts = np.unique([0, *np.arange(0, last, n), *due, last])
        self.objective_ = np.zeros(-(-last // n))
        noted: list[Array] = []
        seconds = []
        order = np.arange(0)
        for begin, end in zip([0, *cuts], cuts, strict=False):
            if begin % n == 0 and begin < end:
                order = rng.permutation(n)
            began = time.perf_counter()
            if begin < end:
                self.objective_[begin // n] += run(order[begin % n : begin % n + end - begin])
            spent += time.perf_counter() - began
            for at in np.flatnonzero(due == end):
                noted.append(predict_words(self.coef_, self.features_, np.arange(len(self.words_))))
                seconds.append(spent)
                if monitor is not None:
                    monitor(float(times[at]), self.coef_)
        smallest = np.min_scalar_type(self.n_tags_ - 1)
        self.snapshots_ = np.array(noted, dtype=smallest).reshape(len(noted), len(self.words_))
        self.seconds_ = np.array(seconds)
