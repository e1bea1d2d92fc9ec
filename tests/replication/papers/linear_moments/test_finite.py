"""Finite samples: which estimates exist, one sample at a time, and errors that tend to what asymptotics promise."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication.papers.linear_moments.fig3.score import PHI
from replication.papers.linear_moments.finite.score import estimators
from stages import drawn, scored
from unveil.errors import UnveilError
from unveil.estimators.moments.indirect import LinearMoments, MarginalLikelihood
from unveil.mechanisms.response import randomized_response_matrix

SETTINGS = {"thetas": [[2.0, -0.1], [5.0, -1.0]], "epsilons": [0.3, 0.9], "sizes": [100, 100_000], "infinite": 20.0}


@cache
def scores() -> pd.DataFrame:
    return scored("linear_moments.finite", 60, SETTINGS)


def test_the_grid_is_complete_and_errors_are_missing_where_nothing_exists() -> None:
    table = scores()
    assert len(table) == 2 * 2 * 2 * 4 * 60
    assert (table["exists"] == table["squared_error"].notna()).all()
    assert table.loc[table["project"] == "kl", "exists"].all()


def test_existence_falls_with_the_signal_and_with_privacy_and_rises_with_n() -> None:
    plain = scores().query("estimator == 'moments' and project == 'none'")
    share = plain.groupby(["theta", "epsilon", "n"])["exists"].mean()
    assert share["5 -1", 0.3, 100] < share["5 -1", 0.9, 100_000] == 1
    assert share["5 -1", 0.3, 100] < share["2 -0.1", 0.3, 100]


def test_estimates_are_the_library_s_one_sample_at_a_time() -> None:
    matrix, n = randomized_response_matrix(4, 0.5), 400
    counts = np.random.default_rng(0).multinomial(n, [0.1, 0.15, 0.45, 0.3], 30)
    found = {(name, project): (exists, ends) for name, project, exists, ends in estimators(counts / n, matrix, n, 20.0)}
    for i, row in enumerate(counts):
        observations = np.repeat(np.arange(4), row)
        for one_step in (False, True):
            model = LinearMoments(PHI, matrix, "kl", one_step).fit(observations)
            _, ends = found["one_step" if one_step else "moments", "kl"]
            assert_allclose(ends[i], model.coef_, rtol=1e-5, atol=1e-5)
        exists, ends = found["moments", "none"]
        if exists[i]:
            assert_allclose(ends[i], LinearMoments(PHI, matrix).fit(observations).coef_, rtol=1e-6, atol=1e-8)
        else:
            with pytest.raises(UnveilError):
                LinearMoments(PHI, matrix).fit(observations)
        exists, ends = found["marginal", "none"]
        if exists[i]:
            maximum = MarginalLikelihood(PHI, matrix).fit(observations)
            assert_allclose(ends[i], maximum.coef_, atol=1e-4)


def test_errors_of_large_samples_are_what_asymptotics_promise() -> None:
    large = scores().query("n == 100_000 and epsilon == 0.9 and theta == '2 -0.1'")
    means = large.groupby(["estimator", "project"])[["squared_error", "asymptotic"]].mean()
    # 60 samples of two squared errors: far within a factor of two.
    assert_allclose(means["squared_error"] / means["asymptotic"], 1, atol=0.7)


def test_it_draws() -> None:
    axes = drawn("linear_moments.finite", scores()).axes
    assert len(axes) == 2 * 3
