"""The tagger that learns from counts, as scikit-learn knows estimators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from unveil.errors import warn
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.protocols.base import Release
from unveil.types import Floats


class CountTagger(Tagger, BaseEstimator):
    """Log-linear tagger on features of the word alone, by stochastic gradient ascent, a window a step.

    Learns from how often each tag occurs in windows of text (Raghunathan et al. 2016, sections 4 and 7, figure 7).

    Parameters
    ----------
    method : {"marginal", "moments", "moments_features", "supervised"}
        ``supervised`` learns from tags; the others from counts: ``marginal`` maximises their likelihood (2);
        ``moments`` solves (12) for the tags of each word and maximises (10) with them; ``moments_features`` solves
        (12) for a function of the features.
    inference : {"auto", "exact", "beam", "merged"}
        How ``marginal`` finds posteriors: ``exact``, ``beam`` (the paper's), ``merged``, or ``auto``: exact for
        windows with at most `budget` count vectors, merged beyond.
    beam : int
        Width of either beam.
    budget : int
        Count vectors that ``auto`` allows.
    optimizer : {"adagrad", "sgd"}
        Whether steps shrink as gradients add up, or stay.
    rate : float
        The step size.
    passes : float
        Passes over the windows.
    evaluate_at : sequence of float
        Numbers of passes, fractions too, after which to note the tag of every word of the vocabulary.
    ridge : float
        Step 1 of the moments: weight of the pull to the tags' overall shares.
    step1_tolerance : float
        How far its gradient must fall.
    step1_passes : int
        The most passes that it may take.
    step1 : {"exact", "sgd", "sgd_first", "sgd_constant"}
        How ``moments`` solves (12): ``exact`` by conjugate gradients, with the ridge; or by stochastic gradients from
        the tags' overall shares, without. Their average comes to the minimum of (12): with ``sgd`` in one sweep with
        (10), each window moving first ŵ and then θ, with ``sgd_first`` before (10), until `step1_tolerance` or
        `step1_passes`. A warning says if it has not come there. ``sgd_constant`` is ``sgd`` with a constant rate and
        the last ŵ, which goes on moving for ever.
    step1_rate : float, optional
        The step size on (12), over the mean squared norm of the windows' rows and falling with the root of the passes;
        if constant over that of the window, where 1, the default, fits the window exactly. Below 2, or that diverges.
    span : {"window", "all", "seen"}
        Whether the moments sum (10) over the windows' positions, over all positions of their sentences, as printed, or
        over those whose word stands in some window: (12) says nothing of the others, which keep the overall shares.
    n_tags : int, optional
        Size of the tag set; by default what the data shows.
    random_state : int, numpy.random.Generator or None
        Where the order of the windows comes from.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_tags)
        θ.
    n_tags_ : int
        Size of the tag set.
    classes_ : ndarray of shape (n_tags,)
        What the tags are called: whole numbers from 0 unless names were given.
    words_ : tuple of str
        The vocabulary, in order.
    feature_index_, features_ : dict, ndarray of shape (n_words, n_kinds)
        The number of every feature, and the features of every word.
    objective_ : ndarray of shape (n_passes,)
        The objective, summed over the windows of each pass as they came.
    tag_shares_, word_tags_ : ndarrays of shape (n_tags,) and (n_words, n_tags)
        Step 1 of the moments: the tags' overall shares, and those of each word.
    step1_passes_, step1_gap_ : float
        The passes that step 1 took, and by stochastic gradients to what share of its start the gradient of (12) fell.
    snapshots_, seconds_ : ndarrays of shape (n_evaluations, n_words) and (n_evaluations,)
        At `evaluate_at`: the tag of every word, and the seconds of training until then.

    See Also
    --------
    RegionCounts : the mechanism that counts.
    exact_count_posterior, beam_count_posterior : the posterior of one window.

    Examples
    --------
    Determiner, noun, verb: no word is ever tagged, only counted.

    >>> from unveil import CountTagger
    >>> windows = [["the", "dog"], ["dog", "runs"], ["the", "cat", "runs"]]
    >>> counts = [[1, 1, 0], [0, 1, 1], [1, 1, 1]]
    >>> tagger = CountTagger("moments", passes=20, random_state=0).fit(windows, counts)
    >>> tagger.predict(["the", "dog", "runs"])
    array([0, 1, 2])

    From what an annotator published, with names for the tags:

    >>> from numpy.random import default_rng
    >>> from unveil import RegionCounts
    >>> tags = [["DT", "NN"], ["NN", "VB"], ["DT", "NN", "VB"]]
    >>> release = RegionCounts(window=None).publish((windows, tags), default_rng(0))
    >>> tagger = CountTagger("moments", passes=50, random_state=0).fit(release, windows)
    >>> tagger.predict([["the", "dog"], ["runs"]])
    [array(['DT', 'NN'], dtype='<U2'), array(['VB'], dtype='<U2')]
    >>> round(tagger.score(windows, tags), 2)
    0.86
    """

    def fit(
        self,
        X: Release | Windows | Sequence[Sequence[str]],
        y: ArrayLike | Sequence[Sequence[Any]],
        asked: ArrayLike | None = None,
        monitor: Callable[[float, Floats], None] | None = None,
        like: Tagger | None = None,
    ) -> Self:
        """As `Tagger.fit`; a warning says if step 1 by stochastic gradients did not come to the minimum of (12)."""
        super().fit(X, y, asked, monitor, like)
        if self.step1_gap_ > self.step1_tolerance:
            reached = f"step 1 is not at the minimum of (12): its gradient fell to {self.step1_gap_:.2g} of its start"
            advice = "raise step1_passes (or with one sweep passes) or step1_tolerance, or take step1='exact'"
            warn(f"{reached} in {self.step1_passes_:g} passes; {advice}", ConvergenceWarning)
        return self
