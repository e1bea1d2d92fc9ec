"""One label, colour, marker and dash for every mechanism, method and data set, in all figures of this paper."""

from collections.abc import Mapping

from replication.style import COLOURS, MUTED, Method

_BLUE, _RED, _GREEN, _PINK, _ORANGE, _SKY, _BLACK, _GREY = COLOURS
_DOTS, _LONG, _SHORT, _MIXED = (0, (1, 1)), (0, (8, 2)), (0, (5, 1)), (0, (3, 1, 1, 1))

#: Mechanisms, then what figure 2 holds against each other, in the order of the legends.
METHODS: Mapping[str, Method] = {
    "none": Method("no privacy", _BLACK, "X", "-"),
    "laplace": Method("Laplace", _BLUE, "o", "-"),
    "gaussian": Method("Gaussian", _SKY, "P", _MIXED),
    "gaussian_analytic": Method("Gaussian (analytic)", _PINK, "D", ":"),
    "laplace_prior": Method("Laplace prior", _GREEN, "^", "-."),
    "scaled_dirichlet": Method("scaled Dirichlet (paper)", _RED, "s", "--"),
    "fallback": Method("scaled Dirichlet, else prior", _GREY, "<", _DOTS),
    "scaled_dirichlet_tight": Method("scaled Dirichlet (tight at fixed σ)", _ORANGE, "v", _SHORT),
    "scaled_dirichlet_public": Method("scaled Dirichlet (tight, public minimum)", _GREY, "X", _LONG),
    "subsample": Method("subsample", _BLACK, "*", _DOTS),
    "mmd": Method("MMD", _BLACK, "o", "--"),
    "mmd_refit": Method("MMD, refitted on all sets", _GREY, "^", "-"),
    "mmd_unbiased": Method("MMD, unbiased diagonal", _RED, "o", ":"),
    "mmd_auto": Method("MMD, diagonal by rule, refitted", _PINK, "o", "-."),
    "mmd_rff": Method("MMD, random features", _ORANGE, "P", "-."),
    "psvm": Method("∝SVM", _BLUE, "s", "--"),
    "psvm_unmixed": Method("∝SVM, unmixed", _SKY, "D", ":"),
    "set_id_logistic": Method("set-id logistic, unmixed", _GREEN, "v", _SHORT),
    "set_id_em": Method("set-id likelihood (EM)", _GREEN, "*", "-"),
    "emq_labelled": Method("EMQ (labels)", _PINK, "^", "-"),
    "classify_count_labelled": Method("classify & count (labels)", _RED, "X", "-."),
    "acc_labelled": Method("ACC (labels)", _BLUE, "v", ":"),
    "pacc_labelled": Method("PACC (labels)", _SKY, "v", "-"),
    "hdy_labelled": Method("HDy (labels)", _ORANGE, "s", ":"),
    "kdey_labelled": Method("KDEy (labels)", _BLACK, "D", _SHORT),
}

#: How published sets are made, and what guesses labels from them.
DESIGNS: Mapping[str, Method] = {
    "by_label": Method("sets by label", _RED, "o", "-"),
    "label_free": Method("random sets", _BLUE, "s", ""),
    "label_free_feature": Method("sets by a feature", _GREEN, "^", ""),
}
ATTACKS = {"set": "by set alone", "set_features": "with features"}

CLAIMED = Method("claimed δ", MUTED, "")

#: Data sets that share a panel: what is measured is solid, what bounds it dashed.
DATASETS: Mapping[str, Method] = {
    "census": Method("census", _BLUE, "o"),
    "youtube": Method("youtube", _PINK, "D"),
    "higgs": Method("higgs", _GREEN, "^"),
    "mnist": Method("mnist", _RED, "s"),
    "acoustic": Method("acoustic", _ORANGE, "v"),
    "twitter": Method("twitter", _BLACK, "X"),
}
