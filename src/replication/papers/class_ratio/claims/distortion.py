"""Section 4.1, figure 1: how much each mechanism distorts the proportions of one set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin, vary
from replication.judging.statistics import by_trial, differences, number, over_trials, rows, slopes
from replication.judging.verdicts import Observation, Quantifier
from replication.papers.class_ratio.claims.common import DISTORTION, EXPONENT, OURS, RIVALS, lead_over

#: ASSUME: which ε of figure 1 are small and which large, and that within half as much again is competitive.
SMALL_EPSILON, LARGE_EPSILON, COMPETITIVE = (0.01, 0.02, 0.03, 0.05), (0.15, 0.2), 1.5
#: ASSUME: the introduction's "5-class dataset" is section 4.1's default, which each panel has at this x.
DEFAULTS = (("classes", 5), ("proportions", 0.05), ("epsilon", 0.05))
#: ASSUME: what distortion is tolerable: five points of the mass are elsewhere, half a rare class of figure 2.
TOLERABLE = 0.1
#: ASSUME: a distortion that is less by the last digit in which the paper gives one is an advantage.
ADVANTAGE = 0.01
PANELS = ("classes", "proportions", "epsilon")
TIGHT = "scaled_dirichlet_tight"
#: Shares that are even, sets of two sizes (figure 1 has c = 5 and the first size of them).
EVEN = ("even_1000", "even_5000")

#: Half a unit of the last digit printed.
ROUNDING = 0.005
MUCH = Matters(float(np.log(COMPETITIVE)), "the factor up to which a distortion is called competitive")
VISIBLE = Matters(0.05, "five per cent of a distortion could not be read off figure 1")
LITTLE = Matters(0.001, "a tenth of that digit")
SPREAD = Matters(float(np.log(1.25)), "a variance a quarter larger makes error bars a tenth longer")
SLOPE = Matters(0.002, "a hundredth, the last digit of a distortion, over five more classes")


def keep_most_draws(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows that average the most draws, and those that say that there is no scale."""
    return rows(scores, draws=[0, int(scores["draws"].max())]) if "draws" in scores else scores


def less_distortion(
    scores: pd.DataFrame, panels: Sequence[str], ours: str = OURS, fallback: bool = False
) -> list[Observation]:
    """Every rival's distortion minus ours, at every point of the panels, from all draws."""
    return _leads(_published(scores, panels, fallback), "distortion", ours, RIVALS)


def smaller_variance(
    scores: pd.DataFrame, panels: Sequence[str], ours: str = OURS, fallback: bool = False
) -> list[Observation]:
    """Log of each rival's variance of a draw over ours, at every point of the panels, from all draws."""
    own = _published(scores, panels, fallback)
    return _leads(own.assign(log_variance=2 * np.log(own["spread"])), "log_variance", ours, RIVALS)


def _published(scores: pd.DataFrame, panels: Sequence[str], fallback: bool) -> pd.DataFrame:
    """The panels' rows; with the fallback ours is the Laplace prior where it has no σ."""
    own = rows(keep_most_draws(scores), panel=list(panels))
    if not fallback:
        return own
    points = pd.MultiIndex.from_frame(own[["panel", "x"]])
    void = points[(own["mechanism"] == OURS) & own["distortion"].isna()]
    prior = own[(own["mechanism"] == "laplace_prior") & points.isin(void)]
    return pd.concat([own, prior.assign(mechanism=OURS)], ignore_index=True)


def falls_with_size(scores: pd.DataFrame) -> list[Observation]:
    """By how much the log of our distortion falls with that of the set's size, at the default and even shares."""
    own = _log(scores, ["size", *EVEN], OURS)
    own = own[(own["panel"] == "size") | (own["x"] == DEFAULTS[0][1])]
    size = own["panel"].str.removeprefix("even_").where(own["panel"] != "size", own["x"]).astype(float)
    shares = np.where(own["panel"] == "size", "shares of figure 1", "even shares")
    return over_trials({str(word): _exponents(part, "size") for word, part in own.assign(size=size).groupby(shares)})


def _exponents(own: pd.DataFrame, x: str) -> pd.Series:
    """Minus the exponent of the distortion, of which the rows have the log, in x, trial by trial."""
    table = own.pivot_table(index="trial", columns=x, values="distortion").dropna()
    return -slopes(table, np.log(table.columns))


def _leads(own: pd.DataFrame, column: str, ours: str, rivals: Sequence[str]) -> list[Observation]:
    """What each rival has more of than we, at every point."""
    return over_trials(lead_over(own, column, dict.fromkeys(rivals, ours), ["panel", "x"]))


def no_advantage(scores: pd.DataFrame) -> list[Observation]:
    """The Gaussian's distortion minus Laplace's, and what an advantage would be: no advantage is no lead either."""
    own = rows(keep_most_draws(scores), panel=list(PANELS))
    found = differences(own, "distortion", {"mechanism": "gaussian"}, {"mechanism": "laplace"}, ["panel", "x"])
    return over_trials({setting: values + ADVANTAGE for setting, values in found.items()})


def lead_grows(scores: pd.DataFrame, panel: str = "classes") -> list[Observation]:
    """The slope of our lead over each rival against the number of classes, trial by trial."""
    own = rows(keep_most_draws(scores), panel=panel)
    ours, *rivals = (
        rows(own, mechanism=mechanism).pivot_table(index="trial", columns="x", values="distortion")
        for mechanism in (OURS, *RIVALS)
    )
    leads = ((rival - ours).dropna(axis=1, how="all").dropna() for rival in rivals)
    return over_trials(dict(zip(RIVALS, map(slopes, leads), strict=True)))


def meet_printed(scores: pd.DataFrame, points: Sequence[tuple[str, float]] = DEFAULTS) -> list[Observation]:
    """Our distortion and the best rival's at one setting, averaged over all panels that have it."""
    own = keep_most_draws(scores)
    keys = pd.MultiIndex.from_frame(own[["panel", "x"]])
    here = own[keys.isin([(panel, float(x)) for panel, x in points])].dropna(subset=["distortion"])
    best = str(rows(here, mechanism=list(RIVALS)).groupby("mechanism")["distortion"].mean().idxmin())
    return [
        number(word, rows(here, mechanism=mechanism).groupby("trial")["distortion"].mean(), printed, ROUNDING)
        for word, mechanism, printed in (("scaled Dirichlet", OURS, 0.06), (f"best other: {best}", best, 0.15))
    ]


def _log(scores: pd.DataFrame, panels: Sequence[str] = ("epsilon",), *mechanisms: str) -> pd.DataFrame:
    own = rows(keep_most_draws(scores), panel=list(panels))
    own = rows(own, mechanism=list(mechanisms)) if mechanisms else own
    return own.assign(distortion=np.log(own["distortion"]))


def laplace_competes(
    scores: pd.DataFrame, large: Sequence[float] = LARGE_EPSILON, factor: float = COMPETITIVE
) -> list[Observation]:
    """The log of the competitive factor minus that of Laplace's distortion over ours, at large ε."""
    own = rows(_log(scores), x=list(large))
    found = differences(own, "distortion", {"mechanism": OURS}, {"mechanism": "laplace"}, ["x"])
    return over_trials({setting.replace("x", "ε"): values + np.log(factor) for setting, values in found.items()})


def ahead_of_laplace(
    scores: pd.DataFrame, small: Sequence[float] = SMALL_EPSILON, fallback: bool = False
) -> list[Observation]:
    """The log of Laplace's distortion over ours, at small ε."""
    own = _published(scores, ["epsilon"], fallback)
    own = rows(own.assign(distortion=np.log(own["distortion"])), x=list(small))
    found = differences(own, "distortion", {"mechanism": "laplace"}, {"mechanism": OURS}, ["x"])
    return over_trials({setting.replace("x", "ε"): values for setting, values in found.items()})


def stricter_costs_more(scores: pd.DataFrame) -> list[Observation]:
    """By how much the log of a mechanism's distortion falls with that of ε."""
    own = _log(scores)
    return over_trials({mechanism: _exponents(rows(own, mechanism=mechanism), "x") for mechanism in (OURS, *RIVALS)})


def exact_gaussian_less(scores: pd.DataFrame) -> list[Observation]:
    """The log of the tight scaled Dirichlet's distortion over that of exact Gaussian noise, at every point."""
    return _leads(_log(scores, PANELS), "distortion", "gaussian_analytic", [TIGHT])


def tolerable_for_two(scores: pd.DataFrame, limit: float = TOLERABLE) -> list[Observation]:
    """How far distortion is below the limit with two classes, and above it in the mean with more, by mechanism."""
    own = rows(keep_most_draws(scores), panel="classes", mechanism=[OURS, *RIVALS]).dropna(subset=["distortion"])
    two = own["x"] == 2
    own = own.assign(
        margin=np.where(two, 1, -1) * (limit - own["distortion"]), classes=np.where(two, "two classes", "more classes")
    )
    return over_trials(by_trial(own, "margin", ["classes", "mechanism"]))


NO_SCALE = Choice(
    "no-σ-in-figure-1", "one can fall back on a mechanism like [20] (section 3): whether figure 1 does is not said",
    "points without a σ are left out", {"the Laplace prior there": {"fallback": True}},
)  # fmt: skip
SETTING = Choice(
    "setting", "silent: “a 5-class dataset” (section 1)", "section 4.1's default",
    {"even shares": {"points": (("proportions", 0.2),)}, "ε = 0.1": {"points": (("epsilon", 0.1),)},
     "ε = 0.2": {"points": (("epsilon", 0.2),)}, "m = 2000": {"points": (("size", 2000),)}},
)  # fmt: skip
GROWING = vary("shares-of-many-classes", "for many classes (sections 1 and 6): with which shares is not said",
               "figure 1's, all but one 0.05", panel=EVEN)  # fmt: skip
SMALL = vary("small-ε", "small, without a number (section 4.1)", "up to 0.05",
             small=((0.01, 0.02), (0.01, 0.02, 0.03), (0.05,), (0.01, 0.02, 0.03, 0.05, 0.1)))  # fmt: skip
LARGE = vary("large-ε", "large, without a number (section 4.1)", "0.15 and 0.2", large=((0.2,), (0.1, 0.15, 0.2)))
COMPETING = vary("competitive", "quite competitive, without a number (section 4.1)", "within half as much again",
                 factor=(1.25, 2.0))  # fmt: skip
BEARABLE = vary("tolerable", "within tolerable limits, without a number (section 4.3)", "an L1 distance of 0.1",
                limit=(0.05, 0.2))  # fmt: skip


_L1 = "L1"
_FACTOR = "factor (log)"
CLAIMS: tuple[Claim, ...] = (
    Claim("lowest-distortion-at-all-shares",
          "With five classes, whatever their shares, the scaled Dirichlet distorts proportions least (σ by (9)).",
          "section 4.1, figure 1 (middle)", "fig1", partial(less_distortion, panels=["proportions"]), Quantifier.ALL,
          "distortion, each rival minus the scaled Dirichlet", _L1, DISTORTION,
          short="the scaled Dirichlet distorts least at all shares", choices=(NO_SCALE,)),
    Claim("smaller-distortion",
          "Over figure 1's settings the scaled Dirichlet (σ by (9)) has smaller distortion than the other mechanisms.",
          "section 4.1, conclusion; sections 1 and 6", "fig1", partial(less_distortion, panels=PANELS),
          Quantifier.TYPICAL,
          "distortion, each rival minus the scaled Dirichlet", _L1, DISTORTION,
          short="the scaled Dirichlet distorts less", choices=(NO_SCALE,), headline=True),
    Claim("smaller-distortion-at-even-shares",
          "Provided no class is under-represented (at even shares, here; sets of 1,000 and of 5,000) the scaled "
          "Dirichlet (σ by (9)) distorts less than the other mechanisms.",
          "section 3", "fig1", partial(less_distortion, panels=EVEN), Quantifier.TYPICAL,
          "distortion, each rival minus the scaled Dirichlet", _L1, DISTORTION,
          short="with no rare class the scaled Dirichlet distorts less", headline=True),
    Claim("low-distortion-in-large-sets",
          "The larger the set, the less the scaled Dirichlet (σ by (9)) distorts its proportions.",
          "section 1", "fig1", falls_with_size, Quantifier.ALL,
          "minus the exponent of its distortion in the size of the set", "exponent", EXPONENT,
          short="it distorts large sets less"),
    Claim("lead-grows-with-classes",
          "The more classes, the further the scaled Dirichlet (σ by (9)) is ahead of all other mechanisms.",
          "section 4.1, figure 1 (left); sections 1 and 6", "fig1", lead_grows, Quantifier.ALL,
          "growth of the lead in distortion per class", f"{_L1} a class", SLOPE,
          short="its lead grows with the classes", choices=(GROWING,), headline=True),
    Claim("distorts-by-0.06-where-others-by-0.15",
          "On a set of five classes (with section 4.1's defaults, here) the scaled Dirichlet (σ by (9)) distorts by "
          "only 0.06, the best of the other mechanisms by 0.15.",
          "section 1", "fig1", meet_printed, Quantifier.NUMBER,
          "distortion", _L1, DISTORTION,
          short="the scaled Dirichlet distorts by 0.06, the best other by 0.15", choices=(SETTING,)),
    Claim("laplace-competes-at-large-ε",
          "Where ε is large, Laplace noise is competitive with the scaled Dirichlet (σ by (9)).",
          "section 4.1, figure 1 (right)", "fig1", laplace_competes, Quantifier.ALL,
          "one and a half times the scaled Dirichlet's distortion over Laplace's", _FACTOR, VISIBLE,
          short="Laplace competes where ε is large", choices=(LARGE, COMPETING)),
    Claim("far-ahead-of-laplace-at-small-ε",
          "Where ε is small, the scaled Dirichlet (σ by (9)) distorts much less than Laplace noise.",
          "section 4.1, figure 1 (right)", "fig1", ahead_of_laplace, Quantifier.ALL,
          "Laplace's distortion over the scaled Dirichlet's", _FACTOR, MUCH,
          short="it is far ahead where ε is small", choices=(SMALL, NO_SCALE)),
    Claim("stricter-privacy-distorts-more",
          "The smaller ε, the more every mechanism distorts.",
          "section 4.1, figure 1 (right)", "fig1", stricter_costs_more, Quantifier.ALL,
          "minus the exponent of distortion in ε", "exponent", EXPONENT,
          short="stricter privacy distorts more"),
    Claim("lowest-variance-over-ε",
          "Over ε the scaled Dirichlet (σ by (9)) has the lowest variance of all.",
          "section 4.1, figure 1 (right)", "fig1", partial(smaller_variance, panels=["epsilon"]), Quantifier.ALL,
          "variance of a draw's distortion, each rival's over the scaled Dirichlet's", _FACTOR, SPREAD,
          short="its variance is the lowest over ε", choices=(NO_SCALE,)),
    Claim("smaller-variance",
          "Over figure 1's settings the scaled Dirichlet (σ by (9)) has smaller variance than the other mechanisms.",
          "section 4.1, conclusion", "fig1", partial(smaller_variance, panels=PANELS), Quantifier.TYPICAL,
          "variance of a draw's distortion, each rival's over the scaled Dirichlet's", _FACTOR, SPREAD,
          short="the scaled Dirichlet varies less", choices=(NO_SCALE,)),
    Claim("gaussian-no-advantage",
          "Gaussian noise (in its textbook calibration) provides no advantage over Laplace noise.",
          "section 4.3, of figure 1", "fig1", no_advantage, Quantifier.ALL,
          f"distortion, the Gaussian's plus {ADVANTAGE:g} minus Laplace's", _L1, LITTLE,
          short="Gaussian noise gives no advantage"),
    Claim("tolerable-for-two-classes-only",
          "Distortion is within tolerable limits for two classes, and large for more.",
          "section 4.3, of figure 1", "fig1", tolerable_for_two, Quantifier.TYPICAL,
          f"distance of the distortion from {TOLERABLE:g}, on the claim's side", _L1, DISTORTION,
          short="distortion is tolerable for two classes only", choices=(BEARABLE,)),
    Claim("tight-distorts-less",
          "With the largest σ that is private at a fixed σ, the scaled Dirichlet distorts less than its rivals.",
          "figure 1, our calibration", "fig1", partial(less_distortion, panels=PANELS, ours=TIGHT), Quantifier.TYPICAL,
          "distortion, each rival minus the tight scaled Dirichlet", _L1, DISTORTION,
          origin=Origin.BEYOND, short="calibrated exactly, the scaled Dirichlet distorts less"),
    Claim("exact-gaussian-distorts-less-than-tight",
          "Gaussian noise in its exact calibration distorts less than the tight scaled Dirichlet.",
          "figure 1, our calibrations", "fig1", exact_gaussian_less, Quantifier.TYPICAL,
          "distortion, the tight scaled Dirichlet's over the exact Gaussian's", _FACTOR, VISIBLE,
          origin=Origin.BEYOND, short="the exact Gaussian distorts less still"),
    Claim("tight-varies-less",
          "With the largest σ that is private at a fixed σ, the scaled Dirichlet varies less than the paper's rivals.",
          "figure 1, our calibration", "fig1", partial(smaller_variance, panels=PANELS, ours=TIGHT), Quantifier.TYPICAL,
          "variance of a draw's distortion, each rival's over the tight scaled Dirichlet's", _FACTOR, SPREAD,
          origin=Origin.BEYOND, short="calibrated exactly, the scaled Dirichlet varies less"),
)  # fmt: skip
