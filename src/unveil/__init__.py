"""Learning from data seen only through a veil.

The public names are loaded on first use, so that `import unveil` costs nothing and a module's import closure
holds only what it needs. Inside the package, modules import from their own rooms, never from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME: dict[str, str] = {
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
    "randomized_response_matrix": "mechanisms.response",
    "relative_efficiency": "theory.asymptotics",
    "ScaledDirichlet": "mechanisms.counts",
    "SetIdLogistic": "estimators.set_logistic",
    "SubsampleCounts": "mechanisms.counts",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unveil' has no attribute {name!r}")
    return getattr(import_module(f"unveil.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
