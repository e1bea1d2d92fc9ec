"""The protocol "mean-operator": a noisy sum of all labels times their public features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unveil.errors import require
from unveil.mechanisms.exact_sampling import as_level, level_below
from unveil.mechanisms.mean_operator import MeanOperatorRelease
from unveil.protocols.base import SUM, Release
from unveil.protocols.candidates import Candidate, publish_rows
from unveil.protocols.contents import CLASSIFIER, TRUTH, Values, whole_number
from unveil.protocols.protocol import Case, Offer, Order, Protocol

if TYPE_CHECKING:
    from unveil.protocols.encoded import EncodedTable


class MeanOperatorProtocol(Protocol):
    """Private labels of two classes; the learner has the features."""

    name = "mean-operator"
    kinds = ({"sum": Values(("dimension",), SUM), "variance": Values(("dimension",), SUM, low=0)},)
    parameters: ClassVar = {"dimension": whole_number(1, 1 << 31), "intercept": TRUTH}
    needs = frozenset({"dimension", "intercept", "classes"})
    mechanism = "unveil.mechanisms.exact_operator:GeometricMeanOperator"
    learners = ("unveil.estimators.statistics.classifier:MeanOperatorClassifier",)
    state: ClassVar = {**CLASSIFIER, "gradient_norm_": Values(low=0), "_has_intercept": Values(kinds="b")}
    passes = 3
    tasks = ("classify",)
    protects = "label"

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Exact noise on the sum over whole records."""
        level, table = order.exact_level(), table.with_two_classes()
        mechanism = self.make_veil(level, testing=order.testing)
        how = {"intercept": True, "classes": table.encoding.classes}
        return Offer(mechanism, (as_level(level_below(level)), 0.0), table, table.read_labelled, how)

    def check_arrays(self, release: Release) -> None:
        """Two classes."""
        require(len(release.parameters["classes"]) == 2, "classes must be two")

    def recompute(self, release: Release) -> dict[str, Any]:
        """What is claimed; exact noise keeps it, and where nothing depends on a label there is none."""
        known, found = release.parameters, {"claimed_delta": 0.0, "exact_delta": 0.0}
        if release.mechanism == "GeometricMeanOperator":
            exact = self.make_veil(known["epsilon"], known["steps"])
            level = as_level(level_below(exact.epsilon)) if release.arrays["variance"].any() else 0.0
            return {**found, "claimed_epsilon": exact.epsilon, "exact_epsilon": level, "noise": exact.noise}
        if release.mechanism == "MeanOperatorRelease":
            veil = MeanOperatorRelease(*(known[name] for name in ("alpha", "noise", "bound", "l1_bound")))
            d = known["dimension"]
            variance = sum(part.records**2 * veil.entry_variance(part.records, d) for part in release.pieces)
            return {**found, "claimed_epsilon": veil.alpha, "variance": np.full(d, variance)}
        return {}

    def fit(self, estimator: Any, release: Release, table: EncodedTable | None) -> None:
        """On the rows that the release was made from, in their order."""
        assert table is not None  # noqa: S101 - for the type checker
        X = np.concatenate([part for _, part in table.read_features()])
        rule = f"must have the {release.records} rows of the release, in the same order, not {len(X)}"
        require(len(X) == release.records, f"{table.sheet.path} {rule}")
        estimator.fit(release, X)

    def find_enough(self, release: Release) -> float:
        """By the noise of the operator beside the spread of features in their ranges."""
        return float(20 * release.number("dimension") ** 1.5 / max(release.exact_epsilon, 1e-9))

    def audit_case(self, epsilon: float) -> Case:
        """The record with the largest norm turns."""
        X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        mechanism = self.make_veil(epsilon, testing=True)
        signs = np.array([1, -1, 1]), np.array([1, -1, -1])
        return Case(*signs, mechanism.tight_epsilon(X), lambda y, n, rng: mechanism.release_many(X, y, n, rng))

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:  # noqa: ARG002 - as its siblings
        """The exact mechanism, under several weights of the norm."""
        operator = self.make_veil(epsilon, testing=True)
        settings: tuple[dict[str, float], ...] = ({}, {"l2": 0.001}, {"l2": 0.01}, {"l2": 0.1})
        yield Candidate(
            "GeometricMeanOperator",
            publish_rows(operator, intercept=True, classes=(0, 1)),
            tuple(self.attempt("MeanOperatorClassifier", **own) for own in settings),
            f"DATA --epsilon {epsilon:g} --label LABEL",
        )


PROTOCOL = MeanOperatorProtocol()
