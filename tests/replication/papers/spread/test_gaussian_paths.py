"""Several ascents at once against each on its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from replication.papers.spread.gaussian.paths import Kind, ascend
from unveil.errors import UnveilError
from unveil.estimators.spread.ascent import SpreadLogistic
from unveil.estimators.spread.labels import LabelWeights, SampledLabels, SummedLabels
from unveil.estimators.spread.noise_parameters import label_matrix
from unveil.types import Array

FLIP = 0.2
PRIOR = (0.5, 4.0)
LABELS: dict[str, type[LabelWeights]] = {"sampled": SampledLabels, "summed": SummedLabels}
#: Kind of labels, samples, variance of the noise, and prior.
ASKED: list[tuple[str, int, float, Any]] = [
    ("summed", 1, 0.0, None),
    ("sampled", 2, 0.5, PRIOR),
    ("summed", 2, 0.5, PRIOR),
    ("sampled", 70, 0.5, PRIOR),
    ("summed", 5, 0.1, None),
]


def _kind(labels: str, samples: int, noise: float, prior: Any, codes: Array) -> Kind:
    return Kind(LABELS[labels](codes, label_matrix(FLIP)), samples, noise, prior)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("records", [1, 2, 127, 128, 300])
@pytest.mark.parametrize("asked", [ASKED, ASKED[1:2]], ids=["five", "one"])
def test_each_ascent_is_what_it_is_alone(dtype: type, records: int, asked: list[tuple[str, int, float, Any]]) -> None:
    rng = default_rng(records)
    inputs: Array = rng.normal(size=(records, 9)).astype(dtype)
    codes = rng.integers(0, 2, records)
    together, alone = default_rng(1), default_rng(1)
    paths = ascend(inputs, [_kind(*about, codes) for about in asked], 0.3, (2, 7), together)
    assert paths.shape == (2, len(asked), 9)
    for path, (labels, samples, noise, prior) in zip(paths.swapaxes(0, 1), asked, strict=True):
        given: dict[str, Any] = {"labels": labels, "samples": samples, "input_noise": noise, "prior": prior or "flat"}
        how: dict[str, Any] = {"noise": "gaussian", "level": "z", "solver": "em", "standardise": False, "tol": 0}
        model = SpreadLogistic(
            FLIP, rate=0.3, iterations=7, checkpoints=(2, 7), random_state=alone, fit_intercept=False, **given, **how
        )
        model.learn(inputs, codes)
        np.testing.assert_allclose(path, model.coef_path_, rtol=1e-5, atol=1e-6)
    # And what comes after them draws the same.
    assert together.random() == alone.random()


def test_an_ascent_that_runs_away_is_an_error() -> None:
    kind = _kind("summed", 1, 0.0, None, np.array([0, 1]))
    with pytest.raises(UnveilError, match="grow without bound"):
        ascend(np.array([[-1.0], [1.0]]), [kind], 1e40, (5,), default_rng(0))
