"""Which files a job reads and writes, and with which settings: the functions behind the rules' wildcards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from replication.engine import plan
from replication.engine.code import code_hash, kernel_cache
from replication.engine.costs import Costs
from replication.engine.plan import Arm, Figure
from unveil.errors import UnveilError

PREPARED = "data/prepared"
#: CPU seconds: a figure whose jobs take no more altogether is one job on a cluster, where each waits in the queue.
SMALL = 60.0
T = TypeVar("T")


#: What a rule's wildcards hold: `paper` and `figure`, and where its path names them `arm` and `chunk`.
Wildcards = Any


def settle_environment(root: Path) -> None:
    """Let jobs import the packages from their folder, on one thread each: two BLAS threads would change bits."""
    known = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root / "src"), str(root), *([known] if known else [])])
    for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.environ["MPLBACKEND"] = "agg"
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"  # a learner may not start processes
    cache = kernel_cache()
    # A confined job can be granted a folder only that is there.
    cache.mkdir(parents=True, exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(cache)


@dataclass(frozen=True)
class Layout:
    """The plan of all figures, and where their files lie."""

    figures: Mapping[tuple[str, str], Figure]
    seed: int
    results: str
    pictures: str
    costs: Costs = field(default_factory=Costs)

    def figure(self, wildcards: Wildcards) -> Figure:
        """The figure that a path names."""
        known = {name: figure for (paper, name), figure in self.figures.items() if paper == wildcards.paper}
        return _named(known, wildcards.figure, f"{wildcards.paper} has no figure")

    def arm(self, wildcards: Wildcards, stage: str) -> Arm:
        """The arm of a stage that a path names; scoring has one arm only."""
        figure = self.figure(wildcards)
        if stage == "score":
            return figure.score
        arms: Mapping[str, Arm] = getattr(figure, stage)
        return _named(arms, wildcards.arm, f"{figure.paper}/{figure.name} has no {stage} arm")

    def reads(self, stage: str) -> Callable[[Wildcards], list[str]]:
        """The prepared fields that a job of this stage reads."""
        return lambda wildcards: [
            f"{PREPARED}/{dataset}/{field}.npy" for dataset, field in self.arm(wildcards, stage).fields
        ]

    def releases(self, wildcards: Wildcards) -> list[str]:
        """The released files that a learner's chunk needs; what is exact stands apart."""
        figure, arm = self.figure(wildcards), self.arm(wildcards, "learn")
        owners, trials = (figure.release[name] for name in arm.releases), arm.chunk(wildcards.chunk)
        noised = self._chunks(figure, "released", ((owner, plan.overlapping(owner, trials)) for owner in owners))
        return [name for path in noised for name in (path.replace(".npz", ".exact.npz"), path)]

    def learned(self, wildcards: Wildcards) -> list[str]:
        """Everything that a figure's learners learned."""
        figure = self.figure(wildcards)
        learners = figure.learn.values()
        return self._chunks(figure, "learned", ((arm, map(plan.chunk_name, arm.chunks)) for arm in learners))

    def provenance(self, wildcards: Wildcards) -> list[str]:
        """Where each of a figure's data sets comes from."""
        return [f"{PREPARED}/{dataset}/provenance.json" for dataset in self.figure(wildcards).datasets]

    def task(self, stage: str) -> Callable[[Wildcards], dict[str, Any]]:
        """The seed, figure, arm and trials of a job, as `Task.of` takes them."""

        def of(wildcards: Wildcards) -> dict[str, Any]:
            figure, arm = self.figure(wildcards), self.arm(wildcards, stage)
            trials = range(figure.trials) if stage == "score" else arm.chunk(wildcards.chunk)
            names = {"seed": self.seed, "paper": figure.paper, "figure": figure.name, "arm": arm.name}
            return {**names, "module": figure.module(stage), "first": trials.start, "last": trials.stop - 1}

        return of

    def settings(self, stage: str) -> Callable[[Wildcards], Any]:
        """The settings of a job's stage, and no others."""
        return lambda wildcards: self.arm(wildcards, stage).settings

    def asked(self, stage: str) -> Callable[[Wildcards], str]:
        """The same as text: Snakemake compares no values of types that it does not know."""
        return lambda wildcards: repr(self.arm(wildcards, stage).settings)

    def module(self, stage: str) -> Callable[[Wildcards], str]:
        """The module of a figure's stage."""
        return lambda wildcards: self.figure(wildcards).module(stage)

    def code(self, stage: str) -> Callable[[Wildcards], str]:
        """A hash of all code of this project that a job runs."""
        return lambda wildcards: code_hash(self.module(stage)(wildcards), script=f"{stage}.py")

    def priority(self, stage: str) -> Callable[[Wildcards], int]:
        """Jobs with a long way to the picture of their figure first."""

        def of(wildcards: Wildcards) -> int:
            place, chain = f"{wildcards.paper}/{wildcards.figure}", [self._job(stage, wildcards)]
            if stage == "release":
                arms = (arm for arm in self.figure(wildcards).learn.values() if wildcards.arm in arm.releases)
                learners = [f"{place}/learn/{arm.name}" for arm in arms]
                chain += [max(learners, key=self.costs.of)] if learners else []
            if stage != "score":
                chain.append(f"{place}/score")
            return self.costs.priority(*chain, f"{place}/render")

        return of

    def group(self, wildcards: Wildcards) -> str | None:
        """The name under which a cluster gets all jobs of a small figure at once; None where each goes on its own."""
        return f"{wildcards.paper}_{wildcards.figure}" if (wildcards.paper, wildcards.figure) in self._small else None

    @cached_property
    def _small(self) -> set[tuple[str, str]]:
        """The figures that are one job on a cluster."""
        return {(paper, name) for paper, name in self.figures if self._seconds(self.figures[paper, name]) <= SMALL}

    def _seconds(self, figure: Figure) -> float:
        """What all jobs of a figure take but its picture."""
        place, both = f"{figure.paper}/{figure.name}", (("release", figure.release), ("learn", figure.learn))
        chunks = (
            self.costs.of(f"{place}/{stage}/{name}") * len(arm.chunks)
            for stage, arms in both
            for name, arm in arms.items()
        )
        return sum(chunks) + self.costs.of(f"{place}/score")

    def needs(self, stage: str, what: str, default: int) -> Callable[[Wildcards, int], int]:
        """What a job of this stage is to be given on a cluster: `mem_mb` or `runtime`."""
        return lambda wildcards, attempt: self.costs.needs(self._job(stage, wildcards), attempt).get(
            what, attempt * default
        )

    def _job(self, stage: str, wildcards: Wildcards) -> str:
        """The name of a job by its cost."""
        own = "" if stage == "score" else f"/{wildcards.arm}-{wildcards.chunk}"
        return f"{wildcards.paper}/{wildcards.figure}/{stage}{own}"

    def caption(self, wildcards: Wildcards) -> str:
        """The template of the text that goes with a figure."""
        return self.figure(wildcards).caption.read_text(encoding="utf-8")

    def cited(self, wildcards: Wildcards) -> str:
        """The module of the claims that a figure's caption speaks of, if it speaks of any."""
        return f"replication.papers.{wildcards.paper}.claims" if "{claim[" in self.caption(wildcards) else ""

    def drawing(self, wildcards: Wildcards) -> str:
        """A hash of all code that draws a figure and fills in its caption."""
        words = ["replication.judging.captions"] * ("[" in self.caption(wildcards))
        modules = [self.module("draw")(wildcards), *words, *filter(None, [self.cited(wildcards)])]
        return code_hash(*modules, script="draw.py")

    def scores(self, papers: Iterable[str], name: str = "scores.csv") -> list[str]:
        """The scores of every figure of some papers, or a file beside them."""
        chosen = set(papers)
        return [f"{self.results}/{paper}/{figure}/{name}" for paper, figure in self.figures if paper in chosen]

    @property
    def all_figures(self) -> list[str]:
        """Every picture, caption and table."""
        return [
            f"{self.pictures}/{paper}/{name}.{suffix}"
            for (paper, name), figure in self.figures.items()
            for suffix in ["svg", "pdf", "png", "rst"] + ["csv", "md"] * figure.has_table
        ]

    def _chunks(self, figure: Figure, kind: str, arms: Iterable[tuple[Arm, Iterable[str]]]) -> list[str]:
        folder = f"{self.results}/{figure.paper}/{figure.name}/{kind}"
        return [f"{folder}/{arm.name}/{chunk}.npz" for arm, chunks in arms for chunk in chunks]


def _named(known: Mapping[str, T], name: str, refusal: str) -> T:
    """What has that name, or an error with the names that there are."""
    if name not in known:
        raise UnveilError(f"{refusal} '{name}'; it has: {', '.join(known)}")
    return known[name]
