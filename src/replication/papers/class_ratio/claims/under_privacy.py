"""Sections 3.1 and 4.3: class ratios from sets whose proportions are veiled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, Origin, vary
from replication.judging.statistics import differences, name, number, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier
from replication.papers.class_ratio.claims.common import (
    ERROR,
    MANY,
    OURS,
    PRIVATE,
    Samples,
    from_pools,
    in_common,
    jackknife,
    keep_rows,
    log_ratio,
    save_percent,
)

#: What the introduction prints of Mnist, in per cent, and half of the ten to which it is rounded.
PRINTED_SAVING, ROUNDING = 60.0, 5.0
#: ASSUME: where (9) has no σ the paper's mechanism is what section 3 falls back on, the Laplace prior.
FALLBACK = "fallback"
#: ASSUME: errors are unacceptably large where they are twice those without privacy.
UNACCEPTABLE = 2.0
#: ASSUME: of figure 3's mixtures, which are numbered from the most skewed one to the even one, these are skewed.
SKEWED = (0,)

#: What these could as well be.
OTHER_SKEWED = (vary("skewed-mixture", "a word without a number", "the most skewed one", skewed=((0, 1),)),)

SAVING = Matters(5.0, "the percentages in the introduction are given in tens")
DOUBLE = Matters(float(np.log(1.1)), "a tenth of an error is the least that shows on figure 3's axes")
SHARE = Matters(0.1, "less than a tenth of a distortion passed on would leave the estimate insensitive to it")
ATTACK = Matters(0.02, "two members in a hundred more than a guess")


def _mmd(scores: pd.DataFrame) -> pd.DataFrame:
    """The paper's estimator."""
    return keep_rows(scores, estimator="mmd", method="mmd")


def sensitive(scores: pd.DataFrame) -> list[Observation]:
    """The error under the paper's mechanisms, in the mean, minus that from exact proportions."""
    own = rows(_mmd(scores), dataset=list(MANY))
    chosen = {"mechanism": list(PRIVATE)}, {"mechanism": "none"}
    return from_pools(differences(own, "l1_error", *chosen, ["dataset", "x"]))


def ours_below(
    scores: pd.DataFrame, ours: str = FALLBACK, rivals: Sequence[str] = ("laplace", "laplace_prior")
) -> list[Observation]:
    """The error under each rival minus that under the scaled Dirichlet, on every data set and test mixture.

    Where the fallback is the rival itself there is nothing to compare.
    """
    own = rows(_mmd(scores), dataset=list(MANY))
    samples: Samples = {}
    for rival in rivals:
        mine = OURS if (ours, rival) == (FALLBACK, "laplace_prior") else ours
        found = differences(own, "l1_error", {"mechanism": rival}, {"mechanism": mine}, ["dataset", "x"])
        compared = {setting: values for setting, values in found.items() if len(values) or ours != FALLBACK}
        samples |= {f"{setting}, against {rival}": values for setting, values in compared.items()}
    return from_pools(samples)


def saves_of_laplace(scores: pd.DataFrame, ours: str = OURS) -> list[Observation]:
    """The percentage of the error under Laplace noise that the scaled Dirichlet saves on Mnist, over all mixtures."""
    own = rows(_mmd(scores), dataset="mnist")
    first, second = (
        rows(own, mechanism=mechanism).groupby("trial")["l1_error"].mean() for mechanism in ("laplace", ours)
    )
    samples = {"mnist": save_percent(first, second)}
    shared = in_common(samples)["mnist"]
    return [number("mnist, all mixtures", samples["mnist"], PRINTED_SAVING, ROUNDING, shared)]


def laplace_unacceptable(scores: pd.DataFrame, factor: float = UNACCEPTABLE) -> list[Observation]:
    """The log of the error under Laplace noise over that without privacy, beyond the factor, by mixture of Mnist."""
    own = rows(_mmd(scores), dataset="mnist")
    noisy, exact = (
        rows(own, mechanism=mechanism).pivot_table(index="trial", columns="x", values="l1_error")
        for mechanism in ("laplace", "none")
    )
    return from_pools({f"mnist, x = {x:g}": log_ratio(noisy[x], exact[x]) - np.log(factor) for x in noisy})


def _ends(own: pd.DataFrame, skewed: Sequence[int]) -> tuple[list[float], float]:
    """The skewed mixtures of a data set, and its even one."""
    mixtures = sorted(own["x"].unique())
    return [mixtures[k] for k in skewed], mixtures[-1]


def skewed_tests_suffer(scores: pd.DataFrame, skewed: Sequence[int] = SKEWED) -> list[Observation]:
    """What the mechanisms add to the error on skewed test sets, minus what they add on the even one, by data set."""
    samples = {}
    for dataset, own in rows(_mmd(scores), dataset=list(MANY)).groupby("dataset"):
        added = [
            differences(rows(own, x=x), "l1_error", {"mechanism": list(PRIVATE)}, {"mechanism": "none"}, [])["overall"]
            for x in _ends(own, skewed)
        ]
        samples[str(dataset)] = (added[0] - added[1]).dropna()
    return from_pools(samples)


def laplace_on_skewed_mnist(scores: pd.DataFrame, skewed: Sequence[int] = SKEWED) -> list[Observation]:
    """Mnist's error under Laplace noise on skewed test sets minus that on the even one."""
    own = rows(_mmd(scores), dataset="mnist", mechanism="laplace")
    ends, even = _ends(own, skewed)
    return from_pools({"mnist": differences(own, "l1_error", {"x": ends}, {"x": even}, [])["overall"]})


def less_distortion_less_error(scores: pd.DataFrame) -> list[Observation]:
    """How much less error a less distorting mechanism leaves, of each unit of distortion that it avoids."""
    own = rows(scores, dataset=["census", "mnist"])
    worse, better = "laplace", "scaled_dirichlet_tight"
    samples = {}
    for (dataset, n), part in own.groupby(["dataset", "n"]):
        table = part.pivot_table(index="trial", columns="quantity", values="actual")
        wanted = [f"{kind}_{mechanism}" for kind in ("distortion", "error") for mechanism in (worse, better)]
        if not set(wanted) <= set(table):
            continue  # the sets are too small for a scale
        samples[f"{dataset}, n = {n:g}"] = jackknife(table[wanted], lambda rest: _passed_on(rest, worse, better))
    if not samples:
        raise CannotTell("the scores lack the distortions, or the errors that they cause")
    return from_pools(samples)


def _passed_on(table: pd.DataFrame, worse: str, better: str) -> float:
    means = table.mean()
    distortion, error = (means[f"{kind}_{worse}"] - means[f"{kind}_{better}"] for kind in ("distortion", "error"))
    return float(error / distortion)


def large_sets_hide_better(
    scores: pd.DataFrame, mechanisms: Sequence[str] = ("laplace", OURS, "scaled_dirichlet_tight")
) -> list[Observation]:
    """What a mechanism adds to the error with more, smaller sets, minus what it adds with as few as classes."""
    own = keep_rows(rows(scores, dataset=["census", "higgs", "mnist"]), method="mmd")
    samples = {}
    for dataset, part in own.groupby("dataset"):
        tables = {
            mechanism: cells.pivot_table(index="trial", columns="sets", values="l1_error")
            for mechanism, cells in part.groupby("mechanism")
        }
        for mechanism in (known for known in mechanisms if known in tables):
            added = tables[mechanism] - tables["none"]
            fewest = min(tables["none"])
            for sets in sorted(set(tables["none"]) - {fewest}):
                gone = added[sets] - added[fewest] if {sets, fewest} <= set(added) else pd.Series(dtype=float)
                samples[f"{dataset}, {sets} sets, {mechanism}"] = gone.dropna()
    return from_pools(samples)


def attack(scores: pd.DataFrame, design: str, form: Form = Form.MORE) -> list[Observation]:
    """How much oftener an attack on a member's label is right than a guess, on sets of one design."""
    own = rows(scores, design=design)
    gain = own["attack_accuracy"] - own["base_rate"]
    samples = {
        name(["dataset", "rho"], keys): part.groupby("trial")["gain"].mean()
        for keys, part in own.assign(gain=gain).groupby(["dataset", "rho"])
    }
    return over_trials(samples, form, span=1.0)


def label_free_costs(scores: pd.DataFrame) -> list[Observation]:
    """The error from sets built without labels minus that from sets built by label."""
    return over_trials(differences(scores, "l1_error", {"design": "label_free"}, {"design": "by_label"}, ["dataset"]))


_ADDED = "error that the mechanisms add"
CLAIMS: tuple[Claim, ...] = (
    Claim("sensitive-to-distortion",
          "With veiled training proportions MMD has a larger error than with the exact ones.",
          "section 4.3, figure 3", "fig3", sensitive, Quantifier.TYPICAL,
          "L1 error, mean of the paper's mechanisms less no privacy", "L1", ERROR, MANY,
          short="MMD is sensitive to distorted proportions"),
    Claim("less-distortion-less-error",
          "What a mechanism distorts less, the learning algorithm errs less.",
          "section 4.3", "theory", less_distortion_less_error, Quantifier.TYPICAL,
          "L1 error saved by unit of distortion avoided, tight scaled Dirichlet against Laplace", "L1 by L1", SHARE,
          ("census", "mnist"), short="less distortion is less error"),
    Claim("more-accurate-with-our-mechanism",
          "At the same (ε, δ) MMD is more accurate with the scaled Dirichlet (σ by (9); where there is none, the "
          "Laplace prior) than with the existing mechanisms.",
          "sections 1, 4.3, 5 and 6, figure 3", "fig3", ours_below, Quantifier.TYPICAL,
          "L1 error, each existing mechanism less the scaled Dirichlet", "L1", ERROR, MANY,
          short="MMD is more accurate with the scaled Dirichlet",
          choices=(vary("no-σ", "silent", "the fallback", ours=(OURS,)),)),
    Claim("60-percent-below-laplace",
          "On Mnist, MMD with the scaled Dirichlet (σ by (9)) incurs 60 % lower error than with Laplace noise.",
          "section 1, figure 3", "fig3", saves_of_laplace, Quantifier.NUMBER,
          "share of the error under Laplace noise that the scaled Dirichlet saves", "per cent", SAVING, ("mnist",),
          short="60 % lower error than with Laplace on Mnist",
          choices=(vary("no-σ-on-mnist", "silent", "none", ours=(FALLBACK,)),)),
    Claim("laplace-unacceptable-with-many-classes",
          "With many classes (Mnist) Laplace noise makes the error of the learning model unacceptably large (more than "
          "twice that without privacy, here).",
          "section 4.3, figure 3", "fig3", laplace_unacceptable, Quantifier.TYPICAL,
          "L1 error under Laplace noise over twice that without privacy", "factor (log)", DOUBLE, ("mnist",),
          short="Laplace is unacceptable with many classes",
          choices=(vary("unacceptable", "a word without a number", "twice", factor=(1.5, 3.0)),)),
    Claim("skewed-tests-suffer-more",
          "The effect of bad training proportions is more pronounced where the test set is skewed.",
          "section 4.3, figure 3", "fig3", skewed_tests_suffer, Quantifier.TYPICAL,
          f"{_ADDED}, skewed test set less even one", "L1", ERROR, MANY,
          short="bad proportions hurt more on skewed test sets", choices=OTHER_SKEWED),
    Claim("laplace-error-rises-on-skewed-mnist",
          "On Mnist the error under Laplace noise increases (“sharply”, without a number) on a highly skewed test set.",
          "section 4.3, figure 3", "fig3", laplace_on_skewed_mnist, Quantifier.ALL,
          "L1 error under Laplace noise, skewed test set less even one", "L1", ERROR, ("mnist",),
          short="on Mnist Laplace's error rises on skewed test sets", choices=OTHER_SKEWED),
    Claim("large-sets-hide-better",
          "From a fixed number of instances, mechanisms (here Laplace noise among them) cost "
          "less accuracy with few, large sets than with many small.",
          "sections 1 and 5", "set_sizes", large_sets_hide_better, Quantifier.TYPICAL,
          "error that a mechanism adds with more sets, less what it adds with as many as classes", "L1", ERROR,
          ("census", "higgs", "mnist"), short="large sets hide labels at less cost"),
    Claim("tight-beats-laplace",
          "With the largest σ that is private at a fixed σ, MMD is more accurate than with the existing mechanisms.",
          "figure 3, our calibration", "fig3", partial(ours_below, ours="scaled_dirichlet_tight"), Quantifier.TYPICAL,
          "L1 error, each existing mechanism less the tight scaled Dirichlet", "L1", ERROR, MANY, Origin.BEYOND,
          short="calibrated exactly, the scaled Dirichlet beats Laplace"),
    Claim("membership-tells-labels",
          "Sets that were built by label tell the label of a member whose set is known.",
          "beside section 3.1", "membership", partial(attack, design="by_label"), Quantifier.ALL,
          "accuracy of the attack less that of a guess", "share of members", ATTACK, MANY, Origin.BEYOND,
          short="sets built by label give labels away"),
    Claim("label-free-sets-tell-nothing",
          "Sets that were built without labels tell no more of a member's label than a guess does.",
          "beside section 3.1", "membership", partial(attack, design="label_free", form=Form.SAME), Quantifier.ALL,
          "accuracy of the attack less that of a guess", "share of members", ATTACK, MANY, Origin.BEYOND,
          short="sets built without labels do not"),
    Claim("label-free-sets-teach-less",
          "Sets that were built without labels leave a larger error than those built by label.",
          "beside section 3.1", "membership", label_free_costs, Quantifier.TYPICAL,
          "L1 error, sets built without labels less those built by label", "L1", ERROR, MANY, Origin.BEYOND,
          short="sets built without labels teach less"),
)  # fmt: skip
