"""What published sets give away, from release to picture, and its parts against closed forms."""

from __future__ import annotations

from math import exp, inf
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from tests.replication.papers.class_ratio.test_stages import walk

import stages
from checks import assert_frequencies
from replication.papers.class_ratio.membership.designs import counts_of, designs, level_of, share_at
from replication.papers.class_ratio.membership.learn import guesses
from replication.papers.class_ratio.membership.settings import Own, Release
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array

OWN = Own(classes=3, size=120, test=60, rhos=(0.05, 0.2))
SETTINGS = Release(sets={"census": OWN}, totals=(1.0, 3.0), splits=(0.5, 1.0), epsilon=0.5, delta=0.05)


def world(seed: int = 0, apart: float = 3.0) -> tuple[Array, Array]:
    rng = default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(3), [400, 500, 600])).astype(np.uint8)
    return labels, (rng.normal(size=(1500, 4)) + apart * np.eye(3, 4)[labels]).astype(np.float32)


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_the_level_of_a_choice_is_that_of_its_channel(classes: int) -> None:
    rho = 0.3 / classes
    chances = np.full((classes, classes), rho) + np.eye(classes) * (1 - classes * rho)
    assert level_of(rho, classes) == pytest.approx(channel_epsilon(chances))
    assert share_at(level_of(rho, classes), classes) == pytest.approx(rho)


def test_designs_are_disjoint_and_have_their_shares() -> None:
    labels, inputs = world()
    classes = np.array([0, 1, 2])
    found = list(designs(SETTINGS, OWN, labels, inputs, default_rng(1)))
    names = [drawn.design for drawn in found]
    assert names == ["by_label"] * 2 + ["label_free", "label_free_feature"] + ["randomised"] * 4
    for drawn in found:
        together = np.concatenate([*drawn.train, *drawn.validation, np.unique(np.concatenate(drawn.tests))])
        assert len(np.unique(together)) == len(together)
        assert counts_of(labels, classes, drawn.train).sum(axis=0).tolist() == [120] * 3
    assert counts_of(labels, classes, found[0].train)[1].tolist() == [6, 108, 6]
    ordered = [inputs[members].astype(float) for members in found[3].train]
    assert {len(members) for members in ordered} == {120}
    whole = [drawn for drawn in found if drawn.split == 1.0 and drawn.design == "randomised"]
    assert all(drawn.left == 0 and drawn.shares is not None for drawn in whole)
    shares: Any = whole[1].shares
    np.testing.assert_allclose(shares, np.full((3, 3), whole[1].rho) + np.eye(3) * (1 - 3 * whole[1].rho))
    assert [drawn.epsilon + drawn.left for drawn in found if drawn.total < inf] == [1, 1, 3, 3]


def test_members_choose_sets_with_the_chances_of_the_design() -> None:
    """Over 200 draws the counts of all sets follow randomised response at ε."""
    labels, inputs = world()
    total = np.zeros((3, 3))
    one = Release(sets={"census": OWN}, totals=(2.0,), splits=(1.0,), epsilon=0.5, delta=0.05)
    for seed in range(200):
        drawn = list(designs(one, OWN, labels, inputs, default_rng([2, seed])))[-1]
        total += counts_of(labels, np.array([0, 1, 2]), drawn.train)
    rho = 1 / (exp(2.0) + 2)
    assert_frequencies(total, (np.full((3, 3), rho) + np.eye(3) * (1 - 3 * rho)) / 3)


def test_guesses_by_set_are_its_commonest_class_and_features_help() -> None:
    labels, inputs = world()
    drawn = next(designs(SETTINGS, OWN, labels, inputs, default_rng(3)))
    rows = counts_of(labels, np.array([0, 1, 2]), [*drawn.train, *drawn.validation]) / 120
    bags, held = ([inputs[members] for members in sets] for sets in (drawn.train, drawn.validation))
    found = guesses(bags, held, rows)
    truth = [labels[members] for members in drawn.train]
    alone = np.mean([(by_set == own).mean() for (by_set, _), own in zip(found, truth, strict=True)])
    helped = np.mean([(guessed == own).mean() for (_, guessed), own in zip(found, truth, strict=True)])
    assert alone == pytest.approx(0.9)
    assert helped > 0.97


def test_from_release_to_picture() -> None:
    labels, inputs = world()
    asked: dict[str, Any] = {
        "sets": {"census": {"classes": 3, "size": 120, "test": 60, "rhos": [0.05, 0.2]}},
        "totals": [1.0, 3.0], "splits": [0.5, 1.0], "epsilon": 0.5, "delta": 0.05,
    }  # fmt: skip
    data = {"labels": labels, "features": inputs}
    scores = walk("membership", data, others={"mmd_mnist": [{}, {}]}, private=("labels", "features"), **asked)
    told = scores[(scores["attack"] == "set") & (scores["proportions"] == "exact")]
    by_label = told[told["design"] == "by_label"].groupby("rho")["attack_accuracy"].mean()
    np.testing.assert_allclose(by_label, [0.9, 0.6])
    np.testing.assert_allclose(told["base_rate"], 1 / 3)
    free = told[told["design"] == "label_free"]
    assert (free["epsilon"] == 0).all()
    assert free["attack_accuracy"].max() < 0.5
    errors = told.groupby("design")["l1_error"].mean()
    assert errors["by_label"] < errors["label_free"]
    stages.drawn("class_ratio.membership", scores)
