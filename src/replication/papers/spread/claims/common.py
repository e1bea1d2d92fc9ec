"""What the claims of this paper share: data, units and smallest effects."""

from __future__ import annotations

from replication.judging.claim import Matters

APART = Matters(0.01, "nearer than a hundredth is the truth")
POINTS, MNIST = "points of accuracy", ("mnist",)
