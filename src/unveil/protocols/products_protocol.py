"""The protocol "products": bits of the products of features, and of features and target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.protocols.base import SUM, Release
from unveil.protocols.candidates import Candidate, publish_rows
from unveil.protocols.contents import MOST, REGRESSION, TRUTH, Values, number, whole_number
from unveil.protocols.protocol import Case, Offer, Order, Protocol
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.encoded import EncodedTable


class ProductsProtocol(Protocol):
    """Private numbers, features and target; the learner has nothing else."""

    name = "products"
    kinds = (
        {
            "targets": Values(("dimension", 2), SUM, 0, "records", whole=True),
            "pairs": Values(("number of pairs", 8), SUM, 0, "records", whole=True),
        },
        {
            "ones": Values(("number of products",), SUM, 0, "records", whole=True),
            "both": Values(("number of products",) * 2, SUM, 0, "records", whole=True),
        },
    )
    parameters: ClassVar = {
        "dimension": whole_number(1, 1 << 16),
        "intercept": TRUTH,
        "signed": TRUTH,
        "upper": number(1 / MOST),
        "noise_of_one": number(1 / MOST),
        "alpha": number(1 / MOST),
        **dict.fromkeys(("slope", "slope_target", "slope_pair"), number(1 / MOST)),
        **dict.fromkeys(("low", "low_target", "low_pair"), number(0, 1)),
    }
    needs = frozenset({"dimension", "intercept", "upper", "noise_of_one"})
    mechanism = "unveil.mechanisms.exact_products:ExactProducts"
    learners = ("unveil.estimators.moments.regression:MomentRegression",)
    state = REGRESSION
    with_public = False
    tasks = ("regress",)
    local = True

    def prepare(self, order: Order, table: EncodedTable) -> Offer:
        """Exact noise on shares of public ranges."""
        level = order.exact_level()
        table.require_public(self.name)
        name, known = table.encoding.label.name, table.encoding.label.range is not None
        require(known, f"column {name!r}: products needs the public range of the label; give --range {name}=LOW:HIGH")
        mechanism = self.make_veil(level, testing=order.testing)
        return Offer(mechanism, (mechanism.tight_epsilon(), 0.0), table, table.read_targets, {"intercept": True})

    def check_arrays(self, release: Release) -> None:
        """As many statistics as the features have; every record shows one, or a bit of each."""
        d, arrays, n = release.parameters["dimension"], release.arrays, release.records
        if "pairs" in arrays:
            require(len(arrays["pairs"]) == d * (d - 1) // 2, "pairs must hold a row for each pair of features")
            shown = arrays["targets"].sum() + arrays["pairs"].sum()
            require(shown == n, f"targets and pairs must tally {n} records, not {shown}")
            needed = [f"{what}_{of}" for what in ("low", "slope") for of in ("target", "pair")]
        else:
            # As real numbers: tallies of a narrow type cannot be compared with every number of records.
            ones, both = (arrays[name].astype(float) for name in ("ones", "both"))
            require(len(ones) == d * (d + 1) // 2 + d, "ones must hold an entry for each product")
            rare: Any = np.array_equal(both, both.T) and np.array_equal(both.diagonal(), ones)
            rare = rare and (both <= ones).all() and (both - ones >= ones[:, None] - n).all()
            require(rare, "both must tally pairs of the ones")
            needed = ["low", "slope"]
        missing = [name for name in needed if name not in release.parameters]
        require(not missing, f"parameters must have {', '.join(missing)}")

    def recompute(self, release: Release) -> dict[str, Any]:
        """Levels, and how often a bit is one; of bits of every product, all but the level that is kept."""
        from unveil.mechanisms.bits import entry_noise, flip_line
        from unveil.mechanisms.coordinate import CoordinateRelease

        known = release.parameters
        alpha, d, signed = known.get("alpha", inf), known["dimension"], known["signed"]
        deltas = {"claimed_delta": 0.0, "exact_delta": 0.0}
        if release.mechanism == "PerValueRelease":
            width = known["upper"] * (1 + signed)
            keep = (1 + known["slope"] * width) / 2
            low, noise = flip_line(keep, known["upper"], signed)[0], entry_noise(1, keep, width)
            return {**deltas, "claimed_epsilon": alpha, "low": low, "noise_of_one": noise}
        if release.mechanism not in ("CoordinateRelease", "ExactProducts"):
            return {}
        exact = release.mechanism == "ExactProducts"
        veil: Any = self.make_veil(alpha / 2) if exact else CoordinateRelease(alpha, known["upper"])
        levels = {"claimed_epsilon": veil.claimed_epsilon, "exact_epsilon": veil._levels(d)[1], "upper": veil.upper}
        return {**deltas, **levels, **veil._public(d, signed)}

    def find_enough(self, release: Release) -> float:
        """By the noise of inverse second moments, 15 for a feature in [0, 1], beside a spread of a quarter of it."""
        return 2000 * release.number("dimension") * (release.number("noise_of_one") / release.number("upper")) ** 2

    def audit_case(self, epsilon: float) -> Case:
        """All entries at one end of their range, or at the other."""
        mechanism = self.make_veil(epsilon, testing=True)

        def release(value: float, n: int, rng: Generator) -> Array:
            bits = mechanism.release(np.full((n, 2), value), np.full(n, value), rng)
            return np.stack([bits.first * 16 + bits.second * 8 + bits.bits], axis=1)

        return Case(0.0, 1.0, mechanism.tight_epsilon(), release)

    def candidates(self, epsilon: float, d: int, task: str) -> Iterator[Candidate]:  # noqa: ARG002 - as its siblings
        """The exact mechanism, and bits of every product by itself."""
        from unveil.mechanisms.per_value import PerValueRelease

        aware = (self.attempt("MomentRegression", solver=solver) for solver in ("truncated", "ridge"))
        naive = replace(self.attempt("MomentRegression", noise=0), ignores=True)
        exact = self.make_veil(epsilon, testing=True)
        statistics = (d + 1) * (d + 2) // 2 + d + 1
        bits = PerValueRelease(2 * epsilon, delta_bar=statistics)
        learners, line = (*aware, naive), f"DATA --epsilon {epsilon:g} --label LABEL --schema SCHEMA"
        for mechanism, command in ((exact, line), (bits, None)):
            publish = publish_rows(mechanism, intercept=True)
            yield Candidate(type(mechanism).__name__, publish, learners, command)


PROTOCOL = ProductsProtocol()
