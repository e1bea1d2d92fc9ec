"""Sections 3.1 and 4.3: class ratios from sets whose proportions are veiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from replication.judging.statistics import differences, name, number, over_trials, rows
from replication.judging.verdicts import CannotTell, Claim, Matters, Observation, Origin, Quantifier
from replication.papers.class_ratio.claims.common import (
    ERROR,
    MANY,
    OURS,
    PRIVATE,
    in_common,
    jackknifed,
    log_ratio,
    only,
    saved,
)

#: What the introduction prints of Mnist, in per cent, and half of the ten to which it is rounded.
PRINTED_SAVING, ROUNDING = 60.0, 5.0
#: ASSUME: errors are unacceptably large where they are twice those without privacy.
UNACCEPTABLE = 2.0
#: ASSUME: of figure 3's mixtures, which are numbered from the most skewed one to the even one, these are skewed.
SKEWED = (0,)

SAVING = Matters(5.0, "the percentages in the introduction are given in tens")
DOUBLE = Matters(float(np.log(1.1)), "a tenth of an error is the least that shows on figure 3's axes")
SHARE = Matters(0.1, "less than a tenth of a distortion passed on would leave the estimate insensitive to it")
ATTACK = Matters(0.02, "two members in a hundred more than a guess")


def _mmd(scores: pd.DataFrame) -> pd.DataFrame:
    """The paper's estimator."""
    return only(scores, estimator="mmd", method="mmd")


def _contrast(
    scores: pd.DataFrame, more: Mapping[str, object], less: Mapping[str, object], by: Sequence[str], figure: str = "fig3"
) -> list[Observation]:
    """Differences of error by trial, with what trials share in their data and not in the mechanisms' draws."""
    samples = differences(scores, "l1_error", more, less, by)
    return over_trials(samples, shared=in_common(figure, samples, _noise(scores, more, less, by)))


def _noise(
    scores: pd.DataFrame, more: Mapping[str, object], less: Mapping[str, object], by: Sequence[str]
) -> dict[str, float]:
    """The variance that the mechanisms' draws within a trial leave in the trial's mean, by setting."""
    found: dict[str, float] = {}
    if "draw" not in scores:
        return found
    for chosen in (more, less):
        for keys, part in rows(scores, **chosen).groupby(list(by), sort=True):
            # Whatever else varies within a draw, such as which class is common, is averaged in each.
            table = part.pivot_table(index="trial", columns="draw", values="l1_error")
            if table.shape[1] > 1:
                own = float((table.var(axis=1, ddof=1) / table.count(axis=1)).mean())
                found[name(by, keys)] = found.get(name(by, keys), 0.0) + own
    return found


def sensitive(scores: pd.DataFrame) -> list[Observation]:
    """The error under the paper's mechanisms, in the mean, minus that from exact proportions."""
    own = rows(_mmd(scores), dataset=list(MANY))
    return _contrast(own, {"mechanism": list(PRIVATE)}, {"mechanism": "none"}, ["dataset", "x"])


def ours_below(
    scores: pd.DataFrame, ours: str = OURS, rivals: Sequence[str] = ("laplace", "laplace_prior")
) -> list[Observation]:
    """The error under each rival minus that under the scaled Dirichlet, on every data set and test mixture."""
    own, found = rows(_mmd(scores), dataset=list(MANY)), []
    samples: dict[str, pd.Series] = {}
    noise: dict[str, float] = {}
    for rival in rivals:
        chosen = {"mechanism": rival}, {"mechanism": ours}
        for setting, values in differences(own, "l1_error", *chosen, ["dataset", "x"]).items():
            samples[f"{setting}, against {rival}"] = values
        for setting, variance in _noise(own, *chosen, ["dataset", "x"]).items():
            noise[f"{setting}, against {rival}"] = variance
    found = over_trials(samples, shared=in_common("fig3", samples, noise))
    return found


def saves_of_laplace(scores: pd.DataFrame, ours: str = OURS) -> list[Observation]:
    """The percentage of the error under Laplace noise that the scaled Dirichlet saves on Mnist, over all mixtures."""
    own = rows(_mmd(scores), dataset="mnist")
    first, second = (
        rows(own, mechanism=mechanism).groupby("trial")["l1_error"].mean() for mechanism in ("laplace", ours)
    )
    values = saved(first, second)
    shared = in_common("fig3", {"mnist": values})["mnist"]
    return [number("mnist, all mixtures", values, PRINTED_SAVING, ROUNDING, shared)]


def laplace_unacceptable(scores: pd.DataFrame, factor: float = UNACCEPTABLE) -> list[Observation]:
    """The log of the error under Laplace noise over that without privacy, beyond the factor, by mixture of Mnist."""
    own = rows(_mmd(scores), dataset="mnist")
    tables = {
        mechanism: rows(own, mechanism=mechanism).pivot_table(index="trial", columns="x", values="l1_error")
        for mechanism in ("laplace", "none")
    }
    samples = {
        f"mnist, x = {x:g}": log_ratio(tables["laplace"][x], tables["none"][x]) - np.log(factor)
        for x in tables["laplace"]
    }
    return over_trials(samples, shared=in_common("fig3", samples))


def _skewed_and_even(own: pd.DataFrame, skewed: Sequence[int]) -> tuple[list[float], float]:
    mixtures = sorted(own["x"].unique())
    return [mixtures[k] for k in skewed], mixtures[-1]


def skewed_tests_suffer(scores: pd.DataFrame, skewed: Sequence[int] = SKEWED) -> list[Observation]:
    """What the mechanisms add to the error on skewed test sets, minus what they add on the even one, by data set."""
    samples: dict[str, pd.Series] = {}
    for dataset, own in rows(_mmd(scores), dataset=list(MANY)).groupby("dataset"):
        ends, even = _skewed_and_even(own, skewed)
        added = {
            place: differences(rows(own, x=x), "l1_error", {"mechanism": list(PRIVATE)}, {"mechanism": "none"}, [])
            for place, x in (("skewed", ends), ("even", [even]))
        }
        samples[str(dataset)] = (added["skewed"]["overall"] - added["even"]["overall"]).dropna()
    return over_trials(samples, shared=in_common("fig3", samples))


def laplace_on_skewed_mnist(scores: pd.DataFrame, skewed: Sequence[int] = SKEWED) -> list[Observation]:
    """Mnist's error under Laplace noise on skewed test sets minus that on the even one."""
    own = rows(_mmd(scores), dataset="mnist", mechanism="laplace")
    ends, even = _skewed_and_even(own, skewed)
    found = differences(own, "l1_error", {"x": ends}, {"x": even}, [])
    samples = {"mnist": found["overall"]}
    return over_trials(samples, shared=in_common("fig3", samples))


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
        samples[f"{dataset}, n = {n:g}"] = jackknifed(table[wanted], lambda rest: _passed_on(rest, worse, better))
    if not samples:
        raise CannotTell("the scores lack the distortions, or the errors that they cause")
    return over_trials(samples, shared=in_common("theory", samples))


def _passed_on(table: pd.DataFrame, worse: str, better: str) -> float:
    means = table.mean()
    distortion, error = (means[f"{kind}_{worse}"] - means[f"{kind}_{better}"] for kind in ("distortion", "error"))
    return float(error / distortion)


def large_sets_hide_better(
    scores: pd.DataFrame, mechanisms: Sequence[str] = ("laplace", OURS, "scaled_dirichlet_tight")
) -> list[Observation]:
    """What a mechanism adds to the error with more, smaller sets, minus what it adds with as few as classes."""
    own = only(rows(scores, dataset=["census", "higgs", "mnist"]), method="mmd")
    samples = {}
    for dataset, part in own.groupby("dataset"):
        tables = {
            mechanism: cells.pivot_table(index="trial", columns="sets", values="l1_error")
            for mechanism, cells in part.groupby("mechanism")
        }
        for mechanism in set(mechanisms) & set(tables):
            added = tables[mechanism] - tables["none"]
            fewest = min(tables["none"])
            for sets in sorted(set(tables["none"]) - {fewest}):
                gone = added[sets] - added[fewest] if {sets, fewest} <= set(added) else pd.Series(dtype=float)
                samples[f"{dataset}, {sets} sets, {mechanism}"] = gone.dropna()
    return over_trials(samples, shared=in_common("set_sizes", samples))


def _attack(scores: pd.DataFrame, design: str, sign: int) -> list[Observation]:
    """How much oftener an attack on membership is right than a guess, on sets of one design; `sign` −1: less often."""
    own = rows(scores, design=design)
    own = own.assign(gain=sign * (own["attack_accuracy"] - own["base_rate"]))
    return over_trials(
        {
            name(["dataset", "rho"], keys): part.groupby("trial")["gain"].mean()
            for keys, part in own.groupby(["dataset", "rho"])
        },
        span=1.0,
    )


def label_free_costs(scores: pd.DataFrame) -> list[Observation]:
    """The error from sets built without labels minus that from sets built by label."""
    by = ["dataset", "rho"] if "rho" in scores and scores["rho"].nunique() > 1 else ["dataset"]
    return over_trials(differences(scores, "l1_error", {"design": "label_free"}, {"design": "by_label"}, by))


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
          "L1 error saved of each unit of distortion avoided, tight scaled Dirichlet against Laplace", "L1 by L1", SHARE,
          ("census", "mnist"), short="less distortion is less error"),
    Claim("more-accurate-with-our-mechanism",
          "Trained with the scaled Dirichlet (σ by (9)) MMD is more accurate than with the existing mechanisms, at the "
          "same (ε, δ).",
          "sections 1, 4.3, 5 and 6, figure 3", "fig3", ours_below, Quantifier.TYPICAL,
          "L1 error, each existing mechanism less the scaled Dirichlet", "L1", ERROR, MANY,
          short="MMD is more accurate with the scaled Dirichlet"),
    Claim("60-percent-below-laplace",
          "On Mnist, MMD with the scaled Dirichlet (σ by (9)) incurs 60 % lower error than with Laplace noise.",
          "section 1, figure 3", "fig3", saves_of_laplace, Quantifier.NUMBER,
          "share of the error under Laplace noise that the scaled Dirichlet saves", "per cent", SAVING, ("mnist",),
          short="60 % lower error than with Laplace on Mnist"),
    Claim("laplace-unacceptable-with-many-classes",
          "With many classes (Mnist) Laplace noise makes the error of the learning model unacceptably large.",
          "section 4.3, figure 3", "fig3", laplace_unacceptable, Quantifier.TYPICAL,
          "L1 error under Laplace noise over twice that without privacy", "factor (log)", DOUBLE, ("mnist",),
          short="Laplace is unacceptable with many classes"),
    Claim("skewed-tests-suffer-more",
          "The effect of bad training proportions is more pronounced where the test set is skewed.",
          "section 4.3, figure 3", "fig3", skewed_tests_suffer, Quantifier.TYPICAL,
          f"{_ADDED}, skewed test set less even one", "L1", ERROR, MANY,
          short="bad proportions hurt more on skewed test sets"),
    Claim("laplace-error-rises-on-skewed-mnist",
          "On Mnist the error under Laplace noise increases sharply on a highly skewed test set.",
          "section 4.3, figure 3", "fig3", laplace_on_skewed_mnist, Quantifier.ALL,
          "L1 error under Laplace noise, skewed test set less even one", "L1", ERROR, ("mnist",),
          short="on Mnist Laplace's error rises on skewed test sets"),
    Claim("large-sets-hide-better",
          "From a fixed number of instances, mechanisms cost less accuracy with few, large sets than with many small ones.",
          "sections 1 and 5", "set_sizes", large_sets_hide_better, Quantifier.TYPICAL,
          "error that a mechanism adds with more sets, less what it adds with as many as classes", "L1", ERROR,
          ("census", "higgs", "mnist"), short="large sets hide labels at less cost"),
    Claim("tight-beats-laplace",
          "With the largest σ that is private at a fixed σ, MMD is more accurate than with the existing mechanisms.",
          "figure 3, our calibration", "fig3", partial(ours_below, ours="scaled_dirichlet_tight"), Quantifier.TYPICAL,
          "L1 error, each existing mechanism less the tight scaled Dirichlet", "L1", ERROR, MANY, Origin.BEYOND,
          short="calibrated exactly, the scaled Dirichlet beats Laplace"),
    Claim("fallback-beats-laplace",
          "With the Laplace prior in its place where it has no σ, the scaled Dirichlet beats the existing mechanisms.",
          "figure 3; the fallback of section 3", "fig3", partial(ours_below, ours="fallback"), Quantifier.TYPICAL,
          "L1 error, each existing mechanism less the scaled Dirichlet with its fallback", "L1", ERROR, MANY,
          Origin.BEYOND, short="with its fallback the scaled Dirichlet beats Laplace"),
    Claim("membership-tells-labels",
          "Sets that were built by label tell the label of a member whose set is known.",
          "beside section 3.1", "membership", partial(_attack, design="by_label", sign=1), Quantifier.ALL,
          "accuracy of the attack less that of a guess", "share of members", ATTACK, MANY, Origin.BEYOND,
          short="sets built by label give labels away"),
    Claim("label-free-sets-tell-nothing",
          "Sets that were built without labels tell no more of a member's label than a guess does.",
          "beside section 3.1", "membership", partial(_attack, design="label_free", sign=1), Quantifier.ALL,
          "accuracy of the attack less that of a guess", "share of members", ATTACK, MANY, Origin.BEYOND,
          short="sets built without labels do not"),
    Claim("label-free-sets-teach-less",
          "Sets that were built without labels leave a larger error than those built by label.",
          "beside section 3.1", "membership", label_free_costs, Quantifier.TYPICAL,
          "L1 error, sets built without labels less those built by label", "L1", ERROR, MANY, Origin.BEYOND,
          short="sets built without labels teach less"),
)  # fmt: skip
