from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from small_corpora import corpus
from unveil.estimators.counts.count_posterior import exact_count_posterior
from unveil.estimators.counts.features import Windows, feature_index, feature_table
from unveil.estimators.counts.tag_regression import feature_design, tag_shares, window_design, word_tags
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array, Floats


def in_the_dual(design: Floats, counts: Array, lengths: Array, ridge: float) -> Floats:
    """The ridge solution of (12) by one dense solve over windows: shares + Aᵀ(AAᵀ + λ)⁻¹ residual."""
    shares = counts.sum(axis=0) / lengths.sum()
    residual = counts - lengths[:, None] * shares
    dual = np.linalg.solve(design @ design.T + ridge * np.eye(len(design)), residual)
    return np.asarray(design.T @ dual)


@pytest.mark.parametrize("window", [1, 4, None])
def test_words_agree_with_the_dense_dual(window: int | None) -> None:
    windows, regions = corpus(150).regions(window)
    fitted, passes = word_tags(windows, regions.counts, regions.asked, None, ridge=1.0, tolerance=1e-12, passes=2000)
    offset = in_the_dual(window_design(windows).toarray(), regions.counts, windows.lengths, 1.0)
    shares = regions.counts.sum(axis=0) / windows.lengths.sum()
    assert_allclose(fitted, project_to_simplex(shares + offset), atol=1e-9)
    assert 1 <= passes < 2000


def test_features_agree_with_the_dense_dual() -> None:
    windows, regions = corpus(120).regions(4)
    names = feature_index(windows.words.tolist())
    table = feature_table(windows.words.tolist(), names)
    fitted, _ = word_tags(windows, regions.counts, regions.asked, table, ridge=0.5, tolerance=1e-13, passes=5000)
    features = feature_design(table, len(names)).toarray()
    offset = in_the_dual(window_design(windows).toarray() @ features, regions.counts, windows.lengths, 0.5)
    shares = regions.counts.sum(axis=0) / windows.lengths.sum()
    assert_allclose(fitted, project_to_simplex(shares + features @ offset), atol=1e-7)


def test_tags_asked_of_a_subset_are_solved_on_the_windows_that_asked() -> None:
    windows, regions = corpus(200).regions(5, tags=2)
    ridge = 0.7
    fitted, _ = word_tags(windows, regions.counts, regions.asked, None, ridge=ridge, tolerance=1e-12, passes=3000)
    design, shares = (window_design(windows).toarray(), tag_shares(regions.counts, regions.asked, windows.lengths))
    free = np.empty((len(windows.words), regions.counts.shape[1]))
    for b in range(free.shape[1]):
        seen = regions.asked[:, b]
        residual = regions.counts[seen, b] - windows.lengths[seen] * shares[b]
        normal = design[seen].T @ design[seen] + ridge * np.eye(design.shape[1])
        free[:, b] = np.linalg.solve(normal, design[seen].T @ residual)
    assert_allclose(fitted, project_to_simplex(shares + free), atol=1e-9)


def test_the_regression_is_consistent_and_one_step_of_em_is_not() -> None:
    """Section 6 calls the estimator one step of EM from uniform. For counts, (12) is something else.

    The E-step at θ = 0 gives each token of a window the shares N/w; averaged over windows that blends a word
    with its neighbours however many windows there are, while the regression (12) comes nearer to the truth.
    """
    errors = []
    for sentences in (2_000, 40_000):
        text = corpus(sentences, words=25)
        windows, regions = text.regions(4)
        fitted, _ = word_tags(windows, regions.counts, regions.asked, None, ridge=1.0, tolerance=1e-8, passes=500)
        shares = np.repeat(regions.counts / windows.lengths[:, None], windows.lengths, axis=0)
        step = np.zeros_like(fitted)
        np.add.at(step, windows.tokens[windows.positions], shares)
        step /= np.bincount(windows.tokens[windows.positions], minlength=len(step))[:, None]
        errors.append([np.abs(w - text.word_tags).sum(axis=1).mean() for w in (fitted, step)])
    (small_mom, small_em), (large_mom, large_em) = errors
    assert large_mom < 0.4 * small_mom
    assert large_em > 0.8 * small_em
    assert large_mom < 0.2 * large_em


def test_the_e_step_at_zero_is_the_pseudo_inverse_of_deterministic_supervision() -> None:
    """For a deterministic S, S⁺q̂ spreads mass evenly over what is consistent: the posterior at θ = 0."""
    sequences = np.array(np.meshgrid(*[range(3)] * 3, indexing="ij")).reshape(3, -1).T
    counts = np.array([np.bincount(sequence, minlength=3) for sequence in sequences])
    observed, which = np.unique(counts, axis=0, return_inverse=True)
    supervision = (np.arange(len(observed))[:, None] == which[None, :]).astype(float)
    spread = np.linalg.pinv(supervision)
    for o, count in enumerate(observed):
        marginals = np.zeros((3, 3))
        for weight, sequence in zip(spread[:, o], sequences, strict=True):
            marginals[np.arange(3), sequence] += weight
        assert_allclose(marginals, exact_count_posterior(np.zeros((3, 3)), count)[0], atol=1e-12)


def test_shares_count_only_where_a_tag_was_asked_for() -> None:
    counts, asked = np.array([[2, 0], [0, 1]]), np.array([[True, False], [True, True]])
    assert tag_shares(counts, asked, np.array([3, 2])).tolist() == [2 / 5, 1 / 2]
    assert tag_shares(counts * 0, asked & False, np.array([3, 2])).tolist() == [0, 0]


def test_designs_count_words_and_features() -> None:
    windows = Windows.of([["a", "b", "a"], ["b"]])
    assert window_design(windows).toarray().tolist() == [[2, 1], [0, 1]]
    features = np.array([[0, 2], [1, -1], [-1, -1]])
    assert feature_design(features, 4).toarray().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
