"""The attack on released digits, the owner: a noisy image and a noisy label of each user, nothing else."""

from __future__ import annotations

from replication.arrays import Fields, Named
from replication.papers.spread.attack.settings import Levels
from replication.papers.spread.attack.users import channels, users
from replication.papers.spread.digits import take_digits, veil_digits
from replication.randomness import Trial


def release(fields: Fields, trial: Trial, settings: Levels) -> Named:
    """The pairs at every level of every noise."""
    veils = {(channel.noise, channel.level): (channel.images, channel.labels) for channel in channels(settings)}
    return veil_digits(take_digits(fields["mnist"], users(fields, trial, settings)), veils, trial)
