"""Class ratios today: the paper's estimate against what quantifies now, at the same exact level of a label."""

from functools import partial

from replication.common.today.margins import ahead_of_best, ask
from replication.papers.class_ratio.claims.common import ERROR

ON_SETS = ("emq", "pacc", "kdey", "dys")
ON_REPORTS = ("mmd_reports", "emq_reports", "pacc_reports", "kdey_reports", "dys_reports")
COUNT_NOISES = ("mmd_gaussian_analytic", "mmd_gaussian_discrete", "mmd_scaled_dirichlet_public")

_claim = partial(ask, unit="L1", matters=ERROR)

LEAST = _claim(
    "today-mmd-least",
    "At the same exact level of a label MMD on veiled set proportions errs less than every quantifier, on these sets "
    "or on labels behind randomised response.",
    measure=ahead_of_best(("mmd",), (*ON_SETS, *ON_REPORTS)),
    quantity="error of class ratios, the best quantifier minus MMD on sets",
    short="MMD errs less than all quantifiers at equal privacy",
)
CLAIMS = (
    LEAST,
    _claim(
        "today-sets-beat-labels",
        "At the same exact level of a label, MMD on veiled set proportions errs less than any method on labels behind "
        "randomised response.",
        measure=ahead_of_best(("mmd",), ON_REPORTS),
        quantity="error of class ratios, the best method on labels minus MMD on sets",
        short="Veiled counts of sets teach more than veiled labels",
    ),
    _claim(
        "today-dirichlet-over-noise",
        "At the same exact ε and δ, MMD errs less on proportions from the scaled Dirichlet than on those with noise on "
        "the counts.",
        measure=ahead_of_best(("mmd_scaled_dirichlet_public",), ("mmd", *COUNT_NOISES[:2])),
        quantity="error of class ratios, the best noise on counts minus the scaled Dirichlet",
        short="The scaled Dirichlet serves MMD better than noise on counts",
    ),
)
