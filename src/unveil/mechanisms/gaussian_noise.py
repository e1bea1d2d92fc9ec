"""Gaussian noise on continuous inputs (Barber, section 6.1), with its exact (ε, δ)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import Mechanism
from unveil.privacy.gaussian import gaussian_delta, gaussian_epsilon
from unveil.types import Floats, as_array


@dataclass(frozen=True)
class GaussianInputNoise(Mechanism):
    """Add independent N(0, `variance`) to every coordinate (Barber, equation 67).

    For simulation only.

    Parameters
    ----------
    variance : float
        σ², the variance of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import GaussianInputNoise
    >>> veil = GaussianInputNoise(4.0)
    >>> veil.release(np.zeros(3), default_rng(0)).round(2)
    array([ 0.25, -0.26,  1.28])
    >>> round(veil.epsilon(delta=1e-5, distance=1.0), 3)
    1.993

    See Also
    --------
    SpreadLogisticRegression : learns through the noise.
    """

    variance: float

    def _check_parameters(self) -> None:
        require(0 <= self.variance < math.inf, "variance must be finite and not negative")

    def release(self, inputs: ArrayLike, rng: Generator) -> Floats:
        """Noisy inputs in the shape of `inputs`; single precision stays single."""
        clean: Floats = as_array(inputs, "inputs")
        require(clean.dtype.kind in "fiub", f"inputs must be numbers, not {clean.dtype}")
        require(np.isfinite(clean).all(), "inputs must be finite")
        kind = np.float32 if clean.dtype in (np.dtype(np.float32), np.dtype(np.float16)) else np.float64
        noisy: Floats = clean + math.sqrt(self.variance) * rng.standard_normal(clean.shape, dtype=kind)
        return noisy

    def delta(self, epsilon: float, distance: float) -> float:
        """The exact δ at `epsilon` of two inputs `distance` apart."""
        return gaussian_delta(self._shift(distance), epsilon)

    def epsilon(self, delta: float, distance: float) -> float:
        """The smallest ε at which two inputs `distance` apart are (ε, `delta`)-indistinguishable."""
        return gaussian_epsilon(self._shift(distance), delta)

    def _shift(self, distance: float) -> float:
        require(self.variance > 0, "variance must be positive for a finite privacy loss")
        require(0 < distance < math.inf, "distance must be positive and finite")
        return distance / math.sqrt(self.variance)
