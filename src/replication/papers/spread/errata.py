"""Errata of Barber, Private Machine Learning via Randomised Response."""

from __future__ import annotations

from replication.judging.erratum import Erratum

_VOTING = "tests.unveil.theory.test_voting.test_only_the_corrected_estimator_inverts_the_noise"

ERRATA = (
    Erratum(
        "sp-2",
        "equation (2)",
        "f = (f̃ + p)/(1 − 2p)",
        "f = (f̃ − p)/(1 − 2p)",
        "The printed estimate is too large by 2p/(1 − 2p), and can exceed 1.",
        _VOTING,
    ),
    Erratum(
        "sp-majority",
        "section 1, three reports of one label",
        "majority: c₁ + c₂ + c₃ > 2",
        "c₁ + c₂ + c₃ ≥ 2",
        "As printed it asks for unanimity, and is right less often than a single report.",
        "tests.unveil.theory.test_spread_errata.test_a_majority_of_three_is_two",
    ),
    Erratum(
        "sp-12",
        "equation (12)",
        "KL/N = L_N(θ) + const.",
        "KL/N = −L_N(θ) + const.",
        "Minimising the divergence maximises the likelihood, as (19) has it.",
        "tests.unveil.theory.test_spread_errata.test_divergence_from_the_data_is_minus_the_likelihood",
    ),
    Erratum(
        "sp-18",
        "equation (18)",
        "p̃(X̃ = j) = Σ_j p(X̃ = j | X = j) p(X = j)",
        "p̃(X̃ = i) = Σ_j p(X̃ = i | X = j) p(X = j)",
        "With one index for both, the right side is the chance of a true report, and no law of X̃.",
        "tests.replication.papers.spread.test_errata.test_the_law_of_the_reports_sums_over_the_truth_only",
    ),
    Erratum(
        "sp-19",
        "equation (19)",
        "KL(p̂(X̃) ‖ p_θ(X̃))",
        "KL(p̂(X̃) ‖ p̃_θ(X̃))",
        "Without the tilde the minimiser is the raw share of the noisy votes.",
        "tests.replication.papers.spread.test_errata.test_without_the_tilde_the_divergence_fits_the_noisy_votes",
    ),
    Erratum(
        "sp-24",
        "equation (24)",
        "θ = (f̃₁ + P₁₀)/(1 − P₁₀ − P₀₁)",
        "θ = (f̃₁ − P₁₀)/(1 − P₁₀ − P₀₁)",
        "Only the corrected one is the maximum of (22), and consistent.",
        _VOTING,
    ),
    Erratum(
        "sp-30",
        "equation (30)",
        "lim L_N(θ) = ∫ p̃_θ₀ log p̃_θ",
        "lim L̃_N(θ) = ∫ p̃_θ₀ log p̃_θ",
        "The left side as printed is the likelihood of clean data, which has another limit.",
        "tests.replication.papers.spread.test_errata.test_the_limit_is_that_of_the_spread_likelihood",
    ),
    Erratum(
        "sp-reconstruction",
        "section 4.3",
        "reconstructing the clean datapoint with the model's own posterior is not consistent",
        "it is not if the gradient passes through the posterior; with the posterior fixed it is EM, and consistent",
        "The objective is at fault and not the idea: section 5.1 itself uses this posterior.",
        "tests.unveil.theory.test_reconstruction.test_em_ends_at_the_truth",
    ),
    Erratum(
        "sp-figure-1",
        "figure 1",
        "the θ that maximises J_∞(θ), one for each θ₀",
        "for p_f > 0 the maximum is always at θ = 0 and θ = 1, tied at J_∞ = 0; a curve shows interior local maxima, "
        "which vanish above a p_f that depends on θ₀",
        "What is drawn depends on the optimiser's start.",
        "tests.unveil.theory.test_reconstruction.test_with_noise_the_global_maximum_is_tied_at_the_ends",
    ),
    Erratum(
        "sp-isotropy",
        "appendix B, after (100)",
        "for non-isotropic Σ the noisy-label optimum is not along θ₀",
        "it is, for label noise alone and any Σ at mean zero; noise on the inputs turns it to (Σ + σ²I)⁻¹Σθ₀",
        "The gradient at θ₀ is an artefact of fixing ‖θ‖ = 1: the free optimum only changes its length.",
        "tests.unveil.theory.test_noisy_regression.test_flipped_labels_alone_keep_the_direction_for_any_covariance",
    ),
    Erratum(
        "sp-107",
        "equation (107)",
        "−s E[ε γ(sε)] − s² E[φ(sε)(1 − φ(sε))]",
        "−s E[ε γ(sε)]",
        "The derivative of the inner bracket also gives + s E[ε φ(sε)], which by Stein cancels the second term. "
        "The sign, and the conclusion, stay.",
        "tests.unveil.theory.test_spread_errata.test_second_derivative_has_one_term_only",
    ),
)
