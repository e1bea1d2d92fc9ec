"""Tables as people have them, one for each protocol, and what a command leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.random import default_rng


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    def well(self) -> Said:
        """Itself, where all went well."""
        assert self.code == 0, self.err
        return self


Unveil = Callable[..., Said]


def rents(n: int = 60_000) -> pd.DataFrame:
    rng = default_rng(0)
    frame = pd.DataFrame({"flat": np.arange(n), "area": rng.uniform(10, 200, n), "city": rng.choice(["A", "B"], n)})
    frame["rent"] = 10 * frame["area"] + 500 * (frame["city"] == "B") + rng.normal(0, 50, n) + 100
    return frame


RENTS = {"area": {"range": [10, 200]}, "city": {"categories": ["A", "B"]}, "rent": {"range": [0, 3000]}}


def schema(columns: object, name: str = "schema.json") -> None:
    Path(name).write_text(json.dumps({"columns": columns}))


def people(n: int = 4000) -> pd.DataFrame:
    rng = default_rng(1)
    frame = pd.DataFrame({"person": [f"p{i}" for i in range(n)], "age": rng.uniform(0, 100, n).round(1)})
    frame["town"] = rng.choice(["in", "out"], n)
    margin = (frame["age"] - 50) / 10 + 3 * (frame["town"] == "in") - 1.5 + rng.logistic(size=n) / 2
    frame["ill"] = np.where(margin > 0, "yes", "no")
    return frame


PEOPLE = {"age": {"range": [0, 100]}, "town": {"categories": ["in", "out"]}, "ill": {"categories": ["no", "yes"]}}


def votes(sets: int = 12, size: int = 200) -> pd.DataFrame:
    rng = default_rng(2)
    parts = []
    for place in range(sets):
        share = rng.random()
        left = rng.random(size) < share
        points = rng.normal(np.where(left, 0.3, 0.7)[:, None], 0.08, (size, 2)).clip(0, 1)
        parts.append(
            pd.DataFrame(points, columns=["x", "z"]).assign(
                district=f"d{place:02d}", party=np.where(left, "left", "right")
            )
        )
    return pd.concat(parts).sample(frac=1, random_state=0).reset_index(drop=True)


def corpus(sentences: int = 300) -> pd.DataFrame:
    rng = default_rng(3)
    words = {"DT": ["the", "a"], "NN": ["dog", "cat", "tree"], "VB": ["runs", "sees", "barks"]}
    rows = []
    for number in range(sentences):
        tags = ("DT", "NN", "VB", "DT", "NN")[: rng.integers(2, 6)]
        rows += [(number, rng.choice(words[tag]), tag) for tag in tags]
    return pd.DataFrame(rows, columns=["sentence", "word", "tag"])
