"""The tagger that learns from counts, as scikit-learn knows estimators."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from unveil.estimators.counts.tagger import Tagger


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
    step1 : {"exact", "sgd", "sgd_first"}
        How ``moments`` solves (12): ``exact`` by conjugate gradients, with the ridge; or by stochastic gradients from
        the tags' overall shares, without: ``sgd`` in one sweep with (10), each window moving first ŵ and then θ;
        ``sgd_first`` for `passes` passes before as many on (10).
    step1_rate : float, optional
        The step size on (12), over the squared norm of the window's row, which is its length if all its words differ;
        by default 1, which fits the window exactly. Below 2, or it diverges.
    span : {"window", "all"}
        Whether the moments sum (10) over the windows' positions or over all positions of their sentences, as printed.
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
    step1_passes_ : int
        The passes that step 1 took.
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
