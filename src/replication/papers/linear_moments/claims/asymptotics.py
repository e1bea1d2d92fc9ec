"""Section 5: asymptotic variances of marginal likelihood and of moments."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from replication.judging.claim import Claim, Matters, Origin
from replication.judging.statistics import estimated, exactly, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier
from replication.papers.linear_moments.claims.stated import ROUNDING, at_least, equal, values

#: ASSUME: so much more than marginal likelihood's error is as good.
ALLOWED = 0.1
#: ASSUME: a moment estimate that fails to exist in more than this share of samples is often missing.
OFTEN = 0.05
VISIBLE = Matters(0.005, "half a point of efficiency, the width of a line in figure 3")


def _curves(scores: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Exact efficiency by ε, for each signal."""
    found = rows(scores, quantity="efficiency", source="exact", signal=["weak", "strong"])
    for signal, part in found.groupby("signal"):
        yield str(signal), part.set_index("epsilon")["value"].sort_index()


def efficiency_falls(scores: pd.DataFrame) -> list[Observation]:
    """The smallest fall of efficiency to the next lower ε."""
    return exactly({f"{signal} signal": float(np.diff(curve).min()) for signal, curve in _curves(scores)})


def strong_signal_costs(scores: pd.DataFrame) -> list[Observation]:
    """Weak minus strong signal at every ε below 1, where both are fully efficient."""
    curves = dict(_curves(scores))
    if set(curves) != {"weak", "strong"}:
        raise CannotTell("the scores lack one of the two signals")
    gap = (curves["weak"] - curves["strong"]).drop(1.0, errors="ignore")
    return exactly({f"ε = {epsilon:g}": value for epsilon, value in gap.items()})


def formulas_match_simulation(scores: pd.DataFrame) -> list[Observation]:
    """Log of simulated over exact variances, with the errors of a grouped jackknife."""
    keys = ["signal", "epsilon", "quantity", "coordinate"]
    found = rows(scores, quantity=["var_marginal", "var_moments"], signal=["weak", "strong"])
    exact = rows(found, source="exact").set_index(keys)["value"]
    simulated = rows(found, source="monte_carlo").set_index(keys)
    if "degrees" not in simulated:
        raise CannotTell("the scores do not say on how many degrees of freedom their intervals rest")
    degrees = int(simulated["degrees"].min())
    errors = (simulated["high"] - simulated["low"]) / 2 / -stdtrit(degrees, 0.025) / simulated["value"]
    gaps = np.log(simulated["value"] / exact)
    where = [
        f"{signal} signal, ε = {epsilon:g}, {quantity[4:]} θ[{j + 1:g}]" for signal, epsilon, quantity, j in gaps.index
    ]
    return estimated(dict(zip(where, zip(gaps, errors, strict=True), strict=True)), degrees + 1, Form.SAME)


def strong_signals_are_harder(scores: pd.DataFrame) -> list[Observation]:
    """Log determinant of the Fisher information, weak less strong signal."""
    found = values(scores, "log_information")
    if set(found) != {"weak signal", "strong signal"}:
        raise CannotTell("the scores lack one of the two signals")
    return exactly({"θ = (5, −1) against (2, −0.1)": found["weak signal"] - found["strong signal"]})


def more_is_unexplained(scores: pd.DataFrame) -> list[Observation]:
    """Log of tr E[Cov[β | y]] over tr E[Cov[φ | o]] at the strong signal."""
    found = {case: value for case, value in values(scores, "unexplained").items() if case.startswith("strong")}
    if not found:
        raise CannotTell("the scores lack the strong signal")
    return exactly(found)


def estimates_are_missing(scores: pd.DataFrame) -> list[Observation]:
    """By how much the share of samples without a moment estimate exceeds what is often."""
    own = _plain(rows(scores, estimator="moments"))
    samples = {
        f"θ = ({keys[0]}), ε = {keys[1]:g}, n = {keys[2]:,}": 1 - part.groupby("trial")["exists"].mean() - OFTEN
        for keys, part in own.groupby(["theta", "epsilon", "n"])
    }
    return over_trials(samples, span=1.0)


def one_step_is_efficient(scores: pd.DataFrame) -> list[Observation]:
    """What one step's squared error leaves of marginal likelihood's and a tenth of it more, at the largest n."""
    own = scores[scores["n"] == scores["n"].max()]
    samples = {}
    for (theta, epsilon), part in rows(own, estimator="marginal").groupby(["theta", "epsilon"]):
        marginal = part.groupby("trial")["squared_error"].mean()
        stepped = rows(own, estimator="one_step", theta=theta, epsilon=epsilon)
        other = stepped.groupby("trial")["squared_error"].mean()
        gap = (marginal - other).dropna()
        samples[f"θ = ({theta}), ε = {epsilon:g}"] = ALLOWED + gap / marginal.mean()
    return over_trials(samples)


def _plain(scores: pd.DataFrame) -> pd.DataFrame:
    """Without projection: its column is empty, or says none."""
    return scores[scores["project"].isna() | (scores["project"].astype(str) == "none")]


CLAIMS: tuple[Claim, ...] = (
    Claim("asymptotic-variances",
          "In a well-specified model with x empty both estimators have the asymptotic variances that (13) and (14) "
          "give, over n.",
          "section 5, proposition 2, (13) and (14)", "fig3", formulas_match_simulation, Quantifier.ALL,
          "simulated variance of a coordinate over the stated one, n = 10¹⁰", "factor (log)",
          Matters(0.1, "a tenth of a variance, a twentieth of an interval's length"),
          short="Simulated estimators vary as (13) and (14) say"),
    Claim("lemma-1",
          "Under randomised response with any u the loss of moments is H of (15), the sum of what u and the choice "
          "between y and y′ add.",
          "section 5, lemma 1, (15)", "theory", equal("lemma_1"), Quantifier.ALL,
          "largest entry of the enumerated H minus that of the stated one", "squared statistic", ROUNDING,
          short="Lemma 1: the loss under randomised response"),
    Claim("same-law-scales",
          "If y′ and y have the same distribution, Σ_mom = ε⁻² I⁻¹.",
          "section 5, after lemma 1", "theory", equal("same_law"), Quantifier.ALL,
          "largest |log| of the ratio of both covariances over all directions", "factor (log)", ROUNDING,
          short="Σ_mom = ε⁻² I⁻¹ if y′ is distributed like y"),
    Claim("efficient-if-o-tells-y",
          "If y is deterministic given o, marginal likelihood attains the efficient variance I⁻¹.",
          "section 5, after proposition 2", "theory", equal("told"), Quantifier.ALL,
          "Σ_marg over I⁻¹", "factor (log)", ROUNDING,
          short="Marginal likelihood is efficient if o tells y"),
    Claim("faithful-copy",
          "With o = (y, y + η), η standard normal, and β(o) the mean of both, which holds a faithful copy of y, the "
          "efficiency of moments is 1/(1 + I⁻¹/4), below one.",
          "section 5, after proposition 2", "theory", equal("copy"), Quantifier.ALL,
          "relative efficiency by quadrature minus the stated one", "relative efficiency", ROUNDING,
          short="Moments lose even where o holds a copy of y"),
    Claim("marginal-most-efficient",
          "Maximum marginal likelihood is the most efficient estimator: Σ_marg ⪯ Σ_mom.",
          "section 5, “An empirical plot”", "theory", at_least("order"), Quantifier.ALL,
          "variance of moments over that of marginal likelihood, in the direction where it is least", "factor (log)",
          ROUNDING,
          short="Marginal likelihood never has the larger variance", headline=True),
    Claim("equal-at-zero",
          "In the model of figure 3, whose y′ is uniform, both asymptotic variances are equal when θ = 0.",
          "section 5, “An empirical plot”", "theory", equal("equal_at_zero"), Quantifier.ALL,
          "largest |log| of the ratio of both covariances over all directions", "factor (log)", ROUNDING,
          short="Both variances are equal at θ = 0"),
    Claim("strong-signals-harder",
          "The strong signal of figure 3 is harder to estimate than the weak one: its Fisher information is much "
          "smaller.",
          "section 5, “An empirical plot”", "theory", strong_signals_are_harder, Quantifier.ALL,
          "determinant of the Fisher information, at the weak signal over that at the strong one", "factor (log)",
          Matters(log(2), "“much”: at least a factor of two"),
          short="Strong signals carry much less information"),
    Claim("efficiency-falls-with-ε",
          "At both parameters of figure 3 the efficiency of moments relative to marginal likelihood decreases as ε → "
          "0.",
          "section 5, figure 3", "fig3", efficiency_falls, Quantifier.ALL,
          "smallest fall of relative efficiency to the next lower ε", "relative efficiency",
          Matters(1e-6, "a monotone curve may be as flat as it likes: more than rounding"),
          short="Moments lose efficiency as ε falls"),
    Claim("leading-term",
          "As ε → 0, Σ_mom is dominated by the term ε⁻² Cov[φ(y′)] of (15), and so grows as ε⁻².",
          "sections 3.1 and 5", "theory", equal("leading_term"), Quantifier.ALL,
          "Σ_mom minus that term alone, largest entry as a share of the term's, at the smallest ε", "relative",
          Matters(0.01, "what is left at ε = 1/1000 if the next order is of size one, tenfold"),
          short="ε⁻² Cov[φ(y′)] dominates as ε → 0"),
    Claim("more-unexplained-as-θ-grows",
          "Where θ is large (the strong signal of figure 3) the conditional covariance Cov[φ(y) | o] is much smaller "
          "than Cov[β(o) | y].",
          "section 5, last paragraph", "theory", more_is_unexplained, Quantifier.ALL,
          "tr E Cov[β(o) | y] over tr E Cov[φ(y) | o] at the strong signal", "factor (log)",
          Matters(log(2), "“much”: at least a factor of two"),
          short="At strong signals o explains φ better than y explains β"),
    Claim("strong-signals-cost-efficiency",
          "At the same ε the efficiency of moments is lower for the strong signal of figure 3 than for the weak one.",
          "section 5, figure 3 (the paper compares the panels in no "
          "words)", "fig3", strong_signal_costs,
          Quantifier.ALL,
          "relative efficiency, at the weak signal minus that at the strong one",
          "relative efficiency", VISIBLE, origin=Origin.BEYOND,
          short="Strong signals cost efficiency"),
    Claim("estimates-missing",
          "There are parameters, levels and sizes of samples at which the moment estimate often does not exist.",
          "beyond section 5", "finite", estimates_are_missing, Quantifier.SOME,
          "share of samples without an estimate, beyond one in twenty", "share of samples",
          Matters(0.01, "one sample in a hundred"), origin=Origin.BEYOND,
          short="Moment estimates often do not exist"),
    Claim("one-step-efficient",
          "One scoring step from the moment estimate recovers the efficiency that moments lose, up to a tenth.",
          "beyond section 5", "finite", one_step_is_efficient, Quantifier.ALL,
          "squared error of one step below 1.1 times marginal likelihood's, as a share of that, at the largest n",
          "relative",
          Matters(0.01, "a hundredth of the error"), origin=Origin.BEYOND,
          short="One scoring step recovers the efficiency"),
)  # fmt: skip
