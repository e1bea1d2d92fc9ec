"""The bench, row by row: each makes ours and its reference on the same input, at the size of the experiments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse, special
from sklearn.linear_model import LogisticRegression

from tools.bench import peers
from tools.bench.inputs import (
    BATCH,
    SETS,
    STATES,
    TABLE,
    TESTS,
    census_like,
    cut_windows,
    draw_bags,
    draw_sets,
    write_shards,
)
from tools.bench.measure import Pair, Row, Took, Work
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.mmd_gram import gather, mmd_gram, product_blocks
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.counts.features import word_features
from unveil.estimators.spread.labels import SampledLabels
from unveil.estimators.spread.noise_parameters import flip_rates, label_matrix
from unveil.estimators.spread.priors import flat_prior
from unveil.estimators.spread.steps import FlipPixelStep, FlipProjectedStep
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.dirichlet_scale import dirichlet_scales
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.per_value import CHUNK, PerValueRelease
from unveil.mechanisms.product_bits import ROWS, UNIFORMS
from unveil.mechanisms.response import RandomizedResponse
from unveil.tables import Table
from unveil.types import Array, Arrays

#: What the contract of `ratio_predict` allows on one core of the reference machine, and a first fit beyond a warm one.
PREDICT_SECONDS, ALLOWANCE = 0.05, 3.0


BOTH, CRFSUITE = ("limit", "peer"), "python-crfsuite l2sgd, the same tokens one by one"


def all_rows(treebank: Arrays) -> list[Row]:
    """Every row, those of taggers on the prepared Treebank."""
    gemms, census, text = "float32 GEMMs of the same blocks", {"records": 48_842}, {"treebank": treebank}
    images, spread = {"images": 500, "pixels": 784, "samples": 10}, "{images} x {pixels}, S = {samples}"
    return [
        Row("mmd_gram", SETS, gemms, gram, {"bags": 20, "points": 1_000, "features": 784}, 1.6, 5),
        Row("mmd_gram", SETS, gemms, gram, {"bags": 20, "points": 3_000, "features": 784}, 1.6, 3),
        # Where products are short the widths' exponentials weigh more.
        Row("mmd_gram", SETS, gemms, gram, {"bags": 4, "points": 600, "features": 28}, 4, 5),
        Row("randomized_response", STATES, "as many float32 uniforms", responses,
            {"records": 10_000_000, "states": 10}, 4),
        Row("coordinate_release", TABLE, "the uniforms it consumes", coordinates,
            {"records": 463_715, "features": 90}, 5),
        Row("per_value_release", TABLE, "a float32 uniform a bit", flips,
            {"records": 100_000, "features": 4_185}, 1.6, 3),
        Row("statistic_release", f"{TABLE} float32", "the bare product y·X", operator,
            {"records": 1_000_000, "features": 60}, 5),
        Row("products_release", f"{TABLE}, {{shards}} Parquet shards", "reading the shards and drawing its uniforms",
            products, {"records": 10_000_000, "features": 28, "shards": 8}, 5, 3),
        Row("dirichlet_scale", "{vectors:,} count vectors, c = {classes}", "40 incomplete betas each", scales,
            {"vectors": 1_000, "classes": 10}, 5),
        Row("mean_operator_fit", f"Census, {TABLE}", "scikit-learn LogisticRegression on labels", classifier,
            {**census, "features": 108}, 0.5, kinds=BOTH),
        Row("spread_e_step", spread, "a 16-bit random number each", spread_steps, {**images, "level": "x"}, 6, 15),
        Row("spread_e_step_z", spread, "the pixel level", spread_steps, {**images, "level": "z"}, 0.1, 15),
        Row("ratio_predict", TESTS, f"{PREDICT_SECONDS} s on the reference machine", ratio_predict,
            {"bags": 2_000, "size": 20, "features": 28, "tests": 20}, 1),
        *(Row("mean_operator_sparse", "Census, {records:,}", f"scikit-learn LogisticRegression, {solver}",
              sparse_classifier, {**census, "solver": solver}, 0.8, kinds=BOTH)
          for solver in ("lbfgs", "newton-cholesky", "liblinear")),
        *(Row("cold_start", "100 windows, kernels {cache}", f"the same, warm, and {ALLOWANCE:g} s", cold_start,
              {"cache": cache}, 1, repeats)
          for cache, repeats in (("cached", 3), ("never compiled before", 1))),
        Row("count_posterior_exact", "3,396 windows, w = {window}", "our own beam of 500", posteriors,
            {**text, "window": 10}, 0.2, 5),
        Row("count_tagger_pass", "{passes} passes, 3,396 windows, w = {window}", CRFSUITE,
            tagger_passes, {**text, "window": 5, "passes": 5}, 0.5, 5, BOTH),
        Row("supervised_pass", "{passes} passes, 3,396 sentences", CRFSUITE, supervised_passes,
            {**text, "passes": 5}, 0.2, 3, BOTH),
        *peers.ROWS,
    ]  # fmt: skip


def gram(rng: Generator, bags: int, points: int, features: int) -> Pair:
    """Kernel sums of all pairs of bags and a test set for eleven widths, against the bare GEMMs of the same blocks."""
    sets = draw_sets(rng, bags, points, features)
    cloud = gather(sets[:-1], sets[-1:])

    def gemms() -> None:
        for first, last in zip(cloud.starts[:bags], cloud.starts[1:], strict=False):
            for _ in product_blocks(cloud, slice(int(first), int(last)), slice(int(first), int(cloud.starts[-1]))):
                pass

    return lambda: mmd_gram(sets[:-1], queries=sets[-1:]), gemms


def responses(rng: Generator, records: int, states: int) -> Pair:
    """Randomised response of categories, against float32 uniforms."""
    truth, veil = rng.integers(0, states, records), RandomizedResponse(states, 0.5)
    return lambda: veil.release(truth, rng), lambda: rng.random(records, dtype=np.float32)


def coordinates(rng: Generator, records: int, features: int) -> Pair:
    """The songs protocol, against the uniforms that it consumes."""
    x, y = rng.random((records, features), dtype=np.float32), rng.random(records, dtype=np.float32)
    veil = CoordinateRelease(1.0)
    return lambda: veil.release_products(x, y, rng), lambda: rng.random((UNIFORMS, records))


def flips(rng: Generator, records: int, features: int) -> Pair:
    """Every statistic flipped on its own, against one float32 uniform a bit, drawn into one buffer."""
    rows = rng.random((records, features), dtype=np.float32)
    veil = PerValueRelease(1_000.0, features)
    step = max(1, CHUNK // features)
    buffer = np.empty(step * features, dtype=np.float32)

    def uniforms() -> None:
        for start in range(0, records, step):
            rng.random(dtype=np.float32, out=buffer[: min(step, records - start) * features])

    return lambda: veil.release(rows, rng), uniforms


def operator(rng: Generator, records: int, features: int) -> Pair:
    """The mean operator with exact noise over batches of float32, against the bare product y·X."""
    X = rng.random((records, features), dtype=np.float32)
    y = np.where(rng.random(records) < 0.5, -1, 1).astype(np.int8)
    floats, veil, cuts = y.astype(np.float32), GeometricMeanOperator(1.0), range(0, records, BATCH)
    return lambda: veil.publish((X[c : c + BATCH], y[c : c + BATCH]) for c in cuts), lambda: floats @ X


def products(rng: Generator, records: int, features: int, shards: int) -> Pair:
    """Products published from Parquet shards, against drawing the uniforms it consumes and reading the shards."""
    folder, names = Path(tempfile.mkdtemp()), [f"x{j}" for j in range(features + 1)]
    paths = write_shards(folder, names, records, shards, rng)
    veil, buffer = CoordinateRelease(4.0), np.empty(UNIFORMS * ROWS)

    def reference() -> object:
        for batch in Table(paths, ROWS).read(dict.fromkeys(names, "number")):
            rng.random(out=buffer[: UNIFORMS * len(batch[names[0]])])
        return buffer

    # The files last as long as what reads them.
    weakref.finalize(reference, shutil.rmtree, folder, True)
    return lambda: veil.publish(Table(paths, ROWS).pairs(names[1:], names[0]), rng), reference


def scales(rng: Generator, vectors: int, classes: int) -> Pair:
    """Exact calibration of many count vectors, against the incomplete betas of a bisection, vectorised by scipy."""
    counts = rng.integers(200, 2_000, (vectors, classes))
    pairs = np.sort(counts, axis=1)[:, :2].astype(float)

    def bisection() -> None:
        for step in range(40):
            scale = 2.0 ** (-step / 4)
            special.betainc(scale * pairs[:, 0], scale * pairs[:, 1], 0.45)

    return lambda: dirichlet_scales(counts, 0.1, 0.05, "paper"), bisection


def against_labels(x: Any, y: Array, solver: str = "lbfgs") -> Pair:
    """Logistic regression from the mean operator, against scikit-learn on the labels, to one tolerance."""
    l2, tol = 1e-3, 1e-6
    mu = np.asarray(x.T @ y) / len(y)
    # The mean loss + l2‖θ‖² of ours is scikit-learn's objective at C = 1/(2 n l2).
    peer = LogisticRegression(C=1 / (2 * len(y) * l2), fit_intercept=False, tol=tol, max_iter=10_000, solver=solver)
    return lambda: MeanOperatorClassifier(l2=l2, tol=tol).fit_statistic(x, mu), lambda: peer.fit(x, y)


def classifier(rng: Generator, records: int, features: int) -> Pair:
    """From all of Census's columns."""
    x, y = census_like(rng, records)
    return against_labels(x[:, :features], y)


def sparse_classifier(rng: Generator, records: int, solver: str) -> Pair:
    """From Census's categories as a sparse matrix: all columns but the six continuous ones, which are dense."""
    x, y = census_like(rng, records)
    return against_labels(sparse.csr_array(x[:, [np.isin(column, (0, 1)).all() for column in x.T]]), y, solver)


def spread_steps(rng: Generator, images: int, pixels: int, samples: int, level: str) -> Pair:
    """One E-step at p_f = 0.2: of pixels, against 16-bit random numbers, or of z = θᵀx, against that of pixels."""
    noisy = rng.integers(0, 256, (images, pixels), dtype=np.uint8)
    labels = SampledLabels(rng.integers(0, 2, images), label_matrix(0.2))
    arguments = (noisy, labels, flip_rates(0.2, 256), samples, flat_prior(pixels, 256))
    theta, exact, projected = rng.normal(0, 0.1, pixels), FlipPixelStep(*arguments), FlipProjectedStep(*arguments)
    if level == "z":
        return lambda: projected(theta, 0.0, rng), lambda: exact(theta, 0.0, rng)
    shape = (samples, images, pixels)
    return lambda: exact(theta, 0.0, rng), lambda: rng.integers(0, 2**16, shape, dtype=np.uint16)


def ratio_predict(rng: Generator, bags: int, size: int, features: int, tests: int) -> Pair:
    """Class ratios of many test sets, learned from many small sets, against the time that is allowed."""
    known, shares = draw_bags(rng, bags, size, features)
    unknown, _ = draw_bags(rng, tests, size, features)
    model = MMDClassRatio().fit(known, shares)
    return lambda: model.predict(unknown), lambda: Took(PREDICT_SECONDS)


def posteriors(rng: Generator, treebank: Arrays, window: int) -> Pair:
    """Exact posteriors of every training window's tags, against our own beam of 500."""
    windows, counts = cut_windows(treebank, window, rng)
    tagger = CountTagger(passes=0.5, random_state=0).fit(windows, counts)
    return (
        lambda: tagger.posterior(windows, counts, inference="exact"),
        lambda: tagger.posterior(windows, counts, inference="beam"),
    )


def tagger_passes(rng: Generator, treebank: Arrays, window: int, passes: int) -> Pair:
    """Passes of marginal likelihood with exact inference, against CRFsuite on the windows' tags."""
    windows, counts = cut_windows(treebank, window, rng)
    ours = CountTagger(inference="exact", passes=passes, random_state=0)
    return lambda: ours.fit(windows, counts), crfsuite(treebank, windows.positions, passes)


def supervised_passes(rng: Generator, treebank: Arrays, passes: int) -> Pair:
    """Passes of supervised training over all training sentences, against CRFsuite."""
    windows, _ = cut_windows(treebank, None, rng)
    ours = CountTagger("supervised", optimizer="sgd", passes=passes, random_state=0)
    return lambda: ours.fit(windows, treebank["tags"]), crfsuite(treebank, windows.positions, passes)


def crfsuite(treebank: Arrays, positions: Array, passes: int) -> Work:
    """Training by CRFsuite's stochastic gradient on single tokens, which makes its model ours.

    Its passes cannot be timed one by one.
    """
    features = [list(word_features(word)) for word in np.asarray(treebank["words"]).tolist()]
    trainer = import_module("pycrfsuite").Trainer(algorithm="l2sgd", verbose=False)
    trainer.set_params({"max_iterations": passes, "calibration.samples": 10, "calibration.max_trials": 1})
    for token, tag in zip(treebank["tokens"][positions].tolist(), treebank["tags"][positions].tolist(), strict=True):
        trainer.append([features[token]], [str(tag)])
    folder = tempfile.TemporaryDirectory()
    return lambda: trainer.train(str(Path(folder.name) / "model"))


#: Fits 100 windows twice; prints the seconds of either.
PROGRAM = """
import time
from numpy.random import default_rng
from unveil import CountTagger, RegionCounts
rng = default_rng(0)
words = [[f"word{n}" for n in rng.integers(0, 300, 8)] for _ in range(100)]
tags = [[int(word[4:]) % 7 for word in window] for window in words]
counts = [[window.count(tag) for tag in range(7)] for window in tags]
for _ in range(2):
    start = time.perf_counter()
    CountTagger(random_state=0).fit(words, counts)
    print(time.perf_counter() - start)
"""


def cold_start(_: Generator, cache: str) -> Pair:
    """The first fit of a new process, with kernels that an earlier process compiled or without, against its second."""
    kept, seen = tempfile.TemporaryDirectory(), [0.0, 0.0]

    def first() -> Took:
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "NUMBA_CACHE_DIR": kept.name if cache == "cached" else empty}
            done = subprocess.run(  # noqa: S603 - our own program
                [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
            )
        seen[:] = map(float, done.stdout.split())
        return Took(seen[0])

    return first, lambda: Took(seen[1] + ALLOWANCE)
