"""What a fitted estimator predicts from, as numbers and texts, and how it gets that back: nothing is fitted again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unveil.errors import is_real, require

#: Numbers, texts and arrays by name.
State = dict[str, Any]
#: Attributes that those predict from which keep it as it is, and what is worth reading; the others say it themselves.
PLAIN: Mapping[str, tuple[str, ...]] = {
    "MeanOperatorClassifier": ("n_features_in_", "classes_", "coef_", "intercept_", "gradient_norm_"),
    "MomentRegression": ("n_features_in_", "coef_", "intercept_", "covariance_", "rank_", "_has_intercept"),
    "CountTagger": ("words_", "feature_index_", "features_", "n_tags_", "classes_", "coef_"),
    "SpreadLogisticRegression": ("n_features_in_", "classes_", "coef_", "intercept_", "covariance_", "veil_"),
}


def state_of(estimator: Any) -> State:
    """What it predicts from."""
    names = PLAIN.get(type(estimator).__name__)
    if names is not None:
        return {name: getattr(estimator, name) for name in names}
    return {"n_features_in_": estimator.n_features_in_, "classes_": estimator.classes_, **estimator._state()}


def restore(estimator: Any, found: State) -> None:
    """Give an estimator its state, which somebody else may have written: no more and nothing else than it has."""
    names = PLAIN.get(type(estimator).__name__)
    if names is not None:
        require(set(found) == {*names}, f"it must hold {', '.join(names)}")
        for name, value in found.items():
            setattr(estimator, name, _plain(value, name))
        return
    own = dict(found)
    estimator.n_features_in_, estimator.classes_ = int(own.pop("n_features_in_")), np.asarray(own.pop("classes_"))
    estimator._restore(**own)
    # What does not fit together shows before anybody asks for more.
    shares = estimator.predict([np.zeros((1, estimator.n_features_in_))])
    require(shares.shape == (1, len(estimator.classes_)), "it must foretell a share of each class")


def _plain(value: Any, name: str) -> Any:
    """Lists become what they were: tuples of words, arrays of classes, what is known of a veil."""
    if name == "veil_":
        from unveil.estimators.spread.noise_parameters import Veil

        return Veil(*value)
    if isinstance(value, list):
        require(all(isinstance(entry, str) for entry in value), f"{name} must hold texts")
        return np.asarray(value) if name == "classes_" else tuple(value)
    if isinstance(value, dict):
        require(all(is_real(entry) for entry in value.values()), f"{name} must hold numbers")
    return value
