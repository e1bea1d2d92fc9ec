"""A sixth protocol is one module and a line in the list: all that is done with releases goes by its object."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rich_click as click

from own_tables import PEOPLE, people, schema
from unveil.advice.recommending import recommend
from unveil.command import main as cli
from unveil.protocols import PROTOCOLS
from unveil.protocols.base import Release
from unveil.protocols.candidates import Candidate
from unveil.protocols.protocol import Offer, Order
from unveil.protocols.records_protocol import RecordsProtocol


class Whispers(RecordsProtocol):
    """Noisy records under another name, and with less of the level."""

    name = "whispers"

    def prepare(self, order: Order, table: Any) -> Offer:
        """At half the level."""
        offer = super().prepare(replace(order, epsilon=order.level / 2), table)
        return replace(offer, mechanism=SimpleNamespace(publish=partial(self.publish, offer.mechanism)))

    def publish(self, mechanism: Any, *data: Any, **how: Any) -> Release:
        """As noisy records."""
        release: Release = mechanism.publish(*data, **how)
        return replace(release, protocol=self.name)

    def fit(self, estimator: Any, release: Release, table: Any) -> None:
        """As the records that they are."""
        super().fit(estimator, replace(release, protocol="records"), table)

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:
        """At half the level."""
        return super().candidates(epsilon / 2, d, task)


@pytest.fixture
def sixth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("unveil.protocols.whispers_protocol")
    module.PROTOCOL = Whispers()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(PROTOCOLS, "whispers", "records, half as loud")
    monkeypatch.chdir(tmp_path)
    for name in ("release", "fit", "audit"):
        (choice,) = (p for p in cli.cli.commands[name].params if p.name == "protocol")
        monkeypatch.setattr(choice, "type", click.Choice(PROTOCOLS))


@pytest.mark.slow
@pytest.mark.usefixtures("sixth")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_command_knows_a_sixth_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    frame = people(4000)
    frame.to_csv("private.csv", index=False)
    schema(PEOPLE)
    line = "release whispers private.csv --epsilon 24 --label ill --id person --schema schema.json --states 3"
    for words in (
        f"{line} --simulation --seed 1 --out r",
        "inspect r",
        "fit whispers r --set fit_intercept=true --model m",
        "inspect m",
        "predict m private.csv --id person --out p.csv",
        "audit whispers --epsilon 2 --samples 2000",
    ):
        assert cli.main(words.split()) == 0, capsys.readouterr().err
    assert "a model for the protocol whispers" in capsys.readouterr().out
    release = Release.load("r")
    assert release.exact_epsilon == pytest.approx(12, rel=1e-3)
    assert release.merge(replace(release, arrays={k: v[::-1] for k, v in release.arrays.items()})).records == 8000
    assert np.mean(pd.read_csv("p.csv")["prediction"] == frame["ill"]) > 0.7
    assert cli.main(["release", "products", *line.split()[2:], "--out", "s"]) == 1
    assert "--states does not apply to products" in capsys.readouterr().err
    tried = recommend(400, 2, "classify", 8.0, trials=3).options
    assert any(words.startswith("unveil release whispers") for option in tried for words in option.commands)
