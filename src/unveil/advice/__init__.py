"""Which veil, and which estimator, do best on data of a shape."""

#: What can be asked for, and what is called error there.
TASKS = {
    "classify": "share of wrong classes",
    "regress": "1 - R²",
    "ratios": "L1 distance of class ratios",
    "tags": "share of wrong tags",
}
