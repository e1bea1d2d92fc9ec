"""Class ratios by random features: against Gram matrices, the exact kernel, and any cut of the sets."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from unveil.errors import UnveilError
from unveil.estimators.bags.feature_ratio import FeatureClassRatio
from unveil.estimators.bags.mixtures import (
    class_embeddings,
    class_ratios,
    mixture_weights,
    unbiased_weights,
    without_own_noise,
)
from unveil.estimators.bags.random_features import draw_frequencies, mean_features
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array

CENTRES = np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5]])


def points(shares: Array, n: int, rng: Generator) -> Array:
    return CENTRES[rng.choice(3, n, p=shares)] + 0.7 * rng.standard_normal((n, 2))


def some_sets(count: int, seed: int = 0, n: int = 40) -> tuple[list[Array], Array]:
    rng = default_rng(seed)
    shares = np.concatenate([0.7 * np.eye(3) + 0.1, rng.dirichlet(np.ones(3), max(0, count - 3))])[:count]
    return [points(own, n + k % 7, rng) for k, own in enumerate(shares)], shares


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("count", [3, 25])
def test_it_is_the_unbiased_form_with_the_gram_matrix_of_the_features(count: int, noise: float) -> None:
    bags, shares = some_sets(count)
    queries, _ = some_sets(4, seed=1)
    widths, sizes = [0.5, 1.0], np.array([len(bag) for bag in bags])
    model = FeatureClassRatio(widths, 50, noise, random_state=3).fit(bags, shares)
    frequencies = draw_frequencies(2, 50, default_rng(3))
    means, asked = (mean_features(sets, frequencies, widths) for sets in (bags, queries))
    gram = without_own_noise(means @ means.transpose(0, 2, 1), sizes)
    # As many sets as classes leave nothing to tell the noise by.
    embeddings, cross = class_embeddings(shares, sizes, noise if count > 3 else 0.0), means @ asked.transpose(0, 2, 1)
    model.tune(queries, np.full((4, 3), 1 / 3))
    chosen = model.chosen_ or 0
    # Veiled proportions tell where the class means lie; what mixture of these a set is needs them no more.
    of_classes = mixture_weights(embeddings @ gram @ embeddings.T, embeddings @ cross)
    assert_allclose(model.predict(queries), project_to_simplex(of_classes[chosen]), atol=1e-9)
    if noise == 0:
        weights = unbiased_weights(gram, cross, embeddings)
        assert_allclose(model.predict(queries), class_ratios(weights, shares)[chosen], atol=1e-9)
    assert_allclose(model.predict(queries[0]), model.predict(queries)[0], atol=1e-12)


@pytest.mark.parametrize("size", [1, 30])
@pytest.mark.parametrize("widths", [2.0 ** np.arange(-20, 6), [3.0, 1.0, 0.5, 1.0, 2.0, 1.5], [1e-15, 2e-15, 1e15]])
def test_features_of_doubled_phases_are_those_of_the_phases(widths: Any, size: int) -> None:
    """In any order of the widths, and beyond the longest run of doublings."""
    rng = default_rng(12)
    bags, frequencies = [rng.normal(size=(n, 3)) for n in (size, 5)], rng.normal(size=(3, 40))
    found = mean_features(bags, frequencies, widths)
    for w, k in product(range(len(widths)), range(2)):
        phases = (bags[k] @ frequencies) / widths[w]
        plain = np.concatenate([np.cos(phases).mean(axis=0), np.sin(phases).mean(axis=0)]) / np.sqrt(40)
        np.testing.assert_allclose(found[w, k], plain, atol=1e-8 if widths[w] < 1e-10 else 1e-11)


@settings(deadline=None, max_examples=25)
@given(at=st.lists(st.integers(0, 30), max_size=5), seed=st.integers(0, 99))
def test_any_cut_of_the_sets_in_any_tree(at: list[int], seed: int) -> None:
    bags, shares = some_sets(30)
    queries, truth = some_sets(3, seed=1)
    whole = FeatureClassRatio([0.5, 1.0], 20).fit(bags, shares, (queries, truth))
    streamed, models = FeatureClassRatio([0.5, 1.0], 20), []
    for start, stop in pairwise([0, *sorted(at), 30]):
        streamed.partial_fit(bags[start:stop], shares[start:stop])
        models.append(FeatureClassRatio([0.5, 1.0], 20).partial_fit(bags[start:stop], shares[start:stop]))
    rng = default_rng(seed)
    while len(models) > 1:
        models = [models[k] for k in rng.permutation(len(models))]
        models = [models[0].merge(models[1]), *models[2:]]
    for model in (streamed, models[0]):
        model.tune(queries, truth)
        assert (model.sets_, model.points_, model.chosen_) == (whole.sets_, whole.points_, whole.chosen_)
        assert_allclose(model.predict(queries), whole.predict(queries), atol=1e-9)
        assert_allclose(np.asarray(model.validation_errors_), np.asarray(whole.validation_errors_), atol=1e-9)


def test_memory_does_not_grow_with_the_sets() -> None:
    """Of 3,000 sets a Gram matrix at one width has 69 MiB, their features 46."""
    model = FeatureClassRatio([1.0], 1000)
    model.partial_fit(*some_sets(30))
    tracemalloc.start()
    try:
        for seed in range(30):
            model.partial_fit(*some_sets(100, seed))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert model.sets_ == 3030


def test_a_large_set_is_taken_piece_by_piece() -> None:
    rng = default_rng(0)
    frequencies = draw_frequencies(2, 1000, rng)
    cloud = rng.normal(size=(100_000, 2))
    tracemalloc.start()
    try:
        means = mean_features([cloud], frequencies, [1.0])
        assert tracemalloc.get_traced_memory()[1] < 200 << 20  # all phases have 763 MiB
    finally:
        tracemalloc.stop()
    assert_allclose(means[0, 0, :1000] * np.sqrt(1000), np.exp(-((frequencies**2).sum(axis=0)) / 2), atol=0.02)


def test_mistakes_are_one_line() -> None:
    bags, shares = some_sets(5)
    model = FeatureClassRatio([1.0], 10).fit(bags, shares)
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: FeatureClassRatio(random_features=10).fit(bags, shares).predict(bags[0]), "tune must choose"),
        (lambda: FeatureClassRatio([1.0], 10).fit(bags, np.tile([0.2, 0.3, 0.5], (5, 1))), "3 classes need rank 3"),
        (lambda: model.partial_fit([bags[0][:1]], shares[:1]), "at least two points"),
        (lambda: model.partial_fit(bags, shares[:, :2] / shares[:, :2].sum(axis=1, keepdims=True)), "3 columns"),
        (lambda: model.partial_fit(bags, shares[:2]), "one row for each"),
        (lambda: model.merge(FeatureClassRatio([1.0], 10, random_state=1)), "same random_state"),
        (lambda: model.merge(FeatureClassRatio([1.0], 11)), "same random_features"),
        (lambda: FeatureClassRatio(random_state=-1).fit(bags, shares), "random_state must be a seed"),
        (lambda: model.predict(np.ones((3, 5))), "as many features"),
    ]
    for act, message in wrong:
        with pytest.raises(UnveilError, match=message):
            act()
    with pytest.raises(NotFittedError):
        FeatureClassRatio([1.0]).partial_fit([], shares[:0]).predict(bags[0])
