"""Class ratios today: the paper's estimate against what quantifies now, at the same exact level of a label."""

from replication.common.today.margins import ahead_of_best
from replication.judging.claim import ALL, Claim, Origin
from replication.judging.verdicts import Quantifier
from replication.papers.class_ratio.claims.common import ERROR

ON_SETS = ("emq", "pacc", "kdey", "dys")
ON_REPORTS = ("mmd_reports", "emq_reports", "pacc_reports", "kdey_reports", "dys_reports")
COUNT_NOISES = ("mmd_gaussian_analytic", "mmd_gaussian_discrete", "mmd_scaled_dirichlet_public")


def _ask(id_: str, statement: str, short: str, quantity: str, ours: tuple[str, ...], rivals: tuple[str, ...]) -> Claim:
    return Claim(
        id=id_,
        statement=statement,
        place="beyond the paper",
        figure="today",
        measure=ahead_of_best(ours, rivals),
        quantifier=Quantifier.TYPICAL,
        quantity=f"error of class ratios, {quantity}",
        unit="L1",
        matters=ERROR,
        datasets=ALL,
        origin=Origin.BEYOND,
        short=short,
    )


LEAST = _ask(
    "today-mmd-least",
    "At the same exact level of a label MMD on veiled set proportions errs less than every quantifier, on these sets "
    "or on labels behind randomised response.",
    "MMD errs less than all quantifiers at equal privacy",
    "the best quantifier minus MMD on sets",
    ("mmd",),
    (*ON_SETS, *ON_REPORTS),
)
CLAIMS = (
    LEAST,
    _ask(
        "today-sets-beat-labels",
        "At the same exact level of a label, MMD on veiled set proportions errs less than any method on labels behind "
        "randomised response.",
        "Veiled counts of sets teach more than veiled labels",
        "the best method on labels minus MMD on sets",
        ("mmd",),
        ON_REPORTS,
    ),
    _ask(
        "today-dirichlet-over-noise",
        "At the same exact ε and δ, MMD errs less on proportions from the scaled Dirichlet than on those with noise on "
        "the counts.",
        "The scaled Dirichlet serves MMD better than noise on counts",
        "the best noise on counts minus the scaled Dirichlet",
        ("mmd_scaled_dirichlet_public",),
        ("mmd", *COUNT_NOISES[:2]),
    ),
)
