"""Sections 1, 2.4.1, 3.1 and 5: how many sets, how large and how even, and what the published sets themselves tell."""

from __future__ import annotations

import pandas as pd

from replication.judging.claim import Claim, Matters, Origin
from replication.judging.statistics import alike, by_trial, differences, exactly, least, over_trials, rows
from replication.judging.verdicts import CannotTell, Observation, Quantifier
from replication.papers.class_ratio.claims.common import ERROR, MANY, STEP, from_pools, keep_rows

ATTACK = Matters(0.02, "two members in a hundred more than a guess")
ACCURACY = Matters(0.01, "one instance in a hundred")
#: Mechanisms whose cost is compared between many sets and few.
HIDING = "laplace", "gaussian_analytic", "scaled_dirichlet_tight"


def large_sets_hide_better(scores: pd.DataFrame) -> list[Observation]:
    """What a mechanism adds to the error with more, smaller sets, minus what it adds with as few as classes."""
    own = keep_rows(rows(scores, dataset=["census", "higgs", "mnist"]), method="mmd")
    samples = {}
    for dataset, part in own.groupby("dataset"):
        tables = {
            mechanism: cells.pivot_table(index="trial", columns="sets", values="l1_error")
            for mechanism, cells in part.groupby("mechanism")
        }
        for mechanism in (known for known in HIDING if known in tables):
            added = tables[mechanism] - tables["none"]
            fewest = min(tables["none"])
            for sets in sorted(set(tables["none"]) - {fewest}):
                gone = added[sets] - added[fewest] if {sets, fewest} <= set(added) else pd.Series(dtype=float)
                samples[f"{dataset}, {sets} sets, {mechanism}"] = gone.dropna()
    return from_pools(samples)


def few_sets(scores: pd.DataFrame) -> list[Observation]:
    """MMD's error with more, smaller sets minus that with as few as classes, by data set."""
    own = keep_rows(rows(scores, dataset=["census", "higgs", "mnist"]), mechanism="none", method="mmd")
    return from_pools(_from_fewest(own, "l1_error"))


def classifiers_prefer_many(scores: pd.DataFrame) -> list[Observation]:
    """The accuracy of ∝SVM's classifier with more, smaller sets minus that with two."""
    if "accuracy" not in scores:
        raise CannotTell("the scores have no accuracy of a classifier")
    return from_pools(_from_fewest(rows(scores, mechanism="none", method="psvm"), "accuracy"))


def _from_fewest(own: pd.DataFrame, value: str) -> dict[str, pd.Series]:
    """What more sets have more of than the fewest, by data set and number of sets."""
    samples: dict[str, pd.Series] = {}
    for dataset, part in own.groupby("dataset"):
        table = part.pivot_table(index="trial", columns="sets", values=value)
        fewest, *more = sorted(table)
        samples |= {f"{dataset}, {sets} sets": (table[sets] - table[fewest]).dropna() for sets in more}
    return samples


def bound_prefers_few_equal(scores: pd.DataFrame) -> list[Observation]:
    """The log of what sampling adds to Theorem 1's bound with other sets, over that with c sets of one size."""
    own = rows(scores, quantity=["unequal_sets", "more_sets"])
    words = {"unequal_sets": "largest over smallest set", "more_sets": "sets over classes"}
    return exactly({f"{words[kind]} = {n:g}": value
                    for kind, n, value in zip(own["quantity"], own["n"], own["actual"], strict=True)})  # fmt: skip


def by_label_tells(scores: pd.DataFrame) -> list[Observation]:
    """The share of members whose label is the commonest of their set, beyond a guess: the design says it exactly."""
    own = keep_rows(rows(scores, design="by_label"), attack="set")
    return least(own["attack_accuracy"] - own["base_rate"], [own["dataset"], own["rho"]], "{}, rho = {:g}")


def label_free_tells(scores: pd.DataFrame) -> list[Observation]:
    """How much oftener an attack on a member's label is right than a guess, on sets that were drawn at random."""
    own = rows(scores, design="label_free")
    by = "by " + own["attack"].str.replace("_", " with ")
    own = own.assign(gain=own["attack_accuracy"] - own["base_rate"], by=by)
    return alike(by_trial(own, "gain", ["dataset", "by"]), span=1.0)


def label_free_costs(scores: pd.DataFrame) -> list[Observation]:
    """The error from sets built without labels minus that from sets built by label."""
    return over_trials(differences(scores, "l1_error", {"design": "label_free"}, {"design": "by_label"}, ["dataset"]))


CLAIMS: tuple[Claim, ...] = (
    Claim("best-with-few-large-sets",
          "From a fixed number of instances MMD does best with few, large sets: as many as there are classes.",
          "sections 1, 2.3 and 2.4.1", "set_sizes", few_sets, Quantifier.TYPICAL,
          "L1 error, with more and smaller sets minus that with as many sets as classes", "L1", ERROR,
          ("census", "higgs", "mnist"), short="MMD does best with few, large sets", headline=True),
    Claim("existing-methods-prefer-many-small-sets",
          "From a fixed number of instances ∝SVM learns a better classifier from many, small sets.",
          "sections 1, 2.4.1, 5 and 6", "set_sizes", classifiers_prefer_many, Quantifier.TYPICAL,
          "mean accuracy of both classes, with more and smaller sets minus that with two", "share of instances",
          ACCURACY,
          ("census", "higgs"), short="∝SVM prefers many, small sets"),
    Claim("publish-c-sets-of-one-size",
          "By Theorem 1's bound a publisher should make of a fixed number of instances as many sets as classes (three, "
          "here), all of one size.",
          "section 3.1, after Lemma 4", "theory", bound_prefers_few_equal, Quantifier.ALL,
          "what sampling adds to the bound with other sets, over that with c sets of one size", "factor (log)", STEP,
          short="Theorem 1 wants c sets of one size"),
    Claim("large-sets-hide-better",
          "From a fixed number of instances, mechanisms (here Laplace noise, Gaussian noise and the Dirichlet, "
          "both in their exact calibration) cost less accuracy with few, large sets than with many small.",
          "sections 1 and 5", "set_sizes", large_sets_hide_better, Quantifier.TYPICAL,
          "error that a mechanism adds with more sets minus what it adds with as many as classes", "L1", ERROR,
          ("census", "higgs", "mnist"), short="large sets hide labels at less cost"),
    Claim("membership-tells-labels",
          "Sets that were built by label tell the label of a member whose set is known.",
          "beside section 3.1", "membership", by_label_tells, Quantifier.ALL,
          "accuracy of the attack minus that of a guess", "share of members", ATTACK, origin=Origin.BEYOND,
          short="sets built by label give labels away"),
    Claim("label-free-sets-tell-nothing",
          "Sets that were drawn without labels, at random, tell no more of a member's label than a guess does.",
          "beside section 3.1", "membership", label_free_tells, Quantifier.ALL,
          "accuracy of the attack minus that of a guess", "share of members", ATTACK, MANY, Origin.BEYOND,
          short="sets built without labels do not"),
    Claim("label-free-sets-teach-less",
          "Sets that were built without labels leave a larger error than those built by label.",
          "beside section 3.1", "membership", label_free_costs, Quantifier.TYPICAL,
          "L1 error, sets built without labels minus those built by label", "L1", ERROR, MANY, Origin.BEYOND,
          short="sets built without labels teach less"),
)  # fmt: skip
