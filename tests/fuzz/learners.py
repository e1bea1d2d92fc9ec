# ruff: noqa: E501 - a table reads best with one line a call
"""A good call of every estimator, and of the public functions that are not mechanisms; see `fuzz.calls`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import default_rng
from sklearn.base import clone
from tests.fuzz.harness import Call, Good

import unveil
from unveil.estimators.spread.likelihood import bernoulli
from unveil.estimators.statistics.proper_losses import ENTROPY

_RNG = default_rng(0)
POINTS = _RNG.random((12, 3))
QUERY = _RNG.random((4, 3))
SIGNS = np.where(POINTS[:, 0] > 0.5, 1, -1)
PIXELS = np.arange(36).reshape(12, 3) * 7 % 4
BAGS = [POINTS[:5] + 1, POINTS[5:], POINTS[2:9] - 0.5]
SHARES = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
STATISTICS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
ANSWERS = np.arange(40) % 4
RESPONSE = unveil.randomized_response_matrix(4, 0.5)
TEXT = [["a", "dog", "runs"], ["the", "dog"], ["a", "cat", "runs", "home"]]
TAGS = np.array([[1, 1, 1], [1, 1, 0], [1, 2, 1]])


def learned(kind: Any, *data: str, fit: str = "fit", asks: tuple[str, ...] = ("predict",)) -> Call:
    """Make the estimator, copy it as scikit-learn does, fit it to the data, and ask it about `query` if there is one."""

    def call(**given: Any) -> Any:
        shown = [given.pop(name) for name in data]
        question = [given.pop("query")] if "query" in given else []
        model = kind(**given)
        clone(model, safe=False)
        getattr(model, fit)(*shown)
        return [getattr(model, ask)(*question) for ask in asks], getattr(model, "coef_", None)

    return call


def _spread(noise: Any, counts: Any, start: Any) -> Any:
    return unveil.SpreadLikelihood(noise).maximise(bernoulli, counts, start)


_BAGS = {"bags": BAGS, "proportions": SHARES, "validation": (BAGS, SHARES), "query": QUERY}
_LABELLED = {"X": POINTS, "y": SIGNS, "query": QUERY}
_SPREAD = {
    "label_flip": 0.1, "samples": 2, "labels": "summed", "rate": 0.1, "iterations": 3, "l2": 0.1, "fit_intercept": True,
    "centre": True, "checkpoints": (1, 3), "random_state": 0, "y": SIGNS,
}  # fmt: skip
_TAGGER = {
    "passes": 2, "evaluate_at": (0.5, 2), "rate": 0.1, "n_tags": None, "optimizer": "adagrad", "random_state": 0,
    "X": TEXT, "y": TAGS, "query": ["a", "new", "dog"],
}  # fmt: skip
_MODEL = {"phi": STATISTICS, "supervision": RESPONSE}

LEARNERS = [
    Good("MomentClassifier", learned(unveil.MomentClassifier, "X", "y", asks=("predict_proba",)), {"solver": "ridge", **_LABELLED}),
    Good("MomentRegression", learned(unveil.MomentRegression, "X", "y"), {"solver": "ridge", "noise": 0.1, **_LABELLED}),
    Good("MomentRegression.fit_moments", learned(unveil.MomentRegression, "second", "cross", fit="fit_moments"), {"solver": "truncated", "noise": 0.1, "second": POINTS.T @ POINTS / 12, "cross": SIGNS @ POINTS / 12, "query": QUERY}),
    Good("MeanOperatorClassifier", learned(unveil.MeanOperatorClassifier, "X", "y", asks=("predict", "decision_function")), {"loss": "logistic", "l2": 0.1, "tol": 1e-10, "max_iter": 500, **_LABELLED}),
    Good("MeanOperatorClassifier.fit_statistic", learned(unveil.MeanOperatorClassifier, "X", "mu", fit="fit_statistic"), {"l2": 0.1, "X": POINTS, "mu": SIGNS @ POINTS / 12, "query": QUERY}),
    Good("MeanMapClassifier", learned(unveil.MeanMapClassifier, "X", "bags", "proportions"), {"loss": "logistic", "l2": 0.1, "fit_intercept": True, "X": POINTS, "bags": np.arange(12) % 3, "proportions": np.array([0.2, 0.5, 0.9]), "query": QUERY}),
    Good("MMDClassRatio", learned(unveil.MMDClassRatio, "bags", "proportions", "validation", asks=("predict", "mixture", "interval")), {"bandwidths": np.array([0.5, 1.0]), "diagonal": "auto", "refit": True, "noise": 0.01, **_BAGS}),
    Good("MMDClassRatio with random features", learned(unveil.MMDClassRatio, "bags", "proportions"), {"bandwidths": np.array([1.0]), "random_features": 20, "random_state": 1, "bags": BAGS, "proportions": SHARES, "query": QUERY}),
    Good("FeatureClassRatio", learned(unveil.FeatureClassRatio, "bags", "proportions"), {"bandwidths": np.array([1.0]), "random_features": 20, "noise": 0.01, "random_state": 1, "bags": BAGS, "proportions": SHARES, "query": QUERY}),
    Good("ProportionSVM", learned(unveil.ProportionSVM, "bags", "proportions", "validation", asks=("predict", "predict_unmixed")), {"bandwidths": np.array([0.5, 1.0]), "costs": (1.0,), "proportion_cost": 10.0, "annealing": 10.0, "restarts": 1, "random_state": 0, **_BAGS}),
    Good("SetIdLogistic", learned(unveil.SetIdLogistic, "bags", "proportions", "validation"), {"cost": 0.1, **_BAGS}),
    Good("SetIdEM", learned(unveil.SetIdEM, "bags", "proportions", "validation"), {"costs": (0.01, 0.1), **_BAGS}),
    Good("ClassifyAndCount", learned(unveil.ClassifyAndCount, "X", "y"), {"cost": 0.1, **_LABELLED}),
    Good("EMQ", learned(unveil.EMQ, "X", "y"), {"cost": 0.1, **_LABELLED}),
    Good("SpreadLogisticRegression", learned(unveil.SpreadLogisticRegression, "X", "y", asks=("predict", "predict_proba")), {**_SPREAD, "input_noise": 0.2, "prior": "learned", "states": 4, "level": "pixel", "smoothing": 1.0, "X": PIXELS, "query": PIXELS[:4]}),
    Good("SpreadLogisticRegression under Gaussian noise", learned(unveil.SpreadLogisticRegression, "X", "y"), {**_SPREAD, "noise": "gaussian", "input_noise": 0.2, "prior": (0.0, 1.0), "level": "z", "X": POINTS, "query": QUERY}),
    Good("CountTagger", learned(unveil.CountTagger, "X", "y"), {"method": "marginal", "inference": "auto", "beam": 50, "budget": 100, **_TAGGER}),
    Good("CountTagger by moments", learned(unveil.CountTagger, "X", "y"), {"method": "moments", "ridge": 1.0, "step1_tolerance": 1e-2, "step1_passes": 20, **_TAGGER}),
    Good("CountTagger with tags", learned(unveil.CountTagger, "X", "y"), {**_TAGGER, "method": "supervised", "y": [[0, 1, 2], [0, 1], [0, 1, 2, 1]]}),
    Good("LinearMoments", learned(unveil.LinearMoments, "observations", asks=("predict_proba",)), {**_MODEL, "observations": ANSWERS}),
    Good("MarginalLikelihood", learned(unveil.MarginalLikelihood, "observations", asks=("predict_proba",)), {**_MODEL, "method": "em", "starts": np.zeros((2, 2)), "reach": 3.0, "steps": 20, "observations": ANSWERS}),
    Good("MarginalLikelihood by scoring", learned(unveil.MarginalLikelihood, "frequencies", fit="fit_frequencies", asks=("predict_proba",)), {**_MODEL, "starts": None, "reach": 3.0, "frequencies": np.full(4, 0.25)}),
    Good("SpreadLikelihood", _spread, {"noise": np.array([[0.8, 0.3], [0.2, 0.7]]), "counts": np.array([30, 70]), "start": np.zeros(1)}),
    Good("asymptotic_variances", unveil.asymptotic_variances, {**_MODEL, "theta": np.array([0.5, -0.5])}),
    Good("relative_efficiency", unveil.relative_efficiency, {**_MODEL, "theta": np.array([0.5, -0.5])}),
    Good("exact_count_posterior", unveil.exact_count_posterior, {"log_potentials": np.log(POINTS[:5]), "counts": np.array([2, 2, 1])}),
    Good("beam_count_posterior", unveil.beam_count_posterior, {"log_potentials": np.log(POINTS[:5]), "counts": np.array([2, 2, 1]), "beam": 10, "merge": False}),
    Good("mmd_gram", unveil.mmd_gram, {"bags": BAGS, "bandwidths": np.array([0.5, 1.0]), "queries": [QUERY]}),
    Good("randomized_response_matrix", unveil.randomized_response_matrix, {"m": 3, "epsilon": 0.5, "base": np.array([0.2, 0.3, 0.5])}),
    Good("symmetric_proper_loss", unveil.symmetric_proper_loss, {"generator": ENTROPY, "b_phi": 1.0, "a_phi": 0.0}),
    Good("dirichlet_scale", unveil.dirichlet_scale, {"counts": np.array([40, 60]), "epsilon": 0.5, "delta": 0.05, "rule": "tight"}),
    Good("dirichlet_scale of the paper", unveil.dirichlet_scale, {"counts": np.array([40, 60, 200]), "epsilon": 0.5, "delta": 0.05, "rule": "paper"}),
    Good("dirichlet_delta", unveil.dirichlet_delta, {"counts": np.array([40, 60]), "neighbour": np.array([39, 61]), "scale": 1.0, "neighbour_scale": 1.1, "epsilon": 0.5}),
    Good("dirichlet_delta of three classes", unveil.dirichlet_delta, {"counts": np.array([40, 60, 50]), "neighbour": np.array([39, 61, 50]), "scale": 1.0, "neighbour_scale": 1.1, "epsilon": 0.5}),
]  # fmt: skip
