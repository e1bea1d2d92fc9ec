"""The election: the printed sign is wrong, the corrected one right; what repeated reports reveal."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from checks import assert_mean
from replication.papers.spread.voting.shares import clipped_share, corrected_share, printed_share, revealed
from unveil.mechanisms.flips import LabelFlips

SHARES, FLIPS = st.floats(0, 1), st.floats(0.001, 0.49)


@given(SHARES, FLIPS, FLIPS)
def test_only_the_corrected_estimator_inverts_the_noise(theta: float, p10: float, p01: float) -> None:
    seen = LabelFlips(p10, p01).matrix[1] @ [1 - theta, theta]
    assert corrected_share(seen, p10, p01) == pytest.approx(theta, abs=1e-9)
    # The erratum of (2) and (24): the printed plus is off by 2 p10/(1 − p10 − p01).
    assert printed_share(seen, p10, p01) - theta == pytest.approx(2 * p10 / (1 - p10 - p01))


def test_corrected_estimator_is_unbiased_on_released_votes() -> None:
    rng = default_rng(40)
    votes = (rng.random((2000, 500)) < 0.1).astype(np.uint8)
    frequency = LabelFlips(0.3, 0.2).release(votes, rng).mean(axis=1)
    assert_mean(corrected_share(frequency, 0.3, 0.2), 0.1)
    clipped = clipped_share(frequency, 0.3, 0.2)
    assert clipped.min() == 0
    assert clipped.mean() > 0.1


@pytest.mark.parametrize("releases", [1, 2, 3, 4])
def test_revelation_matches_enumeration_of_all_reports(releases: int) -> None:
    matrix, prior = LabelFlips(0.2, 0.35).matrix, np.array([0.7, 0.3])
    trust, right = 0.0, 0.0
    for truth in (0, 1):
        for reports in product((0, 1), repeat=releases):
            likelihood = np.prod(matrix[list(reports)], axis=0)
            chance = prior[truth] * likelihood[truth]
            trust += chance * prior[truth] * likelihood[truth] / (prior @ likelihood)
            ones = 2 * sum(reports) - releases
            right += chance * (0.5 if ones == 0 else float((ones > 0) == truth))
    assert revealed(matrix, releases, 0.3) == pytest.approx((trust, right))


def test_more_reports_reveal_more() -> None:
    trust = [revealed(LabelFlips(0.4).matrix, releases, 0.5)[0] for releases in range(1, 200, 20)]
    assert np.all(np.diff(trust) > 0)
    assert trust[-1] > 0.99
