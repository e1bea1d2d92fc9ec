"""One look for each method of the paper, in every figure that draws it."""

from collections.abc import Mapping

from replication.style import COLOURS, INK, Method

_BLUE, _VERMILLION, _GREEN, _PINK, _ORANGE, _SKY, _BLACK, _GREY = COLOURS

METHODS: Mapping[str, Method] = {
    # Estimators of finite models and of taggers.
    "moments": Method("moments", _BLUE, "o"),
    "moments_all": Method("moments, all positions", _BLUE, "P", "--"),
    "moments_features": Method("moments on features", _SKY, "P", (0, (3, 1, 1, 1))),
    "moments_features_all": Method("moments on features, all positions", _SKY, "*", ":"),
    "moments_sgd": Method("moments, both by SGD", _ORANGE, "v", "-."),
    "moments_sgd_all": Method("moments, both by SGD, all positions", _ORANGE, "h"),
    "moments_sgd_two": Method("moments, SGD twice", _GREY, "^", "--"),
    "moments_sgd_two_all": Method("moments, SGD twice, all positions", _GREY, "D"),
    "one_step": Method("one scoring step from moments", _GREEN, "s", "-."),
    "marginal": Method("marginal likelihood", _VERMILLION, "X"),
    "marginal_exact": Method("marginal, exact", _VERMILLION, "s", "--"),
    "marginal_merged": Method("marginal, merged beam", _GREEN, "^", "-."),
    "marginal_beam": Method("marginal, plain beam", _PINK, "D", ":"),
    "em": Method("EM, from start to end", _ORANGE, "v", (0, (5, 1))),
    "supervised": Method("supervised (same windows)", _BLACK, "*", (0, (8, 2))),
    "most_frequent": Method("most frequent tag", _GREY, "x", (0, (1, 1))),
    # Estimators of regressions.
    "moments_truncated": Method("moments, truncated", _BLUE, "s", "-."),
    "moments_ridge": Method("moments, ridge", _SKY, "v", "--"),
    "moments_centred": Method("moments, truncated, centred release", _PINK, "D", (0, (3, 1, 1, 1))),
    "binarised": Method("binarised, no flips", _ORANGE, "X", ":"),
    "least_squares": Method("least squares", _BLACK, "^", (0, (5, 1))),
    "constant": Method("constant predictor", _GREY, "X", (0, (8, 2))),
    # Mechanisms.
    "coordinate": Method("coordinate release", _GREEN, "D"),
    "per_value": Method("per-value φ-RR", _ORANGE, "o", "--"),
    "classical": Method("classical response", _VERMILLION, "X", ":"),
    "subset_selection": Method("subset selection in a clique", _BLUE, "s", "-."),
}

#: Stationary points of a curve, by their kind.
EXTREMA: Mapping[str, Method] = {"max": Method("maximum", INK, "^", "none"), "min": Method("minimum", INK, "v", "none")}
