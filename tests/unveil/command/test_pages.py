"""The examples of README and of the command's page, line by line: they run, and what comes out of them is worth it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from own_tables import Unveil, rents
from unveil.command import main as cli

ROOT = Path(__file__).parents[3]


def lines_of(page: str) -> list[str]:
    """The commands of the first block of a page that has some."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (block, *_) = (found for found in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S) if "unveil " in found)
    return [line for line in block.splitlines() if line.startswith("unveil ")]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/command.md"])
def test_the_examples_of_a_page_end_in_good_predictions(page: str, unveil: Unveil) -> None:
    frame = rents(20_000)
    known, new = frame[:-1000], frame[-1000:]
    (known if page == "docs/command.md" else known.drop(columns="flat")).to_csv("rents.csv", index=False)
    new.drop(columns="rent").to_csv("new.csv", index=False)
    (schema,) = re.findall(r"^```json\n(.*?)^```$", (ROOT / "docs/command.md").read_text(encoding="utf-8"), re.M | re.S)
    Path("public.json").write_text(schema)
    for line in lines_of(page):
        words = shlex.split(line, comments=True)
        assert cli.main(words[1:]) == 0, line
    predicted = pd.read_csv("predicted.csv")["prediction"].to_numpy()
    unexplained = np.mean((predicted - new["rent"]) ** 2) / np.var(new["rent"])
    assert 1 - unexplained > 0.9  # without a veil it is 0.99
