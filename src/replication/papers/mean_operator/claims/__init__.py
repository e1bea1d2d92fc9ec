"""Claims of Patrini and co-authors (2016): the text at hand names neither authors nor title.

The paper has no experiments: its claims are theorems and identities, checked as such; what experiments add is ours.
"""

from replication.judging.claim import Claim
from replication.papers.mean_operator.claims import factorisation, learning, privacy, today

CLAIMS: tuple[Claim, ...] = (*factorisation.CLAIMS, *privacy.CLAIMS, *learning.CLAIMS, *today.CLAIMS)
