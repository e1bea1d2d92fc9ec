"""The protocol "ratios": noisy shares of classes in sets of public records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from unveil.errors import is_whole, require
from unveil.fingerprints import fingerprint
from unveil.protocols.base import ROWS, Release
from unveil.protocols.candidates import Candidate, Learner
from unveil.protocols.contents import MOST, Sizes, Values, check_names
from unveil.protocols.protocol import Case, Offer, Option, Order, Protocol
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.columns import Encoding
    from unveil.protocols.encoded import EncodedTable, Piece

_POINTS, _SCALE = Values(("points", "features")), Values(("features",), low=1 / MOST)
_POSITIVE, _CENTRE = Values(low=1 / MOST), Values(("features",))
#: What each estimator predicts from.
STATES: dict[str, dict[str, Values]] = {
    "MMDClassRatio": {
        "points": _POINTS,
        "ends": Values(("sets",), low=1, high="points", kinds="iu"),
        "proportions": Values(("sets", "classes"), low=0, high=1),
        "noise": Values(("sets",), low=0),
        "width": Values((1,), low=1 / MOST),
        "gram": Values((1, "sets", "sets"), low=-2, high=2),
    },
    "SetIdEM": {
        "centre": _CENTRE,
        "scale": _SCALE,
        "weights": Values(("features and a constant", "classes")),
        "cost": _POSITIVE,
        "temperature": _POSITIVE,
    },
    "SetIdLogistic": {
        "centre": _CENTRE,
        "scale": _SCALE,
        "which": Values(("sets",), low=0, kinds="iu"),
        "weights": Values(("rows", "features")),
        "offsets": Values(("rows",)),
        "class_scores": Values(("classes", "sets")),
    },
    "ProportionSVM": {
        "points": _POINTS,
        "objective": Values(),
        "dual": Values(("points",)),
        "offset": Values(),
        "bandwidth": _POSITIVE,
        "cost": _POSITIVE,
        "class_scores": Values(("classes", 2)),
    },
}
#: Random features of a model, times the features, at most.
MOST_RANDOM = 1 << 24
#: Deviations to either side that hold 95 % of a normal law.
TWO_SIDED = 1.96
#: The δ of Gaussian noise on counts that is tried.
DELTA = 1e-6


class ReleasedSets(NamedTuple):
    """What was released of which sets; they are known by their names and by their rows, in whatever order these are."""

    released_names: list[str]
    released_rows: list[str]
    released_shares: Array
    released_noise: Array

    def check(self, classes: Sequence[str]) -> Self:
        """Itself; raise unless it is about as many sets as it names."""
        sizes: Sizes = {"classes": len(classes)}
        for name in ("released_names", "released_rows"):
            check_names(name, getattr(self, name), sizes, "released sets")
        Values(("released sets", "classes"), low=0, high=1).check("released_shares", self.released_shares, sizes)
        Values(("released sets",), low=0).check("released_noise", self.released_noise, sizes)
        return self

    def find(self, names: Sequence[str], bags: Sequence[Array]) -> dict[int, int]:
        """Which of some sets were released, and where."""
        places = {key: k for k, key in enumerate(zip(self.released_names, self.released_rows, strict=True))}
        keys = [(name, fingerprint_of(bag)) for name, bag in zip(names, bags, strict=True)]
        return {row: places[key] for row, key in enumerate(keys) if key in places}


def fingerprint_of(bag: Array) -> str:
    """Of the rows of a set, whatever their order."""
    return fingerprint(bag[np.lexsort(bag.T)])


class RatiosProtocol(Protocol):
    """Private classes; the learner has the features, and knows which records make a set."""

    name = "ratios"
    kinds = (
        {
            "proportions": Values(("sets", "classes"), ROWS, 0, 1),
            "sizes": Values(("sets",), ROWS, 1, 1 << 53, "iu"),
            "noise": Values(("sets",), ROWS, 0),
        },
    )
    needs = frozenset({"classes"})
    of_rows = ("sets",)
    mechanism = "unveil.mechanisms.exact_sums:GeometricCounts"
    learners = (
        "unveil.estimators.bags.mmd:MMDClassRatio",
        "unveil.estimators.bags.set_em:SetIdEM",
        "unveil.estimators.bags.set_logistic:SetIdLogistic",
        "unveil.estimators.bags.proportion_svm:ProportionSVM",
    )
    needed = ("epsilon", "sets")
    options = (Option("delta", "Gaussian noise, exact, at (epsilon, delta).", float),)
    unit = "sets"
    tasks = ("ratios",)
    protects = "label"

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Exact noise on the counts of each set."""
        from unveil.mechanisms.counts import GaussianCounts

        level, table = order.exact_level(), table.with_classes()
        names, counts, outside = table.count_classes()
        delta, most = order.more.get("delta"), counts.shape[1]
        mechanism: Any = (
            self.make_veil(level, testing=order.testing)
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

    def check_arrays(self, release: Release) -> None:
        """Shares are those of all classes, and the sets' sizes add up."""
        known, arrays = release.parameters, release.arrays
        require(arrays["sizes"].sum() == release.records, f"sizes must be of {release.records} records in all")
        require(np.allclose(arrays["proportions"].sum(axis=1), 1, atol=1e-6), "proportions must sum to one")
        if known.get("sets") is not None:
            fine = isinstance(known["sets"], list) and all(isinstance(name, str) for name in known["sets"])
            fine = fine and len(set(known["sets"])) == len(known["sets"]) == len(arrays["sizes"])
            require(fine, "sets must give each of its sets a name of its own, or none a name")

    def check_table(self, release: Release, encoding: Encoding) -> None:
        """A column names the sets."""
        super().check_table(release, encoding)
        require(encoding.sets is not None and "sets" in release.parameters, "table must have a column of the sets")

    def recompute(self, release: Release) -> dict[str, Any]:
        """What holds for sets of these sizes; of noisy counts the noise, too."""
        from unveil.mechanisms import counts, dirichlet_draws, exact_sums
        from unveil.mechanisms.published_counts import NoisyCounts, PublishedCounts

        places = (counts, exact_sums, dirichlet_draws)
        kind = next((vars(place)[release.mechanism] for place in places if release.mechanism in vars(place)), None)
        if not (isinstance(kind, type) and issubclass(kind, PublishedCounts)):
            return {}
        known, arrays = release.parameters, release.arrays
        veil: Any = kind(**{name: known[name] for name in vars(kind)["__dataclass_fields__"] if name in known})
        found: dict[str, Any] = veil.promises(arrays["sizes"])._asdict()
        if issubclass(kind, NoisyCounts):
            found["noise"] = veil.noise_of(arrays["proportions"], arrays["sizes"])
        return found

    def state_of(self, estimator: Any) -> dict[str, Any]:
        """The estimators say themselves what they predict from; and what was released of which sets."""
        own = {"n_features_in_": estimator.n_features_in_, "classes_": estimator.classes_, **estimator._state()}
        return {**own, **(estimator.released_._asdict() if hasattr(estimator, "released_") else {})}

    def restore(self, estimator: Any, found: dict[str, Any], encoding: Encoding) -> None:
        """What does not fit together shows before anybody asks for more."""
        require(encoding.sets is not None, "it must say which column names the sets")
        own, rules, d = dict(found), STATES[type(estimator).__name__], encoding.width
        if {*ReleasedSets._fields} <= {*own}:
            estimator.released_ = ReleasedSets(*map(own.pop, ReleasedSets._fields)).check(encoding.classes)
        others = {"n_features_in_", "classes_", *({"diagonal"} & set(own) if "gram" in rules else ())}
        require(set(own) == others | set(rules), f"it must hold {', '.join(rules)}")
        sizes = {"features": d, "features and a constant": d + 1, "classes": len(encoding.classes)}
        for name, rule in rules.items():
            rule.check(name, own[name], sizes)
        require(own.pop("n_features_in_") == d, f"it must have the {d} features of its columns")
        classes = np.asarray(check_names("classes_", own.pop("classes_"), sizes))
        if "gram" in rules:
            ends, random = own["ends"].astype(np.int64), estimator.random_features
            require(own.get("diagonal") in ("printed", "unbiased"), "diagonal must be printed or unbiased")
            fits = (np.diff(ends, prepend=0) > 0).all() and ends[-1] == sizes["points"]
            require(fits, "ends must be those of its sets")
            fine = random is None or (is_whole(random) and 1 <= random <= MOST_RANDOM // d)
            require(fine, "random_features must be a whole number of at least 1, and no more than fit")
        if "which" in rules:
            require(sizes["rows"] == (sizes["sets"] if sizes["sets"] > 2 else 1), "weights must be of each set")
            require(np.array_equal(own["which"], np.arange(sizes["sets"])), "which must number the sets")
        estimator.n_features_in_, estimator.classes_ = d, classes
        estimator._restore(**own)
        shares = estimator.predict([np.zeros((1, d))])
        told = shares.shape == (1, len(classes)) and np.isfinite(shares).all()
        require(told, "it must foretell a share of each class")

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
        shares, noise = (release.arrays[name] for name in ("proportions", "noise"))
        estimator.released_ = ReleasedSets(expected, [fingerprint_of(bag) for bag in bags], shares, noise)

    def predict(self, estimator: Any, table: EncodedTable, extra: tuple[str, ...]) -> Iterator[Piece]:
        """A share of each class for each set, and an interval where there is one; of a released set the release's."""
        require(not extra, f"--id does not apply to {self.name}: a row is a set")
        names, bags = table.read_bags()
        shares = estimator.predict(bags)
        able = hasattr(estimator, "interval") and getattr(estimator, "random_features", None) is None
        low, high = estimator.interval(bags) if able else (shares, shares)
        # Intervals are without the bias of the printed diagonal, which an estimate may have.
        low, high = np.minimum(low, shares), np.maximum(high, shares)
        released: Any = getattr(estimator, "released_", None)
        known = released.find(names, bags) if released else {}
        for row, place in known.items():
            shares[row], half = released.released_shares[place], TWO_SIDED * released.released_noise[place]
            low[row], high[row] = np.clip(shares[row] - half, 0, 1), np.clip(shares[row] + half, 0, 1)
        columns = {str(table.encoding.sets): names}
        for k, name in enumerate(table.encoding.classes):
            columns[f"share of {name}"] = shares[:, k]
            if able:
                columns |= {f"low of {name}": low[:, k], f"high of {name}": high[:, k]}
        yield {**columns, "from": ["the release" if row in known else "the model" for row in range(len(names))]}

    def find_enough(self, release: Release) -> float:
        """Where the noise of a share is a tenth; sets are told apart by their shares."""
        return release.records * float(release.arrays["noise"].mean()) / 0.1

    def rival_of(self, release: Release) -> str:  # noqa: ARG002 - whatever the classes
        """The same for all sets."""
        return "the mean ratio"

    def audit_case(self, epsilon: float) -> Case:
        """One record changes its class."""
        mechanism = self.make_veil(epsilon, testing=True)

        def release(counts: list[int], n: int, rng: Generator) -> Array:
            noisy: Array = mechanism.noisy_counts(np.tile(counts, (n, 1)), rng)
            return noisy

        return Case([60, 40], [59, 41], mechanism.tight_epsilon(), release)

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:  # noqa: ARG002 - as its siblings
        """Both kinds of exact noise."""
        from unveil.mechanisms.counts import GaussianCounts

        def naive(release: Release, world: Any) -> Any:
            model = self.learner()(diagonal="auto").fit(world.X, release.arrays["proportions"])
            return model.predict(world.X_test)

        learners = (
            self.attempt("MMDClassRatio", diagonal="auto"),
            *map(self.attempt, ("MMDClassRatio", "SetIdEM", "SetIdLogistic")),
            Learner("MMDClassRatio, noise ignored", naive, ignores=True),
        )
        line = f"DATA --epsilon {epsilon:g} --label LABEL --sets SETS"
        exact = self.make_veil(epsilon, testing=True)
        normal = GaussianCounts(epsilon, DELTA, exact=True, testing=True)
        for mechanism, command in ((exact, line), (normal, f"{line} --delta {DELTA:g}")):
            yield Candidate(type(mechanism).__name__, _publisher(mechanism), learners, command)


def _publisher(mechanism: Any) -> Any:
    return lambda world, rng: mechanism.publish(world.y, rng)


PROTOCOL = RatiosProtocol()
