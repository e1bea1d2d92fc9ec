"""The protocol "records": whole records, each noised on its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import exp, inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import Generator

from unveil.errors import is_whole, require
from unveil.numerics.columns import bit_flip
from unveil.protocols.base import ROWS, Release
from unveil.protocols.candidates import Candidate, Learner
from unveil.protocols.contents import CLASSIFIER, Values, one_of, whole_number
from unveil.protocols.protocol import Case, Offer, Option, Order, Protocol
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.columns import Encoding
    from unveil.protocols.encoded import EncodedTable

#: Beyond it false answers are rarer than one in a million.
HIGHEST_SHARE = 13.8
#: What a release of public features says of itself.
IN_THE_CLEAR = "the features, as they are: label_epsilon is the level of the label alone"


class RecordsProtocol(Protocol):
    """Private labels of two classes and features; the learner has nothing else."""

    name = "records"
    kinds = ({"features": Values(("records", "features"), ROWS), "labels": Values(("records",), ROWS, 0, 1, "iu")},)
    parameters: ClassVar = {"noise": one_of("flips", "gaussian"), "states": whole_number(2, 256)}
    needs = frozenset({"label_flip", "input_noise", "noise", "states", "classes"})
    mechanism = "unveil.mechanisms.noisy_records:NoisyRecords"
    learners = ("unveil.estimators.spread.logistic_regression:SpreadLogisticRegression",)
    state = CLASSIFIER
    options = (
        Option("states", "states that a range is cut into; by default 2.", int),
        Option("clear_features", "features are PUBLIC and published as they are; labels are flipped."),
    )
    passes = 3
    with_public = False
    tasks = ("classify",)
    local = True

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """The label and every column have the same share of the level; all of it is the label's where it is alone."""
        if order.more.get("clear_features"):
            return self._flip_labels(order, table)
        table.require_public(self.name)
        table, asked = table.with_two_classes(), order.more.get("states")
        states = 2 if asked is None else asked
        require(2 <= states <= 256, f"--states must be between 2 and 256, not {states}")
        table = replace(table, encoding=replace(table.encoding, states=states))
        widths, others = table.encoding.widths, states - 1
        odds = exp(_share(order.level, len(widths), states))
        mechanism = self.make_veil(1 / (1 + odds), others / (others + odds), states=states, testing=order.testing)
        how = {"classes": table.encoding.classes, "columns": widths}
        return Offer(mechanism, (mechanism.record_epsilon(widths), 0.0), table, table.read_labelled, how)

    def _flip_labels(self, order: Order, table: EncodedTable) -> Offer:
        """Records whose features are public: the whole level is the label's."""
        lone = "--states does not apply with --clear-features: they are published as they are"
        require(order.more.get("states") is None, lone)
        table = table.with_two_classes()
        # Without noise the features are any numbers, as those are that Gaussian noise is for.
        mechanism = self.make_veil(1 / (1 + exp(_share(order.level))), 0.0, "gaussian", testing=order.testing)
        names = table.encoding.names
        listed = ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        said = f"the release holds {listed} of every record in the clear: whoever has it sees them"
        return Offer(
            mechanism,
            (mechanism.label_epsilon, 0.0),
            table,
            table.read_labelled,
            {"classes": table.encoding.classes},
            {"in_the_clear": IN_THE_CLEAR},
            about=", labels alone",
            notes=(f"{said}, and epsilon is about the label alone",),
        )

    def describe_level(self, release: Release) -> str:
        """That of the label, where the features are public."""
        if "in_the_clear" not in release.parameters:
            return super().describe_level(release)
        label = release.parameters["label_epsilon"]
        return f"epsilon {label:.9g} of the label alone, the features are published IN THE CLEAR"

    def check_arrays(self, release: Release) -> None:
        """Two classes, features, and states where they were flipped."""
        from unveil.estimators.spread.noise_parameters import KnownNoise

        known, features = release.parameters, release.arrays["features"]
        require(len(known["classes"]) == 2 and features.shape[1], "classes must be two, and features at least one")
        _check_noise(known["label_flip"], known["input_noise"], known["noise"], known["states"], features.shape[1])
        if known["noise"] == "flips":
            _check_columns(known["columns"], features.shape[1])
            top = KnownNoise(0.0, 0.0, "flips", known["states"], known["columns"]).top_states()
            whole = np.array_equal(features, np.rint(features))
            require(whole and (features >= 0).all() and (features <= top).all(), "features must be states")

    def check_table(self, release: Release, encoding: Encoding) -> None:
        """A column for each feature, in the states of the release."""
        super().check_table(release, encoding)
        require(encoding.width == release.arrays["features"].shape[1], "table must have a column for each feature")
        flips = release.parameters["noise"] == "flips"
        require(encoding.states == (release.parameters["states"] if flips else 0), "table must have the states")
        require(not flips or encoding.widths == release.parameters["columns"], "table must have the columns")

    def recompute(self, release: Release) -> dict[str, Any]:
        """The level of the label and of each feature."""
        if release.mechanism != "NoisyRecords":
            return {}
        known = release.parameters
        veil = self.make_veil(*(known[name] for name in ("label_flip", "input_noise", "noise", "states")))
        label = veil.label_epsilon
        exact = veil.record_epsilon(known.get("columns", [1] * release.arrays["features"].shape[1]))
        levels = {"claimed_epsilon": inf, "claimed_delta": 0.0, "exact_epsilon": exact, "exact_delta": 0.0}
        return {**levels, "label_epsilon": label if isfinite(label) else None}

    def state_of(self, estimator: Any) -> dict[str, Any]:
        """What is known of the veil, too."""
        return {**super().state_of(estimator), "veil_": estimator.veil_}

    def restore(self, estimator: Any, found: dict[str, Any], encoding: Encoding) -> None:
        """The same."""
        from unveil.estimators.spread.noise_parameters import KnownNoise

        veil = found.pop("veil_", None)
        require(isinstance(veil, list) and len(veil) == len(KnownNoise._fields), "it must say what its veil is")
        super().restore(estimator, found, encoding)
        noise = KnownNoise(*veil)
        _check_noise(*noise[:-1], encoding.width)
        flips = noise.noise == "flips"
        require(not flips or noise.columns == encoding.widths, "its columns must be those of its veil")
        require(not flips or encoding.states == noise.states, "its columns must have the states of its veil")
        estimator.veil_ = noise

    def find_enough(self, release: Release) -> float:
        """By what the flips leave of the label's correlation with each feature, or with public ones."""
        known = release.parameters
        left, kept = 1 - float(sum(known["label_flip"])), 1.0
        if known["noise"] == "flips":
            states, flip, bits = known["states"], known["input_noise"], np.greater(known["columns"], 1)
            shares = 1 - flip * states / (states - 1), 1 - 2 * bit_flip(flip, states)
            kept = float(np.where(bits, shares[1], shares[0]).mean())
        return float(2 * (release.arrays["features"].shape[1] + 1) / (left * kept) ** 2)

    def weigh(self, estimator: Any, release: Release) -> tuple[float, int]:
        """The likelihood ratio: where classes are apart, so that weights have no errors, it is large all the same."""
        shares = np.bincount(release.arrays["labels"], minlength=2) / release.records
        nothing = float((shares * np.log(np.maximum(shares, 1e-300))).sum())
        return 2 * release.records * (estimator.log_likelihood_ - nothing), estimator.n_features_in_

    def audit_case(self, epsilon: float) -> Case:
        """Every entry of a record of two features differs."""
        flip = 1 / (1 + exp(epsilon / 3))
        mechanism = self.make_veil(flip, flip, testing=True)

        def release(value: int, n: int, rng: Generator) -> Array:
            features, labels = mechanism.release(np.full((n, 2), value), np.full(n, value), rng)
            return np.column_stack([features, labels])

        return Case(0, 1, mechanism.label_epsilon + 2 * mechanism.input_epsilon, release)

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:  # noqa: ARG002 - as its siblings
        """One bit an entry."""
        from sklearn.linear_model import LogisticRegression

        odds = exp(epsilon / (d + 1))
        mechanism = self.make_veil(1 / (1 + odds), 1 / (1 + odds), testing=True)

        def spread(release: Release, world: Any) -> Any:
            return self.learner()().fit(release).predict(np.rint(world.X_test))

        def naive(release: Release, world: Any) -> Any:
            features, labels = release.arrays["features"], release.arrays["labels"]
            if len(np.unique(labels)) < 2:
                return np.full(len(world.y_test), labels[0])
            return LogisticRegression().fit(features, labels).predict(np.rint(world.X_test))

        yield Candidate(
            "NoisyRecords",
            lambda world, rng: mechanism.publish((np.rint(world.X), world.y), rng),
            (Learner("SpreadLogisticRegression", spread), Learner("LogisticRegression", naive, ignores=True)),
            f"DATA --epsilon {epsilon:g} --label LABEL --schema SCHEMA",
        )


def _check_noise(label_flip: Any, input_noise: Any, noise: str, states: int, features: int) -> None:
    """Raise unless a learner can do with it."""
    from unveil.estimators.spread.noise_parameters import flip_rates, input_variances, label_matrix

    require(noise in ("flips", "gaussian"), "noise must be flips or gaussian")
    label_matrix(label_flip)
    if noise == "flips":
        flip_rates(input_noise, states)
    else:
        input_variances(input_noise, features)


def _check_columns(columns: Any, features: int) -> None:
    """Raise unless they make the features."""
    listed = isinstance(columns, list) and all(is_whole(width) and 1 <= width <= features for width in columns)
    require(listed and sum(columns) == features, "columns must be how many features each makes")


def _share(epsilon: float, columns: int = 0, states: int = 2) -> float:
    """The level of the label, and of each column beside it: neither certain truth, nor nearly noise alone."""
    parts = columns + 1
    least, most = (parts * level for level in (2e-6 * states**2 / (states - 1), HIGHEST_SHARE))
    what = f"a label and {columns} column{'s' if columns > 1 else ''}" if columns else "a label"
    within = f"--epsilon must be a number from {least:.2g} to {most:.4g} for {what}"
    require(least <= epsilon <= most, f"{within}, not {epsilon!r}")
    return epsilon / parts


PROTOCOL = RecordsProtocol()
