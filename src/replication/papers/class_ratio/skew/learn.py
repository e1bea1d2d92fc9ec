"""The skew study, the learner: as figure 3, once for every skew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replication.papers.class_ratio.arms import below, only, part
from replication.papers.class_ratio.matching import estimate, inputs_of, match
from replication.randomness import Trial
from unveil.types import Array, Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    rhos: Mapping[str, Any],
    mechanisms: Sequence[str],
) -> Arrays:
    """Estimated class ratios of every test set, named `<data set>/<position of ρ>/<mechanism>`."""
    learned: dict[str, Array] = {}
    for dataset, arrays in public.items():
        for k in range(len(rhos[dataset])):
            veiled = part(only(released), dataset, k)
            matched = match(veiled, inputs_of(arrays))
            found = {name: estimate(matched, veiled[name]) for name in mechanisms if name in veiled}
            learned |= below(found, dataset, k)
    return learned
