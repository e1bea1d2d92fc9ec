"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

from unveil.pipeline.source import kernel_cache

# Before anything imports numba: a kernel must not be an old one because only its callee was edited.
os.environ["NUMBA_CACHE_DIR"] = str(kernel_cache())

# The same examples every time, and no limit on the time of one: a busy machine is not a failure.
settings.register_profile("unveil", derandomize=True, deadline=None)
settings.load_profile("unveil")
