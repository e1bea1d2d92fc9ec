"""Claims of Raghunathan, Frostig, Duchi and Liang (2016), in both versions of the paper, section by section."""

from replication.judging.claim import Claim
from replication.papers.linear_moments.claims import (
    asymptotics,
    geometry,
    privacy,
    regression,
    tagging,
    today,
    today_tags,
)

CLAIMS: tuple[Claim, ...] = (
    *privacy.CLAIMS,
    *asymptotics.CLAIMS,
    *geometry.CLAIMS,
    *regression.CLAIMS,
    *tagging.CLAIMS,
    *today.CLAIMS,
    *today_tags.CLAIMS,
)
