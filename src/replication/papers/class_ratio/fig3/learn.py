"""Figure 3, the learner: one kernel pass, then an estimate from each release of the proportions."""

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
    mechanisms: Sequence[str],
) -> Arrays:
    """Estimated class ratios of every test set, (draws, tests, classes), named `<data set>/<mechanism>`."""
    learned: dict[str, Array] = {}
    for dataset, arrays in public.items():
        veiled = part(only(released), dataset)
        matched = match(veiled, inputs_of(arrays))
        found = {name: estimate(matched, veiled[name]) for name in mechanisms if name in veiled}
        learned |= below(found, dataset)
    return learned
