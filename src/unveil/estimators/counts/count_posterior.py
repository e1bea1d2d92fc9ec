"""Which tag sits where in a window, given how often each occurs in it, with checked arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    """The tags at w positions, given how often each tag occurs among them.

    Exact, by dynamic programming over the ∏(counts + 1) vectors of remaining counts (the sum over consistent
    sequences in the likelihood (2) of Raghunathan et al. 2016, section 4).

    Parameters
    ----------
    log_potentials : array-like of shape (w, n_tags)
        A sequence of tags weighs exp of the sum of its potentials.
    counts : array-like of int, shape (n_tags,)
        How often each tag occurs; they sum to w.

    Returns
    -------
    posterior : ndarray of shape (w, n_tags)
        The marginals of each position.
    log_evidence : float
        The log of the sum of weights over all sequences with these counts.

    See Also
    --------
    beam_count_posterior : where there are too many vectors of counts.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import exact_count_posterior
    >>> posterior, log_evidence = exact_count_posterior(np.log([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), counts=[1, 2])
    >>> posterior.round(3)
    array([[0.878, 0.122],
           [0.098, 0.902],
           [0.024, 0.976]])
    >>> round(np.exp(log_evidence), 3)  # .9·.5·.8 + .1·.5·.8 + .1·.5·.2
    np.float64(0.41)
    """
    potentials, whole = _check_arguments(log_potentials, counts)
    states = count_states(whole)
    require(
        states <= MOST_STATES,
        f"counts allow {states:.3g} count vectors, too many for exact inference: use beam_count_posterior",
    )
    return _run(exact, potentials, whole, np.empty((2, int(states))))


def beam_count_posterior(
    log_potentials: ArrayLike, counts: ArrayLike, beam: int = 500, merge: bool = False
) -> tuple[Floats, float]:
    """The tags at w positions, given how often each tag occurs among them, by beam search from left to right.

    The plain beam keeps the `beam` heaviest prefixes, as in section 7 of Raghunathan et al. (2016); with `merge`,
    prefixes that leave the same counts are joined and the heaviest `beam` count vectors are kept, on potentials
    scaled to be even.

    Parameters
    ----------
    log_potentials : array-like of shape (w, n_tags)
        A sequence of tags weighs exp of the sum of its potentials.
    counts : array-like of int, shape (n_tags,)
        How often each tag occurs; they sum to w.
    beam : int
        How many prefixes, or vectors of counts, survive each position.
    merge : bool
        Whether prefixes with equal counts are joined.

    Returns
    -------
    posterior : ndarray of shape (w, n_tags)
        The marginals of each position.
    log_evidence : float
        A lower bound of the log of the sum of weights over all sequences with these counts.

    See Also
    --------
    exact_count_posterior : without the approximation.

    Examples
    --------
    A beam of one follows the heaviest prefix only:

    >>> import numpy as np
    >>> from unveil import beam_count_posterior
    >>> posterior, log_evidence = beam_count_posterior(np.log([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), [1, 2], beam=1)
    >>> posterior
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    >>> round(np.exp(log_evidence), 3)
    np.float64(0.36)
    """
    potentials, whole = _check_arguments(log_potentials, counts)
    require_number(beam, "beam", whole=True)
    require(1 <= beam <= MOST_BEAM, f"beam must be a whole number of at least 1 and at most {MOST_BEAM}, not {beam!r}")
    require(isinstance(merge, bool | np.bool_), f"merge must be True or False, not {merge!r}")
    return _run(merged_beam if merge else plain_beam, potentials, whole, int(beam))


def count_states(counts: ArrayLike) -> Floats:
    """How many vectors of remaining counts there are, ∏(counts + 1), along the last axis."""
    return np.asarray(np.prod(np.asarray(counts, dtype=float) + 1.0, axis=-1))


def count_transitions(counts: ArrayLike) -> Floats:
    """How many steps between those vectors the exact sums take: Σ over states of the tags that remain."""
    whole = np.asarray(counts, dtype=float)
    return np.asarray(count_states(whole) * np.sum(whole / (whole + 1.0), axis=-1))


def _check_arguments(log_potentials: ArrayLike, counts: ArrayLike) -> tuple[Floats, Array]:
    potentials = as_numbers(log_potentials, "log_potentials")
    require(potentials.ndim == 2 and potentials.size > 0, "log_potentials must have shape (positions, tags), not empty")
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


def _run(kernel: Callable[..., float], potentials: Floats, counts: Array, room: Any) -> tuple[Floats, float]:
    """Marginals and evidence by a kernel, which sees the tags that occur: the others have posterior zero."""
    seen, whole = np.flatnonzero(counts), np.zeros(potentials.shape)
    post = np.empty((len(potentials), len(seen)))
    evidence = kernel(np.ascontiguousarray(potentials[:, seen]), counts[seen], post, room)
    whole[:, seen] = post
    return whole, float(evidence)
