"""Section 7, figure 6: regression from privately released products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, Origin, measure, vary
from replication.judging.statistics import alike, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier

#: The paper's two data sets.
DATASETS = ("housing", "songs")
#: ASSUME: levels in this range are moderate. They are α for songs, and α/δ̄ for housing, where δ̄ is the number of
#: statistics and nothing else matters: the paper says neither.
MODERATE = (3.0, 10.0)
#: Data sets under per-value φ-RR, whose level is α/δ̄.
PER_VALUE = ("housing", "california")
#: The estimator that stands for the paper's, which does not say how it inverts an indefinite matrix.
PRIMARY = "moments_truncated"
#: A total level that is called private elsewhere at most.
IN_ALL = 10.0
#: What these could as well be.
SOLVERS = (vary("solver", "silent", "eigenvalues below the noise are dropped", estimator=("moments_ridge",)),)
OTHERS = (
    *SOLVERS,
    vary(
        "moderate", "a word without a number", "3 to 10", moderate=((1.0, 3.0), (1.0, 10.0), (5.0, 10.0), (10.0, 30.0))
    ),
)
SMALL_LOSS = Matters(0.05, "a twentieth of the response's square: what could be read from figure 6")


def _levels(scores: pd.DataFrame, centred: bool) -> pd.DataFrame:
    own = rows(scores, dataset=list(DATASETS), centred=centred, panel="alpha")
    per_value = own["dataset"].isin(PER_VALUE)
    return own.assign(level=np.where(per_value, own["alpha"] / own["delta_bar"], own["alpha"]))


def _private(own: pd.DataFrame, estimator: str) -> dict[tuple[str, float], pd.Series]:
    """R² by trial, for every data set and level; infinite where nothing is private."""
    found = rows(own, estimator=estimator)
    return {
        (str(dataset), float(level)): part.groupby("trial")["r2"].mean()
        for (dataset, level), part in found.groupby(["dataset", "level"])
    }


@measure
def degrades(scores: pd.DataFrame, estimator: str = PRIMARY) -> list[Observation]:
    """R² at the largest finite level less that at the smallest, by data set."""
    found = _private(_levels(scores, centred=False), estimator)
    samples = {}
    for dataset in dict.fromkeys(key[0] for key in found):
        levels = [level for name, level in found if name == dataset and np.isfinite(level)]
        samples[dataset] = (found[dataset, max(levels)] - found[dataset, min(levels)]).dropna()
    return over_trials(samples)


@measure
def loss(
    scores: pd.DataFrame,
    against: str | None = None,
    centred: bool = False,
    form: Form = Form.SAME,
    moderate: Sequence[float] = MODERATE,
    estimator: str = PRIMARY,
) -> list[Observation]:
    """How far R² at moderate levels is below that of `against`, or of the estimator itself without privacy.

    With `Form.MORE` it is the gain over `against` that is claimed.
    """
    own = _levels(scores, centred)
    private = _private(own, estimator)
    levels = [key for key in private if min(moderate) <= key[1] * (1 + 1e-9) and key[1] <= max(moderate) * (1 + 1e-9)]
    ceilings = _ceilings(own, private, against)
    samples = {
        f"{dataset}, {'α/δ̄' if dataset in PER_VALUE else 'α'} = {level:.3g}": (
            ceilings[dataset] - private[dataset, level]
        ).dropna()
        for dataset, level in levels
        if dataset in ceilings
    }
    if not samples:
        raise CannotTell("the scores have no moderate level")
    return alike(samples) if form is Form.SAME else over_trials({key: -values for key, values in samples.items()})


def _ceilings(
    own: pd.DataFrame, private: Mapping[tuple[str, float], pd.Series], against: str | None
) -> dict[str, pd.Series]:
    if against is None:
        return {dataset: values for (dataset, level), values in private.items() if np.isinf(level)}
    found = rows(own, estimator=against)
    return {str(dataset): part.groupby("trial")["r2"].mean() for dataset, part in found.groupby("dataset")}


@measure
def loss_in_all(scores: pd.DataFrame, most: float = IN_ALL, estimator: str = PRIMARY) -> list[Observation]:
    """The loss at the largest α, not α/δ̄, of at most `most` that was tried."""
    own = _levels(scores, centred=False)
    ceilings = _ceilings(own, _private(own, estimator), None)
    samples = {}
    for dataset, part in rows(own[own["alpha"] <= most * 1.05], estimator=estimator).groupby("dataset"):
        largest = part[part["alpha"] == part["alpha"].max()]
        if str(dataset) in ceilings:
            gap = ceilings[str(dataset)] - largest.groupby("trial")["r2"].mean()
            samples[f"{dataset}, α = {largest['alpha'].iloc[0]:.3g}"] = gap.dropna()
    return alike(samples)


CLAIMS: tuple[Claim, ...] = (
    Claim("privacy-degrades-regression",
          "On housing and songs the (uncentred) R² of private regression falls as the privacy constraint tightens.",
          "section 7, figure 6", "fig6", degrades(), Quantifier.ALL,
          "uncentred test R², at the weakest less at the strictest finite level", "R²", SMALL_LOSS, DATASETS,
          short="Regression degrades as privacy tightens", choices=SOLVERS),
    Claim("moderate-α",
          "On housing and songs, for moderate α (from 3 to 10, over δ̄ on housing: the paper gives no numbers), the "
          "loss of (uncentred) R² to privacy is not significant.",
          "section 7, figure 6", "fig6", loss(), Quantifier.ALL,
          "uncentred test R² (most of which a constant predictor reaches) without privacy, α = ∞, less at a moderate "
          "level, same estimator", "R²", SMALL_LOSS,
          DATASETS, short="At moderate α privacy costs regression little", choices=OTHERS),
    Claim("moderate-α-against-least-squares",
          "At moderate α the loss of (uncentred) R² is small against least squares on the data themselves, too, which "
          "are not binarised.",
          "beyond figure 6", "fig6", loss("least_squares"), Quantifier.ALL,
          "uncentred test R², least squares less private at a moderate level", "R²", SMALL_LOSS, DATASETS,
          origin=Origin.BEYOND, short="… against least squares", choices=OTHERS),
    Claim("moderate-α-beats-the-constant",
          "At moderate α private regression predicts better than a constant does.",
          "beyond figure 6", "fig6", loss("constant", form=Form.MORE), Quantifier.ALL,
          "uncentred test R² at a moderate level less the constant predictor's", "R²",
          Matters(0.01, "a hundredth of the response's square; the constant leaves no more than a few"), DATASETS,
          origin=Origin.BEYOND, short="… and beats a constant", choices=OTHERS),
    Claim("moderate-α-centred",
          "On centred data, where R² leaves out the mean, the loss against least squares at moderate α is small, too.",
          "beyond figure 6", "fig6", loss("least_squares", centred=True), Quantifier.ALL,
          "centred test R², least squares less private at a moderate level", "R²", SMALL_LOSS, DATASETS,
          origin=Origin.BEYOND, short="… also on centred data", choices=OTHERS),
    Claim("ten-nats-in-all",
          "At a level of at most ten nats for the whole record, the loss is small, too.",
          "beyond figure 6", "fig6", loss_in_all(), Quantifier.ALL,
          "uncentred test R² without privacy less at the largest α up to ten", "R²", SMALL_LOSS, DATASETS,
          origin=Origin.BEYOND, short="… also at ten nats for the whole record",
          choices=SOLVERS),
)  # fmt: skip
