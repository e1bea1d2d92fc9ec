"""What is known of a protocol, in one object: the arrays of its releases, and all that is done with them.

The commands, `recommend`, merging and the files of releases and models go by these objects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

from unveil.errors import UnveilError, require
from unveil.mechanisms.checks import check_level
from unveil.protocols.base import LEVELS, Release
from unveil.protocols.candidates import Candidate, Learner
from unveil.protocols.contents import Domain, Sizes, Values, check_names, compute, require_followed
from unveil.types import Array, Arrays

if TYPE_CHECKING:
    from unveil.protocols.columns import Encoding
    from unveil.protocols.encoded import EncodedTable, Piece


class Option(NamedTuple):
    """An option of `unveil release` that one protocol has; a flag has no type."""

    name: str
    help: str
    type: type | None = None


@dataclass(frozen=True)
class Order:
    """What `unveil release` was asked for."""

    protocol: str
    data: Path
    out: Path
    label: str
    features: str | None = None
    id: str | None = None
    sets: str | None = None
    epsilon: float | None = None
    ranges: tuple[str, ...] = ()
    schema: Path | None = None
    ledger: Path | None = None
    records: str | None = None
    limit: float | None = None
    simulation: bool = False
    seed: int | None = None
    #: Those that only some protocols have.
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def testing(self) -> bool:
        """Whether noise is drawn from a seed."""
        return self.seed is not None

    @property
    def level(self) -> float:
        """ε, where the protocol has one."""
        return inf if self.epsilon is None else self.epsilon

    def exact_level(self) -> float:
        """The same, refused where no exact mechanism keeps it."""
        check_level(self.level, "--epsilon")
        return self.level


@dataclass(frozen=True)
class Offer:
    """What is known before noise is drawn."""

    mechanism: Any
    #: That of what is private.
    level: tuple[float, float]
    table: EncodedTable
    #: The data as `publish` takes them, read anew each time; it may count what lies outside of what is public.
    read: Callable[[Counter[str] | None], Any]
    #: The other arguments of `publish`, and parameters that the release has beside its own.
    how: Mapping[str, Any] = field(default_factory=dict)
    public: Mapping[str, Any] = field(default_factory=dict)
    outside: Counter[str] = field(default_factory=Counter)
    #: For the ledger, where not all of the data is meant; and for the owner alone.
    about: str = ""
    notes: tuple[str, ...] = ()


#: Releases one of two neighbours n times.
Draw: TypeAlias = Callable[[Any, int, Generator], Array]


class Case(NamedTuple):
    """Two neighbours, the level that is kept, and how to release one of them n times."""

    here: Any
    there: Any
    kept: float
    release: Draw


class Protocol(ABC):
    """One of the ways from an owner to a learner: there is one object of each subclass."""

    #: As releases and the command call it.
    name: ClassVar[str]
    #: The arrays of a release, and what they may hold; some protocols have several kinds.
    kinds: ClassVar[tuple[Mapping[str, Values], ...]]
    #: The parameters that estimators rely on.
    needs: ClassVar[frozenset[str]]
    #: What parameters may be, where they are there.
    parameters: ClassVar[Mapping[str, Domain]] = {}
    #: Parameters that have an entry for each row of the arrays; the others are the same in releases that merge.
    of_rows: ClassVar[tuple[str, ...]] = ()
    #: The exact mechanism, behind its module.
    mechanism: ClassVar[str] = ""
    #: The estimators, each behind its module; the first is taken where none is named.
    learners: ClassVar[tuple[str, ...]]
    #: The attributes that these predict from, and what is worth reading; names of classes have no other rule.
    state: ClassVar[Mapping[str, Values | None]] = {}
    #: Which of the options that several protocols have it needs.
    needed: ClassVar[tuple[str, ...]] = ("epsilon",)
    #: The options that it alone has.
    options: ClassVar[tuple[Option, ...]] = ()
    #: Why there is no level, and nothing to audit, where nothing is promised.
    promises_nothing: ClassVar[str] = ""
    #: How often an owner goes through the table.
    passes: ClassVar[int] = 2
    #: Whether a learner needs public rows beside the release.
    with_public: ClassVar[bool] = True
    #: What a row of the predictions is about.
    unit: ClassVar[str] = "rows"
    #: The tasks that it serves, of those of `recommend`.
    tasks: ClassVar[tuple[str, ...]]
    #: Whether each record is noised on its own, so that nobody need see the table; else its holder adds the noise.
    local: ClassVar[bool] = False
    #: What of a person the level is about: the "label" alone, beside public features, or the whole "record".
    protects: ClassVar[str] = "record"

    # An owner publishes a table.

    def make_veil(self, *parameters: Any, **named: Any) -> Any:
        """The exact mechanism with such parameters; loaded now, as mechanisms take long to load."""
        module, _, name = self.mechanism.partition(":")
        return getattr(import_module(module), name)(*parameters, **named)

    @abstractmethod
    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """All of a release but the noise, and all that can go wrong with it."""

    def describe_needs(self, command: str | None) -> str:
        """What `release`, or `fit`, wants for it, in words."""
        if command == "release":
            asked = ["--label", *(f"--{name}" for name in self.needed), "--out"]
            ranges = "" if self.with_public else ", and the public range or categories of every column"
            return f"The owner gives {', '.join(asked)}{ranges}."
        names = [place.partition(":")[2] for place in self.learners]
        settings = ", ".join(self.learner()._get_param_names())
        public = "PUBLIC is the table without the private column" if self.with_public else "There is no PUBLIC"
        return f"{public}. Estimators: {', '.join(names)}. Settings of {names[0]}: {settings}."

    def describe_level(self, release: Release) -> str:
        """What a release keeps, in words."""
        if release.exact_epsilon == inf:
            return "no privacy is promised"
        # Laplace noise as the paper prints it promises more than it keeps.
        overclaimed = release.exact_epsilon > release.claimed_epsilon * (1 + 1e-9)
        claimed = f", though {release.claimed_epsilon:g} is claimed" if overclaimed else ""
        delta = f", delta {release.exact_delta:g}" if release.exact_delta else ""
        return f"epsilon {release.exact_epsilon:.9g}{claimed}{delta}"

    def find_enough(self, release: Release) -> float:  # noqa: ARG002 - for those that know
        """About how many records such noise takes, for a plain model to be worth half of what it is without noise.

        By orders of size alone: features spread evenly over their ranges, and foretell half of the label.
        """
        return 0.0

    def rival_of(self, release: Release) -> str:
        """What can be said without a model."""
        return "the majority" if "classes" in release.parameters else "the mean"

    def warn_of(self, release: Release) -> str:
        """What the owner and the learner of a release with too much noise must know; else nothing."""
        needed = self.find_enough(release)
        if release.records >= needed:
            return ""
        none = release.records < needed / 4
        lost = f"no better than {self.rival_of(release)}" if none else "worth less than half of one without noise"
        return f"at this level a model is expected to be {lost}; about {float(f'{needed:.1g}'):,.0f} records would do"

    def judge(self, estimator: Any, release: Release) -> str:
        """What whoever predicts by a model must know: of too much noise, or that its weights may be noise."""
        size, number = self.weigh(estimator, release)
        lost = size < number + 3 * (2 * number) ** 0.5
        none = f"its weights cannot be told from none: it is no better than {self.rival_of(release)}"
        return "; ".join(filter(None, [self.warn_of(release), none if lost else ""]))

    def weigh(self, estimator: Any, release: Release) -> tuple[float, int]:  # noqa: ARG002 - for those that need it
        """Wald's statistic of all weights, and how many there are: were all zero, it would be about as large."""
        covariance = getattr(estimator, "covariance_", None)
        if covariance is None:
            return np.inf, 0
        weights = np.ravel(estimator.coef_)
        values, axes = np.linalg.eigh(covariance[: len(weights), : len(weights)])
        known = values > 1e-9 * max(float(values[-1]), 0.0)
        return float(((axes.T @ weights)[known] ** 2 / values[known]).sum()), max(int(known.sum()), 1)

    # Releases and models are read from files that somebody else may have written.

    def kind_of(self, arrays: Arrays) -> Mapping[str, Values]:
        """Which of its kinds these arrays are."""
        for kind in self.kinds:
            if set(kind) == set(arrays):
                return kind
        raise UnveilError(f"a release of the protocol {self.name!r} does not hold {', '.join(arrays)}")

    def check(self, release: Release, path: Path) -> None:
        """Raise unless a release that was read is one that could have been published."""
        kind, known = self.kind_of(release.arrays), release.parameters
        missing = self.needs - set(known)
        require(not missing, f"{path} must say {', '.join(sorted(missing))} among its parameters")
        for name, domain in self.parameters.items():
            require(name not in known or domain.holds(known[name]), f"{path} must hold {domain.words} as its {name}")
        sizes: Sizes = {"records": release.records, **{name: known[name] for name in {"dimension"} & set(known)}}
        for name in {"classes", "tags"} & set(known):
            check_names(name, known[name], sizes)
        for name, rule in kind.items():
            rule.check(name, release.arrays[name], sizes)
        self.check_arrays(release)
        if "table" in known:
            from unveil.protocols.columns import Encoding

            self.check_table(release, Encoding.of(known["table"]))
        stated = {**known, **release.arrays, **{name: getattr(release, name) for name in LEVELS}}
        require_followed(stated, self.follow(release))

    @abstractmethod
    def check_arrays(self, release: Release) -> None:
        """Raise unless the arrays, each of which is as it may be, belong together."""

    def check_table(self, release: Release, encoding: Encoding) -> None:
        """Raise unless the columns are those of the release."""
        known = release.parameters
        wide = known.get("dimension", encoding.width + 1) - bool(known.get("intercept", True))
        require(encoding.width == wide, f"table must have columns that make {wide} features")
        names = tuple(map(str, known.get("classes", known.get("tags", ()))))
        require(encoding.classes == names, "table must have the classes of the release")

    def follow(self, release: Release) -> dict[str, Any]:
        """Levels, parameters and arrays that follow from the parameters; nothing of a mechanism that is not known."""
        return compute(lambda: self.recompute(release))

    def recompute(self, release: Release) -> dict[str, Any]:  # noqa: ARG002
        """The same, of parameters that may be nonsense."""
        return {}

    def learner(self, name: str | None = None, release: Release | None = None) -> Any:
        """The class of an estimator, or of the one that is taken for a release."""
        known = {place.partition(":")[2]: place.partition(":")[0] for place in self.learners}
        chosen = self.default_learner(release) if name is None else name
        require(chosen in known, f"estimator must be one of {', '.join(known)} for {self.name}, not {chosen!r}")
        return getattr(import_module(known[chosen]), chosen)

    def default_learner(self, release: Release | None) -> str:  # noqa: ARG002 - for those whose releases differ
        """The name of the estimator that is taken where none is named."""
        return self.learners[0].partition(":")[2]

    def state_of(self, estimator: Any) -> dict[str, Any]:
        """What a fitted estimator predicts from, as numbers and texts."""
        return {name: getattr(estimator, name) for name in self.state_rules(estimator)}

    def state_rules(self, estimator: Any) -> Mapping[str, Values | None]:  # noqa: ARG002 - for those with several learners
        """What an estimator predicts from, and what these may be."""
        return self.state

    def restore(self, estimator: Any, found: dict[str, Any], encoding: Encoding) -> None:
        """Give an estimator its state: no more and nothing else than it has, and such as goes with its columns."""
        rules = self.state_rules(estimator)
        require(set(found) == {*rules}, f"it must hold {', '.join(rules)}")
        sizes = self.sizes_of(estimator, encoding)
        for name, rule in rules.items():
            value = (rule.check if rule else check_names)(name, found[name], sizes)
            setattr(estimator, name, np.asarray(value) if name == "classes_" else value)
        self.check_state(estimator, encoding)

    def sizes_of(self, estimator: Any, encoding: Encoding) -> Sizes:  # noqa: ARG002 - for those that know more
        """How many features and classes there are."""
        return {"features": encoding.width, "classes": len(encoding.classes)}

    def check_state(self, estimator: Any, encoding: Encoding) -> None:
        """Raise unless what an estimator predicts from belongs together, and to the columns."""
        own = getattr(estimator, "n_features_in_", encoding.width)
        require(own == encoding.width, f"it must have {encoding.width} features, as many as its columns make")
        constant = getattr(estimator, "_has_intercept", getattr(estimator, "fit_intercept", True))
        weights, covariance = encoding.width + bool(constant), getattr(estimator, "covariance_", None)
        require(getattr(estimator, "rank_", 0) <= weights, "rank_ must be at most the number of weights")
        require(covariance is None or len(covariance) == weights, "covariance_ must have a row for each weight")

    # A learner fits a model, and predicts by it.

    def fit(self, estimator: Any, release: Release, table: EncodedTable | None) -> None:  # noqa: ARG002
        """Fit to a release, and to the public rows where there are some."""
        estimator.fit(release)

    def predict(self, estimator: Any, table: EncodedTable, extra: tuple[str, ...]) -> Iterator[Piece]:
        """Predictions a batch at a time, with the `extra` columns: a class of two, or a number in the label's range."""
        classes, (low, high) = table.encoding.classes, table.encoding.label.range or (0.0, 1.0)
        for piece, X in table.read_features(extra):
            if not classes:
                piece["prediction"] = low + (high - low) * estimator.predict(X)
            elif hasattr(estimator, "predict_proba"):
                chances = estimator.predict_proba(X)[:, 1]
                piece["prediction"] = [classes[int(chance > 0.5)] for chance in chances]
                piece[f"probability of {classes[1]}"] = chances
            else:
                piece["prediction"] = [classes[int(margin > 0)] for margin in estimator.decision_function(X)]
            yield piece

    # What the mechanisms are worth, and keep.

    def audit_case(self, epsilon: float) -> Case:  # noqa: ARG002 - for those that have one
        """The exact mechanism at a level, and the neighbours that it tells apart best."""
        raise UnveilError(f"{self.promises_nothing}, so there is nothing to audit")

    def attempt(self, name: str, **settings: Any) -> Learner:
        """One of its estimators with such settings, to be tried on made-up data."""

        def predict(release: Release, world: Any) -> Any:
            estimator = self.learner(name)(**settings)
            fitted = estimator.fit(release, world.X) if self.with_public else estimator.fit(release)
            return fitted.predict(world.X_test)

        shown = tuple(f"{key}={value}" for key, value in settings.items() if key != "random_state")
        return Learner(name, predict, shown)

    @abstractmethod
    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:
        """Its mechanisms at a level, for d features and one of its tasks, with all that learns through each."""
