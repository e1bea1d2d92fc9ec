"""What every quantifier keeps: scikit-learn's conventions as far as sets allow, and the geometry of sets."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import unveil
from unveil.errors import UnveilError
from unveil.types import Array

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

RNG = default_rng(0)
SHARES = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
LABELS = [RNG.permutation(np.repeat([0, 1], [round(60 * share[0]), 60 - round(60 * share[0])])) for share in SHARES]
BAGS = [RNG.normal(2.0 * labels[:, None], 0.7, (60, 2)) for labels in LABELS]
UNKNOWN = [RNG.normal(2.0 * (RNG.random(50)[:, None] < share), 0.7, (50, 2)) for share in (0.3, 0.7)]

#: By name: what makes one, and whether it needs labels of points.
QUANTIFIERS: dict[str, tuple[Callable[[], Any], bool]] = {
    "printed": (lambda: unveil.MMDClassRatio([1.0]), False),
    "unbiased": (lambda: unveil.MMDClassRatio([0.5, 1.0], "unbiased"), False),
    "auto": (lambda: unveil.MMDClassRatio([0.5, 1.0], "auto", refit=True), False),
    "random features": (lambda: unveil.MMDClassRatio([1.0], random_features=300, random_state=0), False),
    "features": (lambda: unveil.FeatureClassRatio([1.0], 300), False),
    "set logistic": (unveil.SetIdLogistic, False),
    "set EM": (lambda: unveil.SetIdEM((0.01, 0.1)), False),
    "SVM": (lambda: unveil.ProportionSVM([1.0], (1.0,), restarts=3), False),
    "count": (unveil.ClassifyAndCount, True),
    "EMQ": (unveil.EMQ, True),
}
every = pytest.mark.parametrize("name", QUANTIFIERS)
from_sets = pytest.mark.parametrize("name", [name for name, (_, labelled) in QUANTIFIERS.items() if not labelled])


def fitted(name: str, bags: list[Any] | None = None, order: list[int] | None = None) -> Any:
    make, labelled = QUANTIFIERS[name]
    sets: list[Any] = BAGS if bags is None else bags
    places = range(len(BAGS)) if order is None else order
    if labelled:
        return make().fit(np.concatenate([sets[k] for k in places]), np.concatenate([LABELS[k] for k in places]))
    return make().fit([sets[k] for k in places], SHARES[list(places)])


@every
def test_parameters_are_kept_as_they_were_given(name: str) -> None:
    model = QUANTIFIERS[name][0]()
    given = model.get_params()
    assert not [attribute for attribute in vars(model) if attribute.endswith("_")], "nothing is done before fit"
    assert clone(model).get_params() == given
    assert type(model)(**given).get_params() == given
    assert re.match(type(model).__name__, repr(model))
    fitted_model = fitted(name)
    assert fitted_model.get_params() == given, "fit changes no parameter"
    assert clone(fitted_model).get_params() == given


@every
def test_nothing_is_predicted_before_it_is_fitted(name: str) -> None:
    with pytest.raises((NotFittedError, UnveilError), match="fit"):
        QUANTIFIERS[name][0]().predict(UNKNOWN[0])


@every
def test_ratios_lie_in_the_simplex_and_near_the_truth(name: str) -> None:
    model = fitted(name)
    assert model.n_features_in_ == 2
    for points, share in zip(UNKNOWN, (0.3, 0.7), strict=True):
        ratios = model.predict(points)
        assert ratios.shape == (2,)
        assert (ratios >= 0).all()
        assert ratios.sum() == pytest.approx(1.0)
        assert abs(ratios[1] - share) < 0.2


@every
def test_several_sets_are_predicted_one_by_one(name: str) -> None:
    model = fitted(name)
    alone = np.stack([model.predict(points) for points in UNKNOWN])
    assert_allclose(model.predict(UNKNOWN), alone, atol=1e-9)
    assert_allclose(model.predict(tuple(UNKNOWN)), alone, atol=1e-9)
    assert model.predict(UNKNOWN[:1]).shape == (1, 2)
    sizes = [UNKNOWN[0], UNKNOWN[1][:7]]
    assert_allclose(model.predict(sizes), [model.predict(points) for points in sizes], atol=1e-9)


@every
def test_the_order_of_points_means_nothing(name: str) -> None:
    model = fitted(name)
    turned = model.predict(UNKNOWN[0][::-1])
    assert_allclose(turned, model.predict(UNKNOWN[0]), atol=1e-9)


@every
def test_the_order_of_sets_means_little(name: str) -> None:
    """Random first guesses, and a solver's path, may differ."""
    tolerance = 0.05 if name in ("SVM", "set EM", "set logistic") else 1e-3
    assert_allclose(fitted(name, order=[2, 0, 1]).predict(UNKNOWN[0]), fitted(name).predict(UNKNOWN[0]), atol=tolerance)


@every
def test_data_come_in_any_container(name: str) -> None:
    model = fitted(name)
    expected = model.predict(UNKNOWN)
    frames = fitted(name, [pd.DataFrame(bag, columns=["a", "b"]) for bag in BAGS])
    assert_allclose(frames.predict([pd.DataFrame(points) for points in UNKNOWN]), expected, atol=1e-9)
    assert_allclose(model.predict(UNKNOWN[0].tolist()), expected[0], atol=1e-9)
    assert_allclose(fitted(name, [np.asfortranarray(bag) for bag in BAGS]).predict(UNKNOWN), expected, atol=1e-9)
    single = fitted(name, [bag.astype(np.float32) for bag in BAGS])
    assert_allclose(single.predict([points.astype(np.float32) for points in UNKNOWN]), expected, atol=0.05)


@from_sets
def test_sparse_points_are_points(name: str) -> None:
    thin = fitted(name, [sparse.csr_matrix(bag) for bag in BAGS])
    assert_allclose(
        thin.predict([sparse.csr_matrix(points) for points in UNKNOWN]), fitted(name).predict(UNKNOWN), atol=1e-6
    )


@every
def test_fits_are_repeated_and_replaced(name: str) -> None:
    bags = copy.deepcopy(BAGS)
    model = fitted(name, bags)
    first = model.predict(UNKNOWN)
    assert_array_equal(fitted(name).predict(UNKNOWN), first)
    for bag, before in zip(bags, BAGS, strict=True):
        assert_array_equal(bag, before)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(UNKNOWN), first)  # noqa: S301 - our own bytes
    wide = [np.column_stack([bag, bag[:, 0]]) for bag in BAGS]
    given: tuple[Any, Any] = (wide, SHARES)
    if QUANTIFIERS[name][1]:
        given = (np.concatenate(wide), np.concatenate(LABELS))
    assert model.fit(*given) is model
    assert model.n_features_in_ == 3


@every
def test_a_constant_feature_does_no_harm(name: str) -> None:
    model = fitted(name, [np.column_stack([bag, np.ones(len(bag))]) for bag in BAGS])
    assert abs(model.predict(np.column_stack([UNKNOWN[0], np.ones(50)]))[1] - 0.3) < 0.2


def bad(points: Array) -> list[tuple[Any, str]]:
    hole = points.copy()
    hole[0, 0] = np.nan
    wrong = [([], "X"), (points[:, :1], "features"), (points[:0], "at least one point"), (hole, "finite")]
    return [*wrong, ("text", "X")]


@every
def test_bad_sets_are_refused(name: str) -> None:
    model = fitted(name)
    for points, message in bad(UNKNOWN[0]):
        with pytest.raises(UnveilError, match=message) as caught:
            model.predict(points)
        assert "\n" not in str(caught.value)


@from_sets
def test_bad_fits_are_refused(name: str) -> None:
    make = QUANTIFIERS[name][0]
    for bags, shares, message in (
        (BAGS, SHARES[:2], "proportions must have one row"),
        (BAGS, SHARES[[0, 0, 0]], "proportions|classes"),
        (BAGS, SHARES * 0.7, "sum to one"),
        ([*BAGS[:2], BAGS[2][:, :1]], SHARES, "as many features"),
        ([*BAGS[:2], BAGS[2] * np.nan], SHARES, "finite"),
    ):
        with pytest.raises(UnveilError, match=message) as caught:
            make().fit(bags, shares)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["printed", "unbiased", "auto", "features", "set logistic", "set EM", "SVM"])
def test_a_release_and_its_sets_are_all_that_is_needed(name: str) -> None:
    """The three calls of a newcomer; the answer is near the one from the proportions in the clear."""
    counts = np.stack([np.bincount(labels, minlength=2) for labels in LABELS])
    release = unveil.GeometricCounts(4.0).publish(counts, classes=["no", "yes"])
    model = QUANTIFIERS[name][0]().fit(release, BAGS)
    ratios = model.predict(UNKNOWN)
    assert model.classes_.tolist() == ["no", "yes"]
    # A count that is off by more than ten of sixty has a probability below 1e-8.
    assert np.abs(ratios - fitted(name).predict(UNKNOWN)).max() < 0.35
    veiled = unveil.LaplaceCounts(500.0).publish(counts, default_rng(0), classes=["no", "yes"])
    exact = QUANTIFIERS[name][0]().fit(BAGS, counts)
    assert_allclose(QUANTIFIERS[name][0]().fit(veiled, BAGS).predict(UNKNOWN), exact.predict(UNKNOWN), atol=0.02)


@pytest.mark.parametrize("name", ["unbiased", "features"])
def test_what_is_said_of_noise_goes_before_what_a_release_says(name: str) -> None:
    counts = np.stack([np.bincount(labels, minlength=2) for labels in LABELS])
    release = unveil.GeometricCounts(0.5, testing=True).publish(counts, default_rng(0), classes=["no", "yes"])

    def predict(*given: Any, **noise: float) -> Array:
        ratios: Array = QUANTIFIERS[name][0]().set_params(**noise).fit(*given).predict(UNKNOWN)
        return ratios

    told, clear = predict(release, BAGS), (BAGS, release.arrays["proportions"])
    for noise in (0.0, 0.1):
        assert_allclose(predict(release, BAGS, noise=noise), predict(*clear, noise=noise), atol=1e-12)
        assert np.abs(predict(*clear, noise=noise) - told).max() > 1e-4


def test_a_set_classifier_tells_sets_less_apart_the_stronger_its_penalty() -> None:
    weak, mild, strong = (
        np.ptp(unveil.SetIdLogistic(cost).fit(BAGS, SHARES).class_scores_) for cost in (1, 0.01, 1e-4)
    )
    assert strong < mild / 5
    assert mild < weak / 2
