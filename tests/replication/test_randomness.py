"""One seed, and draws that depend on what they are for."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from replication.randomness import Trial, generator

#: Results made with an older version must not change silently.
PINNED = [1359542941, 2731819851, 4171825733]


def test_a_path_always_gives_the_same_draws() -> None:
    assert generator(1, "a", 2).random() == generator(1, "a", 2).random()
    assert generator(2016, "paper", "figure", 0).integers(0, 2**32, 3).tolist() == PINNED


def test_every_part_of_the_path_counts() -> None:
    trials = [
        Trial(*parts) for parts in product((1, 2), ("p", "q"), ("f", "g"), ("release", "learn"), ("x", "y"), (0, 1))
    ]
    assert len({trial.rng.random() for trial in trials}) == len(trials)
    assert generator(1, "ab", "c").random() != generator(1, "a", "bc").random()


def test_public_randomness_is_shared_between_stages_and_arms_and_starts_anew() -> None:
    owner = Trial(1, "p", "f", "release", "x", 3)
    referee = Trial(1, "p", "f", "score", "y", 3)
    np.testing.assert_array_equal(owner.public.permutation(9), referee.public.permutation(9))
    np.testing.assert_array_equal(owner.public.permutation(9), owner.public.permutation(9))
    assert Trial(1, "p", "f", "score", "y", 4).public.random() != referee.public.random()


def test_the_streams_are_those_of_their_paths() -> None:
    trial = Trial(2016, "p", "f", "learn", "x", 3)
    assert trial.rng.random() == generator(2016, "p", "f", "learn", "x", 3).random()
    assert trial.public.random() == generator(2016, "p", "f", "public", 3).random()
    assert trial.shared("order", 5).random() == generator(2016, "p", "f", "order", 3, 5).random()


def test_each_of_several_things_has_a_stream_that_goes_on_whatever_the_others_draw() -> None:
    alone, among = (Trial(2016, "p", "f", "learn", "x", 3) for _ in range(2))
    among.rng_of("housing", 1).random(7)
    drawn = [alone.rng_of("california", 1).random(), alone.rng_of("california", 1.0).random()]
    assert drawn == [among.rng_of("california", 1).random(), among.rng_of("california", 1).random()]
    assert drawn == generator(2016, "p", "f", "learn", "x", 3, "california", 1.0).random(2).tolist()


def test_a_learner_cannot_make_the_owners_generator() -> None:
    """The root seed is gone, no other stage's stream is to be had, and the trial cannot be made anew for another."""
    trial = Trial(97531, "p", "f", "learn", "x", 3)
    with pytest.raises((TypeError, ValueError), match="seed"):
        replace(trial, stage="release")  # type: ignore[call-arg]
    assert not hasattr(trial, "seed")
    assert "97531" not in repr({each.name: getattr(trial, each.name) for each in fields(trial)})
    for name in ("release", "learn", "own\0"):
        with pytest.raises(KeyError):
            trial.shared(name)
