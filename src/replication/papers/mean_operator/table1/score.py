"""Table 1 by computation: which losses have a linear odd part, with which constant, and which even part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.mean_operator.table1.settings import Score
from replication.randomness import Trial
from unveil.estimators.statistics.losses import LOSSES, OTHER_LOSSES, Curve
from unveil.estimators.statistics.proper_losses import ENTROPY, ROOT, mixture, symmetric_proper_loss
from unveil.theory.factorization import best_constant, odd_residual
from unveil.types import Floats

COLUMNS = ["loss", "a", "holds", "max_residual"]
MORE = ["even_residual"]
#: What rounding may leave of a residual that is zero, relative to the loss.
ROUNDING = 1e-12


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """On a grid of margins: the best a, what is left of f(x) − f(−x) + a·x, and how far the even term is off."""
    x = np.linspace(-settings.reach, settings.reach, settings.points)
    weight = settings.mixture_weight
    proper = symmetric_proper_loss(mixture(ENTROPY, ROOT, weight), weight + (1 - weight) / 2)
    losses: dict[str, Curve] = {**_written_out(settings.rho), "proper_mixture": proper, **OTHER_LOSSES}
    printed: dict[str, Curve] = {**_printed_even(settings.rho), "proper_mixture": proper.even}
    rows = [_row(name, loss, printed.get(name), x) for name, loss in losses.items()]
    return pd.DataFrame(rows)[COLUMNS + MORE]


def _row(name: str, loss: Curve, even: Curve | None, x: Floats) -> dict[str, object]:
    values = loss(x)
    a = best_constant(loss, x)
    residual = float(np.max(np.abs(odd_residual(loss, a, x))))
    apart = np.nan if even is None else float(np.max(np.abs((values + loss(-x)) / 2 - even(x))))
    holds = residual <= ROUNDING * float(np.max(np.abs(values)))
    return {"loss": name, "a": a, "holds": holds, "max_residual": residual, "even_residual": apart}


def _written_out(rho: float) -> dict[str, Curve]:
    """The losses in the form in which they are printed, not in the library's, which is split already."""
    plain: dict[str, Curve] = {
        "absolute": lambda x: rho * np.abs(x) - rho * x + 1,
        "linear": lambda x: -x,
        "logistic": lambda x: np.logaddexp(0, -x),
        "square": lambda x: (1 - x) ** 2,
        "matsushita": lambda x: np.sqrt(1 + x**2) - x,
        "modified_huber": lambda x: np.where(x < -1, -4 * x, np.maximum(0, 1 - x) ** 2),
        "cauchy": lambda x: np.log1p(x**2) - x,
    }
    return plain


def _printed_even(rho: float) -> dict[str, Curve]:
    """The even terms of the table's third column; the library's own for the two losses the table does not have."""
    return {
        "absolute": lambda x: rho * np.abs(x) + 1,
        "linear": lambda x: 0 * x,
        "logistic": lambda x: np.log(2 + np.exp(x) + np.exp(-x)) / 2,
        "square": lambda x: 1 + x**2,
        "matsushita": lambda x: np.sqrt(1 + x**2),
        "modified_huber": LOSSES["modified_huber"].even,
        "cauchy": LOSSES["cauchy"].even,
    }
