"""Figure 3, and the study of few samples, the owner: flipped pixels and labels, once for every noise level."""

from __future__ import annotations

from replication.arrays import Fields, Named
from replication.papers.spread.digits import draw_digits, veil_digits
from replication.papers.spread.settings import Flipped
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips, PixelFlips


def release(fields: Fields, trial: Trial, settings: Flipped) -> Named:
    """Noisy images and labels for every flip probability."""
    veils = {(p_flip,): (PixelFlips(p_flip).release, LabelFlips(p_flip).release) for p_flip in settings.p_flips}
    return veil_digits(draw_digits(fields, trial, settings)[0], veils, trial)
