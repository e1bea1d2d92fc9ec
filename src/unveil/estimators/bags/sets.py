"""What quantifiers are fitted to, sets with proportions or a release of them, and what they are asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.estimators.bags.mmd_gram import as_bags, checked_points
from unveil.protocols.base import Release
from unveil.types import Array, as_array

#: Sets with their proportions, or the proportions as they were released with their sets.
Fitted = Sequence[ArrayLike] | Release
Held = tuple[Sequence[ArrayLike], ArrayLike]


class ShownSets(NamedTuple):
    """Sets, their proportions, how large the noise of each set's is where it is known, and the classes' names."""

    bags: Sequence[ArrayLike]
    proportions: ArrayLike
    noise: Array | None
    classes: Array


def shown_sets(bags: Fitted, proportions: Any, estimator: str) -> ShownSets:
    """The arguments of `fit`: sets and proportions, or a release of the protocol "ratios" and its sets, in order."""
    if not isinstance(bags, Release):
        require(
            not isinstance(proportions, Release), "bags must come last where a release is given: fit(release, bags)"
        )
        require(proportions is not None, "proportions must be given, or bags be a release")
        shape = as_array(proportions, "proportions").shape
        return ShownSets(bags, proportions, None, np.arange(shape[-1] if shape else 0))
    release, sets = bags, proportions
    release.require_protocol("ratios", estimator)
    require(sets is not None, "bags must be given: the sets that the release tells the proportions of")
    sizes, seen = release.arrays["sizes"].tolist(), [points.shape[0] for points in as_bags(sets, "bags")]
    require(len(seen) == len(sizes), f"bags must be the {len(sizes)} sets of the release, in the same order")
    wrong = [k for k, (size, number) in enumerate(zip(sizes, seen, strict=True)) if size != number]
    require(
        not wrong,
        f"bags must be the sets of the release, in the same order: "
        f"{f'bags[{wrong[0]}] has {seen[wrong[0]]} points, not {sizes[wrong[0]]}' if wrong else ''}",
    )
    names = np.asarray(release.parameters["classes"])
    return ShownSets(sets, release.arrays["proportions"], release.arrays["noise"], names)


def predict_sets(X: ArrayLike | Sequence[ArrayLike], features: int, one: Callable[[Array], Array]) -> Array:
    """`one(points)` of a set, a matrix of points; of several sets, one a row, for a list of matrices."""
    several = is_several(X)
    sets = checked_points(X if several else [X], "X", features)
    ratios = np.stack([one(points) for points in sets])
    return ratios if several else np.asarray(ratios[0])


def is_several(X: object) -> bool:
    """Whether X is a list of matrices."""
    return isinstance(X, list | tuple) and len(X) > 0 and np.ndim(cast(Any, X[0])) == 2
