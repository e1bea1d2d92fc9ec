"""What the claims about the paper's mathematics share: the quantities of the figure `theory`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from replication.judging.claim import Matters, Measure, measure
from replication.judging.statistics import exactly, rows
from replication.judging.verdicts import Form, Observation

#: What is exact is computed to this precision, relative to numbers of the order of one.
ROUNDING = Matters(1e-6, "both sides are exact, so that more than rounding is a difference")
#: Iterations and quadrature stop at this precision.
CONVERGED = Matters(1e-4, "what is iterated or searched is known to this precision")


def equal(*quantities: str) -> Measure:
    """Each case's value less what is stated of it: zero is claimed."""
    return _gaps(quantities, lambda gap: gap)


def at_most(*quantities: str) -> Measure:
    """How far each value exceeds what is stated: an upper bound allows nothing beyond it."""
    return _gaps(quantities, lambda gap: gap.clip(lower=0.0))


def at_least(*quantities: str) -> Measure:
    """How far each value falls short of what is stated."""
    return _gaps(quantities, lambda gap: gap.clip(upper=0.0))


@measure
def _gaps(scores: pd.DataFrame, quantities: Sequence[str], of: Callable[[pd.Series], pd.Series]) -> list[Observation]:
    own = rows(scores, quantity=list(quantities))
    gaps = of(own["value"] - own["stated"])
    return exactly(dict(zip(_names(own), gaps, strict=True)), Form.SAME)


def _names(own: pd.DataFrame) -> list[str]:
    """The cases, with the quantity before them where there are several."""
    several = len(set(own["quantity"])) > 1
    return list(own["quantity"].str.replace("_", " ") + ": " + own["case"] if several else own["case"])


def values(scores: pd.DataFrame, quantity: str) -> dict[str, float]:
    """The value of each case."""
    found = rows(scores, quantity=quantity).set_index("case")["value"]
    return {str(case): float(value) for case, value in found.items() if np.isfinite(value)}
