"""Vectors under local privacy: unbiased, as noisy as they say, and at their exact level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betaln

from checks import assert_mean
from unveil.errors import UnveilError
from unveil.mechanisms.bounded_vectors import SampledCoordinates, SphereRelease, VectorRelease
from unveil.privacy.audit import audit_release

N = 200_000
VECTOR = np.array([0.7, -0.2, 0.0, 0.4, -0.1, 0.3])
VEILS = [
    SampledCoordinates(1.0),
    SampledCoordinates(6.0),
    SampledCoordinates(0.5, "hybrid"),
    SampledCoordinates(6.0, "hybrid"),
    SphereRelease(1.0, threshold=0.0),
    SphereRelease(4.0, radius=2.0),
]


@pytest.mark.parametrize("veil", VEILS, ids=str)
def test_releases_are_unbiased_and_vary_as_said(veil: VectorRelease) -> None:
    released = veil.release(np.tile(VECTOR, (N, 1)), np.random.default_rng(1))
    for column, value in zip(released.T, VECTOR, strict=True):
        assert_mean(column, value)
    assert np.sqrt((released**2).mean()) <= 1.01 * veil.deviation(len(VECTOR))


@pytest.mark.parametrize("kind", ["piecewise", "hybrid"])
def test_the_bound_of_sampled_coordinates_is_attained_at_the_ends(kind: str) -> None:
    veil = SampledCoordinates(3.0, kind)
    released = veil.release(np.ones((N, 4)), np.random.default_rng(2))
    assert np.sqrt((released**2).mean()) == pytest.approx(veil.deviation(4), rel=0.01)


@pytest.mark.parametrize("dimension", [2, 5, 40])
@pytest.mark.parametrize("threshold", [None, 0.0, 0.3])
def test_a_cap_has_its_share_its_mean_and_the_exact_level(dimension: int, threshold: float | None) -> None:
    epsilon = 3.0
    cosine, share, mean = SphereRelease(epsilon, threshold=threshold).cap(dimension)
    power = (dimension - 3) / 2
    whole = np.exp(betaln(0.5, power + 1))

    def integrate(low: float, high: float, weight: int) -> float:
        return float(quad(lambda t: t**weight * (1 - t * t) ** power / whole, low, high, limit=200)[0])

    assert share == pytest.approx(integrate(cosine, 1, 0), rel=1e-6)
    chance = share * np.exp(epsilon) / (share * np.exp(epsilon) + 1 - share)
    assert np.log(chance / share) - np.log((1 - chance) / (1 - share)) == pytest.approx(epsilon, rel=1e-9)
    inside, outside = integrate(cosine, 1, 1) / share, integrate(-1, cosine, 1) / (1 - share)
    assert mean == pytest.approx(chance * inside + (1 - chance) * outside, rel=1e-6)


def test_the_best_cap_beats_all_others() -> None:
    best = SphereRelease(6.0).cap(20)[2]
    assert all(best >= SphereRelease(6.0, threshold=t).cap(20)[2] for t in np.linspace(0, 0.9, 19))


def test_directions_fall_into_the_cap_as_often_as_said() -> None:
    epsilon, dimension = 2.0, 8
    veil = SphereRelease(epsilon)
    cosine, share, mean = veil.cap(dimension)
    unit = np.eye(dimension)[2]
    released = veil.release(np.tile(unit, (N, 1)), np.random.default_rng(3))
    assert np.linalg.norm(released, axis=1) == pytest.approx(1 / mean)
    chance = share * np.exp(epsilon) / (share * np.exp(epsilon) + 1 - share)
    assert_mean(((released @ unit) * mean >= cosine).astype(float), chance)


@pytest.mark.parametrize("veil", VEILS[:5:2], ids=str)
def test_an_audit_finds_no_more_than_the_level_and_most_of_it(veil: VectorRelease) -> None:
    here, there = np.eye(2)[0], -np.eye(2)[0]
    audit = audit_release(
        lambda row, n, rng: veil.release(np.tile(row, (n, 1)), rng),
        here,
        there,
        n=200_000,
        rng=np.random.default_rng(4),
    )
    assert 0.8 * veil.tight_epsilon() < audit.epsilon_low <= veil.tight_epsilon()


def test_vectors_out_of_range_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UnveilError, match="entries in"):
        SampledCoordinates(1.0).release([[2.0, 0.0]], rng)
    with pytest.raises(UnveilError, match="norm radius"):
        SphereRelease(1.0).release([[1.0, 1.0]], rng)
    with pytest.raises(UnveilError, match="kind"):
        SampledCoordinates(1.0, "round")
