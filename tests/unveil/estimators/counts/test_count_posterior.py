from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from refusals import refused
from unveil.estimators.counts.count_posterior import (
    beam_count_posterior,
    count_states,
    count_transitions,
    exact_count_posterior,
)
from unveil.estimators.counts.dynamic_program import balance, exact_in_logs
from unveil.types import Array, Floats


def by_enumeration(potentials: Floats, counts: Array) -> tuple[Floats, float]:
    """Posterior and evidence from the list of all distinct rearrangements of the tags."""
    multiset = np.repeat(np.arange(len(counts)), counts)
    sequences = np.array(sorted(set(permutations(multiset.tolist()))))
    weights = potentials[np.arange(len(multiset)), sequences].sum(axis=1)
    evidence = logsumexp(weights)
    posterior = np.zeros_like(potentials)
    for j in range(len(multiset)):
        np.add.at(posterior[j], sequences[:, j], np.exp(weights - evidence))
    return posterior, float(evidence)


@st.composite
def windows(draw: st.DrawFn, longest: int = 6) -> tuple[Floats, Array]:
    """Potentials and counts of a short window; some tags may not occur; potentials from mild to violent."""
    k = draw(st.integers(1, 4))
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=k, max_size=k)))
    assume(1 <= counts.sum() <= longest)
    scale = draw(st.sampled_from([0.0, 1.0, 10.0, 1000.0]))
    rng = default_rng(draw(st.integers(0, 10**6)))
    return rng.normal(size=(int(counts.sum()), k)) * scale, counts


WHOLE = [exact_count_posterior, *(partial(beam_count_posterior, beam=800, merge=merge) for merge in (False, True))]


@pytest.mark.parametrize("infer", WHOLE, ids=["exact", "beam", "merged"])
@settings(max_examples=100)
@given(windows())
def test_exact_sums_and_beams_that_hold_everything_agree_with_enumeration(
    infer: Callable[..., tuple[Floats, float]], window: tuple[Floats, Array]
) -> None:
    potentials, counts = window
    posterior, evidence = infer(potentials, counts)
    expected, expected_evidence = by_enumeration(potentials, counts)
    assert_allclose(posterior, expected, atol=1e-9)
    assert_allclose(evidence, expected_evidence, rtol=1e-9, atol=1e-9)


def realistic(w: int, k: int, seed: int) -> tuple[Floats, Array]:
    rng = default_rng(seed)
    return rng.normal(size=(w, k)) * 3, np.bincount(rng.integers(0, k, w), minlength=k)


def assert_as_state_by_state(potentials: Floats, counts: Array) -> None:
    """The logarithmic route knows no blocks, and balances nothing."""
    posterior, evidence = exact_count_posterior(potentials, counts)
    seen = np.flatnonzero(counts)
    post, work = np.empty((len(potentials), len(seen))), np.empty((2, int(count_states(counts))))
    plain = exact_in_logs(potentials[:, seen].copy(), counts[seen].astype(np.int64), post, work)
    assert_allclose(evidence, plain, rtol=1e-12, atol=1e-12)
    assert_allclose(posterior[:, seen], post, atol=1e-12)


@settings(max_examples=100)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=7), st.sampled_from([0.0, 1.0, 5.0]), st.integers(0, 10**6))
def test_blocks_of_states_agree_with_state_by_state(some: list[int], scale: float, seed: int) -> None:
    """Blocks over the two commonest tags of any sizes, one tag alone, tags in any order, tags that do not occur."""
    counts = np.array(some)
    assume(counts.any())
    potentials = default_rng(seed).normal(size=(int(counts.sum()), len(counts))) * scale
    assert_as_state_by_state(potentials, counts)


@pytest.mark.parametrize(
    "some",
    [[3, 2, 2, 1, 1, 1, 1, 1], [1] * 12, [2] * 7, [1, 1, 2, 1, 6, 1, 1, 1, 1], [15, 1, 1, 1, 1, 1, 1], [1, 20, 20]],
)
def test_blocks_of_more_than_two_tags_agree_with_state_by_state(some: list[int]) -> None:
    counts = np.array(some)
    assert_as_state_by_state(default_rng(5).normal(size=(int(counts.sum()), len(counts))) * 2, counts)


def merged_by_lists(p: Floats, counts: Array, beam: int) -> tuple[Floats, float]:
    """The merged beam over lists of states, by forward sums of balanced weights."""
    levels: list[dict[tuple[int, ...], float]] = [{(0,) * len(counts): 1.0}]
    for row in p:
        made: dict[tuple[int, ...], float] = {}
        for state, weight in levels[-1].items():
            for tag in np.flatnonzero(np.array(state) < counts).tolist():
                after = (*state[:tag], state[tag] + 1, *state[tag + 1 :])
                made[after] = made.get(after, 0.0) + weight * row[tag]
        levels.append(dict(sorted(made.items(), key=lambda one: -one[1])[:beam]))
    finish, posterior = {tuple(counts): 1.0}, np.zeros_like(p)
    for j in range(len(p) - 1, -1, -1):
        earlier: dict[tuple[int, ...], float] = {}
        for state, weight in levels[j].items():
            for tag in range(len(counts)):
                after = (*state[:tag], state[tag] + 1, *state[tag + 1 :])
                step = p[j, tag] * finish.get(after, 0.0)
                posterior[j, tag] += weight * step
                earlier[state] = earlier.get(state, 0.0) + step
        finish = earlier
    evidence = levels[-1][tuple(counts)]
    return posterior / posterior.sum(axis=1, keepdims=True), float(np.log(evidence))


@settings(max_examples=60)
@given(st.integers(1, 60), st.integers(0, 10**6))
def test_the_merged_beam_keeps_what_lists_keep(beam: int, seed: int) -> None:
    potentials, counts = realistic(9, 5, seed)
    seen = np.flatnonzero(counts)
    p = np.empty((9, len(seen)))
    removed = balance(np.ascontiguousarray(potentials[:, seen]), counts[seen], p)
    posterior, evidence = beam_count_posterior(potentials, counts, beam=beam, merge=True)
    expected, expected_evidence = merged_by_lists(p, counts[seen], beam)
    assert_allclose(evidence, expected_evidence + removed, rtol=1e-9)
    assert_allclose(posterior[:, seen], expected, atol=1e-9)


def beam_by_sorting(potentials: Floats, counts: Array, beam: int) -> tuple[Floats, float]:
    """The plain beam from the list of all extensions, sorted; of equals the smaller tag is kept."""
    prefixes: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for position, row in enumerate(potentials):
        longer = [
            (score + row[tag], (parent, tag), (*prefix, tag))
            for parent, (score, prefix) in enumerate(prefixes)
            for tag in range(len(counts))
            if prefix.count(tag) < counts[tag]
        ]
        ranked = sorted(longer, key=lambda one: (-one[0], one[1][::-1]))
        prefixes = [(score, prefix) for score, _, prefix in ranked[:beam]]
        assert all(len(prefix) == position + 1 for _, prefix in prefixes)
    scores = np.array([score for score, _ in prefixes])
    posterior = np.zeros_like(potentials)
    for share, (_, prefix) in zip(np.exp(scores - logsumexp(scores)), prefixes, strict=True):
        posterior[np.arange(len(potentials)), prefix] += share
    return posterior, float(logsumexp(scores))


@settings(max_examples=60)
@given(windows(longest=7), st.integers(1, 40))
def test_merging_sorted_lists_keeps_what_sorting_keeps(window: tuple[Floats, Array], beam: int) -> None:
    potentials, counts = window
    posterior, evidence = beam_count_posterior(potentials, counts, beam=beam)
    expected, expected_evidence = beam_by_sorting(potentials, counts, beam)
    assert_allclose(evidence, expected_evidence, rtol=1e-12, atol=1e-12)
    assert_allclose(posterior, expected, atol=1e-12)


def test_beams_bound_the_evidence_from_below_and_merging_is_closer() -> None:
    distances = {False: 0.0, True: 0.0}
    for seed in range(20):
        potentials, counts = realistic(14, 8, seed)
        posterior, evidence = exact_count_posterior(potentials, counts)
        for merge in distances:
            approximate, bound = beam_count_posterior(potentials, counts, beam=60, merge=merge)
            assert bound <= evidence + 1e-9
            distances[merge] += float(np.abs(approximate - posterior).sum() / 2 / len(posterior))
    assert 0 < distances[True] < distances[False]


def test_the_plain_beam_means_little_where_nothing_is_known() -> None:
    """At θ = 0 all prefixes tie, and 500 of 10! sequences say where the tie-break looked first."""
    posterior, _ = beam_count_posterior(np.zeros((10, 10)), np.ones(10, dtype=int), beam=500)
    assert np.abs(posterior - 0.1).sum() / 2 / 10 > 0.4
    merged, _ = beam_count_posterior(np.zeros((10, 10)), np.ones(10, dtype=int), beam=500, merge=True)
    assert np.abs(merged - 0.1).sum() / 2 / 10 < 0.05


def test_long_sentences_with_uneven_potentials_stay_finite() -> None:
    potentials, counts = realistic(240, 30, seed=11)
    for merge in (False, True):
        posterior, evidence = beam_count_posterior(potentials * 30, counts, merge=merge)
        assert np.isfinite(evidence)
        assert_allclose(posterior.sum(axis=0), counts, atol=1e-6)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_states_and_transitions_are_those_of_the_grid(counts: list[int]) -> None:
    states = list(np.ndindex(*[n + 1 for n in counts]))
    assert count_states(counts) == len(states)
    assert_allclose(count_transitions(counts), sum(used < n for s in states for used, n in zip(s, counts, strict=True)))


def test_states_too_many_for_one_key_are_still_told_apart() -> None:
    """70 tags, once each; each pair of positions may exchange its two: 2³⁵ sequences weigh one, all others little."""
    pairs = np.arange(70) // 2
    potentials = np.where(pairs[:, None] == pairs[None, :], 0.0, -60.0)
    posterior, evidence = beam_count_posterior(potentials, np.ones(70, dtype=int), beam=40, merge=True)
    assert_allclose(posterior, np.where(potentials == 0, 0.5, 0.0), atol=1e-9)
    assert_allclose(evidence, 35 * np.log(2), rtol=1e-9)


BAD: list[tuple[Any, ...]] = [
    (np.zeros((3, 2)), [2, 2], "sum to the window's length 3, not 4"),
    (np.zeros((3, 2)), [4, -1], "at least 0"),
    (np.zeros((3, 2)), [1.5, 1.5], "whole numbers"),
    (np.zeros((3, 2)), [1, 1, 1], "one entry a tag"),
    (np.zeros((0, 2)), [0, 0], "not empty"),
    (np.zeros(3), [3], "shape"),
    (np.full((1, 2), np.nan), [1, 0], "log_potentials must be finite"),
    (np.full((1, 2), -np.inf), [1, 0], "log_potentials must be finite"),
    ([["a", "b"]], [1, 0], "log_potentials must hold numbers"),
    (np.zeros((1, 2)), ["a", "b"], "counts must hold numbers"),
]
test_bad_input_is_refused = refused(
    *((posterior, *case) for posterior in (exact_count_posterior, beam_count_posterior) for case in BAD),
    (exact_count_posterior, np.zeros((30, 30)), np.ones(30, dtype=int), "use beam_count_posterior"),
    (lambda: beam_count_posterior(np.zeros((1, 1)), [1], beam=0), "beam must be"),
    (beam_count_posterior, np.zeros((1, 1)), [1], 2.5, "beam must be a whole number"),
)
