"""Claims of Raghunathan, Frostig, Duchi and Liang (2016), in both versions of the paper, section by section."""

from replication.judging.claim import Claim
from replication.papers.linear_moments.claims import asymptotics, geometry, privacy, regression, tagging

CLAIMS: tuple[Claim, ...] = (
    *privacy.CLAIMS,
    *asymptotics.CLAIMS,
    *geometry.CLAIMS,
    *regression.CLAIMS,
    *tagging.CLAIMS,
)
