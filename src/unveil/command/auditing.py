"""`unveil audit`: what releases betray beside what is claimed, on the neighbours that are told apart best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator, default_rng

from unveil.errors import UnveilError, require
from unveil.privacy.audit import audit_release
from unveil.protocols.base import find_protocol
from unveil.protocols.protocol import Draw
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.protocols.sheets import Progress

#: Releases are drawn so many at a time.
BLOCK = 1 << 16


def audit(protocol: str, epsilon: float, samples: int, progress: Progress | None = None) -> str:
    """Audit the exact mechanism of a protocol by fresh releases; an error where it refutes what is claimed."""
    require(1000 <= samples <= 10**8, "--samples must lie between 1,000 and 10^8")
    from unveil.mechanisms.checks import check_level

    check_level(epsilon, "--epsilon")
    case = find_protocol(protocol).audit_case(epsilon)
    release = draw_in_blocks(case.release, progress, 4 * (samples // 2))
    found = audit_release(release, case.here, case.there, n=samples, rng=default_rng())
    lines = [
        f"{protocol} at epsilon {epsilon:g}, of which {case.kept:.9g} is kept",
        f"seen in {samples} releases of either of two neighbours: epsilon is at least {found.epsilon_low:.4g}",
        f"smallest epsilon that so many show: {found.detection_limit:.2g}",
    ]
    said = "; ".join(lines)
    if found.refutes(epsilon):
        raise UnveilError(f"the claim is refuted: {said}")
    return "\n".join([*lines, "the claim is not refuted, with probability 1 - 1e-6 for a claim that holds"])


def draw_in_blocks(release: Draw, progress: Progress | None, total: int) -> Draw:
    """The same releases, a block at a time, and with word of how many of all are drawn."""
    done = 0

    def draw(data: Any, n: int, rng: Generator) -> Array:
        nonlocal done
        parts = []
        for start in range(0, n, BLOCK):
            parts.append(release(data, min(BLOCK, n - start), rng))
            done += len(parts[-1])
            if progress:
                progress(done / total)
        return np.concatenate(parts)

    return draw
