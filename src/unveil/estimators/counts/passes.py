"""Compiled training passes of the tagger: stochastic gradient ascent, one window a step.

A step sums the gradient over the window at the θ before the step, then moves every feature
row that the window touches: θ += rate·gradient, or AdaGrad's θ += rate·gradient / √(Σ gradient²).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit

from unveil.estimators.counts.beams import beam, merged_beam
from unveil.estimators.counts.dynamic_program import exact
from unveil.estimators.counts.window_steps import (
    Model,
    Step,
    Text,
    climb,
    lane_sum,
    longest,
    negative_softmax,
    score_words,
    scratch,
)
from unveil.types import Array

EXACT, BEAM, MERGED = 0, 1, 2
#: Step 1 by stochastic gradients: ŵ, what its average lags behind by, the steps s taken and Σ s, the rate, and over how
#: many steps its square falls to a half: 0 for a constant rate, and no average.
Descent: TypeAlias = tuple[Array, Array, Array, float, float]


@njit(cache=True)
def soft_pass(model: Model, text: Text, order: Array, targets: Array, target_of: Array, step: Step) -> float:
    """Ascend Σ_j Σ_b targets[target_of[j], b] log p(b | word j) over the windows in `order`; its value.

    One-hot targets make it the supervised log-likelihood, targets ŵ the moment estimator's second step. A position
    whose target is −1 has no part in it.
    """
    tokens, start, stop = text
    scores, gradient, room = scratch(model, longest(text, order))
    value = 0.0
    for i in order:
        words, aims = tokens[start[i] : stop[i]], target_of[start[i] : stop[i]]
        value += _soft_gradient(model, words, targets, aims, scores, gradient)
        climb(model, words, step, room)
    return value


@njit(cache=True)
def _soft_gradient(model: Model, words: Array, targets: Array, aims: Array, scores: Array, gradient: Array) -> float:
    """The gradient at each position of Σ_b targets[aims[j], b] log p(b | word j), and the sum of these."""
    value = 0.0
    score_words(model[0], model[2], words, scores)
    for j in range(len(words)):
        row = aims[j]
        if row < 0:
            for b in range(targets.shape[1]):
                gradient[j, b] = 0.0
            continue
        log_total = negative_softmax(scores[j], gradient[j])
        for b in range(targets.shape[1]):
            gradient[j, b] += targets[row, b]
            scores[j, b] = targets[row, b] * (scores[j, b] - log_total)
        value += lane_sum(scores[j])
    return value


@njit(cache=True)
def count_pass(descent: Descent, text: Text, order: Array, counts: Array, asked: Array) -> None:
    """Descend (12) over the windows in `order`."""
    tokens, start, stop = text
    excess = np.empty(counts.shape[1])
    for i in order:
        _count_step(descent, tokens[start[i] : stop[i]], counts[i], asked[i], excess)


@njit(cache=True)
def joint_pass(
    model: Model, text: Text, spans: Text, target_of: Array, order: Array, counts: Array, asked: Array,
    descent: Descent, shares: Array, step: Step,
) -> float:  # fmt: skip
    """Both programs in one sweep: each window moves ŵ down (12), then θ up (10) over its span with that ŵ.

    `shares` holds ŵ's rows as they were last used, projected to the simplex.
    """
    (tokens, start, stop), (_, span_start, span_stop) = text, spans
    scores, gradient, room = scratch(model, longest(spans, order))
    raw, lag, clock, _, fall = descent
    value, excess = 0.0, np.empty(raw.shape[1])
    for i in order:
        window, words = tokens[start[i] : stop[i]], tokens[span_start[i] : span_stop[i]]
        _count_step(descent, window, counts[i], asked[i], excess)
        # Means move with the clock, the last ŵ only where the window stands.
        for word in words if fall > 0 else window:
            for b in range(len(excess)):
                excess[b] = raw[word, b] - (lag[word, b] / clock[1] if fall > 0 else 0.0)
            project_row(excess, shares[word])
        value += _soft_gradient(model, words, shares, target_of[span_start[i] : span_stop[i]], scores, gradient)
        climb(model, words, step, room)
    return value


@njit(cache=True)
def _count_step(descent: Descent, words: Array, counts: Array, asked: Array, excess: Array) -> None:
    """One step down ½ (Σ_j ŵ(word j, b) − N_b)² for each tag b that was asked for.

    With a falling rate γ the step is implicit, γ/(1 + γ‖a‖²) for the window's row a of (12) (Toulis and Airoldi 2017):
    no γ diverges, and as it falls all windows come to weigh the same. A constant one is the rate over ‖a‖²: at rate 1
    it fits the window.
    """
    raw, lag, clock, rate, fall = descent
    norm = 0
    for one in words:
        for other in words:
            norm += int(one == other)
    size = rate / np.sqrt(1.0 + clock[0] / fall) if fall > 0 else 0.0
    step = size / (1.0 + size * norm) if fall > 0 else rate / norm
    for b in range(len(counts)):
        excess[b] = -float(counts[b])
    for j in range(len(words)):
        for b in range(len(counts)):
            excess[b] += raw[words[j], b]
    for b in range(len(counts)):
        excess[b] = step * excess[b] if asked[b] else 0.0
    # A word that stands twice in the window moves twice as far: its gradient is twice the excess.
    for j in range(len(words)):
        for b in range(len(counts)):
            raw[words[j], b] -= excess[b]
    if fall > 0:  # Σ s ŵ_s = ŵ_t Σ s − lag: an average of all iterates that changes only where they do
        for j in range(len(words)):
            for b in range(len(counts)):
                lag[words[j], b] -= clock[1] * excess[b]
        clock[0] += 1.0
        clock[1] += clock[0]


@njit(cache=True, error_model="numpy")
def project_row(row: Array, nearest: Array) -> None:
    """The nearest distribution to a row (Michelot 1986): shift, drop what falls below zero, until nothing does.

    What is not dropped stands at the head of `nearest` until the end.
    """
    total = 0.0
    for b in range(len(row)):
        total += row[b]
        nearest[b] = row[b]
    size: Any = np.uint64(len(row))
    while True:
        shift, kept, total = (total - 1.0) / size, np.uint64(0), 0.0
        for b in range(size):  # nobody foresees what is dropped: all are written, and counted where they stay
            value = nearest[b]
            stays = value > shift
            nearest[kept] = value
            total += value if stays else 0.0
            kept += np.uint64(stays)
        if kept == size:
            break
        size = kept
    for b in range(len(row)):
        nearest[b] = max(row[b] - shift, 0.0)


@njit(cache=True)
def marginal_pass(
    model: Model, text: Text, order: Array, counts: Array, asked: Array, inference: Array, work: Array | None,
    plain: int | None, merged: int | None, step: Step,
) -> float:  # fmt: skip
    """Ascend the log-likelihood of the windows' counts (2); its value.

    The gradient at a position of the window is its posterior given the counts less the model's marginal,
    and zero outside. `inference` says for each window how the posterior is found; `asked` which tags were
    counted. The exact inference works in `work` (2, count vectors), the beams have the widths `plain` and `merged`:
    None for an inference that no window asks for, which is then not compiled.
    """
    tokens, start, stop = text
    scores, gradient, room = scratch(model, longest(text, order))
    value = 0.0
    for i in order:
        words = tokens[start[i] : stop[i]]
        score_words(model[0], model[2], words, scores)
        for j in range(len(words)):
            value -= negative_softmax(scores[j], gradient[j])
        value += add_posterior(scores[: len(words)], counts[i], asked[i], inference[i], work, plain, merged, gradient)
        climb(model, words, step, room)
    return value


@njit(cache=True)
def posterior_marginals(
    theta: Array, features: Array, text: Text, counts: Array, asked: Array, inference: Array, work: Array | None,
    plain: int | None, merged: int | None, post: Array,
) -> None:  # fmt: skip
    """Write the posteriors of all windows given their counts, window after window, into `post` (zeros).

    The inferences are given as in `marginal_pass`.
    """
    tokens, start, stop = text
    scores, place = np.empty((longest(text, np.arange(len(start))), theta.shape[1])), 0
    for i in range(len(start)):
        words = tokens[start[i] : stop[i]]
        score_words(theta, features, words, scores)
        end = place + len(words)
        add_posterior(scores[: len(words)], counts[i], asked[i], inference[i], work, plain, merged, post[place:end])
        place = end


@njit(cache=True, inline="always")
def add_posterior(
    scores: Array, counts: Array, asked: Array, inference: int, work: Array | None, plain: int | None,
    merged: int | None, total: Array,
) -> float:  # fmt: skip
    """Add a window's posterior marginals given its counts to `total`; the log evidence.

    Tags that were not asked for share what the counts leave over: they enter the inference as one tag whose
    weight is the sum of theirs, and divide its posterior by their model probabilities.
    """
    w, k = scores.shape
    seen = np.empty(k + 1, np.int64)
    seen_counts = np.empty(k + 1, np.int64)
    found, rest = 0, w
    for b in range(k):
        if asked[b] and counts[b] > 0:
            seen[found] = b
            seen_counts[found] = counts[b]
            found += 1
            rest -= counts[b]
    columns = found + (rest > 0)
    potentials, post = np.empty((w, columns)), np.empty((w, columns))
    for j in range(w):
        for c in range(found):
            potentials[j, c] = scores[j, seen[c]]
        if rest > 0:
            potentials[j, found] = _log_sum(scores[j], asked)
    seen_counts[found] = rest
    evidence = -np.inf
    # numba drops the branch of an argument that is None before it compiles what the branch calls.
    if work is not None and inference == EXACT:
        evidence = exact(potentials, seen_counts[:columns], post, work)
    if plain is not None and inference == BEAM:
        evidence = beam(potentials, seen_counts[:columns], post, plain)
    if merged is not None and inference == MERGED:
        evidence = merged_beam(potentials, seen_counts[:columns], post, merged)
    for j in range(w):
        for c in range(found):
            total[j, seen[c]] += post[j, c]
        if rest > 0:
            for b in range(k):
                if not asked[b]:
                    total[j, b] += post[j, found] * np.exp(scores[j, b] - potentials[j, found])
    return evidence


@njit(cache=True)
def _log_sum(scores: Array, asked: Array) -> float:
    """Log Σ exp(scores) over the tags not asked for."""
    top = -np.inf
    for b in range(len(scores)):
        if not asked[b]:
            top = max(top, scores[b])
    total = 0.0
    for b in range(len(scores)):
        if not asked[b]:
            total += np.exp(scores[b] - top)
    return float(top + np.log(total))
