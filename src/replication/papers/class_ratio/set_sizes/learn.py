"""Many small against few large sets, the learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.papers.class_ratio.arms import below, only, part
from replication.papers.class_ratio.matching import estimate, inputs_of, match
from replication.randomness import Trial
from unveil.types import Array, Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    copies: Sequence[int],
    mechanisms: Sequence[str],
) -> Arrays:
    """Estimated class ratios of every test set, named `<data set>/<copies>/<mechanism>`."""
    learned: dict[str, Array] = {}
    for dataset, arrays in public.items():
        for copy in copies:
            veiled = part(only(released), dataset, copy)
            matched = match(veiled, inputs_of(arrays))
            found = {name: estimate(matched, veiled[name]) for name in mechanisms if name in veiled}
            learned |= below(found, dataset, copy)
    return learned
