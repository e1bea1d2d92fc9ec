"""Sections 4 and 7: tags from counts over regions, figure 7 and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replication.judging.claim import Choice, Claim, Matters, Measure, On, Origin, vary
from replication.judging.verdicts import Quantifier
from replication.papers.linear_moments.claims.leads import (
    LARGE,
    SMALL,
    beam_is_accurate,
    cheaper,
    counts_identify,
    good,
    high_early,
    inference_grows,
    inference_is_intractable,
    leads,
    windows_needed,
)

NO_NUMBER = "a word without a number"
#: How far the minimum of (12) is from what step 1 comes to, and when.
STEP1 = Choice(
    "step1",
    "section 7: “we minimize both using SGD”, silent on order, rate and start; section 2 solves, then fits",
    "solved first: by conjugate gradients with a ridge of 1, and by averaged SGD",
    {
        "without the ridge": {"moments": ("moments_least_all",)},
        "averaged SGD, in one sweep with step 2": {"moments": ("moments_sgd_mean_all",)},
        "constant rate, in one sweep with step 2": {"moments": ("moments_sgd_all",)},
    },
)
POSITIONS_SUMMED = Choice(
    "span",
    "(10) sums over all positions of x; silent on words that no region holds, of which (12) says nothing",
    "all positions; such words keep the overall shares of the tags",
    {
        "positions of words that some region holds": {"moments": ("moments_seen",)},
        "the regions' own positions": {"moments": ("moments",)},
    },
)
SPLIT = vary("split", "both are drawn; silent on which is spoken of", "both", splits=(("test",), ("train",)))
LARGER = vary("large", NO_NUMBER, "10, 20 and whole sentences", windows=((5, 10, 20, 0), (20, 0), (0,)))
SMALLER = vary("small", NO_NUMBER, "2 and 5", windows=((2,), (5,)))

LEAD = Matters(0.5, "half a point of accuracy: less is the width of a line, and of the paper's own rounding")
FIGURE = ("section 7, figure 7", "fig7")


MARGINAL_LESS = "accuracy, marginal likelihood (beam 500) minus moments"
MOMENTS_LESS = "accuracy, moments minus marginal likelihood (beam 500)"
POINTS = "points of accuracy"
TREEBANK, EWT = ("treebank",), ("ewt",)


def _rates(look: Callable[..., Measure], **same: Any) -> Choice:
    """What the steps could as well be: judged on the step-size study, for as long as that looks."""
    equal = [("adagrad", 0.03), ("adagrad", 0.3), ("sgd", 0.01), ("sgd", 0.03), ("sgd", 0.1)]
    names = {"adagrad": "AdaGrad", "sgd": "SGD"}
    others = {f"{names[optimizer]} {rate:g}": {"optimizer": optimizer, "rate": rate} for optimizer, rate in equal}
    marks = {"best": "held-out tags", "chosen": "held-out counts"}
    others |= {f"each at its best by {what}": {mark: True} for mark, what in marks.items()}
    told = {name: On("fig7_steps", look("treebank", **same, where=where)) for name, where in others.items()}
    return Choice("rate", "section 7: “SGD”, silent on rate and schedule", "AdaGrad at 0.1", told)


def _sizes(look: Callable[..., Measure], **same: Any) -> Choice:
    """Other numbers of sentences than the sample has."""
    sizes = {"treebank": (300, 1000), "ewt": (1000, 4000, 12544)}
    told = {
        f"{n:,} of {'web text' if corpus == 'ewt' else 'the Treebank'}": On(
            "fig7_size", look(corpus, **same, windows=(20, 0), where={"n_train": n})
        )
        for corpus, own in sizes.items()
        for n in own
    }
    return Choice("n", "footnote 4: sections 0 to 21 of the Wall Street Journal, 39,832 sentences", "3,396", told)


def _beyond(
    id_: str, text: str, figure: str, measure: Measure, quantity: str, datasets: tuple[str, ...], short: str,
    *choices: Choice,
) -> Claim:  # fmt: skip
    return Claim(id_, text, "beyond figure 7", figure, measure, Quantifier.TYPICAL, quantity, POINTS, LEAD, datasets,
                 origin=Origin.BEYOND, short=short, choices=choices)  # fmt: skip


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
          "count vectors in an exact sum over ten million", "orders of magnitude",
          Matters(0.3, "a factor of two"), TREEBANK,
          short="Counts over a large region make exact inference intractable", headline=True,
          choices=(vary("large", NO_NUMBER, "10, 20 and whole sentences", windows=((0,), (20, 0))),
                   vary("intractable", NO_NUMBER, "ten million", intractable=(1e6, 1e8, 1e9)))),
    Claim("inference-exponential",
          "The number of ways to realise the counts of a region, over which inference sums, is exponential in its size "
          "(here count vectors, of which there are fewer than sequences).",
          "section 4", "fig7_inference", inference_grows, Quantifier.ALL,
          "growth of the logarithm of the median window's count vectors, per further word", "nats",
          Matters(0.05, "a factor of two in fourteen words"), TREEBANK,
          short="The sum over ways to realise counts grows exponentially"),
    Claim("beam-accurate-in-small-regions",
          "In small regions the beam of 500 approximates the posterior accurately.",
          "section 7", "fig7_inference", beam_is_accurate, Quantifier.ALL,
          "distance of the beam's marginals from exact ones", "total variation",
          Matters(0.05, "one tag in twenty"), TREEBANK,
          short="In small regions a beam of 500 is accurate"),
    Claim("tagging-accuracy-good",
          "Learning a tagger from counts, the moment estimator obtains good accuracies.",
          "section 1, section 7", "fig7", good("treebank"), Quantifier.TYPICAL,
          "share of the way from the commonest tag to full supervision of the same regions, beyond one half",
          "share of the way", Matters(0.05, "a twentieth of the way"), TREEBANK,
          short="From counts alone, moments tag well", headline=True,
          choices=(vary("good", NO_NUMBER, "half the way", good_share=(0.3, 0.7, 0.9)), STEP1, POSITIONS_SUMMED)),
    Claim("marginal-overtakes",
          "Typically, after sufficiently many passes (ten, here), marginal likelihood gains an advantage over the "
          "moment estimator.",
          *FIGURE, leads("treebank", (*SMALL, *LARGE), moments_ahead=False, when="last"), Quantifier.TYPICAL,
          f"{MARGINAL_LESS}, after the last pass", POINTS, LEAD, TREEBANK,
          short="After many passes marginal likelihood is ahead of moments",
          choices=(STEP1, POSITIONS_SUMMED, SPLIT, _sizes(leads, moments_ahead=False, when="last"))),
    Claim("small-regions-marginal",
          "For small regions marginal likelihood is dominant.",
          *FIGURE, leads("treebank", SMALL, moments_ahead=False, when="throughout"), Quantifier.TYPICAL,
          f"{MARGINAL_LESS}, mean over the passes", POINTS, LEAD, TREEBANK,
          short="In small regions marginal likelihood is ahead of moments",
          choices=(SMALLER, vary("dominant", NO_NUMBER, "on the mean over the passes", when=("last",)),
                   STEP1, POSITIONS_SUMMED, SPLIT,
                   _rates(leads, windows=SMALL, moments_ahead=False, when="throughout"))),
    Claim("large-regions-high-early",
          "For larger regions the moment estimator achieves high accuracy early: within the first pass 95 % of the "
          "best that either estimator reaches.",
          *FIGURE, high_early("treebank"), Quantifier.TYPICAL,
          "test accuracy of moments after the first pass, beyond 95 % of the best that either reaches", POINTS, LEAD,
          TREEBANK, short="In large regions moments are accurate early",
          choices=(LARGER, vary("early", NO_NUMBER, "one pass", early=(0.5, 2.0)),
                   vary("high", NO_NUMBER, "95 %", high=(0.8, 0.9, 0.98)), STEP1, POSITIONS_SUMMED,
                   _rates(high_early, windows=LARGE), _sizes(high_early))),
    Claim("large-regions-several-passes",
          "For larger regions the moment estimator dominates for several passes (three, here) before marginal "
          "likelihood overtakes it.",
          *FIGURE, leads("treebank", LARGE, moments_ahead=True, when="several"), Quantifier.TYPICAL,
          f"{MOMENTS_LESS}, after three passes", POINTS, LEAD, TREEBANK,
          short="In large regions moments lead for several passes", headline=True,
          choices=(LARGER, vary("several", NO_NUMBER, "three", several=(1.0, 2.0, 4.0, 5.0)), STEP1, POSITIONS_SUMMED,
                   SPLIT, _rates(leads, windows=LARGE, moments_ahead=True, when="several"),
                   _sizes(leads, moments_ahead=True, when="several"))),
    Claim("favourable-if-computing-is-scarce",
          "The moment estimator is favourable in computationally constrained settings.",
          "section 7, last sentence", "fig7_cost", cheaper("treebank"), Quantifier.TYPICAL,
          f"{MOMENTS_LESS}, at equal work up to the beam's first pass", POINTS, LEAD, TREEBANK,
          short="Where computing is scarce, moments are ahead", headline=True,
          choices=(vary("scarce", "silent", "as much as the beam's first pass", until=(0.1, 0.5, 3.0)),
                   Choice("step1", STEP1.says, STEP1.took, {"constant rate, in one sweep with step 2":
                                                            {"moments": ("moments_sgd_all",)}}),
                   Choice("span", POSITIONS_SUMMED.says, POSITIONS_SUMMED.took,
                          {"the regions' own positions": {"moments": ("moments",)}}))),
    _beyond("large-regions-against-exact-inference",
            "For larger regions the moment estimator dominates exact inference, too, for several passes.", "fig7",
            leads("treebank", (10, 20), moments_ahead=True, when="several", marginal="marginal_exact"),
            "accuracy, moments minus marginal likelihood (exact), after three passes", TREEBANK,
            "In large regions moments lead exact inference for several passes"),
    _beyond("small-regions-own-rates",
            "For small regions marginal likelihood is dominant, each estimator at the step size that is best on "
            "held-out tags.", "fig7_steps",
            leads("treebank", SMALL, moments_ahead=False, when="throughout", where={"best": True}),
            f"{MARGINAL_LESS}, mean over the passes", TREEBANK,
            "In small regions marginal likelihood leads at best step sizes, too",
            Choice("best", "silent", "best on held-out tags", {"best on held-out counts": leads(
                "treebank", SMALL, moments_ahead=False, when="throughout", where={"chosen": True})})),
    _beyond("large-regions-own-rates",
            "For larger regions the moment estimator dominates for several passes, each estimator at the step size "
            "that is best on held-out tags.", "fig7_steps",
            leads("treebank", LARGE, moments_ahead=True, when="several", where={"best": True}),
            f"{MOMENTS_LESS}, after three passes", TREEBANK,
            "In large regions moments lead at best step sizes, too",
            Choice("best", "silent", "best on held-out tags", {"best on held-out counts": leads(
                "treebank", LARGE, moments_ahead=True, when="several", where={"chosen": True})})),
    _beyond("small-regions-marginal-ewt",
            "On English web text, too, marginal likelihood is dominant for small regions.",
            "fig7", leads("ewt", SMALL, moments_ahead=False, when="throughout"),
            f"{MARGINAL_LESS}, mean over the passes", EWT, "On web text marginal likelihood leads in small regions",
            STEP1, POSITIONS_SUMMED),
    _beyond("large-regions-several-passes-ewt",
            "On English web text, too, the moment estimator dominates for several passes for larger regions.",
            "fig7", leads("ewt", LARGE, moments_ahead=True, when="several"),
            f"{MOMENTS_LESS}, after three passes", EWT, "On web text moments lead in large regions for several passes",
            STEP1, POSITIONS_SUMMED),
    _beyond("features-stay-ahead",
            "Regressing counts on features of words in step 1, moments end ahead of step 1 on words, either solved "
            "first and (10) over all positions.", "fig7",
            leads("treebank", LARGE, moments_ahead=True, when="last", moments=("moments_features_all",),
                  marginal="moments_all", splits=("test",)),
            "accuracy, moments on features minus moments on words, after the last pass", TREEBANK,
            "In large regions features in step 1 help moments"),
    Claim("overtaken-by-windows-seen",
          "The beam overtakes moments after a number of windows seen that does not depend on how many sentences there "
          "are (if so many passes were needed, it would grow as they do).",
          "beyond figure 7", "fig7_size", windows_needed, Quantifier.TYPICAL,
          "windows seen until the beam overtakes, as a power of the number of sentences", "exponent",
          Matters(0.25, "a quarter of the way from so many windows to so many passes"), (*TREEBANK, *EWT),
          origin=Origin.BEYOND, short="The beam overtakes after so many windows, however many sentences"),
)  # fmt: skip
