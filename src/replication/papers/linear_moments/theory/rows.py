"""How the checks report what they found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from unveil.types import Floats


class Row(NamedTuple):
    """One quantity of one case beside what the paper states of it; `n` and `trial` where it was sampled."""

    quantity: str
    case: str
    value: float
    stated: float
    n: float = np.nan
    trial: int | None = None


def log_ratios(first: Floats, second: Floats) -> Floats:
    """Logarithms of the generalised eigenvalues of two covariances: all zero where they are equal."""
    ratios: Floats = np.log(eigh(first, second, eigvals_only=True))
    return ratios


def apart(found: Floats, stated: Floats) -> float:
    """The largest difference of two arrays, as a share of the largest stated entry."""
    return float(np.abs(found - stated).max() / np.abs(stated).max())
