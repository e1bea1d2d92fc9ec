from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from refusals import refused
from unveil.estimators.moments.indirect import LinearMoments, MarginalLikelihood
from unveil.theory.finite_models import probabilities

PHI = np.array([[2.0], [1.0], [0.0]])
SUPERVISION = np.array([[1 / 3, 1 / 6, 1 / 4], [1 / 3, 1 / 6, 1 / 2], [1 / 3, 2 / 3, 1 / 4]])
POPULATION = SUPERVISION @ probabilities(PHI, np.array([-1.25]))


@pytest.mark.parametrize("method", ["scoring", pytest.param("em", marks=pytest.mark.slow)])
def test_several_starts_escape_the_trap_that_one_falls_into(method: str) -> None:
    trapped = MarginalLikelihood(PHI, SUPERVISION, method, starts=[[4.0]], steps=500).fit_frequencies(POPULATION)
    free = MarginalLikelihood(PHI, SUPERVISION, method, steps=500).fit_frequencies(POPULATION)
    assert trapped.coef_[0] > 3
    assert_allclose(free.coef_, -1.25, atol=1e-4)
    assert free.log_marginals_.max() > trapped.log_marginals_.max()
    assert len(free.ends_) == 3


@pytest.mark.parametrize("kind", [LinearMoments, MarginalLikelihood])
def test_observations_are_counted(kind: Any) -> None:
    rng = np.random.default_rng(1)
    seen = rng.choice(3, 5_000, p=POPULATION)
    by_rows = kind(PHI, SUPERVISION).fit(seen)
    by_counts = kind(PHI, SUPERVISION).fit_frequencies(np.bincount(seen, minlength=3) / len(seen))
    assert_allclose(by_rows.coef_, by_counts.coef_)
    assert_allclose(clone(by_rows).fit(seen).predict_proba(), probabilities(PHI, by_rows.coef_))


BAD: list[tuple[Any, ...]] = [
    *[("fit", observations, "integers") for observations in ([0.5], [0, 3])],
    *[("fit", observations, "shape") for observations in ([], [[0]])],
    ("fit", ["yes"], "observations must hold numbers"),
    ("fit_frequencies", np.full((2, 3), 1 / 3), "one distribution"),
    ("fit_frequencies", [0.5, 0.5, 0.5], "frequencies must be distributions"),
]
test_bad_observations_name_the_rule = refused(
    *((kind, *case) for kind in (LinearMoments, MarginalLikelihood) for case in BAD),
    call=lambda kind, fit, seen: getattr(kind(PHI, SUPERVISION), fit)(seen),
)


test_bad_settings_name_the_rule = refused(
    (lambda: MarginalLikelihood(PHI, SUPERVISION, "annealing").fit_frequencies(POPULATION), "method must be one of"),
    (lambda: MarginalLikelihood(PHI, SUPERVISION, starts=[0.0]).fit_frequencies(POPULATION), "starts must have shape"),
)
