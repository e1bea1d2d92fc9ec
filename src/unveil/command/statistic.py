"""The two older commands, `owner-release` and `learner-fit`: the mean operator from two files of numbers.

The protocol of algorithm 3 (Patrini et al. 2016), one command for each agent. The two share the features; only the
release file goes from the one to the other. The default noise is exact and its randomness the operating system's; the
other kinds of noise are for simulation and ask for a seed.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.random import default_rng

from unveil.earlier import is_earlier
from unveil.errors import UnveilError, require
from unveil.files import create, replace, require_free
from unveil.ledger import Ledger
from unveil.types import Array


@dataclass(frozen=True)
class OwnerOptions:
    """What `unveil owner-release` was asked for."""

    features: Path
    labels: Path
    alpha: float
    out: Path
    noise: str = "geometric"
    bound: float | None = None
    l1_bound: float | None = None
    simulation: bool = False
    seed: int | None = None
    ledger: Path | None = None
    records: str | None = None
    limit: float = inf


@dataclass(frozen=True)
class LearnerOptions:
    """What `unveil learner-fit` was asked for."""

    features: Path
    release: Path
    model: Path
    loss: str = "logistic"
    l2: float | None = None
    force: bool = False


def read_array(path: Path) -> Array:
    """Numbers from a .npy file, or from a .csv file with or without a line of names."""
    try:
        if path.suffix == ".npy":
            # Mapped first: a header that declares more than the file holds is refused before memory is taken.
            array: Array = np.array(np.load(path, mmap_mode="r", allow_pickle=False))
            require(array.dtype.kind in "fiub", f"{path} must hold numbers, not {array.dtype}")
            return array
        require(path.suffix == ".csv", f"{path} must be a .npy or a .csv file")
        with path.open(encoding="utf-8-sig") as lines:
            first = lines.readline()
        require(first.strip(), f"{path} must hold numbers: it is empty")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of no rows, which is said better below
            cells = [_is_numeric(cell) for cell in first.split(",")]
            mixed = f"{path}, line 1 holds numbers and words: it is neither a line of names nor a record"
            require(all(cells) or not any(cells), mixed)
            rows = int(not all(cells))
            table = np.loadtxt(path, delimiter=",", skiprows=rows, ndmin=1, encoding="utf-8-sig")
    except OSError as error:
        raise UnveilError(f"cannot read {path}: {error.strerror or error}") from error
    except UnveilError:
        raise
    except (ValueError, EOFError, TypeError, OverflowError, SyntaxError, TokenError, MemoryError) as error:
        raise UnveilError(f"{path} must hold numbers: {error}") from error
    require(table.size, f"{path} must hold numbers: it has no rows")
    return table


def _is_numeric(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_features(path: Path) -> Array:
    """A matrix; a file with a single column is one, too."""
    features = read_array(path)
    return features[:, None] if features.ndim == 1 else features


def owner_release(options: OwnerOptions) -> str:
    """The owner of the labels writes the file that may be published."""
    from unveil.mechanisms.entropy import SecureGenerator
    from unveil.mechanisms.exact_operator import GeometricMeanOperator
    from unveil.mechanisms.mean_operator import MeanOperatorRelease, checked_signs
    from unveil.releases import MeanOperator, releasable

    # All that can go wrong is tried before noise is drawn: what was drawn counts as released.
    require_free(options.out, "a release")
    require(
        options.seed is None or options.simulation, "--seed needs --simulation: whoever knows it can take the noise off"
    )
    require(options.seed is None or options.seed >= 0, "--seed must not be negative")
    bounds = {"--bound": (options.bound, ("printed", "gamma")), "--l1-bound": (options.l1_bound, ("laplace",))}
    for name, (value, noises) in bounds.items():
        applies = value is None or options.noise in noises
        require(applies, f"{name} does not apply to --noise {options.noise}: it is for {' and '.join(noises)}")
    features = releasable(read_features(options.features))
    labels = checked_signs(read_array(options.labels), len(features))
    l1_bound = options.l1_bound
    if options.noise == "laplace" and l1_bound is None:
        # The features are known to both agents, so their largest norm gives nothing away.
        l1_bound = float(np.max(np.linalg.norm(features, ord=1, axis=1)))
    exact = options.noise == GeometricMeanOperator.noise
    mechanism = (
        GeometricMeanOperator(options.alpha, testing=options.seed is not None)
        if exact
        else MeanOperatorRelease(
            options.alpha, options.noise, 1.0 if options.bound is None else options.bound, l1_bound
        )
    )
    require(
        exact or options.seed is not None,
        f"--noise {options.noise} is drawn in floating point and for simulation only: give --simulation and --seed, "
        "or take geometric",
    )
    level = mechanism.tight_epsilon(features)
    if options.ledger:
        records = options.records or options.labels.name
        Ledger(options.ledger, options.limit).spend(records, level, what=f"mean operator in {options.out}")
    # Without a seed the noise comes from the operating system, and nobody can draw it again.
    rng = SecureGenerator() if options.seed is None else default_rng(options.seed)
    released = MeanOperator.released(features, labels, mechanism, rng)
    released.save(options.out)
    seeded = "" if options.seed is None else "SIMULATION, drawn from a seed: "
    return (
        f"{seeded}{options.out}: mean operator of {released.records} records and {len(released.value)} features, "
        f"{released.noise} noise; epsilon claimed {released.claimed_epsilon:g}, true {released.true_epsilon:g}"
    )


def learner_fit(options: LearnerOptions) -> str:
    """The learner turns a release and the public features into a model; no label is read."""
    from unveil.command.learner import require_other

    require_other(options.model, "--model", options.features, options.release)
    learned = _learned_earlier if is_earlier(options.release) else _learned
    content, seeded = learned(options)
    write = replace if options.force else create
    write(options.model, json.dumps(content, indent=1) + "\n")
    said = f"{options.model}{' from a SIMULATED release' if seeded else ''}: {options.loss} loss"
    return f"{said}, l2 = {content['l2']:g}, gradient norm {content['gradient_norm']:.1e}"


def _learned_earlier(options: LearnerOptions) -> tuple[dict[str, Any], bool]:
    """The model, and whether its noise came from a seed; from what `unveil owner-release` writes."""
    from unveil.estimators.statistics.classifier import L2, MeanOperatorClassifier
    from unveil.releases import MeanOperator

    released = MeanOperator.load(options.release)
    features = read_features(options.features)
    l2 = L2 if options.l2 is None else options.l2
    model = MeanOperatorClassifier(loss=options.loss, l2=l2).fit_statistic(features, released.statistic(features))
    content = _content(options, model, l2, released.claimed_epsilon, released.true_epsilon)
    return content, released.randomness == "seeded"


def _learned(options: LearnerOptions) -> tuple[dict[str, Any], bool]:
    """The same from what `publish` and `unveil release mean-operator` write; λ by its noise, unless it is given."""
    from unveil.estimators.statistics.classifier import MeanOperatorClassifier
    from unveil.protocols import Release

    released = Release.load(options.release)
    features = read_features(options.features)
    model = MeanOperatorClassifier(loss=options.loss, l2=options.l2).fit(released, features)
    content = _content(options, model, model.l2_, released.claimed_epsilon, released.exact_epsilon)
    more = {"intercept": float(np.ravel(model.intercept_)[0]), "classes": model.classes_.tolist()}
    return {**content, **more}, released.randomness == "seeded"


def _content(options: LearnerOptions, model: Any, l2: float, claimed: float, kept: float) -> dict[str, Any]:
    return {
        "loss": options.loss,
        "l2": l2,
        "coef": model.coef_[0].tolist(),
        "gradient_norm": model.gradient_norm_,
        "claimed_epsilon": claimed,
        "true_epsilon": kept,
    }
