"""What a local mechanism costs on a chain of labels, at an exact privacy level, in closed form.

A sequence of L labels out of K has the statistics of a chain-structured model (Raghunathan et al. 2016, section 2): an
indicator for each label at each position, and for each pair of labels at each two neighbours. All mechanisms have the
same exact level ε over all sequences; what they cost is the variance of one record's unbiased estimate β_j.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from replication.papers.linear_moments.release_variances import flip_variance


@dataclass(frozen=True)
class Chain:
    """A stationary chain of labels: the first is uniform, each next one stays with probability `stay`, else uniform."""

    length: int
    labels: int
    stay: float

    @property
    def cliques(self) -> int:
        """Positions, and pairs of neighbours."""
        return 2 * self.length - 1

    def kinds(self) -> list[tuple[int, int, float]]:
        """The kinds of statistics: how many, out of how many values of their clique, and their mean."""
        k, pairs = self.labels, self.length - 1
        return [
            (self.length * k, k, 1 / k),
            (pairs * k, k * k, self.stay / k),
            (pairs * k * (k - 1), k * k, (1 - self.stay) / (k * (k - 1))),
        ]

    @property
    def dimension(self) -> int:
        """D."""
        return sum(number for number, _, _ in self.kinds())


def truthful_share(chain: Chain, epsilon: float) -> float:
    """The chance λ of a truthful answer that a level allows classical response: λ/(1 − λ) = (e^ε − 1)/K^L."""
    odds = float(np.expm1(epsilon)) / float(chain.labels) ** chain.length
    return odds / (1 + odds)


def classical_variance(chain: Chain, epsilon: float, values: int, mean: float) -> float:
    """Classical response over all K^L sequences (5)."""
    truthful = truthful_share(chain, epsilon)
    shown = truthful * mean + (1 - truthful) / values
    return float(shown * (1 - shown) / truthful**2)


def coordinate_variance(chain: Chain, epsilon: float, values: int, mean: float) -> float:
    """Coordinate release: α/2 is its level, so α = 2ε; (26) and the sample's own variance."""
    del values
    return float(chain.dimension * (flip_variance(2 * epsilon) + mean) - mean**2)


def per_value_variance(chain: Chain, epsilon: float, values: int, mean: float) -> float:
    """Per-value φ-RR: δ = 2L − 1 ones a record; its level is α min(d, 2δ)/(2δ̄), with δ̄ = δ and d ≥ 2δ just α."""
    del values
    return float(flip_variance(epsilon / chain.cliques) + mean * (1 - mean))


def subset_chances(epsilon: float, values: int) -> tuple[int, float, float]:
    """Subset selection among N values (Ye and Barg 2018): the subset's size, and the chances of truth and of another.

    Subsets of size k = N/(e^ε + 1), rounded, that hold the truth are e^ε times as likely as those that do not.
    """
    k = max(1, round(values / (np.exp(epsilon) + 1)))
    truth = k * np.exp(epsilon) / (k * np.exp(epsilon) + values - k)
    other = (truth * (k - 1) + (1 - truth) * k) / (values - 1)
    return k, float(truth), float(other)


def subset_variance(chain: Chain, epsilon: float, values: int, mean: float) -> float:
    """Subset selection among the values of one clique, drawn uniformly: structure and a modern mechanism together."""
    _, truth, other = subset_chances(epsilon, values)
    shown = mean * truth + (1 - mean) * other
    square = (shown * (1 - other) ** 2 + (1 - shown) * other**2) / (truth - other) ** 2
    return float(chain.cliques * square - mean**2)


VARIANCES: Mapping[str, Callable[[Chain, float, int, float], float]] = {
    "classical": classical_variance,
    "coordinate": coordinate_variance,
    "per_value": per_value_variance,
    "subset_selection": subset_variance,
}


def mean_variance(chain: Chain, mechanism: str, epsilon: float) -> float:
    """Var[β_j], averaged over the statistics: n times the squared error of an estimated mean."""
    variance = VARIANCES[mechanism]
    total = sum(number * variance(chain, epsilon, values, mean) for number, values, mean in chain.kinds() if number)
    return total / chain.dimension
