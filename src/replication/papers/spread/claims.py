"""Claims of Barber: private machine learning via randomised response.

Accuracies are measured on most of MNIST's held-out sevens and nines: trials share them. What that adds to the variance
of a difference stands in the scores (images resampled); where it does not, it is bounded by what independent errors of
both classifiers would add, which is too careful: they tend to err alike. Printed accuracies are of the same digits:
there nothing is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import log

import numpy as np
import pandas as pd

from replication.judging.statistics import alike, differences, exactly, name, number, one_test_set, over_trials, rows
from replication.judging.verdicts import (
    CannotTell,
    Claim,
    Form,
    Matters,
    Measure,
    Observation,
    Origin,
    Quantifier,
    made,
)

#: ASSUME: so many points below clean training are still "surprisingly effective", and "work well" at the highest noise.
GOOD, WELL = 3.0, 10.0
#: ASSUME: nearer than this, in points, accuracies are level: an upper limit is kept by what comes up to it.
LEVEL = 0.5
#: ASSUME: who is right this often can "confidently state" what a person's image is.
CONFIDENT = 0.95
#: ASSUME: labels can be denied where an attacker is sure of no more than this share of users.
FEW = 0.05
#: Held-out images that all trials share.
TEST_IMAGES = 1800
#: How often labels are flipped, in the figure of appendix B.
FLIPS = ("zero_to_one", "one_to_zero")
#: The priors of the paper's figure 3.
PRIORS = ("spread_flat", "spread_learned", "spread_true")
#: ASSUME: the primary protocol of figure 3, where the scores tell protocols apart: the paper's.
PROTOCOL = "converged"

POINT = Matters(1.0, "one point of accuracy: what the paper calls modest, and a line's width in figure 3")
LITTLE = Matters(0.1, "a fifth of what counts as level")
HALF = Matters(0.5, "half a point of accuracy: nine of the 1,800 test images")
PRINTED = Matters(1.0, "the printed number is of one run and 1,800 images, whose sampling alone gives ± 1 point")
SAME = Matters(1e-3, "infinite data is computed to this precision")
APART = Matters(0.01, "nearer than a hundredth is the truth")
DEGREES = Matters(2.0, "two degrees: a correlation of 0.999 between both predictors")
POINTS, MNIST = "points of accuracy", ("mnist",)


def _points(scores: pd.DataFrame, accuracy: str = "accuracy") -> pd.DataFrame:
    return scores.assign(points=100 * scores[accuracy])


def _ended(scores: pd.DataFrame) -> pd.DataFrame:
    """At the end of training: the primary protocol where the scores have several, the most iterations otherwise."""
    if "protocol" in scores and (scores["protocol"] == PROTOCOL).any():
        return rows(scores, protocol=PROTOCOL)
    return scores[scores["iterations"] == scores["iterations"].max()]


def _shared(scores: pd.DataFrame, first: str, second: str, accuracy: str = "accuracy") -> float:
    """The variance, in squared points, that one test set gives the lead of one method over the other in all trials."""
    for one, other in ((first, second), (second, first)):
        if (column := f"lead_{other}_sd") in scores:
            found = scores.loc[scores["method"] == one, column].dropna()
            if len(found):
                return float(1e4 * np.mean(found**2))
    accuracies = [float(rows(scores, method=method)[accuracy].mean()) for method in (first, second)]
    return 1e4 * one_test_set(accuracies, TEST_IMAGES)


@made
def leads(
    firsts: Sequence[str], seconds: Sequence[str], noises: str = "all", form: Form = Form.MORE, head_start: float = 0.0
) -> Measure:
    """Points by which each of `firsts` is ahead of each of `seconds`, at every noise level, or but for the smallest.

    With a `head_start` of so many points it is claimed that the second is not ahead by more.
    """

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = _points(_ended(scores))
        levels = sorted(rows(own, method=list(firsts))["p_flip"].unique())
        if noises == "but small":
            levels = levels[1:]
        if noises == "largest":
            levels = levels[-1:]
        samples: dict[str, pd.Series] = {}
        shared: dict[str, float] = {}
        for first in firsts:
            for second in seconds:
                for level in levels:
                    part = rows(own, p_flip=level)
                    one, two = (
                        rows(part, method=method).groupby("trial")["points"].mean() for method in (first, second)
                    )
                    where = f"{SAID[first]} less {SAID[second]}, p = {level:g}"
                    samples[where] = (one - two).dropna() + head_start
                    shared[where] = _shared(part, first, second)
        return over_trials(samples, form, shared)

    return measure


#: Methods in the names of settings.
SAID = {
    "clean": "clean training",
    "noisy": "noisy training",
    "noisy_l2_centred": "tuned noisy training",
    "spread_flat": "flat prior",
    "spread_learned": "learned prior",
    "spread_true": "true prior",
}


@made
def noisy_good_then_bad(good: float = GOOD) -> Measure:
    """Plain training: less than `good` below clean at the smallest noise, and more than that at the largest."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = _points(_ended(scores)).rename(columns={"p_flip": "p"})
        gap = differences(own, "points", {"method": "clean"}, {"method": "noisy"}, ["p"])
        levels = sorted(rows(own, method="noisy")["p"].unique())
        if len(levels) < 2:
            raise CannotTell("the scores have one noise level only")
        smallest, largest = (f"p = {level:g}" for level in (levels[0], levels[-1]))
        samples = {f"good at {smallest}": good - gap[smallest], f"degraded at {largest}": gap[largest] - good}
        shared = {
            where: _shared(rows(own, p=level), "clean", "noisy")
            for where, level in zip(samples, (levels[0], levels[-1]), strict=True)
        }
        return over_trials(samples, shared=shared)

    return measure


@made
def works_at_high_noise(well: float = WELL) -> Measure:
    """What is left of `well` points between clean training and each prior, at the upper half of the noise levels."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = _points(_ended(scores))
        levels = sorted(rows(own, method="clean")["p_flip"].unique())
        samples, shared = {}, {}
        for level, method in product(levels[len(levels) // 2 :], PRIORS):
            part = rows(own, p_flip=level)
            clean, found = (rows(part, method=which).groupby("trial")["points"].mean() for which in ("clean", method))
            where = f"{SAID[method]}, p = {level:g}"
            samples[where] = (well - clean + found).dropna()
            shared[where] = _shared(part, "clean", method)
        return over_trials(samples, shared=shared)

    return measure


def _section_6_1(scores: pd.DataFrame, sigma2: float) -> pd.DataFrame:
    """Section 6.1 as the paper ran it: two samples, labels sampled, 400 iterations; σ² = 0 is clean training."""
    own = _ended(scores)
    return rows(own, method="clean") if sigma2 == 0 else rows(own, sigma2=sigma2, method="spread_sampled", samples=2)


def printed_accuracy(sigma2: float, column: str, printed: float, rounding: float) -> Measure:
    """The accuracy beside the printed one, in points."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        found = 100 * _section_6_1(scores, sigma2).set_index("trial")[column]
        return [number("clean training" if sigma2 == 0 else f"σ² = {sigma2:g}", found, printed, rounding)]

    return measure


def around_one_percent(scores: pd.DataFrame) -> list[Observation]:
    """What is lost against clean training at σ² = 0.1, in points."""
    clean, private = (_section_6_1(scores, sigma2).set_index("trial") for sigma2 in (0.0, 0.1))
    return [
        number(f"{part} accuracy", 100 * (clean[column] - private[column]).dropna(), 1.0, 0.5)
        for part, column in (("test", "test_accuracy"), ("training", "train_accuracy"))
    ]


def better_than_noisy_gaussian(scores: pd.DataFrame) -> list[Observation]:
    """Test accuracy of the paper's run minus that of plain training on the same noisy images."""
    own = _points(_ended(scores), "test_accuracy")
    paper = (own["method"] == "spread_sampled") & (own["samples"] == 2)
    kept = own[paper | (own["method"] == "noisy")]
    kept = kept.rename(columns={"sigma2": "σ²"})
    found = differences(kept, "points", {"method": "spread_sampled"}, {"method": "noisy"}, ["σ²"])
    return over_trials(found, shared=_shared(kept, "spread_sampled", "noisy", "test_accuracy"))


def importance_sampling_converges(scores: pd.DataFrame) -> list[Observation]:
    """Log of ‖θ‖ with sampled over that with summed labels, at the largest S, samples taken of z = θᵀx."""
    own = rows(scores, method="spread_flat_z")
    own = own[own["samples"] == own["samples"].max()].assign(length=lambda part: np.log(part["theta_norm"]))
    own = own.rename(columns={"p_flip": "p"})
    return alike(differences(own, "length", {"labels": "sampled"}, {"labels": "summed"}, ["p"]))


def _limits(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows for infinite data."""
    found = scores[np.isinf(scores["n"])]
    if found.empty:
        raise CannotTell("the scores have no limit of infinite data")
    return found


#: Priors whose family contains the law of the inputs; any prior that may take every form does.
CONTAINS = {"factorised": ["true", "learned", "joint"], "correlated": ["joint"]}


def spread_is_consistent(scores: pd.DataFrame) -> list[Observation]:
    """Distance from the truth in the limit where the data come from the model."""
    return exactly(_errors(_limits(scores), CONTAINS), Form.SAME)


def factorised_priors_are_consistent(scores: pd.DataFrame) -> list[Observation]:
    """The same for section 6's priors where the inputs do not come from them."""
    return exactly(_errors(_limits(scores), {"correlated": ["true", "learned"]}), Form.SAME)


def flat_prior_is_consistent(scores: pd.DataFrame) -> list[Observation]:
    """The same for the flat prior."""
    return exactly(_errors(_limits(scores), {"factorised": ["flat"], "correlated": ["flat"]}), Form.SAME)


def _errors(limits: pd.DataFrame, priors: Mapping[str, list[str]]) -> dict[str, float]:
    found = {}
    for inputs, chosen in priors.items():
        own = limits[(limits["inputs"] == inputs) & limits["prior"].isin(chosen)]
        for (prior, p), part in own.groupby(["prior", "p_flip"]):
            found[f"{prior} prior, {inputs} inputs, p = {p:g}"] = float(part["error"].max())
    if not found:
        raise CannotTell("the scores have none of the priors that the claim speaks of")
    return found


def noisy_is_inconsistent(scores: pd.DataFrame) -> list[Observation]:
    """How far from the truth plain training on infinite noisy data ends."""
    own = rows(_limits(scores), prior="none")
    nearest = own.groupby(["inputs", "p_flip"])["error"].min()
    return exactly({f"{inputs} inputs, p = {p:g}": value for (inputs, p), value in nearest.items()})


def reconstruction_fails(scores: pd.DataFrame) -> list[Observation]:
    """Distance of J∞'s nearest global maximum from θ₀, at the worst θ₀; without noise it is claimed to be zero."""
    found = rows(scores, kind="global")
    distance = (found["theta"] - found["theta0"]).abs().groupby([found["p_flip"], found["theta0"]]).min()
    worst = distance.groupby("p_flip").max()
    silent = {"no noise": worst[0.0]} if 0.0 in worst.index else {}
    noisy = {f"p = {p:g}": value for p, value in worst.items() if p > 0}
    if not noisy:
        raise CannotTell("the scores have no noise")
    return [*exactly(noisy), *exactly(silent, Form.SAME)]


def other_divergences_fail(scores: pd.DataFrame) -> list[Observation]:
    """Distance from the truth in the limit, at the worst θ₀, for every divergence but KL."""
    own = _limits(scores)
    own = rows(own, target="datum") if "target" in own else own
    worst = (own["theta"] - own["theta0"]).abs().groupby([own["divergence"], own["p_flip"]]).max()
    others = {f"{d}, p = {p:g}".replace("_", " "): v for (d, p), v in worst.items() if d != "kl"}
    if not others:
        raise CannotTell("the scores have no other divergence")
    return exactly(others)


def share_is_recovered(estimator: str = "clipped") -> Measure:
    """An estimate minus the true share, in points, for the most voters."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, estimator=estimator)
        own = own[own["n"] == own["n"].max()]
        samples = {
            name(["θ", "p10", "p01"], keys): 100 * (part.set_index("trial")["estimate"] - keys[0])
            for keys, part in own.groupby(["theta", "p10", "p01"])
        }
        return alike(samples)

    return measure


def raw_votes_mislead(scores: pd.DataFrame) -> list[Observation]:
    """How far the share of noisy votes, (1), is from the true one, in points, for the most voters.

    The scores hold the corrected share, from which the raw one follows.
    """
    own = rows(scores, estimator="corrected")
    own = own[own["n"] == own["n"].max()]
    samples = {}
    for (theta, p10, p01), part in own.groupby(["theta", "p10", "p01"]):
        raw = p10 + (1 - p10 - p01) * part.set_index("trial")["estimate"]
        side = 1.0 if p10 * (1 - theta) >= p01 * theta else -1.0
        samples[name(["θ", "p10", "p01"], (theta, p10, p01))] = 100 * side * (raw - theta)
    return over_trials(samples)


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


def _flipped(keys: tuple[str, float, float]) -> str:
    return "{}, flips of {:g} and {:g}".format(*keys)


def _theory(quantity: str, inputs: Sequence[str], form: Form, fold: str) -> Measure:
    """A quantity of `theory` by law of the inputs and flips: the least or the largest over the θ₀ that were drawn."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, quantity=quantity, inputs=list(inputs))
        found = own.groupby(["inputs", *FLIPS])["value"].agg(fold)
        return exactly({_flipped(keys): value for keys, value in found.items()}, form)

    return measure


def near_gaussian(scores: pd.DataFrame) -> list[Observation]:
    """The largest angle to the truth over the θ₀ that were drawn, for inputs that are signs and not Gaussian."""
    own = rows(scores, quantity="angle")
    own = own[own["inputs"].str.endswith("random signs")]
    if own.empty:
        raise CannotTell("the scores have Gaussian inputs only")
    found = own.groupby(["inputs", *FLIPS])["value"].max()
    return exactly({_flipped(keys): value for keys, value in found.items()}, Form.SAME)


def lengths(scores: pd.DataFrame) -> list[Observation]:
    """‖θ‖ less one where length is free."""
    own = rows(scores, quantity="length", inputs="isotropic Gaussian")
    found = own.groupby(["inputs", *FLIPS])["value"].mean() - 1
    return exactly({_flipped(keys): value for keys, value in found.items()}, Form.SAME)


def _directions(scores: pd.DataFrame) -> pd.DataFrame:
    """Plain regression without an intercept on zero means, at the largest n."""
    own = rows(scores, mean="zero")
    own = own[own["n"] == own["n"].max()]
    return rows(own, intercept=False) if "intercept" in own else own


#: What is noisy, in the names of settings.
NOISES = {"label": "flipped labels", "input": "noise on inputs", "both": "noise on inputs and labels"}


def direction(noises: Sequence[str]) -> Measure:
    """The angle to θ₀ for isotropic inputs: as predicted for much data, and as measured on the largest samples."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(_directions(scores), covariance="isotropic", noise=list(noises))
        predicted = own.groupby("noise")["angle_predicted"].max()
        measured = {
            f"{NOISES[str(noise)]}, measured at n = {part['n'].iloc[0]:g}": part.groupby("trial")[
                "angle_measured"
            ].mean()
            for noise, part in own.groupby("noise")
        }
        exact = {f"{NOISES[str(noise)]}, predicted": value for noise, value in predicted.items()}
        return [*exactly(exact, Form.SAME), *alike(measured)]

    return measure


def whitening(when: str, form: Form) -> Measure:
    """Angle without whitening minus that with it, paired by trial, for anisotropic inputs with noise of their own."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        if "whitening" not in scores:
            raise CannotTell("nothing was whitened")
        own = rows(_directions(scores), covariance="anisotropic", whitening=["none", when])
        # Noise of which both variants were measured.
        both = own.groupby("noise")["whitening"].nunique()
        own = rows(own, noise=both.index[both == 2].tolist() or ["none at all"])
        by = ["noise", "n"]
        return over_trials(differences(own, "angle_measured", {"whitening": "none"}, {"whitening": when}, by), form)

    return measure


def deniable(few: float = FEW) -> Measure:
    """A share `few` of users less those of whose labels the attacker is sure, by the pair, and right."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        if "sure" not in scores:
            raise CannotTell("the scores do not say of whom the attacker is sure")
        own = rows(scores, attack="label_pair")
        return _by_noise(own.assign(left=few - own["sure"] * own["right_when_sure"].fillna(0.0)), "left")

    return measure


def unrecognised(confident: float = CONFIDENT) -> Measure:
    """What the share of images that are found among the candidates leaves of `confident`, at every noise level."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, attack="identity")
        return _by_noise(own.assign(left=confident - own["success"]), "left")

    return measure


def _by_noise(own: pd.DataFrame, column: str) -> list[Observation]:
    samples = {
        f"{noise}, level {level:g}".replace("_", " "): part.groupby("trial")[column].mean()
        for (noise, level), part in own.groupby(["noise", "level"])
    }
    return over_trials(samples, span=1.0)


def more_noise_is_more_private(scores: pd.DataFrame) -> list[Observation]:
    """Log of a pixel's and an image's exact ε at the smaller over the larger variance of section 6.1."""
    own = rows(scores, noise="gaussian")
    found = {}
    for unit, part in own.groupby("unit"):
        curve = part.set_index("level")["epsilon"].sort_index()
        if len(curve) < 2:
            raise CannotTell("the scores have one variance only")
        found[str(unit)] = float(np.log(curve.iloc[0] / curve.iloc[-1]))
    return exactly(found)


CLAIMS: tuple[Claim, ...] = (
    Claim("raw-votes-mislead",
          "The share of noisy votes, (1), can be a significantly incorrect estimate of the true share.",
          "section 1, (1)", "voting", raw_votes_mislead, Quantifier.SOME,
          "share of noisy votes less the true share, away from it", "points of share",
          Matters(1.0, "one point of an election"),
          short="Noisy votes alone can mislead"),
    Claim("voting-consistent",
          "With many votes the maximum of the spread likelihood (for which (2) and (24) print a plus where a minus "
          "belongs) recovers the true share.",
          "sections 1 and 3.2, (2), (24)", "voting", share_is_recovered(), Quantifier.ALL,
          "estimated less true share, at the most voters", "points of share", Matters(1.0, "one point of an election"),
          short="The corrected share recovers the true one"),
    Claim("three-reports-guess",
          "From three reports of one label their majority is a good guess, better than one report.",
          "section 1", "voting", majority_of_three, Quantifier.ALL,
          "chance that the majority of three is right, less that of one report", "probability",
          Matters(0.01, "one label in a hundred"),
          short="Three reports tell more than one"),
    Claim("repeats-reveal-a-vote",
          "The posterior of a label given M independent reports concentrates exponentially fast in M on the true one.",
          "section 1, (3)", "voting", repeats_reveal, Quantifier.ALL,
          "rate at which the doubt decays, over the later half of the reports", "nats a report",
          Matters(0.01, "the doubt halves within seventy reports"),
          short="Repeated reports reveal a label exponentially fast"),
    Claim("spread-consistent",
          "If data come from the model and the noise is valid, the maximum of the spread likelihood of an identifiable "
          "model is consistent, though trained on corrupted data only.",
          "abstract, section 4.1, section 8", "consistency", spread_is_consistent, Quantifier.ALL,
          "‖θ − θ₀‖ in the limit of infinite data", "weight", SAME,
          short="The spread likelihood is consistent"),
    Claim("noisy-training-inconsistent",
          "In general, training the standard model on noisy data alone is not consistent.",
          "section 4.2", "consistency", noisy_is_inconsistent, Quantifier.TYPICAL,
          "‖θ − θ₀‖ in the limit of infinite data", "weight", APART,
          short="Plain training on noisy data is inconsistent"),
    Claim("reconstruction-inconsistent",
          "For the Bernoulli model the reconstruction approach (36)–(37) finds the truth without noise only.",
          "section 4.3, figure 1", "fig1", reconstruction_fails, Quantifier.ALL,
          "|θ − θ₀| at the nearest global maximum of J∞, worst θ₀", "probability", APART,
          short="The reconstruction approach is inconsistent"),
    Claim("other-divergences-can-fail",
          "Minimising another f-divergence in place of KL is not guaranteed to recover the truth, except for special "
          "choices such as KL.",
          "section 4.4, (39), (40)", "divergences", other_divergences_fail, Quantifier.SOME,
          "|θ − θ₀| in the limit of infinite data, worst θ₀", "probability", APART,
          short="Other divergences than KL can miss the truth"),
    Claim("importance-sampling-consistent",
          "As samples grow, importance sampling estimates the tightest bound consistently: its θ tends to that of "
          "exact label sums.",
          "section 5.1", "samples", importance_sampling_converges, Quantifier.ALL,
          "‖θ‖ with sampled over summed labels, at the most samples", "factor (log)",
          Matters(0.05, "a twentieth of ‖θ‖, far below what noise takes from it"), MNIST,
          short="Importance sampling converges with S"),
    Claim("plausible-deniability",
          "Users can plausibly deny which label they gave: no-one can confidently state it from the released pair of "
          "noisy image and noisy label.",
          "sections 1, 5 and 7", "attack", deniable(), Quantifier.TYPICAL,
          f"{FEW:g} less the share of users of whose labels an attacker is sure, and right", "share of users",
          Matters(0.01, "one user in a hundred"), MNIST,
          short="Labels can be denied plausibly"),
    Claim("images-private",
          "Corrupted images preserve the privacy of the users: no-one can confidently state which clean image a noisy "
          "one was (here one of a list of candidates, all known).",
          "sections 1, 6.1 and 7", "attack", unrecognised(), Quantifier.TYPICAL,
          "95 % less the share of images that an attacker finds among its candidates", "share of users",
          Matters(0.01, "one user in a hundred"), MNIST,
          short="Noisy images preserve privacy"),
    Claim("clean-upper-limit",
          "Logistic regression on clean data sets an upper limit on the performance of what is trained on noisy data.",
          "section 6, figure 3", "fig3", leads(["clean"], ["noisy", *PRIORS], head_start=LEVEL), Quantifier.ALL,
          f"test accuracy, clean training and {LEVEL:g} points, less each other method", POINTS, LITTLE, MNIST,
          short="Clean training is the upper limit"),
    Claim("spread-beats-noisy",
          "For all but small noise levels the spread approach is superior to simply training on noisy data.",
          "section 6, figure 3", "fig3", leads(PRIORS, ["noisy"], "but small"), Quantifier.ALL,
          "test accuracy, spread with each prior less plain noisy training", POINTS, HALF, MNIST,
          short="Spread learning beats noisy training but at small noise",
          choices={"noises": ("all", "largest"), "firsts": tuple((prior,) for prior in PRIORS)}),
    Claim("true-prior-best",
          "Of the spread approaches the one with the true prior performs best.",
          "section 6, figure 3", "fig3", leads(["spread_true"], ["spread_flat", "spread_learned"]), Quantifier.TYPICAL,
          "test accuracy, true prior less another, mean over noise levels and priors", POINTS, HALF, MNIST,
          short="The true prior is the best",
          choices={"noises": ("but small", "largest"), "seconds": (("spread_flat",), ("spread_learned",))}),
    Claim("flat-like-learned",
          "There is little difference between using a flat and a learned prior.",
          "section 6, figure 3", "fig3", leads(["spread_flat"], ["spread_learned"], form=Form.SAME),
          Quantifier.TYPICAL,
          "test accuracy, flat less learned prior", POINTS, POINT, MNIST,
          short="Flat and learned prior differ little"),
    Claim("noisy-good-at-low-noise",
          "Standard training on corrupted data is surprisingly effective at low noise (within three points of clean, "
          "here), and degrades at higher noise (by more).",
          "section 6, figure 3", "fig3", noisy_good_then_bad(), Quantifier.ALL,
          "good: what is left of three points below clean; degraded: what goes beyond them", POINTS, HALF, MNIST,
          short="Noisy training is good at low noise, bad at high", choices={"good": (2.0, 5.0)}),
    Claim("works-at-high-noise",
          "The approach can work well even with high levels of noise: in the upper half of its levels there is a prior "
          "that comes within ten points of clean training.",
          "section 8", "fig3", works_at_high_noise(), Quantifier.SOME,
          "what is left of ten points below clean training", POINTS, HALF, MNIST,
          short="The approach can work well at high noise", choices={"well": (5.0, 15.0)}),
    Claim("95.5-percent",
          "Standard logistic regression, rate 0.2, 400 iterations, has 95.5 % training accuracy.",
          "section 6.1", "gaussian", printed_accuracy(0.0, "train_accuracy", 95.5, 0.05), Quantifier.NUMBER,
          "training accuracy on clean digits", POINTS, PRINTED, MNIST,
          short="Clean training: 95.5 % on the training set"),
    Claim("95.7-percent",
          "Standard logistic regression, rate 0.2, 400 iterations, has 95.7 % test accuracy.",
          "section 6.1", "gaussian", printed_accuracy(0.0, "test_accuracy", 95.7, 0.05), Quantifier.NUMBER,
          "test accuracy of clean training", POINTS, PRINTED, MNIST,
          short="Clean training: 95.7 % on the test set"),
    Claim("94.4-percent",
          "With p_f = 0.2 for labels and σ² = 0.1 for pixels, S = 2, the test accuracy is 94.4 %.",
          "section 6.1", "gaussian", printed_accuracy(0.1, "test_accuracy", 94.4, 0.05), Quantifier.NUMBER,
          "test accuracy of the spread approach", POINTS, PRINTED, MNIST,
          short="Spread learning at σ² = 0.1: 94.4 %"),
    Claim("93-percent",
          "With p_f = 0.2 for labels and σ² = 0.5 for pixels, S = 2, the test accuracy is 93 %.",
          "section 6.1", "gaussian", printed_accuracy(0.5, "test_accuracy", 93.0, 0.5), Quantifier.NUMBER,
          "test accuracy of the spread approach", POINTS, PRINTED, MNIST,
          short="Spread learning at σ² = 0.5: 93 %"),
    Claim("loss-around-1-percent",
          "At σ² = 0.1 the loss in test and training accuracy is around 1 %.",
          "section 6.1", "gaussian", around_one_percent, Quantifier.NUMBER,
          "accuracy lost against clean training", POINTS,
          Matters(0.5, "“around”: half of it, and what one draw of 1,800 images may give"), MNIST,
          short="Privacy costs around 1 %"),
    Claim("more-noise-more-privacy",
          "σ² = 0.5 in place of 0.1 is a significant increase in privacy.",
          "section 6.1", "privacy", more_noise_is_more_private, Quantifier.ALL,
          "exact ε at σ² = 0.1 over that at σ² = 0.5 (δ as in the figure)", "factor (log)",
          Matters(log(1.5), "“significant”: half as much again"),
          short="More Gaussian noise is much more private"),
    Claim("isotropy-suffices",
          "For zero-mean isotropic Gaussian inputs, flips that add up to less than one (asymmetric ones, too) and "
          "‖θ‖ = ‖θ₀‖ = 1, maximum likelihood on flipped labels is consistent.",
          "section 4.2, appendix B", "theory", _theory("angle", ["isotropic Gaussian"], Form.SAME, "max"),
          Quantifier.ALL, "angle between θ₀ and the maximum on the sphere, worst θ₀, infinite data", "degrees",
          Matters(0.01, "the maximum is found to a ten-thousandth of a radian"),
          short="With isotropic inputs flipped labels do no harm"),
    Claim("isotropy-needed",
          "In general, for non-isotropic covariance, the gradient along ‖θ‖ = 1 is not zero at θ₀.",
          "appendix B", "theory", _theory("slope", ["anisotropic Gaussian"], Form.MORE, "min"), Quantifier.TYPICAL,
          "length of the gradient along the sphere at θ₀, least over the θ₀ drawn", "nats a radian",
          Matters(1e-3, "what a million observations see as a tilt"),
          short="Without isotropy they turn θ away, if ‖θ‖ = 1"),
    Claim("nearly-gaussian-projections",
          "For high-dimensional, roughly isotropic inputs that are not Gaussian, training on flipped labels will "
          "likely be close to recovering the true θ₀.",
          "appendix B", "theory", near_gaussian, Quantifier.TYPICAL,
          "angle to θ₀ for independent random signs, worst θ₀, infinite data", "degrees", DEGREES,
          short="Nearly Gaussian projections are enough"),
    Claim("isotropy-with-input-noise",
          "The argument extends to isotropic Gaussian noise on the inputs of isotropic Gaussian data: the direction of "
          "θ₀ is found.",
          "appendix B, last paragraph", "appendix_b", direction(["input", "both"]), Quantifier.ALL,
          "angle to θ₀, predicted, and measured at the largest n", "degrees", DEGREES,
          short="… also with noise on the inputs"),
    Claim("whitening-helps",
          "Closeness to isotropy motivates whitening the input data as a pre-processing step (before they are "
          "noised): it brings training on noisy data closer to the truth.",
          "appendix B, last sentence", "appendix_b", whitening("before", Form.MORE), Quantifier.ALL,
          "angle to θ₀ without less with whitening before the noise, at the largest n", "degrees", DEGREES,
          short="Whitening the inputs helps"),
    Claim("factorised-priors-consistent",
          "Section 6's factorised priors, the true marginals among them, are consistent where inputs are correlated, "
          "too.",
          "beyond section 4.1 (the inputs do not come from the model)", "consistency", factorised_priors_are_consistent,
          Quantifier.ALL, "‖θ − θ₀‖ in the limit of infinite data", "weight", SAME, origin=Origin.BEYOND,
          short="Factorised priors suffice for correlated inputs"),
    Claim("flat-prior-consistent",
          "Section 6's flat prior is consistent where inputs are not flat, too.",
          "beyond section 4.1 (the inputs do not come from the model)", "consistency", flat_prior_is_consistent,
          Quantifier.ALL, "‖θ − θ₀‖ in the limit of infinite data", "weight", SAME, origin=Origin.BEYOND,
          short="A flat prior suffices"),
    Claim("length-recovered",
          "Without ‖θ‖ = 1, too, training on flipped labels recovers θ₀, its length with its direction.",
          "beyond appendix B", "theory", lengths, Quantifier.ALL,
          "‖θ‖ less ‖θ₀‖ = 1 for isotropic Gaussian inputs, infinite data", "weight", APART, origin=Origin.BEYOND,
          short="Flipped labels leave the length of θ, too"),
    Claim("label-direction-free",
          "Without ‖θ‖ = 1 flipped labels keep the direction of θ for isotropic Gaussian inputs.",
          "beyond appendix B", "appendix_b", direction(["label"]), Quantifier.ALL,
          "angle to θ₀, predicted, and measured at the largest n", "degrees", DEGREES, origin=Origin.BEYOND,
          short="… and its direction, if the length is free"),
    Claim("whitening-noisy-inputs",
          "Whitening the inputs after they were noised brings training on them closer to the truth, too.",
          "beyond appendix B", "appendix_b", whitening("after", Form.MORE), Quantifier.ALL,
          "angle to θ₀ without less with whitening after the noise, at the largest n", "degrees", DEGREES,
          origin=Origin.BEYOND, short="Whitening noisy inputs helps, too"),
    Claim("spread-beats-tuned-noisy",
          "The spread approach is superior to training on noisy data with centred inputs and a tuned penalty, too.",
          "beyond section 6", "fig3", leads(PRIORS, ["noisy_l2_centred"], "but small"), Quantifier.ALL,
          "test accuracy, spread with each prior less tuned noisy training", POINTS, HALF, MNIST,
          origin=Origin.BEYOND, short="Spread learning beats tuned noisy training"),
    Claim("spread-beats-noisy-gaussian",
          "With the Gaussian noise of section 6.1, too, the spread approach is superior to plain training on noisy "
          "data.",
          "beyond section 6.1", "gaussian", better_than_noisy_gaussian, Quantifier.ALL,
          "test accuracy, spread with S = 2 less plain noisy training", POINTS, HALF, MNIST,
          origin=Origin.BEYOND, short="… also under Gaussian noise"),
)  # fmt: skip
