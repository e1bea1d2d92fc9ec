"""The kernel pass of figure 3 and its companions, which all estimators of one design share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from replication.arrays import Key
from replication.papers.class_ratio.fig3 import learn
from replication.papers.class_ratio.fig3.learn import ESTIMATORS, Matched, Problem, match
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


def test_estimators_of_one_design_share_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    sets, inputs = members(np.uint8)
    passes: list[int] = []

    def counted(*given: Any) -> Matched:
        passes.append(len(given[2]))
        return match(*given)

    monkeypatch.setattr(learn, "match", counted)
    problem, shares = Problem(sets, inputs, Learn(estimators=("mmd", "mmd_gamma"))), default_rng(1)
    for name in ("mmd", "mmd_gamma"):
        ESTIMATORS[name](problem, default_rng(0))(shares.dirichlet(np.ones(3), (1, 5)))
    assert passes == [16]


def test_validation_sets_that_noise_made_alike_say_nothing() -> None:
    """And stop nothing: the other releases of the same sets are unmixed as ever."""
    sets, inputs = members(np.float64)
    estimate = ESTIMATORS["set_id_logistic"](Problem(sets, inputs, Learn()), default_rng(0))
    told = np.array([[0.5, 0.5], [0.2, 0.8], [0.7, 0.3], [1.0, 0.0], [0.0, 1.0]])
    alike = np.array([[0.5, 0.5], [0.2, 0.8], [0.7, 0.3], [1.0, 0.0], [1.0, 0.0]])
    found = estimate(np.stack([told, alike]))
    np.testing.assert_array_equal(found[0], estimate(told[None])[0])
    np.testing.assert_array_equal(found[1], np.full((2, 2), 0.5))
    assert not np.allclose(found[0], 0.5)
