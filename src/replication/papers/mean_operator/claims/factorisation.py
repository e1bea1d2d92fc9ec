"""Section 2: losses whose odd part is linear, and the statistic that is sufficient for their labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin
from replication.judging.statistics import exactly, least, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier

#: The losses of table 1; the mixture stands for its row of symmetric proper losses.
TABLE_1 = ("logistic", "square", "matsushita", "absolute", "linear", "proper_mixture")
#: The hinge loss is beyond theorem 3, and so are these.
OTHERS = ("hinge", "squared_hinge", "exponential")
#: What section 2 calls upper bounds of the 0–1 loss, and what else it says so of.
SURROGATES, KINKED = ("logistic", "square"), ("absolute",)

IDENTITY = Matters(1e-9, "an identity holds up to rounding, or it does not")
SEEN = Matters(1e-3, "a thousandth of the risk is far above rounding")
#: What rounding may take from a bound that is attained.
ATTAINED = 2e-9


def as_printed(scores: pd.DataFrame, losses: Sequence[str] = TABLE_1) -> list[Observation]:
    """How far the even and odd terms of the table are from those of the losses, relative to the loss."""
    found = rows(scores, loss=list(losses)).set_index("loss")
    size = 1 + found["printed_a"].abs()
    terms = {
        "even": found["even_residual"] / size,
        "odd": (found["max_residual"] + (found["a"] - found["printed_a"]).abs()) / size,
    }
    return exactly(
        {f"{loss}, {part} term": float(gaps[loss]) for loss in found.index for part, gaps in terms.items()}, Form.SAME
    )


def gaps(
    scores: pd.DataFrame, column: str, losses: Sequence[str] = TABLE_1, form: Form = Form.SAME
) -> list[Observation]:
    """One of the gaps of the table's scores, by loss."""
    if column not in scores:
        raise CannotTell(f"the scores have no column {column}")
    found = rows(scores, loss=list(losses)).set_index("loss")[column].dropna()
    return exactly({str(loss).replace("_", " "): float(value) for loss, value in found.items()}, form)


def sufficient(scores: pd.DataFrame, losses: Sequence[str] = TABLE_1) -> list[Observation]:
    """One mean operator: the risks of two labelings differ by nothing. Two of them: they differ, for some model.

    The second is turned into an equality by what is left of that difference below what can be seen.
    """
    same = gaps(scores, "same_mu_gap", losses)
    other = rows(scores, loss=list(losses)).set_index("loss")["other_mu_gap"]
    missing = {
        f"{loss}, other operator".replace("_", " "): max(0.0, SEEN.value - float(v)) for loss, v in other.items()
    }
    return [*same, *exactly(missing, Form.SAME)]


def above_zero_one(scores: pd.DataFrame, losses: Sequence[str]) -> list[Observation]:
    """The least of f(x) − 1[x < 0] over the margins of figure 1, by loss."""
    own = rows(scores, loss=list(losses))
    return least(own["value"] - (own["x"] < 0), own["loss"], "{}", ATTAINED)


def one_to_one(scores: pd.DataFrame) -> list[Observation]:
    """Lemma 5 for a fixed a: different losses have different even parts; and some even function is no loss's.

    Every even function g is the even part of the loss g − (a/2)·x, so the second distance is zero; the even parts of
    losses without the property stand for g.
    """
    parts = {str(loss): part.sort_values("x") for loss, part in scores.groupby("loss")}
    slopes = {loss: _slope(part) for loss, part in parts.items()}
    linear = [loss for loss, part in parts.items() if _is_line(part, slopes[loss])]
    bent = [loss for loss in parts if loss not in linear]
    if not linear or not bent:
        raise CannotTell("the scores lack losses with a linear odd part, or without")
    found = {}
    for one, other in combinations(linear, 2):
        if abs(slopes[one] - slopes[other]) < IDENTITY.value:
            gap = np.abs(parts[one]["even"].to_numpy() - parts[other]["even"].to_numpy()).max()
            found[f"{one} and {other} have two even parts"] = float(gap)
    for loss in bent:
        part, a = parts[loss], 2.0
        made = part["even"].to_numpy() - a / 2 * part["x"].to_numpy()
        residual = np.abs(made - made[::-1] + a * part["x"].to_numpy()).max()
        found[f"the even part of the {loss} loss is no such loss's"] = float(residual) if residual > 1e-9 else 0.0
    return exactly(found)


def _slope(part: pd.DataFrame) -> float:
    return float(np.dot(part["x"], part["odd"]) / np.dot(part["x"], part["x"]))


def _is_line(part: pd.DataFrame, slope: float) -> bool:
    """Whether the odd part is linear on the grid."""
    return bool((part["odd"] - slope * part["x"]).abs().max() < 1e-9 * (1 + part["odd"].abs().max()))


_GAP = "of the risk"
CLAIMS: tuple[Claim, ...] = (
    Claim("table-1", "The losses of table 1 have the even and odd terms that it prints.",
          "table 1", "table1", as_printed, Quantifier.ALL,
          "distance of the printed from the computed term", "share of the loss", IDENTITY,
          short="The terms of table 1 are as printed"),
    Claim("theorem-3", "For any sample the risk of a loss with f(x) − f(−x) = −ax factorises as (4).",
          "theorem 3, (4)", "table1", partial(gaps, column="risk_gap"), Quantifier.ALL,
          "largest distance of (4) from the labelled risk", _GAP, IDENTITY,
          short="The risk factorises into labels and the rest (theorem 3)", headline=True),
    Claim("theorem-3-unique",
          "That factorisation is unique: the risks of all labelings determine both of its terms.",
          "theorem 3", "table1", partial(gaps, column="terms_gap"), Quantifier.ALL,
          "distance of (4)'s terms from those that risks alone determine", _GAP, IDENTITY,
          short="The factorisation is unique"),
    Claim("corollary-4",
          "For the losses of table 1 the mean operator is sufficient for the labels: risks of two labelings agree for "
          "all models if and only if their mean operators do.",
          "corollary 4, definition 2", "table1", sufficient, Quantifier.ALL,
          "difference of risks with one mean operator, and what lacks of one with two", _GAP, IDENTITY,
          short="The mean operator is sufficient for the labels", headline=True),
    Claim("permissible-conjugates",
          "The conjugate of a permissible function has φ*(−x) = φ*(x) − x; logistic, square and Matsushita loss come "
          "from such ones.",
          "table 1, its caption", "table1",
          partial(gaps, column="conjugate_gap", losses=("logistic", "square", "matsushita")),
          Quantifier.ALL, "largest distance of φ*(−x) from φ*(x) − x, and of the loss from φ's", "loss", IDENTITY,
          short="Permissible functions have symmetric conjugates"),
    Claim("logistic-is-exponential-family",
          "Maximising the likelihood of the conditional exponential family is minimising the logistic risk at 2θ.",
          "section 2, (1)–(3)", "table1", partial(gaps, column="likelihood_gap", losses=["logistic"]), Quantifier.ALL,
          "log-likelihood per record plus the risk at 2θ", "nats", IDENTITY,
          short="The logistic risk is an exponential family's likelihood"),
    Claim("beyond-proper-losses",
          "Theorem 3 covers more than symmetric proper losses: one that is not differentiable, ρ|x| − ρx + 1.",
          "section 2", "table1", partial(gaps, column="risk_gap", losses=KINKED), Quantifier.SOME,
          "largest distance of (4) from the labelled risk", _GAP, IDENTITY,
          short="Losses beyond the symmetric proper ones factorise", headline=True),
    Claim("hinge-is-not-linear-odd", "The hinge loss does not satisfy the linear-odd requirement.",
          "section 2", "table1", partial(gaps, column="max_residual", losses=["hinge"], form=Form.MORE),
          Quantifier.ALL, "what the best line leaves of its odd part", "loss", SEEN,
          short="The hinge loss is not linear-odd"),
    Claim("surrogates-bound-the-0-1-loss",
          "Surrogate losses such as log(1 + e^(−x)) and (1 − x)² upper bound the 0–1 loss.",
          "section 2", "fig1", partial(above_zero_one, losses=SURROGATES), Quantifier.ALL,
          "least distance above the 0–1 loss, on figure 1's grid", "loss", IDENTITY,
          short="Logistic and square loss bound the 0–1 loss"),
    Claim("kinked-loss-bounds-the-0-1-loss", "ρ|x| − ρx + 1 upper bounds the 0–1 loss.",
          "section 2", "fig1", partial(above_zero_one, losses=KINKED), Quantifier.ALL,
          "least distance above the 0–1 loss, on figure 1's grid", "loss", IDENTITY,
          short="The kinked loss bounds the 0–1 loss"),
    Claim("lemma-5",
          "For a fixed a, losses with a linear odd part are in one-to-one mapping with a proper subclass of the even "
          "functions.",
          "lemma 5", "fig1", one_to_one, Quantifier.ALL,
          "distance of two losses' even parts, or of an even function from being one", "loss", SEEN,
          short="Linear-odd losses are a proper subclass of even functions",
          choices=(Choice("which-a", "“with a ∈ R+”, in the proof: one a, or all of them", "one, which favours it"),)),
    Claim("others-do-not-factorise",
          "For losses without a linear odd part the mean operator is not sufficient: hinge, its square, exponential.",
          "beside corollary 4", "table1", partial(gaps, column="same_mu_gap", losses=OTHERS, form=Form.MORE),
          Quantifier.ALL, "difference of risks with one mean operator", _GAP, SEEN, origin=Origin.BEYOND,
          short="For other losses the mean operator is not sufficient"),
)  # fmt: skip
