"""What estimators check of their arguments: scikit-learn's rules with our errors, and sizes that can be squared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from unveil.errors import UnveilError, require, require_number
from unveil.types import Array, as_reals, require_moderate


def validate(estimator: Any, X: ArrayLike, y: Any = "no_validation", **how: Any) -> Any:
    """`validate_data` with errors that name X and y.

    Its TypeError for objects that are no numbers stays what it is: scikit-learn's own tests of estimators ask for it.
    """
    from sklearn.utils.validation import validate_data  # imported late: whoever only computes needs none of it

    alone = isinstance(y, str) and y == "no_validation"
    try:
        checked = validate_data(estimator, X, y, **how)
    except ValueError as error:
        raise UnveilError(f"{'X' if alone else 'X and y'}: {' '.join(str(error).split())}") from error
    features = checked if alone else checked[0]
    require_moderate(as_reals(features.data if issparse(features) else features, "X"), "X")
    if not alone and checked[1].dtype.kind == "f":
        require_moderate(checked[1], "y")
    return checked


def require_fitted(estimator: Any, attribute: str) -> None:
    """Raise scikit-learn's own error, by its own words, where `estimator` has not learned yet."""
    if not hasattr(estimator, attribute):
        from sklearn.utils.validation import check_is_fitted  # imported late: it is a second

        check_is_fitted(estimator, attribute)


def require_settings(estimator: Any, reals: Iterable[str] = (), wholes: Iterable[str] = ()) -> None:
    """`require_number` for parameters of an estimator."""
    for name in reals:
        require_number(getattr(estimator, name), name)
    for name in wholes:
        require_number(getattr(estimator, name), name, whole=True)


def require_choice(value: object, choices: Iterable[str], name: str) -> None:
    """Raise unless `value` is one of the names."""
    known = tuple(choices)
    require(isinstance(value, str) and value in known, f"{name} must be one of {', '.join(known)}, not {value!r}")


def as_generator(random_state: object) -> Generator:
    """The generator itself, or one that starts from this seed."""
    if isinstance(random_state, Generator):
        return random_state
    seed = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    require(
        random_state is None or (seed and int(random_state) >= 0),  # type: ignore[call-overload]
        f"random_state must be a numpy Generator, a seed of at least 0, or None, not {random_state!r}",
    )
    return default_rng(random_state)  # type: ignore[arg-type]


def as_labels(y: ArrayLike, rows: int) -> Array:
    """One label a row, of at least two classes: whole numbers, truth values or text."""
    try:
        labels = np.asarray(y)
    except ValueError as error:
        raise UnveilError(f"y must hold one label a row of X: {error}") from error
    require(labels.shape == (rows,), f"X and y must have the same number of rows: {rows}, not {labels.shape} labels")
    whole = labels.dtype.kind in "biuU" or (labels.dtype.kind == "f" and bool((labels == np.floor(labels)).all()))
    require(whole, "y must hold labels: whole numbers or text")
    require(len(np.unique(labels)) >= 2, "y must hold at least two classes")
    return labels
