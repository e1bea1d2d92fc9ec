"""What the mechanisms for products of features and target share: batches are tallied, and no record is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import Any, ClassVar

from unveil.errors import require
from unveil.mechanisms.base import Mechanism, describe_randomness
from unveil.mechanisms.batches import Data
from unveil.mechanisms.bits import cut_products, entry_noise, flip_line
from unveil.mechanisms.product_bits import ROWS, ProductBits, tally_outcomes
from unveil.protocols.base import Budget, Release
from unveil.types import Array


class ProductMechanism(Mechanism, ABC):
    """A mechanism of the protocol "products", on features and target whose products lie in [0, upper]."""

    local: ClassVar[bool] = True
    #: Records that are handled at a time.
    rows: ClassVar[int] = ROWS
    upper: float

    def publish(
        self,
        data: Data,
        rng: Any = None,
        signed: bool = False,
        intercept: bool = False,
        *,
        ledger: Budget | None = None,
        records: str = "",
    ) -> Release:
        """The products of features and target, tallied: a release of the protocol "products".

        Parameters
        ----------
        data : (X, y), or an iterable of such pairs
            Features (n, d) and target (n,) in [0, √c], c being `upper`; with `signed` in [−√c, √c].
        rng, ledger, records
            As `unveil.mechanisms.base.Mechanism` says.
        signed : bool
            Whether entries have signs: then a product s is released as the share (s + c)/2.
        intercept : bool
            Whether a constant is a feature, too.

        Returns
        -------
        Release
            How often what was released; with a seed the same however the records are cut into batches.
        """
        source, sums, n, d = self._source(rng), dict[str, Array](), 0, 0
        for X, y in cut_products(data, self.upper, intercept, self.rows):
            found = self._tally(X, y, source, signed)
            sums = {name: tallied + sums[name] for name, tallied in found.items()} if n else found
            n, d = n + len(X), X.shape[1]
        require(n > 0, "X must have at least one row")
        alpha, exact = self._levels(d)
        return Release(
            protocol="products",
            mechanism=type(self).__name__,
            parameters={
                # A release's numbers are finite; without a level nothing was flipped.
                **({"alpha": alpha} if alpha < inf else {}),
                "upper": self.upper,
                "dimension": d,
                **self._public(d, signed),
                "signed": signed,
                "intercept": intercept,
            },
            arrays=sums,
            records=n,
            claimed_epsilon=self.claimed_epsilon,
            exact_epsilon=exact,
            randomness=describe_randomness(source),
        ).charge(ledger, records)

    @abstractmethod
    def _tally(self, X: Array, y: Array, source: Any, signed: bool) -> dict[str, Array]:
        """How often what was released of some records."""

    @abstractmethod
    def _levels(self, d: int) -> tuple[float, float]:
        """α, and the exact level of a record of d features."""

    @abstractmethod
    def _public(self, d: int, signed: bool) -> dict[str, float]:
        """What debiasing needs: a bit of s is one with probability low + slope·s; and how large the noise is."""


class OneProduct(ProductMechanism):
    """A mechanism that releases a bit of x_i·y, or three of a pair i < j, as `product_bits` has it."""

    @abstractmethod
    def _keeps(self) -> tuple[float, float]:
        """How often the bit of x_i·y survives, and each of a pair's three."""

    @abstractmethod
    def _release_bits(self, X: Array, y: Array, source: Any, signed: bool) -> ProductBits:
        """The bits of some records."""

    def _tally(self, X: Array, y: Array, source: Any, signed: bool) -> dict[str, Array]:
        targets, pairs = tally_outcomes(self._release_bits(X, y, source, signed))
        return {"targets": targets, "pairs": pairs}

    def _public(self, d: int, signed: bool) -> dict[str, float]:
        (target, slope), (pair, slope_pair) = self._lines(signed)
        # The scarcest statistics are the products of two different features.
        noise = entry_noise(1 / (d * (d - 1)), self._keeps()[1], 2 * self.upper if signed else self.upper)
        lines = {"low_target": target, "slope_target": slope, "low_pair": pair, "slope_pair": slope_pair}
        return {**lines, "noise_of_one": noise}

    def _lines(self, signed: bool) -> list[tuple[float, float]]:
        """Low and slope of the bits of x_i·y, and of a pair."""
        return [flip_line(keep, self.upper, signed) for keep in self._keeps()]
