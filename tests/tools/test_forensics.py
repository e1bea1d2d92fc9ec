"""The page of readings: made by the tool, and its numbers against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta
from tools.forensics import CLASSES, SIZE, Reading, outcome, page, readings

from project import ROOT


def test_the_page_is_what_the_tool_writes() -> None:
    assert (ROOT / "docs/forensics.md").read_text(encoding="utf-8") == page(), "run python -m tools.forensics"


def test_a_dirichlet_of_its_own_counts_distorts_as_its_marginals_say() -> None:
    """E|θ_i − p_i| of Beta(η_i, m − η_i) in closed form by integration, summed over the classes."""
    found = outcome(Reading("σ = 1", 0.05, 0.05, "L1, as stated"))
    assert found is not None
    counts = np.array([50] * 4 + [800])
    expected = sum(beta(n, SIZE - n).expect(lambda x, p=n / SIZE: np.abs(x - p)) for n in counts)
    assert found.ours == pytest.approx(expected, rel=0.03)
    assert len(counts) == CLASSES


def test_the_text_as_it_stands_is_the_first_reading_and_is_tried_once() -> None:
    tried = list(readings())
    assert tried[0] == Reading("largest tail (9), as stated", 0.05, 0.05, "L1, as stated")
    assert len(set(tried)) == len(tried)
