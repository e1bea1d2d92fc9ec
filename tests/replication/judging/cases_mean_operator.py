"""Scores for and against every claim of the mean operator paper."""

from __future__ import annotations

import numpy as np
import pandas as pd
from tests.replication.judging.tables import Case, by_level, contest, table
from tests.replication.judging.tables import levels as against

TABLE_1 = ["logistic", "square", "matsushita", "absolute", "linear", "proper_mixture"]
OTHERS = ["hinge", "squared_hinge", "exponential"]
DATASETS = ["census", "mnist", "breast_cancer"]


def losses(**changed: float) -> pd.DataFrame:
    """Losses that keep what the paper says, the others not; a changed gap is that of the losses of table 1."""
    gaps = ["even_residual", "risk_gap", "terms_gap", "same_mu_gap", "likelihood_gap", "conjugate_gap"]
    rows = []
    for loss in [*TABLE_1, *OTHERS]:
        bent = loss in OTHERS
        row = {"loss": loss, "a": 1.0, "printed_a": 1.0, "max_residual": 0.5 if bent else 1e-14, "other_mu_gap": 0.1}
        row |= dict.fromkeys(gaps, 0.2 if bent else 1e-15)
        rows.append({**row, **({} if bent else changed)})
    return pd.DataFrame(rows)


def straightened(gap: str) -> pd.DataFrame:
    """The other losses without that gap."""
    frame = losses()
    return frame.assign(**{gap: 1e-14})


def parts(bent_even: float = 0.0) -> pd.DataFrame:
    """Two losses with linear odd parts and one a, and the hinge."""
    x = np.linspace(-2, 2, 9)
    even = {"square": x**2, "absolute": np.abs(x), "hinge": (np.maximum(0, 1 - x) + np.maximum(0, 1 + x)) / 2}
    odd = {"square": -x, "absolute": -x, "hinge": (np.maximum(0, 1 - x) - np.maximum(0, 1 + x)) / 2}
    # An even part that is none cannot be made into such a loss.
    even["hinge"] = even["hinge"] + bent_even * x**3
    return pd.concat(
        [pd.DataFrame({"loss": k, "x": x, "value": even[k] + odd[k], "even": even[k], "odd": odd[k]}) for k in even]
    )


def heights(height: float) -> pd.DataFrame:
    return table("value", height, loss=["logistic", "square", "absolute"], x=[-1.0, 0.0, 1.0])


def shifts(measured: float) -> pd.DataFrame:
    names = ["logistic", "square", "matsushita", "linear", "steep_linear"]
    levels = {"stated": 1.0, "corrected": 1.0, "measured": measured}
    return by_level("value", "quantity", levels, theorem=6, loss=names, d=[1, 10], trial=range(4))


def deviations(failure: float) -> pd.DataFrame:
    levels = dict.fromkeys(("failure_fixed", "failure_uniform"), failure) | {"draws": 10_000.0}
    return by_level("value", "quantity", levels, theorem=10, d=[1, 10], loss="logistic", delta=0.05)


def levels(factor: float) -> pd.DataFrame:
    axes = {"theorem": 9, "quantity": ["level_norm_1", "level_norm_2", "level_after"], "d": [1, 10], "alpha": 0.5}
    return table("value", 0.5 * factor, **axes)


def noise(bias: float) -> pd.DataFrame:
    return table("value", bias, 1e-3, theorem=9, quantity="bias", d=[1, 10], trial=range(8))


def models(gap: float) -> pd.DataFrame:
    return table("value", gap, theorem=3, quantity="model_gap", loss=["logistic", "square"], d=[1, 10])


def perturbed(gap: float, length: float) -> pd.DataFrame:
    lengths = table(
        "value", lambda d, **_: length * d, 1e-3, theorem=9, quantity="noise_length", d=[1, 10], trial=range(8)
    )
    return pd.concat([models(gap), lengths], ignore_index=True)


def errors(rate: float) -> pd.DataFrame:
    axes = {"dataset": "census", "mechanism": ["printed", "gamma"], "alpha": 1.0, "m": [100, 1000, 10000]}
    return table("statistic_error", lambda m, **_: m**rate, 1e-9, **axes, trial=range(8))


def useful(gain: float) -> pd.DataFrame:
    axes = {"dataset": DATASETS, "loss": ["logistic", "square"], "mechanism": "printed", "alpha": [0.1, 3.0]}
    return table("accuracy", lambda alpha, **_: 0.7 + gain * alpha, 1e-3, **axes, trial=range(8))


def recovered(exact: float, noisy: float) -> pd.DataFrame:
    axes = {"dataset": DATASETS, "m": [20, 200], "alpha": [1.0, np.inf], "trial": range(20)}
    frame = table("recovered", lambda alpha, **_: exact if alpha == np.inf else noisy, 1e-2, **axes)
    return frame.assign(majority=0.6)


def cases() -> dict[str, Case]:
    accuracy = {
        "dataset": DATASETS, "method": "mean_map", "mechanism": "none", "bags": [2, 8], "trial": range(8)
    }  # fmt: skip
    return {
        "table-1": Case(losses(), losses(even_residual=0.2)),
        "theorem-3": Case(losses(), losses(risk_gap=0.1)),
        "theorem-3-unique": Case(losses(), losses(terms_gap=0.1)),
        "corollary-4": Case(losses(), losses(other_mu_gap=0.0)),
        "permissible-conjugates": Case(losses(), losses(conjugate_gap=0.1)),
        "logistic-is-exponential-family": Case(losses(), losses(likelihood_gap=0.1)),
        "beyond-proper-losses": Case(losses(), losses(risk_gap=0.1)),
        "hinge-is-not-linear-odd": Case(losses(), straightened("max_residual")),
        "others-do-not-factorise": Case(losses(), straightened("same_mu_gap")),
        "surrogates-bound-the-0-1-loss": Case(heights(1.5), heights(0.5)),
        "kinked-loss-bounds-the-0-1-loss": Case(heights(1.5), heights(0.5)),
        "lemma-5": Case(parts(bent_even=1.0), parts()),
        "theorem-6": Case(shifts(0.5), shifts(1.5)),
        "theorem-6-for-steep-losses": Case(shifts(0.5), shifts(1.5)),
        "theorem-6-sharp": Case(shifts(0.5), shifts(1.5)),
        "theorem-9": Case(levels(1.0), levels(3.0)),
        "private-after-processing": Case(levels(1.0), levels(3.0)),
        "unbiased": Case(noise(0.0), noise(0.5)),
        "theorem-10": Case(deviations(0.01), deviations(0.5)),
        "theorem-10-uniformly": Case(deviations(0.01), deviations(0.5)),
        "two-agent-protocol": Case(models(1e-9), models(0.1)),
        "objective-perturbation": Case(perturbed(1e-9, 1.0), perturbed(1e-9, 0.2)),
        "linear-rate": Case(errors(-1.0), errors(-0.5)),
        "α-trades-utility": Case(useful(0.05), useful(-0.05)),
        "mean-map-needs-homogeneity": contest(
            "accuracy", "bagging", {"homogeneous": 0.9, "sorted": 0.7}, "homogeneous", "sorted", **accuracy
        ),
        "exact-release-gives-labels-away": Case(recovered(0.98, 0.6), recovered(0.5, 0.5)),
        "noise-hides-labels": Case(recovered(0.98, 0.6), recovered(0.6, 0.98)),
        "today-mean-operator-least": against(["gamma"], ["forward", "two_rounds"], dataset=DATASETS),
        "today-first-round-pays": against(["two_rounds"], ["forward"], dataset=DATASETS),
        "today-labels-cost-less": against(["laplace"], ["objective"], dataset=DATASETS),
    }
