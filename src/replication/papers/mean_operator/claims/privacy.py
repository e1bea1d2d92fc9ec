"""Sections 3 and 4: the noisy mean operator, what it guarantees and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import betainccinv, betaincinv

from replication.judging.claim import Choice, Claim, Matters, Origin
from replication.judging.statistics import alike, by_trial, exactly, least, name, rows, slopes
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier

#: Losses of table 1 that are convex and differentiable, as theorem 6 asks.
CONVEX = ("logistic", "square", "matsushita", "linear")

PROMISE = Matters(1e-6, "a guarantee or a bound holds or is broken: any excess beyond rounding breaks it")
#: What rounding may take from a bound that is attained.
ATTAINED = 2e-6
BIAS = Matters(0.05, "a twentieth of the noise's scale is lost in any one release")
MODEL = Matters(1e-4, "models nearer than this predict alike; optimisers stop earlier")
LAW = Matters(0.05, "five per cent of the noise's length")
CHANCE = Matters(1e-3, "a thousandth of the probability with which the bound may fail anyway")


def within(scores: pd.DataFrame, losses: Sequence[str], limit: str = "stated") -> list[Observation]:
    """Theorem 6: the share of the bound that is left over, least over dimensions and trials, by loss.

    An inequality between numbers: every trial is an instance.
    """
    own = rows(scores, theorem=6, loss=list(losses), quantity=[limit, "measured"])
    table = own.pivot_table(index=["loss", "d", "trial"], columns="quantity", values="value")
    if not {limit, "measured"} <= set(table):
        raise CannotTell("the scores lack the bound or what it bounds")
    losses_in_words = table.index.get_level_values("loss").str.replace("_", " ")
    return least(1 - table["measured"] / table[limit], losses_in_words, "{}", ATTAINED)


def keeps_its_level(scores: pd.DataFrame, quantity: str = "level_norm_1") -> list[Observation]:
    """Theorem 9: α minus the exact level, over α, in every dimension: where ‖x‖ ≤ 1 in a norm, or of what follows.

    What follows is what a learner publishes: the sign that his model gives to a record.
    """
    own = rows(scores, theorem=9, quantity=quantity)
    return least(1 - own["value"] / own["alpha"], own["d"], "d = {:g}", ATTAINED)


def unbiased(scores: pd.DataFrame) -> list[Observation]:
    """The mean error of the release along the mean operator, in units of the noise's scale, by dimension."""
    return alike(by_trial(rows(scores, theorem=9, quantity="bias"), "value", ["d"]))


def fixed_model(scores: pd.DataFrame) -> list[Observation]:
    """Theorem 10 for a θ chosen beforehand: δ minus the exact probability that the bound fails in the worst direction.

    That it holds in every direction has a proof, if not the printed one. Given its mixing variables, u·b is normal with
    variance 2·Σ u_j²E_j, E_j exponential, which is at most twice their maximum; so P(|u·b| > t) ≤ d·P(|b_1| > t).
    """
    own = rows(scores, theorem=10, quantity="failure_fixed")
    return least(own["delta"] - own["value"], own["d"].astype(str), "d = {}", ATTAINED)


@dataclass(frozen=True, eq=False)
class BelowShare(Observation):
    """How far the probability of an event that was seen in `share` of so many draws lies below a limit."""

    share: float
    limit: float
    draws: int

    @property
    def trials(self) -> int:
        """The number of draws."""
        return self.draws

    def interval(self, tail: float) -> tuple[float, float, float]:
        """Clopper and Pearson's."""
        seen = round(self.share * self.draws)
        low = float(betaincinv(seen, self.draws - seen + 1, tail)) if seen else 0.0
        high = float(betainccinv(seen + 1, self.draws - seen, tail)) if seen < self.draws else 1.0
        return self.limit - self.share, self.limit - high, self.limit - low


def any_model(scores: pd.DataFrame) -> list[Observation]:
    """Theorem 10 for all θ at once: δ minus the share of draws in which the worst θ exceeds the bound."""
    own = rows(scores, theorem=10, quantity=["failure_uniform", "draws"])
    table = own.pivot_table(index=["d", "delta"], columns="quantity", values="value")
    if not {"failure_uniform", "draws"} <= set(table):
        raise CannotTell("the scores do not say how many draws there were")
    return [
        BelowShare(f"d = {d:g}, δ = {delta:g}", float(row["failure_uniform"]), float(delta), int(row["draws"]))
        for (d, delta), row in table.iterrows()
        if d > 1  # with one dimension there is one direction, and the bound is attained
    ]


def same_model(scores: pd.DataFrame) -> list[Observation]:
    """The largest difference of the learner's model from the one found where the labels are, by loss."""
    own = rows(scores, theorem=3, quantity="model_gap")
    return exactly({str(loss): float(value) for loss, value in own.groupby("loss")["value"].max().items()}, Form.SAME)


def objective_perturbation(scores: pd.DataFrame, noise: bool = True) -> list[Observation]:
    """What is minimised: the difference of the models. How the `noise` is drawn: that of its mean length.

    Objective perturbation draws the length from a gamma distribution with shape d, whose mean is d scales.
    """
    own = rows(scores, theorem=9, quantity="noise_length")
    d = int(own["d"].max())
    law = alike({f"the noise's length, d = {d}": own[own["d"] == d].set_index("trial")["value"] / d - 1})
    objective = max(seen.interval(0.5)[0] for seen in same_model(scores))
    return [*exactly({"the objective": objective}, Form.SAME), *(law if noise else [])]


def linear_rate(scores: pd.DataFrame, mechanism: str = "printed") -> list[Observation]:
    """Minus the exponent of the release's error in the number of records, beyond one, by data set and α."""
    if "statistic_error" not in scores:
        raise CannotTell("the scores have no errors of the released statistic")
    own = rows(scores, mechanism=mechanism).dropna(subset=["statistic_error"])
    samples = {}
    for keys, part in own.groupby(["dataset", "alpha"]):
        cells = part.pivot_table(index="trial", columns="m", values="statistic_error").dropna()
        if cells.shape[1] > 1:
            samples[name(["", "α"], keys)] = -slopes(np.log(cells), np.log(cells.columns)) - 1
    if not samples:
        raise CannotTell("the scores have one number of records only")
    return alike(samples)


_RATE = Matters(0.1, "over the seven doublings of the records a tenth changes the error by three fifths")
CLAIMS: tuple[Claim, ...] = (
    Claim("theorem-6",
          "For convex and differentiable losses with |a| ≤ 4, as table 1 has (the theorem does not ask for it), and Ω "
          "the 2-norm (it is not said), the minimiser with λΩ(θ)² moves by at most 1/λ times the shift of the mean "
          "operator.",
          "theorem 6", "bounds", partial(within, losses=CONVEX), Quantifier.ALL,
          "what is left of the bound, least of all trials", "of the bound", PROMISE,
          short="Theorem 6 bounds the shift of the model"),
    Claim("theorem-9",
          "Where ‖x‖ ≤ 1 (in the 1-norm, in which sensitivity is defined), algorithm 2 is α-label private.",
          "theorem 9", "bounds", keeps_its_level, Quantifier.ALL,
          "demanded α minus the exact level of algorithm 2, as a share of α", "of α", PROMISE,
          short="The noisy mean operator is α-label private", headline=True,
          choices=(Choice("norm",
                          "“‖xᵢ‖ ≤ 1”: not said in which; definition 8 takes the 1-norm, section 4.1 the 2-norm",
                          "the 1-norm", {"2": {"quantity": "level_norm_2"}}),)),
    Claim("private-after-processing",
          "What any algorithm makes of the noisy mean operator is as private (here: the sign that a fitted model gives "
          "to a record).",
          "section 4, before algorithm 2", "bounds", partial(keeps_its_level, quantity="level_after"), Quantifier.ALL,
          "demanded α minus the exact level of the predicted sign, as a share of α", "of α", PROMISE,
          short="What is made of the noisy mean operator is as private"),
    Claim("unbiased", "The noisy mean operator is an unbiased estimator of the mean operator.",
          "section 4", "bounds", unbiased, Quantifier.ALL,
          "mean error along the mean operator", "scales of the noise", BIAS,
          short="The noisy mean operator is unbiased"),
    Claim("theorem-10",
          "For any θ with ‖θ‖ ≤ R (it stands outside the probability, so before the noise), the noise moves the "
          "objective by at most the bound, with probability 1 − δ.",
          "theorem 10", "bounds", fixed_model, Quantifier.ALL,
          "δ minus the exact probability that the bound fails in the worst direction", "probability", PROMISE,
          short="The bound on the change of the objective holds (theorem 10)", headline=True),
    Claim("linear-rate", "What the noise does to the objective falls linearly in the number of records.",
          "abstract and section 4.1", "release", linear_rate, Quantifier.ALL,
          "minus the exponent of the release's error in the number of records, beyond one", "exponent", _RATE,
          ("census",),
          short="The error of the release falls linearly in the records", headline=True),
    Claim("two-agent-protocol",
          "A learner who has the features and the noisy mean operator alone finds the model that the holder of the "
          "labels would: there is no need to learn in loco.",
          "section 4.2, algorithm 3", "bounds", same_model, Quantifier.ALL,
          "largest difference of a coefficient", "coefficient", MODEL,
          short="A learner without labels finds the same model", headline=True),
    Claim("objective-perturbation",
          "Algorithms 1 and 2 together are exactly objective perturbation.",
          "section 4", "bounds", objective_perturbation, Quantifier.ALL,
          "difference from objective perturbation, of the model for one noise and of the noise's mean length",
          "relative difference", LAW, short="Algorithms 1 and 2 together are objective perturbation",
          choices=(Choice("same-algorithm", "“exactly the same algorithm …, due to the linear interaction”: of the "
                          "noise's law nothing is said", "the objective and the law of its noise",
                          {"the objective": {"noise": False}}),)),
    Claim("theorem-6-for-steep-losses",
          "Theorem 6 with Ω the 2-norm holds for a convex and differentiable loss with any a: −3x.",
          "theorem 6, for a loss of ours", "bounds", partial(within, losses=["steep_linear"]), Quantifier.ALL,
          "what is left of the bound, least of all trials", "of the bound", PROMISE,
          origin=Origin.BEYOND, short="Theorem 6 holds for |a| > 4"),
    Claim("theorem-6-sharp",
          "With |a|/(4λ) in the place of 1/λ, Theorem 6 holds for every loss tried.",
          "theorem 6, our constant", "bounds", partial(within, losses=[*CONVEX, "steep_linear"], limit="corrected"),
          Quantifier.ALL, "what is left of the bound, least of all trials", "of the bound", PROMISE,
          origin=Origin.BEYOND, short="Theorem 6 holds with |a|/(4λ)"),
    Claim("theorem-10-uniformly",
          "From two dimensions on, Theorem 10's bound holds for all ‖θ‖ ≤ R at once with probability 1 − δ.",
          "theorem 10, for all θ at once", "bounds", any_model, Quantifier.ALL,
          "δ minus the probability that some θ exceeds the bound", "probability", CHANCE, origin=Origin.BEYOND,
          short="Theorem 10 holds uniformly in θ"),
)  # fmt: skip
