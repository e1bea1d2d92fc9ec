"""Default chains on five public tables: as good as theory says where noise allows it, and never worthless in silence.

The tables are small, so that each is also taken many times over: a register of as many records, of the same law.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.linear_model import LinearRegression, LogisticRegression

from own_tables import votes
from unveil.command import main as cli
from unveil.protocols.base import Release
from unveil.types import Array

LOADERS: dict[str, Callable[..., Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}


class Chain(NamedTuple):
    """How good the predictions are: of a linear model of the data in the clear, of ours, and of none; what was said."""

    clean: float
    ours: float
    none: float
    told: bool


def public_table(name: str, rows: int, width: int) -> tuple[Array, Array]:
    """The features that tell most, and a target or one of two classes; all records again until there are enough."""
    X, y = LOADERS[name](return_X_y=True)
    if name != "diabetes":
        y = np.where(y >= np.median(y) if name == "digits" else y == y.max(), "yes", "no")
    signs = y if name == "diabetes" else (y == "yes").astype(float)
    spread = X.std(axis=0)
    strength = np.abs(((X - X.mean(axis=0)) * (signs - signs.mean())[:, None]).mean(axis=0))
    chosen = np.argsort(-strength / np.where(spread > 0, spread, np.inf), kind="stable")[:width]
    times = -(-rows // len(X))
    return np.tile(X[:, np.sort(chosen)], (times, 1)), np.tile(y, times)


def run_chain(
    protocol: str, name: str, epsilon: float, rows: int, folder: Path, capsys: Any, width: int = 8, more: str = ""
) -> Chain:
    """`release`, `fit` and `predict` with their defaults, and noise that is the same each time."""
    X, y = public_table(name, rows, width)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]).assign(y=y)
    ranges = [(float(low), float(high)) for low, high in zip(X.min(axis=0), X.max(axis=0) + 1e-9, strict=True)]
    columns: dict[str, Any] = {f"x{k}": {"range": ends} for k, ends in enumerate(ranges)}
    number = name == "diabetes"
    columns["y"] = {"range": [float(min(y)), float(max(y))]} if number else {"categories": ["no", "yes"]}
    (folder / "s.json").write_text(json.dumps({"columns": columns}))
    frame.to_parquet(folder / "t.parquet")
    where = f"{folder}/t.parquet --epsilon {epsilon} --label y --schema {folder}/s.json --out {folder}/r"
    public = f" {folder}/t.parquet" if protocol == "mean-operator" else ""
    for line in (
        f"release {protocol} {where} --simulation --seed 1 {more}",
        f"fit {protocol} {folder}/r{public} --model {folder}/m",
        f"inspect {folder}/m",
        f"predict {folder}/m {folder}/t.parquet --out {folder}/p.csv",
    ):
        assert cli.main(line.split()) == 0, capsys.readouterr().err
    said = "".join(capsys.readouterr())
    found = pd.read_csv(folder / "p.csv")
    if number:
        clean, ours = LinearRegression().fit(X, y).score(X, y), 1 - np.mean((found["prediction"] - y) ** 2) / np.var(y)
        none = 0.0
    else:
        share = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-9)
        clean = LogisticRegression(C=10, max_iter=3000).fit(share, y).score(share, y)
        ours, none = np.mean(found["prediction"] == y), max(np.mean(y == "yes"), np.mean(y == "no"))
    return Chain(float(clean), float(ours), float(none), "no better than" in said)


def kept(chain: Chain) -> float:
    """The share that is kept of what a clean model gains over none."""
    return (chain.ours - chain.none) / (chain.clean - chain.none)


#: Protocol, level, records, features, options: where theory says that it works.
WORKING = [
    ("moments", 2.0, 6000, 8, ""),
    ("moments", 1.0, 6000, 8, "--delta 1e-6"),
    ("mean-operator", 1.0, 6000, 8, ""),
    ("products", 12.0, 60_000, 3, ""),
    ("records", 12.0, 6000, 3, ""),
    ("records", 2.0, 6000, 8, "--clear-features"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("protocol", "epsilon", "rows", "width", "more"), WORKING)
def test_it_works_where_it_must(
    protocol: str, epsilon: float, rows: int, width: int, more: str, tmp_path: Path, capsys: Any
) -> None:
    for name in LOADERS:
        number = name == "diabetes"
        if (protocol == "products" and not number) or (protocol in ("mean-operator", "records") and number):
            continue
        folder = tmp_path / name.replace(" ", "_")
        folder.mkdir()
        chain = run_chain(protocol, name, epsilon, rows, folder, capsys, width, more)
        assert kept(chain) > (0.5 if protocol == "records" and "clear" not in more else 0.7), (name, chain)
        assert not chain.told, name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("protocol", "name"), [
    ("moments", "breast cancer"), ("moments", "diabetes"), ("products", "diabetes"), ("records", "wine"),
    ("mean-operator", "breast cancer"),
])  # fmt: skip
def test_what_cannot_work_is_told(protocol: str, name: str, tmp_path: Path, capsys: Any) -> None:
    chain = run_chain(protocol, name, 0.05, 1, tmp_path, capsys)
    assert chain.told


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_of_released_sets_the_release_is_the_answer(tmp_path: Path, capsys: Any) -> None:
    """In whatever order rows come; sets of the same name with other rows are foretold, with intervals that cover."""
    frame = votes(sets=6)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False)
    other = votes(sets=20)[lambda rows: rows["district"] > "d11"]
    other.assign(district=other["district"].str.replace("d1", "d0")).to_csv(tmp_path / "other.csv", index=False)
    public = "--range x=0:1 --range z=0:1"
    for line in (
        f"release ratios {tmp_path}/t.csv --epsilon 0.2 --label party --sets district {public} --out {tmp_path}/r",
        f"fit ratios {tmp_path}/r {tmp_path}/t.csv --model {tmp_path}/m",
        f"predict {tmp_path}/m {tmp_path}/shuffled.csv --out {tmp_path}/same.csv",
        f"predict {tmp_path}/m {tmp_path}/other.csv --out {tmp_path}/new.csv",
    ):
        assert cli.main(line.split()) == 0, capsys.readouterr().err
    release, same, new = Release.load(tmp_path / "r"), *(pd.read_csv(tmp_path / f"{n}.csv") for n in ("same", "new"))
    assert same["district"].tolist() == release.parameters["sets"]
    np.testing.assert_allclose(same[["share of left", "share of right"]], release.arrays["proportions"], atol=1e-9)
    assert set(same["from"]) == {"the release"}
    assert set(new["from"]) == {"the model"}
    for found in (same, new):
        assert (found["low of left"] <= found["share of left"]).all()
        assert (found["share of left"] <= found["high of left"]).all()
