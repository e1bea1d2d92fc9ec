"""Claims on consistency, sections 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin, measure
from replication.judging.statistics import alike, differences, exactly, least, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier
from replication.papers.spread.claims.common import APART, MNIST

SAME = Matters(1e-3, "infinite data is computed to this precision")


def noise_is_valid(scores: pd.DataFrame) -> list[Observation]:
    """The least singular value of the noise's matrix, for labels and for pixels."""
    own = rows(scores, quantity="validity")
    return least(own["value"], [own["inputs"], own["zero_to_one"]], "{}, p = {:g}")


def objective_is_coupled(scores: pd.DataFrame) -> list[Observation]:
    """The contrast of the likelihood between θ and the inputs' law: none on clean data, some on noisy."""
    found = rows(scores, quantity="coupling").groupby("zero_to_one")["value"]
    clean, noisy = found.max().loc[[0.0]], found.min().drop(0.0)
    return [
        *exactly({f"noisy data, p = {p:g}": value for p, value in noisy.items()}),
        *exactly({"clean data": float(clean.iloc[0])}, Form.SAME),
    ]


def no_better_than_sampling(scores: pd.DataFrame) -> list[Observation]:
    """How far from the truth a factorised q ends, minus how far the tightest bound does, at the θ₀ that favours it."""
    ends = {form: rows(scores, quantity=f"{form}_q").set_index(["zero_to_one", "trial"])["value"]
            for form in ("factorised", "exact")}  # fmt: skip
    return least(ends["factorised"] - ends["exact"], "zero_to_one", "p = {:g}")


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


@measure
def consistent(scores: pd.DataFrame, priors: Mapping[str, list[str]]) -> list[Observation]:
    """Distance from the truth in the limit, of some priors by the kind of inputs."""
    limits, found = _limits(scores), {}
    for inputs, chosen in priors.items():
        own = limits[(limits["inputs"] == inputs) & limits["prior"].isin(chosen)]
        for (prior, p), part in own.groupby(["prior", "p_flip"]):
            found[f"{prior} prior, {inputs} inputs, p = {p:g}"] = float(part["error"].max())
    if not found:
        raise CannotTell("the scores have none of the priors that the claim speaks of")
    return exactly(found, Form.SAME)


def noisy_is_inconsistent(scores: pd.DataFrame) -> list[Observation]:
    """How far from the truth plain training on infinite noisy data ends."""
    own = rows(_limits(scores), prior="none")
    return least(own["error"], [own["inputs"], own["p_flip"]], "{} inputs, p = {:g}")


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


CLAIMS: tuple[Claim, ...] = (
    Claim("spread-consistent",
          "If data come from the model and the noise is valid, the maximum of the spread likelihood of an identifiable "
          "model is consistent, though trained on corrupted data only.",
          "abstract, section 4.1, section 8", "consistency", consistent(CONTAINS), Quantifier.ALL,
          "‖θ − θ₀‖ in the limit of infinite data", "weight", SAME,
          short="The spread likelihood is consistent", headline=True),
    Claim("flips-are-valid-noise",
          "The flips of section 6, of labels and of pixels, are valid spread noise: their matrix is invertible.",
          "section 2", "theory", noise_is_valid, Quantifier.ALL,
          "least singular value of the noise's matrix, above zero", "probability", SAME,
          short="The digits' noise is valid"),
    Claim("clean-separable-noisy-coupled",
          "On clean data the objective is separable; on corrupted data θ is coupled with the inputs' law.",
          "section 5", "theory", objective_is_coupled, Quantifier.ALL,
          "difference that the inputs' law makes to what θ adds to the likelihood", "nats",
          Matters(1e-6, "rounding is far below, and half a unit of θ far above"),
          short="Noise couples θ with the inputs' law"),
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
          "Minimising another f-divergence in place of KL is not guaranteed to recover the truth.",
          "section 4.4, (39), (40)", "divergences", other_divergences_fail, Quantifier.SOME,
          "|θ − θ₀| in the limit of infinite data, worst θ₀", "probability", APART,
          short="Other divergences than KL can miss the truth"),
    Claim("importance-sampling-consistent",
          "As samples grow, importance sampling estimates the tightest bound consistently: its θ tends to that of "
          "exact label sums.",
          "section 5.1", "samples", importance_sampling_converges, Quantifier.ALL,
          "‖θ‖ with sampled labels over that with summed ones, at the most samples", "factor (log)",
          Matters(0.05, "a twentieth of ‖θ‖, far below what noise takes from it"), MNIST,
          short="Importance sampling converges with S"),
    Claim("parametric-q-no-better",
          "Learning a parametric q (inputs and label independent, here) is no improvement on importance sampling, "
          "which estimates the tightest bound.",
          "section 5.1", "theory", no_better_than_sampling, Quantifier.ALL,
          "‖θ − θ₀‖ with a factorised q minus that with the tightest bound, infinite data, least over the θ₀ drawn",
          "weight", SAME, short="A parametric q is no better",
          choices=(Choice("parametric-q", "“a parametric q” (section 5.1), without a form", "a factorised one"),)),
    Claim("factorised-priors-consistent",
          "Section 6's factorised priors, the true marginals among them, are consistent where inputs are correlated, "
          "too.",
          "beyond section 4.1 (the inputs do not come from the model)", "consistency",
          consistent({"correlated": ["true", "learned"]}), Quantifier.ALL,
          "‖θ − θ₀‖ in the limit of infinite data", "weight", SAME, origin=Origin.BEYOND,
          short="Factorised priors suffice for correlated inputs"),
    Claim("flat-prior-consistent",
          "Section 6's flat prior is consistent where inputs are not flat, too.",
          "beyond section 4.1 (the inputs do not come from the model)", "consistency",
          consistent({"factorised": ["flat"], "correlated": ["flat"]}), Quantifier.ALL,
          "‖θ − θ₀‖ in the limit of infinite data", "weight", SAME, origin=Origin.BEYOND,
          short="A flat prior suffices"),
)  # fmt: skip
