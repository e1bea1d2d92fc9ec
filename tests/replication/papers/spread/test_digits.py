"""The choice of digits and their judge."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from replication import style
from replication.papers.spread.digits import Part, choose, find_hits, lead_deviation
from replication.papers.spread.fig2.draw import draw
from replication.papers.spread.fig2.score import COLUMNS, grid, score
from replication.papers.spread.fig2.settings import Score
from replication.papers.spread.settings import Noise
from replication.randomness import Trial
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
    # Images that are their own row numbers.
    mnist = {**_mnist(), "images": np.arange(2000)}
    parts = choose(mnist, 50, 40, default_rng(1))
    for part, split, number in zip(parts, (0, 1), (50, 40), strict=True):
        rows = part.images
        assert len(set(rows)) == 2 * number
        assert (mnist["split"][rows] == split).all()
        assert np.array_equal(mnist["labels"][rows], np.where(part.labels == 1, 9, 7))
        assert part.labels.sum() == number
    assert np.array_equal(parts[0].images, choose(mnist, 50, 40, default_rng(1))[0].images)
    # In random order, because folds are every k-th row.
    assert 5 < parts[0].labels[::2].sum() < 45


def test_too_many_digits_are_an_error() -> None:
    with pytest.raises(UnveilError, match="images of a 7"):
        choose(_mnist(), 500, 1, default_rng(1))


def test_accuracy_is_the_share_put_right() -> None:
    rng = default_rng(2)
    images, labels = rng.integers(0, 256, (60, 9), dtype=np.uint8), rng.integers(0, 2, 60)
    weights, intercepts = rng.normal(size=(3, 9)), rng.normal(size=3)
    found = find_hits(Part(images, labels), weights, intercepts).mean(axis=1)
    for i in range(3):
        guess = images / 255 @ weights[i] + intercepts[i] > 0
        assert found[i] == pytest.approx((guess == labels).mean())


def test_a_lead_varies_with_its_test_images_as_simulated() -> None:
    """Pools drawn anew, each tested by four trials that leave a few of its images out."""
    rng = default_rng(4)
    size, trials, shares = 300, 4, default_rng(5).beta(2, 1, (2, 300_000))

    def pool() -> tuple[float, float]:
        chosen = shares[:, rng.choice(shares.shape[1], size)]
        rows = {trial: rng.permutation(size)[:280] for trial in range(trials)}
        first, second = ({trial: rng.random(280) < share[rows[trial]] for trial in rows} for share in chosen)
        lead = np.mean([first[trial].mean() - second[trial].mean() for trial in rows])
        return float(lead), lead_deviation(first, second, rows)

    found = np.array([pool() for _ in range(2000)])
    # The standard deviation of 2,000 leads is known to 1.6 %: 5 standard errors, and what 280 of 300 images add.
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.12)


def test_pictures_are_the_pixels() -> None:
    images = default_rng(3).random((2, 784))
    table = grid({0.0: images, 0.4: 1 - images}, np.array([1, 0]), "pixel_flip")
    assert list(table.columns) == COLUMNS
    nine = table[(table["digit"] == 9) & (table["level"] == 0.4)].set_index(["row", "column"])["pixel"]
    assert nine[3, 5] == 1 - images[0, 3 * 28 + 5]
    with style.applied():
        figure = draw(table)
    shown = figure.axes[3].images[0].get_array()
    assert shown is not None
    assert np.array_equal(shown, 1 - images[0].reshape(28, 28))
    assert [panel.get_title(loc="left") for panel in figure.axes] == ["clean", "p = 0.4", "", ""]
    assert not any(side.get_visible() for panel in figure.axes for side in panel.spines.values())


@pytest.mark.parametrize(("noise", "moved"), [("pixel_flip", (0.37, 0.43)), ("gaussian", (1, 1))])
def test_pictures_are_clean_and_noisy_digits_of_mnist(noise: Noise, moved: tuple[float, float]) -> None:
    mnist = _mnist()
    trials = [Trial(1, "spread", "fig2", "score", "score", 0)]
    table = score({"mnist": mnist}, trials, Score(noise=noise, levels=(0.4,)))
    assert set(table["noise"]) == {noise}
    clean, noisy = (
        table[table["level"] == level].pivot_table(index="digit", columns=["row", "column"], values="pixel")
        for level in (0.0, 0.4)
    )
    rows = (mnist["images"][:, None] == np.rint(clean.to_numpy() * 255)).all(axis=2)
    assert [set(mnist["labels"][row]) for row in rows.T] == [{7}, {9}]
    low, high = moved
    assert low <= (clean != noisy).to_numpy().mean() <= high
    if noise == "gaussian":
        assert (noisy - clean).to_numpy().var() == pytest.approx(0.4, rel=0.2)
