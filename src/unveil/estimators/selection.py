"""Which settings suit a release, by the release itself: what is made of it afterwards costs no privacy."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from sklearn.base import clone

from unveil.errors import TooNoisy, UnveilError, is_whole, require
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design
from unveil.estimators.statistics.tuning import Noise, risks_without_noise
from unveil.protocols.base import ROWS, Release, find_protocol
from unveil.types import Array, as_numbers

#: How often the noise of a single statistic is drawn again.
DRAWS = 20


class Choice(NamedTuple):
    """The best of several models, fitted to the whole release, and the errors of all, in order."""

    model: Any
    errors: Array


def choose_model(
    models: Sequence[Any], release: Release, X: Any = None, folds: int = 5, random_state: int | None = None
) -> Choice:
    """Choose among models by a release alone, and fit the best.

    Records ("records") and sets ("ratios") are held out in turn: the error is the share of reported labels that are
    foretold wrongly, or the L1 distance from released ratios. Noise lifts the errors of all models alike. Of a single
    sum ("mean-operator") nothing can be held out: noise like its own is added to what a model implies, again and again
    (a parametric bootstrap), and the error is the expected risk.

    Parameters
    ----------
    models : sequence of estimators
        Of the release's protocol, each with settings of its own.
    release : Release
        What was released.
    X : array, or sequence of arrays
        The public rows, or the sets of them, as `fit` takes them.
    folds : int
        Into how many parts records or sets are cut.
    random_state : int, optional
        Which are together, and the noise that is added.

    Returns
    -------
    Choice
        The fitted model, and the error of each.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import GeometricMeanOperator, MeanOperatorClassifier, choose_model
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> y = np.where(X @ [1.0, -1.0, 0.5] > 0, "yes", "no")
    >>> release = GeometricMeanOperator(1.0).publish((X, y), classes=("no", "yes"))
    >>> models = [MeanOperatorClassifier(l2=l2) for l2 in (0.001, 100.0)]
    >>> choose_model(models, release, X, random_state=0).model.l2
    0.001

    See Also
    --------
    recommend : chooses before there is a release, by data that are not private.
    """
    require(len(models) > 1, "models must be two or more: there is nothing to choose")
    require(is_whole(folds) and folds >= 2, f"folds must be a whole number of at least 2, not {folds!r}")
    known = {"records": _cross_validate, "ratios": _cross_validate, "mean-operator": _bootstrap}
    if release.protocol not in known:
        raise UnveilError(f"release must be of the protocol {', '.join(known)}: of {release.protocol!r} sums are all")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooNoisy)  # of parts of it; the best model is fitted to all, and tells
        errors = known[release.protocol](models, release, X, folds, default_rng(random_state))
    best = clone(models[int(np.argmin(errors))])
    return Choice(best.fit(release) if X is None else best.fit(release, X), errors)


def _cross_validate(models: Sequence[Any], release: Release, X: Any, folds: int, rng: Generator) -> Array:
    """The error of each model on parts of the release that it was not fitted to."""
    sets = release.protocol == "ratios"
    rows = len(release.arrays["proportions" if sets else "labels"])
    require(rows >= folds, f"folds must be at most the {rows} {'sets' if sets else 'records'} of the release")
    order, errors = rng.permutation(rows), np.zeros(len(models))
    for held in np.array_split(order, folds):
        rest = np.setdiff1d(order, held)
        part = _take(release, rest)
        for place, model in enumerate(models):
            if sets:
                fitted = clone(model).fit(part, [X[k] for k in rest])
                wrong = np.abs(fitted.predict([X[k] for k in held]) - release.arrays["proportions"][held]).sum()
            else:
                said = clone(model).fit(part).predict(release.arrays["features"][held])
                wrong = np.sum(said != np.asarray(release.parameters["classes"])[release.arrays["labels"][held]])
            errors[place] += wrong / rows
    return errors


def _take(release: Release, rows: Array) -> Release:
    """The release of some rows, as if the others had never been in it."""
    protocol = find_protocol(release.protocol)
    kinds, known = protocol.kind_of(release.arrays), dict(release.parameters)
    arrays = {name: array[rows] if kinds[name].how == ROWS else array for name, array in release.arrays.items()}
    known |= {name: [known[name][k] for k in rows] for name in protocol.of_rows if name in known}
    records = int(arrays["sizes"].sum()) if "sizes" in arrays else len(rows)
    return replace(release, arrays=arrays, parameters=known, records=records, rows="", shards=())


def _bootstrap(models: Sequence[Any], release: Release, X: Any, _: int, rng: Generator) -> Array:
    """The risk without noise that each model's λ leads to, in units in which the longest record has norm one."""
    require(X is not None, "X must be given: the public rows that the release was made from")
    features = as_numbers(X, "X")
    if release.parameters["intercept"]:
        features = np.column_stack([features, np.ones(len(features))])
    longest = float(np.sqrt((features**2).sum(axis=1).max()))
    design = Design(features / longest)
    mu = release.arrays["sum"] / release.records / longest
    noise = Noise(float(release.arrays["variance"].mean()) / (release.records * longest) ** 2, 0.0)
    errors = np.empty(len(models))
    for loss in {model.loss for model in models}:
        same = [place for place, model in enumerate(models) if model.loss == loss]
        l2s = [models[place].l2 for place in same]
        require(None not in l2s and min(l2s) > 0, "models must have an l2 above 0 each")
        scaled = [l2 / longest**2 for l2 in l2s]
        errors[same] = risks_without_noise(design, linear_odd_loss(loss), mu[None], [noise], scaled, rng, DRAWS)[0]
    return errors
