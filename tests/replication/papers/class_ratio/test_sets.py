from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.arrays import under
from replication.papers.class_ratio.fig3.designs import designs
from replication.papers.class_ratio.fig3.learn import match
from replication.papers.class_ratio.fig3.score import Outcome, error_rows
from replication.papers.class_ratio.fig3.settings import Designed, Skewed
from replication.papers.class_ratio.mechanisms import release_proportions
from replication.papers.class_ratio.sets import (
    Design,
    below,
    by_frequency,
    draw_sets,
    each_design,
    mixture_counts,
    positive_counts,
    shares_of,
    skewed_counts,
)
from replication.papers.class_ratio.settings import Demand
from unveil.errors import UnveilError
from unveil.estimators.bags.mmd_gram import BANDWIDTHS
from unveil.types import Array

DEMAND = Demand(epsilon=0.05, delta=0.05)
RNG_OF = dict.fromkeys(["none", "scaled_dirichlet", "fallback", "laplace"], np.random.default_rng(0)).__getitem__


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
    np.testing.assert_array_equal(positive_counts([0.1, 0.9], 600), [[540, 60], [60, 540]])
    with pytest.raises(UnveilError, match="leaves no room"):
        skewed_counts(3, 0.6, 10)
    with pytest.raises(UnveilError, match="fractions"):
        positive_counts([1.2], 10)


def mixtures(classes: int, steps: int, size: int) -> Array:
    return np.stack([mixture_counts(classes, x, size) for x in np.linspace(0, 1 / classes, steps)])


def test_designs_go_through_skews_and_copies() -> None:
    size = Skewed(classes=3, train=900, validation=90, test=900, rhos=(0.1, 0.2))
    settings = Designed(sets={"census": size}, copies=(1, 9), steps=2, mechanisms=())
    found = list(designs(settings, "census"))
    sizes = [(rho, len(design.train), design.train[0].sum()) for rho, design in found]
    assert sizes == [(0.1, 3, 900), (0.1, 27, 100), (0.2, 3, 900), (0.2, 27, 100)]
    design = found[3][1]
    np.testing.assert_array_equal(design.train[3:6], [[60, 20, 20], [20, 60, 20], [20, 20, 60]])
    np.testing.assert_array_equal(design.veiled[27:], [[54, 18, 18], [18, 54, 18], [18, 18, 54]])
    np.testing.assert_array_equal(design.tests, [[0, 0, 900], [300, 300, 300]])
    assert (design.x, design.dominant) == ([0, 1 / 3], [2, 2])
    turns = Designed(sets={"census": replace(size, others=90)}, copies=(1,), steps=2, mechanisms=())
    design = next(designs(turns, "census"))[1]
    assert (design.x, design.dominant) == ([0, 1 / 3] * 3, [2, 2, 0, 0, 1, 1])
    np.testing.assert_array_equal(design.tests[[0, 2, 4, 5]], [[0, 0, 900], [90, 0, 0], [0, 90, 0], [30, 30, 30]])
    uneven = Designed(sets={"census": size}, copies=(7,), steps=2, mechanisms=())
    with pytest.raises(UnveilError, match="7 does not divide 900, the set size of census"):
        list(designs(uneven, "census"))


def labels_of(counts: list[int]) -> Array:
    return np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))


def test_drawn_sets_are_disjoint_and_have_their_counts() -> None:
    labels = labels_of([300, 400, 250])
    classes = by_frequency(labels, 3)
    assert classes.tolist() == [2, 0, 1]
    design = Design(skewed_counts(3, 0.1, 100), skewed_counts(3, 0.1, 50), mixtures(3, 4, 90))
    sets = draw_sets(labels, classes, design, np.random.default_rng(1))
    together = np.concatenate([sets["train"].ravel(), sets["validation"].ravel(), sets["pool"]])
    assert len(np.unique(together)) == len(together)
    assert sets["tests"].any(axis=0).all()
    tested = [sets["pool"][row] for row in sets["tests"]]
    kinds = (sets["train"], design.train), (sets["validation"], design.validation), (tested, design.tests)
    for members, counts in kinds:
        found = [[(labels[row] == name).sum() for name in classes] for row in members]
        assert found == counts.tolist()


def test_the_order_of_members_says_nothing_of_their_class() -> None:
    """What leaves the owner is sorted by position in the data, whose labels are shuffled."""
    labels = labels_of([600, 600])
    train = skewed_counts(2, 0.5, 200)
    design = Design(train, train, mixtures(2, 2, 100))
    sets = draw_sets(labels, np.array([0, 1]), design, np.random.default_rng(1))
    for members in (*sets["train"], *sets["validation"], sets["pool"]):
        assert (np.diff(members) > 0).all()
    runs = (np.diff(labels[sets["train"][0]].astype(int)) != 0).sum()
    assert abs(runs - 100) < 5 * np.sqrt(50)


def test_a_class_that_runs_out_is_named() -> None:
    labels, train = labels_of([300, 60]), skewed_counts(2, 0.1, 60)
    design = Design(train, train, mixtures(2, 2, 60))
    with pytest.raises(UnveilError, match="class 1 has 60 members, but the sets need 180"):
        draw_sets(labels, np.array([0, 1]), design, np.random.default_rng(0))
    with pytest.raises(UnveilError, match="3 classes are configured, but the labels have 2"):
        by_frequency(labels, 3)


def test_a_mechanism_without_a_scale_publishes_nothing() -> None:
    small, large = skewed_counts(3, 0.05, 900), skewed_counts(3, 0.1, 900)
    names = ["none", "scaled_dirichlet", "fallback", "laplace"]
    veiled = release_proportions(small, names, DEMAND, 4, RNG_OF)
    assert set(veiled) == {"none", "fallback", "laplace"}
    np.testing.assert_array_equal(veiled["none"], shares_of(small)[None])
    assert veiled["laplace"].shape == (4, 3, 3)
    assert set(release_proportions(large, names, DEMAND, 1, RNG_OF)) == set(names)


def test_designs_are_read_in_their_order() -> None:
    arrays = {name: np.array(k) for k in range(12) for name in below({"x": np.array(k)}, "census", k)}
    arrays |= {("mnist", 0, "x"): np.array(99), ("seconds", "total"): np.array(1)}
    assert [found["x"] for found in each_design(arrays, "census")] == list(range(12))
    assert not list(each_design(arrays, "higgs"))


@pytest.mark.parametrize("diagonal", ["plain", "unbiased"])
def test_estimates_use_released_proportions_alone(diagonal: str) -> None:
    """Two far-apart classes: with true proportions the estimate is right, with swapped ones it is swapped."""
    rng = np.random.default_rng(2)
    labels = labels_of([700, 700])
    inputs = (rng.normal(size=(1400, 2)) + 6 * labels[:, None]).astype(np.float32)
    train, tests = skewed_counts(2, 0.1, 200), mixtures(2, 3, 200)
    design = Design(train, train, tests)
    drawn = draw_sets(labels, np.array([0, 1]), design, rng)
    matched = match(under(below(drawn, "census"), "census"), inputs)
    estimate = matched.estimate(diagonal, BANDWIDTHS)
    honest = shares_of(design.veiled)[None]
    right = estimate(honest)
    assert np.abs(right[0] - shares_of(tests)).sum(axis=1).max() < 0.05
    np.testing.assert_allclose(estimate(honest[:, :, ::-1])[0], right[0][:, ::-1], atol=1e-6)


def test_error_rows() -> None:
    design = Design(np.eye(2), np.eye(2), np.eye(2), x=(0.5, 0.0), dominant=(0, 1))
    outcome = Outcome("census", 0.1, design, 3, "laplace", np.array([[0.2, 0.0], [0.0, 2.0]]))
    rows = error_rows(outcome)
    assert rows[["x", "draw", "l1_error"]].to_numpy().tolist() == [[0.5, 0, 0.2], [0, 0, 0], [0.5, 1, 0], [0, 1, 2]]
    assert set(rows["status"]) == {"ok"}
    assert set(rows["trial"]) == {3}
    assert outcome.mean == pytest.approx(1.0)  # where the last class is the common one
    silent = outcome._replace(errors=None)
    assert np.isnan(silent.mean)
    assert error_rows(silent)["l1_error"].isna().all()
    told = error_rows(silent)[["x", "draw", "status"]].to_numpy().tolist()
    assert told == [[0.5, 0, "no_scale"], [0.0, 0, "no_scale"]]
