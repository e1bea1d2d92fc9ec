"""Section 3 and appendix A: the three mechanisms, their levels, and what they cost the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, measure, vary
from replication.judging.statistics import exactly, least, name, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier
from replication.papers.linear_moments.claims.stated import ROUNDING, at_most, equal

#: Outputs of so many variables are structured; with one, classical response is unproblematic, they say.
LONG = 10
STRUCTURED = vary("structured", "“exponential in the number of variables”: no number", "ten variables and more",
                  long=(5, 20))  # fmt: skip
#: "Small α", for which appendix A.4 approximates and compares the schemes.
SMALL_ALPHA = 1.0
SMALL = vary("small-α", "“for small α”: no number", "α up to 1", small_alpha=(0.3, 0.1))
#: Statistics are sparse where their norm does not grow with d (so at most this share of them is not zero, in our
#: populations), dense where it is of the order of d: so says appendix A.4.
SPARSE, DENSE = 0.01, 1.0
#: The exponents of d in tr H as d grows, where δ̄ is constant and where it is d.
GROWTH = {("per_value", "δ̄ constant"): 1, ("coordinate", "δ̄ constant"): 2} | {
    ("per_value", "δ̄ = d"): 3, ("coordinate", "δ̄ = d"): 2,
}  # fmt: skip


def truth_grows_rare(scores: pd.DataFrame) -> list[Observation]:
    """The exponent of the number of outputs, K^L, in the chance of a truthful answer, plus one, for the longer half."""
    own = rows(scores, mechanism="classical", quantity="truthful")
    found = {}
    for keys, part in own.groupby(["labels", "epsilon"]):
        long = part[part["length"] >= part["length"].median()]
        outputs = long["length"] * np.log(float(long["labels"].iloc[0]))
        if len(long) > 1:
            found[name(["K", "ε"], keys)] = float(np.polyfit(outputs, np.log(long["value"]), 1)[0]) + 1
    if not found:
        raise CannotTell("there is one length only")
    return exactly(found, Form.SAME)


@measure
def classical_is_unusable(scores: pd.DataFrame, long: int = LONG) -> list[Observation]:
    """Log of classical response's variance over the better structured scheme's, at equal exact level."""
    own = rows(scores[scores["length"] >= long], quantity="variance")
    keys = ["length", "labels", "epsilon"]
    classical = rows(own, mechanism="classical").groupby(keys)["value"].min()
    structured = rows(own, mechanism=["coordinate", "per_value"]).groupby(keys)["value"].min()
    excess = np.log(classical / structured).dropna()
    if excess.empty:
        raise CannotTell("no long output has both mechanisms")
    return exactly({name(["L", "K", "ε"], at): value for at, value in excess.items()})


def _bits(scores: pd.DataFrame) -> pd.DataFrame:
    """Records of bits, as appendix A.3 assumes them."""
    return rows(scores, size=1.0) if "size" in scores else scores


@measure
def cheaper(
    scores: pd.DataFrame, better: str, other: str, lowest: float, highest: float, small_alpha: float = SMALL_ALPHA
) -> list[Observation]:
    """Log of the ratio of traces, where the share of statistics that can be non-zero lies between the two bounds."""
    own = _bits(scores[scores["alpha"] <= small_alpha])
    share = own["delta_bar"] / own["d"]
    found = rows(own[(lowest <= share) & (share <= highest)], form="exact", scheme=[better, other])
    table = found.pivot_table(index=["d", "delta_bar", "mean_norm", "alpha"], columns="scheme", values="trace")
    if not {better, other} <= set(table):
        raise CannotTell("the scores lack one of the two schemes")
    return least(np.log(table[other] / table[better]), ["d", "alpha"], "d = {:g}, α = {:g}")


@measure
def small_alpha_forms(scores: pd.DataFrame, small_alpha: float = SMALL_ALPHA) -> list[Observation]:
    """Log of the printed approximation over the exact trace, at small α: the worst α and population of each d."""
    own = _bits(scores[scores["alpha"] <= small_alpha])
    keys = ["scheme", "d", "delta_bar", "mean_norm", "alpha"]
    printed, exact = (rows(own, form=form).set_index(keys)["trace"] for form in ("small_alpha", "exact"))
    gap = np.log(printed / exact).dropna()
    worst = gap.groupby(["scheme", "d"]).agg(lambda part: part.iloc[part.abs().argmax()])
    return exactly({name(["", "d"], at).replace("_", "-"): value for at, value in worst.items()}, Form.SAME)


def traces_grow(scores: pd.DataFrame) -> list[Observation]:
    """The exponent of d between its two largest values, at the smallest α, less the stated one."""
    own = rows(_bits(scores[scores["alpha"] == scores["alpha"].min()]), form="exact")
    full = own[np.isclose(own["mean_norm"], own["delta_bar"])]
    kinds: Mapping[str, pd.DataFrame] = {
        "δ̄ constant": full[full["delta_bar"] == 1.0],
        "δ̄ = d": full[full["delta_bar"] == full["d"]],
    }
    found = {}
    for (scheme, kind), stated in GROWTH.items():
        trace = rows(kinds[kind], scheme=scheme).groupby("d")["trace"].min().sort_index()
        if len(trace) < 2:
            raise CannotTell(f"there is one d only where {kind}")
        last = np.log(trace).diff().iloc[-1] / np.diff(np.log(trace.index.to_numpy(dtype=float)))[-1]
        found[f"{scheme.replace('_', '-')}, {kind}"] = float(last) - stated
    return exactly(found, Form.SAME)


HALF = Matters(log(2), "a factor of two: half as many records for the same error")
CLAIMS: tuple[Claim, ...] = (
    Claim("β-unbiased",
          "For any statistics in [0, c] the observation functions of classical response (7), of coordinate release and "
          "of per-value φ-RR (9) have the expectation φ(y).",
          "section 3, (7), (9)", "theory", equal("bias"), Quantifier.ALL,
          "largest |E[β(o) | y] − φ(y)|, by enumeration", "statistic", ROUNDING,
          short="β is unbiased for the sufficient statistics"),
    Claim("mechanisms-private",
          "Coordinate release and per-value φ-RR with δ̄ at least the largest ‖õ‖₁ are α-differentially private, and "
          "classical response is ε/((1 − ε) min u)-private.",
          "sections 3.1 and 3.2, appendix A.2", "theory", at_most("level"), Quantifier.ALL,
          "exact level beyond the stated one", "nats", ROUNDING,
          short="The three mechanisms keep their privacy levels"),
    Claim("classical-unusable-if-structured",
          "For structured outputs (of ten variables and more, here), whose number grows exponentially, a privacy level "
          "forces the chance of a truthful answer so far down that classical randomised response is unusable.",
          "section 3.1", "structured", classical_is_unusable(), Quantifier.TYPICAL,
          "variance of the estimated statistics, classical over the better structured scheme, at equal exact level",
          "factor (log)", Matters(log(10), "ten times as many records for the same error"),
          short="Classical response is unusable for structured outputs", choices=(STRUCTURED,)),
    Claim("truth-is-rare-if-structured",
          "At a fixed privacy level the chance of a truthful answer in classical response must fall as one over the "
          "number of outputs.",
          "section 3.1", "structured", truth_grows_rare, Quantifier.ALL,
          "exponent of the number of outputs in the chance of a truthful answer, plus one", "exponent",
          Matters(0.01, "what is left of the lower order at the lengths shown"),
          short="A privacy level makes truthful answers as rare as outputs are many"),
    Claim("proposition-1",
          "For any α-private S(o | x, y) there is an S′(o′ | φ(x, y)), at least as private, that gives o′ the law of o "
          "given x.",
          "section 3.2, proposition 1", "theory", equal("beyond_statistics"), Quantifier.ALL,
          "least distance of both laws in the worst x, over all α-private S′", "total variation", ROUNDING,
          short="Releases of the sufficient statistics are enough (proposition 1)"),
    Claim("coordinate-release-if-dense",
          "For small α and dense binary statistics (δ̄ = d) coordinate release loses less than per-value φ-RR.",
          "section 3.2, appendix A.4", "figA4", cheaper("coordinate", "per_value", DENSE, DENSE), Quantifier.ALL,
          "tr H, per-value φ-RR over coordinate release", "factor (log)", HALF,
          short="Coordinate release is better for dense statistics", choices=(SMALL,)),
    Claim("per-value-release-if-sparse",
          "For small α and sparse binary statistics per-value φ-RR loses less than coordinate release.",
          "section 3.2, appendix A.4", "figA4", cheaper("per_value", "coordinate", 0.0, SPARSE), Quantifier.ALL,
          "tr H, coordinate release over per-value φ-RR", "factor (log)", HALF,
          short="Per-value φ-RR is better for sparse statistics", choices=(SMALL,)),
    Claim("theorem-1",
          "For binary statistics, x empty and uniform p_cr, (26) is the loss H of coordinate release.",
          "appendix A.3, theorem 1", "theory", equal("loss_coordinate"), Quantifier.ALL,
          "largest entry of the enumerated H minus that of the stated one, as a share of it", "relative", ROUNDING,
          short="Theorem 1: the variance under coordinate release"),
    Claim("theorem-2",
          "For binary statistics and x empty, (28) is the loss H of per-value φ-RR.",
          "appendix A.3, theorem 2", "theory", equal("loss_per_value"), Quantifier.ALL,
          "largest entry of the enumerated H minus that of the stated one, as a share of it", "relative", ROUNDING,
          short="Theorem 2: the variance under per-value φ-RR"),
    Claim("traces-at-small-α",
          "For binary statistics and small α, (29) and (30) approximate tr H of both schemes.",
          "appendix A.4, (29) and (30)", "figA4", small_alpha_forms(), Quantifier.ALL,
          "tr H, the approximation over the exact one", "factor (log)",
          Matters(0.01, "one hundredth of a variance is hidden by any other error"),
          short="(29) and (30) approximate tr H at small α", choices=(SMALL,)),
    Claim("traces-grow-with-d",
          "For small α, tr H grows as d under per-value φ-RR and as d² under coordinate release where δ̄ is constant, "
          "and as d³ and d² where δ̄ is of the order of d.",
          "appendix A.4", "figA4", traces_grow, Quantifier.ALL,
          "exponent of d minus the stated one", "exponent",
          Matters(0.05, "what a lower order leaves at the largest d"),
          short="How tr H grows with d"),
)  # fmt: skip
