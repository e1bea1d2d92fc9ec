"""Which tag sits where in a window, given how often each occurs in it; the arguments are checked before a kernel sees them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.estimators.counts.beams import beam as plain_beam
from unveil.estimators.counts.beams import merged_beam
from unveil.estimators.counts.dynamic_program import exact
from unveil.types import Array, Floats, as_numbers, as_reals, require_moderate

#: Above this the exact sums need more than 2 GiB.
MOST_STATES = 2**27
#: Wider beams need gigabytes, too.
MOST_BEAM = 10**6


def exact_count_posterior(log_potentials: ArrayLike, counts: ArrayLike) -> tuple[Floats, float]:
    """Marginals (w, K) of the tags at w positions given their counts (K,), and the log evidence.

    A sequence weighs exp of the sum of its potentials (w, K); the evidence is the log of the sum over all
    sequences with these counts. Exact, by dynamic programming over the ∏(counts + 1) vectors of remaining
    counts.
    """
    potentials, whole = _checked(log_potentials, counts)
    states = count_states(whole)
    require(
        states <= MOST_STATES,
        f"counts allow {states:.3g} count vectors, too many for exact inference: use beam_count_posterior",
    )
    seen = np.flatnonzero(whole)
    post = np.empty((len(potentials), len(seen)))
    work = np.empty((2, int(states)))
    evidence = exact(np.ascontiguousarray(potentials[:, seen]), whole[seen], post, work)
    return _spread(post, seen, len(whole)), float(evidence)


def beam_count_posterior(
    log_potentials: ArrayLike, counts: ArrayLike, beam: int = 500, merge: bool = False
) -> tuple[Floats, float]:
    """The same by beam search from left to right, and a lower bound of the log evidence.

    The plain beam keeps the `beam` heaviest prefixes, as in section 7 of the paper; with `merge`, prefixes
    that leave the same counts are joined and the heaviest `beam` count vectors are kept, on potentials
    scaled to be even.
    """
    potentials, whole = _checked(log_potentials, counts)
    require_number(beam, "beam", whole=True)
    require(
        1 <= beam <= MOST_BEAM,
        f"beam must be a whole number of at least 1 and at most {MOST_BEAM}, not {beam!r}",
    )
    require(isinstance(merge, bool | np.bool_), f"merge must be True or False, not {merge!r}")
    seen = np.flatnonzero(whole)
    post = np.empty((len(potentials), len(seen)))
    search = merged_beam if merge else plain_beam
    evidence = search(np.ascontiguousarray(potentials[:, seen]), whole[seen], post, int(beam))
    return _spread(post, seen, len(whole)), float(evidence)


def count_states(counts: ArrayLike) -> Floats:
    """How many vectors of remaining counts there are, ∏(counts + 1), along the last axis."""
    return np.asarray(np.prod(np.asarray(counts, dtype=float) + 1.0, axis=-1))


def count_transitions(counts: ArrayLike) -> Floats:
    """How many steps between those vectors the exact sums take: Σ over states of the tags that remain."""
    whole = np.asarray(counts, dtype=float)
    return np.asarray(count_states(whole) * np.sum(whole / (whole + 1.0), axis=-1))


def _checked(log_potentials: ArrayLike, counts: ArrayLike) -> tuple[Floats, Array]:
    potentials = as_numbers(log_potentials, "log_potentials")
    require(
        potentials.ndim == 2 and potentials.size > 0,
        "log_potentials must have shape (positions, tags), not empty",
    )
    require_moderate(potentials, "log_potentials")
    given = as_reals(counts, "counts")
    require(
        given.shape == potentials.shape[1:],
        f"counts must have one entry a tag, a column of log_potentials: {potentials.shape[1]}, not shape {given.shape}",
    )
    require(
        given.dtype.kind in "iuf"
        and bool(((given >= 0) & (given <= len(potentials))).all())
        and bool((given == np.floor(given)).all()),
        f"counts must be whole numbers of at least 0 and at most {len(potentials)}, the rows of log_potentials",
    )
    whole = given.astype(np.int64)
    require(
        int(whole.sum()) == len(potentials),
        f"counts must sum to the window's length {len(potentials)}, not {int(whole.sum())}: the rows of log_potentials",
    )
    return potentials, whole


def _spread(post: Floats, seen: Array, tags: int) -> Floats:
    """Back to all tags: one that does not occur has posterior zero."""
    whole = np.zeros((len(post), tags))
    whole[:, seen] = post
    return whole
