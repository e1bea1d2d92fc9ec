"""Linear classifiers learnt from the mean operator and unlabelled features (Patrini et al. 2016, algorithm 1)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from unveil.errors import require, warn
from unveil.estimators.linear import LinearClassifier
from unveil.estimators.statistics.losses import LinearOddLoss, linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.estimators.statistics.tuning import Noise, scaled_l2
from unveil.estimators.validation import require_settings, validate
from unveil.fingerprints import fingerprint
from unveil.protocols.base import Release
from unveil.types import Floats, as_numbers, require_moderate

#: λ for data in the clear.
L2 = 1e-3
#: Features up to which weights have a covariance.
MOST_COVARIANCE = 1000
_FEATURES: dict[str, Any] = {"dtype": np.float64, "order": "C", "accept_sparse": "csr"}


def has_probabilities(model: Any) -> bool:
    """Whether margins of this loss stand for probabilities, one to one where these are not 0 or 1."""
    loss = linear_odd_loss(model.loss)
    return loss.convex and loss.smoothed is None and float(loss.curvature(np.zeros(1))[0]) > 0


def record_weights(sample_weight: ArrayLike, rows: int) -> Floats:
    """The weight of each record, divided by their mean."""
    weights = as_numbers(sample_weight, "sample_weight")
    weights = np.full(rows, float(weights)) if weights.ndim == 0 else weights
    require(weights.shape == (rows,), f"sample_weight must have shape ({rows},), one a row, got {weights.shape}")
    require(np.isfinite(weights).all() and (weights >= 0).all(), "sample_weight must hold finite numbers of at least 0")
    require_moderate(weights, "sample_weight")
    require(weights.sum() > 0, "sample_weight must not be zero everywhere")
    scaled = weights / weights.max()
    around_one: Floats = scaled / scaled.mean()
    return around_one


@dataclass(eq=False, repr=False)
class MeanOperatorClassifier(LinearClassifier):
    """sgn⟨θ, x⟩ with θ minimising the mean of a linear-odd loss plus l2·‖θ‖².

    Labels enter through the mean operator alone (Patrini et al. 2016, theorem 3 and algorithm 1), so that a
    released one and unlabelled features are all that is needed. Features may be a sparse matrix.

    Parameters
    ----------
    loss : str or LinearOddLoss
        A name of `unveil.estimators.statistics.losses.LOSSES`, or the loss itself.
    l2 : float, optional
        λ ≥ 0; by default 10⁻³, and for a release what the size of its noise asks for (`public_l2`). With λ = 0 and a
        noisy statistic most losses have no minimum, which is reported as an error.
    tol : float
        The largest entry of the gradient at which to stop.
    max_iter : int
        Newton steps (for each smoothing width, where the loss has a kink).
    fit_intercept : bool
        Learn an intercept, as the weight of one more feature that is always one, and penalised like the others. The
        paper has none. From a release, or a statistic, one is learned if it has one more entry than there are features,
        the last: the mean label.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (1, n_features) and (1,)
        θ as one row, and the intercept, zero if none is learned.
    classes_ : ndarray of shape (2,)
        The labels in order, as a release names them; −1 and 1 where a statistic was learned from.
    l2_ : float
        λ in use.
    objective_, gradient_norm_ : float
        L(θ), and ‖∇L(θ)‖₂ of the (smoothed) objective.
    suboptimality_ : float
        At most how far `objective_` is above its minimum; ∞ where that is not known (λ = 0, or no convex loss).
    n_iter_ : int
        The number of steps.
    covariance_ : ndarray or None
        Of the weights (and the intercept, if learned) given the rows, of noise and of the labels' own chance, about the
        weights that the penalised risk of all labels without noise would have; None from a statistic alone, whose noise
        is not known, and for more than a thousand features.
    n_features_in_ : int
        The number of features.

    See Also
    --------
    MeanOperatorRelease, GeometricMeanOperator : mechanisms that release the statistic.
    mean_operator, mean_map : the statistic from labels, or from proportions of bags.

    Examples
    --------
    >>> from unveil import MeanOperatorClassifier, mean_operator
    >>> X = [[1.0, 0.2], [0.8, 1.0], [-1.0, 0.1], [-0.5, -1.0]]
    >>> mu = mean_operator(X, [1, 1, -1, -1])
    >>> MeanOperatorClassifier(l2=0.1).fit_statistic(X, mu).predict(X)
    array([ 1,  1, -1, -1])

    From what the owner of the labels released, and the public rows:

    >>> import numpy as np
    >>> from unveil import GeometricMeanOperator
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> y = np.where(X @ [1.0, -1.0, 0.5] > 0, "yes", "no")
    >>> release = GeometricMeanOperator(1.0).publish((X, y), classes=("no", "yes"))
    >>> bool(MeanOperatorClassifier().fit(release, X).score(X, y) > 0.9)
    True
    """

    no_covariance = "intervals need a release, or labels without weights, and at most a thousand features"

    loss: str | LinearOddLoss = "logistic"
    l2: float | None = None
    tol: float = 1e-10
    max_iter: int = 500
    _: KW_ONLY
    fit_intercept: bool = True

    def fit(
        self, X: ArrayLike | Release, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> MeanOperatorClassifier:
        """Learn from a release of the protocol "mean-operator" and the public rows that it was made from, in order.

        Or from features X with labels ±1 (or any two classes, of which the later in order counts as +1). A release in
        the place of the labels does as well, so that a pipeline may end with this: its owner publishes the rows that
        the steps before make of the public ones.
        """
        X, y = (y, X) if isinstance(y, Release) else (X, y)
        if isinstance(X, Release):
            require(sample_weight is None, "sample_weight must be left out: a release has its own")
            self._fit_release(X, y)
            X.warn_of(self)
            return self
        features, labels = validate(self, X, y, **_FEATURES)
        weights = None if sample_weight is None else record_weights(sample_weight, len(labels))
        self._name_classes(labels if weights is None else labels[weights > 0])
        signs = np.where(labels == self.classes_[1], 1.0, -1.0) * (1.0 if weights is None else weights)
        design = Design(self._augment(features, self.fit_intercept), weights)
        self._minimise(design, np.asarray(design.features.T @ signs) / len(labels))
        return self if weights is not None else self._find_covariance(design, 0.0)

    def _fit_release(self, release: Release, X: Any) -> MeanOperatorClassifier:
        release.require_protocol("mean-operator", "MeanOperatorClassifier")
        require(X is not None, "X must be given: the public rows that the release was made from")
        features, intercept = validate(self, X, **_FEATURES), bool(release.parameters["intercept"])
        columns = int(release.parameters["dimension"]) - intercept
        require(features.shape[1] == columns, f"X must have the release's {columns} columns, got {features.shape[1]}")

        def same(start: int, stop: int, text: str) -> bool:
            return fingerprint(features[start:stop]) == text

        release.require_rows(same, features.shape[0], "X")
        self.classes_ = np.asarray(release.parameters["classes"])
        design = Design(self._augment(features, intercept))
        noise = Noise(float(release.arrays["variance"].mean()) / release.records**2, 0.0)
        mu = release.arrays["sum"] / release.records
        # A loss without curvature at zero has no such rule.
        self._minimise(design, mu, scaled_l2(linear_odd_loss(self.loss), noise, design.features) or L2)
        return self._find_covariance(design, noise.own)

    def fit_statistic(self, X: ArrayLike, mu: ArrayLike) -> MeanOperatorClassifier:
        """Learn from unlabelled features and (an estimate of) their mean operator."""
        self.classes_ = np.array([-1, 1])
        features, statistic = validate(self, X, **_FEATURES), as_numbers(mu, "mu")
        design = Design(self._augment(features, self.fit_intercept and statistic.shape == (features.shape[1] + 1,)))
        return self._minimise(design, statistic)

    def _augment(self, features: Any, intercept: bool) -> Any:
        """The features, and a one for the intercept."""
        require(isinstance(self.fit_intercept, bool | np.bool_), "fit_intercept must be True or False")
        self._has_intercept = bool(intercept)
        if not intercept:
            return features
        ones = np.ones((features.shape[0], 1))
        return sparse.hstack([features, ones], "csr") if sparse.issparse(features) else np.hstack([features, ones])

    def _minimise(self, design: Design, mu: Floats, default: float = L2) -> MeanOperatorClassifier:
        loss = linear_odd_loss(self.loss)
        require_settings(self, ("tol",) if self.l2 is None else ("l2", "tol"), ("max_iter",))
        l2 = default if self.l2 is None else float(self.l2)
        require(0 < self.tol < np.inf, f"tol must be positive, got {self.tol}")
        require(self.max_iter >= 1, f"max_iter must be at least 1, got {self.max_iter}")
        found = minimise_statistic(design, loss, mu, l2, float(self.tol), int(self.max_iter))
        if not found.converged:
            message = f"no convergence in {self.max_iter} steps: the gradient's norm is {found.gradient_norm:.1e}"
            warn(message, ConvergenceWarning)
        self.coef_ = found.theta[None, : self.n_features_in_]
        self.intercept_ = found.theta[-1:].copy() if self._has_intercept else np.zeros(1)
        self.l2_ = l2
        self.objective_ = found.value
        self.gradient_norm_ = found.gradient_norm
        self.suboptimality_ = found.suboptimality
        self.n_iter_ = found.iterations
        self.covariance_ = None
        return self

    def _find_covariance(self, design: Design, noise: float) -> MeanOperatorClassifier:
        """By the delta method: θ moves by (a/2)·H⁻¹ for what μ does, by its noise and by the labels' own chance."""
        loss, m = linear_odd_loss(self.loss), design.shape[0]
        if loss.smoothed is None and design.shape[1] <= MOST_COVARIANCE:
            theta = np.append(self.coef_[0], self.intercept_) if self._has_intercept else self.coef_[0]
            margins = design.features @ theta
            means = np.clip(2 * loss.slope(margins) / loss.a, -1, 1) if has_probabilities(self) else np.zeros(m)
            hessian = design.weighted_gram(loss.curvature(margins), 1) + 2 * self.l2_ * np.eye(len(theta))
            moved = loss.a / 2 * np.linalg.pinv(hessian, hermitian=True)
            spread = design.weighted_gram(1 - means**2, 1) / m + noise * np.eye(len(theta))
            self.covariance_ = moved @ spread @ moved
        return self

    def _read(self, X: ArrayLike) -> Any:
        return validate(self, X, reset=False, **_FEATURES)

    @available_if(has_probabilities)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probabilities of both classes for which the margins would be the least risky (n, 2).

        That of the later class is ½ + e′(z)/a, with e′ the slope of the loss's even part at the margin z. Only losses
        that are convex and bend at zero have them.
        """
        loss = linear_odd_loss(self.loss)
        one = np.clip(0.5 + loss.slope(self.decision_function(X)) / loss.a, 0.0, 1.0)
        return np.column_stack([1 - one, one])

    def __sklearn_tags__(self) -> Tags:
        """Two classes, and features that may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
