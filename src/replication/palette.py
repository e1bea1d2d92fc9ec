"""How everything looks that the figures of all papers draw: one label, colour, marker and dash a name, everywhere."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

#: Okabe and Ito's colours, told apart by colour-blind readers; each has a marker and a dash of its own.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
#: What is written and drawn around the data: words and axes, notes, lines behind, areas behind, nothing.
INK, MUTED, FAINT, GRID, SHADE, BLANK = "#222222", "#666666", "#BBBBBB", "#E4E4E4", "#EFEFEF", "#FFFFFF"

_BLUE, _VERMILION, _GREEN, _PINK, _ORANGE, _SKY, _BLACK, _GREY = COLOURS
_SOLID, _DASHED, _MIXED, _DOTTED, _LONG, _DOUBLE, _DENSE, _WIDE = DASHES


@dataclass(frozen=True)
class Method:
    """How a method looks in every figure."""

    label: str
    color: str
    marker: str
    linestyle: Any = _SOLID
    #: In running text.
    symbol: str = ""

    @property
    def stroke(self) -> dict[str, Any]:
        """A line without markers: `axes.plot(x, y, **method.stroke)`."""
        return {"color": self.color, "linestyle": self.linestyle}

    @property
    def line(self) -> dict[str, Any]:
        """A line with markers; the label is left to whoever writes the legend."""
        return {**self.stroke, "marker": self.marker}

    @property
    def marks(self) -> dict[str, Any]:
        """Markers without a line."""
        return {**self.line, "linestyle": "none"}


#: In the order of the legends.
METHODS: Mapping[str, Method] = {
    # References of several papers.
    "none": Method("no privacy", _BLACK, "X"),
    "clean": Method("clean data", _BLACK, "o"),
    "chance": Method("guessing", MUTED, "", _DOTTED),
    # Moments and marginal likelihood: finite models, taggers.
    "moments": Method("moments", _BLUE, "o"),
    "moments_all": Method("moments, step 1 solved first", _BLUE, "P", _DASHED),
    "moments_seen": Method("moments, words of windows", _BLUE, "s", _DOTTED),
    "moments_least_all": Method("moments, no ridge", _BLUE, "^", _LONG),
    "moments_features": Method("moments on features, windows", _SKY, "P", _DOUBLE),
    "moments_features_all": Method("moments on features", _SKY, "*", _DOTTED),
    "moments_sgd": Method("moments, one sweep, windows", _ORANGE, "v", _MIXED),
    "moments_sgd_all": Method("moments, one sweep of SGD", _ORANGE, "h"),
    "moments_sgd_mean_all": Method("moments, one averaged sweep", _ORANGE, "D", _DASHED),
    "moments_sgd_two": Method("moments, averaged SGD first, windows", _GREY, "^", _DASHED),
    "moments_sgd_two_all": Method("moments, averaged SGD first", _GREY, "D"),
    "one_step": Method("one scoring step from moments", _GREEN, "s", _MIXED),
    "marginal": Method("marginal likelihood", _VERMILION, "X"),
    "marginal_exact": Method("marginal, exact", _VERMILION, "s", _DASHED),
    "marginal_merged": Method("marginal, merged beam", _GREEN, "^", _MIXED),
    "marginal_beam": Method("marginal, plain beam", _PINK, "D", _DOTTED),
    "em": Method("EM", _GREEN, "x"),
    "supervised": Method("supervised (same windows)", _BLACK, "*", _WIDE),
    "most_frequent": Method("most frequent tag", _GREY, "x", _DENSE),
    "proportion_loss": Method("proportion loss", _GREEN, "^", _MIXED),
    "expectations": Method("generalised expectations", _ORANGE, "v", _LONG),
    "posteriors": Method("posterior regularisation", _PINK, "D", _DOTTED),
    # Regressions on released products.
    "moments_truncated": Method("moments, truncated", _BLUE, "s", _MIXED),
    "moments_ridge": Method("moments, ridge", _SKY, "v", _DASHED),
    "moments_centred": Method("moments, truncated, centred release", _PINK, "D", _DOUBLE),
    "binarised": Method("binarised, no flips", _ORANGE, "X", _DOTTED),
    "least_squares": Method("least squares", _BLACK, "^", _LONG),
    "constant": Method("constant predictor", _GREY, "X", _WIDE),
    # Mechanisms on statistics.
    "coordinate": Method("coordinate release", _GREEN, "D"),
    "per_value": Method("per-value φ-RR", _ORANGE, "o", _DASHED),
    "classical": Method("classical response", _VERMILION, "X", _DOTTED),
    "subset_selection": Method("subset selection in a clique", _BLUE, "s", _MIXED),
    # Mechanisms on proportions and mean operators.
    "printed": Method("Laplace, printed scale", _VERMILION, "s", _DASHED),
    "laplace": Method("Laplace", _BLUE, "o"),
    "gaussian": Method("Gaussian", _SKY, "P", _DOUBLE),
    "gaussian_analytic": Method("Gaussian (analytic)", _PINK, "D", _DOTTED),
    "laplace_prior": Method("Laplace prior", _GREEN, "^", _MIXED),
    "scaled_dirichlet": Method("scaled Dirichlet (paper)", _VERMILION, "s", _DASHED),
    "fallback": Method("scaled Dirichlet, else prior", _GREY, "<", _DENSE),
    "scaled_dirichlet_tight": Method("scaled Dirichlet (tight)", _ORANGE, "v", _LONG),
    "scaled_dirichlet_public": Method("scaled Dirichlet (public)", _GREY, "X", _WIDE),
    "subsample": Method("subsample", _BLACK, "*", _DENSE),
    "gamma": Method("radial (gamma) noise", _GREEN, "^", _MIXED),
    "randomized_response": Method("randomised response", _PINK, "D", _DOTTED),
    "output": Method("output perturbation", _ORANGE, "v", _LONG),
    "objective": Method("objective perturbation", _SKY, "P", _DOUBLE),
    # Of bounded vectors, today.
    "piecewise": Method("sampled, piecewise", _PINK, "v", _DOTTED),
    "hybrid": Method("sampled, hybrid", _SKY, "P", _DOUBLE),
    "duchi_ball": Method("ball (Duchi et al.)", _GREY, "s", _LONG),
    "privunit": Method("PrivUnit", _VERMILION, "^", _MIXED),
    "curator": Method("trusted curator", _BLACK, "*", _DENSE),
    # Labels, one by one.
    "forward": Method("flips, likelihood of reports", _PINK, "D", _DOTTED),
    "backward": Method("flips, unbiased loss", _VERMILION, "s", _DASHED),
    "two_rounds": Method("two rounds with a prior", _BLUE, "p"),
    "denoised": Method("noisy one-hot, denoised", _ORANGE, "h", _LONG),
    # Class ratios.
    "mmd": Method("MMD", _ORANGE, "o", _DASHED),
    "mmd_refit": Method("MMD, refitted on all sets", _GREY, "^"),
    "mmd_unbiased": Method("MMD, unbiased diagonal", _VERMILION, "o", _DOTTED),
    "mmd_auto": Method("MMD, diagonal by rule, refitted", _PINK, "o", _MIXED),
    "mmd_rff": Method("MMD, random features", _ORANGE, "P", _MIXED),
    "mmd_gamma": Method("MMD, widths taken as γ", _ORANGE, ">", _WIDE),
    "mmd_standard": Method("MMD, features standardised", _ORANGE, "h", _DENSE),
    "mmd_unit": Method("MMD, features from 0 to 1", _ORANGE, "p", _DOUBLE),
    "psvm": Method("∝SVM", _BLUE, "s", _DASHED),
    "psvm_starts": Method("∝SVM, three starts", _BLUE, "^", _LONG),
    "psvm_price": Method("∝SVM, wrong counts cheap", _BLUE, "<", _MIXED),
    "psvm_unmixed": Method("∝SVM, unmixed", _SKY, "D", _DOTTED),
    "set_id_logistic": Method("set-id logistic, unmixed", _GREEN, "v", _LONG),
    "set_id_em": Method("set-id likelihood (EM)", _GREEN, "*"),
    "emq_labelled": Method("EMQ (labels)", _PINK, "^"),
    "classify_count_labelled": Method("classify & count (labels)", _VERMILION, "X", _MIXED),
    "acc_labelled": Method("ACC (labels)", _BLUE, "v", _DOTTED),
    "pacc_labelled": Method("PACC (labels)", _SKY, "v"),
    "hdy_labelled": Method("HDy (labels)", _ORANGE, "s", _DOTTED),
    "kdey_labelled": Method("KDEy (labels)", _BLACK, "D", _LONG),
    # Quantifiers at equal privacy: from veiled proportions of sets, or from labels behind randomised response.
    "emq": Method("EMQ on sets", _GREEN, "*"),
    "pacc": Method("PACC on sets", _SKY, "v"),
    "kdey": Method("KDEy on sets", _BLACK, "D", _LONG),
    "dys": Method("DyS on sets", _BLUE, "s", _DOTTED),
    "mmd_reports": Method("MMD on labels", _VERMILION, "o", _DOTTED),
    "emq_reports": Method("EMQ on labels", _PINK, "^", _MIXED),
    "pacc_reports": Method("PACC on labels", _SKY, "<", _DOTTED),
    "kdey_reports": Method("KDEy on labels", _GREY, "D", _WIDE),
    "dys_reports": Method("DyS on labels", _BLUE, "h", _DASHED),
    "mmd_gaussian_analytic": Method("MMD, analytic Gaussian", _PINK, "v"),
    "mmd_gaussian_discrete": Method("MMD, discrete Gaussian", _GREY, "^"),
    "mmd_scaled_dirichlet_public": Method("MMD, scaled Dirichlet (public bound)", _SKY, "D"),
    # Flipped labels, all estimators.
    "moment": Method("moments (squares)", _BLUE, "o"),
    "mean_operator": Method("mean operator (logistic)", _GREEN, "^", _MIXED),
    "spread": Method("spread likelihood", _PINK, "D", _DOTTED),
    "naive": Method("naive: reports as truth", _SKY, "P", _DOUBLE),
    # Learning from bags, and losses with their parts.
    "mean_map": Method("mean map", _GREEN, "*"),
    "soft_labels": Method("bag's share as label", _ORANGE, "X"),
    "logistic": Method("logistic", _BLUE, "p"),
    "square": Method("square", _ORANGE, "h"),
    "matsushita": Method("Matsushita", _GREEN, "d"),
    "value": Method("loss", _BLUE, ""),
    "even": Method("even part", _VERMILION, "", _DASHED),
    "odd": Method("odd part", _GREEN, "", _MIXED),
    # Bounds, and what they bound.
    "limit": Method("most allowed, $\\max(π, e^α/(1 + e^α))$", INK, "", _DASHED),
    "delta": Method("δ", INK, "", _DOTTED),
    "stated": Method("bound as stated", _BLUE, "v"),
    "corrected": Method("bound corrected", _VERMILION, "^", _DASHED),
    "corrected_fixed": Method("Chernoff bound, one θ", _PINK, "<", _DOTTED),
    "measured": Method("measured", _GREEN, "o", _MIXED),
    "measured_uniform": Method("worst θ in the ball", _ORANGE, "s", _LONG),
    "measured_diagonal": Method("θ along the diagonal", _BLACK, "P", _DENSE),
    # Regression on noisy digits, or on a few binary inputs.
    "noisy": Method("noisy, plain", _SKY, "P", _DOUBLE),
    "spread_flat": Method("spread, flat prior", _GREEN, "^", _MIXED),
    "spread_learned": Method("spread, learned prior", _PINK, "D", _DOTTED),
    "spread_true": Method("spread, true prior (peeks)", _ORANGE, "v", _LONG),
    "noisy_l2_centred": Method("noisy, centred, tuned L2", _VERMILION, "s", _DASHED),
    "class_means": Method("class means", _BLUE, "X", _DENSE),
    "spread_centred": Method("spread, flat prior, centred", _GREY, "*", _WIDE),
    "spread_joint": Method("spread, any joint prior", _VERMILION, "h"),
    "spread_flat_summed": Method("spread, flat prior, labels summed", _VERMILION, "v", _DOTTED),
    "spread_flat_z": Method("spread, flat prior, z sampled", _BLUE, "D", _DASHED),
    "spread_flat_z_summed": Method("spread, flat prior, z sampled, labels summed", _ORANGE, "s"),
    "spread_sampled": Method("spread, normal prior, labels sampled", _PINK, "^", _LONG),
    "spread_summed": Method("spread, normal prior, labels summed", _GREEN, "D", _WIDE),
    # Records along a few directions, at a level that protects them.
    "spread_paper": Method("spread, the paper's noise", _PINK, "D", _DOTTED),
    "gaussian_spread": Method("spread, Gaussian noise", _GREEN, "^", _MIXED),
    "gaussian_plain": Method("plain, Gaussian noise", _SKY, "P", _DOUBLE),
    "sphere_spread": Method("spread, random direction", _VERMILION, "o"),
    "sphere_plain": Method("plain, random direction", _BLUE, "s", _DASHED),
    "random_gaussian_spread": Method("spread, Gaussian noise, random axes", _GREY, "^", _WIDE),
    "random_gaussian_plain": Method("plain, Gaussian noise, random axes", _GREY, "P", _DOTTED),
    "random_sphere_spread": Method("spread, random direction, random axes", _ORANGE, "v", _LONG),
    "random_sphere_plain": Method("plain, random direction, random axes", _BLACK, "v", _DOTTED),
    # Where one share ends, and estimates of it from flipped votes.
    "global": Method("global maximum of J", _VERMILION, "o", _MIXED),
    "interior": Method("interior local maximum of J", _BLUE, "s", _LONG),
    "votes_printed": Method("as printed, (24)", _VERMILION, "^"),
    "votes_corrected": Method("sign corrected", _BLUE, "P", _DOTTED),
    "clipped": Method("clipped to [0, 1]", _GREEN, "o", _DASHED),
    "truth": Method("truth", MUTED, ""),
    # Divergences.
    "kl": Method("Kullback–Leibler", _BLUE, "^", _DOUBLE),
    "hellinger": Method("squared Hellinger", _VERMILION, "D", _LONG),
    "neyman": Method("Neyman χ²", _GREEN, "s", _DOTTED),
    "jensen_shannon": Method("Jensen–Shannon", _PINK, "o"),
    "total_variation": Method("total variation", _ORANGE, "P", _DASHED),
    "one_sided_square": Method("one-sided square", _SKY, "X", _DASHED),
    # What an attacker goes by.
    "label_report": Method("label: the reported one", _BLUE, "*", _WIDE),
    "label_image": Method("label: the noisy image", _ORANGE, "X", _MIXED),
    "label_pair": Method("label: both", _VERMILION, "h", _DENSE),
    "identity": Method("identity: nearest candidate", _GREEN, "p", _DENSE),
    "guessing": Method("guessing the label", MUTED, "", _DOTTED),
    # Whose privacy is stated.
    "label": Method("label", _BLUE, "v", _MIXED),
    "pixel": Method("one pixel", _ORANGE, "o", _DOTTED),
    "image": Method("image, δ = 0", _PINK, "s", _DASHED),
    "image_delta": Method("image, δ > 0", _GREEN, "P", _LONG),
    "claimed": Method("claimed δ", MUTED, ""),
}

#: How published sets are made.
DESIGNS: Mapping[str, Method] = {
    "by_label": Method("sets by label", _VERMILION, "o"),
    "label_free": Method("random sets", _BLUE, "s", ""),
    "label_free_feature": Method("sets by a feature", _GREEN, "^", ""),
}

#: What guesses labels from them.
ATTACKS = {"set": "by set alone", "set_features": "with features"}

#: How λ was chosen: dashes that any loss may have.
RULES: Mapping[str, Method] = {
    "fixed": Method("one λ for all", INK, "", _DOTTED),
    "public": Method("public λ", INK, "", _DASHED),
    "released": Method("λ from the release", INK, ""),
}

#: Stationary points of a curve, by their kind.
EXTREMA: Mapping[str, Method] = {"max": Method("maximum", INK, "^", "none"), "min": Method("minimum", INK, "v", "none")}


class Named(dict[str, Any]):
    """What is known of data sets by their names, and what is to be said of one that is not known, a reader's own."""

    def __init__(self, other: Callable[[str], Any], **known: Any) -> None:
        super().__init__(known)
        self.other = other

    def __missing__(self, name: str) -> Any:
        return self.other(name)


#: Data sets that share a panel: what is measured is solid, what bounds it dashed.
DATASETS = Named(
    lambda name: Method(name.replace("_", " "), _GREY, "P"),
    census=Method("Census", _BLUE, "o"),
    youtube=Method("YouTube", _PINK, "D"),
    higgs=Method("Higgs", _GREEN, "^"),
    mnist=Method("MNIST", _VERMILION, "s"),
    acoustic=Method("Acoustic", _ORANGE, "v"),
    twitter=Method("Twitter", _BLACK, "X"),
)

#: Tasks of two classes, by their data set.
TITLES = Named(str, census="Census", mnist="MNIST 7/9", breast_cancer="breast cancer")

#: Verdicts by their strict names, from best to worst, as pages, pictures and the terminal show them: their colours mean
#: nothing else.
VERDICTS: Mapping[str, Method] = {
    "reproduced": Method("holds", "#0B6E4F", "o", symbol="●"),
    "conditional": Method("mixed", "#6A4C93", "D", _DOTTED, "◐"),
    "undecided": Method("open", "#7A828A", "v", _MIXED, "○"),
    "contradicted": Method("fails", "#A4161A", "s", _DASHED, "■"),
    "untestable": Method("not tested", "#B4BAC0", "_", _DOTTED, "–"),
}


def in_order(there: Iterable[str], known: Iterable[str]) -> list[str]:
    """What is there: first what is known, in its order, then all else by its name."""
    named, found = list(known), set(there)
    return [*(name for name in named if name in found), *sorted(found.difference(named))]


def looks_of(names: Iterable[str]) -> dict[str, Method]:
    """The looks of some methods in the order of the legends; last, and called by their names, those that have none."""
    asked = set(names)
    known = {name: METHODS[name] for name in METHODS if name in asked}
    new = {
        name: Method(name.replace("_", " "), COLOURS[-1 - i % 8], MARKERS[-1 - i % 8], DASHES[-1 - i % 8])
        for i, name in enumerate(sorted(asked - METHODS.keys()))
    }
    return known | new


def scale(values: Iterable[Any], label: str = "{}") -> dict[Any, Method]:
    """The looks of ordered steps that one figure tells apart: lighter, with other marker and dash, one by one.

    The lightest still has three times the contrast of the page, on white and in the dark.
    """
    known = list(values)
    shades = colormaps["viridis"](np.linspace(0, 0.6, len(known)))
    return {
        value: Method(label.format(value), to_hex(shade), MARKERS[i % 8], DASHES[i % 8])
        for i, (value, shade) in enumerate(zip(known, shades, strict=True))
    }
