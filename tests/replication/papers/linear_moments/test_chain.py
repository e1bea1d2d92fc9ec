"""Closed forms of what mechanisms cost on a chain, against enumeration of every sequence and every release."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from channels import coordinate_channel, per_value_channel
from replication.papers.linear_moments.structured.chain import Chain, mean_variance, subset_chances
from unveil.types import Floats

Channel = tuple[Floats, Floats]


def cliques(chain: Chain) -> list[list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """For each clique its values, as (positions, labels)."""
    nodes: list[list[tuple[tuple[int, ...], tuple[int, ...]]]] = [
        [((j,), (a,)) for a in range(chain.labels)] for j in range(chain.length)
    ]
    edges: list[list[tuple[tuple[int, ...], tuple[int, ...]]]] = [
        [((j, j + 1), ab) for ab in product(range(chain.labels), repeat=2)] for j in range(chain.length - 1)
    ]
    return nodes + edges


def population(chain: Chain) -> tuple[Floats, Floats]:
    """(p(y), φ(y)) of every sequence."""
    sequences = list(product(range(chain.labels), repeat=chain.length))
    other = (1 - chain.stay) / (chain.labels - 1)
    chances = [
        np.prod([1 / chain.labels, *(chain.stay if a == b else other for a, b in pairwise(y))]) for y in sequences
    ]
    values = [value for clique in cliques(chain) for value in clique]
    phi = [[float(all(y[j] == a for j, a in zip(*value, strict=True))) for value in values] for y in sequences]
    return np.array(chances), np.array(phi)


def classical(chain: Chain, epsilon: float, phi: Floats) -> Channel:
    n = len(phi)
    truthful = np.expm1(epsilon) / (np.expm1(epsilon) + n)
    channel = truthful * np.eye(n) + (1 - truthful) / n
    return channel, (phi - (1 - truthful) * phi.mean(axis=0)) / truthful


def coordinate(chain: Chain, epsilon: float, phi: Floats) -> Channel:
    return coordinate_channel(phi, expit(epsilon))


def per_value(chain: Chain, epsilon: float, phi: Floats) -> Channel:
    """Each bit at α/δ̄, α = ε and δ̄ = 2L − 1."""
    return per_value_channel(phi, expit(epsilon / (2 * chain.length - 1) / 2))


def subset_selection(chain: Chain, epsilon: float, phi: Floats) -> Channel:
    rows, beta, at, groups = [], [], 0, cliques(chain)
    for clique in groups:
        size = len(clique)
        k, truth, other = subset_chances(epsilon, size)
        subsets = [list(subset) for subset in combinations(range(size), k)]
        own = phi[:, at : at + size]
        weights = np.array([np.where(own[:, subset].any(axis=1), np.exp(epsilon), 1.0) for subset in subsets])
        rows += list(weights / weights.sum(axis=0) / len(groups))
        for subset in subsets:
            estimate = np.zeros(phi.shape[1])
            estimate[at : at + size] = len(groups) * (np.isin(range(size), subset) - other) / (truth - other)
            beta.append(estimate)
        at += size
    return np.array(rows), np.array(beta)


MECHANISMS: dict[str, Callable[[Chain, float, Floats], Channel]] = {
    "classical": classical,
    "coordinate": coordinate,
    "per_value": per_value,
    "subset_selection": subset_selection,
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("length", "labels"), [(1, 2), (1, 4), (2, 2), (3, 2), (2, 3)])
@pytest.mark.parametrize("epsilon", [0.7, 3.0])
def test_variance_unbiasedness_and_level_by_enumeration(name: str, length: int, labels: int, epsilon: float) -> None:
    chain = Chain(length, labels, 0.6)
    chances, phi = population(chain)
    if name == "per_value" and phi.shape[1] > 15:
        pytest.skip("too many vectors of bits to list")
    channel, beta = MECHANISMS[name](chain, epsilon, phi)
    assert_allclose(channel.sum(axis=0), 1)
    assert_allclose(channel.T @ beta, phi, atol=1e-9)
    assert np.log((channel.max(axis=1) / channel.min(axis=1)).max()) == pytest.approx(epsilon, rel=1e-9)
    seen = channel @ chances
    variances = seen @ beta**2 - (seen @ beta) ** 2
    assert phi.shape[1] == chain.dimension
    assert mean_variance(chain, name, epsilon) == pytest.approx(variances.mean(), rel=1e-9)


def test_means_are_those_of_the_chain() -> None:
    chain = Chain(3, 3, 0.7)
    chances, phi = population(chain)
    assert chances.sum() == pytest.approx(1)
    expected = sorted(mean for number, _, mean in chain.kinds() for _ in range(number))
    assert_allclose(sorted(chances @ phi), expected)
