"""Sections 2 and 6: non-convexity, consistency, the two steps of (17), deterministic supervision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, measure, vary
from replication.judging.statistics import exactly, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier
from replication.papers.linear_moments.claims.stated import CONVERGED, ROUNDING, equal, values

SAME_LIMIT = Matters(1e-3, "limits closer than this are one: an estimate as good takes a million observations")


def log_marginals_bend_up(scores: pd.DataFrame) -> list[Observation]:
    """The largest second derivative of every curve: above zero where the curve is not concave."""
    curves = scores[scores["kind"].isna()]
    bends = {}
    for o, part in curves.groupby("o"):
        curve = part.sort_values("theta")
        step = np.diff(curve["theta"]).mean()
        bends[f"o = {o}"] = np.diff(curve["log_marginal"], 2).max() / step**2
    return exactly(bends)


def _populations(scores: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Cases in which climbs were tried: the well-specified ones, at their population."""
    climbed = rows(scores, method="em")["case"].unique().tolist()
    whole = rows(scores, case=climbed)
    for case, part in whole[np.isinf(whole["n"])].groupby("case"):
        yield str(case).replace("_", " "), part


def em_is_trapped(scores: pd.DataFrame) -> list[Observation]:
    """How far below the best objective EM's worst start ends."""
    lost = {
        case: rows(part, method="marginal")["objective"].max() - rows(part, method="em")["objective"].min()
        for case, part in _populations(scores)
    }
    return exactly(lost)


def moments_need_no_start(scores: pd.DataFrame) -> list[Observation]:
    """On the populations that trap EM: the moment estimate less the global maximum."""
    gaps = {
        case: rows(part, method="moments")["theta"].mean() - rows(part, method="marginal")["theta"].mean()
        for case, part in _populations(scores)
    }
    return exactly(gaps, Form.SAME)


@measure
def limits_differ(scores: pd.DataFrame, quantity: str = "misspecified_gap") -> list[Observation]:
    """The gap between both limits for frequencies that no law of y explains."""
    return exactly({f"{case} frequencies": gap for case, gap in values(scores, quantity).items()})


def only_moments_miss(scores: pd.DataFrame) -> list[Observation]:
    """How much farther from the truth the moments' limit is than marginal likelihood's."""
    moments, marginal = (values(scores, f"merged_{which}") for which in ("moments", "marginal"))
    if set(moments) != set(marginal):
        raise CannotTell("the scores lack one of the two limits")
    return exactly({case: moments[case] - marginal[case] for case in moments})


CLAIMS: tuple[Claim, ...] = (
    Claim("marginal-not-concave",
          "Log-marginal likelihoods are typically not concave (here: those of figure 5, one an observation).",
          "sections 2 and 6, figure 5", "fig5", log_marginals_bend_up, Quantifier.TYPICAL,
          "largest second derivative of a log-marginal in θ", "nats per squared θ",
          Matters(0.01, "a bend of less is lost in the width of figure 5's lines"),
          short="Log-marginal likelihoods are typically not concave"),
    Claim("em-ends-in-local-maxima",
          "EM is only guaranteed to converge to local optima: there are cases in which it ends in one that is not "
          "global.",
          "sections 1 and 2", "trap", em_is_trapped, Quantifier.SOME,
          "log-marginal likelihood lost by the worst start, in the population", "nats an observation",
          Matters(0.01, "told apart by a few hundred observations"),
          short="EM can end in a local maximum", headline=True),
    Claim("moments-bypass-local-maxima",
          "The moment estimator bypasses non-convexity: a linear system and a convex program give it without a start.",
          "abstract, sections 1 and 2", "trap", moments_need_no_start, Quantifier.ALL,
          "moment estimate minus the global maximum, on populations that trap EM", "θ", SAME_LIMIT,
          short="The moment estimate needs no start", headline=True),
    Claim("moments-consistent",
          "If the model is well specified and S has full column rank, or only determines the statistics (Φ = RS), the "
          "moment estimator is consistent.",
          "section 6", "theory", equal("population_estimate"), Quantifier.ALL,
          "estimate from the population minus the truth", "θ", CONVERGED,
          short="The moment estimator is consistent"),
    Claim("misspecified-limits-differ",
          "If no p satisfies q* = Sp, the two estimators stay a constant apart, even as n → ∞.",
          "section 6", "theory", limits_differ(), Quantifier.ALL,
          "distance of the two limits", "θ", SAME_LIMIT, short="Under a wrong S the two limits differ",
          choices=(vary("divergence", "D of (17): the squared distance, or KL", "the squared distance",
                        quantity=("misspecified_gap_kl",)),)),
    Claim("em-for-kl-is-global",
          "If D in (17) is the KL divergence, EM over the simplex converges to the global optimum.",
          "section 6, (17)", "theory", equal("kl_excess"), Quantifier.ALL,
          "bound on the divergence beyond the least one, by the duality gap", "nats",
          Matters(1e-6, "an optimum is reached when a million observations cannot tell"),
          short="EM solves the first step of (17) for KL"),
    Claim("euclidean-step",
          "If D in (17) is the squared Euclidean distance, the minimiser over the simplex is S†q̂.",
          "section 6, (17)", "theory", equal("euclidean_step"), Quantifier.ALL,
          "L1 distance of S†q̂ from the minimiser over the simplex", "L1", CONVERGED,
          short="S†q̂ solves the first step of (17) for squares"),
    Claim("marginal-only-consistent",
          "There are cases where marginal likelihood is consistent and moments, through S†, are not.",
          "section 6, deterministic supervision", "theory", only_moments_miss, Quantifier.SOME,
          "distance from the truth in the limit, moments minus marginal likelihood", "θ", SAME_LIMIT,
          short="Sometimes only marginal likelihood is consistent"),
    Claim("one-em-step",
          "If S is deterministic (its columns are indicators), S† = Sᵀ(SSᵀ)⁻¹, and the moment estimate is one "
          "iteration of EM from the uniform distribution.",
          "section 6, deterministic supervision", "theory", equal("pseudo_inverse", "one_em_step"), Quantifier.ALL,
          "largest difference of both sides", "θ, or entry of S†", ROUNDING,
          short="For deterministic S moments are one step of EM"),
)  # fmt: skip
