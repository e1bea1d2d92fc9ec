"""Section 4: the regression (12) of counts on the words of a region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import softmax

from replication.papers.linear_moments.theory.rows import Row
from replication.papers.linear_moments.theory.settings import Score
from replication.randomness import Trial

WORDS, TAGS, REGION = 6, 3, 3


def checks(settings: Score, trials: Sequence[Trial]) -> Iterator[Row]:
    """Root mean square error of ŵ where each tag depends on its word alone and words come independently."""
    truth = softmax(np.add.outer(np.arange(WORDS), np.arange(TAGS)) ** 2 % 5 / 2, axis=1)
    for trial in trials:
        for n in settings.sizes:
            rng = trial.rng_of(n)
            words = rng.multinomial(REGION, np.full(WORDS, 1 / WORDS), n)
            tags = sum(rng.multinomial(words[:, a], truth[a]) for a in range(WORDS))
            found = np.linalg.lstsq(words.astype(float), np.asarray(tags, dtype=float))[0]
            error = float(np.sqrt(np.mean((found - truth) ** 2)))
            yield Row("regression", "words come independently", error, 0.0, n, trial.number)
