"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

from replication.engine.code import ROOT
from replication.engine.layout import settle_environment

# Before anything imports numpy or numba: one thread each, and kernels of the present code, as in a pipeline's job.
settle_environment(ROOT)

# The same examples every time, and no limit on the time of one: a busy machine is not a failure.
settings.register_profile("unveil", derandomize=True, deadline=None)
settings.load_profile("unveil")
