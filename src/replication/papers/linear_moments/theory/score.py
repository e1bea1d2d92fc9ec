"""What the paper proves, held against enumeration: each quantity beside what the paper states of it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.papers.linear_moments.theory import counts, efficiency, geometry, veils
from replication.papers.linear_moments.theory.rows import Row
from replication.papers.linear_moments.theory.settings import Score
from replication.randomness import Trial


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Sections 3 to 6 and appendix A on small models; `n` and `trial` are empty where nothing is drawn.

    Models and starts that the paper leaves open are drawn once, from the figure's first trial.
    """
    found = [*veils.checks(settings), *efficiency.checks(settings, trials[0].public)]
    found += [*geometry.checks(settings, trials[0].public), *counts.checks(settings, trials)]
    return pd.DataFrame(found, columns=Row._fields).astype({"trial": "Int64"})
