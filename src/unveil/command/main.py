"""The command `unveil`: the two-agent protocol of algorithm 3 (Patrini et al. 2016), one command for each agent.

    unveil owner-release --features X.npy --labels y.npy --alpha 1 --out release.json
    unveil learner-fit --features X.npy --release release.json --model model.json

The two agents share the features. Only the release file goes from the one to the other. The default noise is exact and
its randomness the operating system's; the other kinds of noise are for simulation and ask for a seed.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from math import inf
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.random import default_rng

from unveil.confinement import confine, kernel_folders, system_folders
from unveil.errors import UnveilError, require
from unveil.files import create, replace, require_free
from unveil.ledger import Ledger
from unveil.types import Array


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


def owner_release(options: argparse.Namespace) -> str:
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
        else MeanOperatorRelease(options.alpha, options.noise, options.bound, l1_bound)
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


def learner_fit(options: argparse.Namespace) -> str:
    """The learner turns a release and the public features into a model; no label is read."""
    from unveil.estimators.statistics.classifier import MeanOperatorClassifier
    from unveil.releases import MeanOperator

    released = MeanOperator.load(options.release)
    for path in (options.features, options.release):
        other = not (options.model.exists() and path.exists() and options.model.samefile(path))
        require(other, f"--model must not be {path}, which is read")
    features = read_features(options.features)
    model = MeanOperatorClassifier(loss=options.loss, l2=options.l2).fit_statistic(
        features, released.statistic(features)
    )
    content = {
        "loss": options.loss,
        "l2": options.l2,
        "coef": model.coef_[0].tolist(),
        "gradient_norm": model.gradient_norm_,
        "claimed_epsilon": released.claimed_epsilon,
        "true_epsilon": released.true_epsilon,
    }
    write = replace if options.force else create
    write(options.model, json.dumps(content, indent=1) + "\n")
    seeded = " from a SIMULATED release" if released.randomness == "seeded" else ""
    return (
        f"{options.model}{seeded}: {options.loss} loss, l2 = {options.l2:g}, gradient norm {model.gradient_norm_:.1e}"
    )


def parser() -> argparse.ArgumentParser:
    """The two commands and their options."""
    top = argparse.ArgumentParser(
        prog="unveil", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", required=True)

    owner = commands.add_parser("owner-release", help="release the mean operator of private labels")
    owner.add_argument("--features", type=Path, required=True, help="public features, .npy or .csv, a record a row")
    owner.add_argument("--labels", type=Path, required=True, help="private labels, -1 or +1, a record a row")
    owner.add_argument("--alpha", type=float, required=True, help="privacy level of one label")
    owner.add_argument(
        "--noise",
        default="geometric",
        choices=("geometric", "printed", "laplace", "gamma"),
        help="default: geometric, exact; the others are for simulation only",
    )
    owner.add_argument("--bound", type=float, default=1.0, help="declared bound on the 2-norm of a record (default: 1)")
    owner.add_argument(
        "--l1-bound",
        type=float,
        help="declared bound on the 1-norm (default for laplace: the largest of these public features)",
    )
    owner.add_argument("--simulation", action="store_true", help="nothing real is at stake: allow a seed")
    owner.add_argument("--seed", type=int, help="needs --simulation: whoever knows the seed can take the noise off")
    owner.add_argument("--ledger", type=Path, help="a file where all releases about these records are noted")
    owner.add_argument("--records", help="what the ledger calls these records (default: the labels' file name)")
    owner.add_argument("--limit", type=float, default=inf, help="the ledger refuses to go beyond this epsilon")
    owner.add_argument("--out", type=Path, required=True, help="the release file to write")
    owner.set_defaults(run=owner_release)

    learner = commands.add_parser("learner-fit", help="learn from a release and the public features")
    learner.add_argument("--features", type=Path, required=True, help="the same public features")
    learner.add_argument("--release", type=Path, required=True, help="the owner's release file")
    learner.add_argument("--loss", default="logistic", help="logistic (default), square, matsushita, modified_huber, …")
    learner.add_argument("--l2", type=float, default=1e-2, help="weight of the squared norm (default: 0.01)")
    learner.add_argument("--model", type=Path, required=True, help="the model file to write")
    learner.add_argument("--force", action="store_true", help="write it in the place of another model")
    learner.set_defaults(run=learner_fit)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the caller is one line on standard error and exit code 1."""
    return _run(parser().parse_args(arguments))


def program() -> int:
    """The same as a process of its own: the owner's one opens the files that it was told, and no network."""
    options = parser().parse_args()
    if options.run is owner_release:
        targets = [path.parent for path in (options.out, options.ledger) if path]
        confine([*system_folders(), options.features, options.labels], [*targets, *kernel_folders()])
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        message = options.run(options)
    except UnveilError as error:
        sys.stderr.write(f"unveil: {error}\n")
        return 1
    sys.stdout.write(message + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(program())
