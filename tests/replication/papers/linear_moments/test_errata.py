"""The errata of the first paper, each under the hypotheses that its statement has.

A test gets what is printed and what is right, and fails if they trade places or if either stands for both:
tests/tools/test_errata_page.py tries. Channels are enumerated in fractions, with e^{α/2} a whole number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from replication.papers.linear_moments.fig6.score import squared_errors
from replication.papers.linear_moments.release_variances import moment_variance, response_loss
from unveil.theory.asymptotics import asymptotic_variances, efficiency_of
from versions import Formula, versions

F = Fraction
Exact = Any  # arrays of fractions

BITS2 = [(0, 0), (0, 1), (1, 0), (1, 1)]
PHI = np.array(BITS2, dtype=float)
THETAS = (np.array([2.0, -0.1]), np.array([5.0, -1.0]))  # figure 3
FIGURE_5 = [[F(1, 3), F(1, 6), F(1, 4)], [F(1, 3), F(1, 6), F(1, 2)], [F(1, 3), F(2, 3), F(1, 4)]]


def exact(rows: Any) -> Exact:
    return np.vectorize(F, otypes=[object])(np.array(rows, dtype=object))


def response(epsilon: F, u: Sequence[F]) -> Exact:
    """(5) as S[o, y]."""
    return exact([[epsilon * (o == y) + (1 - epsilon) * u[o] for y in range(len(u))] for o in range(len(u))])


BASES = [[F(1, m)] * m for m in (2, 5, 64)] + [[F(1, 2), F(1, 3), F(1, 6)], [F(1, 10), F(9, 10)]]
EPSILONS = (F(1, 100), F(1, 4), F(9, 10))


@versions(lambda law, given_y: exact([law @ given_y] * len(given_y)), lambda _law, given_y: given_y)
def test_beta_is_unbiased_given_y_and_not_given_x_alone(printed: Formula, corrected: Formula) -> None:
    """(3), with β of (7): its mean given x alone is one vector, while φ(x, y) has one for each y."""
    phi, law, u = exact(BITS2), exact([F(1, 2), F(1, 4), F(1, 8), F(1, 8)]), [F(1, 4)] * 4
    for epsilon in (*EPSILONS, F(1)):
        beta = (phi - (1 - epsilon) * (exact(u) @ phi)) / epsilon
        given_y = response(epsilon, u).T @ beta
        assert (corrected(law, given_y) == phi).all()
        assert (printed(law, given_y) != phi).any()


@versions(lambda e, u: 1 + (e + (1 - e) * u) / ((1 - e) * u), lambda e, u: 1 + e / ((1 - e) * u))
def test_the_printed_ratio_is_one_too_large(printed: Formula, corrected: Formula) -> None:
    for epsilon, u in product(EPSILONS, BASES):
        for row, chance in zip(response(epsilon, u), u, strict=True):
            worst = max(row) / min(row)
            assert worst == corrected(epsilon, chance)
            assert worst < printed(epsilon, chance)


@versions(lambda e, u: float(e / ((1 - e) * min(u))), lambda e, u: log(1 + e / ((1 - e) * min(u))))
def test_the_level_of_classical_response_is_a_logarithm(printed: Formula, corrected: Formula) -> None:
    for epsilon, u in product(EPSILONS, BASES):
        level = log(max(max(row) / min(row) for row in response(epsilon, u)))
        assert level == pytest.approx(corrected(epsilon, u), rel=1e-12)
        assert level < printed(epsilon, u) * (1 - 1e-3)


# Coordinate release of bits: q = root/(1 + root) with root = e^{α/2}.
def coordinate_outcomes(record: Sequence[F], keep: F, p: Sequence[F]) -> Iterator[tuple[int, int, F]]:
    """Every (j, bit) with its probability."""
    for j, bit in product(range(len(record)), (0, 1)):
        one = keep * record[j] + (1 - keep) * (1 - record[j])
        yield j, bit, p[j] * (one if bit else 1 - one)


def debiased(j: int, bit: int, keep: F, p: Sequence[F]) -> Exact:
    """β_cr of the extended version, with c = 1."""
    return exact([(bit - 1 + keep) / (2 * keep - 1) / p[k] if k == j else 0 for k in range(len(p))])


RECORDS = [*([F(bit) for bit in bits] for bits in BITS2), [F(1, 5), F(9, 10)]]
COORDINATES = ([F(1, 2), F(1, 2)], [F(1, 3), F(2, 3)])


@versions(lambda _j, _k: True, lambda j, k: k == j)
def test_the_conference_version_of_beta_is_biased(printed: Formula, corrected: Formula) -> None:
    """Which terms k enter β when j was released: all of them, or the released one."""
    keep = F(3, 4)

    def mean(enters: Formula, record: list[F], p: list[F]) -> Exact:
        total = exact([0, 0])
        for j, bit, chance in coordinate_outcomes(record, keep, p):
            value = (bit - 1 + keep) / (2 * keep - 1)
            total = total + chance * exact([value / p[k] if enters(j, k) else 0 for k in range(2)])
        return total

    for p in COORDINATES:
        assert all((mean(corrected, record, p) == exact(record)).all() for record in RECORDS)
        assert any((mean(printed, record, p) != exact(record)).any() for record in RECORDS)


@versions(lambda root: root**2, lambda root: root)
def test_coordinate_release_is_twice_as_private_as_said(printed: Formula, corrected: Formula) -> None:
    """The largest ratio of two probabilities is e^{α/2}, and not e^α."""
    for p, root in product(COORDINATES, (F(11, 10), F(3), F(50))):
        tables = [[chance for _, _, chance in coordinate_outcomes(r, root / (1 + root), p)] for r in RECORDS]
        worst = max(max(column) / min(column) for column in zip(*tables, strict=True))
        assert worst == corrected(root)
        assert worst < printed(root)


@versions(lambda q: 1 - q, lambda q: q)
def test_bits_are_kept_with_probability_q(printed: Formula, corrected: Formula) -> None:
    """The chance that a bit is kept: β of section 3.2 is unbiased, and (22) holds, with q only."""
    root, p = F(3), COORDINATES[0]
    q = root / (1 + root)

    def mean(keep: F, record: list[F]) -> Exact:
        return sum(chance * debiased(j, bit, q, p) for j, bit, chance in coordinate_outcomes(record, keep, p))

    def ratios_are_those_of_22(keep: F) -> bool:
        chance = {(o, b): keep if o == b else 1 - keep for o, b in product((0, 1), repeat=2)}
        return all(
            chance[o, b] / chance[o, other] == root ** (abs(o - (1 - b)) - abs(o - (1 - other)))
            for o, b, other in product((0, 1), repeat=3)
        )

    for record in RECORDS:
        assert (mean(corrected(q), record) == exact(record)).all()
    assert ratios_are_those_of_22(corrected(q))
    assert any((mean(printed(q), record) != exact(record)).any() for record in RECORDS)
    assert not ratios_are_those_of_22(printed(q))


def agreement_gap(one: Sequence[int], other: Sequence[int]) -> int:
    """The exponent of e^{α/(2δ̄)} in the largest ratio of released vectors, by enumeration of these."""
    return max(
        sum(o == a for o, a in zip(released, one, strict=True))
        - sum(o == b for o, b in zip(released, other, strict=True))
        for released in product((0, 1), repeat=len(one))
    )


@versions(
    lambda bound, one, other: bound <= min(sum(one), sum(other)),
    lambda bound, one, other: bound >= max(sum(one), sum(other)),
)
def test_a_delta_bar_below_the_norms_breaks_the_promise(printed: Formula, corrected: Formula) -> None:
    """Which δ̄ two records of bits allow; α-private is a gap of at most 2δ̄."""

    def always_private(allows: Formula) -> bool:
        vectors = list(product((0, 1), repeat=4))
        return all(
            agreement_gap(one, other) <= 2 * bound
            for one, other, bound in product(vectors, vectors, (1, 2, 3, 4))
            if allows(bound, one, other)
        )

    assert always_private(corrected)
    assert not always_private(printed)


@versions(lambda _d, _delta, _bound: F(1), lambda d, delta, bound: F(min(d, 2 * delta)) / (2 * bound))
def test_the_level_of_per_value_release_by_enumeration(printed: Formula, corrected: Formula) -> None:
    """In units of α, where any δ ones among d bits may be set and δ̄ ≥ δ."""
    loose = []
    for d, delta in ((size, ones) for size in range(1, 5) for ones in range(1, size + 1)):
        vectors = [v for v in product((0, 1), repeat=d) if sum(v) <= delta]
        gap = max(agreement_gap(one, other) for one in vectors for other in vectors)
        for bound in (F(delta), F(delta) + F(1, 2), F(d)):
            level = gap / (2 * bound)
            assert level == corrected(d, delta, bound)
            assert level <= printed(d, delta, bound)
            loose.append(level < printed(d, delta, bound))
            assert loose[-1] == (bound > delta or d < 2 * delta)
    assert any(loose)


@versions(lambda x, y: int(y == x), lambda x, y: (x, int(y == x)))
def test_no_mechanism_on_the_statistic_alone_has_the_same_law(printed: Formula, corrected: Formula) -> None:
    """Bits x, y with φ = 1{y = x}, and response on y with q = 2/3: what S' may see, and whether some S' obeys (8).

    P(φ = 1 | x) is the same for both x, as it is in the well-specified model; so is then the law of whatever is made
    of φ, while that of o differs.
    """
    q = F(2, 3)

    def exists(sees: Formula, shares: tuple[F, F], low: F, high: F) -> bool:
        """Whether some P(o' = 1 | seen) in [low, high] gives P(o' = 1 | x) = P(o = 1 | x), if P(φ = 1 | x) = shares."""
        law = {(x, y): shares[x] if y == x else 1 - shares[x] for x, y in product((0, 1), repeat=2)}
        aim = [law[x, 1] * q + law[x, 0] * (1 - q) for x in (0, 1)]
        seen = sorted({sees(x, y) for x, y in law})
        rows = [[sum(law[x, y] for y in (0, 1) if sees(x, y) == s) for s in seen] for x in (0, 1)]
        found = linprog(
            np.zeros(len(seen)), A_eq=np.array(rows, float), b_eq=np.array(aim, float), bounds=(float(low), float(high))
        )
        assert found.status in (0, 2)
        return bool(found.status == 0)

    for well_specified in ((F(3, 4), F(3, 4)), (F(1, 5), F(1, 5))):
        assert exists(corrected, well_specified, 1 - q, q)  # and as private as S
        assert not exists(printed, well_specified, F(0), F(1))  # however little private
    assert exists(corrected, (F(3, 4), F(1, 5)), 1 - q, q)  # that the model is right is not needed


@versions(lambda length, w: range(1, length - w + 1), lambda length, w: range(1, length - w + 2))
def test_the_region_of_table_1_needs_the_last_start(printed: Formula, corrected: Formula) -> None:
    """The bracketed region of table 1 ends with its sentence; so no place is left out, and w = L is possible."""
    tags = ["JJ", "JJ", "[NN", "VBZ", "IN", "DT", "JJ", "NN]"]
    start, w = tags.index("[NN") + 1, len(tags) - tags.index("[NN")
    assert tags[-1].endswith("]")
    assert start in corrected(len(tags), w)
    assert start not in printed(len(tags), w)
    for length, window in ((5, 1), (5, 3), (5, 5)):
        reached = [{j for s in starts for j in range(s, s + window)} for starts in
                   (corrected(length, window), printed(length, window))]  # fmt: skip
        assert reached[0] == set(range(1, length + 1))
        assert length not in reached[1]


@versions(lambda marginal, _moments: marginal, lambda _marginal, moments: moments)
def test_lemma_1_is_about_moments(printed: Formula, corrected: Formula) -> None:
    """(15) against (13) and (14), at the parameters of figure 3."""
    for theta, epsilon in product(THETAS, (0.1, 0.5, 0.9)):
        matrix = np.array(response(F(epsilon), [F(1, 4)] * 4), dtype=float)
        variances = asymptotic_variances(PHI, theta, matrix)
        stated = moment_variance(PHI, theta, response_loss(PHI, theta, epsilon))
        assert_allclose(stated, corrected(*variances), rtol=1e-7)
        assert np.abs(stated - printed(*variances)).max() > 1e-3 * np.abs(stated).max()


@versions(lambda _weight: False, lambda weight: weight == 1)
def test_a_faithful_copy_is_wasted_by_the_choice_of_beta(printed: Formula, corrected: Formula) -> None:
    """Whether moments are efficient with β(o) = w·o[1] + (1 − w)·o[2], by (14): o = (y, y + η), y a fair bit."""
    information = F(1, 4)
    for weight in (F(0), F(1, 2), F(1)):
        unexplained = (1 - weight) ** 2  # Cov[β(o) | y]
        variance = 1 / information + unexplained / information**2
        assert (variance == 1 / information) == corrected(weight)
        assert weight < 1 or (variance == 1 / information) != printed(weight)


@versions(
    lambda marginal, moments: np.mean(np.diag(marginal) / np.diag(moments)),
    lambda marginal, moments: np.mean(np.linalg.eigvals(marginal @ np.linalg.inv(moments)).real),
)
def test_efficiency_is_an_average_over_principal_directions(printed: Formula, corrected: Formula) -> None:
    """Eff = d⁻¹ tr(Σ_marg Σ_mom⁻¹), at the strong signal of figure 3: relative variances along which coordinates?"""
    for epsilon in (0.1, 0.3, 0.5):
        matrix = np.array(response(F(epsilon), [F(1, 4)] * 4), dtype=float)
        variances = asymptotic_variances(PHI, THETAS[1], matrix)
        assert efficiency_of(*variances) == pytest.approx(corrected(*variances), rel=1e-9)
        assert abs(efficiency_of(*variances) - printed(*variances)) > 0.005


@versions(lambda second: second <= 0, lambda second: second >= 0)
def test_divergence_is_convex_in_p(printed: Formula, corrected: Formula) -> None:
    """The second derivative of KL(q̂ ‖ S(p + tv)) at t = 0, symbolically for two outcomes: its sign at many points."""
    t, q = sp.symbols("t q")
    a, b, u, v = sp.symbols("a b u v")  # Sp = (a, b), Sv = (u, v)
    divergence = q * sp.log(q / (a + t * u)) + (1 - q) * sp.log((1 - q) / (b + t * v))
    second = sp.diff(divergence, t, 2).subs(t, 0)
    assert sp.simplify(second - (q * u**2 / a**2 + (1 - q) * v**2 / b**2)) == 0
    rng = np.random.default_rng(0)
    values = [
        second.subs({q: F(int(k), 10), a: F(int(m), 10), b: 1 - F(int(m), 10), u: F(int(n), 5), v: -F(int(n), 5)})
        for k, m, n in zip(*rng.integers(1, 10, (3, 30)), strict=True)
    ]
    assert all(bool(corrected(value)) for value in values)
    assert not all(bool(printed(value)) for value in values)


@versions(2, 1)
def test_the_family_of_figure_4_has_one_parameter(printed: int, corrected: int) -> None:
    """The dimension of {θᵀφ} up to constants, for φ(1) = 5, φ(2) = −1, φ(3) = 0."""
    phi = sp.Matrix([[5], [-1], [0]])
    free = (phi - sp.ones(3, 1) * phi[2, :]).rank()
    assert free == corrected
    assert free != printed


def simplex_minimiser(S: Any, q: Any) -> Exact:
    """The least ‖q − Sp‖² over the simplex, by the equations of each support."""
    S, q = sp.Matrix(S), sp.Matrix(q)
    best = None
    for size in range(1, S.cols + 1):
        for support in sp.utilities.iterables.subsets(range(S.cols), size):
            part = S[:, list(support)]
            ones = sp.ones(size, 1)
            system = sp.Matrix([[part.T * part, ones], [ones.T, sp.zeros(1)]])
            solution = system.LUsolve(sp.Matrix([part.T * q, sp.ones(1)]))[:size]
            if min(solution) >= 0:
                p = sp.zeros(S.cols, 1)
                for index, value in zip(support, solution, strict=True):
                    p[index] = value
                loss = (S * p - q).dot(S * p - q)
                if best is None or loss < best[0]:
                    best = loss, p
    assert best is not None
    return best[1]


@versions(lambda S, q: sp.Matrix(S).inv() * sp.Matrix(q), simplex_minimiser)
def test_the_pseudoinverse_leaves_the_simplex(printed: Formula, corrected: Formula) -> None:
    """The first step of (17) with squared distance and the S of figure 5, for frequencies of five observations."""
    outside = []
    for ones, twos in ((a, b) for a in range(6) for b in range(6 - a)):
        q = [F(ones, 5), F(twos, 5), F(5 - ones - twos, 5)]
        right, direct = corrected(FIGURE_5, q), printed(FIGURE_5, q)
        assert min(right) >= 0
        assert sum(right) == 1
        least = min(
            (sp.Matrix(FIGURE_5) * p - sp.Matrix(q)).norm() ** 2
            for p in (sp.Matrix([F(a, 6), F(b, 6), F(6 - a - b, 6)]) for a in range(7) for b in range(7 - a))
        )
        assert (sp.Matrix(FIGURE_5) * right - sp.Matrix(q)).norm() ** 2 <= least
        outside.append(min(direct) < 0)
        assert outside[-1] or direct == right  # inside, they are the same
    assert any(outside)


@versions(lambda _start: True, lambda start: min(start) > 0)
def test_em_for_kl_needs_a_start_inside_the_simplex(printed: Formula, corrected: Formula) -> None:
    """Whether EM for the first step of (17) with KL ends at its least, where that lies inside the simplex."""
    S, best = np.array(FIGURE_5, dtype=float), np.array([0.2, 0.3, 0.5])
    q = S @ best  # the least divergence is zero, and at this point only
    for start in ([0.2, 0.2, 0.6], [0.9, 0.05, 0.05], [0.0, 0.5, 0.5], [0.5, 0.5, 0.0]):
        p = np.array(start)
        for _ in range(20_000):
            p = p * (S.T @ (q / (S @ p)))
        assert np.allclose(p, best, atol=1e-4) == corrected(start)
    assert corrected(start) != printed(start)


@versions(lambda sample, _limit: sample, lambda _sample, limit: limit)
def test_in_a_sample_the_two_steps_end_at_two_points(printed: Formula, corrected: Formula) -> None:
    """Whether S†q̂ is of the family of figure 5, φ = (2, 1, 0): p_1 p_3 = p_2² there; in a sample, and in the limit."""
    inverse = sp.Matrix(FIGURE_5).inv()

    def of_the_family(q: Any) -> bool:
        p = inverse * sp.Matrix(q)
        return bool(min(p) > 0 and p[0] * p[2] == p[1] ** 2)

    law = exact([F(1, 7), F(2, 7), F(4, 7)])  # e^θ = 1/2
    limit = of_the_family(np.array(FIGURE_5, dtype=object) @ law)
    counts = [(a, b, 6 - a - b) for a in range(7) for b in range(7 - a)]
    sample = any(of_the_family([F(k, 6) for k in own]) for own in counts)
    assert limit
    assert not sample
    assert corrected(sample, limit)
    assert not printed(sample, limit)


@versions(
    lambda S, Phi: Phi.rows == S.rows and S.row_join(Phi).rank() == S.rank(),
    lambda S, Phi: S.col_join(Phi).rank() == S.rank(),
)
def test_row_space_condition_is_phi_equals_r_s(printed: Formula, corrected: Formula) -> None:
    """Whether Sp determines Φp for all p: the conditions Φ = SR and Φ = RS, as ranks."""
    S = sp.Matrix([[7, 4, 1], [3, 6, 9]]) / 10
    cases = [sp.Matrix([[2, -1]]) * S, sp.Matrix([[1, 0, 1], [0, 0, 1]]), sp.Matrix([[1, 0, 0]]), S]
    determines = [all((Phi * hidden).is_zero_matrix for hidden in S.nullspace()) for Phi in cases]
    assert determines == [True, False, False, True]
    assert [corrected(S, Phi) for Phi in cases] == determines
    assert [printed(S, Phi) for Phi in cases] != determines


@versions(lambda possible: not possible, lambda possible: False if possible else None)
def test_limits_may_agree_although_the_supervision_is_wrong(printed: Formula, corrected: Formula) -> None:
    """Whether the limits of θ̂_marg and θ̂_mom are said to differ, by whether q* lies in S(P); None: nothing is said.

    Two states with φ = 0, 1, so that every p inside the simplex is of the family; S has full column rank.
    """
    S = exact([[F(1, 2), F(1, 4)], [F(1, 4), F(1, 4)], [F(1, 4), F(1, 2)]])
    step = S[:, 1] - S[:, 0]

    def differ(q: Exact) -> bool:
        share = step @ (q - S[:, 0]) / (step @ step)  # least squares
        assert 0 < share < 1
        seen = S[:, 0] + share * step
        return bool(sum(q * step / seen) != 0)  # the slope of the marginal likelihood there

    cases = [(exact([F(1, 4), F(1, 2), F(1, 4)]), False), (exact([F(9, 20), F(1, 10), F(9, 20)]), False),
             (exact([F(1, 3), F(1, 6), F(1, 2)]), False), (S @ exact([F(1, 3), F(2, 3)]), True)]  # fmt: skip

    def agrees(says: Formula) -> bool:
        return all(says(possible) is None or says(possible) == differ(q) for q, possible in cases)

    assert all((q[1] == F(1, 4)) == possible for q, possible in cases)  # S(P) has 1/4 in the middle
    assert agrees(corrected)
    assert not agrees(printed)


@versions(lambda S: S.T @ np.diag(1 / S.sum(axis=1)), np.linalg.pinv)
def test_random_regions_are_no_deterministic_supervision(printed: Formula, corrected: Formula) -> None:
    """S† for windows of one token among three, two tags: Sᵀdiag(S1)⁻¹, one E-step from uniform, is not S†."""
    states = np.array(list(product((0, 1), repeat=3)))
    law = np.random.default_rng(0).dirichlet(np.ones(8))

    def is_pseudo_inverse(S: Any, X: Any) -> bool:
        pairs = ((S @ X @ S, S), (X @ S @ X, X), ((S @ X).T, S @ X), ((X @ S).T, X @ S))
        return all(np.allclose(*pair) for pair in pairs)

    for starts in ([0, 1], [0, 1, 2]):  # as printed, and with the last place
        regions = [np.array([states[:, r] == n for n in (0, 1)], dtype=float) for r in starts]
        for region in regions:  # where one window is all there is, the paper is right
            assert is_pseudo_inverse(region, corrected(region))
            assert is_pseudo_inverse(region, printed(region))
        S = np.vstack(regions) / len(starts)
        assert not np.isin(S, (0, 1)).all()
        assert is_pseudo_inverse(S, corrected(S))
        assert not is_pseudo_inverse(S, printed(S))
        # In the population the moments of the tokens come out with the one and not with the other.
        phi = states[:, starts].T
        assert_allclose(phi @ corrected(S) @ S @ law, phi @ law)
        assert np.abs(phi @ printed(S) @ S @ law - phi @ law).max() > 0.01


@versions(lambda _design: True, lambda design: design.rank() == design.cols)
def test_the_regression_needs_windows_that_tell_words_apart(printed: Formula, corrected: Formula) -> None:
    """(12) for counts of one tag, with assumptions 1 and 2: whether E[N | x, r] of all windows determines w*."""
    together = sp.Matrix([[1, 1, 0], [1, 1, 1], [2, 2, 1]])  # two words that no window separates
    apart = sp.Matrix([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    one, other = (sp.Matrix([F(n, 10) for n in w]) for w in ((9, 1, 3), (2, 8, 3)))
    assert together * one == together * other
    assert apart.solve(apart * one) == one
    for design, determined in ((together, False), (apart, True)):
        assert corrected(design) == determined
    assert printed(together)


@versions(
    lambda x, y, _j, _g, a, b, G: sum(h(x[i]) == a and y[i] == b for i in range(len(x)) for h in G),
    lambda x, y, j, g, a, b, _G: int(g(x[j]) == a and y[j] == b),
)
def test_a_node_feature_looks_at_its_own_node(printed: Formula, corrected: Formula) -> None:
    """Section 7's φ_j(y[j], x, j)[g, a, b] against assumption 1 of section 4: it depends on x[j] and y[j] only."""
    words, tags, G = ["the", "dogs", "bark"], ["DT", "NNS", "VB"], (str, lambda word: word[-1])

    def is_local(feature: Formula) -> bool:
        changed = (["the", "cats", "sing"], ["DT", "NN", "NN"])
        entries = [(g, a, b) for g, a in ((G[0], "the"), (G[0], "dogs"), (G[1], "s")) for b in ("DT", "NNS", "NN")]
        return all(feature(words, tags, 0, g, a, b, G) == feature(*changed, 0, g, a, b, G) for g, a, b in entries)

    assert is_local(corrected)
    assert not is_local(printed)


@versions(1, 2)
def test_credit_is_assigned_by_least_squares(printed: int, corrected: int) -> None:
    """The degree of the objective (12) in w; a linear program has 1."""
    w = sp.symbols("w1:4")
    objective = sum((sum(w[j] for j in r) - n) ** 2 for r, n in (((0, 1), 1), ((1, 2), 2), ((0,), 0)))
    degree = sp.Poly(objective, *w).total_degree()
    assert degree == corrected
    assert degree != printed


@versions(
    lambda X, w, Y: ((X @ w - Y) ** 2).sum() / (Y**2).sum(), lambda X, w, Y: 1 - ((X @ w - Y) ** 2).sum() / (Y**2).sum()
)
def test_the_footnote_prints_one_minus_r_squared(printed: Formula, corrected: Formula) -> None:
    """A coefficient of fit is 1 where the fit is perfect, and 0 for the uncentred baseline w = 0."""
    X = np.random.default_rng(3).normal(size=(50, 2))
    weights = np.array([[1.0, 2.0], [0.0, 0.0], [0.5, 2.5]])
    Y = X @ weights[0]
    assert_allclose([corrected(X, w, Y) for w in weights[:2]], [1, 0], atol=1e-12)
    assert_allclose([corrected(X, w, Y) for w in weights], 1 - squared_errors(X, Y, weights) / (Y**2).sum(), atol=1e-12)
    assert printed(X, weights[0], Y) < 0.5 < printed(X, weights[1], Y)


@versions(
    lambda alpha, d, bound, _norm: 4 * d**2 / alpha**2 + bound * (d - 1),
    lambda alpha, d, _bound, norm: d**2 / (4 * sp.sinh(alpha / 4) ** 2) + (d - 1) * norm,
)
def test_the_trace_of_coordinate_release_for_small_alpha(printed: Formula, corrected: Formula) -> None:
    """(29) against the trace of (26), for bits with E‖φ‖₁ = norm ≤ δ̄ = bound: the leading terms agree, no more."""
    for d, bound, norm in ((50, 10, 2), (50, 50, 50), (4, 3, 1)):
        for alpha in (F(1, 10**6), F(1, 2), F(4)):
            q = (sp.exp(sp.Rational(alpha) / 2) / (1 + sp.exp(sp.Rational(alpha) / 2))).evalf(60)
            trace = d * d * q * (1 - q) / (2 * q - 1) ** 2 + (d - 1) * norm  # tr diag(φ)² = tr φφᵀ = ‖φ‖₁ for bits
            right, stated = (sp.N(form(sp.Rational(alpha), d, bound, norm), 60) for form in (corrected, printed))
            assert abs(trace / right - 1) < 1e-30
            if alpha < F(1, 2):
                assert abs(stated / trace - 1) < 1e-9
                assert abs((trace - stated) - ((d - 1) * (norm - bound) - sp.Rational(d * d, 12))) < 1e-6
