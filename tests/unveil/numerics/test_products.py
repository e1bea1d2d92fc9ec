"""Means of products from counted outcomes."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose

from unveil.numerics.products import debias_outcomes


def test_divided_by_expected_numbers_means_of_parts_make_that_of_the_whole() -> None:
    """By realised numbers they do not; by default it is these."""
    rng, values = default_rng(0), (np.array([-0.3, 1.2]), np.array([-0.8, 1.7]))
    parts = [(rng.integers(1, 50, (3, 2)), rng.integers(1, 50, (3, 8))) for _ in range(2)]
    sizes = np.array([sum(part.sum() for part in own) for own in parts])
    (targets, pairs), (more_targets, more_pairs) = parts
    whole = targets + more_targets, pairs + more_pairs
    means = {}
    for counts in ("expected", "realised", "auto"):
        each = [debias_outcomes(*part, values, counts).means for part in parts]
        means[counts] = debias_outcomes(*whole, values, counts).means
        apart = np.abs(sizes @ each / sizes.sum() - means[counts]).max()
        assert apart < 1e-12 if counts == "expected" else apart > 1e-3
    assert_allclose(means["auto"], means["realised"], rtol=0)
