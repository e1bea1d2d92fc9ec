"""The errata of the fourth paper, each under the hypotheses that its statement has.

A test gets what is printed and what is right, and fails if they trade places or if either stands for both:
tests/tools/test_errata_page.py tries.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest
from scipy.special import expit

from replication.papers.spread.noisy_regression import NoisyRegression, angle, fit_logistic
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Floats
from versions import Formula, versions

F = Fraction
SHARES = (F(0), F(1, 10), F(2, 5), F(1, 2), F(1))
FLIPS = ((F(1, 5), F(1, 5)), (F(3, 10), F(1, 10)))  # P₁₀, P₀₁
GRID = np.linspace(0.001, 0.999, 999)
MATRIX = LabelFlips(0.3, 0.1).matrix

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
MASS = WEIGHTS / WEIGHTS.sum()


@versions(lambda f, p: (f + p) / (1 - 2 * p), lambda f, p: (f - p) / (1 - 2 * p))
def test_only_a_minus_inverts_the_lies(printed: Formula, corrected: Formula) -> None:
    """(2), where each voter lies with probability p and the share is that of very many."""
    for share, p in product(SHARES, (F(1, 10), F(2, 5))):
        seen = (1 - p) * share + p * (1 - share)
        assert corrected(seen, p) == share
        assert printed(seen, p) != share


@versions(lambda reports: sum(reports) > 2, lambda reports: sum(reports) >= 2)
def test_a_majority_of_three_is_two(printed: Formula, corrected: Formula) -> None:
    """Section 1: the class that most of c₁, c₂, c₃ name."""
    triples = list(product((0, 1), repeat=3))
    majority = [max((0, 1), key=reports.count) for reports in triples]
    assert [corrected(reports) for reports in triples] == majority
    assert [printed(reports) for reports in triples] != majority


@versions(1, -1)
def test_divergence_from_the_data_is_minus_the_likelihood(printed: int, corrected: int) -> None:
    """(12): the sign of L_N in KL/N = ±L_N(θ) + const, for p̂ with all mass on four votes."""
    votes = np.array([0, 1, 1, 1])
    values = []
    for theta in (0.2, 0.5, 0.75):
        model = np.prod([theta if vote else 1 - theta for vote in votes])
        divergence = 1 * log(1 / model) / len(votes)
        likelihood = np.mean([log(theta if vote else 1 - theta) for vote in votes])
        values.append([divergence - sign * likelihood for sign in (corrected, printed)])
    assert np.ptp(np.array(values)[:, 0]) < 1e-12
    assert np.ptp(np.array(values)[:, 1]) > 0.1


@versions(lambda P, p, _i: sum(P[j][j] * p[j] for j in range(2)), lambda P, p, i: sum(P[i][j] * p[j] for j in range(2)))
def test_the_law_of_the_reports_sums_over_the_truth_only(printed: Formula, corrected: Formula) -> None:
    """(18) against the sum over votes and reports of what was said, (21)."""
    for (p10, p01), share in product(FLIPS, SHARES):
        P, law = [[1 - p10, p01], [p10, 1 - p01]], [1 - share, share]
        assert corrected(P, law, 1) == (1 - p01) * share + p10 * (1 - share)
        assert sum(corrected(P, law, i) for i in range(2)) == 1
        assert sum(printed(P, law, i) for i in range(2)) != 1


@versions(lambda model: model, lambda model: MATRIX @ model)
def test_without_the_tilde_the_divergence_fits_the_noisy_votes(printed: Formula, corrected: Formula) -> None:
    """(19): the minimum of the divergence from the noisy votes, here as many as one likes, is to be at the truth."""
    share = 0.4
    noisy = MATRIX @ [1 - share, share]

    def minimum(law: Formula) -> float:
        return float(GRID[np.argmin([-noisy @ np.log(law(np.array([1 - theta, theta]))) for theta in GRID])])

    assert minimum(corrected) == pytest.approx(share, abs=1e-9)
    assert abs(minimum(printed) - share) > 0.1


@versions(lambda f, p10, p01: (f + p10) / (1 - p10 - p01), lambda f, p10, p01: (f - p10) / (1 - p10 - p01))
def test_only_a_minus_maximises_the_spread_likelihood(printed: Formula, corrected: Formula) -> None:
    """(24): where the slope of (22) vanishes, f̃₁ a share that some θ inside (0, 1) explains."""
    for (p10, p01), share in product(FLIPS, SHARES[1:-1]):
        seen = (1 - p01) * share + p10 * (1 - share)

        def slope(theta: F, p10: F = p10, p01: F = p01, seen: F = seen) -> F:
            one = p10 * (1 - theta) + (1 - p01) * theta
            return (1 - p10 - p01) * (seen / one - (1 - seen) / (1 - one))

        assert slope(corrected(seen, p10, p01)) == 0
        assert corrected(seen, p10, p01) == share
        assert slope(printed(seen, p10, p01)) != 0


@versions(
    lambda f, p10, p01: (f - p10) / (1 - p10 - p01),
    lambda f, p10, p01: min(max((f - p10) / (1 - p10 - p01), F(0)), F(1)),
)
def test_the_maximum_may_lie_at_an_end(printed: Formula, corrected: Formula) -> None:
    """(24) with its sign put right, for every share that ten reports may show: is it a probability, and the maximum?"""
    outside = []
    for (p10, p01), ones in product(FLIPS, range(11)):
        seen = F(ones, 10)

        def likelihood(theta: F, p10: F = p10, p01: F = p01, seen: F = seen) -> float:
            one = p10 * (1 - theta) + (1 - p01) * theta
            return float(seen) * log(one) + float(1 - seen) * log(1 - one)

        found = corrected(seen, p10, p01)
        assert 0 <= found <= 1
        assert all(likelihood(F(k, 50)) <= likelihood(found) + 1e-12 for k in range(51))
        outside.append(not 0 <= printed(seen, p10, p01) <= 1)
        assert outside[-1] or found == printed(seen, p10, p01)
    assert any(outside)


@versions(lambda votes, _reports, model: model[votes], lambda _votes, reports, model: (MATRIX @ model)[reports])
def test_the_limit_is_that_of_the_spread_likelihood(printed: Formula, corrected: Formula) -> None:
    """(30), for 100 votes and as many reports that have exactly the shares which very many would have."""
    share, theta = 0.4, 0.9
    votes = np.repeat([0, 1], [60, 40])
    reports = np.repeat([0, 1], [46, 54])
    assert np.allclose(MATRIX @ [1 - share, share], [0.46, 0.54])
    model = np.array([1 - theta, theta])
    limit = float(MATRIX @ [1 - share, share] @ np.log(MATRIX @ model))
    assert np.log(corrected(votes, reports, model)).mean() == pytest.approx(limit)
    assert abs(np.log(printed(votes, reports, model)).mean() - limit) > 0.3


@versions(min, max)
def test_the_objective_is_largest_near_the_truth(printed: Formula, corrected: Formula) -> None:
    """Section 4.1, below (33): which extreme of L̃_N lies close to that of L_N, and to θ₀."""
    share = 0.4
    noisy = MATRIX @ [1 - share, share]

    def likelihood(theta: float) -> float:
        return float(noisy @ np.log(MATRIX @ [1 - theta, theta]))

    assert corrected(GRID, key=likelihood) == pytest.approx(share, abs=1e-9)
    assert abs(printed(GRID, key=likelihood) - share) > 0.3


@versions(1, 2)
def test_with_noise_the_maximum_is_tied_at_the_ends(printed: int, corrected: int) -> None:
    """How many θ in [0, 1] maximise J_∞, (38) state by state, for 0 < p_f < 1/2."""
    grid = [F(k, 200) for k in range(201)]
    for p, theta0 in product((F(1, 100), F(1, 20), F(1, 5), F(2, 5)), (F(0), F(3, 10), F(1, 2), F(9, 10))):
        channel = [[1 - p, p], [p, 1 - p]]
        values = []
        for theta in grid:
            law, value = [1 - theta, theta], 0.0
            for seen in (0, 1):
                chance = channel[seen][0] * (1 - theta0) + channel[seen][1] * theta0
                joint = [channel[seen][x] * law[x] for x in (0, 1)]
                value += sum(float(chance * joint[x] / sum(joint)) * log(law[x]) for x in (0, 1) if joint[x])
            values.append(value)
        best = [theta for theta, value in zip(grid, values, strict=True) if value == max(values)]
        assert best == [0, 1]
        assert len(best) == corrected
        assert len(best) != printed


@versions(lambda c_given_x, _x: c_given_x, lambda _c_given_x, x: x)
def test_the_e_step_weighs_inputs_by_their_law(printed: Formula, corrected: Formula) -> None:
    """(53): what stands for p(x), by Bayes' rule over three inputs and two labels."""
    p_x, one = [F(1, 2), F(1, 3), F(1, 6)], [F(1, 10), F(1, 2), F(4, 5)]
    label, spread = (
        [[F(4, 5), F(1, 5)], [F(1, 5), F(4, 5)]],
        [[F(3, 5) if i == j else F(1, 5) for j in range(3)] for i in range(3)],
    )
    states = list(product((0, 1), range(3)))

    def normalised(weights: list[F]) -> list[F]:
        return [weight / sum(weights) for weight in weights]

    def e_step(law: Formula, c_seen: int, x_seen: int) -> list[F]:
        given = {(c, x): one[x] if c else 1 - one[x] for c, x in states}
        return normalised(
            [label[c_seen][c] * spread[x_seen][x] * given[c, x] * law(given[c, x], p_x[x]) for c, x in states]
        )

    joint = {
        (c, x, c_seen, x_seen): p_x[x] * (one[x] if c else 1 - one[x]) * label[c_seen][c] * spread[x_seen][x]
        for (c, x), (c_seen, x_seen) in product(states, states)
    }
    for seen in states:
        posterior = normalised([joint[*state, *seen] for state in states])
        assert e_step(corrected, *seen) == posterior
        assert e_step(printed, *seen) != posterior


@versions(lambda _own: range(256), lambda own: [state for state in range(256) if state != own])
def test_noise_goes_to_the_other_states(printed: Formula, corrected: Formula) -> None:
    """Section 6: a pixel stays with probability 1 − p_f; among which states is the rest drawn?"""
    for p, own in product((F(1, 10), F(2, 5)), (0, 200)):
        stays = [1 - p + p * F(int(own in among(own)), len(among(own))) for among in (corrected, printed)]
        assert stays[0] == 1 - p
        assert stays[1] > 1 - p


@versions(lambda length: abs(length - 1) < 0.05, lambda length: length < 0.9)
def test_flipped_labels_shorten_the_optimum(printed: Formula, corrected: Formula) -> None:
    """The length of the free optimum over that of θ₀, for isotropic Gaussian inputs of mean 0.

    Along θ₀ itself the slope of the likelihood is −(p₀₁ + p₁₀) E[z φ(z)] < 0, so the optimum is shorter.
    """
    theta0 = np.array([0.8, -0.6])
    for variance, flips in product((1.0, 4.0), ((0.2, 0.2), (0.3, 0.1))):
        law = NoisyRegression(theta0, np.zeros(2), variance * np.eye(2), LabelFlips(*flips).matrix, 0.0)
        optimum = law.optimum(intercept=False)
        assert angle(optimum, theta0) < 1e-5  # the direction is right
        z = np.sqrt(variance) * NODES
        gamma = law.label_matrix[1, 0] + (1 - sum(flips)) * expit(z)
        slope = MASS @ ((gamma - expit(z)) * z)
        assert slope == pytest.approx(-sum(flips) * (MASS @ (z * expit(z))))
        assert slope < -0.05
        assert corrected(np.linalg.norm(optimum))
        assert not printed(np.linalg.norm(optimum))


def _likelihood(angle_: float, s: float, flips: Floats) -> float:
    """(104), by a product rule over ε₁ and ε₂."""
    one, two = (part.ravel() for part in np.meshgrid(NODES, NODES, indexing="ij"))
    mass = np.outer(MASS, MASS).ravel()
    gamma = flips[1, 0] + (flips[1, 1] - flips[1, 0]) * expit(s * one)
    z = s * (one * np.cos(angle_) + two * np.sin(angle_))
    return float(mass @ (gamma * np.log(expit(z)) + (1 - gamma) * np.log(expit(-z))))


@versions(lambda first, second: first + second, lambda first, _second: first)
def test_second_derivative_has_one_term_only(printed: Formula, corrected: Formula) -> None:
    """(107) against differences of (104); what it leaves out, + s E[ε φ(sε)], cancels its second term by Stein."""
    for s, pair in product((0.5, 1.0, 2.0), ((0.2, 0.2), (0.3, 0.1))):
        flips = LabelFlips(*pair).matrix
        gamma = flips[1, 0] + (flips[1, 1] - flips[1, 0]) * expit(s * NODES)
        phi, h = expit(s * NODES), 1e-2
        first, second = -s * (MASS @ (NODES * gamma)), -(s**2) * (MASS @ (phi * (1 - phi)))
        numeric = sum(w * _likelihood(k * h, s, flips) for k, w in ((-1, 1), (0, -2), (1, 1))) / h**2
        assert numeric == pytest.approx(corrected(first, second), rel=1e-3)
        assert abs(numeric - printed(first, second)) > 0.01
        assert s * (MASS @ (NODES * phi)) == pytest.approx(-second, rel=1e-6)
        assert numeric < 0  # the conclusion stays


@versions(lambda angle_: 1 - angle_**2 / 2, np.cos)
def test_the_maximum_at_the_truth_is_global(printed: Formula, corrected: Formula) -> None:
    """How (104) falls with α: as its second derivative at zero has it, or as a cosine."""
    for s, pair in product((0.5, 2.0), ((0.2, 0.2), (0.3, 0.1))):
        flips = LabelFlips(*pair).matrix
        slope = s * (MASS @ (NODES * (flips[1, 0] + (flips[1, 1] - flips[1, 0]) * expit(s * NODES))))
        assert slope > 0
        falls = [_likelihood(0.0, s, flips) - _likelihood(a, s, flips) for a in (0.5, 1.5, 2.5, np.pi)]
        right, stated = ([slope * (1 - form(a)) for a in (0.5, 1.5, 2.5, np.pi)] for form in (corrected, printed))
        np.testing.assert_allclose(falls, right, rtol=1e-6)
        assert abs(falls[-1] - stated[-1]) > 0.5 * falls[-1]


@versions(lambda _images, _pixels: True, lambda images, pixels: images > pixels)
def test_fewer_images_than_pixels_leave_no_maximum(printed: Formula, corrected: Formula) -> None:
    """Whether the likelihood of random labels of random images has a maximum, by how many there are."""
    rng = np.random.default_rng(0)
    for images, pixels in ((100, 157), (1000, 5)):
        inputs, labels = rng.integers(0, 256, (images, pixels)) / 255, rng.integers(0, 2, images)
        signs = 2.0 * labels - 1
        apart = np.linalg.lstsq(inputs, signs)[0]
        if (signs * (inputs @ apart)).min() > 0:
            losses = [np.logaddexp(0, -signs * (inputs @ (length * apart))).mean() for length in (1, 10, 100, 1000)]
            assert losses[-1] < 1e-9
            assert np.all(np.diff(losses) < 0)
            assert corrected(images, pixels) is False
            assert printed(images, pixels)
        else:
            fit_logistic(inputs, labels.astype(float))  # finds it, or says that there is none
            assert corrected(images, pixels) is True


@versions(
    lambda p, phi, x: (p * (1 - phi) * x - (1 - p) * phi) * x, lambda p, phi, x: (p * (1 - phi) - (1 - p) * phi) * x
)
def test_the_gradient_has_one_factor_x(printed: Formula, corrected: Formula) -> None:
    """(91) against differences of (90), for one standard normal input."""
    p = MATRIX[1, 0] + (MATRIX[1, 1] - MATRIX[1, 0]) * expit(NODES)

    def likelihood(theta: float) -> float:
        return float(MASS @ (p * np.log(expit(theta * NODES)) + (1 - p) * np.log(expit(-theta * NODES))))

    for theta in (0.3, 1.5):
        slope = (likelihood(theta + 1e-5) - likelihood(theta - 1e-5)) / 2e-5
        right, stated = (float(MASS @ form(p, expit(theta * NODES), NODES)) for form in (corrected, printed))
        assert right == pytest.approx(slope, rel=1e-5)
        assert abs(stated - slope) > 0.05


@versions(
    lambda mean, one, log_phi, log_rest: mean(one * log_phi) + mean(1 - one) * log_rest,
    lambda mean, one, log_phi, log_rest: mean(one * log_phi + (1 - one) * log_rest),
)
def test_the_mean_covers_both_terms(printed: Formula, corrected: Formula) -> None:
    """(100) against (90): where the second bracket of the mean closes. As printed, z₂ stays free."""
    theta0, theta = 1.0, 0.5
    one = MATRIX[1, 0] + (MATRIX[1, 1] - MATRIX[1, 0]) * expit(theta0 * NODES)
    z2 = theta * NODES
    likelihood = float(MASS @ (one * np.log(expit(z2)) + (1 - one) * np.log(expit(-z2))))
    right, stated = (
        np.atleast_1d(form(lambda values: MASS @ values, one, np.log(expit(z2)), np.log(expit(-z2))))
        for form in (corrected, printed)
    )
    assert right.tolist() == [pytest.approx(likelihood)]
    assert stated.size > 1
    assert np.ptp(stated) > 0.1
