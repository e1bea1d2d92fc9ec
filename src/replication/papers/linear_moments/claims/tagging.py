"""Sections 4 and 7: tags from counts over regions, figure 7 and what belongs to it.

Trials share one test text. What its choice adds to the variance of a lead stands in the scores (sentences resampled);
where it does not, it is bounded by what independent errors of both taggers would add, which is far too careful: taggers
tend to err alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, Measure, Origin, measure, vary
from replication.judging.statistics import alike, exactly, name, one_test_set, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation, Quantifier

#: ASSUME: region sizes that the paper calls small, and those it calls large; 0 is the whole sentence. A region of one
#: position is none: its count is its tag.
SMALL, LARGE = (2, 5), (10, 20, 0)
#: The paper's moment estimator as section 7 has it: both programs by SGD, at once or one after the other, which it does
#: not say, and (10) over all positions. Each is a setting: a claim that holds for one of the two only holds in part.
PRINTED = ("moments_sgd_all", "moments_sgd_two_all")
#: Its marginal likelihood, by a beam of 500.
BEAM = "marginal_beam"
#: ASSUME: "several" passes.
SEVERAL = 3.0
#: ASSUME: "early" is within the first pass; accuracy is high at this share of the best that either estimator reaches.
EARLY, HIGH = 1.0, 0.95
#: ASSUME: accuracies are good beyond this share of the way from the commonest tag to supervision by all tags.
GOOD = 0.5
#: ASSUME: a sum over more count vectors than this is intractable.
INTRACTABLE = 1e7
#: What these could as well be: regions, the moment estimator, the text on which it counts, and how many passes.
OTHER_SMALL = vary("small", "a word without a number", "2 and 5", windows=((2,), (5,)))
OTHER_LARGE = vary("large", "a word without a number", "10, 20 and sentences", windows=((5, 10, 20, 0), (20, 0), (0,)))
READINGS = (
    vary("order", "silent", "both orders", moments=(PRINTED[:1], PRINTED[1:])),
    vary("split", "silent", "both texts", splits=(("test",), ("train",))),
)
OTHER_SEVERAL = vary("several", "a word without a number", "three", several=(2.0, 4.0, 5.0))
#: Marginals of a beam that holds every sequence differ from exact ones by no more.
ALL_HELD = 1e-6
#: Positions in the test text of each corpus, for the bound.
POSITIONS = {"treebank": 12_291, "ewt": 25_147}

LEAD = Matters(0.5, "half a point of accuracy: less is the width of a line, and of the paper's own rounding")
FIGURE = ("section 7, figure 7", "fig7")


def _everywhere(scores: pd.DataFrame) -> pd.DataFrame:
    """With the arms that sum (10) over all positions at whole sentences, too, whose regions are all positions."""
    known = set(scores["estimator"])
    whole = scores[scores["window"] == 0]
    there = set(whole["estimator"])
    for estimator in sorted({f"{known_as}_all" for known_as in there} & known - there):
        own = whole[whole["estimator"] == estimator.removesuffix("_all")]
        scores = pd.concat([scores, own.assign(estimator=estimator)], ignore_index=True)
    return scores


def _path(scores: pd.DataFrame, estimator: str) -> pd.DataFrame:
    """Accuracy in points, trials × passes."""
    found = rows(scores, estimator=estimator)
    return 100 * found.groupby(["trial", "passes"])["accuracy"].mean().unstack()  # noqa: PD010 - pivot_table takes thrice as long


def _lead(scores: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Points by which `first` is ahead, trials × the passes at which both were looked at."""
    return (_path(scores, first) - _path(scores, second)).dropna(axis=1, how="all").dropna()


def _common_variance(own: pd.DataFrame, first: str, second: str) -> float:
    """The variance, in squared points, that one test text gives the lead of one over the other in all trials."""
    if (own["split"] == "train").all():
        # The training text is what the claim is about, not a sample of it.
        return 0.0
    for one, other in ((first, second), (second, first)):
        column = {BEAM: "lead_beam_sd", "marginal_exact": "lead_exact_sd"}.get(other)
        if column in own:
            found = own.loc[own["estimator"] == one, column].dropna()
            if len(found):
                return float(1e4 * np.mean(found**2))
    accuracies = [float(rows(own, estimator=estimator)["accuracy"].mean()) for estimator in (first, second)]
    return 1e4 * one_test_set(accuracies, POSITIONS[str(own["corpus"].iloc[0])])


def _area(lead: pd.DataFrame) -> pd.Series:
    """The mean lead over the passes, by the trapezoidal rule."""
    passes = lead.columns.to_numpy(dtype=float)
    if len(passes) < 2:
        raise CannotTell("there is one evaluation only")
    return pd.Series(np.trapezoid(lead.to_numpy(), passes, axis=1) / (passes[-1] - passes[0]), index=lead.index)


def _last(lead: pd.DataFrame) -> pd.Series:
    return lead[lead.columns.max()]


@measure
def leads(
    scores: pd.DataFrame,
    corpus: str,
    windows: Sequence[int],
    moments_ahead: bool,
    when: str,
    moments: Sequence[str] = PRINTED,
    marginal: str = BEAM,
    splits: Sequence[str] = ("test", "train"),
    several: float = SEVERAL,
    own_rates: bool = False,
) -> list[Observation]:
    """The lead in accuracy over the passes ("throughout"), after `several` of them, or after the last."""
    chosen = _at_own_rates(scores) if own_rates else scores
    found = rows(_everywhere(chosen), corpus=corpus, window=list(windows), split=list(splits))
    samples: dict[str, pd.Series] = {}
    shared: dict[str, float] = {}
    for estimator in _present(found, moments):
        for (window, split), own in rows(found, estimator=[estimator, marginal]).groupby(["window", "split"]):
            if not {estimator, marginal} <= set(own["estimator"]):
                continue
            first, second = (estimator, marginal) if moments_ahead else (marginal, estimator)
            lead = _lead(own, first, second)
            where = f"{estimator}, {_region(window)}, {split}"
            shared[where] = _common_variance(own, first, second)
            if when != "several":
                samples[where] = _area(lead) if when == "throughout" else _last(lead)
            elif several in lead.columns:
                samples[where] = lead[several]
    if not samples:
        words = f"after {several:g} passes" if when == "several" else when
        raise CannotTell(f"the scores have no window with both, {words}")
    return over_trials(samples, shared=shared)


def _present(scores: pd.DataFrame, estimators: Sequence[str]) -> list[str]:
    found = [name for name in estimators if (scores["estimator"] == name).any()]
    if not found:
        raise CannotTell(f"the scores have no rows with estimator = {' or '.join(estimators)}")
    return found


def _region(window: object) -> str:
    return f"w = {window}" if window else "whole sentences"


def _at_own_rates(scores: pd.DataFrame) -> pd.DataFrame:
    """Each estimator at the rate that serves it best by what was released."""
    if "chosen" not in scores:
        raise CannotTell("the scores do not say which rate serves each estimator best")
    return rows(scores.assign(chosen=scores["chosen"].astype(str).str.lower()), chosen="true")


@measure
def high_early(
    scores: pd.DataFrame,
    corpus: str,
    windows: Sequence[int] = LARGE,
    early: float = EARLY,
    high: float = HIGH,
    split: str = "test",
) -> list[Observation]:
    """Moments' accuracy after `early` passes less a share `high` of the best that either estimator reaches."""
    found = rows(_everywhere(scores), corpus=corpus, window=list(windows), split=split)
    samples, shared = {}, {}
    for estimator in _present(found, PRINTED):
        for window, own in rows(found, estimator=[estimator, BEAM]).groupby("window"):
            moments = _path(own, estimator)
            if early not in moments.columns:
                continue
            best = max(float(path.mean().max()) for path in (moments, _path(own, BEAM)))
            where = f"{estimator}, {_region(window)}"
            samples[where] = (moments[early] - high * best).dropna()
            shared[where] = _common_variance(own, estimator, BEAM)
    if not samples:
        raise CannotTell(f"nothing was looked at after {early:g} passes")
    return over_trials(samples, shared=shared)


@measure
def good(scores: pd.DataFrame, corpus: str, good_share: float = GOOD) -> list[Observation]:
    """Moments' last test accuracy as a share of the way from the commonest tag to supervision, beyond `good_share`."""
    found = rows(_everywhere(scores), corpus=corpus, split="test")
    samples = {}
    for estimator in _present(found, PRINTED):
        for window, own in rows(found, estimator=[estimator, "supervised", "most_frequent"]).groupby("window"):
            bottom, top, ours = (_last(_path(own, name)) for name in ("most_frequent", "supervised", estimator))
            samples[f"{estimator}, {_region(window)}"] = ((ours - bottom) / (top - bottom) - good_share).dropna()
    return over_trials(samples)


@measure
def cheaper(
    scores: pd.DataFrame, corpus: str, moments: Sequence[str] = PRINTED, marginal: str = BEAM, until: float = EARLY
) -> list[Observation]:
    """The mean lead of moments at the work after which marginal likelihood was looked at, up to `until` passes.

    Moments count with the last accuracy that they reached at no more work.
    """
    found = rows(_everywhere(scores), corpus=corpus)
    samples = {}
    for estimator in _present(found, moments):
        for window, own in rows(found, estimator=[estimator, marginal]).groupby("window"):
            lead = own.groupby("trial").apply(_equal_work, estimator, marginal, until).dropna()
            if len(lead):
                samples[f"{estimator}, {_region(window)}"] = lead
    return over_trials(samples)


def _equal_work(own: pd.DataFrame, estimator: str, marginal: str, until: float) -> float:
    moments = own[own["estimator"] == estimator].sort_values("work")
    rival = own[(own["estimator"] == marginal) & (own["passes"] <= until) & (own["passes"] > 0)]
    place = np.searchsorted(moments["work"].to_numpy(), rival["work"].to_numpy(), side="right") - 1
    reached = place >= 0
    if not reached.any():
        return float("nan")
    gains = moments["accuracy"].to_numpy()[place[reached]] - rival["accuracy"].to_numpy()[reached]
    return 100 * float(np.mean(gains))


@measure
def inference_is_intractable(scores: pd.DataFrame, intractable: float = INTRACTABLE) -> list[Observation]:
    """Orders of magnitude by which the largest number of count vectors is beyond what can be summed; large regions."""
    own = rows(scores, method=["exact", "beam", "merged"], window=list(LARGE))
    largest = own.groupby("window")["states_max"].max()
    return exactly({_region(window): np.log10(n / intractable) for window, n in largest.items()})


def beam_is_accurate(scores: pd.DataFrame) -> list[Observation]:
    """The beam's mean distance from exact marginals in small regions.

    Where a beam holds every sequence it *is* exact: nothing is left to chance then.
    """
    found = rows(scores, method="beam", window=list(SMALL)).dropna(subset=["total_variation"])
    if found.empty:
        raise CannotTell("beam and exact marginals were not compared in small regions")
    exact, sampled = {}, {}
    for (window, passes), part in found.groupby(["window", "passes"]):
        where = f"{_region(window)}, after {passes:g} passes"
        if part["total_variation"].max() < ALL_HELD:
            exact[where] = float(part["total_variation"].max())
        else:
            sampled[where] = part.groupby("trial")["total_variation"].mean()
    return exactly(exact, Form.SAME) + (alike(sampled, span=1.0) if sampled else [])


def counts_identify(scores: pd.DataFrame) -> list[Observation]:
    """Root mean square error of ŵ, the least of it at the largest n."""
    own = rows(scores, quantity="regression")
    last = own[own["n"] == own["n"].max()]
    return alike({name(["n"], last["n"].iloc[0]): last.set_index("trial")["value"]})


MARGINAL_LESS = "accuracy, marginal likelihood (beam 500) less moments"
MOMENTS_LESS = "accuracy, moments less marginal likelihood (beam 500)"
POINTS = "points of accuracy"
TREEBANK, EWT = ("treebank",), ("ewt",)


def _beyond(
    id_: str, text: str, figure: str, measure: Measure, quantity: str, datasets: tuple[str, ...], short: str
) -> Claim:
    return Claim(id_, text, "beyond figure 7", figure, measure, Quantifier.TYPICAL, quantity, POINTS, LEAD, datasets,
                 origin=Origin.BEYOND, short=short)  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    Claim("counts-identify-w",
          "If each tag depends on its own word only, the least squares (12) recover a consistent estimate of w* (here "
          "the words of a region come independently, so that counts identify w*).",
          "section 4, (12)", "theory", counts_identify, Quantifier.ALL,
          "root mean square error of ŵ over words and tags", "probability",
          Matters(0.01, "an error of a hundredth in a probability; it falls with the root of n"),
          short="Counts over regions identify the tags of words"),
    Claim("exact-inference-intractable",
          "The potential that counts put over a region (a large one, here) renders exact inference intractable.",
          "sections 4 and 7", "fig7_inference", inference_is_intractable(), Quantifier.ALL,
          "count vectors that an exact sum runs over, over ten million", "orders of magnitude",
          Matters(0.3, "a factor of two"), TREEBANK,
          short="Exact inference given counts is intractable",
          choices=(vary("intractable", "a word without a number", "ten million", intractable=(1e6, 1e8, 1e9)),)),
    Claim("beam-accurate-in-small-regions",
          "In small regions the beam of 500 approximates the posterior accurately.",
          "section 7", "fig7_inference", beam_is_accurate, Quantifier.ALL,
          "distance of the beam's marginals from exact ones", "total variation",
          Matters(0.05, "one tag in twenty"), TREEBANK,
          short="A beam of 500 is accurate in small regions"),
    Claim("tagging-accuracy-good",
          "Learning a tagger from counts, the moment estimator obtains good accuracies.",
          "section 1, section 7", "fig7", good("treebank"), Quantifier.TYPICAL,
          "share of the way from the commonest tag to full supervision of the same regions, beyond one half",
          "share of the way", Matters(0.05, "a twentieth of the way"), TREEBANK,
          short="Moments tag well from counts",
          choices=(vary("good", "a word without a number", "half the way", good_share=(0.3, 0.7, 0.9)),)),
    Claim("marginal-overtakes",
          "Typically, after sufficiently many passes (ten, here), marginal likelihood gains an advantage over the "
          "moment estimator.",
          *FIGURE, leads("treebank", (*SMALL, *LARGE), moments_ahead=False, when="last"), Quantifier.TYPICAL,
          f"{MARGINAL_LESS}, after the last pass", POINTS, LEAD, TREEBANK,
          short="Marginal likelihood leads after many passes", choices=READINGS),
    Claim("small-regions-marginal",
          "For small regions marginal likelihood is dominant.",
          *FIGURE, leads("treebank", SMALL, moments_ahead=False, when="throughout"), Quantifier.TYPICAL,
          f"{MARGINAL_LESS}, mean over the passes", POINTS, LEAD, TREEBANK,
          short="Small regions: marginal likelihood dominates",
          choices=(OTHER_SMALL, vary("dominant", "a word without a number", "on the mean", when=("last",)), *READINGS)),
    Claim("large-regions-high-early",
          "For larger regions the moment estimator achieves high accuracy early: within the first pass 95 % of the "
          "best that either estimator reaches.",
          *FIGURE, high_early("treebank"), Quantifier.TYPICAL,
          "test accuracy of moments after the first pass, beyond 95 % of the best that either reaches", POINTS, LEAD,
          TREEBANK, short="Large regions: moments are accurate early",
          choices=(OTHER_LARGE, vary("early", "a word without a number", "one pass", early=(0.5, 2.0)),
                   vary("high", "a word without a number", "95 %", high=(0.9, 0.98)))),
    Claim("large-regions-several-passes",
          "For larger regions the moment estimator dominates for several passes (three, here) before marginal "
          "likelihood overtakes it.",
          *FIGURE, leads("treebank", LARGE, moments_ahead=True, when="several"), Quantifier.TYPICAL,
          f"{MOMENTS_LESS}, after three passes", POINTS, LEAD, TREEBANK,
          short="Large regions: moments lead for several passes",
          choices=(OTHER_LARGE, OTHER_SEVERAL, *READINGS)),
    Claim("favourable-if-computing-is-scarce",
          "The moment estimator is favourable in computationally constrained settings.",
          "section 7, last sentence", "fig7_cost", cheaper("treebank"), Quantifier.TYPICAL,
          f"{MOMENTS_LESS}, at equal work up to the beam's first pass", POINTS, LEAD, TREEBANK,
          short="Moments are favourable if computing is scarce",
          choices=(vary("scarce", "silent", "one pass of the beam", until=(0.5, 3.0)),)),
    _beyond("large-regions-against-exact-inference",
            "For larger regions the moment estimator dominates exact inference, too, for several passes.", "fig7",
            leads("treebank", (10, 20), moments_ahead=True, when="several", marginal="marginal_exact"),
            "accuracy, moments less marginal likelihood (exact), after three passes", TREEBANK,
            "… also against exact inference"),
    _beyond("small-regions-own-rates",
            "For small regions marginal likelihood is dominant, each estimator at its own best step "
            "size.", "fig7_steps",
            leads("treebank", SMALL, moments_ahead=False, when="throughout", own_rates=True,
                  moments=("moments_sgd_all",)),
            f"{MARGINAL_LESS}, mean over the passes", TREEBANK, "Small regions, own step sizes: marginal dominates"),
    _beyond("large-regions-own-rates",
            "For larger regions the moment estimator dominates for several passes, each estimator at its own best step "
            "size.", "fig7_steps",
            leads("treebank", LARGE, moments_ahead=True, when="several", own_rates=True, moments=("moments_sgd_all",)),
            f"{MOMENTS_LESS}, after three passes", TREEBANK, "Large regions, own step sizes: moments lead for several"),
    _beyond("small-regions-marginal-ewt",
            "On English web text, too, marginal likelihood is dominant for small regions.",
            "fig7", leads("ewt", SMALL, moments_ahead=False, when="throughout"),
            f"{MARGINAL_LESS}, mean over the passes", EWT, "… also on web text (small regions)"),
    _beyond("large-regions-several-passes-ewt",
            "On English web text, too, the moment estimator dominates for several passes for larger regions.",
            "fig7", leads("ewt", LARGE, moments_ahead=True, when="several"),
            f"{MOMENTS_LESS}, after three passes", EWT, "… also on web text (large regions)"),
    _beyond("features-stay-ahead",
            "Regressing counts on features of words in step 1 keeps the moment estimator from declining: it ends ahead "
            "of the printed one.", "fig7",
            leads("treebank", LARGE, moments_ahead=True, when="last", moments=("moments_features_all",),
                  marginal="moments_all", splits=("test",)),
            "accuracy, moments on features less moments on words, after the last pass", TREEBANK,
            "Features in step 1 help in large regions"),
)  # fmt: skip
