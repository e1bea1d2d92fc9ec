"""Errata of Iyer, Nath and Sarawagi (2016)."""

from __future__ import annotations

from replication.judging.erratum import Erratum, Kind

_TESTS = "tests.replication.papers.class_ratio.test_errata."

ERRATA = (
    Erratum("cr-q-definition", Kind.MISPRINT, "Theorem 1, the condition number Q",
            printed="Q = maxsing(P̂)/minsing(Ā)",
            corrected="Q = maxsing(P̂)/minsing(Â), as section 2.4.1 reads it and Lemma 2 gives it",
            hypotheses="the proof's bound on ‖P̂‖ ‖α̂ − α*‖ by the rise of the objective (7), A4.",
            why="Â is known, Ā is not; and by (7) only Â says how far α̂ can be from α*.",
            test=f"{_TESTS}test_the_condition_number_has_the_sample_matrix", faint=True),
    Erratum("cr-theorem-1-sets", Kind.UNSTATED, "Theorem 1 and section 2.4.1, consistency",
            printed="the bound vanishes as the sets grow, for any number M of sets that A0 allows",
            corrected="the same for M = c; for M > c the bound is infinite, because Ā has the rank c",
            hypotheses="A0 and A1: the sets are mixtures of c class conditionals.",
            why="With more sets than classes the theorem says nothing, and does not show that the estimate is "
            "consistent.",
            test=f"{_TESTS}test_the_bound_vanishes_for_as_many_sets_as_classes_only",
            claims=("theorem-1", "consistent")),
    Erratum("cr-q-unity", Kind.FALSE, "section 2.4.1, on orthogonal class ratios",
            printed="Q approaches 1",
            corrected="Q is then 1/minsing of the class means, above 1 unless these are orthonormal",
            hypotheses="sets of one class each, P̂ = I; a kernel with ‖Φ(x)‖ = 1, Gaussian as in section 4.2.",
            why="However pure the sets, classes that look alike keep Q large.",
            test=f"{_TESTS}test_pure_sets_do_not_bring_the_condition_number_to_one"),
    Erratum("cr-lemma-2", Kind.MISPRINT, "Lemma 2",
            printed="‖α̂ − α*‖ ≤ √(rise of the objective / minsing(Â))",
            corrected="‖α̂ − α*‖ ≤ √(rise of the objective) / minsing(Â)",
            hypotheses="α̂ minimises (7), A4, a kernel with ‖Φ(x)‖ ≤ 1.",
            why="The root is drawn too far: Theorem 1 has minsing outside of it. With such a kernel minsing(Â) is at "
            "most 1, and where it is less the printed bound can fail.",
            test=f"{_TESTS}test_the_root_of_lemma_2_does_not_cover_minsing", claims=("lemma-2",)),
    Erratum("cr-laplace-floor", Kind.FALSE, "section 1, on existing mechanisms based on Laplace noise",
            printed="their ε has a lower bound above 0, which grows with the number of classes",
            corrected="noise of scale 2/ε on the counts gives any ε > 0 for any number of classes, and what is made of "
            "noisy counts keeps it",
            hypotheses="Laplace, and Laplace prior as section 4.1 has it: a Dirichlet whose parameters are noised "
            "counts.",
            why="At small ε these mechanisms distort more, but they exist. A floor has the mechanism of [20] as "
            "published, which draws from a Dirichlet prior of fixed mass; of that one section 3 speaks rightly.",
            test=f"{_TESTS}test_laplace_noise_has_no_least_level", claims=("laplace-mechanisms-have-a-floor",)),
    Erratum("cr-guarantee", Kind.FALSE, "section 3, the guarantee of the scaled Dirichlet",
            printed="a σ with max P[g(S) ∉ Θ_ij] ≤ δ makes g (ε, δ)-private, σ being found from the counts",
            corrected="it would if σ did not depend on the data. The neighbour's σ is another, or none; a σ from a "
            "public lower bound on the counts keeps the promise",
            hypotheses="the largest σ by (9), ε = δ = 0.05; the defaults of section 4.1, and the smallest of such "
            "counts that have a σ.",
            why="The densities f₀ and f_ij have one σ in the proof. The true δ exceeds the promise at the defaults; at "
            "the smallest counts the neighbour has no σ, and either its error or its fallback gives it away. At larger "
            "counts the promise can be kept.",
            test=f"{_TESTS}test_a_scale_from_the_counts_breaks_the_promise", claims=("scaled-dirichlet-private",)),
    Erratum("cr-9", Kind.MISPRINT, "equation (9), second line",
            printed="δ is the integral of the density over Θ_ij",
            corrected="the integral over the complement of Θ_ij, as the first line has it",
            hypotheses="σ fixed, any ε.",
            why="As printed, δ is the chance that the loss stays below ε.",
            test=f"{_TESTS}test_delta_is_the_mass_outside_the_region",
            claims=("condition-9-suffices-at-fixed-σ",),
            faint=True),
    Erratum("cr-10", Kind.LOOSE, "section 3, on (10)",
            printed="(10) may be more useful for a faster search of σ",
            corrected="it bounds δ, but at every setting of figure 1 exceeds 0.05 for every σ: a search would find "
            "nothing",
            hypotheses="δ = 0.05 and the classes, proportions and ε of figure 1, as far as they are said; E[Z_ij] < 0.",
            why="Chebyshev's inequality is too weak for a tail of a few percent. (9) is one incomplete beta function.",
            test=f"{_TESTS}test_chebyshev_leaves_no_scale_in_figure_1", claims=("chebyshev-may-find-a-scale",)),
    Erratum("cr-10-sign", Kind.UNSTATED, "section 3, (10) and the search for the largest σ",
            printed="δ by (10), for any σ",
            corrected="δ by (10) where E[Z_ij] < 0 for all pairs",
            hypotheses="the defaults of section 4.1; large σ.",
            why="Chebyshev's inequality bounds the chance to be far from the mean, so Z_ij > 0 must be far from it. "
            "For large σ some mean is above 0: (10) then goes to 0, and the largest σ by it has no end.",
            test=f"{_TESTS}test_chebyshev_needs_a_negative_mean", claims=("chebyshev-bounds-the-tail",)),
    Erratum("cr-figure-1", Kind.UNSTATED, "figure 1, ρ₁ from 0.025 (middle) and ε from 0.01 (right)",
            printed="the scaled Dirichlet has a distortion at these points, too",
            corrected="it has no σ by (9) at ρ₁ = 0.025, nor at ε = 0.01: what is drawn there, such as the fallback of "
            "section 3, must be said",
            hypotheses="the defaults of section 4.1, the rule for σ of section 3.",
            why="With classes of 25, or of 50 at so small an ε, P[g ∉ Θ_ij] exceeds 0.05 for every σ.",
            test=f"{_TESTS}test_figure_1_has_points_without_a_scale"),
    Erratum("cr-lemma-4", Kind.LOOSE, "Lemma 4",
            printed="‖P̃ − P̂‖ ≤ Mc/√ζ · the largest standard deviation",
            corrected="‖P̃ − P̂‖ ≤ √(Mc/ζ) · the largest standard deviation",
            hypotheses="the releases of the lemma; with probability 1 − ζ.",
            why="Markov's inequality for ‖P̃ − P̂‖², whose mean is a sum of Mc variances, needs no union bound, which "
            "costs another √(Mc).",
            test=f"{_TESTS}test_lemma_4_needs_no_union_bound", claims=("lemma-4",)),
    Erratum("cr-gaussian-sensitivity", Kind.UNSTATED, "section 4.1, the Gaussian mechanism",
            printed="the same as Laplace, whose sensitivity is 2; which one the Gaussian has is not said",
            corrected="Gaussian noise is scaled to the 2-norm, in which one label moves the counts by √2",
            hypotheses="one label changes its class in a set of fixed size.",
            why="With 2 the Gaussian has √2 times the noise that it needs; how it compares with Laplace hangs on it.",
            test=f"{_TESTS}test_a_gaussian_needs_the_2_norm"),
    Erratum("cr-mnist-alike", Kind.UNSTATED, "section 4.2, sets with ρ = 0.05 or 0.1, and Table 1 (MNIST: c = 10)",
            printed="ρ is usually 0.05 or 0.1; which one MNIST has is not said",
            corrected="not 0.1: with ten classes all sets would be alike",
            hypotheses="sets of section 4.2, A0.",
            why="No mixture of equal sets tells anything.",
            test=f"{_TESTS}test_at_rho_one_tenth_ten_classes_make_equal_sets"),
    Erratum("cr-set-sizes", Kind.UNSTATED, "section 4.2 and Table 1 (MNIST: n = 3,000; Twitter: n = 900)",
            printed="c sets to train and c to choose the kernel, of these sizes; whether they share instances is not "
            "said",
            corrected="they share or repeat some, or are smaller: others need more fives, or negative tweets, than "
            "there are",
            hypotheses="sets of section 4.2, all of the size in Table 1, no instance in two sets or twice in one.",
            why="Theorem 1 allows shared instances, its proof being a union bound; but a label that is released in two "
            "sets has less privacy than in one.",
            test=f"{_TESTS}test_disjoint_sets_must_be_smaller_than_said"),
    Erratum("cr-figure-3", Kind.UNSTATED, "figure 3, Acoustic and Twitter (sets of 900)",
            printed="a curve of the scaled Dirichlet, with neither (ε, δ) nor ρ of the training sets",
            corrected="not the (0.05, 0.05) of section 4.1 with ρ = 0.05: these sets have no σ. With ρ = 0.1 they have "
            "one; else the fallback must be meant",
            hypotheses="the rule for σ of section 3, by (9).",
            why="What is drawn depends on the choice.",
            test=f"{_TESTS}test_sets_of_900_have_no_scale_at_the_defaults"),
    Erratum("cr-many-sets", Kind.MISPRINT, "section 6",
            printed="the model is accurate when the number of training sets is large",
            corrected="when it is small, as sections 1 and 2.4.1 say, in contrast to methods that prefer many sets",
            hypotheses="Theorem 1, a given number of instances to share among the sets.",
            why="The theorem's bound grows with the number of sets.",
            test=f"{_TESTS}test_few_sets_are_better_by_theorem_1"),
)  # fmt: skip
