"""Claims of Iyer, Nath and Sarawagi (2016)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from replication.judging.statistics import differences, exactly, name, number, over_trials, rows, variance_ratios
from replication.judging.verdicts import CannotTell, Claim, Matters, Measure, Observation, Quantifier

OURS, RIVALS = "scaled_dirichlet", ["laplace", "gaussian", "laplace_prior"]
#: ASSUME: which ε of figure 1 are small and which large; and that within half as much again is competitive.
SMALL_EPSILON, LARGE_EPSILON, COMPETITIVE = [0.01, 0.02, 0.03, 0.05], [0.15, 0.2], 1.5
#: Half a unit of the last digit that the paper prints.
ROUNDING = 0.005
L1 = Matters(0.01, "half a point of the class ratio")
EXACT = Matters(1e-9, "exact: more than rounding is real")
ERROR = (Quantifier.ALL, "L1 error, the other less the favoured", "L1", L1)
LEVEL = (Quantifier.ALL, "promised less exact δ", "probability", EXACT)
BOUND = (Quantifier.ALL, "bound over what it bounds", "factor (log)", EXACT)
DISTANCE = (Quantifier.ALL, "L1 distance, rival less ours", "L1", L1)
#: The data behind the bounds.
SETS = ("census", "mnist")
#: ASSUME: what the paper calls extreme skews of the test sets of figure 2.
EXTREME = [0.1, 0.9]


def _drawn_once(scores: pd.DataFrame) -> pd.DataFrame:
    """The draws as in the paper, where there are averages over many draws as well."""
    return rows(scores, draws=[0, 1]) if "draws" in scores else scores


def _by_rival(scores: pd.DataFrame, ours: str, value: str, by: Sequence[str]) -> dict[str, pd.Series]:
    """Each rival's `value` minus ours, paired by trial."""
    samples: dict[str, pd.Series] = {}
    for rival in RIVALS:
        found = differences(scores, value, {"mechanism": rival}, {"mechanism": ours}, by)
        samples |= {f"{setting} against {rival}": values for setting, values in found.items()}
    return samples


def lowest_distortion(panel: str, ours: str, scores: pd.DataFrame) -> list[Observation]:
    """Every rival's distortion minus ours, at every point of a panel."""
    own = rows(_drawn_once(scores), panel=panel)
    return over_trials(_by_rival(own, ours, "distortion", ["x"]))


def gains_with_classes(ours: str, scores: pd.DataFrame) -> list[Observation]:
    """The slope of our lead over each rival against the number of classes, trial by trial."""
    own = rows(_drawn_once(scores), panel="classes")
    samples = {}
    for rival in RIVALS:
        leads = differences(own, "distortion", {"mechanism": rival}, {"mechanism": ours}, ["x"])
        lengths = {len(values) for values in leads.values() if len(values)}
        x = [float(setting.split("= ")[1]) for setting, values in leads.items() if len(values)]
        if len(x) < 2 or len(lengths) != 1:
            raise CannotTell("the mechanism exists for fewer than two numbers of classes")
        lead = np.array([values for values in leads.values() if len(values)])
        samples[f"lead over {rival}"] = pd.Series(np.polyfit(x, lead, 1)[0])
    return over_trials(samples)


def printed_distortion(ours: str, scores: pd.DataFrame) -> list[Observation]:
    """The distortion at the default setting beside the two numbers printed."""
    own = rows(_drawn_once(scores), panel="classes", x=5)
    means = {rival: rows(own, mechanism=rival)["distortion"].mean() for rival in RIVALS}
    best = min(means, key=lambda rival: means[rival])
    printed = {ours: ("scaled Dirichlet, 0.06", 0.06), best: (f"best other ({best}), 0.15", 0.15)}
    return [
        number(setting, rows(own, mechanism=name_)["distortion"].dropna(), value, ROUNDING)
        for name_, (setting, value) in printed.items()
    ]


def laplace_for_large_epsilon(ours: str, scores: pd.DataFrame) -> list[Observation]:
    """Ours ahead of Laplace for small ε; Laplace at most `COMPETITIVE` times ours for large ε."""
    own = rows(_drawn_once(scores), panel="epsilon")
    small, large = own[own["x"].isin(SMALL_EPSILON)], own[own["x"].isin(LARGE_EPSILON)]
    scaled = large.assign(distortion=large["distortion"] * np.where(large["mechanism"] == ours, COMPETITIVE, 1.0))
    own_rows, laplace = {"mechanism": ours}, {"mechanism": "laplace"}
    samples = {
        **{f"small ε, {k}": v for k, v in differences(small, "distortion", laplace, own_rows, ["x"]).items()},
        **{f"large ε, {k}": v for k, v in differences(scaled, "distortion", own_rows, laplace, ["x"]).items()},
    }
    return over_trials(samples)


def smallest_variance(ours: str, scores: pd.DataFrame) -> list[Observation]:
    """Log of each rival's variance over ours, at every point of all panels."""
    own = _drawn_once(scores).dropna(subset=["distortion"])
    drawn = {keys: part["distortion"].to_numpy() for keys, part in own.groupby(["panel", "x", "mechanism"])}
    points = sorted({keys[:2] for keys in drawn})
    pairs = [(point, rival) for point, rival in product(points, RIVALS) if (*point, rival) in drawn]
    none = np.empty(0)
    return variance_ratios(
        {
            f"{name(['', 'x'], point)} against {rival}": (drawn.get((*point, ours), none), drawn[(*point, rival)])
            for point, rival in pairs
        }
    )


def keeps_delta(column: str) -> Measure:
    """δ minus the exact one, for the paper's rule, by counts."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        # Without a scale nothing is published.
        own = rows(scores, rule="paper").dropna(subset=[column, "scale"])
        if own.empty:
            raise CannotTell("the paper's rule has no scale in any setting")
        smallest = [int(min(map(float, counts.split()))) for counts in own["counts"]]
        margins = (own["delta"] - own[column]).groupby(smallest).min()
        return exactly({f"smallest count {count}": value for count, value in margins.items()}, slack=EXACT.value)

    return measure


def lower_error(dataset: str, figure_by: str, better: dict[str, str], than: dict[str, str]) -> Measure:
    """The L1 error of `than` minus that of `better`, at every test mixture."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, dataset=dataset)
        return over_trials(differences(own, "l1_error", than, better, [figure_by]))

    return measure


def seventy_percent(dataset: str, scores: pd.DataFrame) -> list[Observation]:
    """0.3 times the error of ∝SVM minus that of MMD, at the extremes: above zero where 70 % are saved."""
    own = rows(scores, dataset=dataset, positive_fraction=EXTREME, method=["mmd", "psvm"])
    scaled = own.assign(l1_error=own["l1_error"] * np.where(own["method"] == "psvm", 0.3, 1.0))
    samples = differences(scaled, "l1_error", {"method": "psvm"}, {"method": "mmd"}, ["positive_fraction"])
    return over_trials(samples)


def robust_to_shift(dataset: str, scores: pd.DataFrame) -> list[Observation]:
    """How much more ∝SVM's error than MMD's grows from an even test set to an extreme one."""
    own = rows(scores, dataset=dataset, method=["mmd", "psvm"])
    gap = differences(own, "l1_error", {"method": "psvm"}, {"method": "mmd"}, ["positive_fraction"])
    middle, ends = "positive fraction = 0.5", [name(["positive fraction"], end) for end in EXTREME]
    if middle not in gap or not set(ends) <= set(gap):
        raise CannotTell("the scores lack the even or the extreme test sets")
    return over_trials({end: gap[end] - gap[middle] for end in ends})


def sixty_percent(scores: pd.DataFrame) -> list[Observation]:
    """0.4 times the error under Laplace minus that under the scaled Dirichlet, over all mixtures of MNIST."""
    own = rows(scores, dataset="mnist", mechanism=["laplace", OURS])
    scaled = own.assign(l1_error=own["l1_error"] * np.where(own["mechanism"] == "laplace", 0.4, 1.0))
    samples = differences(scaled, "l1_error", {"mechanism": "laplace"}, {"mechanism": OURS}, [])
    return over_trials(samples)


def skewed_tests_suffer(scores: pd.DataFrame) -> list[Observation]:
    """MNIST's error under Laplace at the most skewed test mixture minus that at the even one."""
    own = rows(scores, dataset="mnist", mechanism="laplace")
    skewed, even = {"x": float(own["x"].min())}, {"x": float(own["x"].max())}
    return over_trials(differences(own, "l1_error", skewed, even, []))


def few_large_sets(dataset: str, scores: pd.DataFrame) -> list[Observation]:
    """The error with more sets minus that with the fewest, at a fixed total."""
    own = rows(scores, dataset=dataset)
    own = rows(own, mechanism="none") if "mechanism" in own else own
    fewest = int(own["sets"].min())
    few = own[own["sets"] == fewest]
    samples = {}
    for sets, part in own[own["sets"] > fewest].groupby("sets"):
        both = pd.concat([part, few])
        found = differences(both, "l1_error", {"sets": sets}, {"sets": fewest}, [])
        samples[f"{sets} sets"] = found["overall"]
    return over_trials(samples)


def skew_trades(dataset: str, scores: pd.DataFrame) -> list[Observation]:
    """With more even training sets learning without noise gets worse, and the allowed scale larger."""
    own = rows(scores, dataset=dataset)
    even, skewed = {"rho": float(own["rho"].max())}, {"rho": float(own["rho"].min())}
    found = over_trials({"learning": differences(rows(own, mechanism="none"), "l1_error", even, skewed, [])["overall"]})
    scales = rows(own, mechanism=OURS).groupby("rho")["scale"].mean().dropna().sort_index()
    if len(scales) < 2:
        raise CannotTell("the scaled Dirichlet exists for fewer than two shares")
    return [*found, *exactly({"privacy": float(np.diff(scales).min())})]


def bound_holds(quantity: str, scores: pd.DataFrame) -> list[Observation]:
    """Log of the bound over what it bounds, the smallest over trials."""
    own = rows(scores, quantity=quantity)
    margins = np.log(own["bound"] / own["actual"]).groupby(own["dataset"].fillna("exact")).min()
    return exactly({str(dataset): value for dataset, value in margins.items()})


def privacy_is_free_at_last(scores: pd.DataFrame) -> list[Observation]:
    """The smallest fall of the exact δ from one set size to the next, while ε falls as well."""
    actual = rows(scores, quantity="asymptotic_delta").set_index("n")["actual"].sort_index()
    return exactly({"δ": float(-np.diff(actual).max())})


def prior_needs_epsilon(scores: pd.DataFrame) -> list[Observation]:
    """The smallest growth of the ε that a prior of fixed mass needs, from one number of classes to the next."""
    actual = rows(scores, quantity="prior_floor").set_index("n")["actual"].sort_index()
    return exactly({"ε": float(np.diff(actual).min())})


def bound_is_informative(scores: pd.DataFrame) -> list[Observation]:
    """How far Theorem 1's bound is below 2, which no L1 error between proportions exceeds."""
    first = rows(scores, quantity="theorem_1")
    margins = (2 - first["bound"]).groupby([first["dataset"], first["n"]]).min()
    return exactly({name(["", "n"], keys): value for keys, value in margins.items()})


def _mechanism(better: str, than: str) -> tuple[dict[str, str], dict[str, str]]:
    return {"mechanism": better}, {"mechanism": than}


def _figure_1(end: str, ours: str, rule: str) -> tuple[Claim, ...]:
    """The claims of figure 1, for one way to find the scale."""
    with_, place = f"with {rule}", "section 4.1, figure 1"
    return (
        Claim(f"lowest-distortion-proportions{end}", f"The scaled Dirichlet distorts least at all shares, {with_}.",
              place, "fig1", partial(lowest_distortion, "proportions", ours), *DISTANCE),
        Claim(f"lowest-distortion-classes{end}", f"It distorts least for all numbers of classes, {with_}.",
              place, "fig1", partial(lowest_distortion, "classes", ours), *DISTANCE),
        Claim(f"lead-grows-with-classes{end}", f"Its lead grows with the number of classes, {with_}.",
              place, "fig1", partial(gains_with_classes, ours), Quantifier.ALL, "growth of the lead",
              "L1 a class", Matters(0.001, "a hundredth over ten classes")),
        Claim(f"0.06-against-0.15{end}", f"With five classes it distorts by 0.06, the best other by 0.15, {with_}.",
              "section 1", "fig1", partial(printed_distortion, ours), Quantifier.NUMBER, "distortion", "L1", L1),
        Claim(f"laplace-for-large-ε{end}", f"Laplace is competitive for large ε, and far behind for small ε, {with_}.",
              place, "fig1", partial(laplace_for_large_epsilon, ours), *DISTANCE[:-1],
              Matters(0.001, "a tenth of the smallest distortion")),
        Claim(f"smallest-variance{end}", f"The scaled Dirichlet has the smallest variance, {with_}.",
              place, "fig1", partial(smallest_variance, ours), Quantifier.ALL, "variance, rival over ours",
              "factor (log)", Matters(0.1, "a tenth of a variance changes no choice")),
    )  # fmt: skip


def _figure_2(dataset: str) -> tuple[Claim, ...]:
    place, on = "section 4.2, figure 2", f"({dataset})"
    below = lower_error(dataset, "positive_fraction", {"method": "mmd"}, {"method": "psvm"})
    return (
        Claim(f"mmd-below-psvm-{dataset}", f"MMD's error is below that of ∝SVM at all mixtures {on}.", place,
              "fig2", below, *ERROR, (dataset,)),
        Claim(f"mmd-saves-70-percent-{dataset}", f"MMD's error is up to 70 % lower on skewed test sets {on}.",
              "section 1, figure 2", "fig2", partial(seventy_percent, dataset), Quantifier.SOME,
              *ERROR[1:], (dataset,)),
        Claim(f"mmd-robust-to-shift-{dataset}", f"A shift of the class ratio hurts MMD less than ∝SVM {on}.",
              place, "fig2", partial(robust_to_shift, dataset), *ERROR, (dataset,)),
    )  # fmt: skip


def _figure_3(dataset: str) -> tuple[Claim, ...]:
    place, on = "section 4.3, figure 3", f"({dataset})"
    return (
        Claim(f"noise-costs-accuracy-{dataset}", f"Laplace noise on the proportions costs accuracy {on}.", place,
              "fig3", lower_error(dataset, "x", *_mechanism("none", "laplace")), *ERROR, (dataset,)),
        Claim(f"dirichlet-beats-laplace-{dataset}", f"The scaled Dirichlet costs less accuracy than Laplace {on}.",
              place, "fig3", lower_error(dataset, "x", *_mechanism(OURS, "laplace")), *ERROR, (dataset,)),
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    *_figure_1("", OURS, "the paper's rule for σ"),
    *_figure_1("-tight", "scaled_dirichlet_tight", "the largest σ that is private"),
    Claim("dirichlet-private-fixed-σ", "With a scale from condition (9), one draw is (ε, δ)-private.",
          "section 3", "guarantee", keeps_delta("true_delta_fixed"), *LEVEL),
    Claim("dirichlet-private-as-published", "The mechanism, which finds its scale in the data, is (ε, δ)-private.",
          "section 3", "guarantee", keeps_delta("true_delta_recomputed"), *LEVEL),
    *(claim for dataset in ("census", "youtube", "higgs") for claim in _figure_2(dataset)),
    *(claim for dataset in ("mnist", "acoustic", "twitter") for claim in _figure_3(dataset)),
    Claim("60-percent-below-laplace-mnist", "On MNIST the error is 60 % lower than with Laplace.",
          "section 1, figure 3", "fig3", sixty_percent, *ERROR, ("mnist",)),
    Claim("skewed-tests-suffer-mnist", "Bad training proportions hurt most where test sets are skewed.",
          "section 4.3, figure 3", "fig3", skewed_tests_suffer, *ERROR, ("mnist",)),
    *(Claim(f"few-large-sets-{dataset}", f"At a fixed total, few large sets beat many small ones ({dataset}).",
            "sections 2.4 and 5", "set_sizes", partial(few_large_sets, dataset), *ERROR, (dataset,))
      for dataset in ("census", "higgs", "mnist")),
    *(Claim(f"skew-trades-{dataset}", f"More even sets are easier to hide and harder to learn from ({dataset}).",
            "section 3", "skew", partial(skew_trades, dataset), *ERROR, (dataset,))
      for dataset in ("mnist", "acoustic", "twitter")),
    Claim("theorem-1", "The error of the estimate obeys theorem 1.",
          "theorem 1", "theory", partial(bound_holds, "theorem_1"), *BOUND, SETS),
    Claim("theorem-1-informative", "Theorem 1 says something at the sizes of the experiments.",
          "theorem 1", "theory", bound_is_informative, Quantifier.ALL,
          "largest possible error less the bound", "L1", L1, SETS),
    Claim("lemma-2-as-printed", "The error of the weights obeys lemma 2, as printed.",
          "lemma 2", "theory", partial(bound_holds, "lemma_2_printed"), *BOUND, SETS),
    Claim("lemma-4", "The error that the mechanism adds obeys lemma 4.",
          "lemma 4", "theory", partial(bound_holds, "lemma_4"), *BOUND, SETS),
    Claim("privacy-grows-with-counts", "ε and δ of the scaled Dirichlet go to zero together as counts grow.",
          "section 3, (11)", "theory", privacy_is_free_at_last, Quantifier.ALL, "fall of δ", "probability", EXACT),
    Claim("laplace-prior-needs-ε", "A prior of fixed mass needs an ε that grows with the number of classes.",
          "sections 1 and 3", "theory", prior_needs_epsilon, Quantifier.ALL, "growth of ε", "nats", EXACT),
)  # fmt: skip
