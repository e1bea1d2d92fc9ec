"""`unveil audit`: what releases betray beside what is claimed, on the neighbours that are told apart best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator, default_rng

from unveil.errors import UnveilError, require
from unveil.privacy.audit import audit_release
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.command.sheets import Progress

#: Releases are drawn so many at a time.
BLOCK = 1 << 16
#: Releases n times of one input.
Draw: TypeAlias = Callable[[Any, int, Generator], Array]


class Case(NamedTuple):
    """Two neighbours, the level that is claimed and kept, and how to release one of them n times."""

    here: Any
    there: Any
    claimed: float
    kept: float
    release: Draw


def audit(protocol: str, epsilon: float, samples: int, progress: Progress | None = None) -> str:
    """Audit the exact mechanism of a protocol by fresh releases; an error where it refutes what is claimed."""
    require(protocol != "tags", "tags are counted exactly: no privacy is promised, so there is nothing to audit")
    require(1000 <= samples <= 10**8, "--samples must lie between 1,000 and 10^8")
    from unveil.mechanisms.exact_sampling import check_level

    check_level(epsilon, "--epsilon")
    case = CASES[protocol](epsilon)
    release = _in_blocks(case.release, progress, 4 * (samples // 2))
    found = audit_release(release, case.here, case.there, n=samples, rng=default_rng())
    lines = [
        f"{protocol} at epsilon {case.claimed:g}, of which {case.kept:.9g} is kept",
        f"seen in {samples} releases of either of two neighbours: epsilon is at least {found.epsilon_low:.4g}",
        f"smallest epsilon that so many show: {found.detection_limit:.2g}",
    ]
    said = "; ".join(lines)
    if found.refutes(case.claimed):
        raise UnveilError(f"the claim is refuted: {said}")
    return "\n".join([*lines, "the claim is not refuted, with probability 1 - 1e-6 for a claim that holds"])


def _in_blocks(release: Draw, progress: Progress | None, total: int) -> Draw:
    """The same releases, a block at a time, and with word of how many of all are drawn."""
    done = 0

    def drawn(data: Any, n: int, rng: Generator) -> Array:
        nonlocal done
        parts = []
        for start in range(0, n, BLOCK):
            parts.append(release(data, min(BLOCK, n - start), rng))
            done += len(parts[-1])
            if progress:
                progress(done / total)
        return np.concatenate(parts)

    return drawn


def _mean_operator(epsilon: float) -> Case:
    from unveil.mechanisms.exact_operator import GeometricMeanOperator

    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    mechanism = GeometricMeanOperator(epsilon, testing=True)
    signs = np.array([1, -1, 1]), np.array([1, -1, -1])  # the record with the largest norm turns
    return Case(*signs, epsilon, mechanism.tight_epsilon(X), lambda y, n, rng: mechanism.release_many(X, y, n, rng))


def _products(epsilon: float) -> Case:
    from unveil.mechanisms.exact_products import ExactProducts

    mechanism = ExactProducts(epsilon, testing=True)

    def release(value: float, n: int, rng: Generator) -> Array:
        bits = mechanism.release(np.full((n, 2), value), np.full(n, value), rng)
        return np.stack([bits.first * 16 + bits.second * 8 + bits.bits], axis=1)

    return Case(0.0, 1.0, epsilon, mechanism.tight_epsilon(), release)


def _ratios(epsilon: float) -> Case:
    from unveil.mechanisms.exact_sums import GeometricCounts

    mechanism = GeometricCounts(epsilon, testing=True)

    def release(counts: list[int], n: int, rng: Generator) -> Array:
        return mechanism.noisy_counts(np.tile(counts, (n, 1)), rng)

    return Case([60, 40], [59, 41], epsilon, mechanism.tight_epsilon(), release)


def _records(epsilon: float) -> Case:
    from unveil.mechanisms.noisy_records import NoisyRecords

    flip = 1 / (1 + exp(epsilon / 3))
    mechanism = NoisyRecords(flip, flip, testing=True)

    def release(value: int, n: int, rng: Generator) -> Array:
        features, labels = mechanism.release(np.full((n, 2), value), np.full(n, value), rng)
        return np.column_stack([features, labels])

    return Case(0, 1, epsilon, mechanism.label_epsilon + 2 * mechanism.input_epsilon, release)


CASES: Mapping[str, Callable[[float], Case]] = {
    "mean-operator": _mean_operator,
    "products": _products,
    "ratios": _ratios,
    "records": _records,
}
