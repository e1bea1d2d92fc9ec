"""The protocol "ratios": noisy shares of classes in sets of public records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.protocols.base import ROWS, Release
from unveil.protocols.protocol import Candidate, Case, Learner, Offer, Option, Order, Protocol
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.encoded import EncodedTable, Piece

#: The δ of Gaussian noise on counts that is tried.
DELTA = 1e-6


class RatiosProtocol(Protocol):
    """Private classes; the learner has the features, and knows which records make a set."""

    name = "ratios"
    kinds = (dict.fromkeys(("proportions", "sizes", "noise"), ROWS),)
    needs = frozenset({"classes"})
    of_rows = ("sets",)
    learners = (
        "unveil.estimators.bags.mmd:MMDClassRatio",
        "unveil.estimators.bags.set_em:SetIdEM",
        "unveil.estimators.bags.set_logistic:SetIdLogistic",
        "unveil.estimators.bags.proportion_svm:ProportionSVM",
    )
    needed = ("epsilon", "sets")
    options = (Option("delta", "Gaussian noise, exact, at (epsilon, delta).", float),)
    unit = "sets"
    task = "ratios"

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Exact noise on the counts of each set."""
        from unveil.mechanisms.counts import GaussianCounts
        from unveil.mechanisms.exact_sums import GeometricCounts

        level, table = order.exact_level(), table.with_classes()
        names, counts, outside = table.count_classes()
        delta, most = order.more.get("delta"), counts.shape[1]
        mechanism: Any = (
            GeometricCounts(level, testing=order.testing)
            if delta is None
            else GaussianCounts(level, delta, exact=True, testing=order.testing)
        )
        promises = mechanism.promises(counts.sum(axis=1))
        kept = promises.exact_epsilon, promises.exact_delta
        some = f"{len(names)} set{'s' if len(names) > 1 else ''}"
        few = (
            f"{some} cannot tell {most} classes apart: nobody learns from this release, unless it is merged with others"
        )
        how, public, notes = {"classes": table.encoding.classes}, {"sets": names}, (few,) if len(names) < most else ()
        return Offer(mechanism, kept, table, lambda _: counts, how, public, outside, notes=notes)

    def check_arrays(self, release: Release, lengths: set[int], path: Path) -> None:
        """One row a set, whose sizes add up."""
        known, arrays = release.parameters, release.arrays
        require(arrays["sizes"].sum() == release.records, f"{path} must hold sets of {release.records} records in all")
        require(arrays["proportions"].shape[1:] == (len(known["classes"]),), f"{path} must hold a share of each class")
        require(len(lengths) == 1, f"{path} must hold as many rows in every array")
        names: Any = known.get("sets")
        named = isinstance(names, list) and all(isinstance(name, str) for name in names)
        fine = named and len(set(names)) == len(names) == len(arrays["sizes"])
        require(names is None or fine, f"{path} must give each of its sets a name of its own, or none a name")

    def state_of(self, estimator: Any) -> dict[str, Any]:
        """The estimators say themselves what they predict from."""
        return {"n_features_in_": estimator.n_features_in_, "classes_": estimator.classes_, **estimator._state()}

    def restore(self, estimator: Any, found: dict[str, Any]) -> None:
        """What does not fit together shows before anybody asks for more."""
        own = dict(found)
        estimator.n_features_in_, estimator.classes_ = int(own.pop("n_features_in_")), np.asarray(own.pop("classes_"))
        estimator._restore(**own)
        shares = estimator.predict([np.zeros((1, estimator.n_features_in_))])
        require(shares.shape == (1, len(estimator.classes_)), "it must foretell a share of each class")

    def fit(self, estimator: Any, release: Release, table: EncodedTable | None) -> None:
        """On the sets that the release was made from, by their names."""
        assert table is not None  # noqa: S101 - for the type checker
        path, (names, bags) = table.sheet.path, table.read_bags()
        expected = list(release.parameters["sets"])
        strange = sorted({*names} ^ {*expected})
        require(not strange, f"{path} must hold the sets of the release: {strange[:1]} is in one of them only")
        found = dict(zip(names, bags, strict=True))
        bags = [found[name] for name in expected]  # those of a merged release are in the order of its parts
        for name, bag, size in zip(expected, bags, release.arrays["sizes"].tolist(), strict=True):
            rule = f"{path} must hold the rows of the release: the set {name!r} has {len(bag)} of them, not {size}"
            require(len(bag) == size, rule)
        estimator.fit(release, bags)

    def predict(self, estimator: Any, table: EncodedTable, extra: tuple[str, ...]) -> Iterator[Piece]:
        """A share of each class for each set."""
        require(not extra, f"--id does not apply to {self.name}: a row is a set")
        names, bags = table.read_bags()
        shares = estimator.predict(bags)
        columns = {f"share of {name}": shares[:, place] for place, name in enumerate(table.encoding.classes)}
        yield {str(table.encoding.sets): names, **columns}

    def audit_case(self, epsilon: float) -> Case:
        """One record changes its class."""
        from unveil.mechanisms.exact_sums import GeometricCounts

        mechanism = GeometricCounts(epsilon, testing=True)

        def release(counts: list[int], n: int, rng: Generator) -> Array:
            return mechanism.noisy_counts(np.tile(counts, (n, 1)), rng)

        return Case([60, 40], [59, 41], mechanism.tight_epsilon(), release)

    def candidates(self, epsilon: float, d: int) -> Iterator[Candidate]:  # noqa: ARG002 - as its siblings
        """Both kinds of exact noise."""
        from unveil.mechanisms.counts import GaussianCounts
        from unveil.mechanisms.exact_sums import GeometricCounts

        def learner(name: str, **settings: Any) -> Learner:
            def predict(release: Release, world: Any) -> Any:
                return self.learner(name)(**settings).fit(release, world.bags).predict(world.bags_test)

            return Learner(name, predict, tuple(f"{key}={value}" for key, value in settings.items()))

        def naive(release: Release, world: Any) -> Any:
            model = self.learner()(diagonal="auto").fit(world.bags, release.arrays["proportions"])
            return model.predict(world.bags_test)

        learners = (
            learner("MMDClassRatio", diagonal="auto"),
            *map(learner, ("MMDClassRatio", "SetIdEM", "SetIdLogistic")),
            Learner("MMDClassRatio, noise ignored", naive, ignores=True),
        )
        line = f"DATA --epsilon {epsilon:g} --label LABEL --sets SETS"
        exact = GeometricCounts(epsilon, testing=True)
        normal = GaussianCounts(epsilon, DELTA, exact=True, testing=True)
        for mechanism, command in ((exact, line), (normal, f"{line} --delta {DELTA:g}")):
            yield Candidate(type(mechanism).__name__, _publisher(mechanism), learners, command)


def _publisher(mechanism: Any) -> Any:
    return lambda world, rng: mechanism.publish(world.counts, rng)


PROTOCOL = RatiosProtocol()
