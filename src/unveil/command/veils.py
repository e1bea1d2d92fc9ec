"""How each protocol comes from a table: what is checked and known before noise is drawn, and how to draw it.

Everything is read a batch at a time: the labels for their classes, all of it to check it, and again to publish it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp, inf
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unveil.command.learner import grouped_texts
from unveil.command.schema import Column, Encoding, find_classes
from unveil.command.sheets import Sheet, number_order, texts
from unveil.errors import require
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.base import Release


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
    delta: float | None = None
    window: int | None = None
    asked: int | None = None
    states: int | None = None
    clear_features: bool = False
    ranges: tuple[str, ...] = ()
    schema: Path | None = None
    ledger: Path | None = None
    records: str | None = None
    limit: float | None = None
    simulation: bool = False
    seed: int | None = None


class Veil(NamedTuple):
    """What is known before noise is drawn: the level of what is private, the public parameters, and how to draw."""

    level: tuple[float, float]
    publish: Callable[[Any], Release]
    encoding: Encoding
    outside: Counter[str]
    public: Mapping[str, Any] = MappingProxyType({})


def _mean_operator(order: Order, sheet: Sheet, encoding: Encoding) -> Veil:
    from unveil.mechanisms.exact_operator import GeometricMeanOperator
    from unveil.mechanisms.exact_sampling import as_level, level_below

    encoding = replace(encoding, label=_two_classes(sheet, encoding.label))
    mechanism = GeometricMeanOperator(_epsilon(order), testing=order.seed is not None)
    outside = _checked(_labelled, sheet, encoding)

    def publish(rng: Any) -> Release:
        return mechanism.publish(_labelled(sheet, encoding), rng, intercept=True, classes=encoding.classes)

    return Veil((as_level(level_below(_epsilon(order))), 0.0), publish, encoding, outside)


def _products(order: Order, sheet: Sheet, encoding: Encoding) -> Veil:
    from unveil.mechanisms.exact_products import ExactProducts

    _require_public(encoding, "products")
    name, known = encoding.label.name, encoding.label.range is not None
    require(known, f"column {name!r}: products needs the public range of the label; give --range {name}=LOW:HIGH")
    mechanism = ExactProducts(_epsilon(order), testing=order.seed is not None)
    outside = _checked(_targets, sheet, encoding)

    def publish(rng: Any) -> Release:
        return mechanism.publish(_targets(sheet, encoding), rng, intercept=True)

    return Veil((mechanism.tight_epsilon(), 0.0), publish, encoding, outside)


def _ratios(order: Order, sheet: Sheet, encoding: Encoding) -> Veil:
    from unveil.mechanisms.counts import GaussianCounts
    from unveil.mechanisms.exact_sums import GeometricCounts

    encoding = replace(encoding, label=find_classes(sheet, encoding.label))
    names, counts, outside = _counts(sheet, encoding)
    testing, epsilon = order.seed is not None, _epsilon(order)
    mechanism: Any = (
        GeometricCounts(epsilon, testing=testing)
        if order.delta is None
        else GaussianCounts(epsilon, order.delta, exact=True, testing=testing)
    )
    promises = mechanism.promises(counts.sum(axis=1))

    def publish(rng: Any) -> Release:
        released: Release = mechanism.publish(counts, rng, classes=encoding.classes)
        return released

    return Veil((promises.exact_epsilon, promises.exact_delta), publish, encoding, outside, {"sets": names})


def _tags(order: Order, sheet: Sheet, encoding: Encoding) -> Veil:
    from unveil.mechanisms.regions import RegionCounts

    require(len(encoding.features) == 1, "tags needs one feature, the column of words: give --features WORDS")
    encoding = replace(encoding, features=(Column(encoding.names[0]),), label=find_classes(sheet, encoding.label))
    _, groups = grouped_texts(sheet, str(encoding.sets), [*encoding.names, encoding.label.name])
    sentences, tags = [words for words, _ in groups], [own for _, own in groups]
    most = len(encoding.classes)
    require(order.asked is None or order.asked <= most, f"--asked must be at most {most}, the number of tags")
    mechanism = RegionCounts(order.window, order.asked)

    def publish(rng: Any) -> Release:
        return mechanism.publish((sentences, tags), rng, tag_set=encoding.classes)

    return Veil((inf, 0.0), publish, encoding, Counter())


def _records(order: Order, sheet: Sheet, encoding: Encoding) -> Veil:
    from unveil.mechanisms.noisy_records import NoisyRecords

    if order.clear_features:
        return _flipped_labels(order, sheet, encoding)
    _require_public(encoding, "records")
    label, states = _two_classes(sheet, encoding.label), 2 if order.states is None else order.states
    require(2 <= states <= 256, f"--states must be between 2 and 256, not {states}")
    encoding = replace(encoding, label=label, states=states)
    # The label and every feature have the same share of the level.
    odds, others = exp(_share(order, encoding.width, states)), states - 1
    mechanism = NoisyRecords(1 / (1 + odds), others / (others + odds), states=states, testing=order.seed is not None)
    outside = _checked(_labelled, sheet, encoding)
    level = mechanism.label_epsilon + encoding.width * mechanism.input_epsilon

    def publish(rng: Any) -> Release:
        return mechanism.publish(_labelled(sheet, encoding), rng, classes=encoding.classes)

    return Veil((level, 0.0), publish, encoding, outside)


def _flipped_labels(order: Order, sheet: Sheet, encoding: Encoding) -> Veil:
    """Records whose features are public: the whole level is the label's."""
    from unveil.mechanisms.noisy_records import NoisyRecords

    require(order.states is None, "--states does not apply with --clear-features: they are published as they are")
    encoding = replace(encoding, label=_two_classes(sheet, encoding.label))
    # Without noise the features are any numbers, as those are that Gaussian noise is for.
    mechanism = NoisyRecords(1 / (1 + exp(_share(order))), 0.0, "gaussian", testing=order.seed is not None)
    outside = _checked(_labelled, sheet, encoding)

    def publish(rng: Any) -> Release:
        return mechanism.publish(_labelled(sheet, encoding), rng, classes=encoding.classes)

    return Veil((mechanism.label_epsilon, 0.0), publish, encoding, outside, {"in_the_clear": IN_THE_CLEAR})


def _share(order: Order, features: int = 0, states: int = 2) -> float:
    """The level of the label, and of each feature beside it: neither certain truth, nor nearly noise alone."""
    parts, epsilon = features + 1, _epsilon(order)
    least, most = (parts * level for level in (2e-6 * states**2 / (states - 1), HIGHEST_SHARE))
    what = f"a label and {features} feature{'s' if features > 1 else ''}" if features else "a label"
    within = f"--epsilon must be a number from {least:.2g} to {most:.4g} for {what}"
    require(least <= epsilon <= most, f"{within}, not {epsilon!r}")
    return epsilon / parts


#: Beyond it false answers are rarer than one in a million.
HIGHEST_SHARE = 13.8

#: What such a release says of itself.
IN_THE_CLEAR = "the features, as they are: label_epsilon is the level of the label alone"

#: How each protocol comes from a table.
VEILS: Mapping[str, Callable[[Order, Sheet, Encoding], Veil]] = {
    "mean-operator": _mean_operator,
    "products": _products,
    "ratios": _ratios,
    "tags": _tags,
    "records": _records,
}


#: How often each of them goes through the table.
PASSES: Mapping[str, int] = {"mean-operator": 3, "products": 2, "ratios": 2, "tags": 2, "records": 3}


def _epsilon(order: Order) -> float:
    assert order.epsilon is not None  # noqa: S101 - for the type checker
    return order.epsilon


def _require_public(encoding: Encoding, protocol: str) -> None:
    """Private features need ranges whatever they hold: a rule that looked at them would tell about them."""
    bare = [column.name for column in encoding.features if column.range is None and column.categories is None]
    more = f" and {len(bare) - 1} more" if len(bare) > 1 else ""
    name = bare[0] if bare else ""
    rule = f"column {name!r}{more}: {protocol} needs the public range or categories of every feature"
    require(not bare, f"{rule}; give --range {name}=LOW:HIGH or a --schema, or choose --features")


def _two_classes(sheet: Sheet, label: Column) -> Column:
    found = find_classes(sheet, label)
    classes = found.categories or ()
    many = f"{sheet.path}, column {label.name!r} must hold two classes, not {len(classes)}: {', '.join(classes[:5])}"
    require(len(classes) == 2, many)
    return found


#: Features, and what belongs to each row, a batch at a time.
_Pairs = Callable[[Sheet, Encoding, "Counter[str] | None"], Iterator[tuple[Array, Array]]]


def _checked(pairs: _Pairs, sheet: Sheet, encoding: Encoding) -> Counter[str]:
    """Read all of it, so that all can go wrong that can; how many values lie outside what is public."""
    outside: Counter[str] = Counter()
    for _ in pairs(sheet, encoding, outside):
        pass
    return outside


def _labelled(sheet: Sheet, encoding: Encoding, outside: Counter[str] | None = None) -> Iterator[tuple[Array, Array]]:
    label = encoding.label.name
    for before, columns in sheet.batches([*encoding.names, label]):
        own = np.asarray(texts(columns[label], label, before, sheet.path).to_pylist())
        yield encoding.matrix(columns, before, sheet.path, outside), own


def _targets(sheet: Sheet, encoding: Encoding, outside: Counter[str] | None = None) -> Iterator[tuple[Array, Array]]:
    label = encoding.label
    for before, columns in sheet.batches([*encoding.names, label.name]):
        shares, out = label.shares(columns, before, sheet.path)
        if outside is not None:
            outside[label.name] += int(out.sum())
        yield encoding.matrix(columns, before, sheet.path, outside), shares


def _counts(sheet: Sheet, encoding: Encoding) -> tuple[list[str], Array, Counter[str]]:
    """The sets by name, in order, and how many rows of each class they have; features are read and checked, too."""
    sets, label = str(encoding.sets), encoding.label
    found: Counter[tuple[str, int]] = Counter()
    outside: Counter[str] = Counter()
    for before, columns in sheet.batches([sets, label.name, *encoding.names]):
        encoding.matrix(columns, before, sheet.path, outside)
        own = texts(columns[sets], sets, before, sheet.path).to_pylist()
        found.update(zip(own, label.codes(columns, before, sheet.path).tolist(), strict=True))
    names = number_order(list({name for name, _ in found}))
    classes = range(len(encoding.classes))
    return names, np.array([[found[name, code] for code in classes] for name in names]), outside
