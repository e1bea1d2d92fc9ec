"""Adult (Census Income): who earns more than 50000 dollars.

The six continuous attributes are scaled to [0, 1] by ranges fixed beforehand (the published extremes; what
lies beyond is clipped), so that the scaling tells nothing about anybody. The eight others are one-hot over
the categories of the published description. An unknown value ('?') is a category of its own: it is
informative, and dropping its rows would change the official split.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.data.compressed import open_unpacked
from replication.data.reading import explain, require_rows, split_in_order
from replication.data.scaling import unit_rows
from replication.data.standins import draw_labels
from unveil.types import Array

TRAIN, TEST = 32_561, 16_281

#: Column, smallest and largest value.
CONTINUOUS = {
    "age": (17, 90),
    "fnlwgt": (12_285, 1_490_400),
    "education-num": (1, 16),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_356),
    "hours-per-week": (1, 99),
}
CATEGORIES = {
    "workclass": "? Federal-gov Local-gov Never-worked Private Self-emp-inc Self-emp-not-inc State-gov Without-pay",
    "education": "10th 11th 12th 1st-4th 5th-6th 7th-8th 9th Assoc-acdm Assoc-voc Bachelors Doctorate HS-grad "
    "Masters Preschool Prof-school Some-college",
    "marital-status": "Divorced Married-AF-spouse Married-civ-spouse Married-spouse-absent Never-married "
    "Separated Widowed",
    "occupation": "? Adm-clerical Armed-Forces Craft-repair Exec-managerial Farming-fishing Handlers-cleaners "
    "Machine-op-inspct Other-service Priv-house-serv Prof-specialty Protective-serv Sales Tech-support "
    "Transport-moving",
    "relationship": "Husband Not-in-family Other-relative Own-child Unmarried Wife",
    "race": "Amer-Indian-Eskimo Asian-Pac-Islander Black Other White",
    "sex": "Female Male",
    "native-country": "? Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England "
    "France Germany Greece Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India "
    "Iran Ireland Italy Jamaica Japan Laos Mexico Nicaragua Outlying-US(Guam-USVI-etc) "
    "Peru Philippines Poland Portugal Puerto-Rico Scotland South Taiwan Thailand "
    "Trinadad&Tobago United-States Vietnam Yugoslavia",
}
_COLUMNS = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
]  # fmt: skip


def prepare(raw: Path) -> dict[str, Array]:
    """Both official parts, the training part first."""
    features, labels = zip(*(_part(raw / name) for name in ("adult.data", "adult.test")), strict=True)
    split = split_in_order(*map(len, labels))
    return _fields(np.concatenate(features), np.concatenate(labels), split)


def _fields(features: Array, labels: Array, split: Array) -> dict[str, Array]:
    unit = unit_rows(features.astype(np.float64))
    return {"features": features, "labels": labels, "split": split, "unit_features": unit}


def _part(path: Path) -> tuple[Array, Array]:
    frame = _read(path)
    columns = [_scale_column(path, frame[name], *limits) for name, limits in CONTINUOUS.items()]
    columns += [_make_one_hot(path, frame[name], listed.split()) for name, listed in CATEGORIES.items()]
    # The test part ends its labels with a full stop.
    income = frame["income"].str.rstrip(".")
    require_rows(path, income.isin(["<=50K", ">50K"]).all(), "has labels other than <=50K and >50K")
    return np.hstack(columns), (income == ">50K").to_numpy().astype(np.uint8)


def _read(path: Path) -> pd.DataFrame:
    with explain(path), open_unpacked(path) as file:
        frame = pd.read_csv(file, header=None, dtype=str, skipinitialspace=True, comment="|", na_filter=False)
    require_rows(path, frame.shape[1] == len(_COLUMNS), f"has {frame.shape[1]} columns instead of {len(_COLUMNS)}")
    frame.columns = pd.Index(_COLUMNS)
    return frame


def _scale_column(path: Path, values: pd.Series, low: float, high: float) -> Array:
    with explain(path):
        numbers = values.astype(np.float64).to_numpy()
    require_rows(path, np.isfinite(numbers).all(), f"has values of {values.name} that are not finite")
    share: Array = np.clip((numbers - low) / (high - low), 0, 1).astype(np.float32)
    return share[:, None]


def _make_one_hot(path: Path, values: pd.Series, categories: list[str]) -> Array:
    places = pd.Index(categories).get_indexer(pd.Index(values))
    unknown = values.to_numpy()[places < 0]
    require_rows(path, len(unknown) == 0, f"has an unknown {values.name} {unknown[:1]}")
    indicators: Array = np.eye(len(categories), dtype=np.float32)[places]
    return indicators


def stand_in(rng: Generator) -> dict[str, Array]:
    """The same columns: continuous attributes and categories whose odds differ between the two classes."""
    labels = draw_labels(rng, TRAIN + TEST, [0.76, 0.24])
    centre = rng.normal(0, 0.5, size=(2, len(CONTINUOUS)))
    continuous = 1 / (1 + np.exp(-(centre[labels] - 0.5 + rng.standard_normal((len(labels), len(CONTINUOUS))))))
    columns = [continuous.astype(np.float32)]
    for listed in CATEGORIES.values():
        count = len(listed.split())
        odds = np.cumsum(rng.dirichlet(np.full(count, 0.6)) * np.exp(rng.normal(0, 0.7, size=(2, count))), axis=1)
        place = rng.random((len(labels), 1)) * odds[labels, -1:]
        columns.append(np.eye(count, dtype=np.float32)[np.minimum((odds[labels] < place).sum(axis=1), count - 1)])
    return _fields(np.hstack(columns), labels, split_in_order(TRAIN, TEST))
