"""Both programs of the moments by stochastic gradients: step by step, and where they come to rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.special import softmax

from refusals import refused
from small_corpora import corpus
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.passes import count_pass, joint_pass
from unveil.mechanisms.regions import RegionCounts
from unveil.types import Array, Floats

# Two sentences of five words; word 1 stands twice in the second window.
TOKENS = np.array([3, 2, 0, 4, 1, 1, 2, 1, 0, 3])
ENDS = np.array([0, 5, 10])
WINDOWS = Windows(np.array(list("abcde")), TOKENS, np.array([1, 5]), np.array([4, 8]), ENDS)
FEATURES = np.array([[0, 3], [1, 3], [0, 4], [2, 5], [1, -1]], dtype=np.int32)
COUNTS = np.array([[2, 0, 1], [1, 1, 1]])
ASKED = np.array([[True, True, True], [True, True, True]])
K = 3


def onto_simplex(row: Floats) -> Floats:
    """By sorting: Held, Wolfe and Crowder 1974."""
    falling = np.sort(row)[::-1]
    shifts = (np.cumsum(falling) - 1) / np.arange(1, len(row) + 1)
    return np.asarray(np.maximum(row - shifts[falling > shifts][-1], 0))


class Plain:
    """Section 7's two programs as plainly as they can be written: one window after the other, in dense arrays."""

    def __init__(self, start: Floats, adaptive: bool, span: str) -> None:
        self.raw, self.theta = np.tile(start, (len(FEATURES), 1)), np.zeros((6, K))
        self.squares, self.adaptive, self.span = np.zeros((6, K)), adaptive, span

    def step(self, i: int, step1_rate: float, rate: float, asked: Array = ASKED) -> None:
        window = TOKENS[WINDOWS.start[i] : WINDOWS.stop[i]]
        multiplicity = np.bincount(window, minlength=len(FEATURES))
        excess = np.where(asked[i], multiplicity @ self.raw - COUNTS[i], 0.0)
        self.raw -= step1_rate / (multiplicity @ multiplicity) * np.outer(multiplicity, excess)
        targets = np.array([onto_simplex(row) for row in self.raw])
        sentence = TOKENS[ENDS[i] : ENDS[i + 1]] if self.span == "all" else window
        gradient = np.zeros_like(self.theta)
        for word in sentence:
            own = [f for f in FEATURES[word] if f >= 0]
            error = targets[word] - softmax(self.theta[own].sum(axis=0))
            for f in own:
                gradient[f] += error
        self.squares += gradient**2
        self.theta += rate * gradient / (np.sqrt(self.squares + 1e-12) if self.adaptive else 1.0)


@pytest.mark.parametrize("span", ["window", "all"])
@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("asked", [ASKED, np.array([[True, False, True], [False, True, True]])])
def test_a_sweep_is_that_of_a_plain_implementation_step_by_step(span: str, adaptive: bool, asked: Array) -> None:
    shares = np.array([0.5, 0.2, 0.3])
    plain = Plain(shares, adaptive, span)
    theta, squares = np.zeros((6, K)), np.zeros((6, K))
    raw = np.tile(shares, (len(FEATURES), 1))
    projected = raw.copy()
    spans = WINDOWS.spans if span == "all" else (WINDOWS.start, WINDOWS.stop)
    model, seen = (theta, squares, FEATURES, FEATURES), (TOKENS, WINDOWS.start, WINDOWS.stop)
    for i in (0, 1, 1, 0, 1, 0, 0, 0, 1):
        plain.step(i, 0.9, 0.3, asked)
        joint_pass(model, seen, (TOKENS, *spans), np.array([i]), COUNTS, asked, raw, projected, 0.9, (0.3, adaptive))
        assert_allclose(raw, plain.raw, atol=1e-12)
        assert_allclose(projected, [onto_simplex(row) for row in plain.raw], atol=1e-12)
        assert_allclose(theta, plain.theta, atol=1e-12)


@pytest.mark.parametrize("tags", [1, 2, 5, 45])
def test_any_row_is_projected_to_its_nearest_distribution(tags: int) -> None:
    """Ties, rows far away, and vertices: where nothing is counted, nothing but the projection is done."""
    rng = default_rng(tags)
    scales = 10.0 ** rng.integers(-3, 4, 200)[:, None]
    raw = np.vstack([scales * rng.normal(size=(200, tags)), np.ones((1, tags)), np.eye(tags), -np.eye(tags)])
    n = len(raw)
    shares, ends, none = np.empty_like(raw), np.arange(n + 1), np.zeros((n, tags), dtype=bool)
    before = raw.copy()
    text = np.arange(n), ends[:-1], ends[1:]
    count_pass(raw, shares, text, np.arange(n), np.zeros((n, tags), int), none, 1.0)
    assert np.array_equal(raw, before)
    assert_allclose(shares, [onto_simplex(row) for row in raw], atol=1e-12)


def test_one_after_the_other_is_step_one_alone_and_then_step_two() -> None:
    text = corpus(60)
    windows, regions = text.regions(3)
    tagger = CountTagger("moments", step1="sgd_first", step1_rate=0.5, passes=1.5, n_tags=6, random_state=5)
    tagger.fit(windows, regions.counts)
    raw = np.tile(tagger.tag_shares_, (len(text.words), 1))
    shares, rng = raw.copy(), default_rng(5)
    n = len(windows)
    for last in (n, round(1.5 * n) - n):
        order = rng.permutation(n)[:last]
        seen = windows.tokens, windows.start, windows.stop
        count_pass(raw, shares, seen, order, regions.counts, regions.asked, 0.5)
    assert_allclose(tagger.word_tags_, shares, atol=1e-12)
    assert tagger.step1_passes_ == 1.5


def test_all_positions_are_more_than_the_windows() -> None:
    text = corpus(100)
    windows, regions = text.regions(2)
    whole = Windows(windows.words, windows.tokens, windows.start, windows.stop, text.ends)
    spans = whole.spans
    assert (spans[0] <= whole.start).all()
    assert (whole.stop <= spans[1]).all()
    assert np.isin(spans[0], text.ends).all()
    settings: dict[str, Any] = {"method": "moments", "passes": 1, "n_tags": 6, "random_state": 0, "optimizer": "sgd"}
    window, every = (CountTagger(**settings, span=span).fit(whole, regions.counts).coef_ for span in ("window", "all"))
    assert np.abs(every).sum() > 1.2 * np.abs(window).sum()
    unknown = CountTagger(**settings, span="all").fit(windows, regions.counts).coef_
    assert np.array_equal(unknown, window)


def sentences_of(text: Any) -> tuple[list[list[str]], list[list[str]]]:
    pairs = list(zip(text.ends, text.ends[1:], strict=False))
    names = np.array(list("UVWXYZ"))
    words = [text.words[text.tokens[a:b]].tolist() for a, b in pairs]
    return words, [names[text.tags[a:b]].tolist() for a, b in pairs]


@pytest.mark.parametrize("method", ["moments", "marginal"])
def test_what_an_annotator_publishes_is_all_that_a_tagger_needs(method: str) -> None:
    """The same windows and counts by the two ways give the same weights; tags come back as text."""
    text = corpus(300)
    sentences, tags = sentences_of(text)
    release = RegionCounts(3).publish((sentences, tags), default_rng(4))
    published = CountTagger(method, passes=2, random_state=0, span="all").fit(release, sentences)
    regions = RegionCounts(3).release(text.tags, text.ends, default_rng(4))
    windows = Windows(text.words, text.tokens, regions.start, regions.stop, text.ends)
    numbered = CountTagger(method, passes=2, random_state=0, span="all").fit(windows, regions.counts)
    words = text.words.tolist()
    assert_allclose(published.predict_proba(words), numbered.predict_proba(words), atol=1e-9)
    assert published.classes_.tolist() == list("UVWXYZ")
    predicted = published.predict(sentences)
    expected = np.mean(np.concatenate(predicted) == np.concatenate(tags))
    assert published.score(sentences, tags) == expected > 0.5
    assert published.score(sentences[0], tags[0]) == np.mean(predicted[0] == np.array(tags[0]))
    assert release.randomness == "seeded"
    assert RegionCounts(3).publish((sentences, tags)).randomness == "os"


def test_supervision_takes_tags_that_are_text() -> None:
    sentences, tags = sentences_of(corpus(300))
    tagger = CountTagger("supervised", passes=2, random_state=0).fit(sentences, tags)
    assert tagger.classes_.tolist() == list("UVWXYZ")
    assert tagger.score(sentences, tags) > 0.5


WORDS, TAGS = [["a", "b"], ["c"]], [["X", "Y"], ["X"]]
PUBLISHED = RegionCounts(1).publish((WORDS, TAGS), default_rng(0))
test_bad_input_is_refused = refused(
    (lambda: CountTagger("moments").fit(PUBLISHED, [["a"], ["b", "c"]]), "sentences must be the rows of the release"),
    (lambda: CountTagger("supervised").fit(PUBLISHED, WORDS), "a release holds no tags"),
    (lambda: CountTagger("marginal", step1="sgd").fit(WORDS, [[1, 1], [1, 0]]), "step1 must be"),
    (lambda: CountTagger("moments", span="most").fit(WORDS, [[1, 1], [1, 0]]), "span must be one of"),
    (lambda: CountTagger("moments", step1_rate=-1.0).fit(WORDS, [[1, 1], [1, 0]]), "step1_rate must lie"),
    (lambda: RegionCounts(1).publish((WORDS, [["X"], ["X"]])), "same lengths"),
    (lambda: RegionCounts(1).publish((WORDS, TAGS), tag_set=["X"]), "among those of tag_set"),
    (lambda: CountTagger("supervised").fit(WORDS, TAGS).score(WORDS, [["X"], ["X"]]), "one a word"),
    (lambda: Windows(np.array(["a", "b"]), *map(np.array, ([0, 1], [0], [2], [0, 1, 2]))), "lie in one sentence"),
)
