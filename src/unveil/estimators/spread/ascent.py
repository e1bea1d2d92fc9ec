"""Logistic regression from flipped labels and noisy inputs, by the spread likelihood (Barber, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from unveil.errors import is_real, require
from unveil.estimators.spread.exact import NormalScores, climb, normal_log_likelihood
from unveil.estimators.spread.input_posterior import flip_moments, gaussian_moments, look_up
from unveil.estimators.spread.labels import WEIGHTS, LabelWeights
from unveil.estimators.spread.noise_parameters import (
    assume_noise,
    clean_deviations,
    debias_mean,
    flip_rates,
    input_variances,
    label_matrix,
    pixel_states,
)
from unveil.estimators.spread.priors import flat_prior, given_prior, normal_prior
from unveil.estimators.spread.steps import FLIP_STEPS, EStep, GaussianPixelStep, LearningStep, ProjectedStep
from unveil.estimators.spread.tables import TableScores, read_table
from unveil.estimators.validation import as_generator, require_choice, require_settings
from unveil.types import Array, Floats, as_numbers, require_moderate

#: EM's progress is looked at after so many iterations each.
STRETCH = 100
#: The deviation of random first weights.
START = 0.01
#: Images handled at once where nothing is sampled.
BLOCK = 4096
#: A table of more features is learned from as a picture is.
MOST_COLUMNS = 100


class NormalInputs(NamedTuple):
    """Clean inputs given the noisy ones: means (n, d) and variances, in `unit`s; `middle`: their mean, as they are."""

    mean: Floats
    variance: Floats
    unit: Floats
    middle: Floats


@dataclass(eq=False, repr=False)
class SpreadLogistic:
    """What `SpreadLogisticRegression` learns, without scikit-learn: parameters and attributes are described there."""

    label_flip: float | Sequence[float] | None = None
    input_noise: float | Sequence[float] | None = None
    prior: Any = None
    samples: int = 10
    _: KW_ONLY
    noise: str = "flips"
    states: int = 256
    labels: str = "sampled"
    level: str = "pixel"
    rate: float = 0.1
    iterations: int = 400
    l2: float = 0.0
    smoothing: float = 1.0
    fit_intercept: bool = True
    centre: bool = False
    checkpoints: Sequence[int] = ()
    random_state: int | Generator | None = None
    solver: str = "auto"
    standardise: bool = True
    start: str = "zero"
    tol: float = 0.05

    def learn(self, inputs: Array, codes: Array) -> Self:
        """Learn from noisy inputs, one row a record, and noisy labels 0 and 1, both taken as they are."""
        self._check_settings()
        self.veil_ = assume_noise(self.label_flip, self.input_noise, self.noise, self.states)
        return self._learn(inputs, codes)

    def _learn(self, inputs: Array, codes: Array) -> Self:
        """From checked inputs, and labels 0 and 1."""
        matrix, veil = label_matrix(self.veil_.label_flip), self.veil_
        exact = self._exact()
        small = veil.columns is not None and len(inputs[0]) <= MOST_COLUMNS
        if small and veil.noise == "flips" and self.prior is None and self.solver != "em":
            flip, states = flip_rates(veil.input_noise, veil.states).flip, int(veil.states)
            noisy = pixel_states(inputs, states)
            self._climb_table(read_table(noisy, codes, veil.columns, flip, states, matrix, bool(self.fit_intercept)))
        elif exact is not None:
            self._climb(exact(inputs), codes, matrix)
        else:
            self._ascend(inputs, WEIGHTS[self.labels](codes, matrix))
        return self

    def _check_settings(self) -> None:
        require_choice(self.noise, ("flips", "gaussian"), "noise")
        require_choice(self.labels, ("sampled", "summed"), "labels")
        require_choice(self.level, ("pixel", "z"), "level")
        require_choice(self.solver, ("auto", "quasi_newton", "em"), "solver")
        require_choice(self.start, ("zero", "random"), "start")
        require_settings(self, ("rate", "l2", "smoothing", "tol"), ("samples", "iterations", "states"))
        require(0 <= self.tol < 1, "tol must be at least 0 and below 1")
        for name in ("fit_intercept", "centre", "standardise"):
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

    def _exact(self) -> Callable[[Array], NormalInputs] | None:
        """Where the law of θᵀx is normal given what is seen; None where EM is needed, or asked for."""
        clear = self.veil_.noise == "flips" and is_real(self.veil_.input_noise) and self.veil_.input_noise == 0
        if self.solver == "em" or (self.solver == "auto" and not (clear or self.veil_.noise == "gaussian")):
            return None
        require(clear or self.veil_.noise == "gaussian", "solver must be 'em' for flipped pixels")
        return self._clear_states if clear else self._normal_inputs

    def _clear_states(self, inputs: Array) -> NormalInputs:
        rates = flip_rates(0.0, self.veil_.states)
        states = pixel_states(inputs, rates.states) / (rates.states - 1)
        d = states.shape[1]
        self.prior_ = self._table(d)
        return NormalInputs(states, np.zeros(d), np.ones(d), states.mean(axis=0))

    def _normal_inputs(self, inputs: Array) -> NormalInputs:
        """Posterior moments of Gaussian inputs in units of their clean deviations."""
        noise = input_variances(self.veil_.input_noise, inputs.shape[1])
        if inputs.dtype == np.float32:
            require_moderate(inputs, "X", 1e15)
        noisy = inputs if inputs.dtype == np.float32 else inputs.astype(float)
        unit = clean_deviations(noisy, noise) if self.standardise else np.ones(len(noise))
        prior = normal_prior(self.prior, noisy, noise)
        if prior is not None:
            mean, variance = prior
            prior = mean / unit, variance / (np.outer(unit, unit) if variance.ndim == 2 else unit**2)
        moments = gaussian_moments((noisy / unit).astype(noisy.dtype), noise / unit**2, prior)
        return NormalInputs(*moments, unit, noisy.mean(axis=0, dtype=float))

    def _climb(self, seen: NormalInputs, codes: Array, matrix: Floats) -> None:
        """The quasi-Newton method on the exact likelihood; the intercept is one more input, without penalty."""
        mean, variance, d = seen.mean.astype(float), seen.variance, seen.mean.shape[1]
        middle = seen.middle / seen.unit if self.centre else np.zeros(d)
        mean, penalty = mean - middle, np.full(d, float(self.l2))
        if self.fit_intercept:
            mean, penalty = np.column_stack([mean, np.ones(len(mean))]), np.append(penalty, 0.0)
            variance = np.pad(variance, (0, 1))
        self._climb_scores(NormalScores(mean, variance, codes, matrix), penalty, self._back(seen.unit, middle))

    def _climb_table(self, scores: TableScores) -> None:
        """The same for the flipped columns of a table."""
        d = scores.values[0].shape[1] - self.fit_intercept
        penalty = np.append(np.full(d, max(float(self.l2), 1 / (4 * scores.records))), [0.0] * self.fit_intercept)
        self._climb_scores(scores, penalty, np.eye(d + 1))

    def _climb_scores(self, scores: NormalScores | TableScores, penalty: Floats, back: Floats) -> None:
        found = climb(scores, penalty, int(self.iterations))
        self._keep(back @ found.theta if self.fit_intercept else back[:, :-1] @ found.theta)
        self.log_likelihood_ = scores(found.theta)[0] / scores.records
        self.effective_samples_ = np.inf
        self.converged_, self.n_iter_ = found.converged, found.iterations
        self.covariance_: Floats | None = self._covariance(scores, found.theta, penalty, back)

    def _back(self, unit: Floats, middle: Floats) -> Floats:
        """The matrix from weights and intercept of standardised, centred inputs to those of inputs as they are."""
        back = np.diag(np.append(1 / unit, 1.0))
        back[-1, :-1] = -middle
        return back

    def _covariance(self, scores: NormalScores | TableScores, theta: Floats, penalty: Floats, back: Floats) -> Floats:
        """Of the weights (and the intercept, if learned), from the observed information."""
        information = scores.information(theta)
        inverse = np.linalg.pinv(information + scores.records * np.diag(penalty), hermitian=True)
        way = back if self.fit_intercept else back[:-1, :-1]
        return np.asarray(way @ inverse @ information @ inverse @ way.T)

    def _keep(self, weights: Floats) -> None:
        """The weights, the intercept last."""
        self.coef_, self.intercept_ = weights[None, :-1], weights[-1:]
        points = len(self.checkpoints)
        self.coef_path_ = np.repeat(self.coef_, points, axis=0)
        self.intercept_path_ = np.repeat(self.intercept_, points)

    def _table(self, pixels: int) -> Floats:
        """The prior to start from."""
        states = int(self.veil_.states)
        if self.prior is not None and not isinstance(self.prior, str):
            return given_prior(self.prior, pixels, states)
        require(self.prior in (None, "flat", "learned"), "prior must be 'flat', 'learned' or a table for flips")
        # ASSUME: the paper does not say where EM of the prior starts: at the flat one.
        return flat_prior(pixels, states)

    def _flip_step(self, inputs: Array, labels: LabelWeights) -> tuple[EStep, NormalInputs]:
        """The E-step for flipped pixels, and the moments of the clean inputs before any step."""
        rates = flip_rates(self.veil_.input_noise, self.veil_.states)
        noisy = pixel_states(inputs, self.veil_.states)
        prior = self._table(noisy.shape[1])
        learned = isinstance(self.prior, str) and self.prior == "learned"
        step = FLIP_STEPS[self.level](noisy, labels, rates, int(self.samples), prior)
        self.prior_ = prior
        d = noisy.shape[1]
        seen = NormalInputs(np.empty((0, d)), np.zeros(d), np.ones(d), debias_mean(noisy, rates))
        return (LearningStep(step, prior, self.smoothing) if learned else step), seen

    def _ascend(self, inputs: Array, labels: LabelWeights) -> None:
        """EM: gradient steps on the energy; the inputs enter as x − `middle` if they are to be centred."""
        rng, images = as_generator(self.random_state), len(inputs)
        if self.veil_.noise == "gaussian":
            seen = self._normal_inputs(inputs)
            require(seen.variance.ndim == 1, "solver must be 'quasi_newton' for a prior with a covariance")
            kind = GaussianPixelStep if self.level == "pixel" else ProjectedStep.of
            step: EStep = kind(seen.mean, seen.variance, labels, int(self.samples))
        else:
            step, seen = self._flip_step(inputs, labels)
        middle = seen.middle / seen.unit if self.centre else np.zeros(len(seen.unit))
        # ASSUME: the paper starts at random weights of a size that it does not say.
        theta = START * rng.standard_normal(len(middle)) if self.start == "random" else np.zeros(len(middle))
        intercept, before, path = 0.0, theta, {}
        self.converged_, effective = self.tol == 0, np.inf
        for iteration in range(1, int(self.iterations) + 1):
            expected = step(theta, intercept - float(middle @ theta), rng)
            gradient = (expected.gradient - expected.intercept * middle) / images
            theta = theta + self.rate * (gradient - self.l2 * theta)
            # Written so that it also catches what is not a number; single precision ends near 1e38.
            require(np.abs(theta).max() < 1e30, "the weights grow without bound: lower rate or l2")
            if self.fit_intercept:
                intercept += self.rate * expected.intercept / images
            effective = expected.effective
            if iteration in self.checkpoints:
                path[iteration] = np.append(theta, intercept)
            if iteration % STRETCH == 0 and self.tol > 0:
                moved = float(np.linalg.norm(theta - before))
                if moved <= self.tol * float(np.linalg.norm(theta)):
                    self.converged_ = True
                    break
                before = theta
        self.n_iter_, self.effective_samples_, self.covariance_ = iteration, effective, None
        back, last = self._back(seen.unit, middle), np.append(theta, intercept)
        self._keep(back @ last)
        # An ascent that stopped earlier stays where it is.
        kept = [back @ path.get(point, last) for point in self.checkpoints]
        self.coef_path_ = np.array([weights[:-1] for weights in kept]).reshape(-1, len(theta))
        self.intercept_path_ = np.array([weights[-1] for weights in kept])
        if isinstance(step, LearningStep):
            self.prior_ = step.prior
        self.log_likelihood_ = self._likelihood_at(inputs, labels, seen, last, middle)

    def _likelihood_at(
        self, inputs: Array, labels: LabelWeights, seen: NormalInputs, weights: Floats, middle: Floats
    ) -> float:
        """The mean log-likelihood of the noisy labels, θᵀx taken as normal."""
        total = 0.0
        for start in range(0, len(inputs), BLOCK):
            part = slice(start, start + BLOCK)
            mean, variance = seen.mean[part], seen.variance
            if self.veil_.noise == "flips":
                mean, variance = self._flip_moments(inputs[part])
            z = (mean - middle) @ weights[:-1] + weights[-1]
            deviation = np.sqrt(np.broadcast_to(variance @ weights[:-1] ** 2, len(z)))
            total += normal_log_likelihood(z, deviation, labels.noisy_labels[part], labels.matrix)
        return total / len(inputs)

    def _flip_moments(self, inputs: Array) -> tuple[Floats, Floats]:
        states = int(self.veil_.states)
        rates, noisy = flip_rates(self.veil_.input_noise, states), pixel_states(inputs, states)
        mean, variance = flip_moments(self.prior_, rates, np.arange(states) / (states - 1))
        return look_up(mean, noisy.T), look_up(variance, noisy.T)
