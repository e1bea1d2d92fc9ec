"""What else learns from counts: the same model and the same steps, towards other targets in each window.

With p the model's marginals of a window and c its counts, steps climb Σ_b c_b log Σ_j p_jb (the proportion loss, as a
divergence: Ardehaly and Culotta 2017), or −½ Σ_b (Σ_j p_jb − c_b)² (generalised expectations: Mann and McCallum 2010),
or go from p to the distribution nearest to it among those whose expected counts are c (posterior regularisation:
Ganchev et al. 2010), which is p with its rows and columns scaled.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from unveil.estimators.counts import window_steps
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Pass, Tagger
from unveil.estimators.counts.window_steps import Model, Step, Text
from unveil.types import Array

#: Turns of scaling columns and rows, after which the counts hold to a few percent: they are one step's target only.
TURNS = 10
PROPORTIONS, EXPECTATIONS, POSTERIORS = 0, 1, 2


class CountRival(Tagger):
    """The tagger with one of these targets in the place of the posterior given the counts."""

    def __init__(self, target: int, **given: Any) -> None:
        super().__init__(method="marginal", **given)
        self.target = target

    def _marginal(self, windows: Windows, counts: Array, _: Array) -> Pass:
        model, step, text = self._model(), self._step(), (windows.tokens, windows.start, windows.stop)
        return lambda order: float(rival_pass(model, text, order, counts.astype(float), self.target, step))


@njit(cache=True)
def rival_pass(model: Model, text: Text, order: Array, counts: Array, target: int, step: Step) -> float:
    """One step a window, in this order."""
    tokens, start, stop = text
    scores, gradient, room = window_steps.scratch(model, window_steps.longest(text, order))
    for i in order:
        words = tokens[start[i] : stop[i]]
        window_steps.score_words(model[0], model[2], words, scores)
        for j in range(len(words)):
            window_steps.negative_softmax(scores[j], gradient[j])
        shares = -gradient[: len(words)]
        gradient[: len(words)] = pull(shares, counts[i], target)
        window_steps.climb(model, words, step, room)
    return 0.0


@njit(cache=True)
def pull(shares: Array, counts: Array, target: int) -> Array:
    """The gradient by the scores of a window, from its marginals (w, K) and counts (K,)."""
    if target == POSTERIORS:
        return scale_to(shares, counts) - shares
    total = shares.sum(axis=0)
    pulls = counts / total if target == PROPORTIONS else counts - total
    own: Array = shares * pulls
    for j in range(len(shares)):
        own[j] -= shares[j] * own[j].sum()
    return own


@njit(cache=True)
def scale_to(shares: Array, counts: Array) -> Array:
    """Rows and columns scaled in turns, so that columns sum to the counts and at last rows to one."""
    own = shares.copy()
    for _ in range(TURNS):
        own *= counts / (own.sum(axis=0) + 1e-300)
        for j in range(len(own)):
            own[j] /= own[j].sum()
    return own
