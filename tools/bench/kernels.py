"""The rows of the bench: each makes ours and its reference on the same input, at the size of the experiments."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy import special

from tools.bench.measure import Kernel, Work
from tools.bench.streams import products_release, statistic_release
from unveil.types import Array


def mmd_gram(points: int, bags: int = 20, features: int = 784) -> Kernel:
    """Kernel sums of all pairs of bags and a test set for eleven widths, against the bare GEMMs of the same blocks."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.estimators.bags.mmd_gram import gather, mmd_gram, product_blocks

        sets = [rng.random((points, features), dtype=np.float32) for _ in range(bags + 1)]
        cloud = gather(sets[:-1], sets[-1:])

        def gemms() -> None:
            for first, last in zip(cloud.starts[:bags], cloud.starts[1:], strict=False):
                for _ in product_blocks(cloud, slice(int(first), int(last)), slice(int(first), int(cloud.starts[-1]))):
                    pass

        return lambda: mmd_gram(sets[:-1], queries=sets[-1:]), gemms

    size = f"{bags} bags x {points:,}, d = {features}, 11 widths"
    # Where products are short the widths' exponentials weigh more.
    target = 1.6 if features > 100 else 4.0
    return Kernel("mmd_gram", size, "float32 GEMMs of the same blocks", target, make, repeats=3 if points > 1000 else 5)


def randomized_response(records: int = 10**7, states: int = 10) -> Kernel:
    """Randomised response of categories, against float32 uniforms."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.mechanisms.response import RandomizedResponse

        truth = rng.integers(0, states, records)
        veil = RandomizedResponse(states, 0.5)
        return lambda: veil.release(truth, rng), lambda: rng.random(records, dtype=np.float32)

    return Kernel("randomized_response", f"{records:,} x {states} states", "as many float32 uniforms", 4, make)


def coordinate_release(records: int = 463_715, features: int = 90) -> Kernel:
    """The songs protocol, against the uniforms that it consumes."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.mechanisms.coordinate import CoordinateRelease
        from unveil.mechanisms.products import UNIFORMS

        x, y = rng.random((records, features), dtype=np.float32), rng.random(records, dtype=np.float32)
        veil = CoordinateRelease(1.0)
        return lambda: veil.release_products(x, y, rng), lambda: rng.random((UNIFORMS, records))

    return Kernel("coordinate_release", f"{records:,} x {features}", "the uniforms it consumes", 5, make)


def per_value_release(records: int = 10**5, statistics: int = 4_185) -> Kernel:
    """Every statistic flipped on its own, against one float32 uniform a bit, drawn into one buffer."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.mechanisms.per_value import CHUNK, PerValueRelease

        rows = rng.random((records, statistics), dtype=np.float32)
        veil = PerValueRelease(1_000.0, statistics)
        step = max(1, CHUNK // statistics)
        buffer = np.empty(step * statistics, dtype=np.float32)

        def uniforms() -> None:
            for start in range(0, records, step):
                rng.random(dtype=np.float32, out=buffer[: min(step, records - start) * statistics])

        return lambda: veil.release(rows, rng), uniforms

    return Kernel("per_value_release", f"{records:,} x {statistics:,}", "a float32 uniform a bit", 1.6, make, repeats=3)


def dirichlet_scale(vectors: int = 1_000, classes: int = 10, evaluations: int = 40) -> Kernel:
    """Exact calibration of many count vectors, against the incomplete betas of a bisection, vectorised by scipy."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.mechanisms.dirichlet_scale import dirichlet_scales

        counts = rng.integers(200, 2_000, (vectors, classes))
        pairs = np.sort(counts, axis=1)[:, :2].astype(float)

        def bisection() -> None:
            for step in range(evaluations):
                scale = 2.0 ** (-step / 4)
                special.betainc(scale * pairs[:, 0], scale * pairs[:, 1], 0.45)

        return lambda: dirichlet_scales(counts, 0.1, 0.05, "paper"), bisection

    size = f"{vectors:,} count vectors, c = {classes}"
    return Kernel("dirichlet_scale", size, f"{evaluations} incomplete betas each", 5, make)


def mean_operator_fit(records: int = 48_842, features: int = 108) -> Kernel:
    """Logistic regression from the mean operator of Census, against scikit-learn on the labels, to one tolerance."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from sklearn.linear_model import LogisticRegression

        from unveil.estimators.statistics.classifier import MeanOperatorClassifier
        from unveil.mechanisms.mean_operator import mean_operator

        x, y = census_like(rng)
        x, y = x[:records, :features], y[:records]
        l2, tol = 1e-3, 1e-6
        mu = mean_operator(x, y)
        # The mean loss + l2‖θ‖² of ours is scikit-learn's objective at C = 1/(2 n l2).
        peer = LogisticRegression(C=1 / (2 * len(x) * l2), fit_intercept=False, tol=tol, max_iter=10_000)
        return lambda: MeanOperatorClassifier(l2=l2, tol=tol).fit_statistic(x, mu), lambda: peer.fit(x, y)

    size = f"Census, {records:,} x {features}"
    return Kernel("mean_operator_fit", size, "scikit-learn LogisticRegression on labels", 0.5, make, alike=True)


def census_like(rng: Generator) -> tuple[Array, Array]:
    """Data of Census's shape: its declared stand-in, with labels ±1."""
    from replication.data.sets.census import stand_in

    fields = stand_in(rng)
    return np.asarray(fields["features"], dtype=float), 2 * fields["labels"].astype(int) - 1


def spread_e_step(level: str, images: int = 500, pixels: int = 784, samples: int = 10) -> Kernel:
    """One E-step at p_f = 0.2: pixel level against 16-bit random numbers, z level against the pixel level."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.estimators.spread.labels import SampledLabels
        from unveil.estimators.spread.noise_parameters import flip_rates, label_matrix
        from unveil.estimators.spread.priors import flat_prior
        from unveil.estimators.spread.steps import FlipPixelStep, FlipProjectedStep

        noisy = rng.integers(0, 256, (images, pixels), dtype=np.uint8)
        labels = SampledLabels(rng.integers(0, 2, images), label_matrix(0.2))
        arguments = (noisy, labels, flip_rates(0.2, 256), samples, flat_prior(pixels, 256))
        theta = rng.normal(0, 0.1, pixels)
        exact, projected = FlipPixelStep(*arguments), FlipProjectedStep(*arguments)
        if level == "z":
            return lambda: projected(theta, 0.0, rng), lambda: exact(theta, 0.0, rng)
        shape = (samples, images, pixels)
        return lambda: exact(theta, 0.0, rng), lambda: rng.integers(0, 2**16, shape, dtype=np.uint16)

    size = f"{images} x {pixels}, S = {samples}"
    if level == "z":
        return Kernel("spread_e_step_z", size, "the pixel level", 0.1, make, repeats=15)
    return Kernel("spread_e_step", size, "a 16-bit random number each", 6, make, repeats=15)


KERNELS = (
    mmd_gram(1_000),
    mmd_gram(3_000),
    mmd_gram(600, bags=4, features=28),
    randomized_response(),
    coordinate_release(),
    per_value_release(),
    statistic_release(),
    products_release(),
    dirichlet_scale(),
    mean_operator_fit(),
    spread_e_step("pixel"),
    spread_e_step("z"),
)
