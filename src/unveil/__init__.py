"""Learning from data seen only through a veil.

The public names are loaded on first use, so that `import unveil` costs nothing and a module's import closure
holds only what it needs. Inside the package, modules import from their own rooms, never from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME: dict[str, str] = {
    "Audit": "privacy.audit",
    "ClassifyAndCount": "estimators.bags.quantify",
    "CoordinateRelease": "mechanisms.coordinate",
    "CountTagger": "estimators.counts.tagger",
    "DirichletOrLaplacePrior": "mechanisms.counts",
    "EMQ": "estimators.bags.quantify",
    "ExactResponse": "mechanisms.exact_response",
    "GaussianCounts": "mechanisms.counts",
    "GaussianInputNoise": "mechanisms.gaussian_noise",
    "GeometricCounts": "mechanisms.exact_sums",
    "GeometricMeanOperator": "mechanisms.exact_sums",
    "GeometricMeans": "mechanisms.exact_sums",
    "LabelFlips": "mechanisms.flips",
    "LabelResponse": "mechanisms.label_perturbation",
    "LaplaceCounts": "mechanisms.counts",
    "LaplacePrior": "mechanisms.counts",
    "LinearMoments": "estimators.moments.indirect",
    "LinearOddLoss": "estimators.statistics.losses",
    "MMDClassRatio": "estimators.bags.mmd",
    "MarginalLikelihood": "estimators.moments.indirect",
    "MeanOperator": "releases",
    "MeanOperatorClassifier": "estimators.statistics.classifier",
    "MeanOperatorRelease": "mechanisms.mean_operator",
    "MomentRegression": "estimators.moments.regression",
    "PerValueRelease": "mechanisms.per_value",
    "PixelFlips": "mechanisms.flips",
    "ProportionSVM": "estimators.bags.proportion_svm",
    "RandomizedResponse": "mechanisms.response",
    "RegionCounts": "mechanisms.regions",
    "ScaledDirichlet": "mechanisms.counts",
    "SecureGenerator": "mechanisms.entropy",
    "SetIdLogistic": "estimators.bags.set_logistic",
    "SimulationOnly": "errors",
    "SpreadLikelihood": "estimators.spread.likelihood",
    "SpreadLogisticRegression": "estimators.spread.logistic",
    "SubsampleCounts": "mechanisms.counts",
    "asymptotic_variances": "theory.asymptotics",
    "audit_release": "privacy.audit",
    "beam_count_posterior": "estimators.counts.posterior",
    "dirichlet_delta": "privacy.dirichlet",
    "dirichlet_scale": "mechanisms.dirichlet_scale",
    "exact_count_posterior": "estimators.counts.posterior",
    "mean_map": "estimators.bags.mean_map",
    "mean_operator": "mechanisms.mean_operator",
    "mmd_gram": "estimators.bags.mmd_gram",
    "randomized_response_matrix": "mechanisms.response",
    "reconstruct_labels": "estimators.statistics.label_reconstruction",
    "relative_efficiency": "theory.asymptotics",
    "symmetric_proper_loss": "estimators.statistics.proper_losses",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unveil' has no attribute {name!r}")
    return getattr(import_module(f"unveil.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
