"""Claims of Patrini and co-authors (2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from replication.judging.statistics import differences, exactly, name, over_trials, rows
from replication.judging.verdicts import CannotTell, Claim, Form, Matters, Measure, Observation, Quantifier

#: The losses of table 1.
TABLE_1 = ["logistic", "square", "matsushita", "absolute", "linear"]
#: What rounding may leave of a difference that is zero.
ROUNDING = 1e-9
EXACT = Matters(ROUNDING, "exact: more than rounding is real")


def linear_odd(scores: pd.DataFrame) -> list[Observation]:
    """How far below rounding the odd part of every loss of table 1 is from a straight line."""
    found = rows(scores, loss=TABLE_1).set_index("loss")
    return exactly({str(loss): row["max_residual"] for loss, row in found.iterrows()}, Form.SAME)


def printed_even_terms(scores: pd.DataFrame) -> list[Observation]:
    """How far below rounding the even terms of table 1 are from those computed from the loss."""
    found = rows(scores, loss=TABLE_1).set_index("loss")["even_residual"]
    return exactly({str(loss): value for loss, value in found.items()}, Form.SAME)


def beyond_proper_losses(scores: pd.DataFrame) -> list[Observation]:
    """ρ|x| − ρx + 1 factorises, the hinge does not."""
    holds = rows(scores, loss=["absolute", "hinge"]).set_index("loss")["holds"].astype(bool)
    if set(holds.index) != {"absolute", "hinge"}:
        raise CannotTell("the scores lack one of the two losses")
    return exactly({"absolute": 1.0 if holds["absolute"] else -1.0, "hinge": -1.0 if holds["hinge"] else 1.0})


def parts_add_up(scores: pd.DataFrame) -> list[Observation]:
    """Even plus odd part is the loss, for each loss drawn."""
    gap = (scores["value"] - scores["even"] - scores["odd"]).abs() / (1 + scores["value"].abs())
    worst = gap.groupby(scores["loss"]).max()
    return exactly({str(loss): value for loss, value in worst.items()}, Form.SAME)


def even_part_tells_loss(scores: pd.DataFrame) -> list[Observation]:
    """Whether losses that differ have different even parts: among losses with one slope a, and with any.

    For any slope, twice the odd part on the same even part is another linear-odd loss: only one without an odd part
    has no such twin.
    """
    parts = {str(loss): part for loss, part in scores.groupby("loss") if _is_line(part)}
    if not parts:
        raise CannotTell("no loss drawn is linear-odd")
    margins = {}
    for (one, first), (other, second) in combinations(parts.items(), 2):
        gap = {part: np.abs(first[part].to_numpy() - second[part].to_numpy()).max() for part in ("even", "odd")}
        if gap["odd"] < ROUNDING:
            margins[f"a fixed ({one} and {other})"] = gap["even"]
    twins = {loss: part["odd"].abs().max() for loss, part in parts.items()}
    steepest = max(twins, key=lambda loss: twins[loss])
    margins[f"any a ({steepest} and its steeper twin)"] = 2 * ROUNDING - twins[steepest]
    return exactly(margins)


def _is_line(part: pd.DataFrame) -> bool:
    """Whether the odd part is linear on the grid."""
    slope = float(np.dot(part["x"], part["odd"]) / np.dot(part["x"], part["x"]))
    return bool((part["odd"] - slope * part["x"]).abs().max() < ROUNDING * (1 + part["odd"].abs().max()))


def bound(theorem: int, limit: str, measured: str) -> Measure:
    """Theorem 6: log of the bound over what was measured, smallest over trials, by loss."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, theorem=theorem, quantity=[limit, measured])
        keys = ["loss", "d", "trial"]
        table = own.pivot_table(index=keys, columns="quantity", values="value")
        if not {limit, measured} <= set(table):
            raise CannotTell("the scores lack the bound or what it bounds")
        margin = np.log(table[limit] / table[measured]).groupby("loss").min()
        # A bound that is attained is a bound.
        return exactly({str(loss): value + 1e-6 for loss, value in margin.items()})

    return measure


def failures(quantities: Sequence[str]) -> Measure:
    """Theorem 10: how far the probability that the bound fails is below δ, by d, in each reading."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        found = rows(scores, theorem=10, quantity=list(quantities))
        # With one dimension all readings are the same, and the exact one stands for them.
        found = found[(found["d"] > 1) | (found["quantity"] == "failure_axis")]
        margins = found["delta"] - found["value"] + 1e-6
        labels = found["quantity"].str.removeprefix("failure_") + ", d = " + found["d"].astype(str)
        worst = margins.groupby(labels).min()
        return exactly({str(setting): value for setting, value in worst.items()})

    return measure


def keeps_its_level(mechanism: str, dataset: str) -> Measure:
    """The claimed level minus the true one, relative to the former."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        found = rows(scores, mechanism=mechanism, dataset=dataset)
        excess = (1 - found["true_alpha"] / found["alpha"]).groupby(found["alpha"]).min()
        return exactly({name(["α"], alpha): value + 1e-6 for alpha, value in excess.items()})

    return measure


def linear_rate(dataset: str) -> Measure:
    """The slope of the release's error against m, on logarithmic axes, is below −3/4: nearer −1 than −1/2."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, dataset=dataset, mechanism=["printed", "laplace", "gamma"])
        own = own.dropna(subset=["statistic_error"])
        samples = {}
        for mechanism, part in own.groupby("mechanism"):
            cells = part.pivot_table(index="trial", columns="m", values="statistic_error")
            if cells.shape[1] < 2:
                raise CannotTell("the scores have one size only")
            slopes = np.polyfit(np.log(cells.columns.to_numpy(dtype=float)), np.log(cells.to_numpy().T), 1)[0]
            samples[str(mechanism)] = -0.75 - slopes
        return over_trials(samples)

    return measure


def homogeneity_matters(dataset: str) -> Measure:
    """Accuracy of mean map from homogeneous bags minus that from sorted ones, without noise."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, dataset=dataset, method="mean_map", mechanism="none")
        own = own.assign(points=100 * own["accuracy"])
        more, less = {"bagging": "homogeneous"}, {"bagging": "sorted"}
        return over_trials(differences(own, "points", more, less, ["bags"]))

    return measure


DATASETS = ("census", "mnist", "breast_cancer")


def _each(
    id_: str,
    text: str,
    place: str,
    figure: str,
    judge: Callable[[str], Measure],
    quantifier: Quantifier,
    quantity: str,
    unit: str,
    matters: Matters,
) -> list[Claim]:
    """One claim a data set."""
    words = {dataset: dataset.replace("_", " ") for dataset in DATASETS}
    return [
        Claim(
            f"{id_}-{word.replace(' ', '-')}",
            f"{text} ({word}).",
            place,
            figure,
            judge(dataset),
            quantifier,
            quantity,
            unit,
            matters,
            (dataset,),
        )
        for dataset, word in words.items()
    ]


CLAIMS: tuple[Claim, ...] = (
    Claim("theorem-3-table-1", "The losses of table 1 have a linear odd part.",
          "theorem 3, table 1", "table1", linear_odd, Quantifier.ALL,
          "distance of the odd part from a line", "loss", EXACT),
    Claim("table-1-even-terms", "Their even terms are those printed.",
          "table 1", "table1", printed_even_terms, Quantifier.ALL,
          "printed less computed even term", "loss", EXACT),
    Claim("not-only-proper-losses", "A loss with a kink factorises too, but the hinge does not.",
          "section 2", "table1", beyond_proper_losses, Quantifier.ALL,
          "as claimed (1) or not (−1)", "sign", EXACT),
    Claim("figure-1-parts", "The even and odd parts add up to the loss.",
          "figure 1", "fig1", parts_add_up, Quantifier.ALL,
          "loss less the sum of its parts", "loss", EXACT),
    Claim("lemma-5-one-to-one", "Linear-odd losses correspond one to one with even functions.",
          "lemma 5", "fig1", even_part_tells_loss, Quantifier.ALL,
          "distance of even parts", "loss", EXACT),
    Claim("theorem-6", "The minimiser moves by at most the shift of the statistic over λ.",
          "theorem 6", "bounds", bound(6, "stated", "measured"), Quantifier.ALL,
          "bound over what it bounds", "factor (log)", EXACT),
    Claim("theorem-10", "With probability 1 − δ the noise moves the objective by at most the bound.",
          "theorem 10", "bounds", failures(["failure_axis", "failure_diagonal", "failure_uniform"]), Quantifier.ALL,
          "δ less the probability that the bound fails", "probability", EXACT),
    *_each("theorem-9-privacy", "The noisy mean operator is α-label private", "theorem 9", "release",
           partial(keeps_its_level, "printed"), Quantifier.ALL, "claimed less true level, over the former", "relative",
           EXACT),
    Claim("linear-rate", "The error of the release falls linearly in the number of records (census).",
          "section 4.1", "release", linear_rate("census"), Quantifier.ALL,
          "slope of −3/4 less that of the error in m", "slope of logarithms",
          Matters(0.01, "far below the gap of rates"), ("census",)),
    *_each("mean-map-needs-homogeneity", "Mean map needs bags whose classes look alike",
           "section 3", "proportions", homogeneity_matters, Quantifier.ALL,
           "accuracy, homogeneous less sorted bags", "points of accuracy", Matters(1.0, "one record in a hundred")),
)  # fmt: skip
