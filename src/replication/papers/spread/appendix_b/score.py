"""Appendix B: the direction in which noisy training ends, predicted for much data and measured on samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.linalg import inv, sqrtm
from scipy.special import expit

from replication.papers.spread.appendix_b.settings import Score
from replication.papers.spread.noisy_regression import NoisyRegression, angle, fit_logistic
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.types import Array, Floats

COLUMNS = ["covariance", "mean", "noise", "n", "trial", "angle_predicted", "angle_measured"]
COLUMNS += ["intercept", "whitening"]


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
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
        # ASSUME: whitening has its say where noise on the inputs turns the direction.
        whitened = (covariance, mean) == ("anisotropic", "zero") and noise != "label"
        predicted = [angle(law.optimum(intercept), law.theta0) for intercept in (False, True)]
        for n, trial in product(sizes, trials):
            rows += [
                (covariance, mean, noise, n, trial.number, *angles)
                for angles in _angles(
                    law, predicted, flip, n, trial.rng_of(covariance, mean, noise, n), whitened=whitened
                )
            ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})


def _angles(
    law: NoisyRegression, predicted: Sequence[float], flips: LabelFlips, n: int, rng: Generator, *, whitened: bool
) -> Iterator[tuple[float, float, bool, str]]:
    """Angles predicted and measured, without an intercept and with one; whitened after and before the noise.

    All from one sample and one draw of its noise, so that they can be held against each other.
    """
    root = np.real(sqrtm(law.covariance))
    normal = rng.standard_normal((n, len(law.theta0)))
    clean = law.mean + normal @ root
    labels = flips.release((rng.random(n) < expit(clean @ law.theta0)).astype(np.uint8), rng)
    noise = GaussianInputNoise(law.variance).release(np.zeros_like(clean), rng)
    for intercept, foreseen in zip((False, True), predicted, strict=True):
        found = _fit(clean + noise, labels, intercept)
        yield foreseen, angle(found, law.theta0), intercept, "none"
    if whitened:
        # Whitened clean inputs are isotropic, like their noise; whitening noisy ones changes nothing.
        after = inv(np.real(sqrtm(law.noisy_covariance)))
        found = after @ _fit((clean + noise) @ after, labels, intercept=False)
        yield angle(law.projection, law.theta0), angle(found, law.theta0), False, "after"
        found = inv(root) @ _fit(normal + noise, labels, intercept=False)
        yield 0.0, angle(found, law.theta0), False, "before"


def _fit(inputs: Floats, labels: Array, intercept: bool) -> Floats:
    """Plain maximum likelihood on what was released."""
    features = np.column_stack([inputs, np.ones(len(inputs))]) if intercept else inputs
    return fit_logistic(features, labels.astype(float))[: inputs.shape[1]]
