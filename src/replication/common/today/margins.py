"""How far the paper's methods are ahead of the best rival at each level, and the answer in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from replication.judging.claim import ALL, Claim, Origin, measure
from replication.judging.judge import decide
from replication.judging.statistics import over_trials
from replication.judging.verdicts import CannotTell, Observation, Outcome, Quantifier, Settled
from replication.palette import DATASETS, METHODS

#: A claim about what one would use today, which no paper makes.
ask = partial(
    Claim, place="beyond the paper", figure="today", quantifier=Quantifier.TYPICAL, datasets=ALL, origin=Origin.BEYOND
)
#: What a figure answers, by the verdict on the claim that the paper's method errs less than every rival.
ANSWERS = {
    Outcome.REPRODUCED: "Still the method to take: {ours} errs least",
    Outcome.CONTRADICTED: "No longer the method to take: {rivals} err less than {ours}",
    Outcome.UNDECIDED: "Open: {ours} is shown to err least in {won} of {settings} settings",
}
OTHERWISE = "It depends: {ours} errs least in {won} of {settings} settings"


def _best(means: pd.DataFrame, methods: Sequence[str]) -> str | None:
    known = means.loc[means["method"].isin(methods)].dropna(subset="error")
    return None if known.empty else str(known.loc[known["error"].idxmin(), "method"])


def compare(scores: pd.DataFrame, ours: Sequence[str], rivals: Sequence[str]) -> pd.DataFrame:
    """For each data set and level the best of ours and of the rivals, by their mean errors, and these."""
    means = scores.groupby(["dataset", "epsilon", "method"], sort=False, as_index=False)["error"].mean()
    found = []
    for (dataset, epsilon), part in means.groupby(["dataset", "epsilon"], sort=False):
        own, other = _best(part, ours), _best(part, rivals)
        if own and other:
            errors = part.set_index("method")["error"]
            found.append((dataset, epsilon, own, other, errors[own], errors[other]))
    if not found:
        raise CannotTell("no data set and level has both the paper's method and a rival")
    return pd.DataFrame(found, columns=["dataset", "epsilon", "ours", "rival", "error", "rival_error"])


def _settings(pairs: pd.DataFrame) -> pd.Series:
    """What the rows are called as settings of a claim."""
    return pairs["dataset"] + ", epsilon = " + pairs["epsilon"].map("{:g}".format)


@measure
def ahead_of_best(scores: pd.DataFrame, ours: Sequence[str], rivals: Sequence[str]) -> list[Observation]:
    """The error of the best rival minus that of the best of ours, trial by trial, at each data set and level."""
    samples = {}
    pairs = compare(scores, ours, rivals)
    for setting, row in zip(_settings(pairs), pairs.itertuples(), strict=True):
        part = scores[(scores["dataset"] == row.dataset) & (scores["epsilon"] == row.epsilon)]
        errors = part.pivot_table(index="trial", columns="method", values="error")
        samples[setting] = (errors[row.rival] - errors[row.ours]).dropna()
    return over_trials(samples)


def answer(claim: Claim, scores: pd.DataFrame, ours: str = "") -> str:
    """What the figure says, by the verdict on its claim, with the errors at the level where they lie furthest apart.

    `ours` is what the paper's methods are called together: without, as the one that is most often the best of them.
    """
    chosen = claim.measure.keywords  # type: ignore[attr-defined]
    pairs = compare(scores, chosen["ours"], chosen["rivals"])
    verdict = decide(claim, scores)
    holds = sum(found.settled.name == "HOLDS" for found in verdict.findings)
    decided = [found.setting for found in verdict.findings if found.settled is not Settled.UNDECIDED]
    shown = pairs[_settings(pairs).isin(decided)] if decided else pairs
    widest = shown.loc[np.abs(np.log(shown["error"] / shown["rival_error"])).idxmax()]
    said = ANSWERS.get(verdict.outcome, OTHERWISE).format(
        ours=ours or METHODS[pairs["ours"].mode()[0]].label,
        rivals=METHODS[pairs["rival"].mode()[0]].label,
        won=holds,
        settings=len(pairs),
    )
    return (
        f"{said} ({widest['error']:.2g} against {widest['rival_error']:.2g} on {DATASETS[widest['dataset']].label} "
        f"at ε = {widest['epsilon']:g})"
    )
