"""Claims of Barber: private machine learning via randomised response."""

from replication.judging.claim import Claim
from replication.papers.spread.claims import consistency, digits, isotropy, privacy, today, voting

CLAIMS: tuple[Claim, ...] = (
    *voting.CLAIMS,
    *consistency.CLAIMS,
    *privacy.CLAIMS,
    *digits.CLAIMS,
    *isotropy.CLAIMS,
    *today.CLAIMS,
)
