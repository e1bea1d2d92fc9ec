"""Claims of Barber: private machine learning via randomised response."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.judging.statistics import alike, could_print, differences, equal, exactly, name, over_trials, rows
from replication.judging.verdicts import CannotTell, Claim, Judge, Verdict, everywhere
from unveil.types import Array

#: ASSUME: accuracies within one point are alike, and this much below clean training is still good.
LIKE, GOOD = 0.01, 0.03
#: An estimate this close to the truth, from infinite data, is the truth; one this far is not.
SAME, APART = 1e-3, 1e-2


def _last(scores: pd.DataFrame) -> pd.DataFrame:
    """After the most iterations."""
    return scores[scores["iterations"] == scores["iterations"].max()]


def spread_beats(rival: str) -> Judge:
    """Accuracy of the flat-prior estimator minus the rival's at equal iterations, above the smallest noise."""

    def judge(scores: pd.DataFrame) -> Verdict:
        noisy = scores[scores["p_flip"] > scores["p_flip"].min()]
        by = ["p_flip", "iterations"]
        return everywhere(over_trials(differences(noisy, "accuracy", {"method": "spread_flat"}, {"method": rival}, by)))

    return judge


def true_prior_best(scores: pd.DataFrame) -> Verdict:
    """Accuracy with the true prior minus that with the others."""
    samples: dict[str, Array] = {}
    for rival in ("spread_flat", "spread_learned"):
        found = differences(_last(scores), "accuracy", {"method": "spread_true"}, {"method": rival}, ["p_flip"])
        samples |= {f"{setting} against {rival}": values for setting, values in found.items()}
    return everywhere(over_trials(samples))


def flat_like_learned(scores: pd.DataFrame) -> Verdict:
    """What is left of one point of accuracy between the flat and the learned prior."""
    found = differences(_last(scores), "accuracy", {"method": "spread_flat"}, {"method": "spread_learned"}, ["p_flip"])
    return everywhere(alike(found, LIKE))


def noisy_good_then_bad(scores: pd.DataFrame) -> Verdict:
    """Plain training: less than `GOOD` below clean at the smallest noise, and more than that at the largest."""
    gap = differences(_last(scores), "accuracy", {"method": "clean"}, {"method": "noisy"}, ["p_flip"])
    levels = sorted(scores["p_flip"].unique())
    smallest, largest = (name(["p_flip"], level) for level in (levels[0], levels[-1]))
    if len(levels) < 2:
        raise CannotTell("the scores have one noise level only")
    return everywhere(
        over_trials({f"good at {smallest}": GOOD - gap[smallest], f"degraded at {largest}": gap[largest] - GOOD})
    )


def _gaussian(scores: pd.DataFrame, sigma2: float) -> pd.DataFrame:
    """Section 6.1 as the paper ran it: two samples, labels sampled."""
    return rows(_last(scores), sigma2=sigma2, method="spread_sampled", samples=2)


def printed_accuracy(sigma2: float, printed: float, rounding: float) -> Judge:
    """Whether one more run could give the printed test accuracy."""

    def judge(scores: pd.DataFrame) -> Verdict:
        found = _gaussian(scores, sigma2)["test_accuracy"].to_numpy()
        return everywhere([could_print(f"σ² = {sigma2:g}", found, printed, rounding)])

    return judge


def around_one_percent(scores: pd.DataFrame) -> Verdict:
    """How much less than 1.5 points is lost against clean training."""
    clean = rows(_last(scores), method="clean").set_index("trial")["test_accuracy"]
    private = _gaussian(scores, 0.1).set_index("trial")["test_accuracy"]
    return everywhere(over_trials({"σ² = 0.1": (0.015 - clean + private).dropna().to_numpy()}))


def better_than_noisy_gaussian(scores: pd.DataFrame) -> Verdict:
    """Test accuracy of the paper's run minus that of plain training on the same noisy images."""
    own = _last(scores)
    paper = (own["method"] == "spread_sampled") & (own["samples"] == 2)
    found = differences(
        own[paper | (own["method"] == "noisy")],
        "test_accuracy",
        {"method": "spread_sampled"},
        {"method": "noisy"},
        ["sigma2"],
    )
    return everywhere(over_trials(found))


def _limits(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows for infinite data."""
    found = scores[np.isinf(scores["n"])]
    if found.empty:
        raise CannotTell("the scores have no limit of infinite data")
    return found


def spread_is_consistent(scores: pd.DataFrame) -> Verdict:
    """How close to the truth infinite data leads, for each prior and law of the inputs."""
    own = rows(_limits(scores), prior=["true", "flat", "learned", "joint"])
    worst = own.groupby(["prior", "inputs"])["error"].max()
    margins = {f"{prior} prior, {inputs} inputs": equal(value, SAME) for (prior, inputs), value in worst.items()}
    return everywhere(exactly(margins))


def noisy_is_inconsistent(scores: pd.DataFrame) -> Verdict:
    """How far from the truth plain training on infinite noisy data ends."""
    own = rows(_limits(scores), prior="none")
    nearest = own.groupby(["inputs", "p_flip"])["error"].min()
    return everywhere(exactly({name(["", "p_flip"], keys): value - APART for keys, value in nearest.items()}))


def reconstruction_fails(scores: pd.DataFrame) -> Verdict:
    """How far from the truth the global maximum of the reconstruction objective is, at its worst θ₀."""
    found = rows(scores, kind="global")
    distance = (found["theta"] - found["theta0"]).abs().groupby([found["p_flip"], found["theta0"]]).min()
    worst = distance.groupby("p_flip").max()
    margins = {name(["p_flip"], p): value - APART for p, value in worst.items() if p > 0}
    if 0.0 in worst.index:
        margins["no noise"] = equal(worst[0.0], SAME)
    return everywhere(exactly(margins))


def direction(covariance: str, noises: Sequence[str], sense: int) -> Judge:
    """Angle between the truth and where noisy training ends, for zero means: small (+1) or not (−1)."""

    def judge(scores: pd.DataFrame) -> Verdict:
        own = rows(scores, covariance=covariance, mean="zero", noise=list(noises))
        if "whitening" in own:
            own = rows(own, whitening="none")
        angle = own.groupby("noise")["angle_predicted"].max()
        margins = {f"{noise} noise": sense * equal(value, APART) for noise, value in angle.items()}
        return everywhere(exactly(margins))

    return judge


def whitening_helps(scores: pd.DataFrame) -> Verdict:
    """Angle without whitening minus that with whitening of the noisy inputs."""
    if "whitening" not in scores:
        raise CannotTell("nothing was whitened")
    own = rows(
        scores, covariance="anisotropic", mean="zero", noise="input", whitening=["none", "after"], intercept=False
    )
    found = differences(own, "angle_measured", {"whitening": "none"}, {"whitening": "after"}, ["n"])
    return everywhere(over_trials(found))


def only_kl_is_safe(scores: pd.DataFrame) -> Verdict:
    """Limits of fits to single data points: KL ends at the truth, no other divergence does."""
    own = _limits(scores)
    own = rows(own, target="datum") if "target" in own else own
    worst = (own["theta"] - own["theta0"]).abs().groupby(own["divergence"]).max()
    margins = {str(d): equal(value, SAME) if d == "kl" else value - APART for d, value in worst.items()}
    return everywhere(exactly(margins))


def share_is_recovered(estimator: str) -> Judge:
    """What is left of one point between an estimate's mean and the true share, for the most voters."""

    def judge(scores: pd.DataFrame) -> Verdict:
        own = rows(scores, estimator=estimator)
        own = own[own["n"] == own["n"].max()]
        samples = {
            name(["θ", "p10", "p01"], keys): part["estimate"].to_numpy() - keys[0]
            for keys, part in own.groupby(["theta", "p10", "p01"])
        }
        return everywhere(alike(samples, LIKE))

    return judge


def repeats_reveal(scores: pd.DataFrame) -> Verdict:
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
    return everywhere(exactly(rates))


MNIST = ("mnist",)
CLAIMS: tuple[Claim, ...] = (
    Claim("voting-as-printed", "The corrected share of (2) recovers the true share of votes.",
          "section 1, (2)", "voting", share_is_recovered("printed")),
    Claim("voting-with-minus", "The same with its sign set right.",
          "section 1, (2)", "voting", share_is_recovered("corrected")),
    Claim("repeats-reveal-a-vote", "Repeated reports reveal a vote exponentially fast.",
          "section 1, (3)", "voting", repeats_reveal),
    Claim("reconstruction-inconsistent", "The reconstruction approach is inconsistent as soon as there is noise.",
          "section 4.3, figure 1", "fig1", reconstruction_fails),
    Claim("spread-consistent", "The spread likelihood is consistent.",
          "section 4.1", "consistency", spread_is_consistent),
    Claim("noisy-training-inconsistent", "Plain training on noisy data is inconsistent.",
          "section 4.2", "consistency", noisy_is_inconsistent),
    Claim("only-KL-is-safe", "Other divergences than KL need not lead to the truth.",
          "section 4.4", "divergences", only_kl_is_safe),
    Claim("isotropy-suffices", "With isotropic inputs plain training finds the direction, despite flipped labels.",
          "appendix B", "appendix_b", direction("isotropic", ["label"], 1)),
    Claim("isotropy-with-input-noise", "The same with noise on the inputs, too.",
          "appendix B", "appendix_b", direction("isotropic", ["input", "both"], 1)),
    Claim("isotropy-needed", "Without isotropy flipped labels turn the direction away.",
          "appendix B", "appendix_b", direction("anisotropic", ["label"], -1)),
    Claim("whitening-helps", "Whitening noisy inputs brings plain training closer to the truth.",
          "appendix B", "appendix_b", whitening_helps),
    Claim("spread-beats-noisy", "Spread learning beats plain noisy training, except at small noise.",
          "section 6, figure 3", "fig3", spread_beats("noisy"), MNIST),
    Claim("spread-beats-tuned-noisy", "It also beats noisy training that is centred and regularised.",
          "section 6, figure 3", "fig3", spread_beats("noisy_l2_centred"), MNIST),
    Claim("true-prior-best", "The true prior is the best.",
          "section 6, figure 3", "fig3", true_prior_best, MNIST),
    Claim("flat-like-learned", "Flat and learned prior differ little.",
          "section 6, figure 3", "fig3", flat_like_learned, MNIST),
    Claim("noisy-good-at-low-noise", "Plain noisy training is good at low noise and degrades at high noise.",
          "section 6, figure 3", "fig3", noisy_good_then_bad, MNIST),
    Claim("94.4-percent", "At σ² = 0.1 the test accuracy is 94.4 %.",
          "section 6.1", "gaussian", printed_accuracy(0.1, 0.944, 0.0005), MNIST),
    Claim("93-percent", "At σ² = 0.5 the test accuracy is 93 %.",
          "section 6.1", "gaussian", printed_accuracy(0.5, 0.93, 0.005), MNIST),
    Claim("loss-around-1-percent", "At σ² = 0.1 privacy costs about 1 %.",
          "section 6.1", "gaussian", around_one_percent, MNIST),
    Claim("spread-beats-noisy-gaussian", "With Gaussian noise, too, it beats plain noisy training.",
          "section 6.1", "gaussian", better_than_noisy_gaussian, MNIST),
)  # fmt: skip
