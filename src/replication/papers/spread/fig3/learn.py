"""Figure 3, the learner: every method on the released digits; the arm that peeks also has the clean ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from replication.papers.spread.digits import choose
from replication.papers.spread.methods import METHODS, STATES, Schedule, Seen
from replication.randomness import Trial
from unveil.errors import require
from unveil.estimators.spread.priors import pixel_marginals
from unveil.types import Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    methods: Sequence[str],
    p_flips: Sequence[float],
    train: int,
    test: int,
    rate: float,
    iterations: Sequence[int],
    samples: int,
    penalties: Sequence[float],
    folds: int,
) -> Arrays:
    """Weights (noise levels, checkpoints, d) and intercepts of every method."""
    noisy = released["noisy"]
    schedule = Schedule(rate, iterations, samples, penalties, folds)
    truth = _peeked(public["mnist"], trial, train, test) if "mnist" in public else None
    learned = {}
    for method in methods:
        require(method != "clean" or truth is not None, "the method 'clean' belongs into an arm that peeks")
        paths = []
        for i, p_flip in enumerate(p_flips):
            prior = None if truth is None else truth.prior
            seen = Seen(noisy[f"images_{i}"], noisy[f"labels_{i}"], p_flip, prior)
            paths.append(METHODS[method](truth if truth and method == "clean" else seen, schedule, trial.rng))
        learned[f"{method}_weights"] = np.stack([weights for weights, _ in paths])
        learned[f"{method}_intercepts"] = np.stack([intercepts for _, intercepts in paths])
    return learned


def _peeked(mnist: Arrays, trial: Trial, train: int, test: int) -> Seen:
    """The clean training data and its pixel marginals: for the arm that peeks."""
    digits = choose(mnist, train, test, trial.public)
    images = mnist["images"][digits.train]
    return Seen(images, digits.train_labels, 0.0, pixel_marginals(images, STATES))
