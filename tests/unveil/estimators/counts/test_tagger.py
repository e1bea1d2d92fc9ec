from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from refusals import refused
from small_corpora import Corpus, corpus
from unveil.estimators.counts.count_posterior import count_states, exact_count_posterior
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.counts.features import Windows, feature_index, feature_table, word_features
from unveil.types import Array

METHODS = ["supervised", "moments", "moments_features", "marginal"]


def fitted(text: Corpus, window: int | None, **settings: Any) -> CountTagger:
    windows, regions = text.regions(window)
    tagger = CountTagger(**{"random_state": 1, "n_tags": text.word_tags.shape[1], **settings})
    return tagger.fit(windows, text.tags if tagger.method == "supervised" else regions.counts)


def accuracy(tagger: CountTagger, text: Corpus) -> float:
    return float(np.mean(tagger.predict(text.words.tolist())[text.tokens] == text.tags))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_words_from_windows(method: str) -> None:
    text = corpus(1500)
    best = np.mean(text.word_tags.argmax(axis=1)[text.tokens] == text.tags)
    floor = np.bincount(text.tags).max() / len(text.tags)
    reached = accuracy(fitted(text, 3, method=method), text)
    assert floor + 0.5 * (best - floor) < reached <= best + 0.02


@pytest.mark.parametrize("inference", ["exact", "beam", "merged", "auto"])
def test_windows_of_one_token_are_supervision(inference: str) -> None:
    text = corpus(300)
    marginal = fitted(text, 1, inference=inference, beam=1, passes=2)
    supervised = fitted(text, 1, method="supervised", passes=2)
    assert_allclose(marginal.coef_, supervised.coef_, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_snapshots_are_what_a_shorter_training_predicts(method: str) -> None:
    text = corpus(200)
    times = [0.0, 0.25, 1.0, 1.5, 2.0]
    monitored = []
    windows, regions = text.regions(4)
    tagger = CountTagger(method, passes=2, evaluate_at=times, n_tags=6, random_state=3)
    y = text.tags if method == "supervised" else regions.counts
    began = perf_counter()
    tagger.fit(windows, y, monitor=lambda passes, _: monitored.append(passes))
    assert 0 < tagger.seconds_[-1] < perf_counter() - began
    assert monitored == times
    assert tagger.snapshots_.shape == (5, len(text.words))
    assert (np.diff(tagger.seconds_) >= 0).all()
    for passes, snapshot in zip(times, tagger.snapshots_, strict=True):
        shorter = CountTagger(method, passes=passes, n_tags=6, random_state=3).fit(windows, y)
        assert np.array_equal(shorter.predict(text.words.tolist()), snapshot)


def test_the_objective_rises_over_passes() -> None:
    objective = fitted(corpus(400), 5, inference="exact", passes=5).objective_
    assert len(objective) == 5
    assert (np.diff(objective) > 0).all()


def test_the_seed_decides_and_nothing_else() -> None:
    text = corpus(100)
    first, second, other = (fitted(text, 4, random_state=seed).coef_ for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_auto_is_exact_within_its_budget_and_merged_beyond() -> None:
    text = corpus(100)
    most = int(count_states(text.regions(None)[1].counts).max())
    choices: dict[str, dict[str, Any]] = {
        "exact": {"inference": "exact"},
        "just": {"inference": "auto", "budget": most},
        "merged": {"inference": "merged"},
        "all": {"inference": "auto", "budget": 10**6},
        "none": {"inference": "auto", "budget": 1},
    }
    by = {name: fitted(text, None, passes=1, beam=3, **settings).coef_ for name, settings in choices.items()}
    assert np.array_equal(by["all"], by["exact"])
    assert np.array_equal(by["just"], by["exact"])
    assert np.array_equal(by["none"], by["merged"])
    assert not np.allclose(by["exact"], by["merged"])


def test_a_subset_of_tags_is_enough_to_learn() -> None:
    """Section 4's supervision: each annotator counts two tags of six."""
    text = corpus(3000)
    windows, regions = text.regions(3, tags=2)
    floor = np.bincount(text.tags).max() / len(text.tags)
    best = np.mean(text.word_tags.argmax(axis=1)[text.tokens] == text.tags)
    for method in ("marginal", "moments", "moments_features"):
        tagger = CountTagger(method, random_state=0).fit(windows, regions.counts, regions.asked)
        assert accuracy(tagger, text) > floor + 0.5 * (best - floor), method


@pytest.mark.parametrize("tags", [None, 3])
def test_posteriors_sum_to_the_counts_and_agree_with_the_front_door(tags: int | None) -> None:
    text = corpus(60)
    windows, regions = text.regions(4, tags=tags)
    tagger = CountTagger(inference="exact", random_state=0, n_tags=6)
    tagger.fit(windows, regions.counts, regions.asked)
    posterior = tagger.posterior(windows, regions.counts, regions.asked)
    assert_allclose(posterior.sum(axis=1), 1, atol=1e-9)
    ends = np.cumsum(windows.lengths)
    for i, (first, last) in enumerate(zip(ends - windows.lengths, ends, strict=True)):
        found = posterior[first:last]
        assert_allclose(found.sum(axis=0)[regions.asked[i]], regions.counts[i][regions.asked[i]], atol=1e-9)
        if tags is None:
            words = text.words[windows.tokens[windows.start[i] : windows.stop[i]]].tolist()
            expected, _ = exact_count_posterior(tagger.decision_function(words), regions.counts[i])
            assert_allclose(found, expected, atol=1e-9)


def one_token_sequences(text: Corpus, tmp_path: Any) -> Array:
    """Predictions for every word by CRFsuite, trained on the same features token by token."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": 0.01, "max_iterations": 200, "feature.possible_states": True})
    for token, tag in zip(text.tokens, text.tags, strict=True):
        trainer.append([list(word_features(text.words[token]))], [str(tag)])
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    return np.array([int(tagger.tag([list(word_features(word))])[0]) for word in text.words])


@pytest.mark.slow
def test_supervision_reaches_what_independent_trainers_reach(tmp_path: Any) -> None:
    text, unseen = corpus(1500, words=400), corpus(1500, words=400, text=1)
    words = text.words.tolist()
    index = feature_index(words)
    table = feature_table(words, index)
    one_hot = sparse.csr_array((np.ones(table.size), (np.repeat(np.arange(len(words)), table.shape[1]), table.ravel())))
    logistic = LogisticRegression(C=10.0, max_iter=1000).fit(one_hot[text.tokens], text.tags)
    ours = fitted(text, None, method="supervised", passes=20).predict(words)
    for theirs in (logistic.predict(one_hot), one_token_sequences(text, tmp_path)):
        gap = np.mean(ours[unseen.tokens] == unseen.tags) - np.mean(theirs[unseen.tokens] == unseen.tags)
        assert abs(gap) <= 0.005


def test_probabilities_follow_the_scores_and_unknown_features_are_left_out() -> None:
    tagger = fitted(corpus(200), 3)
    words = ["never-seen", "bcd1ing", ""]
    scores, probabilities = tagger.decision_function(words), tagger.predict_proba(words)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert_allclose(np.log(probabilities) - scores, (np.log(probabilities) - scores)[:, :1] * np.ones((1, 6)))
    assert (tagger.predict(words) == scores.argmax(axis=1)).all()
    expected = sum(
        tagger.coef_[tagger.feature_index_[name]] for name in word_features("bcd1ing") if name in tagger.feature_index_
    )
    assert_allclose(scores[1], expected)
    tagger.coef_ *= 1e4  # scores that lie so far apart, between words too, that the exponential of none is a number
    assert_allclose(tagger.predict_proba(words).sum(axis=1), 1)


def test_it_keeps_scikit_learns_conventions() -> None:
    tagger = CountTagger("moments", rate=0.2)
    assert clone(tagger).get_params() == tagger.get_params()
    with pytest.raises(NotFittedError):
        tagger.predict(["a"])


WINDOWS = Windows.of([["a", "b"], ["c"]])
COUNTS = np.array([[1, 1], [0, 1]])


TEXT = [["a", "b"], ["c"]]
ASKED = np.array([[True, False], [True, True]])
LONG = Windows.of([[f"w{i}" for i in range(40)]])
test_bad_input_is_refused = refused(
    ({}, WINDOWS, [[1, 1], [1, 1]], "counts must sum to the window's length: window 1 has 1 tokens"),
    ({}, WINDOWS, [[3, -1], [0, 1]], "must not be negative"),
    ({}, WINDOWS, [[1, 1]], "one row a window"),
    ({}, WINDOWS, 3, "one row a window"),
    ({}, WINDOWS, [[0.5, 1.5], [0, 1]], "whole numbers"),
    ({}, WINDOWS, COUNTS, ASKED, "not asked for must be 0"),
    ({}, WINDOWS, COUNTS, ASKED[:1], "shape of counts"),
    ({}, WINDOWS, [[3, 0], [0, 1]], ASKED, "window 0 has 2 tokens and counts that sum to 3"),
    ({}, WINDOWS, [["a"], ["b"]], "counts must hold numbers"),
    ({"n_tags": 2.5}, WINDOWS, COUNTS, "n_tags must be a whole number"),
    ({"method": "supervised"}, TEXT, [[0, 10**6], [1]], "tags must be fewer"),
    ({"method": "supervised"}, TEXT, [[0, 0.5], [1]], "tags must be whole numbers"),
    ({"method": "supervised"}, TEXT, 3, "tags must be lists"),
    ({"method": "supervised"}, TEXT, [], "tags must be whole numbers"),
    ({"beam": 0}, WINDOWS, COUNTS, "beam must be at least 1"),
    ({"beam": 2.5}, WINDOWS, COUNTS, "beam must be a whole number"),
    ({"rate": "fast"}, WINDOWS, COUNTS, "rate must be a number"),
    ({"passes": "many"}, WINDOWS, COUNTS, "passes must be a number"),
    ({"n_tags": 1}, WINDOWS, COUNTS, "n_tags = 1 is smaller than the 2 tags"),
    ({"method": "supervised"}, TEXT, [[0, -1], [1]], "tags must not be negative"),
    ({"method": "supervised"}, TEXT, [[0, 1], []], "one a token"),
    ({"method": "supervised", "n_tags": 2}, TEXT, [[0, 2], [1]], "n_tags = 2 is smaller than the 3 tags"),
    ({"method": "best"}, WINDOWS, COUNTS, "method must be"),
    ({"inference": "magic"}, WINDOWS, COUNTS, "inference must be"),
    ({"optimizer": "adam"}, WINDOWS, COUNTS, "optimizer must be"),
    ({"rate": 0.0}, WINDOWS, COUNTS, "rate must be positive"),
    ({"ridge": 0.0}, WINDOWS, COUNTS, "ridge must be positive"),
    *(({"step1_tolerance": end}, WINDOWS, COUNTS, "step1_tolerance must lie") for end in (0.0, 1.0)),
    ({"evaluate_at": [2.0, 1.0]}, WINDOWS, COUNTS, "evaluate_at must increase"),
    ({"evaluate_at": [11.0]}, WINDOWS, COUNTS, "evaluate_at must increase"),
    ({"inference": "exact"}, LONG, np.ones((1, 40), dtype=int), "use inference='auto'"),
    call=lambda settings, *data: CountTagger(**settings).fit(*data),
)


@pytest.mark.parametrize("method", ["moments", "moments_features"])
def test_a_tagger_like_another_takes_its_first_step_and_is_otherwise_its_own(method: str) -> None:
    windows, regions = corpus(60).regions(3)
    settings: dict[str, Any] = {"passes": 2, "n_tags": 6, "random_state": 4}
    first = CountTagger(method, rate=0.5, **settings).fit(windows, regions.counts)
    alone = CountTagger(method, span="all", **settings).fit(windows, regions.counts)
    alike = CountTagger(method, span="all", **settings).fit(windows, regions.counts, like=first)
    assert np.array_equal(alike.coef_, alone.coef_)
    assert alike.word_tags_ is first.word_tags_
    assert alike.step1_passes_ == alone.step1_passes_
    assert alike._prepared == first._prepared > 0


SOLVED = CountTagger("moments", passes=1, n_tags=2).fit(WINDOWS, [[1, 1], [1, 0]])


def fit_like(settings: dict[str, Any], other: CountTagger = SOLVED) -> None:
    counts = [0, 0, 1] if settings.get("method") == "supervised" else [[1, 1], [1, 0]]
    CountTagger(**{"method": "moments", "n_tags": 2, "passes": 1, **settings}).fit(WINDOWS, counts, like=other)


OTHERS: list[dict[str, Any]] = [
    {"method": "moments_features"},
    {"method": "marginal"},
    {"step1": "sgd"},
    {"ridge": 2.0},
    {"n_tags": 3},
]
test_no_tagger_is_like_one_with_another_first_step = refused(
    *((settings, "like must be fitted to the same words by the same step 1") for settings in OTHERS),
    ({}, CountTagger("moments", n_tags=2), "like must be fitted"),
    ({"method": "supervised"}, "like must be None where tags are given"),
    call=fit_like,
)
