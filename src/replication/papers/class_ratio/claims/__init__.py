"""Claims of Iyer, Nath and Sarawagi (2016).

A statement without a quantifier is judged as one about the typical setting; "all", "any", "the lowest" and theorems as
one about every setting; "as much as" as one about some setting.
"""

from replication.judging.claim import Claim
from replication.papers.class_ratio.claims import (
    bounds,
    distortion,
    estimation,
    privacy,
    published_sets,
    today,
    under_privacy,
)

CLAIMS: tuple[Claim, ...] = (
    *estimation.CLAIMS,
    *published_sets.CLAIMS,
    *bounds.CLAIMS,
    *privacy.CLAIMS,
    *distortion.CLAIMS,
    *under_privacy.CLAIMS,
    *today.CLAIMS,
)
