"""The kernel pass of figure 3 and its companions: met once, the same sets cost nothing again."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from replication.arrays import Key
from replication.papers.class_ratio.fig3 import learn
from replication.papers.class_ratio.fig3.learn import ESTIMATORS, match
from replication.papers.class_ratio.fig3.settings import Learn
from replication.papers.class_ratio.sets import GAMMAS
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mmd_gram
from unveil.types import Array


def members(kind: type) -> tuple[dict[Key, Array], Array]:
    """Three training sets, two validation sets and two test sets, which share points, of images or of features."""
    rng = default_rng(0)
    inputs = rng.integers(0, 256, (200, 3, 3)).astype(np.uint8) if kind == np.uint8 else rng.normal(size=(200, 5))
    order = rng.permutation(200).astype(np.int32)
    sets: dict[Key, Array] = {
        "train": order[:90].reshape(3, 30),
        "validation": order[90:130].reshape(2, 20),
        "pool": order[130:180],
        "tests": np.stack([np.arange(50) < 30, np.arange(50) >= 20]),
    }
    return sets, inputs


@pytest.mark.parametrize("kind", [np.uint8, np.float64])
def test_one_pass_gives_the_products_of_all_sets(kind: type) -> None:
    sets, inputs = members(kind)
    found = match(sets, inputs)

    def points(index: Array) -> Array:
        return (inputs[index].reshape(len(index), -1) / (255 if kind == np.uint8 else 1)).astype(np.float32)

    bags, held = ([points(own) for own in sets[name]] for name in ("train", "validation"))
    tests = [points(sets["pool"][chosen]) for chosen in sets["tests"]]
    gram, cross = mmd_gram(bags, BANDWIDTHS, [*held, *tests])
    np.testing.assert_allclose(found.grams["plain"], gram, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.validation, cross[:, :, :2], rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found.tests, cross[:, :, 2:], rtol=1e-4, atol=1e-7)
    assert found.sizes.tolist() == [30, 30, 30]
    # Widths of both readings in one pass, and either grid alone.
    both = match(sets, inputs, sorted({*BANDWIDTHS, *GAMMAS}))
    assert len(both.widths) == 16
    shares = np.stack([rng.dirichlet(np.ones(3), 5) for rng in [default_rng(1)]])
    for grid in (BANDWIDTHS, GAMMAS):
        np.testing.assert_allclose(
            both.estimate("plain", grid)(shares), match(sets, inputs, grid).estimate("plain", grid)(shares), atol=1e-4
        )


def test_the_same_sets_are_met_once_and_others_are_not_taken_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "_matched", {})
    sets, inputs = members(np.uint8)
    first = match(sets, inputs)
    assert match({**sets, "train": sets["train"].astype(np.int64)}, inputs.copy()) is first
    changed = inputs.copy()
    changed[sets["pool"][0], 0, 0] ^= 1
    others = [
        match(sets, changed),
        match({**sets, "tests": ~sets["tests"]}, inputs),
        match({**sets, "train": sets["train"][::-1]}, inputs),
    ]
    assert all(other is not first for other in others)
    assert len(learn._matched) == 1
    np.testing.assert_array_equal(
        others[2].grams["plain"], match({**sets, "train": sets["train"][::-1]}, inputs).grams["plain"]
    )
    assert match(sets, inputs) is not first  # which is forgotten
    np.testing.assert_array_equal(match(sets, inputs).grams["plain"], first.grams["plain"])


def test_validation_sets_that_noise_made_alike_say_nothing() -> None:
    """And stop nothing: the other releases of the same sets are unmixed as ever."""
    sets, inputs = members(np.float64)
    estimate = ESTIMATORS["set_id_logistic"](sets, inputs, Learn(), default_rng(0))
    told = np.array([[0.5, 0.5], [0.2, 0.8], [0.7, 0.3], [1.0, 0.0], [0.0, 1.0]])
    alike = np.array([[0.5, 0.5], [0.2, 0.8], [0.7, 0.3], [1.0, 0.0], [1.0, 0.0]])
    found = estimate(np.stack([told, alike]))
    np.testing.assert_array_equal(found[0], estimate(told[None])[0])
    np.testing.assert_array_equal(found[1], np.full((2, 2), 0.5))
    assert not np.allclose(found[0], 0.5)
