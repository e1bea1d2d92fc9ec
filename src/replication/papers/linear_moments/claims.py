"""Claims of Raghunathan, Frostig, Duchi and Liang (2016)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from replication.judging.statistics import alike, estimated, exactly, name, over_trials, rows
from replication.judging.verdicts import CannotTell, Claim, Form, Matters, Measure, Observation, Quantifier

EXACT = "exact: more than rounding is real"
#: ASSUME: a loss of R² below this is not significant.
SMALL_LOSS = Matters(0.05, "a twentieth of the variance")
#: ASSUME: a lead in tagging accuracy below half a point is none.
LEAD = Matters(0.5, "taggers that differ by less serve alike")
#: The simulations' draws, and the normal quantile of their intervals.
SIMULATED, NORMAL = 1000, 1.96
#: ASSUME: statistics are sparse where at most this share of them is not zero, dense where all can be.
SPARSE = 0.01
#: ASSUME: region sizes that the paper calls small and large; 0 is the whole sentence.
SMALL_WINDOWS, LARGE_WINDOWS = (1, 2, 5), (10, 20, 0)
#: ASSUME: "several" passes.
SEVERAL = 3
#: ASSUME: a sum over more count vectors than this is intractable.
INTRACTABLE = 1e7
#: ASSUME: marginals within this total variation distance are accurate.
ACCURATE = Matters(0.05, "one decision in twenty")


def _curves(scores: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Exact efficiency by ε, for each signal."""
    found = rows(scores, quantity="efficiency", source="exact")
    for signal, part in found.groupby("signal"):
        yield str(signal), part.set_index("epsilon")["value"].sort_index()


def efficiency_falls(scores: pd.DataFrame) -> list[Observation]:
    """The smallest fall of efficiency between neighbouring ε."""
    return exactly({f"{signal} signal": np.diff(curve).min() for signal, curve in _curves(scores)})


def strong_signal_costs(scores: pd.DataFrame) -> list[Observation]:
    """Weak minus strong signal at every ε below 1, where both are fully efficient."""
    curves = dict(_curves(scores))
    if set(curves) != {"weak", "strong"}:
        raise CannotTell("the scores lack one of the two signals")
    gap = (curves["weak"] - curves["strong"]).drop(1.0, errors="ignore")
    return exactly({f"ε = {epsilon:g}": value for epsilon, value in gap.items()})


def marginal_is_efficient(scores: pd.DataFrame) -> list[Observation]:
    """log(var_moments/var_marginal) of every coordinate, below ε = 1 where both are the same."""
    found = rows(scores, source="exact", quantity=["var_marginal", "var_moments"])
    found = found[found["epsilon"] < 1]
    table = found.pivot_table(index=["signal", "epsilon", "coordinate"], columns="quantity", values="value")
    excess = np.log(table["var_moments"] / table["var_marginal"]).groupby(["signal", "epsilon"]).min()
    return exactly({name(["", "ε"], keys): value for keys, value in excess.items()})


def formulas_match_simulation(scores: pd.DataFrame) -> list[Observation]:
    """Simulated minus exact values, relative to the latter, with the simulation's standard errors."""
    keys = ["signal", "epsilon", "quantity", "coordinate"]
    found = scores.fillna({"coordinate": -1})
    exact = rows(found, source="exact").set_index(keys)["value"]
    simulated = rows(found, source="monte_carlo").set_index(keys)
    gap = (simulated["value"] - exact) / exact
    error = (simulated["high"] - simulated["low"]) / 2 / NORMAL / exact
    where = [", ".join(map(str, keys)) for keys in gap.index]
    return estimated(dict(zip(where, zip(gap, error, strict=True), strict=True)), SIMULATED, Form.SAME)


def log_marginals_bend_up(scores: pd.DataFrame) -> list[Observation]:
    """The largest second difference of every curve: above zero where the curve is not concave."""
    curves = scores[scores["kind"].isna()]
    bends = {}
    for o, part in curves.groupby("o"):
        curve = part.sort_values("theta")
        step = np.diff(curve["theta"]).mean()
        bends[f"o = {o}"] = np.diff(curve["log_marginal"], 2).max() / step**2
    return exactly(bends)


def _populations(scores: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Cases in which climbs were tried: the well-specified ones, at their population."""
    climbed = rows(scores, method="em")["case"].unique().tolist()
    whole = rows(scores, case=climbed)
    for case, part in whole[np.isinf(whole["n"])].groupby("case"):
        yield str(case), part


def em_is_trapped(scores: pd.DataFrame) -> list[Observation]:
    """How far below the best objective EM's worst start ends."""
    lost = {}
    for case, part in _populations(scores):
        ends = rows(part, method="em")["objective"]
        lost[case] = rows(part, method="marginal")["objective"].max() - ends.min()
    return exactly(lost)


def moments_need_no_start(scores: pd.DataFrame) -> list[Observation]:
    """On a well-specified population the moment estimate is the global maximum, up to 1e-3 in θ."""
    gaps = {
        case: rows(part, method="moments")["theta"].mean() - rows(part, method="marginal")["theta"].mean()
        for case, part in _populations(scores)
    }
    return exactly(gaps, Form.SAME)


def misspecified_limits_differ(scores: pd.DataFrame) -> list[Observation]:
    """The gap between both limits where the learner believes in another supervision than the actual one."""
    found = rows(scores, case="misspecified", method=["moments", "marginal"])
    found = found[np.isinf(found["n"])].set_index("method")["theta"]
    if set(found.index) != {"moments", "marginal"}:
        raise CannotTell("the scores have no population of the misspecified case")
    return exactly({"θ": abs(found["moments"] - found["marginal"])})


def moderate_privacy_is_cheap(dataset: str, against: str, centred: bool = False) -> Measure:
    """At every finite level, how far the R² is below that of `against`, or of α = ∞."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, dataset=dataset, centred=centred, panel="alpha")
        private = rows(own, estimator="moments_truncated")
        open_data = rows(private, alpha=np.inf) if against == "no privacy" else rows(own, estimator=against)
        ceiling = open_data.set_index("trial")["r2"]
        samples = {
            name(["α"], alpha): (ceiling - part.set_index("trial")["r2"]).dropna()
            for alpha, part in private[np.isfinite(private["alpha"])].groupby("alpha")
        }
        return alike(samples)

    return measure


def better_scheme(better: str, other: str, lowest: float, highest: float) -> Measure:
    """Log of the ratio of traces, where the share of non-zero statistics lies between the two bounds."""

    def measure(scores: pd.DataFrame) -> list[Observation]:
        share = scores["delta_bar"] / scores["d"]
        found = rows(scores[(lowest <= share) & (share <= highest)], form="exact", scheme=[better, other])
        table = found.pivot_table(index=["d", "delta_bar", "mean_norm", "alpha"], columns="scheme", values="trace")
        if not {better, other} <= set(table):
            raise CannotTell("the scores lack one of the two schemes")
        gain = np.log(table[other] / table[better]).groupby(["d", "alpha"]).min()
        return exactly({name(["d", "α"], keys): value for keys, value in gain.items()})

    return measure


def tagging(corpus: str, windows: Sequence[int], first: str, second: str, when: str) -> Measure:
    """Test accuracy of `first` minus that of `second` by window: the least lead, the early ones, or the last."""
    lead = {"throughout": _least_lead, "early": _early_leads, "last": _last_lead}[when]

    def measure(scores: pd.DataFrame) -> list[Observation]:
        own = rows(scores, corpus=corpus, split="test", window=list(windows), estimator=[first, second])
        samples: dict[str, pd.Series] = {}
        for window, part in own.groupby("window"):
            one, other = (
                rows(part, estimator=estimator).pivot_table(index="trial", columns="passes", values="accuracy") * 100
                for estimator in (first, second)
            )
            where = f"window = {window or 'sentence'}"
            samples |= {f"{where}{then}": v for then, v in lead((one - other).dropna()).items()}
        return over_trials(samples)

    return measure


def _least_lead(leads: pd.DataFrame) -> dict[str, pd.Series]:
    """Each trial's smallest lead after the first pass."""
    return {"": leads.loc[:, leads.columns >= 1].min(axis=1)}


def _early_leads(leads: pd.DataFrame) -> dict[str, pd.Series]:
    """Mean leads within the first pass, and over the next ones."""
    within, after = leads.columns <= 1, (leads.columns > 1) & (leads.columns <= SEVERAL)
    named = {", first pass": within, f", passes 2 to {SEVERAL}": after}
    return {then: leads.loc[:, chosen].mean(axis=1) for then, chosen in named.items() if chosen.any()}


def _last_lead(leads: pd.DataFrame) -> dict[str, pd.Series]:
    """The lead after the last pass."""
    return {"": leads[leads.columns.max()]}


def inference_is_intractable(scores: pd.DataFrame) -> list[Observation]:
    """Orders of magnitude by which the largest number of count vectors is beyond what can be summed."""
    largest = rows(scores, method=["exact", "beam", "merged"]).groupby("window")["states_max"].max()
    margins = {f"window = {window or 'sentence'}": np.log10(n / INTRACTABLE) for window, n in largest.items()}
    return exactly(margins)


def beam_is_accurate(scores: pd.DataFrame) -> list[Observation]:
    """The beam's mean distance from exact marginals in small regions."""
    found = rows(scores, method="beam", window=list(SMALL_WINDOWS)).dropna(subset=["total_variation"])
    worst = found.groupby(["window", "passes"])["total_variation"].max()
    margins = {name(["window", "passes"], keys): value for keys, value in worst.items()}
    return exactly(margins, Form.SAME)


def _moderate(dataset: str) -> tuple[Claim, ...]:
    where, place = dataset.replace("_", "-"), "section 7, figure 6"
    text = f"At moderate α, privacy costs regression on {where.replace('-', ' ')} little"
    cases = [
        ("", "against no privacy, by the same estimator", moderate_privacy_is_cheap(dataset, "no privacy")),
        ("-against-ols", "against least squares", moderate_privacy_is_cheap(dataset, "least_squares")),
        ("-centred", "where R² leaves out the mean", moderate_privacy_is_cheap(dataset, "least_squares", True)),
    ]
    return tuple(
        Claim(f"moderate-α-{where}{end}", f"{text}, {how}.", place, "fig6", judge, Quantifier.ALL,
              "loss of test R²", "R²", SMALL_LOSS, (dataset,))
        for end, how, judge in cases
    )  # fmt: skip


def _tagging_claims(corpus: str) -> tuple[Claim, ...]:
    beam, moments, every = "marginal_beam", "moments", (*SMALL_WINDOWS, *LARGE_WINDOWS)

    def claim(id_: str, text: str, windows: Sequence[int], first: str, second: str, when: str) -> Claim:
        lead = tagging(corpus, windows, first, second, when)
        return Claim(f"{id_}-{corpus}", f"{text} ({corpus}).", "section 7, figure 7", "fig7", lead, Quantifier.ALL,
                     f"test accuracy, {first} less {second}", "points of accuracy", LEAD, (corpus,))  # fmt: skip

    return (
        claim("small-regions-marginal", "In small regions marginal likelihood is ahead throughout",
              SMALL_WINDOWS, beam, moments, "throughout"),
        claim("large-regions-moments-early", "In large regions moments lead a beam at first and for several passes",
              LARGE_WINDOWS, moments, beam, "early"),
        claim("large-regions-beats-exact", "In large regions moments lead exact inference, too, at first",
              (10, 20), moments, "marginal_exact", "early"),
        claim("marginal-overtakes", "After enough passes marginal likelihood overtakes the moments",
              every, beam, moments, "last"),
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    Claim("efficiency-falls-with-ε", "Moments lose efficiency against marginal likelihood as ε falls to 0.",
          "section 5, figure 3", "fig3", efficiency_falls, Quantifier.ALL,
          "fall of relative efficiency to the next lower ε", "relative efficiency", Matters(1e-9, EXACT)),
    Claim("strong-signals-cost-efficiency", "The loss of efficiency is larger for a strong than for a weak signal.",
          "section 5, figure 3", "fig3", strong_signal_costs, Quantifier.ALL,
          "relative efficiency, weak less strong signal", "relative efficiency", Matters(1e-9, EXACT)),
    Claim("marginal-never-worse", "Marginal likelihood has the smaller asymptotic variance.",
          "section 5, lemma 1", "fig3", marginal_is_efficient, Quantifier.ALL,
          "asymptotic variance, moments over marginal likelihood", "factor (log)", Matters(1e-9, EXACT)),
    Claim("variance-formulas", "Simulated estimators vary as the asymptotic formulas say.",
          "section 5, (13) and (14)", "fig3", formulas_match_simulation, Quantifier.ALL,
          "simulated less exact value, over the latter", "relative",
          Matters(0.1, "a tenth of a variance changes no choice")),
    Claim("marginal-not-concave", "Log-marginal likelihoods are not concave.",
          "section 6, figure 5", "fig5", log_marginals_bend_up, Quantifier.ALL,
          "largest curvature of the log-marginal", "nats", Matters(1e-9, EXACT)),
    Claim("EM-ends-in-local-maxima", "EM can end in a local maximum of the marginal likelihood.",
          "sections 2 and 6", "trap", em_is_trapped, Quantifier.SOME,
          "log-likelihood lost by the worst start", "nats", Matters(1e-6, EXACT)),
    Claim("moments-avoid-local-maxima", "The moment estimate needs no start and no luck.",
          "sections 2 and 6", "trap", moments_need_no_start, Quantifier.ALL,
          "moment estimate less the global maximum", "θ",
          Matters(1e-3, "the maximum is searched on a grid of this order")),
    Claim("misspecified-limits-differ", "With a wrong model the two estimators have different limits.",
          "section 6", "trap", misspecified_limits_differ, Quantifier.ALL,
          "distance of the two limits", "θ", Matters(1e-3, "limits closer than this are one")),
    *_moderate("housing"), *_moderate("songs"), _moderate("songs_subset")[0],
    Claim("coordinate-release-if-dense", "For dense statistics coordinate release loses less than per-value release.",
          "section 3.2, appendix A.4", "figA4", better_scheme("coordinate", "per_value", 1.0, 1.0), Quantifier.ALL,
          "trace of the covariance, per-value over coordinate release", "factor (log)", Matters(1e-9, EXACT)),
    Claim("per-value-release-if-sparse", "For sparse statistics per-value release loses less than coordinate release.",
          "section 3.2, appendix A.4", "figA4", better_scheme("per_value", "coordinate", 0.0, SPARSE), Quantifier.ALL,
          "trace of the covariance, coordinate over per-value release", "factor (log)", Matters(1e-9, EXACT)),
    *_tagging_claims("treebank"), *_tagging_claims("ewt"),
    Claim("exact-inference-intractable", "Inference given the counts of a region is intractable.",
          "sections 4 and 7", "fig7_inference", inference_is_intractable, Quantifier.ALL,
          "count vectors over what can be summed", "orders of magnitude", Matters(1e-9, EXACT), ("treebank",)),
    Claim("beam-accurate-in-small-regions", "In small regions a beam of 500 is accurate.",
          "section 7", "fig7_inference", beam_is_accurate, Quantifier.ALL,
          "distance of beam and exact marginals", "total variation", ACCURATE, ("treebank",)),
)  # fmt: skip
