"""The bias of few importance samples, the owner: the same release as figure 3's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.papers.spread.digits import choose
from replication.papers.spread.flipped import flipped_digits
from replication.randomness import Trial
from unveil.types import Arrays


def release(
    fields: Mapping[str, Arrays], trial: Trial, *, p_flips: Sequence[float], train: int, test: int
) -> Arrays:
    """Noisy images and labels for every flip probability."""
    digits = choose(fields["mnist"], train, test, trial.public)
    return flipped_digits(fields["mnist"]["images"][digits.train], digits.train_labels, p_flips, trial.rng)
