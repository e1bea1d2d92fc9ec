"""Scores for and against every claim of the spread likelihood paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from tests.replication.judging.tables import Case, swapped, table

FIG3 = {"clean": 0.95, "noisy": 0.8, "noisy_l2_centred": 0.82} | {
    "spread_flat": 0.9, "spread_learned": 0.902, "spread_true": 0.92
}  # fmt: skip


def figure_3(levels: Mapping[str, float] = FIG3) -> pd.DataFrame:
    axes = {"p_flip": [0.1, 0.2, 0.4], "method": list(levels), "iterations": [50, 400], "trial": range(10)}
    return table("accuracy", lambda method, **_: levels[method], **axes)


def degrading(rate: float) -> pd.DataFrame:
    def mean(method: str, p_flip: float, **_: object) -> float:
        return 0.95 - (rate * p_flip if method == "noisy" else 0.0)

    return table("accuracy", mean, p_flip=[0.1, 0.4], method=["clean", "noisy"], iterations=[400], trial=range(10))


def gaussian(spread: Mapping[float, float], noisy: float) -> pd.DataFrame:
    def mean(sigma2: float, method: str, **_: object) -> float:
        return {"clean": 0.957, "noisy": noisy}.get(method, spread.get(sigma2, 0.0))

    grid: dict[str, Any] = {"iterations": [400], "trial": range(10)}
    clean = table("test_accuracy", mean, sigma2=0.0, method="clean", samples=np.nan, **grid)
    plain = table("test_accuracy", mean, sigma2=list(spread), method="noisy", samples=np.nan, **grid)
    ours = table("test_accuracy", mean, sigma2=list(spread), method="spread_sampled", samples=2, **grid)
    return pd.concat([clean, plain, ours], ignore_index=True)


def limits(spread: float, noisy: float) -> pd.DataFrame:
    axes = {"prior": ["true", "flat", "none"], "inputs": ["factorised", "correlated"], "p_flip": [0.1, 0.3]}
    return table("error", lambda prior, **_: noisy if prior == "none" else spread, **axes, n=[np.inf])


def maxima(noise_moves: bool) -> pd.DataFrame:
    def theta(p_flip: float, theta0: float, **_: object) -> float:
        return theta0 if p_flip == 0 or not noise_moves else float(theta0 > 0.5)

    return table("theta", theta, p_flip=[0.0, 0.1], theta0=[0.0, 0.3, 1.0], kind="global")


def angles(angle: float) -> pd.DataFrame:
    axes = {"covariance": ["isotropic", "anisotropic"], "mean": "zero", "noise": ["label", "input", "both"]}
    return table("angle_predicted", angle, **axes, n=[1000], intercept=False).assign(whitening="none")


def whitened(gain: float) -> pd.DataFrame:
    axes = {"covariance": "anisotropic", "mean": "zero", "noise": "input", "n": 1000, "intercept": False}
    return table(
        "angle_measured", lambda whitening, **_: 20.0 - (gain if whitening == "after" else 0.0),
        **axes, whitening=["none", "after"], trial=range(10),
    )  # fmt: skip


def divergences(safe: str) -> pd.DataFrame:
    axes = {"divergence": ["kl", "hellinger"], "n": [np.inf], "theta0": [0.2, 0.8], "target": "datum"}
    return table("theta", lambda divergence, theta0, **_: theta0 if divergence == safe else 0.5, **axes)


def votes(estimator: str, bias: float) -> pd.DataFrame:
    axes = {"n": [10000], "theta": [0.25, 0.75], "p10": 0.2, "p01": 0.2, "estimator": estimator, "trial": range(20)}
    return table("estimate", lambda theta, **_: theta + bias, **axes)


def reports(sign: float) -> pd.DataFrame:
    axes = {"p10": [0.2, 0.3], "estimator": "posterior", "releases": [1, 5, 10, 15]}
    return table("estimate", lambda releases, **_: 1 - 0.5 * np.exp(-sign * 0.1 * releases), **axes)


def cases() -> dict[str, Case]:
    fig3, good = figure_3(), gaussian({0.1: 0.944, 0.5: 0.93}, noisy=0.9)
    bad = gaussian({0.1: 0.92, 0.5: 0.91}, noisy=0.94)
    return {
        "voting-as-printed": Case(votes("printed", 0.0), votes("printed", 0.6)),
        "voting-with-minus": Case(votes("corrected", 0.0), votes("corrected", 0.6)),
        "repeats-reveal-a-vote": Case(reports(1.0), reports(-0.02)),
        "reconstruction-inconsistent": Case(maxima(True), maxima(False)),
        "spread-consistent": Case(limits(0.0, 1.0), limits(1.0, 1.0)),
        "noisy-training-inconsistent": Case(limits(0.0, 1.0), limits(0.0, 0.0)),
        "only-KL-is-safe": Case(divergences("kl"), divergences("hellinger")),
        "isotropy-suffices": Case(angles(0.0), angles(5.0)),
        "isotropy-with-input-noise": Case(angles(0.0), angles(5.0)),
        "isotropy-needed": Case(angles(5.0), angles(0.0)),
        "whitening-helps": Case(whitened(5.0), whitened(-5.0)),
        "spread-beats-noisy": Case(fig3, swapped(fig3, "method", "spread_flat", "noisy")),
        "spread-beats-tuned-noisy": Case(fig3, swapped(fig3, "method", "spread_flat", "noisy_l2_centred")),
        "true-prior-best": Case(fig3, swapped(fig3, "method", "spread_true", "noisy")),
        "flat-like-learned": Case(fig3, swapped(fig3, "method", "spread_learned", "noisy")),
        "noisy-good-at-low-noise": Case(degrading(0.2), swapped(degrading(0.2), "p_flip", 0.1, 0.4)),
        "94.4-percent": Case(good, bad),
        "93-percent": Case(good, bad),
        "loss-around-1-percent": Case(good.assign(), bad),
        "spread-beats-noisy-gaussian": Case(good, bad),
    }
