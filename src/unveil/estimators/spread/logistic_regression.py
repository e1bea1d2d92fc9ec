"""Logistic regression by the spread likelihood, as scikit-learn knows classifiers."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from unveil.errors import require, warn
from unveil.estimators.linear import LinearClassifier
from unveil.estimators.spread.ascent import SpreadLogistic
from unveil.estimators.spread.noise_parameters import assume_noise, pixel_states, read_noise
from unveil.estimators.validation import validate
from unveil.protocols.base import Release
from unveil.types import Array


class SpreadLogisticRegression(SpreadLogistic, LinearClassifier):
    """Logistic regression on data seen only through label flips and pixel flips or Gaussian input noise.

    Maximises the spread likelihood (47) of Barber (section 5). Where θᵀx is normal given what was seen (Gaussian noise,
    or no noise on the inputs), and for the flipped columns of a table, the likelihood is an integral in one dimension,
    and a quasi-Newton method climbs it.
    Else, or if asked, EM as in the paper: the E-step samples clean inputs from ρ(x | x̃) of (58) and weighs them by
    (59), the M-step is one gradient step on (60) with the mean gradient.

    Parameters
    ----------
    label_flip : float or pair of float, optional
        How often labels were flipped: one probability, or (zero to one, one to zero). By default what a release says,
        and 0 for data that are given as X and y.
    input_noise : float or array of shape (n_features,), optional
        With ``noise="flips"`` the probability that a pixel was replaced by another of its `states`; with
        ``noise="gaussian"`` the variance of what was added, one for all inputs or one each. By default what a release
        says, and 0 for data that are given as X and y; these may then hold any real numbers.
    prior : {"flat", "learned", "normal"}, array (n_features, states), or pair (mean, variance), optional
        p(x). By default the law of each column is learned where a release is about a table of a hundred features at
        most, and else it is flat. Flips take "flat", "learned" (EM, (65)) or a table of probabilities, every input on
        its own.
        Gaussian noise takes "flat" (ρ is then N(x̃, σ²)); the mean and variance of a normal prior (66), or its mean and
        covariance; or "normal": mean and covariance from the noisy inputs. Where inputs are correlated, a prior
        that takes them for independent leads to another θ, however many the records.
    samples : int
        Samples an image and iteration.
    noise : {"flips", "gaussian"}
        What `input_noise` means; a release says so itself.
    states : int
        How many states a pixel has (flips only), at most 256. They are scaled to [0, 1]. A release says so itself.
    labels : {"sampled", "summed"}
        Sample the true label with each input, as the paper does, or sum over it.
    level : {"pixel", "z"}
        Sample inputs, or only z = θᵀx: exact for Gaussian noise, close for many pixels, and far cheaper.
    rate : float
        Step size of EM.
    iterations : int
        The most iterations, of EM or of the quasi-Newton method.
    l2 : float
        Weight of −l2/2 ‖θ‖² in the objective, for standardised inputs if they are; for n records of a table at least
        1/(4n), as without any weight the likelihood of few may have no maximum.
    smoothing : float
        Imaginary uniform images added when the prior is learned, so that no state dies out for good.
    fit_intercept : bool
        Learn an intercept.
    centre : bool
        Subtract the estimated mean clean input first.
    checkpoints : sequence of int
        Iterations after which the weights are kept in `coef_path_` and `intercept_path_`.
    random_state : int, numpy.random.Generator or None
        Where the samples, and a random start, come from.
    solver : {"auto", "quasi_newton", "em"}
        "auto": the quasi-Newton method where the likelihood is exact, else EM.
    standardise : bool
        Divide Gaussian inputs by their clean deviations, as far as the noisy ones show them; so their scale does not
        matter.
    start : {"zero", "random"}
        Where EM starts: at θ = 0, or at small random weights as in the paper.
    tol : float
        EM stops when the weights move by less than this share over a hundred iterations; 0: never.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (1, n_features) and (1,)
        For inputs scaled to [0, 1] (flips) or as they are (Gaussian noise).
    covariance_ : ndarray or None
        The asymptotic covariance of the weights (and the intercept, if learned), from the observed information; None
        after EM. Intervals by it assume the model, with its prior, and much data: of those for 95 %, 96.1 % covered in
        simulations with 400 records and three parameters, 94.9 % with 2,000. With a penalty they are about what it is
        drawn towards.
    converged_ : bool
        Whether the last fit ended by its rule.
    log_likelihood_ : float
        The mean log-likelihood of the noisy labels given the noisy inputs, for flips with θᵀx taken as normal.
    effective_samples_ : float
        How many samples of equal weight an image's are worth, in the last iteration of EM; ∞ where nothing was sampled.
    classes_ : ndarray of shape (2,)
        The labels in order.
    prior_ : ndarray of shape (n_features, states)
        The prior after the last iteration (flips of pictures only).
    coef_path_, intercept_path_ : ndarrays of shape (n_checkpoints, n_features) and (n_checkpoints,)
        The weights at `checkpoints`.
    n_iter_ : int
        The number of iterations that were needed.
    veil_ : tuple
        The noise that was learned through: how often labels were flipped, the level of the inputs' noise, its kind, and
        the number of states.
    n_features_in_ : int
        The number of inputs.

    See Also
    --------
    NoisyRecords : publishes such records.
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
    >>> model = SpreadLogisticRegression(0.2, 1.0, "normal", noise="gaussian").fit(noisy_X, noisy_y)
    >>> model.score(X, y), model.converged_
    (0.932, True)

    Every weight with an interval of 95 %, the intercept's last:

    >>> model.intervals().shape
    (3, 2)
    """

    no_covariance = "solver: intervals need the quasi-Newton method's observed information"

    def fit(self, X: ArrayLike | Release, y: ArrayLike | None = None) -> Self:
        """Learn from a release of the protocol "records", or from noisy inputs `X` and noisy binary labels `y`."""
        self._check_settings()
        if isinstance(X, Release):
            X.require_protocol("records", "SpreadLogisticRegression")
            require(y is None, "y must be left out: a release holds the labels")
            self.veil_ = read_noise(X.parameters, self.label_flip, self.input_noise)
            inputs, codes = validate(self, X.arrays["features"]), X.arrays["labels"].astype(np.intp)
            self.classes_ = np.asarray(X.parameters["classes"])
        else:
            self.veil_ = assume_noise(self.label_flip, self.input_noise, self.noise, self.states)
            inputs, labels = validate(self, X, y)
            if self.input_noise is None and not np.array_equal(inputs, np.rint(inputs)):
                # Of the inputs nothing was said, and they are no states: they are real numbers without noise.
                self.veil_ = self.veil_._replace(noise="gaussian")
            codes = self._name_classes(labels)
        self._learn(inputs, codes)
        if not self.converged_:
            message = f"no convergence in {self.n_iter_} iterations: raise iterations, or the penalty l2"
            warn(message, ConvergenceWarning)
        if isinstance(X, Release):
            X.warn_of(self)
        return self

    def _read(self, X: ArrayLike) -> Array:
        """*Clean* inputs, states scaled to [0, 1]."""
        inputs: Array = validate(self, X, reset=False)
        if self.veil_.noise == "flips":
            inputs = pixel_states(inputs, self.veil_.states) / self.veil_.top_states()
        return inputs
