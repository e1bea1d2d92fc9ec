"""Sections 3.1 and 4.3: class ratios from sets whose proportions are veiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin, vary
from replication.judging.statistics import differences, number, rows
from replication.judging.verdicts import CannotTell, Observation, Quantifier
from replication.papers.class_ratio.claims.common import (
    DELTA,
    ERROR,
    FALLBACK,
    MANY,
    OURS,
    PRIVATE,
    from_pools,
    in_common,
    jackknife,
    keep_rows,
    lead_over,
    log_ratio,
    save_percent,
)

#: What the introduction prints of MNIST, in per cent, and half of the ten to which it is rounded.
PRINTED_SAVING, ROUNDING = 60.0, 5.0
#: ASSUME: errors are unacceptably large where they are twice those without privacy.
UNACCEPTABLE = 2.0
#: ASSUME: of figure 3's mixtures, which are numbered from the most skewed one to the even one, these are skewed.
SKEWED = (0,)

SAVING = Matters(5.0, "the percentages in the introduction are given in tens")
DOUBLE = Matters(float(np.log(1.1)), "a tenth of an error is the least that shows on figure 3's axes")
SHARE = Matters(0.1, "less than a tenth of a distortion passed on would leave the estimate insensitive to it")


@dataclass(frozen=True)
class Protocol:
    """What section 4.3 leaves open of figure 3: which class is the common one, ρ, the level, and what a width is.

    A test set in which the others have no share is not the paper's: the projection onto the simplex mends its estimate.
    """

    common: str = "frequent"
    rho: float = 0.05
    epsilon: float = 0.05
    delta: float = DELTA
    estimator: str = "mmd"

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the figure so made; a data set without that ρ has its own."""
        own = keep_rows(scores, estimator=self.estimator)
        own = own[own["x"] > 0]
        if "epsilon" in own:
            level = (own["epsilon"] == self.epsilon) & (own["delta"] == self.delta)
            own = own[level | (own["mechanism"] == "none")]
        if "rho" in own:
            known = own.groupby("dataset")["rho"].transform(
                lambda rhos: self.rho if self.rho in set(rhos) else min(rhos)
            )
            own = own[own["rho"] == known]
        if "dominant" in own and self.common != "each":
            last = own["dominant"] == own.groupby("dataset")["dominant"].transform("max")
            own = own[last if self.common == "frequent" else own["named_last"]]
        return rows(own, dataset=list(MANY))


PAPER = Protocol()


def _other(**given: Any) -> dict[str, Any]:
    return {"protocol": Protocol(**given)}


COMMON = Choice(
    "common-class", "the last class (section 4.1): by which order is not said",
    "the most frequent one, of which alone there are enough for Table 1's test sets",
    {"last by label": _other(common="named"), "each in turn": _other(common="each")},
)  # fmt: skip
LEVEL = Choice(
    "level", "silent: section 4.3 gives neither ε nor δ", "section 4.1's defaults, 0.05 and 0.05",
    {f"ε = {e:g}, δ = {d:g}": _other(epsilon=e, delta=d)
     for e, d in ((0.1, 0.05), (0.2, 0.05), (0.05, 0.01), (0.05, 0.1))},
)  # fmt: skip
WIDTHS = Choice(
    "width", "an RBF kernel with bandwidths 2⁻⁵ … 2⁵ (section 4.2): of which parameter is not said",
    "s of exp(−|x − y|²/(2s²))", {"γ of exp(−γ|x − y|²)": _other(estimator="mmd_gamma")},
)  # fmt: skip
SHARES = Choice(
    "rho", "usually 0.05 or 0.1 (section 4.2); ten classes allow the first only", "0.05", {"0.1": _other(rho=0.1)}
)
ON_MNIST = COMMON, LEVEL, WIDTHS
FIGURE_3 = *ON_MNIST, SHARES
LIKELY_SKEWED = vary(
    "highly-skewed", "highly skewed, without a number (section 4.3)", "the most skewed mixture", skewed=((0, 1),)
)

LARGE = vary("unacceptable", "unacceptably large, without a number (section 4.3)", "twice that without privacy",
             factor=(1.5, 3.0))  # fmt: skip
NO_SCALE = Choice(
    "no-σ-in-figure-3", "one can fall back on a mechanism like [20] (section 3): whether figure 3 does is not said",
    "the Laplace prior where (9) has no σ", {"left out": {"ours": OURS}},
)  # fmt: skip
MIXTURE = Choice(
    "mixture", "silent: 60 % on MNIST, without a mixture (section 1)", "all mixtures together",
    {"the most skewed": {"mixtures": slice(0, 1)}, "the even one": {"mixtures": slice(-1, None)}},
)  # fmt: skip


def sensitive(scores: pd.DataFrame, protocol: Protocol = PAPER) -> list[Observation]:
    """The error under the paper's mechanisms, in the mean, minus that from exact proportions."""
    own = protocol.rows(scores)
    chosen = {"mechanism": list(PRIVATE)}, {"mechanism": "none"}
    return from_pools(differences(own, "l1_error", *chosen, ["dataset", "x"]))


def ours_below(scores: pd.DataFrame, protocol: Protocol = PAPER, ours: str = FALLBACK) -> list[Observation]:
    """The error under each existing mechanism minus that under the scaled Dirichlet, on every data set and mixture.

    Where the fallback is the rival itself there is nothing to compare.
    """
    mine = {"laplace": ours, "laplace_prior": OURS if ours == FALLBACK else ours}
    return from_pools(lead_over(protocol.rows(scores), "l1_error", mine, ["dataset", "x"]))


def saves_of_laplace(
    scores: pd.DataFrame, protocol: Protocol = PAPER, mixtures: slice = slice(None)
) -> list[Observation]:
    """The percentage of the error under Laplace noise that the scaled Dirichlet saves on MNIST, over some mixtures."""
    own = rows(protocol.rows(scores), dataset="mnist")
    own = rows(own, x=sorted(own["x"].unique())[mixtures])
    first, second = (
        rows(own, mechanism=mechanism).groupby("trial")["l1_error"].mean() for mechanism in ("laplace", OURS)
    )
    saved = save_percent(first, second)
    return [number("mnist", saved, PRINTED_SAVING, ROUNDING, in_common({"mnist": saved})["mnist"])]


def laplace_unacceptable(
    scores: pd.DataFrame, protocol: Protocol = PAPER, factor: float = UNACCEPTABLE
) -> list[Observation]:
    """The log of the error under Laplace noise over that without privacy, beyond the factor, by mixture of MNIST."""
    own = rows(protocol.rows(scores), dataset="mnist")
    noisy, exact = (
        rows(own, mechanism=mechanism).pivot_table(index="trial", columns="x", values="l1_error")
        for mechanism in ("laplace", "none")
    )
    return from_pools({f"mnist, x = {x:g}": log_ratio(noisy[x], exact[x]) - np.log(factor) for x in noisy})


def _ends(own: pd.DataFrame, skewed: Sequence[int]) -> tuple[list[float], float]:
    """The skewed mixtures of a data set, and its even one."""
    mixtures = sorted(own["x"].unique())
    return [mixtures[k] for k in skewed], mixtures[-1]


def skewed_tests_suffer(
    scores: pd.DataFrame, protocol: Protocol = PAPER, skewed: Sequence[int] = SKEWED
) -> list[Observation]:
    """What the mechanisms add to the error on skewed test sets, minus what they add on the even one, by data set."""
    samples = {}
    for dataset, own in protocol.rows(scores).groupby("dataset"):
        added = [
            differences(rows(own, x=x), "l1_error", {"mechanism": list(PRIVATE)}, {"mechanism": "none"}, [])["overall"]
            for x in _ends(own, skewed)
        ]
        samples[str(dataset)] = (added[0] - added[1]).dropna()
    return from_pools(samples)


def laplace_on_skewed_mnist(
    scores: pd.DataFrame, protocol: Protocol = PAPER, skewed: Sequence[int] = SKEWED
) -> list[Observation]:
    """MNIST's error under Laplace noise on skewed test sets minus that on the even one."""
    own = rows(protocol.rows(scores), dataset="mnist", mechanism="laplace")
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


_ADDED = "error that the mechanisms add"
CLAIMS: tuple[Claim, ...] = (
    Claim("sensitive-to-distortion",
          "With veiled training proportions MMD has a larger error than with the exact ones.",
          "section 4.3, figure 3", "fig3", sensitive, Quantifier.TYPICAL,
          "L1 error, mean of the paper's mechanisms minus that without privacy", "L1", ERROR, MANY,
          short="MMD is sensitive to distorted proportions", choices=FIGURE_3),
    Claim("less-distortion-less-error",
          "What a mechanism distorts less, the learning algorithm errs less.",
          "section 4.3", "theory", less_distortion_less_error, Quantifier.TYPICAL,
          "L1 error saved per unit of distortion avoided, tight scaled Dirichlet against Laplace", "L1 by L1", SHARE,
          ("census", "mnist"), short="less distortion is less error"),
    Claim("more-accurate-with-our-mechanism",
          "At the same (ε, δ) MMD is more accurate with the scaled Dirichlet (σ by (9); where there is none, the "
          "Laplace prior) than with the existing mechanisms.",
          "sections 1, 4.3, 5 and 6, figure 3", "fig3", ours_below, Quantifier.TYPICAL,
          "L1 error, each existing mechanism minus the scaled Dirichlet", "L1", ERROR, MANY,
          short="MMD is more accurate with the scaled Dirichlet", headline=True,
          choices=(*FIGURE_3, NO_SCALE)),
    Claim("60-percent-below-laplace",
          "On MNIST (over all mixtures, here), MMD with the scaled Dirichlet (σ by (9)) incurs 60 % lower error than "
          "with Laplace noise.",
          "section 1, figure 3", "fig3", saves_of_laplace, Quantifier.NUMBER,
          "share of the error under Laplace noise that the scaled Dirichlet saves", "per cent", SAVING, ("mnist",),
          short="60 % lower error than with Laplace on MNIST", headline=True, choices=(*ON_MNIST, MIXTURE)),
    Claim("laplace-unacceptable-with-many-classes",
          "With many classes (MNIST) Laplace noise makes the error of the learning model unacceptably large (more than "
          "twice that without privacy, here).",
          "section 4.3, figure 3", "fig3", laplace_unacceptable, Quantifier.TYPICAL,
          "L1 error under Laplace noise over twice that without privacy", "factor (log)", DOUBLE, ("mnist",),
          short="Laplace is unacceptable with many classes",
          choices=(*ON_MNIST, LARGE)),
    Claim("skewed-tests-suffer-more",
          "The effect of bad training proportions is more pronounced where the test set is skewed.",
          "section 4.3, figure 3", "fig3", skewed_tests_suffer, Quantifier.TYPICAL,
          f"{_ADDED}, on skewed test sets minus that on the even one", "L1", ERROR, MANY,
          short="bad proportions hurt more on skewed test sets", choices=(*FIGURE_3, LIKELY_SKEWED)),
    Claim("laplace-error-rises-on-skewed-mnist",
          "On MNIST the error under Laplace noise increases (“sharply”, without a number) on a highly skewed test set.",
          "section 4.3, figure 3", "fig3", laplace_on_skewed_mnist, Quantifier.ALL,
          "L1 error under Laplace noise, on skewed test sets minus that on the even one", "L1", ERROR, ("mnist",),
          short="on MNIST Laplace's error rises on skewed test sets", choices=(*ON_MNIST, LIKELY_SKEWED)),
    Claim("tight-beats-laplace",
          "With the largest σ that is private at a fixed σ, MMD is more accurate than with the existing mechanisms.",
          "figure 3, our calibration", "fig3", partial(ours_below, ours="scaled_dirichlet_tight"), Quantifier.TYPICAL,
          "L1 error, each existing mechanism minus the tight scaled Dirichlet", "L1", ERROR, MANY, Origin.BEYOND,
          short="calibrated exactly, the scaled Dirichlet beats Laplace"),
)  # fmt: skip
