"""What table 1 can be asked for."""

from __future__ import annotations

from replication.settings import Positive, Probability, Steps, settings


@settings
class Score:
    """The grid of margins, from −reach to reach; the ρ of ρ|x| − ρx + 1, and −entropy's weight in a generator."""

    reach: Positive = 30.0
    points: Steps = 6001
    rho: Positive = 1.0
    mixture_weight: Probability = 0.5
