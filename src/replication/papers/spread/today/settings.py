"""What the figure can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.common.tuning import Levels
from replication.settings import Count, Flip, Folds, Grid, Inside, Positive, settings


@settings
class Release:
    """The exact levels of a whole record, image and label, at δ where the noise is Gaussian; and the paper's noise.

    `train` and `test`: records of each class. Images and records are projected to so many `components`; the label has
    that `label_share` of ε. The paper's noise is `p_flips` on digits, and on other records `variances` beside labels
    of which the share `label_flip` is flipped.
    """

    epsilons: Levels = (2.0, 4.0, 8.0, 16.0)
    delta: Inside = 1e-5
    train: Count = 3000
    test: Count = 900
    components: Count = 20
    label_share: Inside = 0.25
    p_flips: Grid[Flip] = (0.1, 0.4)
    variances: Grid[Positive] = (0.1, 0.5)
    label_flip: Flip = 0.1


@settings
class Learn(Release):
    """The paper's ascent on digits, and the λ among which all others choose by what was released."""

    rate: Positive = 0.1
    iterations: Count = 200
    l2s: Grid[Positive] = (0.0001, 0.001, 0.01, 0.1, 1, 10)
    folds: Folds = 5


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["records"], Release]
    learn: dict[Literal["records"], Learn]
    score: Release
