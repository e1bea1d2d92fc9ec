"""What owners and learners are told of a level, against models of made-up data of as many records."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng

import unveil
from unveil.advice.tasks import TASKS
from unveil.advice.worlds import World
from unveil.protocols.base import Release, find_protocol
from unveil.types import Array


def publish_flips(world: World, rng: Generator) -> Release:
    flip = 1 / (1 + exp(4 / (world.X.shape[1] + 1)))
    return unveil.NoisyRecords(flip, flip, testing=True).publish((np.rint(world.X), world.y), rng)


#: Protocol, task, features; how the data are published, and what a learner foretells of others.
CHAINS: list[tuple[str, str, int, Callable[[World, Generator], Release], Callable[[Release, World], Array]]] = [
    (
        "moments", "regress", 8,
        lambda world, rng: unveil.ExactMoments(4.0, testing=True).publish((world.X, world.y), rng),
        lambda release, world: unveil.MomentRegression().fit(release).predict(world.X_test),
    ),
    (
        "moments", "classify", 8,
        lambda world, rng: unveil.ExactMoments(1.0, testing=True).publish((world.X, world.y), rng, classes=(0, 1)),
        lambda release, world: unveil.MomentClassifier().fit(release).predict(world.X_test),
    ),
    (
        "mean-operator", "classify", 8,
        lambda w, rng: unveil.GeometricMeanOperator(1.0, testing=True).publish((w.X, w.y), rng, True, (0, 1)),
        lambda release, world: unveil.MeanOperatorClassifier().fit(release, world.X).predict(world.X_test),
    ),
    (
        "products", "regress", 2,
        lambda world, rng: unveil.ExactProducts(4.0, testing=True).publish((world.X, world.y), rng, True),
        lambda release, world: unveil.MomentRegression().fit(release).predict(world.X_test),
    ),
    (
        "records", "classify", 8, publish_flips,
        lambda release, world: unveil.SpreadLogisticRegression().fit(release).predict(np.rint(world.X_test)),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "task", "d", "publish", "predict"), CHAINS, ids=lambda part: str(part)[:14])
def test_who_fits_a_model_to_noise_is_told(name: str, task: str, d: int, publish: Any, predict: Any) -> None:
    rng = default_rng(0)
    world = TASKS[task].draw(20, d, 2, None, rng)
    release = publish(world, rng)
    with pytest.warns(UserWarning, match="at this level") as caught:
        predict(release, world)
    words = find_protocol(name).warn_of(release)
    assert name == "moments" or any(words in str(each.message) for each in caught)


def test_who_learns_ratios_from_noise_is_told() -> None:
    rng = default_rng(0)
    release = unveil.GeometricCounts(0.05, testing=True).publish([[20, 10], [10, 20]], rng)
    with pytest.warns(unveil.errors.TooNoisy, match="no better than the mean ratio; about 800 records would do"):
        unveil.SetIdEM().fit(release, [rng.normal(size=(30, 2)) for _ in range(2)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "task", "d", "publish", "predict"), CHAINS, ids=lambda part: str(part)[:14])
def test_as_many_records_as_are_said_to_be_enough(name: str, task: str, d: int, publish: Any, predict: Any) -> None:
    """With twice as many most of what a clean model gains is kept, with a sixteenth little; the words say which."""
    rng, protocol, kind = default_rng(0), find_protocol(name), TASKS[task]
    needed = protocol.find_enough(publish(kind.draw(1000, d, 2, None, rng), rng))
    for share, words in ((2.0, ""), (0.5, "less than half"), (1 / 16, "no better than the m")):
        kept = []
        for _ in range(6):
            world = kind.draw(max(20, round(share * needed)), d, 2, None, rng)
            release = publish(world, rng)
            said = protocol.warn_of(release)
            assert (words in said) if words else not said
            error, clean, blind = (
                kind.error(found, world)
                for found in (predict(release, world), *(who.predict(world, world) for who in (kind.clean, kind.blind)))
            )
            kept.append((blind - error) / (blind - clean))
        assert share == 0.5 or (np.mean(kept) > 0.5) == (share > 1), (share, kept)
