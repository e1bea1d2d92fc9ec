"""Errata of Patrini and co-authors (2016).

Theorem 10 is none of them: its "for any θ" stands before the probability, and for a θ that does not depend on the
noise it is true. That it fails for all ‖θ‖ ≤ R at once is a statement of ours, in `operator_noise.py`.
"""

from __future__ import annotations

from replication.judging.erratum import Erratum, Kind

_TESTS = "tests.replication.papers.mean_operator.test_errata."

ERRATA = (
    Erratum("mo-upper-bound", Kind.FALSE, "section 2, on surrogate losses",
            printed="the logistic loss log(1 + e^(−x)) is an upper bound of the 0–1 loss",
            corrected="log₂(1 + e^(−x)) is; the natural logarithm lies below 1 on (−ln(e − 1), 0)",
            hypotheses="the 0–1 loss 1{x < 0} and the logistic loss as they are defined there, with the natural "
            "logarithm, which the odd term −x/2 of table 1 needs.",
            why="Its risk may be less than the share of mistakes. The square loss in the same sentence is an upper "
            "bound.",
            test=f"{_TESTS}test_the_logistic_loss_dips_below_the_mistakes", claims=("surrogates-bound-the-0-1-loss",)),
    Erratum("mo-definition-2", Kind.UNSTATED, "definition 2, as Corollary 4 needs it",
            printed="for any θ: the labels do not change the difference of the risks if and only if the statistics "
            "agree",
            corrected="they do not change it for all θ at once if and only if the statistics agree; and a ≠ 0",
            hypotheses="the mean operator, a linear-odd loss with any a, two samples that differ in their labels.",
            why="At θ = 0 no label counts, and at a = 0 none ever does: there risks agree, mean operators need not. "
            "The if holds as printed.",
            test=f"{_TESTS}test_sufficiency_is_for_all_models_at_once_and_needs_an_odd_part", claims=("corollary-4",)),
    Erratum("mo-kinked-loss", Kind.MISPRINT, "section 2, on ρ|x| − ρx + 1",
            printed="it meets the 0–1 loss at f(0) = 1",
            corrected="it meets the 0–1 loss's limit from the left there: 1{x < 0} is 0 at x = 0",
            hypotheses="the 0–1 loss 1{x < 0} as section 2 defines it, ρ > 0.",
            why="That it is an upper bound is untouched.",
            test=f"{_TESTS}test_the_kinked_loss_meets_a_limit_of_the_mistakes",
            claims=("kinked-loss-bounds-the-0-1-loss",)),
    Erratum("mo-lemma-5", Kind.FALSE, "Lemma 5",
            printed="linear-odd losses are in one-to-one correspondence with a proper subclass of the even functions",
            corrected="for each a they are in one-to-one correspondence with all even functions; over all a the map is "
            "not one to one",
            hypotheses="the map f ↦ f + ax/2 of its proof, a > 0; a loss is any function, as section 2 has it.",
            why="Nothing is left out: every even function gives a linear-odd loss, one for each a.",
            test=f"{_TESTS}test_lemma_5_the_map_is_onto_and_not_one_to_one", claims=("lemma-5",)),
    Erratum("mo-homogeneity", Kind.MISPRINT, "section 3, mean map",
            printed="homogeneity: E[x | y, j] = E[x | j] in each bag j",
            corrected="E[x | y, j] = E[x | y]: given the label, the bag says nothing",
            hypotheses="the mean map that the sentence describes, bags of different shares.",
            why="Under the printed condition features and labels are unrelated inside a bag, and the mean map is "
            "wrong.",
            test=f"{_TESTS}test_mean_map_needs_classes_alike_in_all_bags"),
    Erratum("mo-theorem-6-norm", Kind.UNSTATED, "Theorem 6, Ω",
            printed="Ω is not said; in section 2 it is a non-decreasing function of θ",
            corrected="Ω is the 2-norm",
            hypotheses="a convex and differentiable loss with |a| ≤ 4, the objective L + λΩ², λ > 0.",
            why="With the 1-norm the minimiser jumps from one axis to another: no bound by ‖μ − μ̃‖ exists.",
            test=f"{_TESTS}test_theorem_6_needs_the_euclidean_norm", claims=("theorem-6",)),
    Erratum("mo-theorem-6-constant", Kind.UNSTATED, "Theorem 6, the constant",
            printed="‖θ* − θ̃*‖ ≤ ‖μ − μ̃‖/λ for any convex and differentiable loss",
            corrected="the same with |a| ≤ 4; for any a ‖θ* − θ̃*‖ ≤ |a| ‖μ − μ̃‖/(4λ), which the linear loss attains",
            hypotheses="a convex and differentiable linear-odd loss, Ω the 2-norm, λ > 0.",
            why="For |a| > 4 the printed bound fails, as for twice the square loss. The linear, logistic, square and "
            "Matsushita losses of table 1 have |a| ≤ 4; for the logistic one the bound is four times too large.",
            test=f"{_TESTS}test_theorem_6_fails_for_a_beyond_four", claims=("theorem-6",)),
    Erratum("mo-theorem-9", Kind.UNSTATED, "algorithm 2 and Theorem 9",
            printed="Laplace noise of scale 2/(mα) on each entry is α-label-private for ‖x‖ ≤ 1, the norm not said",
            corrected="it is for ‖x‖₁ ≤ 1, the norm of definition 8. For ‖x‖₂ ≤ 1 the level can be α√d, and right are "
            "the scale 2√d/(mα), or noise with a density ∝ exp(−mα‖b‖₂/2)",
            hypotheses="noise as in algorithm 2, one label differs.",
            why="From section 4.1 on, the same features are bounded in the 2-norm.",
            test=f"{_TESTS}test_the_printed_scale_is_private_for_the_1_norm", claims=("theorem-9",)),
    Erratum("mo-scale-not-variance", Kind.MISPRINT, "proof of Theorem 9",
            printed="the Laplace mechanism with variance 2/(mα)",
            corrected="with scale 2/(mα), as in algorithm 2, so with variance 8/(mα)²",
            hypotheses="‖x‖₁ = 1, so that the sensitivity is 2/m.",
            why="Noise of the printed variance is α-private for mα ≥ 4 only.",
            test=f"{_TESTS}test_two_over_m_alpha_is_a_scale_and_no_variance"),
    Erratum("mo-objective-perturbation", Kind.LOOSE, "section 4, after Theorem 9",
            printed="algorithms 1 and 2 together are exactly the algorithm of objective perturbation",
            corrected="they are of its form; from d = 2 on the noise has another law",
            hypotheses="objective perturbation as in the paper's reference [6], whose noise has a density ∝ "
            "exp(−β‖b‖₂).",
            why="Independent entries prefer the axes. The differences that the text lists do not name this one.",
            test=f"{_TESTS}test_independent_entries_are_another_noise_than_a_random_direction",
            claims=("objective-perturbation",)),
    Erratum("mo-generalisation", Kind.LOOSE, "abstract and section 4.1, on Theorem 10",
            printed="a generalisation bound, at a linear rate in m",
            corrected="a bound at this rate on what the noise changes in the empirical risk",
            hypotheses="L is the empirical risk, as section 2 defines it.",
            why="Without noise the bound is 0, and the risk on unseen data is what it is.",
            test=f"{_TESTS}test_theorem_10_is_about_the_empirical_risk", claims=("linear-rate",)),
    Erratum("mo-theorem-10-union", Kind.MISPRINT, "proof of Theorem 10, the union bound",
            printed="P(‖b‖ > t) ≤ P(for all i: |b_i| > t) = d P(|b_i| > t)",
            corrected="P(‖b‖_∞ > t) = P(for some i: |b_i| > t) ≤ d P(|b_i| > t)",
            hypotheses="independent entries, d ≥ 2; the 2-norm, which is not less than the largest entry.",
            why="The chance that all entries are large is the d-th power of one, neither a bound nor d times it.",
            test=f"{_TESTS}test_the_union_bound_is_about_some_entry"),
    Erratum("mo-theorem-10-length", Kind.FALSE, "proof of Theorem 10, its conclusion on ‖b‖",
            printed="‖b‖ ≤ σ ln(d/δ) with probability 1 − δ",
            corrected="‖b‖_∞ ≤ σ ln(d/δ), so ‖b‖₂ ≤ √d σ ln(d/δ)",
            hypotheses="the 2-norm, as section 4.1 says, d = 2, small δ.",
            why="It is this step that would make the bound hold for all ‖θ‖ ≤ R at once. The theorem, for a θ that "
            "does not depend on the noise, is true without it.",
            test=f"{_TESTS}test_the_length_of_the_noise_passes_the_printed_bound"),
)  # fmt: skip
