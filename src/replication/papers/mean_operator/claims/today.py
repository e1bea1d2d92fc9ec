"""Private labels today: the released mean operator against what is done to labels one by one."""

from functools import partial

from replication.common.today.margins import ahead_of_best, ask
from replication.judging.claim import Matters

#: The mean operator behind noise of the right scale, and its rivals.
OURS, RIVALS = ("gamma", "laplace"), ("forward", "backward", "two_rounds", "denoised")

_claim = partial(ask, unit="share of the records", matters=Matters(0.01, "one point of accuracy"))

MEAN_OPERATOR_LEADS = _claim(
    "today-mean-operator-least",
    "At the same exact level of a label the released mean operator errs less than the best of four ways to"
    " noise labels one by one.",
    measure=ahead_of_best(OURS, RIVALS),
    quantity="share of wrong labels, the best way to noise labels minus the mean operator",
    short="At equal label privacy the mean operator errs least",
)
CLAIMS = (
    MEAN_OPERATOR_LEADS,
    _claim(
        "today-first-round-pays",
        "Two rounds of reports, the first the prior of the second, err less than one round of flips.",
        measure=ahead_of_best(("two_rounds",), ("forward",)),
        quantity="share of wrong labels, one round minus two",
        short="A first round as a prior helps",
    ),
    _claim(
        "today-labels-cost-less",
        "A curator who hides labels alone errs less than one who hides whole records.",
        measure=ahead_of_best(OURS, ("objective",)),
        quantity="share of wrong labels, objective perturbation minus the mean operator",
        short="Hiding labels alone costs less than hiding records",
    ),
)
