"""What a model file holds: enough to predict as the estimator did, without fitting again; nothing that could be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from unveil import containers
from unveil.command.models import FORMAT, Model
from unveil.errors import UnveilError
from unveil.files import create
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.protocols.columns import Column, Encoding
from unveil.protocols.ratios_protocol import PROTOCOL

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "MMDClassRatio": [{}, {"diagonal": "auto"}, {"random_features": 50, "random_state": 1}],
    "SetIdEM": [{}],
    "SetIdLogistic": [{}],
    "ProportionSVM": [{"bandwidths": [1.0], "costs": [1.0]}],
}
CASES = [(name, settings) for name, several in SETTINGS.items() for settings in several]
ENCODING = Encoding((Column("x"), Column("z")), Column("kind", categories=("a", "b")), "set")


def fitted(name: str, settings: dict[str, Any]) -> tuple[Any, list[Any]]:
    rng = default_rng(0)
    shares = np.linspace(0.1, 0.9, 5)
    labels = [rng.random(40) < share for share in shares]
    bags = [rng.normal(np.where(own, 1.0, -1.0)[:, None], 0.7, (40, 2)) for own in labels]
    counts = np.array([[own.sum(), 40 - own.sum()] for own in labels])
    release = GeometricCounts(2.0, testing=True).publish(counts, default_rng(1), classes=("a", "b"))
    return PROTOCOL.learner(name)(**settings).fit(release, bags), bags


def refuse(*_: Any) -> None:
    raise AssertionError("fitted again")


@pytest.mark.parametrize(("name", "settings"), CASES)
@pytest.mark.filterwarnings("ignore:the chosen bandwidth")
def test_a_model_of_sets_predicts_the_same_and_is_not_fitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, settings: dict[str, Any]
) -> None:
    estimator, bags = fitted(name, settings)
    asked = [bags[0][:30], bags[3]]
    Model("ratios", estimator, ENCODING, {}).save(tmp_path / "m", force=False)
    monkeypatch.setattr(type(estimator), "fit", refuse)
    back = Model.load(tmp_path / "m").estimator
    assert np.array_equal(back.predict(asked), estimator.predict(asked))
    assert back.classes_.tolist() == ["a", "b"]
    if name == "MMDClassRatio" and "random_features" not in settings:
        assert np.array_equal(back.interval(asked), estimator.interval(asked))


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.filterwarnings("ignore:the chosen bandwidth")
def test_a_state_that_does_not_fit_together_is_an_error(tmp_path: Path, name: str) -> None:
    estimator, _ = fitted(name, SETTINGS[name][0])
    Model("ratios", estimator, ENCODING, {}).save(tmp_path / "m", force=False)
    header = {"protocol", "estimator", "settings", "state", "table", "about"}
    content, arrays = containers.read(tmp_path / "m", FORMAT, header, "model")
    cut = {entry: array[1:] if entry in ("weights", "dual", "gram") else array for entry, array in arrays.items()}
    short = {entry: array for entry, array in arrays.items() if entry not in cut or entry != next(iter(cut))}
    for number, forged in enumerate((cut, short)):
        create(tmp_path / f"{number}", containers.content_of({"format": FORMAT, **content}, forged))
        with pytest.raises(UnveilError, match="is no model that can be used"):
            Model.load(tmp_path / f"{number}")


@pytest.mark.filterwarnings("ignore:the chosen bandwidth")
def test_sets_that_were_fitted_again_with_the_held_out_ones_keep_their_products() -> None:
    _, bags = fitted("SetIdEM", {})
    shares = np.column_stack([np.linspace(0.1, 0.9, 5), np.linspace(0.9, 0.1, 5)])
    estimator = PROTOCOL.learner("MMDClassRatio")(refit=True).fit(bags[:3], shares[:3], (bags[3:], shares[3:]))
    back = PROTOCOL.learner("MMDClassRatio")(refit=True)
    PROTOCOL.restore(back, PROTOCOL.state_of(estimator), ENCODING)
    assert np.array_equal(back.predict(bags), estimator.predict(bags))
