"""How the scores of figure 7 and its companions measure what sections 4 and 7 say of tags from counts over regions.

Trials share one test text. What its choice adds to the variance of a lead stands in the scores (sentences resampled);
where it does not, it is bounded by what independent errors of both taggers would add, which is far too careful: taggers
tend to err alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.judging.claim import measure
from replication.judging.statistics import alike, exactly, name, one_test_set, over_trials, rows
from replication.judging.verdicts import CannotTell, Form, Observation
from replication.papers.linear_moments.fig7_size.overtaking import leads as leads_by_size
from replication.papers.linear_moments.fig7_size.overtaking import overtaken, trend

#: Region sizes that are small, and those that are large; 0 is the whole sentence. A region of one position is none: its
#: count is its tag.
SMALL, LARGE = (2, 5), (10, 20, 0)
#: The paper's moment estimator: step 1 comes to the minimum of (12), exactly or by averaged SGD, before step 2 sums
#: (10) over all positions. Each is a setting: a claim that holds for one of the two only holds in part.
PRINTED = ("moments_all", "moments_sgd_two_all")
#: Its marginal likelihood, by a beam of 500.
BEAM = "marginal_beam"
#: "Several" passes; "early", in passes; "high", as a share of the best that either estimator reaches.
SEVERAL, EARLY, HIGH = 3.0, 1.0, 0.95
#: Accuracies are good beyond this share of the way from the commonest tag to supervision by all tags.
GOOD = 0.5
#: A sum over more count vectors than this is intractable.
INTRACTABLE = 1e7
#: Marginals of a beam that holds every sequence differ from exact ones by no more.
ALL_HELD = 1e-6
#: Positions in the test text of each corpus, for the bound.
POSITIONS = {"treebank": 12_291, "ewt": 25_147}


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
    where: Mapping[str, object] | None = None,
) -> list[Observation]:
    """The lead in accuracy over the passes ("throughout"), after `several` of them, or after the last."""
    found = rows(rows(scores, **(where or {})), corpus=corpus, window=list(windows), split=list(splits))
    samples: dict[str, pd.Series] = {}
    shared: dict[str, float] = {}
    for estimator, (window, split), own in _beside(found, moments, marginal, by=["window", "split"]):
        if not {estimator, marginal} <= set(own["estimator"]):
            continue
        first, second = (estimator, marginal) if moments_ahead else (marginal, estimator)
        lead = _lead(own, first, second)
        setting = f"{estimator}, {_region(window)}, {split}"
        shared[setting] = _common_variance(own, first, second)
        if when != "several":
            samples[setting] = _area(lead) if when == "throughout" else _last(lead)
        elif several in lead.columns:
            samples[setting] = lead[several]
    if not samples:
        words = f"after {several:g} passes" if when == "several" else when
        raise CannotTell(f"the scores have no window with both, {words}")
    return over_trials(samples, shared=shared)


def _beside(
    scores: pd.DataFrame, moments: Sequence[str], *others: str, by: str | list[str] = "window"
) -> Iterator[tuple[str, Any, pd.DataFrame]]:
    """The rows of each estimator of the moments that there is and of some others, setting by setting."""
    known = set(rows(scores, estimator=list(moments))["estimator"])
    for estimator in (each for each in moments if each in known):
        for setting, own in rows(scores, estimator=[estimator, *others]).groupby(by):
            yield estimator, setting, own


def _region(window: object) -> str:
    return f"w = {window}" if window else "whole sentences"


@measure
def high_early(
    scores: pd.DataFrame,
    corpus: str,
    windows: Sequence[int] = LARGE,
    early: float = EARLY,
    high: float = HIGH,
    moments: Sequence[str] = PRINTED,
    where: Mapping[str, object] | None = None,
) -> list[Observation]:
    """Moments' accuracy after `early` passes less a share `high` of the best that either estimator reaches."""
    found = rows(rows(scores, **(where or {})), corpus=corpus, window=list(windows), split="test")
    samples, shared = {}, {}
    for estimator, window, own in _beside(found, moments, BEAM):
        path = _path(own, estimator)
        if early in path.columns:
            best = max(float(reached.mean().max()) for reached in (path, _path(own, BEAM)))
            setting = f"{estimator}, {_region(window)}"
            samples[setting] = (path[early] - high * best).dropna()
            shared[setting] = _common_variance(own, estimator, BEAM)
    if not samples:
        raise CannotTell(f"nothing was looked at after {early:g} passes")
    return over_trials(samples, shared=shared)


@measure
def good(
    scores: pd.DataFrame, corpus: str, good_share: float = GOOD, moments: Sequence[str] = PRINTED
) -> list[Observation]:
    """Moments' last test accuracy as a share of the way from the commonest tag to supervision, beyond `good_share`."""
    found = rows(scores, corpus=corpus, split="test")
    samples = {}
    for estimator, window, own in _beside(found, moments, "supervised", "most_frequent"):
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
    samples = {}
    for estimator, window, own in _beside(rows(scores, corpus=corpus), moments, marginal):
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
def inference_is_intractable(
    scores: pd.DataFrame, intractable: float = INTRACTABLE, windows: Sequence[int] = LARGE
) -> list[Observation]:
    """Orders of magnitude by which the largest number of count vectors is beyond what can be summed."""
    own = rows(scores, method=["exact", "beam", "merged"], window=list(windows))
    largest = own.groupby("window")["states_max"].max()
    return exactly({_region(window): np.log10(n / intractable) for window, n in largest.items()})


def inference_grows(scores: pd.DataFrame) -> list[Observation]:
    """By how much ln of the count vectors of the median window grows per further word, from one size to the next."""
    own = rows(scores, method=["exact", "beam", "merged"])
    median = np.log(own[own["window"] > 1].groupby("window")["states_median"].mean())
    steps = zip(median.index, median.index[1:], strict=False)
    return exactly({f"w from {a} to {b}": (median[b] - median[a]) / (b - a) for a, b in steps})


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


def windows_needed(scores: pd.DataFrame) -> list[Observation]:
    """The exponent of the power law from n to the windows seen after which the beam leads for good, trial by trial.

    It is 0 where so many windows are enough whatever n is, and 1 where so many passes are.
    """
    lead = leads_by_size(scores)
    if lead.empty:
        raise CannotTell("the scores have no estimator beside the beam at several numbers of sentences")
    found = overtaken(lead)
    samples = {}
    for (corpus, window), own in found.groupby(["corpus", "window"]):
        each = own.groupby("trial").apply(lambda part: trend(part)["exponent"])
        samples[f"{corpus}, {_region(window)}"] = each.dropna()
    return alike(samples)


def counts_identify(scores: pd.DataFrame) -> list[Observation]:
    """Root mean square error of ŵ, the least of it at the largest n."""
    own = rows(scores, quantity="regression")
    last = own[own["n"] == own["n"].max()]
    return alike({name(["n"], last["n"].iloc[0]): last.set_index("trial")["value"]})
