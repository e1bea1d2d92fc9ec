"""Claims on the voting example of section 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters
from replication.judging.statistics import alike, by_trial, exactly, name, over_trials, rows
from replication.judging.verdicts import CannotTell, Observation, Quantifier


def _most_voters(scores: pd.DataFrame, estimator: str) -> pd.DataFrame:
    own = rows(scores, estimator=estimator).rename(columns={"theta": "θ"})
    return own[own["n"] == own["n"].max()]


def share_is_recovered(scores: pd.DataFrame) -> list[Observation]:
    """The maximum of the spread likelihood minus the true share, in points, for the most voters."""
    own = _most_voters(scores, "clipped")
    return alike(by_trial(own.assign(points=100 * (own["estimate"] - own["θ"])), "points", ["θ", "p10", "p01"]))


def raw_votes_mislead(scores: pd.DataFrame) -> list[Observation]:
    """How far the share of noisy votes, (1), is from the true one, in points, for the most voters.

    The scores hold the corrected share, from which the raw one follows.
    """
    own = _most_voters(scores, "corrected")
    raw = own["p10"] + (1 - own["p10"] - own["p01"]) * own["estimate"]
    side = np.where(own["p10"] * (1 - own["θ"]) >= own["p01"] * own["θ"], 100.0, -100.0)
    return over_trials(by_trial(own.assign(points=side * (raw - own["θ"])), "points", ["θ", "p10", "p01"]))


def repeats_reveal(scores: pd.DataFrame) -> list[Observation]:
    """The rate at which the doubt about a vote decays with each further report, over the last half of them."""
    own = rows(scores, estimator="posterior")
    rates = {}
    for p, part in own.groupby("p10"):
        curve = part.sort_values("releases")
        tail = curve[curve["releases"] >= curve["releases"].max() / 2]
        # Towards certainty floating point has no more to say.
        tail = tail[tail["estimate"] < 1 - 1e-12]
        if len(tail) < 2:
            raise CannotTell("there are too few reports")
        rates[name(["p"], p)] = -np.polyfit(tail["releases"], np.log(1 - tail["estimate"]), 1)[0]
    return exactly(rates)


def majority_of_three(scores: pd.DataFrame) -> list[Observation]:
    """How much oftener the majority of three reports is right than one report."""
    table = rows(scores, estimator="majority").pivot_table(index="p10", columns="releases", values="estimate")
    if not {1, 3} <= set(table):
        raise CannotTell("the scores lack one or three reports")
    return exactly({name(["p"], p): value for p, value in (table[3] - table[1]).items()})


CLAIMS: tuple[Claim, ...] = (
    Claim("raw-votes-mislead",
          "The share of noisy votes, (1), can be a significantly incorrect estimate of the true share.",
          "section 1, (1)", "voting", raw_votes_mislead, Quantifier.SOME,
          "share of noisy votes minus the true share, away from it", "points of share",
          Matters(1.0, "one point of an election"),
          short="Noisy votes alone can mislead", headline=True),
    Claim("voting-consistent",
          "With many votes the maximum of the spread likelihood (for which (2) and (24) print a plus where a minus "
          "belongs) recovers the true share.",
          "sections 1 and 3.2, (2), (24)", "voting", share_is_recovered, Quantifier.ALL,
          "estimated share minus the true one, at the most voters",
          "points of share", Matters(1.0, "one point of an election"),
          short="The corrected share recovers the true one", headline=True),
    Claim("three-reports-guess",
          "From three reports of one label their majority is a better guess than one report.",
          "section 1", "voting", majority_of_three, Quantifier.ALL,
          "chance that the majority of three is right minus that of one report", "probability",
          Matters(0.01, "one label in a hundred"),
          short="Three reports tell more than one"),
    Claim("repeats-reveal-a-vote",
          "The posterior of a label given M independent reports concentrates exponentially fast in M on the true one.",
          "section 1, (3)", "voting", repeats_reveal, Quantifier.ALL,
          "rate at which the doubt decays, over the later half of the reports", "nats a report",
          Matters(0.01, "the doubt halves within seventy reports"),
          short="Repeated reports reveal a label exponentially fast", headline=True),
)  # fmt: skip
