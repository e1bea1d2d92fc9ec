"""The protocol "moments": noisy sums of all products of features and target, from whoever holds the table."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.numerics.columns import public_products
from unveil.protocols.base import SUM, Release
from unveil.protocols.candidates import Candidate, publish_rows
from unveil.protocols.contents import CLASSIFIER, COVARIANCE, MOST, REGRESSION, Values, number, whole_number
from unveil.protocols.protocol import Case, Offer, Option, Order, Protocol
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.columns import Encoding
    from unveil.protocols.encoded import EncodedTable

_MORE = {
    "covariance_": COVARIANCE._replace(optional=False),
    "rank_": Values(low=0, whole=True),
    "skill_": Values(low=-1, high=1),
}
#: What each estimator predicts from.
STATES = {"MomentRegression": REGRESSION | _MORE, "MomentClassifier": CLASSIFIER | _MORE}
#: The δ of Gaussian noise that is tried.
DELTA = 1e-6


class MomentsProtocol(Protocol):
    """Private features, and a number or one of two classes; the learner has nothing else, the owner has the table."""

    name = "moments"
    kinds = ({"sums": Values(("entries", "entries"), SUM, whole=True)},)
    parameters: ClassVar = {
        "dimension": whole_number(2, 1 << 14),
        "steps": whole_number(1, 1 << 20),
        "variance": number(1 / MOST),
        "delta": number(0, 1),
    }
    needs = frozenset({"dimension", "columns", "steps", "variance"})
    mechanism = "unveil.mechanisms.exact_moments:ExactMoments"
    learners = (
        "unveil.estimators.moments.regression:MomentRegression",
        "unveil.estimators.moments.classifier:MomentClassifier",
    )
    options = (Option("delta", "Gaussian noise, exact, at (epsilon, delta).", float),)
    passes = 3
    with_public = False
    tasks = ("regress", "classify")

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Exact noise on the sums over whole records; of a label with a public list the classes are learned."""
        from unveil.mechanisms.exact_moments import Shape

        level, delta = order.exact_level(), order.more.get("delta") or 0.0
        table.require_public(self.name)
        label, columns = table.encoding.label, tuple(table.encoding.widths)
        bare = label.range is None and label.categories is None
        mechanism = self.make_veil(level, delta, testing=order.testing)
        how: dict[str, Any] = {"columns": columns}
        if bare or label.categories is not None:
            table = table.with_two_classes()
            how["classes"] = table.encoding.classes
        kept = mechanism.promises(Shape(columns, "classes" in how))[:2]
        read = table.read_labelled if "classes" in how else table.read_targets
        return Offer(mechanism, kept, table, read, how)

    def check_arrays(self, release: Release) -> None:
        """A table for columns that make the features, with what is public in its place."""
        known, sums = release.parameters, release.arrays["sums"]
        columns, d = known["columns"], known["dimension"] - 1
        listed = isinstance(columns, list) and all(isinstance(width, int) and 1 <= width <= d for width in columns)
        require(listed and sum(columns) == d, "columns must be how many features each makes")
        require(len(sums) == d + 2 and np.array_equal(sums, sums.T), "sums must be those of all products")
        square = release.records * known["steps"] ** 2
        public = public_products(columns, "classes" in known)
        fixed = public * np.diag([*sums[d, :d], square, square * ("classes" in known)])
        require(np.array_equal(sums * public, fixed), "sums must hold what is public of them")

    def recompute(self, release: Release) -> dict[str, Any]:
        """Levels and the size of the noise."""
        from unveil.mechanisms.exact_moments import Shape

        if release.mechanism != "ExactMoments":
            return {}
        known = release.parameters
        veil = self.make_veil(known["epsilon"], known["delta"], known["steps"])
        exact, delta, variance = veil.promises(Shape(tuple(known["columns"]), "classes" in known))
        levels = {"claimed_epsilon": veil.epsilon, "claimed_delta": veil.delta}
        return {**levels, "exact_epsilon": exact, "exact_delta": delta, "variance": variance}

    def check_table(self, release: Release, encoding: Encoding) -> None:
        """As wide columns as the release says."""
        super().check_table(release, encoding)
        require(encoding.widths == release.parameters["columns"], "table must have the columns of the release")

    def default_learner(self, release: Release | None) -> str:
        """The one for the target's kind."""
        classified = release is not None and "classes" in release.parameters
        return "MomentClassifier" if classified else "MomentRegression"

    def state_rules(self, estimator: Any) -> dict[str, Values | None]:
        """They differ in their shapes."""
        return STATES[type(estimator).__name__]

    def find_enough(self, release: Release) -> float:
        """By the noise of inverse second moments: 3 for a number in [-1, 1], the square of its width for a category."""
        known = release.parameters
        inverse = 1 + sum(3 if width == 1 else width**2 for width in known["columns"])
        spread = 1 if "classes" in known else 0.25
        return (
            sqrt(8 * release.number("variance") * len(release.pieces) * inverse / spread) / release.number("steps") ** 2
        )

    def audit_case(self, epsilon: float) -> Case:
        """One record of two, whose two features and target turn to the other end of their range, or half of them."""
        from unveil.mechanisms.exact_moments import Shape

        mechanism = self.make_veil(epsilon, steps=1, testing=True)
        kept = mechanism.promises(Shape((1, 1), False))[0]

        def release(x: list[float], n: int, rng: Generator) -> Array:
            tally = mechanism.tally((np.array([x[:2]]), np.array(x[2:])))
            noisy: Array = mechanism.release_many(tally, n, rng)
            return noisy

        return Case([1.0, 1.0, 1.0], [1.0, 0.0, 0.0], kept, release)

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:  # noqa: ARG002 - as its siblings
        """Both kinds of exact noise."""
        name = "MomentRegression" if task == "regress" else "MomentClassifier"
        how = {} if task == "regress" else {"classes": (0, 1)}
        learners = tuple(self.attempt(name, solver=solver) for solver in ("truncated", "ridge"))
        line = f"DATA --epsilon {epsilon:g} --label LABEL --schema SCHEMA"
        for delta, called, command in ((0.0, "geometric", line), (DELTA, "Gaussian", f"{line} --delta {DELTA:g}")):
            veil = self.make_veil(epsilon, delta, testing=True)
            yield Candidate(f"ExactMoments, {called}", publish_rows(veil, **how), learners, command)


PROTOCOL = MomentsProtocol()
