"""Models as files: settings and numbers in the file format of releases. Loading one runs nothing that it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from unveil import containers
from unveil.command.schema import Encoding
from unveil.errors import UnveilError, is_real, require
from unveil.files import create, replace
from unveil.protocols import Release
from unveil.types import Array, Arrays

FORMAT = "unveil model 1"
#: What learns from each protocol: the first is taken where none is named.
LEARNERS: Mapping[str, Mapping[str, str]] = {
    "mean-operator": {"MeanOperatorClassifier": "unveil.estimators.statistics.classifier"},
    "products": {"MomentRegression": "unveil.estimators.moments.regression"},
    "ratios": {
        "MMDClassRatio": "unveil.estimators.bags.mmd",
        "SetIdEM": "unveil.estimators.bags.set_em",
        "SetIdLogistic": "unveil.estimators.bags.set_logistic",
        "ProportionSVM": "unveil.estimators.bags.proportion_svm",
    },
    "tags": {"CountTagger": "unveil.estimators.counts.count_tagger"},
    "records": {"SpreadLogisticRegression": "unveil.estimators.spread.logistic_regression"},
}
#: What each of them predicts from, and what is worth reading; those of sets are fitted again to what they keep.
STATES: Mapping[str, tuple[str, ...]] = {
    "MeanOperatorClassifier": ("n_features_in_", "classes_", "coef_", "intercept_", "gradient_norm_"),
    "MomentRegression": ("n_features_in_", "coef_", "intercept_", "covariance_", "rank_", "_has_intercept"),
    "CountTagger": ("words_", "feature_index_", "features_", "n_tags_", "classes_", "coef_"),
    "SpreadLogisticRegression": ("n_features_in_", "classes_", "coef_", "intercept_", "covariance_", "veil_"),
}
_RELEASED = ("noise", "proportions", "sizes")
_HEADER = {"protocol", "estimator", "settings", "state", "table", "about"}


@dataclass(frozen=True)
class Model:
    """A fitted estimator with what turns a table into its features, and what was promised for its release."""

    protocol: str
    estimator: Any
    encoding: Encoding
    about: Mapping[str, Any]
    #: What an estimator of ratios was fitted to: the sets' points, where each set ends, and the released arrays.
    kept: Arrays = field(default_factory=dict)

    def save(self, path: Path, force: bool) -> None:
        """Write the file; in the place of another one only with `force`."""
        state, arrays = _state_of(self.estimator)
        header = {
            "format": FORMAT,
            "protocol": self.protocol,
            "estimator": type(self.estimator).__name__,
            "settings": _settings_of(self.estimator),
            "state": state,
            "table": self.encoding.described(),
            "about": dict(self.about),
        }
        (replace if force else create)(
            path, containers.content_of(containers.jsonable(header), {**arrays, **self.kept})
        )

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model file; anything but an intact one is an error."""
        content, arrays, expected = containers.read(path, FORMAT, _HEADER, "model")
        intact = containers.checksum({"format": FORMAT, **content}, arrays) == expected
        require(intact, f"{path} was altered: its checksum does not match its content")
        try:
            kind = learner(content["protocol"], content["estimator"])
            estimator = kind(**content["settings"])
            encoding = Encoding.of(content["table"])
            kept = _restore(estimator, content["state"], dict(arrays))
        except (UnveilError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnveilError(f"{path} is no model that can be used: {error}") from error
        return cls(content["protocol"], estimator, encoding, content["about"], kept)


def learner(protocol: str, name: str | None = None) -> Any:
    """The class of an estimator for this protocol."""
    known = LEARNERS[protocol]
    chosen = next(iter(known)) if name is None else name
    require(chosen in known, f"estimator must be one of {', '.join(known)} for {protocol}, not {chosen!r}")
    return getattr(import_module(known[chosen]), chosen)


def fit_kept(estimator: Any, kept: Arrays) -> None:
    """Fit an estimator of ratios to sets that lie one after the other, and to what was released about them."""
    arrays = {name: kept[name] for name in _RELEASED}
    classes = list(range(arrays["proportions"].shape[1]))
    release = Release("ratios", "kept", {"classes": classes}, arrays, records=len(kept["points"]))
    estimator.fit(release, np.split(kept["points"], kept["ends"][:-1]))


def _settings_of(estimator: Any) -> dict[str, Any]:
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in estimator.get_params(deep=False).items()
    }


def _state_of(estimator: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    state: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for name in STATES.get(type(estimator).__name__, ()):
        value = getattr(estimator, name)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            arrays[name] = value
        else:
            state[name] = value.tolist() if isinstance(value, np.ndarray) else value
    return state, arrays


def _restore(estimator: Any, state: Any, arrays: dict[str, Array]) -> Arrays:
    """Give an estimator its state, which somebody else may have written: no more and nothing else than it has."""
    names = STATES.get(type(estimator).__name__)
    if names is None:
        whole = set(arrays) == {"points", "ends", *_RELEASED} and not state
        require(whole, "it must hold sets, and what was released about them")
        fit_kept(estimator, arrays)
        return arrays
    require(isinstance(state, dict) and {*state, *arrays} == set(names), f"it must hold {', '.join(names)}")
    for name, value in {**arrays, **state}.items():
        setattr(estimator, name, _plain(value, name))
    return {}


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
