"""Section 3: what the mechanisms guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin
from replication.judging.statistics import exactly, least, rows
from replication.judging.verdicts import CannotTell, Observation, Quantifier
from replication.papers.class_ratio.claims.common import ATTAINED, DELTA, OURS, PROMISE, RIVALS, STEP

FLOOR = Matters(0.01, "the smallest ε of figure 1: a floor below it is none that the paper would meet")
MEMBER = Matters(1.0, "one member of a class")


def keeps_delta(scores: pd.DataFrame, column: str, rule: str = "paper", edge: bool = True) -> list[Observation]:
    """δ minus the true one at ε, by counts; without a scale nothing is published.

    At the `edge` a neighbour has no scale, which shows.
    """
    own = rows(scores, rule=rule).dropna(subset=[column, "scale"])
    own = own if edge else own[own[column] < 1]
    if own.empty:
        raise CannotTell("the rule has no scale in any setting")
    smallest = own["counts"].map(_smallest_class).astype(int)
    return least(own["delta"] - own[column], smallest, "smallest class of {}", ATTAINED)


def _smallest_class(counts: str) -> float:
    return min(map(float, counts.split()))


def others_keep_delta(scores: pd.DataFrame) -> list[Observation]:
    """δ minus the true one at ε, for the existing mechanisms at each point of figure 1."""
    own = rows(scores, mechanism=list(RIVALS)).dropna(subset=["true_delta"])
    by = [own["mechanism"], own["panel"], own["x"]]
    return least(DELTA - own["true_delta"], by, "{}, {}, x = {:g}", ATTAINED)


def laplace_has_a_floor(scores: pd.DataFrame) -> list[Observation]:
    """What Laplace noise on the counts leaks beyond the ε that is asked of it, by the number of classes.

    Whatever is made of noisy counts leaks no more.
    """
    own = rows(scores, quantity="laplace_level")
    return least(own["actual"] - own["bound"], own["n"], "c = {:,}")


def no_scale_for_small_classes(scores: pd.DataFrame) -> list[Observation]:
    """The largest smallest class for which the rule finds no σ."""
    own = rows(scores, rule="paper")
    without = own["counts"].map(_smallest_class)[own["scale"].isna()]
    return exactly({"figure 1's ε and δ": 0.0 if without.empty else float(without.max())})


#: What falls along the paths of the theory's scores, and with what.
FALLING = {"asymptotic_delta": "δ, m", "asymptotic_error": "error, m", "evenness": "δ, smallest class"}


def _path(scores: pd.DataFrame, quantity: str) -> pd.Series:
    return rows(scores, quantity=quantity).set_index("n")["actual"].sort_index()


def _growth(word: str, path: pd.Series) -> dict[str, float]:
    """By how much what stands along a path grows with each step, in words."""
    steps = (f"{word} from {first:,} to {second:,}" for first, second in pairwise(path.index))
    return dict(zip(steps, path.diff().iloc[1:], strict=True))


def vanishes(scores: pd.DataFrame, quantities: Sequence[str]) -> list[Observation]:
    """By which factor each quantity falls from one size or share to the next."""
    found: dict[str, float] = {}
    for quantity in quantities:
        found |= _growth(FALLING[quantity], -np.log(_path(scores, quantity)))
    return exactly(found)


def grows(scores: pd.DataFrame, quantity: str) -> list[Observation]:
    """By how much an enumerated ε grows from one number of classes to the next, and how far above zero it starts."""
    values = _path(scores, quantity)
    return exactly({f"c = {values.index[0]:,}": float(values.iloc[0]), **_growth("c", values)})


def bounded(scores: pd.DataFrame, quantity: str) -> list[Observation]:
    """The bound minus what it bounds."""
    own = rows(scores, quantity=quantity)
    return least(own["bound"] - own["actual"], own["n"], "n = {:,}", ATTAINED)


def chebyshev_finds_a_scale(scores: pd.DataFrame) -> list[Observation]:
    """The log of the demanded δ over the least that (10) certifies with any σ, by the size of the set."""
    own = rows(scores, quantity="chebyshev_least")
    return least(np.log(own["bound"] / own["actual"]), own["n"], "m = {:,}")


def low_delta_with_skew(scores: pd.DataFrame) -> list[Observation]:
    """The log of figure 1's δ over the exact one along (11)'s path, for sets with unequal classes."""
    own = rows(scores, quantity="asymptotic_delta")
    return least(np.log(DELTA / own["actual"]), own["n"], "m = {:,}")


def skew_costs_privacy(scores: pd.DataFrame) -> list[Observation]:
    """By which factor σ of (9) grows from one share of the rarer classes to the next."""
    own = rows(scores, mechanism=OURS).dropna(subset=["scale"])
    found: dict[str, float] = {}
    for dataset, part in own.groupby("dataset"):
        found |= _growth(f"{dataset}, ρ", np.log(part.groupby("rho")["scale"].first()))
    if not found:
        raise CannotTell("the scaled Dirichlet exists for fewer than two shares")
    return exactly(found)


_DELTA = "promised δ minus the true one at ε"
_FALL = "factor by which it falls"
_FACTOR = "factor (log)"
CLAIMS: tuple[Claim, ...] = (
    Claim("existing-mechanisms-private",
          "Laplace and Gaussian noise, made consistent, and the Laplace prior are (ε, δ)-private.",
          "section 3", "fig1", others_keep_delta, Quantifier.ALL, _DELTA, "probability", PROMISE,
          short="Laplace, Gaussian and Laplace prior are private"),
    Claim("condition-9-suffices-at-fixed-σ",
          "Where P[g ∉ Θ] ≤ δ by (9), a draw with that σ is (ε, δ)-private, the neighbour's σ being the same.",
          "section 3, steps 1 and 2", "guarantee", partial(keeps_delta, column="true_delta_fixed"), Quantifier.ALL,
          _DELTA, "probability", PROMISE, short="condition (9) suffices while σ is fixed"),
    Claim("scaled-dirichlet-private",
          "The scaled Dirichlet, which finds its σ in the counts by (9), is (ε, δ)-private for every change of a label "
          "in a set that has a σ.",
          "abstract, sections 1 and 3", "guarantee", partial(keeps_delta, column="true_delta_recomputed"),
          Quantifier.ALL, _DELTA, "probability", PROMISE, short="the scaled Dirichlet is private as published",
          headline=True,
          choices=(Choice("no-σ-next-door", "an error is returned (section 3), or another mechanism is used",
                          "the error of a neighbour is an output", {"left out": {"edge": False}}),)),
    Claim("no-σ-for-small-classes",
          "Where a class is too small, there may be no σ for a given (ε, δ).",
          "section 3", "guarantee", no_scale_for_small_classes, Quantifier.SOME,
          "size of the smallest class, up to which a set may be left without a σ", "members", MEMBER,
          short="Small classes may have no σ"),
    Claim("chebyshev-bounds-the-tail",
          "(10) is an upper bound of P[g ∉ Θ] in (9), wherever the mean of Z is below zero for all pairs.",
          "section 3, (10)", "theory", partial(bounded, quantity="chebyshev_delta"), Quantifier.ALL,
          "tail by (10) minus tail by (9)", "probability", PROMISE, short="(10) bounds (9)"),
    Claim("chebyshev-may-find-a-scale",
          "The search for σ may use (10) in place of (9): for some size of a set it finds one.",
          "section 3", "theory", chebyshev_finds_a_scale, Quantifier.SOME,
          "δ demanded over the least that (10) certifies with any σ", _FACTOR, STEP,
          short="a search by (10) may find a σ"),
    Claim("ε-and-δ-vanish-together",
          "Along σ → 0 with ση → ∞ and ε/σ constant, δ goes to zero with ε as the counts grow.",
          "abstract, sections 1 and 3, (11)", "theory", partial(vanishes, quantities=["asymptotic_delta"]),
          Quantifier.ALL, f"exact tail (9), {_FALL} when the set grows tenfold", _FACTOR, STEP,
          short="ε and δ vanish together as counts grow"),
    Claim("independent-of-the-number-of-classes",
          "With large counts in each class (a hundred) the scaled Dirichlet keeps its (ε, δ) whatever the number of "
          "classes.",
          "section 1", "theory", partial(bounded, quantity="joining_classes"), Quantifier.ALL, _DELTA, "probability",
          PROMISE, short="its guarantee does not depend on the classes"),
    Claim("prior-of-fixed-mass-has-a-floor",
          "The mechanism of [20] (a Dirichlet prior of fixed mass, in our words) needs an ε above a floor that grows "
          "with the classes.",
          "section 3", "theory", partial(grows, quantity="prior_floor"), Quantifier.ALL,
          "least ε, and its growth to the next number of classes", "ε", FLOOR,
          short="a prior of fixed mass has a floor on ε"),
    Claim("laplace-mechanisms-have-a-floor",
          "Existing mechanisms based on Laplace noise (on the counts, whatever is made of them, here) have a lower "
          "bound on ε above zero.",
          "section 1", "theory", laplace_has_a_floor, Quantifier.ALL,
          "ε that is leaked minus the 0.01 that is asked for", "ε", FLOOR,
          short="Laplace mechanisms have a floor on ε",
          choices=(Choice("which-mechanism", "those based on Laplace noise (section 1); that of [20] (section 3)",
                          "Laplace noise on the counts, as section 4.1 has both",
                          {"a prior of fixed mass": partial(grows, quantity="prior_floor")}),)),
    Claim("even-sets-have-lower-δ",
          "At one σ, ε and size of the set, δ is the lower the nearer to uniform the labels are.",
          "section 3, after (11)", "theory", partial(vanishes, quantities=["evenness"]), Quantifier.ALL,
          f"exact tail (9), {_FALL} as the smallest classes grow", _FACTOR, STEP, short="even sets have a lower δ"),
    Claim("low-δ-with-skew", "With a proper σ low values of δ are achievable for sets with skewed ratios, too.",
          "section 3, after (11)", "theory", low_delta_with_skew, Quantifier.SOME,
          "figure 1's δ over the exact tail (9)", _FACTOR, STEP, short="a low δ is achievable with skew"),
    Claim("skew-costs-privacy",
          "As the skew of the training sets increases, privacy suffers: (9) allows a smaller σ only.",
          "sections 1 and 3.1", "skew", skew_costs_privacy, Quantifier.ALL,
          "σ by (9), factor by which it grows with the share of the rarer classes", _FACTOR, STEP,
          short="skewed sets cost privacy"),
    Claim("privacy-and-accuracy-together",
          "As σm grows, the proportions' error vanishes with its bound in Lemma 4, while ε and δ do, too.",
          "section 3.1, after Lemma 4", "theory",
          partial(vanishes, quantities=["asymptotic_delta", "asymptotic_error"]),
          Quantifier.ALL, f"exact tail (9) and exact error, {_FALL} when the set grows tenfold", _FACTOR, STEP,
          short="one condition serves privacy and accuracy"),
    Claim("tight-private-as-published",
          "The largest σ that is private at a fixed σ, found in the counts, makes the scaled Dirichlet (ε, δ)-private.",
          "section 3, our calibration", "guarantee", partial(keeps_delta, column="true_delta_recomputed", rule="tight"),
          Quantifier.ALL, _DELTA, "probability", PROMISE, origin=Origin.BEYOND,
          short="calibrated exactly in the counts, it is private"),
    Claim("public-minimum-private",
          "The largest σ that is private at a public minimum of all counts makes the scaled Dirichlet (ε, δ)-private.",
          "section 3, our calibration", "guarantee",
          partial(keeps_delta, column="true_delta_recomputed", rule="public"), Quantifier.ALL, _DELTA, "probability",
          PROMISE, origin=Origin.BEYOND, short="calibrated for a public minimum, it is private"),
    Claim("chebyshev-useful-in-the-experiments",
          "At the size of figure 1's sets a search by (10) finds a σ.",
          "section 3; the size of section 4.1", "theory",
          lambda scores: chebyshev_finds_a_scale(rows(scores, quantity="chebyshev_least", n=1000)), Quantifier.ALL,
          "δ demanded over the least that (10) certifies with any σ", _FACTOR, STEP, origin=Origin.BEYOND,
          short="(10) is of use at figure 1's size"),
)  # fmt: skip
