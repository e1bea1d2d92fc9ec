"""What the paper proves, held against enumeration: each quantity beside what the paper states of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import softmax

from replication.papers.linear_moments.theory import efficiency, geometry, veils
from replication.papers.linear_moments.theory.rows import Row
from replication.papers.linear_moments.theory.settings import Score
from replication.randomness import Trial

#: Words, tags, and tokens in a region, of the model of section 4.
WORDS, TAGS, REGION = 6, 3, 3


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Sections 3 to 6 and appendix A on small models; `n` and `trial` are empty where nothing is drawn.

    Models and starts that the paper leaves open are drawn once, from the figure's first trial.
    """
    found = [*veils.checks(settings), *efficiency.checks(settings, trials[0].public)]
    found += [*geometry.checks(settings, trials[0].public), *count_regressions(settings, trials)]
    return pd.DataFrame(found, columns=Row._fields).astype({"trial": "Int64"})


def count_regressions(settings: Score, trials: Sequence[Trial]) -> Iterator[Row]:
    """Root mean square error of ŵ, (12), where each tag depends on its word alone and words come independently."""
    truth = softmax(np.add.outer(np.arange(WORDS), np.arange(TAGS)) ** 2 % 5 / 2, axis=1)
    for trial, n in product(trials, settings.sizes):
        rng = trial.rng_of(n)
        words = rng.multinomial(REGION, np.full(WORDS, 1 / WORDS), n)
        tags = sum(rng.multinomial(words[:, a], truth[a]) for a in range(WORDS))
        found = np.linalg.lstsq(words.astype(float), np.asarray(tags, dtype=float))[0]
        error = float(np.sqrt(np.mean((found - truth) ** 2)))
        yield Row("regression", "words come independently", error, 0.0, n, trial.number)
