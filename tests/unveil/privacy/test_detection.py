"""The limits against the binomial tails that define them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from refusals import refused
from unveil.privacy.detection import lower_limit, upper_limit


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([1e-6, 0.01, 0.4]))
def test_at_the_limit_the_tail_has_exactly_the_allowed_probability(n: int, share: float, error: float) -> None:
    k = round(share * n)
    low, high = float(lower_limit(k, n, error)), float(upper_limit(k, n, error))
    assert 0 <= low <= k / n <= high <= 1
    if k > 0:
        assert binom.sf(k - 1, n, low) == pytest.approx(error, rel=1e-4)
    if k < n:
        assert binom.cdf(k, n, high) == pytest.approx(error, rel=1e-4)


def test_ends_and_arrays() -> None:
    np.testing.assert_allclose(lower_limit([0, 10], 10, 0.05), [0, 0.05**0.1])
    np.testing.assert_allclose(upper_limit([0, 10], 10, 0.05), [1 - 0.05**0.1, 1])


test_bad_input = refused(
    *((hits, 10, 0.1, "hits") for hits in (-1, 11, np.nan)),
    (0, 0, 0.1, "n must"),
    (1, 10, 0.0, "error"),
    call=lower_limit,
)
