"""Pictures of what was learned: for those who have matplotlib, `pip install unveil[plot]`.

Each takes `axes` to draw into, and makes its own where there are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import UnveilError, require
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.advice.recommending import Recommendation

OURS, NAIVE, YARDSTICK = "#336699", "#bbbbdd", "#999999"


def plot_weights(model: Any, names: Sequence[str] | None = None, axes: Any = None) -> Any:
    """A linear model's weights, with intervals where it has them.

    Examples
    --------
    >>> from unveil import MeanOperatorClassifier
    >>> from unveil.plotting import plot_weights
    >>> model = MeanOperatorClassifier().fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1])
    >>> plot_weights(model, ["age", "income"]).get_xlabel()
    'weight'
    """
    weights = np.ravel(model.coef_)
    try:
        ends = np.asarray(model.intervals())[: len(weights)]
    except (AttributeError, UnveilError):
        ends = None
    known = [f"feature {place}" for place in range(len(weights))] if names is None else list(names)
    require(len(known) == len(weights), f"names must be {len(weights)}, one a weight, not {len(known)}")
    axes = _bars(known, weights, None if ends is None else ends.T, [OURS] * len(weights), axes)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("weight")
    return axes


def plot_ratios(ratios: ArrayLike, classes: Sequence[str], ends: Any = None, axes: Any = None) -> Any:
    """The class ratios of one set, with the (low, high) that `interval` gives."""
    colours = [OURS] * len(classes)
    axes = _bars(classes, np.asarray(ratios), None if ends is None else np.asarray(ends), colours, axes)
    axes.set(xlabel="share", xlim=(0, 1))
    return axes


def plot_options(found: Recommendation, axes: Any = None) -> Any:
    """The error of each option of `recommend`, with its interval; yardsticks in grey."""
    options = found.options
    colours = [YARDSTICK if each.bound else NAIVE if each.ignores else OURS for each in options]
    names = [f"{each.mechanism}: {each.estimator}" for each in options]
    ends = np.array([(each.low, each.high) for each in options]).T
    axes = _bars(names, np.array([each.error for each in options]), ends, colours, axes)
    axes.set_xlabel(found.measure)
    return axes


def _bars(names: Sequence[str], values: Array, ends: Array | None, colours: Sequence[str], axes: Any) -> Any:
    """Bars from top to bottom."""
    axes = new_axes(len(names)) if axes is None else axes
    errors = None if ends is None else np.abs(ends - values)
    axes.barh(range(len(names)), values, xerr=errors, color=colours, error_kw={"elinewidth": 1})
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    return axes


def new_axes(bars: int) -> Any:
    """Axes of a figure of its own, high enough for so many bars."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnveilError("pictures need matplotlib: install unveil[plot]") from error
    return Figure(figsize=(8, 0.6 + 0.32 * bars), layout="constrained").add_subplot()
