"""What published sets give away, the referee: how often guesses are right, and the error that a design allows."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, under
from replication.papers.class_ratio.membership.designs import designs, mixtures
from replication.papers.class_ratio.membership.settings import Release
from replication.papers.class_ratio.sets import by_frequency, inputs_of, labels_of, shares_of
from replication.randomness import Trial


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Release) -> pd.DataFrame:
    """One row a data set, design, trial, attack and release of the proportions.

    The base rate is what the members' commonest class alone gives; `epsilon` prices the choice of sets,
    `proportion_epsilon` the proportions, and together they are `total`, where a total is split.
    """
    rows = []
    whole = [ChainMap(*map(dict, arms)) for arms in zip(*learned.values(), strict=True)]  # each arm has its data sets
    for dataset, own, labels in labels_of(fields, settings.sets):
        classes, truth = by_frequency(labels, own.classes), shares_of(mixtures(own))
        for number, (trial, found) in enumerate(zip(trials, whole, strict=True)):
            inputs = inputs_of(fields[dataset])
            for k, drawn in enumerate(designs(settings, own, labels, inputs, trial.public)):
                members = np.concatenate(drawn.train)
                base = max(float((labels[members] == name).mean()) for name in classes)
                for mechanism, ratios in under(found, dataset, k, "ratios").items():
                    error = float(np.abs(ratios - truth).sum(axis=1).mean())
                    exact = mechanism == "none"
                    for attack, name in (("set", "by_set"), ("set_features", "guesses")):
                        guessed = np.concatenate([found[dataset, k, name, i] for i in range(len(drawn.train))])
                        rows.append(
                            {
                                "dataset": dataset,
                                "design": drawn.design,
                                "rho": drawn.rho,
                                "n": own.size,
                                "trial": number,
                                "attack_accuracy": float((classes[guessed] == labels[members]).mean()),
                                "base_rate": base,
                                "epsilon": drawn.epsilon,
                                "l1_error": error,
                                "attack": attack,
                                "proportions": "exact" if exact else "veiled",
                                "proportion_epsilon": np.inf if exact else drawn.left,
                                "total": drawn.total if drawn.design == "randomised" else np.nan,
                                "split": drawn.split if drawn.design == "randomised" else np.nan,
                            }
                        )
    return pd.DataFrame(rows)
