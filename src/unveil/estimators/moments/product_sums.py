"""Sums of products of features and target: all that regression needs of records in the clear."""

from __future__ import annotations

from dataclasses import dataclass

from unveil.errors import require
from unveil.types import Floats


@dataclass(frozen=True)
class ProductSums:
    """Σ xxᵀ and Σ x·y over some records."""

    records: int
    second: Floats
    cross: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats) -> ProductSums:
        """Over the rows of a batch."""
        return cls(len(X), X.T @ X, X.T @ y)

    def merge(self, other: ProductSums) -> ProductSums:
        """Over the records of both."""
        same = len(self.cross) == len(other.cross)
        require(same, f"only models of as many features merge: {len(self.cross)} and {len(other.cross)}")
        return ProductSums(self.records + other.records, self.second + other.second, self.cross + other.cross)
