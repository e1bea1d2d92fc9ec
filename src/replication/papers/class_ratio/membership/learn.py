"""What published sets give away, the learner: class ratios of the test sets, and a guess at every member's label."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.sets import each_design, inputs_of, points_of
from replication.randomness import Trial
from replication.settings import Nothing
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.set_em import SetIdEM
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Nothing) -> Named:
    """Ratios `(data set, design, "ratios", mechanism)`; guesses `(data set, design, "guesses" or "by_set", set)`."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        inputs = inputs_of(arrays)
        for k, veiled in enumerate(each_design(released["sets"], dataset)):
            bags, held, tests = (
                [points_of(inputs, members) for members in under(veiled, kind).values()]
                for kind in ("train", "validation", "tests")
            )
            proportions = under(veiled, "proportions")
            for mechanism in (name for name in ("veiled", "none") if name in proportions):
                rows = proportions[mechanism]
                with warnings.catch_warnings():  # edges of the grid, and designs that tell next to nothing
                    warnings.simplefilter("ignore", UserWarning)
                    model = MMDClassRatio(diagonal="auto").fit(bags, rows[: len(bags)], (held, rows[len(bags) :]))
                learned[dataset, k, "ratios", mechanism] = np.asarray(model.predict(tests))
            known = proportions.get("none", proportions["veiled"])
            for number, (by_set, with_features) in enumerate(guesses(bags, held, known)):
                learned[dataset, k, "by_set", number] = by_set
                learned[dataset, k, "guesses", number] = with_features
    return learned


def guesses(bags: list[Array], held: list[Array], rows: Array) -> list[tuple[Array, Array]]:
    """For every bag the likeliest class of its members by the bag's proportions alone, and with their features.

    The set classifier is calibrated on the held-out bags, as whoever holds the release can.
    """
    model = SetIdEM().fit(bags, rows[: len(bags)], (held, rows[len(bags) :]))
    with np.errstate(divide="ignore"):
        priors = np.log(rows[: len(bags)])
    return [
        (np.full(len(bag), prior.argmax()), (model.model_.log_shares(bag) / model.temperature_ + prior).argmax(axis=1))
        for bag, prior in zip(bags, priors, strict=True)
    ]
