"""What figure 7, and the figures that extend it, can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.settings import Count, Grid, NotNegative, OneOf, Positive, Rising, Several, Whole, settings

Corpus = Literal["treebank", "ewt"]
#: What learns from the counts of a corpus, and the kinds of learners that have jobs of their own.
Arm = Literal[
    "treebank", "treebank_sgd", "treebank_exact", "treebank_merged", "treebank_beam", "treebank_supervised",
    "ewt", "ewt_sgd", "ewt_beam", "ewt_supervised",
]  # fmt: skip
Estimator = Annotated[str, OneOf("papers.linear_moments.fig7.learn", "TAGGERS")]
Optimizer = Literal["adagrad", "sgd"]
#: Tokens in a window; 0 is the whole sentence.
Windows = Grid[Whole]


@settings
class Regions:
    """What the owner of a corpus releases: windows of these sizes of so many training sentences, or of all."""

    windows: Windows = (1, 2, 5, 10, 20, 0)
    train_sentences: Count | None = None


@settings
class Evaluated:
    """When a tagger in training is looked at, in passes, the last one ending it; and what a beam keeps."""

    evaluate_at: Rising[NotNegative]
    beam: Count = 500


@settings
class Training(Evaluated):
    """The sizes among `windows` of each estimator, null for all, and what all taggers of figure 7 have in common.

    Step 1 is drawn by `ridge` towards the overall shares of the tags and ends when its gradient has fallen to the share
    `step1_tolerance`, by stochastic gradients after `sgd_passes` at the latest; at a constant rate a `step1_rate` of 1
    fits a window exactly. `budget`: count vectors that `marginal_merged` sums exactly before it merges.
    """

    windows: Windows
    estimators: Annotated[dict[Estimator, Windows | None], Several]
    ridge: Positive = 1.0
    step1_tolerance: Positive = 0.01
    step1_rate: Positive = 1.0
    sgd_passes: Count = 60
    budget: Count = 4096

    def sizes_of(self, estimator: str) -> tuple[int, ...]:
        """The sizes of the figure that an estimator is trained on."""
        own = self.estimators[estimator]
        return tuple(window for window in self.windows if own is None or window in own)


@settings
class Steps:
    """The steps of training."""

    optimizer: Optimizer = "adagrad"
    rate: Positive = 0.1


@settings
class Learn(Training, Steps):
    """How all taggers are trained."""


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
