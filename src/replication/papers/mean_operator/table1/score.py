"""Table 1 by computation: which losses have a linear odd part, with which constant, and which even part.

And what theorem 3, corollary 4 and (1)–(3) say of them, on one small sample with all of its labelings.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.optimize import minimize_scalar

from replication.papers.mean_operator.factorization import (
    best_constant,
    conditional_log_likelihood,
    labelled_risk,
    odd_residual,
)
from replication.papers.mean_operator.table1.settings import Score
from replication.randomness import Trial
from unveil.estimators.statistics.losses import LOSSES, OTHER_LOSSES, Curve
from unveil.estimators.statistics.proper_losses import ENTROPY, ROOT, mixture, symmetric_proper_loss
from unveil.types import Floats

COLUMNS = ["loss", "a", "holds", "max_residual"]
MORE = ["even_residual", "printed_a", "risk_gap", "terms_gap", "same_mu_gap", "other_mu_gap"]
MORE += ["likelihood_gap", "conjugate_gap"]
#: A loss with its even term and its a, −(a/2)·x being the odd one; of a loss whose odd part bends there is neither.
Printed: TypeAlias = tuple[Curve, Curve | None, float]
#: What rounding may leave of a residual that is zero, relative to the loss.
ROUNDING = 1e-12
#: Records and features of the sample on which whole risks are compared, and how many models.
RECORDS, FEATURES, MODELS = 8, 3, 10


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """On a grid of margins: the best a, what is left of f(x) − f(−x) + a·x, and how far the even term is off.

    Then on a sample: how far (4) is off, how far its two terms are from those that risks alone determine, by how much
    risks differ between labelings with one mean operator (at most) and with two (at least).
    """
    x = np.linspace(-settings.reach, settings.reach, settings.points)
    weight = settings.mixture_weight
    scale = weight + (1 - weight) / 2
    proper = symmetric_proper_loss(mixture(ENTROPY, ROOT, weight), scale)
    known: dict[str, Printed] = {**_print_forms(settings.rho), "proper_mixture": (proper, proper.even, 1 / scale)}
    known |= {name: (loss, None, np.nan) for name, loss in OTHER_LOSSES.items()}
    sample = _Sample(trials[0].rng)
    rows = [
        {
            **_row(name, loss, even, x),
            "printed_a": a,
            **sample.row(loss, x),
            # (1)–(3) are about the logistic loss alone.
            "likelihood_gap": sample.likelihood_gap(loss) if name == "logistic" else np.nan,
            "conjugate_gap": _conjugate_gap(name, loss, a),
        }
        for name, (loss, even, a) in known.items()
    ]
    return pd.DataFrame(rows)[COLUMNS + MORE]


#: Permissible functions of the caption's losses, with where they are defined; each loss is φ*(−x)·a.
PERMISSIBLE: dict[str, tuple[Curve, tuple[float, float]]] = {
    "logistic": (ENTROPY.phi, (0.0, 1.0)),
    "square": (lambda u: u * (u - 1), (-9.0, 9.0)),
    "matsushita": (ROOT.phi, (0.0, 1.0)),
}


def _conjugate_gap(name: str, loss: Curve, a: float) -> float:
    """How far φ*(−x) is from φ*(x) − x, and a·φ*(−x) from the loss: conjugates by search, without φ's symmetry."""
    if name not in PERMISSIBLE:
        return float("nan")
    phi, ends = PERMISSIBLE[name]

    def conjugate(x: float) -> float:
        found = minimize_scalar(lambda u: float(phi(np.array(u))) - x * u, bounds=ends, options={"xatol": 1e-12})
        return -float(found.fun)

    pairs = [(float(x), conjugate(float(x)), conjugate(float(-x))) for x in np.linspace(-3, 3, 13)]
    return max(max(abs(down - up + x), abs(a * down - float(loss(np.array(x))))) for x, up, down in pairs)


def _row(name: str, loss: Curve, even: Curve | None, x: Floats) -> dict[str, object]:
    values = loss(x)
    a = best_constant(loss, x)
    residual = float(np.max(np.abs(odd_residual(loss, a, x))))
    apart = np.nan if even is None else float(np.max(np.abs((values + loss(-x)) / 2 - even(x))))
    holds = residual <= ROUNDING * float(np.max(np.abs(values)))
    return {"loss": name, "a": a, "holds": holds, "max_residual": residual, "even_residual": apart}


class _Sample:
    """A few records under every labeling, and a few models; the third record is the sum of the first two.

    So labels (+, +, −) and (−, −, +) of these three have the same mean operator.
    """

    def __init__(self, rng: Generator) -> None:
        self.X: Floats = rng.standard_normal((RECORDS, FEATURES))
        self.X[2] = self.X[0] + self.X[1]
        self.thetas: Floats = rng.standard_normal((MODELS, FEATURES))
        self.labelings = np.array(list(product((-1, 1), repeat=RECORDS)))
        self.operators: Floats = self.labelings @ self.X / RECORDS

    def row(self, loss: Curve, x: Floats) -> dict[str, float]:
        """The gaps of one loss, in units of its risk at the same model."""
        margins = self.thetas @ self.X.T
        risks = loss(margins[:, None, :] * self.labelings).mean(axis=2)
        a, size = best_constant(loss, x), 1 + np.abs(risks).max(axis=1)
        free = (loss(margins) + loss(-margins)).mean(axis=1) / 2
        along = self.thetas @ self.operators.T
        factorised = free[:, None] - a / 2 * along
        terms = [np.polyfit(pull, risk, 1) for pull, risk in zip(along, risks, strict=True)]
        off = [abs(slope + a / 2) + abs(start - e) for (slope, start), e in zip(terms, free, strict=True)]
        same, other = self._apart(risks / size[:, None])
        return {
            "risk_gap": float((np.abs(risks - factorised).max(axis=1) / size).max()),
            "terms_gap": float((np.array(off) / size).max()),
            "same_mu_gap": same,
            "other_mu_gap": other,
        }

    def _apart(self, risks: Floats) -> tuple[float, float]:
        """Between labelings with one mean operator the most that risks differ; with two, the least over pairs."""
        gaps = np.abs(risks[:, :, None] - risks[:, None]).max(axis=0)
        alike = np.abs(self.operators[:, None] - self.operators).max(axis=2) < 1e-9
        return float(gaps[alike].max()), float(gaps[~alike].min())

    def likelihood_gap(self, logistic: Curve) -> float:
        """(1) against (3): the mean log-likelihood of θ against minus the logistic risk at 2θ."""
        pairs = product(self.thetas, self.labelings)
        return max(
            abs(conditional_log_likelihood(theta, self.X, y) / RECORDS + labelled_risk(logistic, 2 * theta, self.X, y))
            for theta, y in pairs
        )


def _print_forms(rho: float) -> dict[str, Printed]:
    """The table's losses as they are printed, not as the library has them, which is split already.

    Of the last two losses, which the table lacks, the even term is the library's.
    """
    return {
        "absolute": (lambda x: rho * np.abs(x) - rho * x + 1, lambda x: rho * np.abs(x) + 1, 2 * rho),
        "linear": (lambda x: -x, lambda x: 0 * x, 2.0),
        "logistic": (lambda x: np.logaddexp(0, -x), lambda x: np.log(2 + np.exp(x) + np.exp(-x)) / 2, 1.0),
        "square": (lambda x: (1 - x) ** 2, lambda x: 1 + x**2, 4.0),
        "matsushita": (lambda x: np.sqrt(1 + x**2) - x, lambda x: np.sqrt(1 + x**2), 2.0),
        "modified_huber": (
            lambda x: np.where(x < -1, -4 * x, np.maximum(0, 1 - x) ** 2), LOSSES["modified_huber"].even, np.nan
        ),
        "cauchy": (lambda x: np.log1p(x**2) - x, LOSSES["cauchy"].even, np.nan),
    }  # fmt: skip
