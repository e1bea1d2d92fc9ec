"""Claims of appendix B: isotropic inputs, and whitening."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.judging.claim import Claim, Matters, Origin, measure
from replication.judging.statistics import alike, differences, exactly, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier
from replication.papers.spread.claims.common import APART

DEGREES = Matters(2.0, "two degrees: a correlation of 0.999 between both predictors")


@measure
def _theory(
    scores: pd.DataFrame, quantity: str, inputs: str, fold: str, form: Form = Form.SAME, less: float = 0.0
) -> list[Observation]:
    """A quantity of `theory`, less a number, by law of the inputs and flips: a `fold` over the θ₀ that were drawn."""
    own = rows(scores, quantity=quantity)
    own = own[own["inputs"].str.fullmatch(inputs)]
    if own.empty:
        raise CannotTell(f"the scores have no inputs {inputs}")
    found = own.groupby(["inputs", "zero_to_one", "one_to_zero"])["value"].agg(fold) - less
    return exactly({"{}, flips of {:g} and {:g}".format(*keys): value for keys, value in found.items()}, form)


def _directions(scores: pd.DataFrame) -> pd.DataFrame:
    """Plain regression without an intercept on zero means, at the largest n."""
    own = rows(scores, mean="zero")
    own = own[own["n"] == own["n"].max()]
    return rows(own, intercept=False) if "intercept" in own else own


#: What is noisy, in the names of settings.
NOISES = {"label": "flipped labels", "input": "noise on inputs", "both": "noise on inputs and labels"}


@measure
def direction(
    scores: pd.DataFrame, noises: Sequence[str], covariances: Sequence[str] = ("isotropic",)
) -> list[Observation]:
    """The angle to θ₀ by covariance and noise: predicted for much data, and measured on the largest samples."""
    own = keep_whole(rows(_directions(scores), covariance=list(covariances), noise=list(noises)))
    exact, measured = {}, {}
    for (covariance, noise), part in own.groupby(["covariance", "noise"]):
        where = f"{covariance}, {NOISES[str(noise)]}"
        exact[f"{where}, predicted"] = part["angle_predicted"].max()
        measured[f"{where}, measured at n = {part['n'].iloc[0]:g}"] = part.groupby("trial")["angle_measured"].mean()
    return [*exactly(exact, Form.SAME), *alike(measured)]


def keep_whole(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows in which nothing was whitened."""
    return rows(scores, whitening="none") if "whitening" in scores else scores


@measure
def whitening(scores: pd.DataFrame, when: str, form: Form) -> list[Observation]:
    """Angle without whitening minus that with it, paired by trial, for anisotropic inputs with noise of their own."""
    if "whitening" not in scores:
        raise CannotTell("nothing was whitened")
    own = rows(_directions(scores), covariance="anisotropic", whitening=["none", when])
    # Noise of which both variants were measured.
    both = own.groupby("noise")["whitening"].nunique()
    own = rows(own, noise=both.index[both == 2].tolist() or ["none at all"])
    by = ["noise", "n"]
    return over_trials(differences(own, "angle_measured", {"whitening": "none"}, {"whitening": when}, by), form)


CLAIMS: tuple[Claim, ...] = (
    Claim("isotropy-suffices",
          "For zero-mean isotropic Gaussian inputs, flips that add up to less than one (asymmetric ones, too) and "
          "‖θ‖ = ‖θ₀‖ = 1, maximum likelihood on flipped labels is consistent.",
          "section 4.2, appendix B", "theory", _theory("angle", "isotropic Gaussian", "max"),
          Quantifier.ALL, "angle between θ₀ and the maximum on the sphere, worst θ₀, infinite data", "degrees",
          Matters(0.01, "the maximum is found to a ten-thousandth of a radian"),
          short="With isotropic inputs flipped labels do no harm"),
    Claim("isotropy-needed",
          "In general, for non-isotropic covariance, the gradient along ‖θ‖ = 1 is not zero at θ₀.",
          "appendix B", "theory", _theory("slope", "anisotropic Gaussian", "min", Form.MORE), Quantifier.TYPICAL,
          "length of the gradient along the sphere at θ₀, least over the θ₀ drawn", "nats a radian",
          Matters(1e-3, "what a million observations see as a tilt"),
          short="Without isotropy they turn θ away, if ‖θ‖ = 1"),
    Claim("nearly-gaussian-projections",
          "For roughly isotropic inputs of several dimensions (four to ten signs, here) that are not Gaussian, "
          "training on flipped labels will likely be close to recovering the direction of the true θ₀.",
          "appendix B", "theory", _theory("angle", r"\d+ random signs", "max"), Quantifier.TYPICAL,
          "angle to θ₀ for independent random signs, worst θ₀, infinite data", "degrees", DEGREES,
          short="Nearly Gaussian projections are enough"),
    Claim("isotropy-with-input-noise",
          "The argument extends to isotropic Gaussian noise on the inputs of isotropic Gaussian data: the direction of "
          "θ₀ is found.",
          "appendix B, last paragraph", "appendix_b", direction(["input", "both"]), Quantifier.ALL,
          "angle to θ₀ as predicted and as measured at the largest n", "degrees", DEGREES,
          short="… also with noise on the inputs"),
    Claim("whitening-helps",
          "Closeness to isotropy motivates whitening the input data as a pre-processing step (before they are "
          "noised; with and without flipped labels): it brings training on noisy data closer to the truth.",
          "appendix B, last sentence", "appendix_b", whitening("before", Form.MORE), Quantifier.ALL,
          "angle to θ₀, without whitening before the noise minus that with it, at the largest n", "degrees", DEGREES,
          short="Whitening the inputs helps"),
    Claim("length-recovered",
          "Without ‖θ‖ = 1, too, training on flipped labels recovers θ₀, its length with its direction.",
          "beyond appendix B", "theory", _theory("length", "isotropic Gaussian", "mean", less=1.0), Quantifier.ALL,
          "‖θ‖ minus ‖θ₀‖ = 1, for isotropic Gaussian inputs and infinite data", "weight", APART, origin=Origin.BEYOND,
          short="Flipped labels leave the length of θ, too"),
    Claim("label-direction-free",
          "Without ‖θ‖ = 1 flipped labels keep the direction of θ for zero-mean Gaussian inputs of any covariance.",
          "beyond appendix B", "appendix_b", direction(["label"], ["isotropic", "anisotropic"]), Quantifier.ALL,
          "angle to θ₀ as predicted and as measured at the largest n", "degrees", DEGREES, origin=Origin.BEYOND,
          short="… and its direction, if the length is free"),
    Claim("whitening-noisy-inputs",
          "Whitening the inputs after they were noised brings training on them closer to the truth, too.",
          "beyond appendix B", "appendix_b", whitening("after", Form.MORE), Quantifier.ALL,
          "angle to θ₀, without whitening after the noise minus that with it, at the largest n", "degrees", DEGREES,
          origin=Origin.BEYOND, short="Whitening noisy inputs helps, too"),
)  # fmt: skip
