"""How time and memory grow: one kernel or the whole pipeline against one variable, everything else fixed."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.random import Generator

from replication import style
from replication.randomness import generator
from tools.bench.measure import Work
from unveil.types import Array

COLUMNS = ["kernel", "variable", "value", "seconds", "peak_mib"]
#: An exponent is fitted to so many of the largest values: at small ones what is fixed weighs too much.
FITTED = 3
#: Less memory than this (MiB) is not told from none: arenas grow in steps.
LEAST = 0.25


@dataclass(frozen=True)
class Sweep:
    """What is measured, against which variable, at which of its values."""

    kernel: str
    variable: str
    values: Sequence[int]
    make: Callable[[int, Generator], Work]
    repeats: int = 3


@dataclass(frozen=True)
class Elsewhere:
    """What a work returns that runs in processes of its own: the MiB of the largest."""

    peak_mib: float


def measure_point(sweep: Sweep, value: int, rng: Generator) -> tuple[float, float]:
    """Median seconds, and MiB at the peak of making the input and working on it, in a process of its own."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    child = fork.Process(target=_measure, args=(sweep, value, rng, theirs))
    with warnings.catch_warnings():
        # Python 3.12 warns of threads: ours only watches whether the run still lives, and holds no lock.
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    theirs.close()
    try:
        seconds, peak = ours.recv()
    except EOFError:
        child.join()
        raise RuntimeError(f"{sweep.kernel} at {sweep.variable} = {value} ended with {child.exitcode}") from None
    child.join()
    return seconds, peak


def _measure(sweep: Sweep, value: int, rng: Generator, answer: Any) -> None:
    before = _peak()
    work = sweep.make(value, rng)
    times = []
    for _ in range(sweep.repeats):
        start = time.perf_counter()
        done = work()
        times.append(time.perf_counter() - start)
    peak = done.peak_mib if isinstance(done, Elsewhere) else _peak() - before
    answer.send((statistics.median(times), max(peak, LEAST)))


def _peak() -> float:
    """The most memory that this process has had, in MiB; a forked process starts from what it was born with."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(seed: int) -> pd.DataFrame:
    """The whole study."""
    from tools.bench.sweeps import SWEEPS

    return scaling(SWEEPS, seed)


def scaling(sweeps: Iterable[Sweep], seed: int) -> pd.DataFrame:
    """Measure every sweep: one row a value."""
    rows = []
    for sweep in sweeps:
        # Compiles and imports here, so that no forked process has to.
        sweep.make(sweep.values[0], generator(seed, "scaling", sweep.kernel, sweep.variable))()
        for value in sweep.values:
            rng = generator(seed, "scaling", sweep.kernel, sweep.variable, value)
            rows.append((sweep.kernel, sweep.variable, value, *measure_point(sweep, value, rng)))
    return pd.DataFrame(rows, columns=COLUMNS)


def exponent(values: Array, costs: Array) -> float:
    """The power of the variable that costs grow with, by least squares of the logarithms at the largest values."""
    last = np.argsort(values)[-FITTED:]
    return float(np.polyfit(np.log(values[last]), np.log(costs[last]), 1)[0])


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Fitted exponents of time and memory, one row for each kernel and variable."""
    rows = [
        (kernel, variable, *(exponent(part["value"].to_numpy(), part[cost].to_numpy()) for cost in COLUMNS[3:]))
        for (kernel, variable), part in table.groupby(["kernel", "variable"], sort=False)
    ]
    return pd.DataFrame(rows, columns=["kernel", "variable", *COLUMNS[3:]])


def draw(table: pd.DataFrame) -> Figure:
    """Time, and below it memory, against multiples of each variable's least value; exponents in the legends."""
    kernels = list(dict.fromkeys(table["kernel"]))
    looks = style.looks(dict.fromkeys(table["variable"]))
    powers = exponents(table).set_index(["kernel", "variable"])
    figure, axes = style.panels(2 * -(-len(kernels) // 3), 3, width=style.PAGE, height=1.55)
    for panel in axes.flat:
        panel.set_visible(False)
    for place, kernel in enumerate(kernels):
        for offset, (cost, unit) in enumerate((("seconds", "time (s)"), ("peak_mib", "memory (MiB)"))):
            panel = axes[2 * (place // 3) + offset, place % 3]
            panel.set_visible(True)
            for variable, part in table[table["kernel"] == kernel].groupby("variable", sort=False):
                label = f"{variable}$^{{{powers.loc[(kernel, variable), cost]:.2f}}}$"
                least = part["value"].min()
                panel.plot(part["value"] / least, part[cost], label=label, **looks[str(variable)])
            panel.set(xscale="log", yscale="log", ylabel=unit)
            _decade(panel)
            panel.legend(fontsize=6, handlelength=1.6)
            if offset:
                panel.set_xlabel("multiple of the least value")
            else:
                panel.set_title(kernel)
    return figure


def _decade(panel: Axes) -> None:
    """At least a decade of costs, so that what does not grow looks flat; few ticks, in plain numbers."""
    low, high = panel.get_ylim()
    middle, reach = np.sqrt(low * high), max(np.sqrt(high / low), np.sqrt(10))
    panel.set_ylim(middle / reach, middle * reach)
    widest = panel.get_xlim()[1]
    panel.minorticks_off()
    panel.set_xticks([tick for tick in (1, 10, 100) if tick < widest] if widest > 20 else [1, 2, 4, 8])
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
