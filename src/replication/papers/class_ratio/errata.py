"""Errata of Iyer, Nath and Sarawagi (2016)."""

from __future__ import annotations

from replication.judging.erratum import Erratum

ERRATA = (
    Erratum(
        "cr-lemma-2",
        "Lemma 2",
        "‖α̂ − α*‖ ≤ √(rise of the objective / minsing(Â))",
        "‖α̂ − α*‖ ≤ √(rise of the objective) / minsing(Â)",
        "The printed bound fails where minsing(Â) < 1, which is always so here; Theorem 1 needs the right one.",
        "tests.unveil.theory.test_class_ratio_bounds.test_lemma2_holds_once_corrected_and_fails_as_printed",
    ),
    Erratum(
        "cr-9",
        "equation (9), second line",
        "δ is the integral of the density over Θ_ij",
        "the integral over the complement of Θ_ij",
        "As printed, δ is the chance that the loss stays below ε: a mechanism that leaks nothing would have δ = 1.",
        "tests.replication.papers.class_ratio.test_errata.test_delta_is_the_mass_outside_the_region",
    ),
    Erratum(
        "cr-guarantee",
        "section 3, the guarantee of the scaled Dirichlet",
        "a σ with max P[g(S) ∉ Θ_ij] ≤ δ makes g (ε, δ)-private",
        "it would if σ did not depend on the data; computed from the neighbour's counts it need not, and where the "
        "neighbour has no σ the error gives it away. A σ from a public lower bound on the counts keeps the promise",
        "At the paper's defaults the true δ is above 0.07 and not 0.05, and 1 at the smallest counts that have a σ.",
        "tests.unveil.mechanisms.test_counts.test_without_it_the_published_mechanism_breaks_its_promise",
    ),
    Erratum(
        "cr-10",
        "section 3, on (10)",
        "the approximation (10) may serve for a faster search",
        "at the settings of figure 1 it exceeds δ = 0.05 at every σ: there is nothing to find",
        "Chebyshev's inequality is too weak for a tail of a few percent.",
        "tests.unveil.mechanisms.test_dirichlet_scale.test_chebyshev_is_feasible_nowhere",
    ),
    Erratum(
        "cr-mnist-alike",
        "section 4.2, sets with ρ = 0.1, and Table 1 (Mnist: c = 10)",
        "ρ is usually 0.05 or 0.1",
        "ρ < 1/c: for ten classes ρ = 0.1 makes all sets alike",
        "Assumption A0 fails, and no mixture of equal sets tells anything.",
        "tests.replication.papers.class_ratio.test_errata.test_at_rho_one_tenth_ten_classes_make_equal_sets",
    ),
    Erratum(
        "cr-mnist-sizes",
        "section 4.2 and Table 1 (Mnist: n = 3,000)",
        "ten training and ten validation sets of 3,000 at ρ = 0.05 from 60,000 digits",
        "disjoint sets of this size need 6,000 of each digit; there are 5,421 fives",
        "Either sets share members, which Theorem 1 does not allow for, or they are smaller than stated.",
        "tests.replication.papers.class_ratio.test_errata.test_twenty_disjoint_sets_of_digits_need_more_fives_than_there_are",
    ),
    Erratum(
        "cr-figure-3",
        "figure 3, Acoustic and Twitter (sets of 900, ρ = 0.05)",
        "a curve of the scaled Dirichlet, with (ε, δ) not stated",
        "at the (0.05, 0.05) of section 4.1 these sets have no σ; the paper's own fallback must be meant",
        "A class of 45 members is too small for equation (9) at any scale.",
        "tests.unveil.mechanisms.test_counts.test_the_fallback_is_used_exactly_where_there_is_no_scale",
    ),
)
