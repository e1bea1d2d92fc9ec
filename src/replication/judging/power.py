"""How often the judge is right: its errors on simulated truths, and how many trials decide which effect.

Effects are in units of the noise, the standard deviation of one trial. `margin` is how far the truth lies on one side
of what decides a setting: a difference's distance from zero (to reproduce it) or below the smallest effect that matters
(to contradict it), an equality's distance from the end of its margin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from replication.judging.statistics import LEVEL
from replication.judging.verdicts import Finding, Form, Outcome, Quantifier, Settled, needed, rule, weigh
from replication.randomness import generator
from unveil.types import Array

#: An effect counts as decided where its verdict comes with this probability.
POWER = 0.8
#: A false verdict may come so often.
ALLOWED = 0.05
#: More trials than this no one will run.
MOST = 1_000_000


def tail_of(settings: int) -> float:
    """The probability on either side of each of so many simultaneous intervals."""
    return (1 - LEVEL) / 2 / settings


@dataclass(frozen=True)
class Inquiry:
    """A claim that could be judged: over so many settings, each seen in so many trials."""

    quantifier: Quantifier
    form: Form
    settings: int
    trials: int
    matters: float = 0.5
    share: float = 2 / 3

    def verdicts(self, means: Array, spreads: Array) -> Array:
        """1 where reproduced, −1 where contradicted, else 0, for rows of means and standard deviations by setting."""
        half = -stdtrit(self.trials - 1, tail_of(self.settings)) * spreads / sqrt(self.trials)
        low, high = means - half, means + half
        if self.form is Form.MORE:
            fails, holds = high < self.matters, low > 0
        else:
            fails = (low > self.matters) | (high < -self.matters)
            holds = (low >= -self.matters) & (high <= self.matters)
        return self.apply_rule((holds & ~fails).sum(axis=-1), fails.sum(axis=-1))

    def apply_rule(self, holds: Array, fails: Array) -> Array:
        """The rule, for how many settings hold and how many fail."""
        for_, against = needed(self.quantifier, self.settings, self.share)
        return (holds >= for_).astype(int) - (fails >= against)

    def power(self, margin: Array, verdict: Outcome) -> Array:
        """The probability of the verdict where every setting lies by `margin` on its side, independently of others.

        An interval clears its boundary as often as a noncentral t exceeds Student's quantile.
        """
        shifted = np.asarray(margin, dtype=float) * sqrt(self.trials)
        from scipy import stats  # imported late: whoever judges needs none of it

        one = stats.nct.sf(-stdtrit(self.trials - 1, tail_of(self.settings)), self.trials - 1, shifted)
        enough, against = needed(self.quantifier, self.settings, self.share)
        least = enough if verdict is Outcome.REPRODUCED else against
        return np.asarray(stats.binom.sf(least - 1, self.settings, one))

    def find_margin(self, verdict: Outcome) -> float:
        """The smallest margin that gets the verdict with probability `POWER`."""
        low, high = 0.0, 1.0
        while self.power(np.array(high), verdict) < POWER:
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(np.array(middle), verdict) >= POWER else (middle, high)
        return high


def weigh_all(verdicts: Array) -> Array:
    """The rule of open choices for many claims: the verdicts of the base and of every alternative, last axis first."""
    outcomes = {1: Outcome.REPRODUCED, -1: Outcome.CONTRADICTED, 0: Outcome.UNDECIDED}
    kinds, which = np.unique(verdicts, axis=0, return_inverse=True)
    codes = {outcome: code for code, outcome in outcomes.items()}
    weighed = [weigh(outcomes[base], [("", outcomes[one]) for one in others])[0] for base, *others in kinds.tolist()]
    return np.array([codes.get(outcome, 0) for outcome in weighed])[which.ravel()]


def simulate(inquiry: Inquiry, runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Means and standard deviations of noise alone, runs × settings."""
    noise = rng.standard_normal((runs, inquiry.settings, inquiry.trials))
    return noise.mean(axis=-1), noise.std(axis=-1, ddof=1)


def trials_to_decide(
    findings: Sequence[Finding], shared: Sequence[float], quantifier: Quantifier, share: float
) -> int | None:
    """How many trials would probably decide a claim, if its effects are what they seem; None where none would.

    `shared` is the variance of each finding that no trial averages out.
    """
    random = sum(found.trials > 0 for found in findings)
    if not random:
        return None
    tail = tail_of(random)

    def outcome(trials: int) -> Outcome:
        settled = [_foresee(found, tail, trials, fixed) for found, fixed in zip(findings, shared, strict=True)]
        return rule(quantifier, settled, share)

    most = max(found.trials for found in findings)
    enough = most
    while outcome(enough) is Outcome.UNDECIDED:
        enough *= 2
        if enough > MOST:
            return None
    too_few = max(enough // 2, most)
    while enough - too_few > max(1, too_few // 50):
        middle = (too_few + enough) // 2
        too_few, enough = (middle, enough) if outcome(middle) is Outcome.UNDECIDED else (too_few, middle)
    return enough


def _foresee(found: Finding, tail: float, trials: int, shared: float) -> Settled:
    """What a setting would settle with that many trials, where it does not with fewer, with probability `POWER`."""
    if found.settled is not Settled.UNDECIDED or not found.trials:
        return found.settled
    half = (found.high - found.low) / 2
    fixed = -float(ndtri(tail)) * sqrt(shared)
    # The part of the interval that more trials narrow, as a standard error.
    error = sqrt(max(half**2 - fixed**2, 0.0)) / -float(stdtrit(found.trials - 1, tail))
    narrower = error * sqrt(found.trials / trials)
    half = sqrt((-float(stdtrit(trials - 1, tail)) * narrower) ** 2 + fixed**2)
    half += float(ndtri(POWER)) * sqrt(narrower**2 + shared)
    return found.target.settles(found.effect, found.effect - half, found.effect + half)


#: What the figure shows.
SHOWN_TRIALS, SHOWN_SETTINGS = (3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200), (1, 3, 9, 30)
EFFECTS = tuple(float(effect) for effect in np.round(np.arange(-2.0, 3.01, 0.1), 3))
EXAMPLE_SETTINGS, EXAMPLE_TRIALS, EXAMPLE_MATTERS, RUNS = 9, 10, 1.0, 20_000
#: A claim with choices has so many alternatives there, whose noise is that of other simulated claims.
AGAIN = (1, 2, 3, 4)
FORMS = {
    Quantifier.ALL: Form.MORE,
    Quantifier.TYPICAL: Form.MORE,
    Quantifier.SOME: Form.MORE,
    Quantifier.NUMBER: Form.PRINTED,
}


def table(seed: int) -> pd.DataFrame:
    """The figure's data: verdicts on simulated claims by true effect, and the effects that numbers of trials decide."""
    return pd.DataFrame([*_verdicts(seed), *_list_decided()])


def _verdicts(seed: int) -> Iterator[dict[str, object]]:
    for quantifier, form in FORMS.items():
        settings = 1 if quantifier is Quantifier.NUMBER else EXAMPLE_SETTINGS
        inquiry = Inquiry(quantifier, form, settings, EXAMPLE_TRIALS, EXAMPLE_MATTERS)
        means, spreads = simulate(inquiry, RUNS, generator(seed, "judge", quantifier))
        for effect in EFFECTS:
            found = inquiry.verdicts(means + effect, spreads)
            about = {"quantifier": str(quantifier), "settings": inquiry.settings, "trials": inquiry.trials}
            # Under an alternative other records are seen of the same truth, as when a figure runs again.
            others = [inquiry.verdicts(np.roll(means, k, axis=0) + effect, np.roll(spreads, k, axis=0)) for k in AGAIN]
            for panel, codes in (("verdicts", found), ("choices", weigh_all(np.stack([found, *others], axis=1)))):
                for verdict, code in ((Outcome.REPRODUCED, 1), (Outcome.CONTRADICTED, -1)):
                    share = float(np.mean(codes == code))
                    yield {"panel": panel, **about, "verdict": str(verdict), "effect": effect, "probability": share}


def _list_decided() -> Iterator[dict[str, object]]:
    for quantifier, form in FORMS.items():
        for settings in SHOWN_SETTINGS if quantifier is not Quantifier.NUMBER else (1,):
            for trials in SHOWN_TRIALS:
                inquiry = Inquiry(quantifier, form, settings, trials)
                about = {"quantifier": str(quantifier), "settings": settings, "trials": trials}
                for verdict in (Outcome.REPRODUCED, Outcome.CONTRADICTED):
                    effect = inquiry.find_margin(verdict)
                    yield {"panel": "decided", **about, "verdict": str(verdict), "effect": effect, "probability": POWER}
