"""Both programs of the moments by stochastic gradients: step by step, and where they come to rest."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from refusals import refused
from small_corpora import corpus
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.passes import joint_pass, project_row
from unveil.estimators.counts.tag_regression import StochasticRegression, window_design
from unveil.estimators.counts.tagger import Tagger
from unveil.mechanisms.noisy_records import NoisyRecords
from unveil.mechanisms.regions import RegionCounts
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array, Floats

# Two sentences of five words; word 1 stands twice in the second window.
TOKENS = np.array([3, 2, 0, 4, 1, 1, 2, 1, 0, 3])
ENDS = np.array([0, 5, 10])
WINDOWS = Windows(np.array(list("abcde")), TOKENS, np.array([1, 5]), np.array([4, 8]), ENDS)
FEATURES = np.array([[0, 3], [1, 3], [0, 4], [2, 5], [1, -1]], dtype=np.int32)
COUNTS = np.array([[2, 0, 1], [1, 1, 1]])
ASKED = np.array([[True, True, True], [True, True, True]])
K = 3


class Plain:
    """Section 7's two programs as plainly as they can be written: one window after the other, in dense arrays."""

    def __init__(self, start: Floats, adaptive: bool, span: str, fall: float) -> None:
        self.raw, self.theta = np.tile(start, (len(FEATURES), 1)), np.zeros((6, K))
        self.squares, self.adaptive, self.span = np.zeros((6, K)), adaptive, span
        self.fall, self.iterates = fall, [self.raw]

    @property
    def regression(self) -> Floats:
        """The last iterate, or the mean of all, of which the one after s steps weighs s."""
        return np.average(self.iterates, axis=0, weights=range(len(self.iterates))) if self.fall else self.raw

    def step(self, i: int, step1_rate: float, rate: float, asked: Array = ASKED) -> None:
        window = TOKENS[WINDOWS.start[i] : WINDOWS.stop[i]]
        multiplicity = np.bincount(window, minlength=len(FEATURES))
        norm, steps = multiplicity @ multiplicity, len(self.iterates) - 1
        size = step1_rate / np.sqrt(1 + steps / self.fall) if self.fall else 0.0
        excess = np.where(asked[i], multiplicity @ self.raw - COUNTS[i], 0.0)
        step = size / (1 + size * norm) if self.fall else step1_rate / norm
        self.raw = self.raw - step * np.outer(multiplicity, excess)
        self.iterates.append(self.raw)
        targets = project_to_simplex(self.regression)
        sentence = TOKENS[ENDS[i] : ENDS[i + 1]] if self.span == "all" else window
        gradient = np.zeros_like(self.theta)
        for word in sentence:
            own = [f for f in FEATURES[word] if f >= 0]
            error = targets[word] - softmax(self.theta[own].sum(axis=0))
            for f in own:
                gradient[f] += error
        self.squares += gradient**2
        self.theta += rate * gradient / (np.sqrt(self.squares + 1e-12) if self.adaptive else 1.0)


@pytest.mark.parametrize("fall", [0.0, 2.0])
@pytest.mark.parametrize("span", ["window", "all"])
@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("asked", [ASKED, np.array([[True, False, True], [False, True, True]])])
def test_a_sweep_is_that_of_a_plain_implementation_step_by_step(
    fall: float, span: str, adaptive: bool, asked: Array
) -> None:
    shares = np.array([0.5, 0.2, 0.3])
    plain = Plain(shares, adaptive, span, fall)
    theta, squares = np.zeros((6, K)), np.zeros((6, K))
    raw = np.tile(shares, (len(FEATURES), 1))
    projected, lag, clock = raw.copy(), np.zeros_like(raw), np.zeros(2)
    spans = WINDOWS.spans if span == "all" else (WINDOWS.start, WINDOWS.stop)
    model, seen = (theta, squares, FEATURES), (TOKENS, WINDOWS.start, WINDOWS.stop)
    for i in (0, 1, 1, 0, 1, 0, 0, 0, 1):
        plain.step(i, 0.9, 0.3, asked)
        descent, step = (raw, lag, clock, 0.9, fall), (0.3, adaptive)
        joint_pass(model, seen, (TOKENS, *spans), TOKENS, np.array([i]), COUNTS, asked, descent, projected, step)
        assert_allclose(raw, plain.raw, atol=1e-12)
        assert_allclose(raw - lag / max(clock[1], 1), plain.regression, atol=1e-12)
        used = TOKENS[spans[0][i] : spans[1][i]]
        assert_allclose(projected[used], project_to_simplex(plain.regression[used]), atol=1e-12)
        assert_allclose(theta, plain.theta, atol=1e-12)


@pytest.mark.parametrize("tags", [1, 2, 5, 45])
def test_any_row_is_projected_to_its_nearest_distribution(tags: int) -> None:
    """Ties, rows far away, and vertices."""
    rng = default_rng(tags)
    scales = 10.0 ** rng.integers(-3, 4, 200)[:, None]
    raw = np.vstack([scales * rng.normal(size=(200, tags)), np.ones((1, tags)), np.eye(tags), -np.eye(tags)])
    nearest = np.empty_like(raw)
    for row, own in zip(raw, nearest, strict=True):
        project_row(row, own)
    assert_allclose(nearest, project_to_simplex(raw), atol=1e-12)


def draw_windows(n: int, seed: int, noisy: bool) -> tuple[Windows, Array, Floats]:
    """n windows of five of thirty words that repeat, their counts of four tags, and w*.

    The tag depends on the word alone, unless it is `noisy`: then one of a window's tags is another one wherever the
    window holds word 0, so that (12) has a minimum but no truth.
    """
    rng = default_rng(seed)
    truth = default_rng(5).dirichlet(np.full(4, 0.4), 30)
    tokens = rng.choice(30, 5 * n, p=1 / np.arange(1, 31) / np.sum(1 / np.arange(1, 31)))
    tags = (rng.random((5 * n, 1)) > np.cumsum(truth[tokens], axis=1)).sum(axis=1).clip(max=3)
    if noisy:
        tags[::5] = np.where((tokens.reshape(n, 5) == 0).any(axis=1), 3, tags[::5])
    counts = np.add.reduceat(np.eye(4, dtype=np.int64)[tags], np.arange(0, 5 * n, 5))
    ends = np.arange(0, 5 * n + 1, 5)
    return Windows(np.array([f"w{i}" for i in range(30)]), tokens, ends[:-1], ends[1:], ends), counts, truth


def minimise(windows: Windows, counts: Array) -> Floats:
    """(12) by least squares on dense arrays."""
    return np.asarray(np.linalg.lstsq(window_design(windows).toarray(), counts, rcond=None)[0])


@pytest.mark.parametrize("step1", ["sgd", "sgd_first"])
def test_averaged_step_one_is_as_near_to_the_truth_as_least_squares_for_any_n(step1: str) -> None:
    """A constant rate's last iterate stays where it is, however many windows there are.

    Three passes; the errors are those of five draws together, so that chance moves their ratio by a tenth.
    """
    ratios, constant = [], []
    for n in (300, 3_000, 30_000):
        errors = []
        for seed in range(5):
            windows, counts, truth = draw_windows(n, seed, noisy=False)
            how: dict[str, Any] = {"n_tags": 4, "passes": 3, "random_state": seed, "step1_passes": 3}
            fitted = [Tagger("moments", step1=name, **how).fit(windows, counts) for name in (step1, "sgd_constant")]
            found = [minimise(windows, counts), *(tagger.word_tags_ for tagger in fitted)]
            errors.append([np.sum((project_to_simplex(w) - truth) ** 2) for w in found])
        least, mean, last = np.sqrt(np.mean(errors, axis=0) / truth.size)
        ratios.append(mean / least)
        constant.append(last)
    assert max(ratios) < 1.25
    assert min(constant) > 0.6 * max(constant)
    assert constant[-1] > 5 * least


def test_averaged_step_one_comes_to_the_minimum_of_the_counts_at_hand() -> None:
    """Even where no w fits: the distance falls as passes go on, and the gap that is told falls with it."""
    windows, counts, _ = draw_windows(400, 1, noisy=True)
    minimum, rng = minimise(windows, counts), default_rng(0)
    descent = StochasticRegression(windows, counts, np.ones(counts.shape, bool), 1.0, averaged=True)
    far, gaps, began = [], [], np.abs(descent.start - minimum).max()
    for passes in range(1, 1001):
        descent.descend(rng.permutation(400))
        if passes in (10, 100, 1000):
            far.append(np.abs(descent.solution - minimum).max() / began)
            gaps.append(descent.gap)
    assert far[1] < 0.5 * far[0]
    assert far[2] < 0.5 * far[1]
    assert far[2] < 0.01
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[2] < 0.01


@pytest.mark.parametrize("step1", ["sgd", "sgd_first"])
def test_a_first_step_that_did_not_come_to_rest_is_said(step1: str) -> None:
    windows, counts, _ = draw_windows(400, 1, noisy=True)
    how: dict[str, Any] = {"step1": step1, "n_tags": 4, "passes": 2, "step1_passes": 2, "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="not at the minimum of .12.: its gradient fell to"):
        CountTagger("moments", **how).fit(windows, counts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tagger = CountTagger("moments", **how, step1_tolerance=0.999).fit(windows, counts)
    regression = StochasticRegression(windows, counts, np.ones(counts.shape, bool), 1.0, averaged=False)
    assert regression.gap == 1
    assert 0 < tagger.step1_gap_ < 0.999
    with pytest.warns(ConvergenceWarning, match="not at the minimum"):
        CountTagger("moments", **{**how, "step1": "sgd_constant", "passes": 50}).fit(windows, counts)


def test_one_after_the_other_is_step_one_alone_until_it_has_come_to_rest() -> None:
    text = corpus(60)
    windows, regions = text.regions(3)
    how: dict[str, Any] = {"step1_rate": 0.5, "passes": 1.5, "n_tags": 6, "random_state": 5, "step1_tolerance": 0.2}
    tagger = Tagger("moments", step1="sgd_first", **how).fit(windows, regions.counts)
    rng, descent = default_rng(5), StochasticRegression(windows, regions.counts, regions.asked, 0.5, averaged=True)
    for _ in range(int(tagger.step1_passes_)):
        assert descent.gap > 0.2
        descent.descend(rng.permutation(len(windows)))
    assert_allclose(tagger.word_tags_, project_to_simplex(descent.solution), atol=1e-12)
    assert tagger.step1_gap_ == descent.gap <= 0.2
    how = {"step1": "sgd_constant", "passes": 1, "n_tags": 6, "random_state": 5}
    default, one = (Tagger("moments", step1_rate=rate, **how).fit(windows, regions.counts) for rate in (None, 1.0))
    assert np.array_equal(default.word_tags_, one.word_tags_)


def test_a_word_that_no_window_holds_has_no_part_in_step_two_unless_all_have() -> None:
    """It keeps the overall shares: over all positions (10) teaches them, over those seen it does not.

    It shares no feature with the others.
    """
    sentences = [["a", "b", "99"], ["b", "b", "99"]]
    whole = Windows.of(sentences)
    windows = Windows(whole.words, whole.tokens, whole.start, whole.stop - 1, np.array([0, 3, 6]))
    counts = np.array([[1, 1], [0, 2]])
    for step1 in ("exact", "sgd", "sgd_first", "sgd_constant"):
        how: dict[str, Any] = {"step1": step1, "passes": 1, "random_state": 0, "optimizer": "sgd"}
        fitted = [Tagger("moments", span=span, **how).fit(windows, counts) for span in ("seen", "window", "all")]
        own = fitted[0].features_[list(fitted[0].words_).index("99")]
        assert [bool(tagger.coef_[own].any()) for tagger in fitted] == [False, False, True]
        assert_allclose(fitted[2].word_tags_[list(fitted[2].words_).index("99")], [0.25, 0.75])


def test_without_sentences_all_positions_are_those_of_the_windows() -> None:
    windows, regions = corpus(100).regions(2)
    settings: dict[str, Any] = {"method": "moments", "passes": 1, "n_tags": 6, "random_state": 0}
    window, every = (CountTagger(**settings, span=span).fit(windows, regions.counts) for span in ("window", "all"))
    assert np.array_equal(window.coef_, every.coef_)


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
    assert CountTagger("supervised", passes=1).fit(WORDS, [[0, 0], [2]]).classes_.tolist() == [0, 1, 2]
    assert CountTagger("supervised", passes=1).fit(WORDS[:1], TAGS[:1]).classes_.tolist() == ["X", "Y"]


def test_of_no_words_there_are_no_tags() -> None:
    assert TAUGHT.predict([]).tolist() == []
    assert [tags.tolist() for tags in TAUGHT.predict([["a"], []])] == [["X"], []]


WORDS, TAGS = [["a", "b"], ["c"]], [["X", "Y"], ["X"]]
TAUGHT = CountTagger("supervised", passes=1).fit(WORDS, TAGS)
RECORDS = NoisyRecords(0.1, 0.1).publish((np.eye(2, dtype=int), [0, 1]))
PUBLISHED = RegionCounts(1).publish((WORDS, TAGS), default_rng(0))
test_bad_input_is_refused = refused(
    (lambda: CountTagger("moments").fit(PUBLISHED, [["a"], ["b", "c"]]), "sentences must be the rows of the release"),
    (lambda: CountTagger("supervised").fit(PUBLISHED, WORDS), "a release holds no tags"),
    (lambda: CountTagger("marginal", step1="sgd").fit(WORDS, [[1, 1], [1, 0]]), "step1 must be"),
    (lambda: CountTagger("moments", span="most").fit(WORDS, [[1, 1], [1, 0]]), "span must be one of"),
    (lambda: CountTagger("moments", step1_rate=-1.0).fit(WORDS, [[1, 1], [1, 0]]), "step1_rate must lie"),
    (lambda: RegionCounts(1).publish((WORDS, [["X"], ["X"]])), "same lengths"),
    (lambda: RegionCounts(1).publish((WORDS, TAGS), tag_set=["X"]), "among those of tag_set"),
    (lambda: CountTagger("moments").fit(RECORDS, WORDS), "of the protocol 'tags' for CountTagger, not 'records'"),
    (lambda: TAUGHT.score(WORDS, [["X"], ["X"]]), "one a word"),
    (TAUGHT.posterior, WORDS, [["a"], ["b"]], "counts must hold numbers"),
    (TAUGHT.predict, [["a"], 3], "words must be a list of words, or of sentences"),
    (lambda: Windows(np.array(["a", "b"]), *map(np.array, ([0, 1], [0], [2], [0, 1, 2]))), "lie in one sentence"),
)
