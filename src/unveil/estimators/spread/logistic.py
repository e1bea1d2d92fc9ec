"""Logistic regression from flipped labels and noisy inputs, by the spread likelihood (Barber, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require
from unveil.estimators.spread.input_posterior import gaussian_moments
from unveil.estimators.spread.labels import LabelWeights, SampledLabels, SummedLabels
from unveil.estimators.spread.noise_parameters import debiased_mean, flip_rates, label_matrix, pixel_states
from unveil.estimators.spread.priors import flat_prior, given_prior, normal_prior
from unveil.estimators.spread.steps import EStep, GaussianPixelStep, LearningStep, ProjectedStep, flip_step
from unveil.estimators.validation import as_generator, require_choice, require_settings, validated
from unveil.types import Array, Floats, as_numbers, require_moderate


class SpreadLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression on data seen only through label flips and pixel flips or Gaussian input noise.

    EM on the spread likelihood (47) of Barber (section 5): the E-step samples clean inputs from ρ(x | x̃) of (58)
    and weighs them by (59), the M-step is one gradient step on (60) with the mean gradient, from θ = 0.

    Parameters
    ----------
    label_flip : float or pair of float
        How often labels were flipped: one probability, or (zero to one, one to zero).
    input_noise : float
        With ``noise="flips"`` the probability that a pixel was replaced by another of its `states`; with
        ``noise="gaussian"`` the variance of what was added.
    prior : {"flat", "learned"}, array of shape (n_features, states), or pair (mean, variance)
        p(x) of every input on its own. Flips take "flat", "learned" (EM, (65)) or a table of probabilities;
        Gaussian noise takes "flat" (ρ is then N(x̃, σ²)) or the mean and variance of a normal prior (66).
    samples : int
        Samples an image and iteration.
    noise : {"flips", "gaussian"}
        What `input_noise` means.
    states : int
        How many states a pixel has (flips only), at most 256. They are scaled to [0, 1].
    labels : {"sampled", "summed"}
        Sample the true label with each input, as the paper does, or sum over it.
    level : {"pixel", "z"}
        Sample inputs, or only z = θᵀx: exact for Gaussian noise, close for many pixels, and far cheaper.
    rate : float
        Step size.
    iterations : int
        Number of EM iterations.
    l2 : float
        Weight of −l2/2 ‖θ‖² in the objective.
    smoothing : float
        Imaginary uniform images added when the prior is learned, so that no state dies out for good.
    fit_intercept : bool
        Learn an intercept.
    centre : bool
        Subtract the estimated mean clean input first.
    checkpoints : sequence of int
        Iterations after which the weights are kept in `coef_path_` and `intercept_path_`.
    random_state : int, numpy.random.Generator or None
        Where the samples come from.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (1, n_features) and (1,)
        For inputs scaled to [0, 1] (flips) or as they are (Gaussian noise).
    classes_ : ndarray of shape (2,)
        The labels in order.
    prior_ : ndarray of shape (n_features, states)
        The prior after the last iteration (flips only).
    coef_path_, intercept_path_ : ndarrays of shape (n_checkpoints, n_features) and (n_checkpoints,)
        The weights at `checkpoints`.
    n_iter_ : int
        The number of iterations.
    n_features_in_ : int
        The number of inputs.

    See Also
    --------
    LabelFlips, PixelFlips, GaussianInputNoise : the mechanisms.
    SpreadLikelihood : the same principle for any model over finitely many states.

    Examples
    --------
    A fifth of the labels flipped, and inputs with as much noise as signal:

    >>> import numpy as np
    >>> from unveil import SpreadLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = rng.normal(2.0 * y[:, None] - 1.0, 1.0, (500, 2))
    >>> noisy_X, noisy_y = X + rng.normal(size=X.shape), np.where(rng.random(500) < 0.2, 1 - y, y)
    >>> model = SpreadLogisticRegression(0.2, 1.0, noise="gaussian", level="z", iterations=50, random_state=0)
    >>> bool(model.fit(noisy_X, noisy_y).score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        label_flip: float | Sequence[float] = 0.0,
        input_noise: float = 0.0,
        prior: Any = "flat",
        samples: int = 10,
        *,
        noise: str = "flips",
        states: int = 256,
        labels: str = "sampled",
        level: str = "pixel",
        rate: float = 0.1,
        iterations: int = 400,
        l2: float = 0.0,
        smoothing: float = 1.0,
        fit_intercept: bool = False,
        centre: bool = False,
        checkpoints: Sequence[int] = (),
        random_state: int | Generator | None = None,
    ) -> None:
        self.label_flip = label_flip
        self.input_noise = input_noise
        self.prior = prior
        self.samples = samples
        self.noise = noise
        self.states = states
        self.labels = labels
        self.level = level
        self.rate = rate
        self.iterations = iterations
        self.l2 = l2
        self.smoothing = smoothing
        self.fit_intercept = fit_intercept
        self.centre = centre
        self.checkpoints = checkpoints
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> SpreadLogisticRegression:
        """Learn from noisy inputs `X` and noisy binary labels `y`."""
        self._check_settings()
        matrix = label_matrix(self.label_flip)
        inputs, labels = validated(self, X, y, dtype="numeric")
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        require(
            len(self.classes_) == 2,
            f"y must be binary. Only binary classification is supported. The type of the target is "
            f"{type_of_target(labels)}; it has {len(self.classes_)} class(es).",
        )
        weigh = (SampledLabels if self.labels == "sampled" else SummedLabels)(codes, matrix)
        step, mean = self._step(inputs, weigh)
        self._ascend(step, mean if self.centre else np.zeros_like(mean), len(inputs))
        if isinstance(step, LearningStep):
            self.prior_ = step.prior
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """θᵀx and the intercept: the log-odds of the second class for *clean* inputs."""
        check_is_fitted(self)
        inputs = validated(self, X, reset=False, dtype="numeric")
        if self.noise == "flips":
            inputs = pixel_states(inputs, self.states) / (self.states - 1)
        scores: Floats = inputs @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probabilities of both classes."""
        one = expit(self.decision_function(X))
        return np.column_stack([1 - one, one])

    def predict(self, X: ArrayLike) -> Array:
        """The likelier class."""
        scores = self.decision_function(X)
        chosen: Array = self.classes_[(scores > 0).astype(int)]
        return chosen

    def __sklearn_tags__(self) -> Any:
        """Binary labels only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_settings(self) -> None:
        require_choice(self.noise, ("flips", "gaussian"), "noise")
        require_choice(self.labels, ("sampled", "summed"), "labels")
        require_choice(self.level, ("pixel", "z"), "level")
        require_settings(self, ("input_noise", "rate", "l2", "smoothing"), ("samples", "iterations", "states"))
        for name in ("fit_intercept", "centre"):
            require(isinstance(getattr(self, name), bool | np.bool_), f"{name} must be True or False")
        require(1 <= self.samples <= 10**6, "samples must be at least 1, and at most a million")
        require(1 <= self.iterations <= 10**9, "iterations must be at least 1, and at most 10^9")
        require(0 < self.rate < np.inf, "rate must be positive and finite")
        require(0 <= self.l2 < np.inf, "l2 must be finite and not negative")
        require(0 < self.smoothing < np.inf, "smoothing must be positive and finite")
        points = as_numbers(self.checkpoints, "checkpoints")
        require(points.ndim == 1, "checkpoints must be a list of whole numbers")
        require(
            bool(((points >= 1) & (points <= self.iterations) & (points == np.floor(points))).all()),
            "checkpoints must be whole numbers and lie between 1 and iterations",
        )

    def _step(self, inputs: Array, labels: LabelWeights) -> tuple[EStep, Floats]:
        """The E-step, and the estimated mean of the clean inputs."""
        if self.noise == "gaussian":
            return self._gaussian_step(inputs, labels), inputs.mean(axis=0, dtype=float)
        rates = flip_rates(self.input_noise, self.states)
        noisy = pixel_states(inputs, self.states)
        prior = self._table(noisy.shape[1])
        learned = isinstance(self.prior, str) and self.prior == "learned"
        step = flip_step(noisy, labels, rates, int(self.samples), prior, level=self.level, count_states=learned)
        self.prior_ = prior
        mean = debiased_mean(noisy, rates)
        return (LearningStep(step, prior, self.smoothing) if learned else step), mean

    def _table(self, pixels: int) -> Floats:
        """The prior to start from."""
        if isinstance(self.prior, str):
            require(self.prior in ("flat", "learned"), "prior must be 'flat', 'learned' or a table for flips")
            # ASSUME: the paper does not say where EM of the prior starts: at the flat one.
            return flat_prior(pixels, int(self.states))
        return given_prior(self.prior, pixels, int(self.states))

    def _gaussian_step(self, inputs: Array, labels: LabelWeights) -> EStep:
        require(0 <= self.input_noise < np.inf, "input_noise must be a finite variance, not negative")
        if inputs.dtype == np.float32:
            require_moderate(inputs, "X", 1e15)
        noisy = inputs if inputs.dtype == np.float32 else inputs.astype(float)
        mean, variance = gaussian_moments(noisy, self.input_noise, *normal_prior(self.prior, noisy.shape[1]))
        kind = GaussianPixelStep if self.level == "pixel" else ProjectedStep
        return kind(mean, variance, labels, int(self.samples))

    def _ascend(self, step: EStep, mean: Floats, images: int) -> None:
        """Gradient steps on the energy; the inputs enter as x − `mean`."""
        rng = as_generator(self.random_state)
        # ASSUME: the paper starts at random; the energy is concave in θ for fixed weights, so 0 loses nothing.
        theta, intercept = np.zeros(len(mean)), 0.0
        path: dict[int, tuple[Floats, float]] = {}
        for iteration in range(1, int(self.iterations) + 1):
            expected = step(theta, intercept - float(mean @ theta), rng)
            gradient = (expected.gradient - expected.intercept * mean) / images
            theta = theta + self.rate * (gradient - self.l2 * theta)
            # Written so that it also catches what is not a number; single precision ends near 1e38.
            require(np.abs(theta).max() < 1e30, "the weights grow without bound: lower rate or l2")
            if self.fit_intercept:
                intercept += self.rate * expected.intercept / images
            if iteration in self.checkpoints:
                path[iteration] = (theta, intercept - float(mean @ theta))
        self.coef_ = theta[None]
        self.intercept_ = np.array([intercept - mean @ theta])
        self.coef_path_ = np.array([path[point][0] for point in self.checkpoints]).reshape(-1, len(theta))
        self.intercept_path_ = np.array([path[point][1] for point in self.checkpoints])
        self.n_iter_ = self.iterations
