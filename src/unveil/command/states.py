"""What a fitted estimator predicts from, as numbers and texts, and how it gets that back: nothing is fitted again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from unveil.errors import is_real, require

#: Numbers, texts and arrays by name.
State = dict[str, Any]
#: What those that keep it as it is predict from, and what is worth reading.
PLAIN: Mapping[str, tuple[str, ...]] = {
    "MeanOperatorClassifier": ("n_features_in_", "classes_", "coef_", "intercept_", "gradient_norm_"),
    "MomentRegression": ("n_features_in_", "coef_", "intercept_", "covariance_", "rank_", "_has_intercept"),
    "CountTagger": ("words_", "feature_index_", "features_", "n_tags_", "classes_", "coef_"),
    "SpreadLogisticRegression": ("n_features_in_", "classes_", "coef_", "intercept_", "covariance_", "veil_"),
}


class Keeper(NamedTuple):
    """How an estimator of sets is taken apart and put together, and the names of what lies between."""

    names: tuple[str, ...]
    taken: Callable[[Any], tuple[Any, ...]]
    put: Callable[[Any, State], None]


def state_of(estimator: Any) -> State:
    """What it predicts from."""
    keeper = _KEEPERS.get(type(estimator).__name__)
    if keeper is None:
        return {name: getattr(estimator, name) for name in PLAIN[type(estimator).__name__]}
    own = dict(zip(keeper.names, keeper.taken(estimator), strict=True))
    return {"n_features_in_": estimator.n_features_in_, "classes_": estimator.classes_, **own}


def restore(estimator: Any, found: State) -> None:
    """Give an estimator its state, which somebody else may have written: no more and nothing else than it has."""
    keeper = _KEEPERS.get(type(estimator).__name__)
    names = PLAIN[type(estimator).__name__] if keeper is None else ("n_features_in_", "classes_", *keeper.names)
    require(set(found) == {*names}, f"it must hold {', '.join(names)}")
    if keeper is None:
        for name, value in found.items():
            setattr(estimator, name, _plain(value, name))
        return
    estimator.n_features_in_, estimator.classes_ = int(found["n_features_in_"]), np.asarray(found["classes_"])
    keeper.put(estimator, found)
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


def _take_means(model: Any) -> tuple[Any, ...]:
    """The sets' points, where each ends, and their inner products at the width that was chosen."""
    ends, points = np.cumsum([len(bag) for bag in model.bags_]), np.concatenate(model.bags_)
    width, gram = model.bandwidths_[[model.chosen_]], model.gram_[[model.chosen_]]
    return points, ends, model.proportions_, model.noise_, width, gram, model.diagonal_


def _put_means(model: Any, found: State) -> None:
    ends = found["ends"]
    model.bags_ = np.split(np.asarray(found["points"]), ends[:-1])
    require(all(len(bag) for bag in model.bags_) and ends[-1] == len(found["points"]), "its sets must hold points")
    model.proportions_, model.noise_, model.diagonal_ = found["proportions"], found["noise"], found["diagonal"]
    model.bandwidths_, model.gram_, model.chosen_ = found["width"], found["gram"], 0
    model._sets, model._means, model._gram = model._settle(), model._drawn(), model.gram_
    model._solver = model._sets.solver(model._gram[0], model.diagonal_)


def _take_set_model(model: Any) -> tuple[Any, ...]:
    return *model.model_, model.cost_, model.temperature_


def _put_set_model(model: Any, found: State) -> None:
    from unveil.estimators.bags.set_em import SetModel

    model.model_ = SetModel(found["centre"], found["scale"], found["weights"])
    model.cost_, model.temperature_ = found["cost"], found["temperature"]


def _take_logistic(model: Any) -> tuple[Any, ...]:
    scaler, regression = (step for _, step in model.model_.steps)
    return (
        scaler.mean_,
        scaler.scale_,
        regression.classes_,
        regression.coef_,
        regression.intercept_,
        model.class_scores_,
    )


def _put_logistic(model: Any, found: State) -> None:
    from unveil.estimators.bags.quantify import standardised_logistic

    model.model_ = standardised_logistic(model.cost)
    scaler, regression = (step for _, step in model.model_.steps)
    scaler.mean_, scaler.scale_ = found["centre"], found["scale"]
    scaler.var_, scaler.n_samples_seen_ = found["scale"] ** 2, 1
    regression.classes_, regression.coef_, regression.intercept_ = found["which"], found["weights"], found["offsets"]
    scaler.n_features_in_ = regression.n_features_in_ = model.n_features_in_
    model.class_scores_ = found["class_scores"]


def _take_machine(model: Any) -> tuple[Any, ...]:
    return model._points, *model.model_, model.class_scores_


def _put_machine(model: Any, found: State) -> None:
    from unveil.estimators.bags import proportion_svm

    model._points, model.class_scores_ = found["points"], found["class_scores"]
    machine = proportion_svm._Model
    model.model_ = machine(*(found[name] for name in machine._fields))


_KEEPERS: Mapping[str, Keeper] = {
    "MMDClassRatio": Keeper(
        ("points", "ends", "proportions", "noise", "width", "gram", "diagonal"), _take_means, _put_means
    ),
    "SetIdEM": Keeper(("centre", "scale", "weights", "cost", "temperature"), _take_set_model, _put_set_model),
    "SetIdLogistic": Keeper(
        ("centre", "scale", "which", "weights", "offsets", "class_scores"), _take_logistic, _put_logistic
    ),
    "ProportionSVM": Keeper(
        ("points", "objective", "dual", "offset", "bandwidth", "cost", "class_scores"), _take_machine, _put_machine
    ),
}
