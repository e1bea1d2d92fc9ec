"""The mean operator from label proportions of bags: mean map (Quadrianto et al. 2009; Patrini et al. 2016, section 3).

If a record's features depend on its bag through its label only, E[x | y, j] = E[x | y], the mean of bag j is
p_j·μ₊ + (1 − p_j)·μ₋. Bags of different proportions then give both class means by least squares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.types import Array, Floats, as_array, as_numbers


def bag_means(X: ArrayLike, bags: ArrayLike, count: int) -> tuple[Floats, Array]:
    """The mean of each bag's rows, and the bags' sizes."""
    features, members = as_numbers(X, "X"), as_array(bags, "bags")
    require(features.ndim == 2 and np.all(np.isfinite(features)), "X must be a matrix of finite numbers")
    require(members.shape == (len(features),), f"bags must have shape ({len(features)},), got {members.shape}")
    require(
        members.dtype.kind in "iu" and np.all((members >= 0) & (members < count)), f"bags must lie in 0 … {count - 1}"
    )
    sizes: Array = np.bincount(members, minlength=count)
    require(np.all(sizes > 0), "bags must not be empty: each proportion needs at least one record")
    order = np.argsort(members, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    means: Floats = np.add.reduceat(features[order], starts, axis=0) / sizes[:, None]
    return means, sizes


def mean_map(X: ArrayLike, bags: ArrayLike, proportions: ArrayLike) -> Floats:
    """μ̂ = π̂·μ̂₊ − (1 − π̂)·μ̂₋, with class means by least squares over bags, each weighted by its size.

    Assumes that a record's features depend on its bag through its label alone (Quadrianto et al. 2009; Patrini et
    al. 2016, section 3): then the mean of a bag with the share p of positives is p·μ₊ + (1 − p)·μ₋.

    Parameters
    ----------
    X : array-like of shape (n_records, n_features)
        Unlabelled features.
    bags : array-like of int, shape (n_records,)
        The bag of each record, numbered from 0.
    proportions : array-like of shape (n_bags,)
        The share of positive labels in each bag; they must differ.

    Returns
    -------
    ndarray of shape (n_features,)
        The estimated mean operator.

    See Also
    --------
    mean_operator : the same from labels.
    MeanOperatorClassifier : learns from it.

    Examples
    --------
    Half of the records of the first bag are positive, none of the second's:

    >>> from unveil import mean_map
    >>> mean_map([[2.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], bags=[0, 0, 1, 1], proportions=[0.5, 0.0])
    array([ 0.5, -0.5])
    """
    p = as_numbers(proportions, "proportions")
    require(p.ndim == 1 and p.size > 0, "proportions must be a vector, one share of positives a bag")
    require(np.all(np.isfinite(p)) and np.all((p >= 0) & (p <= 1)), "proportions must lie in [0, 1]")
    return mean_map_of(*bag_means(X, bags, len(p)), p)


def mean_map_of(means: Floats, sizes: Array, p: Floats) -> Floats:
    """The same from the bags' means and sizes, which serve for many proportions."""
    share = float(sizes @ p / sizes.sum())
    spread = p - share
    # The weighted regression of bag means on proportions: its line runs from μ₋ at p = 0 to μ₊ at p = 1.
    variance = float(sizes @ spread**2)
    require(
        variance > 1e-12 * sizes.sum(), "proportions must differ between bags: equal ones say nothing about the classes"
    )
    difference = (sizes * spread) @ means / variance
    overall = sizes @ means / sizes.sum()
    # π·μ₊ − (1−π)·μ₋ with μ± = overall + (1−π, −π)·difference.
    estimate: Floats = (2 * share - 1) * overall + 2 * share * (1 - share) * difference
    return estimate


def soft_label_operator_of(means: Floats, sizes: Array, p: Floats) -> Floats:
    """The mean operator if every record had its bag's mean label, 2p − 1: no assumption, and biased towards bags."""
    estimate: Floats = (sizes * (2 * p - 1)) @ means / sizes.sum()
    return estimate
