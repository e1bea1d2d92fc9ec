"""Errata of Barber, Private Machine Learning via Randomised Response.

Two sentences that look like errors are none: under ‖θ‖ = 1 the gradient at θ₀ does not vanish for a non-isotropic Σ
(appendix B), and the objective (36) with (37) is not consistent (section 4.3). What may be added to them, that flips
alone keep the direction for every Σ and that (36) with its posterior held fixed is EM, is in
`replication.papers.spread.noisy_regression` and `replication.papers.spread.fig1.reconstruction`.
"""

from __future__ import annotations

from replication.judging.erratum import Erratum, Kind

_TESTS = "tests.replication.papers.spread.test_errata."

ERRATA = (
    Erratum(
        id="sp-2",
        kind=Kind.MISPRINT,
        place="equation (2)",
        printed="f = (f̃ + p)/(1 − 2p)",
        corrected="f = (f̃ − p)/(1 − 2p)",
        hypotheses="each voter lies with probability p, 0 < p < 1/2; many voters.",
        why="The printed estimate is too large by 2p/(1 − 2p), and can exceed 1.",
        test=f"{_TESTS}test_only_a_minus_inverts_the_lies",
    ),
    Erratum(
        id="sp-majority",
        kind=Kind.MISPRINT,
        place="section 1, three reports of one label",
        printed="the majority is 1{c₁ + c₂ + c₃ > 2}",
        corrected="1{c₁ + c₂ + c₃ ≥ 2}",
        hypotheses="labels 0 and 1.",
        why="More than two of three is all three.",
        test=f"{_TESTS}test_a_majority_of_three_is_two",
    ),
    Erratum(
        id="sp-12",
        kind=Kind.MISPRINT,
        place="equation (12)",
        printed="KL/N = L_N(θ) + const.",
        corrected="KL/N = −L_N(θ) + const.",
        hypotheses="p̂ of (11), L_N of (13).",
        why="The text below minimises the one or maximises the other, as (19) has it.",
        test=f"{_TESTS}test_divergence_from_the_data_is_minus_the_likelihood",
    ),
    Erratum(
        id="sp-18",
        kind=Kind.MISPRINT,
        place="equation (18)",
        printed="p̃(X̃ = j) = Σ_j p(X̃ = j | X = j) p(X = j)",
        corrected="p̃(X̃ = i) = Σ_j p(X̃ = i | X = j) p(X = j)",
        hypotheses="two candidates, any flips; (21) is its case i = 1.",
        why="With one index for both, the right side is the chance of a true report, and no law of X̃.",
        test=f"{_TESTS}test_the_law_of_the_reports_sums_over_the_truth_only",
    ),
    Erratum(
        id="sp-19",
        kind=Kind.MISPRINT,
        place="equation (19), left side",
        printed="KL(p̂(X̃) ‖ p_θ(X̃))",
        corrected="KL(p̂(X̃) ‖ p̃_θ(X̃)), as its right side has it",
        hypotheses="many votes, any flips.",
        why="Without the tilde the minimiser is the raw share of the noisy votes.",
        test=f"{_TESTS}test_without_the_tilde_the_divergence_fits_the_noisy_votes",
    ),
    Erratum(
        id="sp-24",
        kind=Kind.MISPRINT,
        place="equation (24)",
        printed="θ = (f̃₁ + P₁₀)/(1 − P₁₀ − P₀₁)",
        corrected="θ = (f̃₁ − P₁₀)/(1 − P₁₀ − P₀₁)",
        hypotheses="P₁₀ + P₀₁ < 1, P₁₀ > 0; a share f̃₁ that some θ in (0, 1) explains.",
        why="Only the corrected one is the maximum of (22), and recovers θ₀, as the text after it says.",
        test=f"{_TESTS}test_only_a_minus_maximises_the_spread_likelihood",
    ),
    Erratum(
        id="sp-24-range",
        kind=Kind.LOOSE,
        place="equation (24), with its sign put right",
        printed="the maximum of (22)",
        corrected="the maximum where it lies in [0, 1], as it does for many votes; else the nearer end is",
        hypotheses="P₁₀ + P₀₁ < 1, few votes, θ a probability.",
        why="Reports of few votes may show less than P₁₀ ones, and the formula is then negative.",
        test=f"{_TESTS}test_the_maximum_may_lie_at_an_end",
    ),
    Erratum(
        id="sp-30",
        kind=Kind.MISPRINT,
        place="equation (30), left side",
        printed="the limit of L_N(θ)",
        corrected="the limit of L̃_N(θ)",
        hypotheses="the objective (27), which the sentence names; two candidates.",
        why="L_N is the likelihood of clean data, which has another limit.",
        test=f"{_TESTS}test_the_limit_is_that_of_the_spread_likelihood",
    ),
    Erratum(
        id="sp-minimum",
        kind=Kind.MISPRINT,
        place="section 4.1, below (33)",
        printed="L̃_N has a global minimum close to that of L_N",
        corrected="a global maximum",
        hypotheses="data from the model, valid noise, much data.",
        why="(33) maximises.",
        test=f"{_TESTS}test_the_objective_is_largest_near_the_truth",
    ),
    Erratum(
        id="sp-figure-1",
        kind=Kind.UNSTATED,
        place="figure 1",
        printed="the θ that maximises J_∞(θ), one for each θ₀",
        corrected="for p_f > 0 two θ do, 0 and 1, where J_∞ = 0; which of them is drawn, or which interior local "
        "maximum, must be said",
        hypotheses="(38) for one bit, 0 < p_f < 1/2, θ in [0, 1].",
        why="The curve depends on where the optimiser starts. That no choice recovers every θ₀ is right.",
        test=f"{_TESTS}test_with_noise_the_maximum_is_tied_at_the_ends",
    ),
    Erratum(
        id="sp-53",
        kind=Kind.MISPRINT,
        place="below equation (53)",
        printed="p(x) is p_θx(c | x)",
        corrected="p(x) is p_θx(x)",
        hypotheses="the joint law (48), noise as in (45).",
        why="As printed, (53) is not the posterior.",
        test=f"{_TESTS}test_the_e_step_weighs_inputs_by_their_law",
    ),
    Erratum(
        id="sp-states",
        kind=Kind.LOOSE,
        place="caption of figure 2",
        printed="a pixel keeps its state with probability 1 − p_f, else it is drawn from the available states",
        corrected="from the other 255 states, as the text of section 6 has it",
        hypotheses="256 states.",
        why="Drawn from all 256 it would keep its state more often than it says, though hardly more.",
        test=f"{_TESTS}test_noise_goes_to_the_other_states",
    ),
    Erratum(
        id="sp-no-maximum",
        kind=Kind.UNSTATED,
        place="sections 5.1 and 6, training until convergence",
        printed="gradient ascent goes on until it has converged",
        corrected="plain logistic regression on 500 noisy images of 784 pixels has nothing to converge to: when it was "
        "stopped must be said",
        hypotheses="figure 3's numbers of images and pixels, the latter flipped, so that no image is a mixture of the "
        "others; no penalty.",
        why="With fewer images than pixels any labels can be told apart, and the likelihood rises for ever as θ grows.",
        test=f"{_TESTS}test_fewer_images_than_pixels_leave_no_maximum",
    ),
    Erratum(
        id="sp-global",
        kind=Kind.UNSTATED,
        place="appendix B, after (107)",
        printed="at α = 0 the gradient vanishes and the second derivative is negative: the estimator is consistent",
        corrected="the likelihood is a constant and cos α · s E[ε γ(sε)], so that α = 0 is its only maximum",
        hypotheses="(104) with ‖θ‖ = ‖θ₀‖ = 1, Σ = s²I and p₀₁ + p₁₀ < 1.",
        why="What is shown is a local maximum, and a consistent estimator needs the global one. It is global: in (104) "
        "z₂ has one law for all α, so that α enters by E[γ(z₁)z₂] alone.",
        test=f"{_TESTS}test_the_maximum_at_the_truth_is_global",
    ),
    Erratum(
        id="sp-91",
        kind=Kind.MISPRINT,
        place="equation (91)",
        printed="the first term has the factor x twice",
        corrected="E[(p(c̃ = 1 | x)(1 − φ) − (1 − p(c̃ = 1 | x))φ) x]",
        hypotheses="the objective (90); one input, so that the printed product exists.",
        why="For vectors the printed product has no meaning. (92) follows from the corrected form.",
        test=f"{_TESTS}test_the_gradient_has_one_factor_x",
    ),
    Erratum(
        id="sp-100",
        kind=Kind.MISPRINT,
        place="equation (100)",
        printed="the mean of the second term closes before log(1 − φ(z₂))",
        corrected="after it",
        hypotheses="the objective (90), Gaussian inputs.",
        why="z₂ is random: as printed the right side is no number.",
        test=f"{_TESTS}test_the_mean_covers_both_terms",
    ),
    Erratum(
        id="sp-direction",
        kind=Kind.LOOSE,
        place="section 4.2 and appendix B, after (107)",
        printed="plain training on flipped labels is consistent for θ₀",
        corrected="it is so under ‖θ‖ = ‖θ₀‖ = 1, which appendix B assumes before (101); without the constraint for "
        "the direction of θ₀ alone",
        hypotheses="Gaussian inputs of mean zero and covariance s²I, flips with p₀₁ + p₁₀ < 1; θ not constrained.",
        why="Flips shorten the optimum: classes are told apart as well, but probabilities are drawn towards 1/2.",
        test=f"{_TESTS}test_flipped_labels_shorten_the_optimum",
    ),
    Erratum(
        id="sp-107",
        kind=Kind.FALSE,
        place="equation (107)",
        printed="−s E[ε γ(sε)] − s² E[φ(sε)(1 − φ(sε))]",
        corrected="−s E[ε γ(sε)]",
        hypotheses="(104) at α = 0, with ‖θ‖ = ‖θ₀‖ = 1 and Σ = s²I.",
        why="The derivative of (106) also gives + s E[ε φ(sε)], which by Stein's lemma cancels the second term. The "
        "sign, and with it the conclusion, stay.",
        test=f"{_TESTS}test_second_derivative_has_one_term_only",
    ),
)
