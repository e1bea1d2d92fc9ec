"""Tabulate how far what the paper proves is from what enumeration finds."""

import pandas as pd

from replication.judging.words import amount

#: Quantities that are claimed to be what is stated, in the order of the paper.
EQUALITIES = {
    "bias": "β is unbiased",
    "beyond_statistics": "proposition 1",
    "loss_coordinate": "theorem 1",
    "loss_per_value": "theorem 2",
    "lemma_1": "lemma 1",
    "same_law": "Σ = ε⁻² I⁻¹ if y′ is distributed like y",
    "equal_at_zero": "equal variances at θ = 0",
    "leading_term": "ε⁻² term alone, ε → 0",
    "told": "efficient if o tells y",
    "copy": "copy of y: the efficiency",
    "population_estimate": "moments are consistent",
    "kl_excess": "EM for KL is global",
    "euclidean_step": "S†q̂ is the closest point",
    "pseudo_inverse": "S† of deterministic S",
    "one_em_step": "moments are one EM step",
}
#: Differences that double precision cannot tell from none.
ROUNDING = 1e-8


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """A row a statement: how many cases, in how many it holds up to rounding, and the largest difference."""
    gaps = (scores["value"] - scores["stated"]).abs()
    rows = [_row(name, gaps[scores["quantity"] == quantity]) for quantity, name in EQUALITIES.items()]
    levels = scores[scores["quantity"] == "level"]
    above = (levels["value"] - levels["stated"]).clip(lower=0)
    rows += [
        _row(f"{scheme}: the promised level", above[part.index]) for scheme, part in levels.groupby(_first(levels))
    ]
    shares = scores[scores["quantity"] == "regression"].groupby("n")["value"].mean()
    rows += [
        {"statement": f"ŵ of (12) from {n:,.0f} regions", "largest difference": amount(v)} for n, v in shares.items()
    ]
    return pd.DataFrame(rows).fillna("")


def _row(name: str, gaps: pd.Series) -> dict[str, object]:
    held = int((gaps < ROUNDING).sum())
    largest = "rounding" if held == len(gaps) else amount(float(gaps.max()))
    return {"statement": name, "holds in": f"{held} of {len(gaps)} cases", "largest difference": largest}


def _first(scores: pd.DataFrame) -> pd.Series:
    return scores["case"].str.split(",").str[0]
