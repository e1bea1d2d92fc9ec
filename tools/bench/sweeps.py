"""The sweeps of the scaling study: every kernel against each variable that its cost depends on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.random import Generator

from replication.engine.code import ROOT
from tools.bench import kernels
from tools.bench.growth import Elsewhere, Sweep
from tools.bench.measure import Kernel, Work
from tools.bench.streams import streamed_moments, streamed_products, streamed_sets
from tools.bench.tagging import drawn_text, windows_of
from tools.configuration import shipped
from tools.costs import costs
from unveil.errors import UnveilError

_PROJECT = ROOT


def of_kernel(make: Callable[[int], Kernel]) -> Callable[[int, Generator], Work]:
    """Our side of a row of the bench, at other sizes."""
    return lambda value, rng: make(value).make(rng)[0]


def posteriors(rng: Generator, window: int, tags: int, windows: int = 300) -> Work:
    """Exact posteriors of windows whose tags are drawn evenly."""
    from unveil.estimators.counts.count_posterior import exact_count_posterior

    potentials = rng.normal(size=(windows, window, tags))
    counts = rng.multinomial(window, np.full(tags, 1 / tags), size=windows)

    def work() -> None:
        for rows, count in zip(potentials, counts, strict=True):
            exact_count_posterior(rows, count)

    return work


def tagger_pass(rng: Generator, window: int, sentences: int) -> Work:
    """One pass of marginal likelihood with exact inference over drawn sentences."""
    from unveil.estimators.counts.count_tagger import CountTagger

    text = drawn_text(rng)
    text = {**text, "sentences": text["sentences"][: sentences + 1]}
    windows, counts = windows_of(text, window, rng)
    return lambda: CountTagger(inference="exact", passes=1, random_state=0).fit(windows, counts)


def pipeline(trials: int = 20, chunk: int = 20, **settings: Any) -> Work:
    """A whole run from raw data to a picture: label proportions on breast cancer, in a folder of its own."""
    data, paper, figure = "breast_cancer", "mean_operator", "proportions"
    config = {**shipped(_PROJECT), "include": [], "multiverse": None, "guarantees": None}
    block = config["papers"][paper]["figures"][figure]
    block.update(trials=trials, chunk=chunk, settings={**block["settings"], **settings})
    for stage in ("release", "learn"):
        # The arm's own chunks would win over the figure's.
        block[stage] = {data: {key: value for key, value in block[stage][data].items() if key != "chunk"}}
    block["score"]["reads"] = {data: block["score"]["reads"][data]}
    public = {data: config["papers"][paper]["public"][data]}
    config["papers"] = {paper: {"public": public, "figures": {figure: block}}}
    return lambda: _run(config, f"figures/{paper}/{figure}.png")


def _run(config: Mapping[str, Any], target: str) -> Elsewhere:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.yaml").write_text(yaml.safe_dump(dict(config)), encoding="utf-8")
        where = ["--directory", folder, "--configfile", str(Path(folder, "config.yaml"))]
        command = [sys.executable, "-m", "snakemake", target, "--cores", "1", *where]
        # The run that measures is another one, in another folder.
        environment = {name: text for name, text in os.environ.items() if name != "UNVEIL_RUN"}
        done = subprocess.run(  # noqa: S603 - our own workflow
            command, cwd=_PROJECT, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise UnveilError(f"the run that was to be timed failed: {(done.stdout + done.stderr)[-2000:]}")
        return Elsewhere(max(peak for _, peak in costs(Path(folder, config["folders"]["logs"]))))


MILLIONS = (10**5, 10**6, 3 * 10**6, 10**7)
SWEEPS = (
    Sweep("randomized_response", "n", MILLIONS, of_kernel(kernels.randomized_response)),
    Sweep("randomized_response", "K", (2, 10, 50, 250), of_kernel(lambda k: kernels.randomized_response(10**6, k))),
    Sweep("coordinate_release", "n", (30_000, 100_000, 300_000), of_kernel(kernels.coordinate_release)),
    Sweep("coordinate_release", "d", (10, 30, 90, 270), of_kernel(lambda d: kernels.coordinate_release(10**5, d))),
    Sweep("per_value_release", "n", (1_000, 3_000, 10_000, 30_000),
          of_kernel(lambda n: kernels.per_value_release(n, 1_000))),
    Sweep("per_value_release", "d", (100, 1_000, 3_000, 10_000),
          of_kernel(lambda d: kernels.per_value_release(3_000, d))),
    Sweep("products_stream", "n", (10**6, 10**7, 10**8), streamed_products, repeats=1),
    Sweep("moments_stream", "n", (10**6, 10**7, 10**8), streamed_moments, repeats=1),
    Sweep("class_ratio_stream", "sets", (300, 3_000, 30_000), streamed_sets, repeats=1),
    Sweep("mmd_gram", "n", (125, 250, 500, 1_000), of_kernel(lambda n: kernels.mmd_gram(n, bags=10))),
    Sweep("mmd_gram", "bags", (5, 10, 20, 40), of_kernel(lambda b: kernels.mmd_gram(250, bags=b))),
    Sweep("mmd_gram", "d", (49, 196, 784, 3_136), of_kernel(lambda d: kernels.mmd_gram(500, bags=10, features=d))),
    Sweep("spread_e_step", "n", (125, 250, 500, 1_000), of_kernel(lambda n: kernels.spread_e_step("pixel", n))),
    Sweep("spread_e_step", "d", (98, 196, 392, 784), of_kernel(lambda d: kernels.spread_e_step("pixel", 500, d))),
    Sweep("spread_e_step", "S", (2, 5, 10, 20), of_kernel(lambda s: kernels.spread_e_step("pixel", 500, 784, s))),
    Sweep("mean_operator_fit", "n", (6_000, 12_000, 24_000, 48_000), of_kernel(kernels.mean_operator_fit)),
    Sweep("mean_operator_fit", "d", (12, 27, 54, 108), of_kernel(lambda d: kernels.mean_operator_fit(24_000, d))),
    Sweep("dirichlet_scale", "vectors", (100, 300, 1_000, 3_000), of_kernel(kernels.dirichlet_scale)),
    Sweep("dirichlet_scale", "c", (3, 10, 30, 100), of_kernel(lambda c: kernels.dirichlet_scale(1_000, c))),
    Sweep("count_posterior_exact", "w", (2, 4, 8, 12, 16), lambda w, rng: posteriors(rng, w, 45)),
    Sweep("count_posterior_exact", "K", (3, 6, 12, 24, 48), lambda k, rng: posteriors(rng, 10, k)),
    Sweep("count_tagger_pass", "n", (400, 800, 1_600, 3_200), lambda n, rng: tagger_pass(rng, 5, n)),
    Sweep("count_tagger_pass", "w", (2, 5, 10, 15), lambda w, rng: tagger_pass(rng, w, 800)),
    Sweep("pipeline", "trials", (20, 40, 80, 160), lambda t, _: pipeline(trials=t, chunk=t), repeats=1),
    Sweep("pipeline", "jobs", (2, 4, 8, 16), lambda jobs, _: pipeline(trials=jobs, chunk=1), repeats=1),
    Sweep("pipeline", "bags", (4, 8, 16, 32), lambda bags, _: pipeline(bag_counts=[bags]), repeats=1),
)  # fmt: skip
