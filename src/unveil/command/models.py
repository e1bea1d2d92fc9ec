"""Models as files: settings and numbers in the file format of releases. Loading one runs nothing that it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unveil import containers
from unveil.errors import UnveilError, is_real, require
from unveil.files import create, replace
from unveil.fingerprints import jsonable
from unveil.protocols.base import RANDOMNESS, find_protocol
from unveil.protocols.columns import Encoding
from unveil.protocols.contents import MOST
from unveil.types import Array

FORMAT = "unveil model 1"
_HEADER = {"protocol", "estimator", "settings", "state", "table", "about"}


@dataclass(frozen=True)
class Model:
    """A fitted estimator with what turns a table into its features, and what was promised for its release."""

    protocol: str
    estimator: Any
    encoding: Encoding
    about: Mapping[str, Any]

    def save(self, path: Path, force: bool) -> None:
        """Write the file; in the place of another one only with `force`."""
        state, arrays = _part(find_protocol(self.protocol).state_of(self.estimator))
        header = {
            "format": FORMAT,
            "protocol": self.protocol,
            "estimator": type(self.estimator).__name__,
            "settings": _settings_of(self.estimator),
            "state": state,
            "table": self.encoding.describe(),
            "about": dict(self.about),
        }
        (replace if force else create)(path, containers.content_of(jsonable(header), arrays))

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model file; anything but an intact one is an error."""
        content, arrays = containers.read(path, FORMAT, _HEADER, "model")
        try:
            require(isinstance(content["protocol"], str), "it must name its protocol")
            protocol = find_protocol(content["protocol"])
            estimator = protocol.learner(content["estimator"])(**content["settings"])
            encoding = Encoding.of(content["table"])
            require(isinstance(content["state"], dict), "it must hold its state by names")
            _require_plain(content["about"], content["settings"])
            protocol.restore(estimator, {**content["state"], **arrays}, encoding)
        except (UnveilError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise UnveilError(f"{path} is no model that can be used: {error}") from error
        return cls(content["protocol"], estimator, encoding, content["about"])


def _require_plain(about: Any, settings: Mapping[str, Any]) -> None:
    """Raise unless what is said of a release, and the settings, are texts and numbers by names."""
    words = isinstance(about, dict) and all(isinstance(value, str) or is_real(value) for value in about.values())
    require(words and about.get("randomness", "os") in RANDOMNESS, "it must say by names what its release was")
    flat = [each for value in settings.values() for each in (value if isinstance(value, list) else [value])]
    fine = all(each is None or isinstance(each, str | bool) or (is_real(each) and abs(each) <= MOST) for each in flat)
    require(fine, "its settings must be texts, numbers or lists of them")


def _settings_of(estimator: Any) -> dict[str, Any]:
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in estimator.get_params(deep=False).items()
    }


def _part(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """What a header can hold, and the numbers beside it."""
    texts: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for name, value in state.items():
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            arrays[name] = value
        else:
            texts[name] = value.tolist() if isinstance(value, np.ndarray) else value
    return texts, arrays
