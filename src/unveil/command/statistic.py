"""The two older commands, `owner-release` and `learner-fit`: `release` and `fit` of a mean operator from plain numbers.

The protocol of algorithm 3 (Patrini et al. 2016): the two agents share the features, one record a row, and only the
release file goes from the one to the other. Columns go by their places. Noise other than the exact one is for
simulation and asks for a seed.
"""

from __future__ import annotations

import csv
import warnings
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from unveil.errors import UnveilError, require
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
    limit: float | None = None


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
        rows = int(bool(_names(path)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of no rows, which is said better below
            table = np.loadtxt(path, delimiter=",", skiprows=rows, ndmin=1, encoding="utf-8-sig")
    except OSError as error:
        raise UnveilError(f"cannot read {path}: {error.strerror or error}") from error
    except UnveilError:
        raise
    except (ValueError, EOFError, TypeError, OverflowError, SyntaxError, TokenError, MemoryError, csv.Error) as error:
        raise UnveilError(f"{path} must hold numbers: {error}") from error
    require(table.size, f"{path} must hold numbers: it has no rows")
    return table


def _names(path: Path) -> list[str]:
    """The names in the first line of a .csv file; none where it holds numbers, or in another file."""
    if path.suffix != ".csv":
        return []
    with path.open(encoding="utf-8-sig", newline="") as lines:
        cells = next(csv.reader([lines.readline()]), [])
    require(any(cell.strip() for cell in cells), f"{path} must hold numbers: it is empty")
    numeric = [_is_numeric(cell) for cell in cells]
    mixed = f"{path}, line 1 holds numbers and words: it is neither a line of names nor a record"
    require(all(numeric) or not any(numeric), mixed)
    return [] if all(numeric) else [cell.strip() for cell in cells]


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
    from unveil.command.owner import require_fitting, written
    from unveil.command.veils import Order
    from unveil.mechanisms.mean_operator import checked_signs
    from unveil.releases import releasable

    names = ("out", "simulation", "seed", "ledger", "records", "limit")
    same = {name: getattr(options, name) for name in names}
    order = Order("mean-operator", options.labels, label="label", epsilon=options.alpha, **same)
    require_fitting(order)
    features = releasable(read_features(options.features))
    labels = checked_signs(read_array(options.labels), len(features))
    mechanism = _mechanism(options, features)
    return written(
        order, (mechanism.tight_epsilon(features), 0.0), lambda rng: mechanism.publish((features, labels), rng), {}
    )


def _mechanism(options: OwnerOptions, features: Array) -> Any:
    from unveil.mechanisms.exact_operator import GeometricMeanOperator
    from unveil.mechanisms.mean_operator import MeanOperatorRelease

    bounds = {"--bound": (options.bound, ("printed", "gamma")), "--l1-bound": (options.l1_bound, ("laplace",))}
    for name, (value, noises) in bounds.items():
        applies = value is None or options.noise in noises
        require(applies, f"{name} does not apply to --noise {options.noise}: it is for {' and '.join(noises)}")
    if options.noise == GeometricMeanOperator.noise:
        return GeometricMeanOperator(options.alpha, testing=options.seed is not None)
    require(
        options.seed is not None,
        f"--noise {options.noise} is drawn in floating point and for simulation only: give --simulation and --seed, "
        "or take geometric",
    )
    l1_bound = options.l1_bound
    if options.noise == "laplace" and l1_bound is None:
        # The features are known to both agents, so their largest norm gives nothing away.
        l1_bound = float(np.max(np.linalg.norm(features, ord=1, axis=1)))
    return MeanOperatorRelease(options.alpha, options.noise, 1.0 if options.bound is None else options.bound, l1_bound)


def learner_fit(options: LearnerOptions) -> str:
    """The learner turns a release and the public features into a model; no label is read."""
    from unveil.command.learner import Wish, fit
    from unveil.command.sheets import Sheet

    def opened(path: Path) -> Sheet:
        rows = read_features(path)
        return Sheet.of_numbers(path, _names(path) or [f"x{place}" for place in range(1, rows.shape[1] + 1)], rows)

    settings = [f"loss={options.loss}", *([] if options.l2 is None else [f"l2={options.l2!r}"])]
    wish = Wish("mean-operator", options.release, options.features, options.model, settings, force=options.force)
    return fit(wish, opened)
