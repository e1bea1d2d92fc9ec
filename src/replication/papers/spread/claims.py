"""Claims of Barber: private machine learning via randomised response."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.judging.statistics import alike, differences, exactly, name, number, over_trials, rows
from replication.judging.verdicts import CannotTell, Claim, Form, Matters, Measure, Observation, Quantifier

#: ASSUME: accuracies within one point are alike, and this much below clean training is still good (in points).
LIKE, GOOD = 1.0, 3.0
POINT = Matters(LIKE, "digits read alike")
#: An estimate this close to the truth, from infinite data, is the truth; one this far is not.
SAME, APART = 1e-3, 1e-2
EXACT = Matters(SAME, "infinite data is computed to this precision")
FAR = Matters(APART, "nearer than this is the truth")


def _last(scores: pd.DataFrame) -> pd.DataFrame:
    """After the most iterations."""
    return scores[scores["iterations"] == scores["iterations"].max()]


def _points(scores: pd.DataFrame, accuracy: str = "accuracy") -> pd.DataFrame:
    return scores.assign(points=100 * scores[accuracy])


def spread_beats(rival: str) -> Measure:
    """Accuracy of the flat-prior estimator minus the rival's at equal iterations, above the smallest noise."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        noisy = scores[scores["p_flip"] > scores["p_flip"].min()]
        by = ["p_flip", "iterations"]
        return over_trials(differences(_points(noisy), "points", {"method": "spread_flat"}, {"method": rival}, by))

    return measure


def true_prior_best(scores: pd.DataFrame) -> list[Observation]:
    """Accuracy with the true prior minus that with the others."""
    samples: dict[str, pd.Series] = {}
    for rival in ("spread_flat", "spread_learned"):
        found = differences(_points(_last(scores)), "points", {"method": "spread_true"}, {"method": rival}, ["p_flip"])
        samples |= {f"{setting} against {rival}": values for setting, values in found.items()}
    return over_trials(samples)


def flat_like_learned(scores: pd.DataFrame) -> list[Observation]:
    """Accuracy with the flat minus that with the learned prior."""
    found = differences(
        _points(_last(scores)), "points", {"method": "spread_flat"}, {"method": "spread_learned"}, ["p_flip"]
    )
    return alike(found)


def noisy_good_then_bad(scores: pd.DataFrame) -> list[Observation]:
    """Plain training: less than `GOOD` below clean at the smallest noise, and more than that at the largest."""
    gap = differences(_points(_last(scores)), "points", {"method": "clean"}, {"method": "noisy"}, ["p_flip"])
    levels = sorted(scores["p_flip"].unique())
    smallest, largest = (name(["p_flip"], level) for level in (levels[0], levels[-1]))
    if len(levels) < 2:
        raise CannotTell("the scores have one noise level only")
    return over_trials({f"good at {smallest}": GOOD - gap[smallest], f"degraded at {largest}": gap[largest] - GOOD})


def _gaussian(scores: pd.DataFrame, sigma2: float) -> pd.DataFrame:
    """Section 6.1 as the paper ran it: two samples, labels sampled."""
    return rows(_last(scores), sigma2=sigma2, method="spread_sampled", samples=2)


def printed_accuracy(sigma2: float, printed: float, rounding: float) -> Measure:
    """The test accuracy beside the printed one, in points."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        found = 100 * _gaussian(scores, sigma2)["test_accuracy"]
        return [number(f"σ² = {sigma2:g}", found, printed, rounding)]

    return measure


def around_one_percent(scores: pd.DataFrame) -> list[Observation]:
    """What is lost against clean training, in points."""
    clean = rows(_last(scores), method="clean").set_index("trial")["test_accuracy"]
    private = _gaussian(scores, 0.1).set_index("trial")["test_accuracy"]
    return [number("σ² = 0.1", 100 * (clean - private).dropna(), 1.0, 0.5)]


def better_than_noisy_gaussian(scores: pd.DataFrame) -> list[Observation]:
    """Test accuracy of the paper's run minus that of plain training on the same noisy images."""
    own = _last(scores)
    paper = (own["method"] == "spread_sampled") & (own["samples"] == 2)
    found = differences(
        _points(own[paper | (own["method"] == "noisy")], "test_accuracy"),
        "points",
        {"method": "spread_sampled"},
        {"method": "noisy"},
        ["sigma2"],
    )
    return over_trials(found)


def _limits(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows for infinite data."""
    found = scores[np.isinf(scores["n"])]
    if found.empty:
        raise CannotTell("the scores have no limit of infinite data")
    return found


def spread_is_consistent(scores: pd.DataFrame) -> list[Observation]:
    """How close to the truth infinite data leads, for each prior and law of the inputs."""
    own = rows(_limits(scores), prior=["true", "flat", "learned", "joint"])
    worst = own.groupby(["prior", "inputs"])["error"].max()
    margins = {f"{prior} prior, {inputs} inputs": value for (prior, inputs), value in worst.items()}
    return exactly(margins, Form.SAME)


def noisy_is_inconsistent(scores: pd.DataFrame) -> list[Observation]:
    """How far from the truth plain training on infinite noisy data ends."""
    own = rows(_limits(scores), prior="none")
    nearest = own.groupby(["inputs", "p_flip"])["error"].min()
    return exactly({name(["", "p_flip"], keys): value for keys, value in nearest.items()})


def reconstruction_fails(scores: pd.DataFrame) -> list[Observation]:
    """How far from the truth the global maximum of the reconstruction objective is, at its worst θ₀."""
    found = rows(scores, kind="global")
    distance = (found["theta"] - found["theta0"]).abs().groupby([found["p_flip"], found["theta0"]]).min()
    worst = distance.groupby("p_flip").max()
    margins = {name(["p_flip"], p): value for p, value in worst.items() if p > 0}
    silent = {"no noise": worst[0.0]} if 0.0 in worst.index else {}
    return [*exactly(margins), *exactly(silent, Form.SAME)]


def direction(covariance: str, noises: Sequence[str], form: Form) -> Measure:
    """Angle between the truth and where noisy training ends, for zero means."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, covariance=covariance, mean="zero", noise=list(noises))
        if "whitening" in own:
            own = rows(own, whitening="none")
        angle = own.groupby("noise")["angle_predicted"].max()
        return exactly({f"{noise} noise": value for noise, value in angle.items()}, form)

    return measure


def whitening_helps(scores: pd.DataFrame) -> list[Observation]:
    """Angle without whitening minus that with whitening of the noisy inputs."""
    if "whitening" not in scores:
        raise CannotTell("nothing was whitened")
    own = rows(
        scores, covariance="anisotropic", mean="zero", noise="input", whitening=["none", "after"], intercept=False
    )
    found = differences(own, "angle_measured", {"whitening": "none"}, {"whitening": "after"}, ["n"])
    return over_trials(found)


def only_kl_is_safe(scores: pd.DataFrame) -> list[Observation]:
    """Limits of fits to single data points: KL ends at the truth, no other divergence does."""
    own = _limits(scores)
    own = rows(own, target="datum") if "target" in own else own
    worst = (own["theta"] - own["theta0"]).abs().groupby(own["divergence"]).max()
    margins = {str(d): value for d, value in worst.items()}
    kl = {"kl": margins.pop("kl")} if "kl" in margins else {}
    return [*exactly(margins), *exactly(kl, Form.SAME)]


def share_is_recovered(estimator: str) -> Measure:
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


MNIST = ("mnist",)
CLAIMS: tuple[Claim, ...] = (
    Claim("voting-as-printed", "The corrected share of (2) recovers the true share of votes.",
          "section 1, (2)", "voting", share_is_recovered("printed"), Quantifier.ALL,
          "estimated less true share", "points of share", POINT),
    Claim("voting-with-minus", "The same with its sign set right.",
          "section 1, (2)", "voting", share_is_recovered("corrected"), Quantifier.ALL,
          "estimated less true share", "points of share", POINT),
    Claim("repeats-reveal-a-vote", "Repeated reports reveal a vote exponentially fast.",
          "section 1, (3)", "voting", repeats_reveal, Quantifier.ALL,
          "rate at which the doubt decays", "nats a report", EXACT),
    Claim("reconstruction-inconsistent", "The reconstruction approach is inconsistent as soon as there is noise.",
          "section 4.3, figure 1", "fig1", reconstruction_fails, Quantifier.ALL,
          "distance of the maximum from the truth", "θ", FAR),
    Claim("spread-consistent", "The spread likelihood is consistent.",
          "section 4.1", "consistency", spread_is_consistent, Quantifier.ALL,
          "distance of the limit from the truth", "θ", EXACT),
    Claim("noisy-training-inconsistent", "Plain training on noisy data is inconsistent.",
          "section 4.2", "consistency", noisy_is_inconsistent, Quantifier.ALL,
          "distance of the limit from the truth", "θ", FAR),
    Claim("only-KL-is-safe", "Other divergences than KL need not lead to the truth.",
          "section 4.4", "divergences", only_kl_is_safe, Quantifier.ALL,
          "distance of the limit from the truth", "θ", FAR),
    Claim("isotropy-suffices", "With isotropic inputs plain training finds the direction, despite flipped labels.",
          "appendix B", "appendix_b", direction("isotropic", ["label"], Form.SAME), Quantifier.ALL,
          "angle to the truth", "degrees", FAR),
    Claim("isotropy-with-input-noise", "The same with noise on the inputs, too.",
          "appendix B", "appendix_b", direction("isotropic", ["input", "both"], Form.SAME), Quantifier.ALL,
          "angle to the truth", "degrees", FAR),
    Claim("isotropy-needed", "Without isotropy flipped labels turn the direction away.",
          "appendix B", "appendix_b", direction("anisotropic", ["label"], Form.MORE), Quantifier.ALL,
          "angle to the truth", "degrees", FAR),
    Claim("whitening-helps", "Whitening noisy inputs brings plain training closer to the truth.",
          "appendix B", "appendix_b", whitening_helps, Quantifier.ALL,
          "angle to the truth, without less with whitening", "degrees",
          Matters(0.1, "a tenth of a degree turns no decision")),
    Claim("spread-beats-noisy", "Spread learning beats plain noisy training, except at small noise.",
          "section 6, figure 3", "fig3", spread_beats("noisy"), Quantifier.ALL,
          "accuracy, spread less plain noisy training", "points of accuracy", POINT, MNIST),
    Claim("spread-beats-tuned-noisy", "It also beats noisy training that is centred and regularised.",
          "section 6, figure 3", "fig3", spread_beats("noisy_l2_centred"), Quantifier.ALL,
          "accuracy, spread less tuned noisy training", "points of accuracy", POINT, MNIST),
    Claim("true-prior-best", "The true prior is the best.",
          "section 6, figure 3", "fig3", true_prior_best, Quantifier.ALL,
          "accuracy, true prior less another", "points of accuracy", POINT, MNIST),
    Claim("flat-like-learned", "Flat and learned prior differ little.",
          "section 6, figure 3", "fig3", flat_like_learned, Quantifier.ALL,
          "accuracy, flat less learned prior", "points of accuracy", POINT, MNIST),
    Claim("noisy-good-at-low-noise", "Plain noisy training is good at low noise and degrades at high noise.",
          "section 6, figure 3", "fig3", noisy_good_then_bad, Quantifier.ALL,
          "good: what is left of three points; degraded: what goes beyond them", "points of accuracy", POINT, MNIST),
    Claim("94.4-percent", "At σ² = 0.1 the test accuracy is 94.4 %.",
          "section 6.1", "gaussian", printed_accuracy(0.1, 94.4, 0.05), Quantifier.NUMBER,
          "test accuracy", "points of accuracy", POINT, MNIST),
    Claim("93-percent", "At σ² = 0.5 the test accuracy is 93 %.",
          "section 6.1", "gaussian", printed_accuracy(0.5, 93.0, 0.5), Quantifier.NUMBER,
          "test accuracy", "points of accuracy", POINT, MNIST),
    Claim("loss-around-1-percent", "At σ² = 0.1 privacy costs about 1 %.",
          "section 6.1", "gaussian", around_one_percent, Quantifier.NUMBER,
          "test accuracy lost", "points of accuracy", POINT, MNIST),
    Claim("spread-beats-noisy-gaussian", "With Gaussian noise, too, it beats plain noisy training.",
          "section 6.1", "gaussian", better_than_noisy_gaussian, Quantifier.ALL,
          "test accuracy, spread less plain noisy training", "points of accuracy", POINT, MNIST),
)  # fmt: skip
