"""Figure 3, the learner: one kernel pass, then an estimate from each release of the proportions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unveil.experiments.class_ratio.private_sets import estimate, inputs_of, match, only
from unveil.randomness import Trial
from unveil.types import Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    mechanisms: Sequence[str],
) -> Arrays:
    """Estimated class ratios of every test set, by mechanism: (draws, tests, classes)."""
    veiled = only(released)[1]
    matched = match(veiled, inputs_of(only(public)[1]))
    return {name: estimate(matched, veiled[name]) for name in mechanisms if name in veiled}
