"""Section 7, figure 6: regression from privately released products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin, measure, vary
from replication.judging.statistics import alike, by_trial, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier

#: The paper's two data sets.
DATASETS = ("housing", "songs")
#: What "α" can mean where φ-RR by value spends α on a record of norm δ̄: the record's level, or that of a statistic.
READINGS = ("α", "α/δ̄")
#: The estimator that stands for the paper's, which does not say how it inverts an indefinite matrix.
PRIMARY = "moments_truncated"
#: A total level that is called private elsewhere at most.
IN_ALL = 10.0
#: Levels that are this near are one: those of figure 6 are round in α on one data set, in α/δ̄ on another.
NEAR = 1.05

SOLVER = vary("solver", "silent, also where the estimated matrix is indefinite",
              "eigenvalues below the noise are dropped", estimator=("moments_ridge",))  # fmt: skip
MODERATE = Choice(
    "moderate",
    "“for moderate values of α”: no number, and on figure 6's axes none is legible",
    "3 to 10, once as α and once as α/δ̄",
    {
        "α from 3 to 10": {"readings": ("α",)},
        "α/δ̄ from 3 to 10, where there is a δ̄": {"readings": ("α/δ̄",)},
        "1 to 10, either way": {"moderate": (1.0, 10.0)},
        "10 to 30, either way": {"moderate": (10.0, 30.0)},
    },
)
SCALING = Choice(
    "scaling", "silent; R² is uncentred", "x and y in [0, 1] by public ranges, not centred",
    {"centred around the training means": {"centred": True}},
)  # fmt: skip
#: What is said of the protocol and leaves something to assume; the scores hold no alternative.
DECLARED = (
    Choice("which-data", "“housing” and “songs” by their numbers at mlcomp, 840 and 748, a site that is gone",
           "Boston housing and the million songs' years (YearPredictionMSD)"),
    Choice("test-set", "“the test set”: no size", "a fifth of housing, drawn anew in each trial; the songs' own split"),
    Choice("law-of-j", "“[x_i², x_i x_j, x_j²]”: what j is, is unsaid", "any other feature, equally likely"),
    Choice("noise-of-three", "three bits “with suitable noise”", "α/3 for each of the three"),
)  # fmt: skip
#: Per-value release is said to be for sparse statistics, and housing's are not; what is made so has this name.
SPARSE = "silent on what of housing is zero", "products of the scaled features"
STATISTICS = Choice("statistics-of-housing", *SPARSE, {"one bit a feature, few of them ones": {
    "datasets": ("housing_sparse", "songs")}})  # fmt: skip
PROTOCOL = (SOLVER, SCALING, STATISTICS, *DECLARED)
SMALL_LOSS = Matters(0.05, "a twentieth of the response's square: what could be read from figure 6")


def _levels(scores: pd.DataFrame, datasets: Sequence[str], centred: bool) -> pd.DataFrame:
    """The rows of figure 6's first panel, with their level by either reading; data without a δ̄ has one."""
    own = rows(scores, dataset=list(datasets), centred=centred, panel="alpha")
    return own.assign(**{"α": own["alpha"], "α/δ̄": own["alpha"] / own["delta_bar"]})


def _by_trial(own: pd.DataFrame, estimator: str, value: str) -> dict[tuple[str, float], pd.Series]:
    """A measure by trial, for every data set and α; infinite where nothing is private."""
    found = rows(own, estimator=estimator)
    return {
        (str(dataset), float(alpha)): part.groupby("trial")[value].mean()
        for (dataset, alpha), part in found.groupby(["dataset", "alpha"])
    }


def _moderate(
    own: pd.DataFrame, estimator: str, value: str, moderate: Sequence[float], readings: Sequence[str]
) -> dict[str, tuple[str, pd.Series]]:
    """The data set and the measure by trial, at every moderate level by every reading; α where there is no δ̄."""
    found = {}
    private = rows(own, estimator=estimator)
    for reading in readings:
        level = private[reading] if reading == "α" else private[reading].fillna(private["α"])
        inside = private[(level >= min(moderate) / NEAR) & (level <= max(moderate) * NEAR)].assign(level=level)
        for (dataset, at), part in inside.groupby(["dataset", "level"]):
            name = reading if part["delta_bar"].notna().all() else "α"
            found[f"{dataset}, {name} = {at:.3g}"] = str(dataset), part.groupby("trial")[value].mean()
    if not found:
        raise CannotTell("the scores have no moderate level")
    return found


@measure
def degrades(
    scores: pd.DataFrame, estimator: str = PRIMARY, centred: bool = False, datasets: Sequence[str] = DATASETS
) -> list[Observation]:
    """R² at the largest finite level less that at the smallest, by data set."""
    found = _by_trial(_levels(scores, datasets, centred), estimator, "r2")
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
    moderate: Sequence[float] = (3.0, 10.0),
    readings: Sequence[str] = READINGS,
    estimator: str = PRIMARY,
    datasets: Sequence[str] = DATASETS,
) -> list[Observation]:
    """How far R² at moderate levels is below that of `against`, or of the estimator itself without privacy.

    With `Form.MORE` it is the gain over `against` that is claimed.
    """
    own = _levels(scores, datasets, centred)
    ceilings = _ceilings(own, estimator, "r2", against)
    samples = {
        setting: (ceilings[dataset] - values).dropna()
        for setting, (dataset, values) in _moderate(own, estimator, "r2", moderate, readings).items()
        if dataset in ceilings
    }
    return alike(samples) if form is Form.SAME else over_trials({key: -values for key, values in samples.items()})


def _ceilings(own: pd.DataFrame, estimator: str, value: str, against: str | None) -> Mapping[str, pd.Series]:
    if against is None:
        found = _by_trial(own, estimator, value)
        return {dataset: values for (dataset, alpha), values in found.items() if np.isinf(alpha)}
    return by_trial(rows(own, estimator=against), value, ["dataset"])


@measure
def accurate(
    scores: pd.DataFrame,
    good: float = 0.8,
    share: float | None = None,
    moderate: Sequence[float] = (3.0, 10.0),
    readings: Sequence[str] = READINGS,
    estimator: str = PRIMARY,
    datasets: Sequence[str] = DATASETS,
) -> list[Observation]:
    """How far R² at moderate levels is above `good`; or skill above a `share` of least squares' own."""
    value = "r2" if share is None else "skill"
    own = _levels(scores, datasets, centred=False)
    wanted = {} if share is None else _ceilings(own, estimator, value, "least_squares")
    return over_trials({
        setting: (values - (good if share is None else share * wanted[dataset])).dropna()
        for setting, (dataset, values) in _moderate(own, estimator, value, moderate, readings).items()
    })  # fmt: skip


@measure
def loss_in_all(scores: pd.DataFrame, estimator: str = PRIMARY) -> list[Observation]:
    """The loss at the largest α, not α/δ̄, of at most ten nats that was tried."""
    own = _levels(scores, DATASETS, centred=False)
    ceilings = _ceilings(own, estimator, "r2", None)
    samples = {}
    for dataset, part in rows(own[own["alpha"] <= IN_ALL * NEAR], estimator=estimator).groupby("dataset"):
        largest = part[part["alpha"] == part["alpha"].max()]
        if str(dataset) in ceilings:
            gap = ceilings[str(dataset)] - largest.groupby("trial")["r2"].mean()
            samples[f"{dataset}, α = {largest['alpha'].iloc[0]:.3g}"] = gap.dropna()
    return alike(samples)


@measure
def denser(scores: pd.DataFrame, less: str = "housing", by: str = "density") -> list[Observation]:
    """How much larger a share of its statistics õ holds on songs than on another data set."""
    own = rows(scores, estimator="least_squares", centred=False)
    songs, other = (rows(own, dataset=name).groupby("trial")[by].mean() for name in ("songs_subset", less))
    return over_trials({f"songs subset against {less.replace('_', ' ')}": songs - other}, span=1.0)


@measure
def suits(scores: pd.DataFrame, own: str, other: str, estimator: str = PRIMARY) -> list[Observation]:
    """R² under a data set's own mechanism less that under the other one, at every α that both have."""
    found = _by_trial(_levels(scores, (own, other), centred=False), estimator, "r2")
    pairs = [
        (alpha, at) for name, alpha in found for of, at in found
        if (name, of) == (own, other) and np.isfinite(alpha) and max(alpha / at, at / alpha) <= NEAR
    ]  # fmt: skip
    if not pairs:
        raise CannotTell("the scores have no α at which both mechanisms were tried")
    return over_trials({f"α = {alpha:.3g}": (found[own, alpha] - found[other, at]).dropna() for alpha, at in pairs})


CLAIMS: tuple[Claim, ...] = (
    Claim("privacy-degrades-regression",
          "On housing and songs the (uncentred) R² of private regression falls as the privacy constraint tightens.",
          "section 7, figure 6", "fig6", degrades(), Quantifier.ALL,
          "uncentred test R², at the weakest finite level minus that at the strictest", "R²", SMALL_LOSS, DATASETS,
          short="Private regression gets worse as privacy tightens", choices=PROTOCOL),
    Claim("moderate-α",
          "On housing and songs, for moderate α (from 3 to 10, as the level of a record and, on housing, as that of a "
          "statistic, α/δ̄: the paper gives no numbers), the loss of (uncentred) R² to privacy is not significant.",
          "section 7, figure 6", "fig6", loss(), Quantifier.ALL,
          "uncentred test R² (a constant predictor reaches most of it), without privacy minus that at moderate α",
          "R²", SMALL_LOSS, DATASETS,
          short="At moderate α privacy costs regression little", choices=(MODERATE, *PROTOCOL)),
    Claim("regression-accuracy-good",
          "In regression, too, the moment estimator obtains good accuracies: an (uncentred) R² of at least 0.8 at "
          "moderate α (here).",
          "section 1, last paragraph, and figure 6", "fig6", accurate(), Quantifier.ALL,
          "uncentred test R² at a moderate level minus 0.8", "R²", SMALL_LOSS, DATASETS,
          short="Private regression from moments is accurate", headline=True,
          choices=(MODERATE, Choice("good-R²", "“good accuracies”: no number", "an uncentred R² of at least 0.8", {
              "0.5": {"good": 0.5}, "0.9": {"good": 0.9}, "half of least squares' skill": {"share": 0.5},
          }), SOLVER, STATISTICS, *DECLARED)),
    Claim("songs-are-dense",
          "On songs õ is dense, which is why coordinate release serves there: denser than on housing, where per-value "
          "release serves.",
          "section 7, on figure 6", "fig6", denser(), Quantifier.ALL,
          "‖õ‖₁ as a share of the number of statistics, songs minus housing", "share",
          Matters(0.05, "a twentieth of the statistics"), ("housing", "songs_subset"),
          short="The statistics of songs are denser than those of housing",
          choices=(Choice("dense", "“õ is a dense vector”: no measure", "by its 1-norm, as section 3.2 has it",
                          {"by the share of statistics that are not zero": {"by": "filled"}}),
                   Choice("statistics-of-housing", *SPARSE,
                          {"one bit a feature, few of them ones": {"less": "housing_sparse"}}), *DECLARED[:1])),
    Claim("coordinate-release-suits-songs",
          "On songs (here on the real rows at hand) coordinate release serves better than per-value φ-RR at the same "
          "α.",
          "section 7, on figure 6, and section 3.2", "fig6", suits("songs_subset", "songs_subset_per_value"),
          Quantifier.TYPICAL,
          "uncentred test R², coordinate release minus per-value φ-RR", "R²", SMALL_LOSS, ("songs_subset",),
          short="Coordinate release serves songs better than per-value φ-RR",
          choices=(SOLVER, *DECLARED, Choice("records", "463,715 songs", "8,162 of them, the real rows at hand"))),
    Claim("per-value-release-suits-housing",
          "On housing per-value φ-RR serves better than coordinate release at the same α.",
          "beside section 7, which gives no reason", "fig6", suits("housing", "housing_coordinate"),
          Quantifier.TYPICAL,
          "uncentred test R², per-value φ-RR minus coordinate release", "R²", SMALL_LOSS, ("housing",),
          origin=Origin.BEYOND, short="Per-value φ-RR serves housing better than coordinate release",
          choices=(SOLVER, *DECLARED)),
    Claim("moderate-α-against-least-squares",
          "At moderate α the loss of (uncentred) R² is small against least squares on the data themselves, too, which "
          "are not binarised.",
          "beyond figure 6", "fig6", loss("least_squares"), Quantifier.ALL,
          "uncentred test R², least squares minus private at a moderate level", "R²", SMALL_LOSS, DATASETS,
          origin=Origin.BEYOND, short="Private regression is as good as least squares in the clear",
          choices=(MODERATE, SOLVER)),
    Claim("moderate-α-beats-the-constant",
          "At moderate α private regression predicts better than a constant does.",
          "beyond figure 6", "fig6", loss("constant", form=Form.MORE), Quantifier.ALL,
          "uncentred test R² at a moderate level minus the constant predictor's", "R²",
          Matters(0.01, "a hundredth of the response's square; the constant leaves no more than a few"), DATASETS,
          origin=Origin.BEYOND, short="Private regression beats a constant prediction", choices=(MODERATE, SOLVER)),
    Claim("moderate-α-centred",
          "On centred data, where R² leaves out the mean, the loss against least squares at moderate α is small, too.",
          "beyond figure 6", "fig6", loss("least_squares", centred=True), Quantifier.ALL,
          "centred test R², least squares minus private at a moderate level", "R²", SMALL_LOSS, DATASETS,
          origin=Origin.BEYOND, short="Private regression is as good as least squares on centred data",
          choices=(MODERATE, SOLVER)),
    Claim("ten-nats-in-all",
          "At a level of at most ten nats for the whole record, the loss is small, too.",
          "beyond figure 6", "fig6", loss_in_all(), Quantifier.ALL,
          "uncentred test R², without privacy minus that at the largest α up to ten", "R²", SMALL_LOSS, DATASETS,
          origin=Origin.BEYOND, short="Ten nats for a whole record cost regression little", choices=(SOLVER,)),
)  # fmt: skip
