"""The protocol "products": bits of the products of features, and of features and target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.protocols.base import SUM, Release
from unveil.protocols.protocol import Candidate, Case, Learner, Offer, Order, Protocol
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.encoded import EncodedTable, Piece


class ProductsProtocol(Protocol):
    """Private numbers, features and target; the learner has nothing else."""

    name = "products"
    kinds = ({"targets": SUM, "pairs": SUM}, {"ones": SUM, "both": SUM})
    needs = frozenset({"dimension", "intercept", "upper", "noise_of_one"})
    learners = ("unveil.estimators.moments.regression:MomentRegression",)
    state = ("n_features_in_", "coef_", "intercept_", "covariance_", "rank_", "_has_intercept")
    with_public = False
    task = "regress"

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Exact noise on shares of public ranges."""
        from unveil.mechanisms.exact_products import ExactProducts

        level = order.exact_level()
        table.require_public(self.name)
        name, known = table.encoding.label.name, table.encoding.label.range is not None
        require(known, f"column {name!r}: products needs the public range of the label; give --range {name}=LOW:HIGH")
        mechanism = ExactProducts(level, testing=order.testing)
        return Offer(mechanism, (mechanism.tight_epsilon(), 0.0), table, table.read_targets, {"intercept": True})

    def predict(self, estimator: Any, table: EncodedTable, extra: tuple[str, ...]) -> Iterator[Piece]:
        """A number for each row, in the label's range."""
        low, high = table.encoding.label.range or (0.0, 1.0)
        for piece, X in table.read_features(extra):
            yield {**piece, "prediction": low + (high - low) * estimator.predict(X)}

    def audit_case(self, epsilon: float) -> Case:
        """All entries at one end of their range, or at the other."""
        from unveil.mechanisms.exact_products import ExactProducts

        mechanism = ExactProducts(epsilon, testing=True)

        def release(value: float, n: int, rng: Generator) -> Array:
            bits = mechanism.release(np.full((n, 2), value), np.full(n, value), rng)
            return np.stack([bits.first * 16 + bits.second * 8 + bits.bits], axis=1)

        return Case(0.0, 1.0, mechanism.tight_epsilon(), release)

    def candidates(self, epsilon: float, d: int) -> Iterator[Candidate]:
        """The exact mechanism, and bits of every product by itself."""
        from unveil.estimators.moments.regression import MomentRegression
        from unveil.mechanisms.exact_products import ExactProducts
        from unveil.mechanisms.per_value import PerValueRelease

        def learner(solver: str, noise: float | None = None) -> Learner:
            def predict(release: Release, world: Any) -> Any:
                return MomentRegression(solver, noise).fit(release).predict(world.X_test)

            settings = (f"solver={solver}",) if noise is None else (f"noise={noise:g}",)
            return Learner("MomentRegression", predict, settings, ignores=noise is not None)

        learners = (learner("truncated"), learner("ridge"), learner("truncated", noise=0.0))
        exact = ExactProducts(epsilon, testing=True)
        statistics = (d + 1) * (d + 2) // 2 + d + 1
        bits = PerValueRelease(2 * epsilon, delta_bar=statistics)
        line = f"DATA --epsilon {epsilon:g} --label LABEL --schema SCHEMA"
        for mechanism, command in ((exact, line), (bits, None)):
            yield Candidate(type(mechanism).__name__, _publisher(mechanism), learners, command)


def _publisher(mechanism: Any) -> Any:
    return lambda world, rng: mechanism.publish((world.X, world.y), rng, intercept=True)


PROTOCOL = ProductsProtocol()
