"""The choice of digits and their judge."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from replication.papers.spread.digits import accuracy, choose
from replication.papers.spread.pictures import COLUMNS, draw_grid, grid
from unveil.errors import UnveilError
from unveil.types import Array


def _mnist(n: int = 2000) -> dict[str, Array]:
    rng = default_rng(70)
    return {
        "images": rng.integers(0, 256, (n, 784), dtype=np.uint8),
        "labels": rng.integers(0, 10, n).astype(np.uint8),
        "split": (np.arange(n) >= n // 2).astype(np.uint8),
    }


def test_digits_are_balanced_disjoint_and_from_their_parts() -> None:
    mnist = _mnist()
    digits = choose(mnist, 50, 40, default_rng(1))
    for rows, labels, part, number in (
        (digits.train, digits.train_labels, 0, 50),
        (digits.test, digits.test_labels, 1, 40),
    ):
        assert len(set(rows)) == 2 * number
        assert (mnist["split"][rows] == part).all()
        assert np.array_equal(mnist["labels"][rows], np.where(labels == 1, 9, 7))
        assert labels.sum() == number
    again = choose(mnist, 50, 40, default_rng(1))
    assert np.array_equal(digits.train, again.train)
    # In random order, because folds are every k-th row.
    assert 5 < digits.train_labels[::2].sum() < 45


def test_too_many_digits_are_an_error() -> None:
    with pytest.raises(UnveilError, match="images of a 7"):
        choose(_mnist(), 500, 1, default_rng(1))


def test_accuracy_is_the_share_put_right() -> None:
    rng = default_rng(2)
    images, labels = rng.integers(0, 256, (60, 9), dtype=np.uint8), rng.integers(0, 2, 60)
    weights, intercepts = rng.normal(size=(2, 3, 9)), rng.normal(size=(2, 3))
    found = accuracy(images, labels, weights, intercepts)
    for i in range(2):
        for j in range(3):
            guess = images / 255 @ weights[i, j] + intercepts[i, j] > 0
            assert found[i, j] == pytest.approx((guess == labels).mean())


def test_pictures_are_the_pixels() -> None:
    images = default_rng(3).random((2, 784))
    table = grid({0.0: images, 0.4: 1 - images}, np.array([1, 0]), "pixel_flip")
    assert list(table.columns) == COLUMNS
    nine = table[(table["digit"] == 9) & (table["level"] == 0.4)].set_index(["row", "column"])["pixel"]
    assert nine[3, 5] == 1 - images[0, 3 * 28 + 5]
    figure = draw_grid(table, "p")
    shown = figure.axes[3].images[0].get_array()
    assert shown is not None
    assert np.array_equal(shown, 1 - images[0].reshape(28, 28))
