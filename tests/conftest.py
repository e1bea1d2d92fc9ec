"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples every time, and no limit on the time of one: a busy machine is not a failure.
settings.register_profile("unveil", derandomize=True, deadline=None)
settings.load_profile("unveil")
