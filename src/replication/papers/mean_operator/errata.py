"""Errata of Patrini et al. (2016)."""

from __future__ import annotations

from replication.judging.erratum import Erratum

ERRATA = (
    Erratum(
        "mo-corollary-4",
        "Corollary 4",
        "μ(S) is sufficient for the labels whenever f(x) − f(−x) = −ax",
        "the same with a ≠ 0",
        "At a = 0 the risk ignores the labels, so that equal risks do not mean equal statistics as definition 2 asks.",
        "tests.unveil.theory.test_factorization.test_corollary_4_fails_at_a_equal_to_zero",
    ),
    Erratum(
        "mo-lemma-5",
        "Lemma 5",
        "linear-odd losses are in one-to-one correspondence with a proper subclass of the even functions",
        "for each a they are in one-to-one correspondence with all even functions; without a fixed a the map is not "
        "injective",
        "f ↦ f + ax/2 reaches every even function, and two values of a make two losses of it.",
        "tests.unveil.estimators.statistics.test_losses.test_lemma_5_the_map_is_onto_and_injective_only_for_a_fixed_constant",
    ),
    Erratum(
        "mo-homogeneity",
        "section 3, mean map",
        "homogeneity: E[x | y, j] = E[x | j] in each bag j",
        "E[x | y, j] = E[x | y]: given the label, the bag says nothing",
        "Under the printed condition features and labels are unrelated inside a bag, and the mean map is wrong.",
        "tests.replication.papers.mean_operator.test_errata.test_mean_map_needs_classes_alike_in_all_bags_not_labels_without_meaning",
    ),
    Erratum(
        "mo-theorem-6-constant",
        "Theorem 6",
        "‖θ* − θ̃*‖ ≤ ‖μ − μ̃‖/λ",
        "‖θ* − θ̃*‖ ≤ |a| ‖μ − μ̃‖/(4λ) for the penalty λ‖θ‖², and sharp",
        "The printed constant is four times too large for a = 1 and fails beyond |a| = 4.",
        "tests.unveil.theory.test_operator_noise.test_theorem_6_as_stated_fails_for_a_beyond_four",
    ),
    Erratum(
        "mo-theorem-6-square",
        "Theorem 6, the objective",
        "L + λΩ(θ)², with the Ω of L_λ = L + λΩ(θ)",
        "the penalty is λ‖θ‖² once; with Ω = ‖θ‖² a second square gives a quartic",
        "Under a quartic penalty no bound that is linear in ‖μ − μ̃‖ exists, whatever its constant.",
        "tests.replication.papers.mean_operator.test_errata.test_no_linear_bound_holds_under_a_penalty_that_is_squared_twice",
    ),
    Erratum(
        "mo-theorem-9",
        "algorithm 2 and Theorem 9",
        "Laplace noise of scale 2/(mα) on each entry is α-label-private for ‖x‖ ≤ 1",
        "true for ‖x‖₁ ≤ 1; for the 2-norm the level reaches α√d. Right are 2 max‖x‖₁/(mα), 2√d/(mα), or a vector with "
        "density ∝ exp(−mα‖b‖₂/2)",
        "The sensitivity of definition 8 is a 1-norm, and section 4.1 states the 2-norm for the same features.",
        "tests.unveil.mechanisms.test_mean_operator.test_printed_scale_breaks_theorem_9_by_the_square_root_of_d",
    ),
    Erratum(
        "mo-scale-not-variance",
        "proof of Theorem 9",
        "the Laplace mechanism with variance 2/(mα)",
        "with scale 2/(mα), which is a variance of 8/(mα)²",
        "Noise of the printed variance is α-private for one value of mα only.",
        "tests.replication.papers.mean_operator.test_errata.test_two_over_m_alpha_is_a_scale_and_no_variance",
    ),
    Erratum(
        "mo-no-assumption",
        "section 4, after Theorem 9, and Theorem 10 (λ ≥ 0)",
        "nothing is assumed of losses and regularisers but that they yield the mean operator",
        "λ > 0 is needed to learn: at λ = 0 the noisy objective may have no minimum",
        "Noise moves μ̃ out of the zonotope of the features, and then logistic and Matsushita risks fall without end.",
        "tests.unveil.estimators.statistics.test_classifier.test_unbounded_objective_is_told_exactly_when_it_is_one",
    ),
    Erratum(
        "mo-theorem-10-union",
        "proof of Theorem 10, the union bound",
        "P(‖b‖ > t) ≤ P(for all i: |b_i| > t) = d P(|b_i| > t)",
        "P(‖b‖_∞ > t) = P(for some i: |b_i| > t) ≤ d P(|b_i| > t)",
        "The probability that all entries are large is the d-th power of one, not d times it.",
        "tests.replication.papers.mean_operator.test_errata.test_the_union_bound_is_about_some_entry_not_about_all",
    ),
    Erratum(
        "mo-theorem-10",
        "Theorem 10",
        "with probability 1 − δ the risks differ by at most |a| R log(d/δ)/(mα)",
        "by at most √d times that, uniformly in θ; as printed for one θ fixed before the noise, where no violation is "
        "known",
        "The proof bounds the largest entry of the noise, and uses it as the 2-norm: from d = 2 on the bound fails.",
        "tests.unveil.theory.test_operator_noise.test_theorem_10_holds_in_one_dimension_and_fails_uniformly_from_two",
    ),
)
