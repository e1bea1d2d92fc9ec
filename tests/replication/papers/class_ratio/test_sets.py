from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.papers.class_ratio.arms import below, only, part
from replication.papers.class_ratio.fig3.score import error_rows
from replication.papers.class_ratio.matching import estimate, match
from replication.papers.class_ratio.sets import (
    Sizes,
    by_frequency,
    draw_sets,
    mixture_counts,
    mixtures,
    points_of,
    positive_counts,
    shares_of,
    skewed_counts,
)
from replication.papers.class_ratio.veils import mechanism_of, release_proportions
from unveil.errors import UnveilError


@given(st.integers(2, 12), st.floats(0, 1), st.integers(1, 3000))
def test_skewed_counts_fill_every_set(classes: int, position: float, size: int) -> None:
    counts = skewed_counts(classes, position / classes * (1 - 1 / size), size)
    assert (counts.sum(axis=1) == size).all()
    assert (counts >= 0).all()
    off = counts[~np.eye(classes, dtype=bool)]
    assert len(set(off.tolist())) == 1


def test_the_sets_of_the_paper() -> None:
    np.testing.assert_array_equal(skewed_counts(3, 0.05, 900)[0], [810, 45, 45])
    np.testing.assert_array_equal(mixture_counts(10, 0.02, 3000), [60] * 9 + [2460])
    np.testing.assert_array_equal(mixtures(3, 2, 900), [[0, 0, 900], [300, 300, 300]])
    np.testing.assert_array_equal(positive_counts([0.1, 0.9], 600), [[540, 60], [60, 540]])
    with pytest.raises(UnveilError, match="leaves no room"):
        skewed_counts(3, 0.6, 10)
    with pytest.raises(UnveilError, match="fractions"):
        positive_counts([1.2], 10)


def labels_of(counts: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))


def test_drawn_sets_are_disjoint_and_have_their_counts() -> None:
    labels = labels_of([300, 400, 250])
    classes = by_frequency(labels, 3)
    assert classes.tolist() == [2, 0, 1]
    train, validation, tests = skewed_counts(3, 0.1, 100), skewed_counts(3, 0.1, 50), mixtures(3, 4, 90)
    sets = draw_sets(labels, classes, train, validation, tests, np.random.default_rng(1))
    together = np.concatenate([sets.train.ravel(), sets.validation.ravel(), sets.pool])
    assert len(np.unique(together)) == len(together)
    assert sets.tests.any(axis=0).all()
    for members, counts in ((sets.train, train), (sets.validation, validation)):
        found = [[(labels[row] == name).sum() for name in classes] for row in members]
        assert found == counts.tolist()
    found = [[(labels[sets.pool[row]] == name).sum() for name in classes] for row in sets.tests]
    assert found == tests.tolist()


def test_the_order_of_members_says_nothing_of_their_class() -> None:
    """What leaves the owner is sorted by position in the data, whose labels are shuffled."""
    labels = labels_of([600, 600])
    train = skewed_counts(2, 0.5, 200)
    sets = draw_sets(labels, np.array([0, 1]), train, train, mixtures(2, 2, 100), np.random.default_rng(1))
    for members in (*sets.train, *sets.validation, sets.pool):
        assert (np.diff(members) > 0).all()
    runs = (np.diff(labels[sets.train[0]].astype(int)) != 0).sum()
    assert abs(runs - 100) < 5 * np.sqrt(50)


def test_a_class_that_runs_out_is_named() -> None:
    labels, train, tests = labels_of([300, 60]), skewed_counts(2, 0.1, 60), mixtures(2, 2, 60)
    with pytest.raises(UnveilError, match="class 1 has 60 members, but the sets need 180"):
        draw_sets(labels, np.array([0, 1]), train, train, tests, np.random.default_rng(0))
    with pytest.raises(UnveilError, match="3 classes are configured, but the labels have 2"):
        by_frequency(labels, 3)


def test_sizes_are_checked() -> None:
    entry = {"classes": 3, "train": 9, "validation": 8, "test": 7}
    assert Sizes.of({"a": entry}, "a") == Sizes(3, 9, 8, 7)
    with pytest.raises(UnveilError, match="no entry for 'b'"):
        Sizes.of({"a": entry}, "b")
    with pytest.raises(UnveilError, match=r"sets\.a: must name"):
        Sizes.of({"a": {"classes": 3}}, "a")


def test_points_are_float32_and_pixels_are_scaled() -> None:
    images = np.array([[[0, 255], [51, 102]], [[255, 0], [0, 0]]], np.uint8)
    points = points_of(images, np.array([[1, 0]]))
    assert points.dtype == np.float32
    np.testing.assert_allclose(points, np.array([[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.2, 0.4]]]))


def test_a_mechanism_without_a_scale_publishes_nothing() -> None:
    small, large = skewed_counts(3, 0.05, 900), skewed_counts(3, 0.1, 900)
    names = ["none", "scaled_dirichlet", "fallback", "laplace"]
    veiled = release_proportions(small, names, 0.05, 0.05, 4, np.random.default_rng(0))
    assert set(veiled) == {"none", "fallback", "laplace"}
    np.testing.assert_array_equal(veiled["none"], shares_of(small)[None])
    assert veiled["laplace"].shape == (4, 3, 3)
    assert set(release_proportions(large, names, 0.05, 0.05, 1, np.random.default_rng(0))) == set(names)
    with pytest.raises(UnveilError, match="unknown 'laplas'"):
        mechanism_of("laplas", 0.1, 0.1)


def test_paths_and_single_arms() -> None:
    arrays = {"a/1/x": np.zeros(1), "a/12/x": np.ones(1), "b/1/x": np.ones(2)}
    assert set(part(arrays, "a", 1)) == {"x"}
    assert below(part(arrays, "a", 12), "a", 12)["a/12/x"] is arrays["a/12/x"]
    assert only({"sets": arrays}) is arrays
    with pytest.raises(UnveilError, match="one arm is expected"):
        only({"x": arrays, "y": arrays})


def test_estimates_use_released_proportions_alone() -> None:
    """Two far-apart classes: with true proportions the estimate is right, with swapped ones it is swapped."""
    rng = np.random.default_rng(2)
    labels = labels_of([700, 700])
    inputs = (rng.normal(size=(1400, 2)) + 6 * labels[:, None]).astype(np.float32)
    train, tests = skewed_counts(2, 0.1, 200), mixtures(2, 3, 200)
    sets = draw_sets(labels, np.array([0, 1]), train, train, tests, rng)
    matched = match(sets.arrays(), inputs)
    honest = shares_of(np.concatenate([train, train]))[None]
    right = estimate(matched, honest)
    assert np.abs(right[0] - shares_of(tests)).sum(axis=1).max() < 0.05
    np.testing.assert_allclose(estimate(matched, honest[:, :, ::-1])[0], right[0][:, ::-1], atol=1e-6)


def test_error_rows() -> None:
    import pandas as pd

    truth = pd.DataFrame([[0.5, 0.5], [1.0, 0.0]], index=[0.5, 0.0])
    rows = error_rows(np.array([[[0.4, 0.6], [1.0, 0.0]], [[0.5, 0.5], [0.0, 1.0]]]), truth)
    np.testing.assert_allclose(rows["l1_error"], [0.2, 0.0, 0.0, 2.0])
    assert rows["x"].tolist() == [0.5, 0.0, 0.5, 0.0]
    assert rows["draw"].tolist() == [0, 0, 1, 1]
    assert error_rows(None, truth)["status"].tolist() == ["no_scale"] * 2
