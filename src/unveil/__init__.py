"""Learning from data seen only through a veil.

The public names are loaded on first use, so that `import unveil` costs nothing and a module's import closure
holds only what it needs. Inside the package, modules import from their own rooms, never from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME: dict[str, str] = {
    "CoordinateRelease": "mechanisms.coordinate",
    "CountTagger": "estimators.count_tagger",
    "GaussianInputNoise": "mechanisms.gaussian_noise",
    "LabelFlips": "mechanisms.flips",
    "LabelResponse": "mechanisms.label_perturbation",
    "LinearOddLoss": "estimators.losses",
    "MeanOperator": "mechanisms.release_file",
    "MeanOperatorClassifier": "estimators.mean_operator",
    "MeanOperatorRelease": "mechanisms.mean_operator",
    "MomentRegression": "estimators.moment_regression",
    "PerValueRelease": "mechanisms.per_value",
    "PixelFlips": "mechanisms.flips",
    "RandomizedResponse": "mechanisms.response",
    "RegionCounts": "mechanisms.regions",
    "SpreadLikelihood": "estimators.spread.likelihood",
    "SpreadLogisticRegression": "estimators.spread.logistic",
    "asymptotic_variances": "theory.asymptotics",
    "ClassifyAndCount": "estimators.quantify",
    "dirichlet_delta": "privacy.dirichlet",
    "dirichlet_scale": "mechanisms.dirichlet_scale",
    "DirichletOrLaplacePrior": "mechanisms.counts",
    "EMQ": "estimators.quantify",
    "GaussianCounts": "mechanisms.counts",
    "LaplaceCounts": "mechanisms.counts",
    "LaplacePrior": "mechanisms.counts",
    "mmd_gram": "estimators.mmd_gram",
    "MMDClassRatio": "estimators.mmd",
    "ProportionSVM": "estimators.proportion_svm",
    "beam_count_posterior": "estimators.count_posterior",
    "exact_count_posterior": "estimators.count_posterior",
    "mean_map": "estimators.mean_map",
    "mean_operator": "mechanisms.mean_operator",
    "randomized_response_matrix": "mechanisms.response",
    "reconstruct_labels": "estimators.label_reconstruction",
    "relative_efficiency": "theory.asymptotics",
    "ScaledDirichlet": "mechanisms.counts",
    "SetIdLogistic": "estimators.set_logistic",
    "SubsampleCounts": "mechanisms.counts",
    "symmetric_proper_loss": "estimators.proper_losses",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unveil' has no attribute {name!r}")
    return getattr(import_module(f"unveil.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
