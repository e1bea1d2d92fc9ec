"""Appendix B: the direction in which noisy training ends, predicted for much data and measured on samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import inv, sqrtm
from scipy.special import expit

from replication.arrays import Fields, Named
from replication.papers.spread.appendix_b.settings import Score
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.theory.noisy_regression import NoisyRegression, angle, fit_logistic
from unveil.types import Array, Floats

COLUMNS = ["covariance", "mean", "noise", "n", "trial", "angle_predicted", "angle_measured"]
COLUMNS += ["intercept", "whitening"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """Angles to θ₀ in degrees; anisotropic inputs have `variances` along random axes and mean `shift`."""
    theta, sizes = np.asarray(settings.theta, dtype=float), settings.sizes
    d = len(theta)
    # ASSUME: the paper names no covariance; these axes are drawn once, from the figure's first trial.
    axes = np.linalg.qr(trials[0].public.standard_normal((d, d)))[0]
    covariances = {
        "isotropic": np.eye(d) * float(np.mean(settings.variances)),
        "anisotropic": axes @ np.diag(settings.variances) @ axes.T,
    }
    means = {"zero": np.zeros(d), "nonzero": np.asarray(settings.shift, dtype=float)}
    flips, none = LabelFlips(*settings.label_flips), LabelFlips(0.0)
    noises = {"label": (flips, 0.0), "input": (none, settings.input_noise), "both": (flips, settings.input_noise)}
    rows: list[tuple[Any, ...]] = []
    cases = product(covariances.items(), means.items(), noises.items())
    for (covariance, sigma), (mean, mu), (noise, (flip, variance)) in cases:
        law = NoisyRegression(theta, mu, sigma, flip.matrix, variance)
        predicted = {intercept: angle(law.optimum(intercept), law.theta0) for intercept in (False, True)}
        for n, trial in product(sizes, trials):
            inputs, labels = _sample(law, flip, n, trial, whitening="none")
            rows += [
                (covariance, mean, noise, n, trial.number, predicted[intercept],
                 angle(_fit(inputs, labels, intercept), law.theta0), intercept, "none")
                for intercept in predicted
            ]  # fmt: skip
    law = NoisyRegression(theta, means["zero"], covariances["anisotropic"], none.matrix, settings.input_noise)
    rows += [row for n, trial in product(sizes, trials) for row in _whitened(law, n, trial)]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})


def _sample(law: NoisyRegression, flips: LabelFlips, n: int, trial: Trial, whitening: str) -> tuple[Floats, Array]:
    """Noisy inputs and labels; whitened before the noise, after it, or not at all."""
    root = np.real(sqrtm(law.covariance))
    normal = trial.rng.standard_normal((n, len(law.theta0)))
    clean = law.mean + normal @ root
    labels = flips.release((trial.rng.random(n) < expit(clean @ law.theta0)).astype(np.uint8), trial.rng)
    owned = normal if whitening == "before" else clean
    noisy = GaussianInputNoise(law.variance).release(owned, trial.rng)
    return (noisy @ inv(np.real(sqrtm(law.noisy_covariance))) if whitening == "after" else noisy), labels


def _whitened(law: NoisyRegression, n: int, trial: Trial) -> list[tuple[Any, ...]]:
    """Whitened clean inputs are isotropic, like their noise; whitening noisy ones changes nothing."""
    maps = {"before": np.real(sqrtm(law.covariance)), "after": np.real(sqrtm(law.noisy_covariance))}
    predicted = {"before": law.theta0, "after": law.projection}
    rows = []
    for whitening, root in maps.items():
        inputs, labels = _sample(law, LabelFlips(0.0), n, trial, whitening)
        measured = inv(root) @ _fit(inputs, labels, intercept=False)
        angles = angle(predicted[whitening], law.theta0), angle(measured, law.theta0)
        rows.append(("anisotropic", "zero", "input", n, trial.number, *angles, False, whitening))
    return rows


def _fit(inputs: Floats, labels: Array, intercept: bool) -> Floats:
    """Plain maximum likelihood on what was released."""
    features = np.column_stack([inputs, np.ones(len(inputs))]) if intercept else inputs
    return fit_logistic(features, labels.astype(float))[: inputs.shape[1]]
