"""Products of features and target with exact noise: coordinate release for real data.

The protocol of `product_bits` (Raghunathan et al. 2016, section 7) in whole numbers: a product in [0, 1] is rounded to
a grid of 2⁻³² and becomes a bit by comparing a uniform whole number with it; the bit is reported by `ExactResponse`.
Which product a record reports is drawn without looking at it. So rounding is part of the data, and the level of a
record that of the bits it reports: one at ε, or three at ε/3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import nextafter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import ExactMechanism
from unveil.mechanisms.batches import Data
from unveil.mechanisms.bits import all_within, cut_products
from unveil.mechanisms.checks import LOWEST_LEVEL
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_response import UNIT, ExactResponse
from unveil.mechanisms.exact_sampling import log_above, uniform_below
from unveil.mechanisms.product_bits import ROWS, ProductBits
from unveil.mechanisms.product_mechanism import OneProduct
from unveil.protocols.base import Budget, Release
from unveil.types import Array, as_whole

#: Products are whole multiples of one part in so many.
GRID = 1 << 32


@dataclass(frozen=True)
class ExactProducts(ExactMechanism, OneProduct):
    """Release one product x_i·y of a record, or the three products of one pair of features, as exactly flipped bits.

    `CoordinateRelease.publish` for real data: with level ε it is as precise as that with α = 2ε, which keeps ε, too.

    Parameters
    ----------
    epsilon : float
        The level of one record, features and target, from 3·2⁻²⁰ to 20.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import ExactProducts, MomentRegression
    >>> X = default_rng(0).random((200_000, 2))
    >>> release = ExactProducts(6.0).publish((X, X @ [0.7, 0.2]))
    >>> release.randomness, round(release.exact_epsilon, 9)
    ('os', 6.0)
    >>> MomentRegression().fit(release).coef_.shape
    (2,)

    See Also
    --------
    CoordinateRelease : in floating point, for simulation.
    MomentRegression : learns from it.
    """

    upper: ClassVar[float] = 1.0  # type: ignore[misc]

    epsilon: float

    def _check_parameters(self) -> None:
        require(self.epsilon >= 3 * LOWEST_LEVEL, "epsilon must be at least 3·2^-20: three bits share it")

    def tight_epsilon(self) -> float:
        """The level kept, the log of the worst odds, rounded up; at most 10⁻⁹ below the level asked for."""
        one, three = (Fraction(response.true_weight, UNIT) for response in self._responses())
        return min(log_above(max(one, three**3)), self.claimed_epsilon)

    def publish(  # type: ignore[override]
        self,
        data: Data,
        rng: RandomBytes | None = None,
        intercept: bool = False,
        *,
        ledger: Budget | None = None,
        records: str = "",
    ) -> Release:
        """As for `CoordinateRelease`, of features and target in [0, 1]."""
        return super().publish(data, rng, False, intercept, ledger=ledger, records=records)

    def _levels(self, d: int) -> tuple[float, float]:  # noqa: ARG002 - whatever it is
        return 2 * self.epsilon, self.tight_epsilon()

    def _keeps(self) -> tuple[float, float]:
        one, three = self._responses()
        return float(one.keep), float(three.keep)

    def _responses(self) -> tuple[ExactResponse, ExactResponse]:
        """How the bit of x_i·y, and each of the three bits of a pair, is reported."""
        third = self.epsilon / 3
        if 3 * Fraction(third) > Fraction(self.epsilon):  # it was rounded up, and three of them would promise too much
            third = nextafter(third, 0)
        return ExactResponse(self.epsilon, testing=self.testing), ExactResponse(third, testing=self.testing)

    def release(self, X: ArrayLike, y: ArrayLike, rng: RandomBytes) -> ProductBits:
        """One product of features (n, d) and target (n,), or three, of each record, as bits; all lie in [0, 1]."""
        source = self._source(rng)
        parts = [self._release_bits(*part, source, False) for part in cut_products((X, y), 1.0, False, ROWS)]
        require(parts, "X must have at least one row")
        first, second, bits = (np.concatenate(arrays) for arrays in zip(*(part[:3] for part in parts), strict=True))
        return ProductBits(first, second, bits, parts[0].dimension)

    def _release_bits(self, X: Array, y: Array, source: RandomBytes, signed: bool) -> ProductBits:  # noqa: ARG002 - none has a sign
        n, d = X.shape
        require(2 <= d <= 1 << 16, "X must have from two to 65,536 features: a pair is released")
        within = all_within(X, 0.0, 1.0) and all_within(y, 0.0, 1.0)
        require(within, "X and y must lie in [0, 1]: scale them by a public range")
        one, three = self._responses()
        i, paired = uniform_below(d, n, source), uniform_below(2, n, source) == 1
        j = uniform_below(d - 1, n, source)
        j += j >= i
        rows = np.arange(n)
        a, b = X[rows, i].astype(float), X[rows, j].astype(float)
        target = _draw_bits(a * y, source)
        middle, first, second = (_draw_bits(product, source) for product in (a * b, a * a, b * b))
        answers = three.release(np.stack([middle, first, second]), source)
        bits = np.where(paired, answers[0] | answers[1] << 1 | answers[2] << 2, one.release(target, source))
        index = np.uint8 if d <= 1 << 8 else np.uint16
        first, second = (as_whole(factor, "X", index) for factor in (i, np.where(paired, j, i)))
        return ProductBits(first, second, as_whole(bits, "X", np.uint8), d)


def _draw_bits(products: Array, source: RandomBytes) -> Array:
    """One with probability k/2³² for a product that is nearest to k/2³²."""
    whole = np.clip(as_whole(np.rint(products * GRID), "products"), 0, GRID)
    words = np.frombuffer(source.bytes(4 * len(whole)), dtype="<u4").astype(np.int64, casting="same_kind")
    return np.asarray(words < whole, dtype=np.uint8)
