"""Which files a job reads and writes, and with which settings: the functions behind the rules' wildcards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from replication.engine import plan
from replication.engine.code import closure, code_hash, kernel_cache
from replication.engine.costs import Costs
from replication.engine.pictures import Picture, pictures_of
from replication.engine.plan import Arm, Figure, chunk_name
from replication.engine.runs import is_job
from replication.engine.task import Task
from unveil.errors import UnveilError
from unveil.kernels import drop_broken, kernel_folders

PREPARED = "data/prepared"
T = TypeVar("T")


#: What a rule's wildcards hold: `paper` and `figure`, and where its path names them `arm` and `chunk`.
Wildcards = Any


def settle_environment(root: Path) -> None:
    """Let jobs import the packages from their folder, on one thread each: two BLAS threads would change bits."""
    known = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root / "src"), str(root), *([known] if known else [])])
    if not {"LOGNAME", "USER", "LNAME", "USERNAME"} & os.environ.keys():
        os.environ["USER"] = str(os.getuid())  # the system may know no name for it, and Snakemake asks
    for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.environ["MPLBACKEND"] = "agg"
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"  # a learner may not start processes
    os.environ["NUMBA_CACHE_DIR"] = str(kernel_cache())
    folders = kernel_folders()  # a confined job can be granted a folder only that is there
    if not is_job():
        drop_broken(folders)


def prepared(fields: Iterable[tuple[str, str]]) -> list[str]:
    """The files of prepared fields, each once."""
    return list(dict.fromkeys(f"{PREPARED}/{dataset}/{field}.npy" for dataset, field in fields))


class Drawing(NamedTuple):
    """What a picture is made with: the module that draws it, the template of the text below it, and its files."""

    module: str
    caption: str
    files: list[str]


class Files(NamedTuple):
    """Where the files of one figure lie below a folder of results; a tuple as `Task` is one."""

    figure: Figure
    results: str

    @property
    def folder(self) -> str:
        """All that is the figure's."""
        return f"{self.results}/{self.figure.paper}/{self.figure.name}"

    def task(self, seed: int, stage: str, arm: Arm, trials: range) -> Task:
        """Some trials of an arm of a stage, as its function is asked for them."""
        paper, figure, module = self.figure.paper, self.figure.name, self.figure.module(stage)
        return Task(seed, paper, figure, arm.name, trials, module, arm.settings)

    def released(self, arm: Arm, trials: range) -> list[str]:
        """The two files that an owner writes: what is noised, and what is exact beside it."""
        stem = f"{self.folder}/released/{arm.name}/{chunk_name(trials)}"
        return [f"{stem}.npz", f"{stem}.exact.npz"]

    def granted(self, arm: Arm, trials: range) -> list[str]:
        """The released files that a learner needs for some trials; of each pair the exact one first."""
        owners = [self.figure.release[name] for name in arm.releases]
        needed = [(owner, chunk) for owner in owners for chunk in plan.overlapping(owner, trials)]
        return [file for owner, chunk in needed for file in reversed(self.released(owner, chunk))]

    def learned(self, arm: Arm, trials: range) -> str:
        """What a learner learned."""
        return f"{self.folder}/learned/{arm.name}/{chunk_name(trials)}.npz"

    @property
    def all_learned(self) -> list[str]:
        """Everything that the figure's learners learned."""
        return [self.learned(arm, trials) for arm in self.figure.learn.values() for trials in arm.chunks]

    @property
    def scored(self) -> list[str]:
        """What the referee writes."""
        return [f"{self.folder}/{name}" for name in ("scores.csv", "scores.meta.json", "timings.csv")]

    @property
    def provenance(self) -> list[str]:
        """Where each of the figure's data sets comes from."""
        return [f"{PREPARED}/{dataset}/provenance.json" for dataset in self.figure.datasets]

    @property
    def prepared(self) -> list[str]:
        """Every prepared field that any stage reads."""
        return prepared(place for arm in self.figure.arms.values() for place in arm.fields)


@dataclass(frozen=True)
class Layout:
    """The plan of all figures, and where their files lie."""

    figures: Mapping[tuple[str, str], Figure]
    seed: int
    results: str
    pictures: str
    costs: Costs

    def papers(self, *, whole: bool) -> str:
        """A pattern for the paper in the path of figures that are one job, or of all others."""
        chosen = "|".join(f"{paper}/{name}/" for (paper, name), figure in self.figures.items() if figure.is_whole)
        return f"(?{'=' if whole else '!'}{chosen or '(?!)'}){self._any_paper}"

    @property
    def _any_paper(self) -> str:
        return f"(?:{'|'.join(dict.fromkeys(paper for paper, _ in self.figures))})"

    def figure(self, wildcards: Wildcards) -> Figure:
        """The figure that a path names."""
        known = {name: figure for (paper, name), figure in self.figures.items() if paper == wildcards.paper}
        return _pick(known, wildcards.figure, f"{wildcards.paper} has no figure")

    def files(self, wildcards: Wildcards) -> Files:
        """The files of the figure that a path names."""
        return Files(self.figure(wildcards), self.results)

    def arm(self, wildcards: Wildcards, stage: str) -> Arm:
        """The arm of a stage that a path names; scoring has one arm only."""
        figure = self.figure(wildcards)
        if stage == "score":
            return figure.score
        arms: Mapping[str, Arm] = getattr(figure, stage)
        return _pick(arms, wildcards.arm, f"{figure.paper}/{figure.name} has no {stage} arm")

    def reads(self, stage: str) -> Callable[[Wildcards], list[str]]:
        """The prepared fields that a job of this stage reads."""
        return lambda wildcards: prepared(self.arm(wildcards, stage).fields)

    def granted(self, wildcards: Wildcards) -> list[str]:
        """The released files that a learner's chunk needs."""
        arm = self.arm(wildcards, "learn")
        return self.files(wildcards).granted(arm, arm.chunk(wildcards.chunk))

    def task(self, stage: str) -> Callable[[Wildcards], Task]:
        """What a job is asked for."""

        def of(wildcards: Wildcards) -> Task:
            figure, arm = self.figure(wildcards), self.arm(wildcards, stage)
            trials = range(figure.trials) if stage == "score" else arm.chunk(wildcards.chunk)
            return Files(figure, self.results).task(self.seed, stage, arm, trials)

        return of

    def code(self, stage: str) -> Callable[[Wildcards], str]:
        """A hash of all code of this project that a job runs."""
        return lambda wildcards: code_hash(self.figure(wildcards).module(stage), script=f"{stage}.py")

    def codes(self, wildcards: Wildcards) -> list[str]:
        """The same of all stages of a figure."""
        return [self.code(stage)(wildcards) for stage in self.figure(wildcards).stages]

    def libraries(self, wildcards: Wildcards) -> list[str]:
        """The modules of the library that a figure's stages import: none of them knows a figure."""
        figure = self.figure(wildcards)
        reached = set().union(*(closure(figure.module(stage)) for stage in figure.stages))
        return sorted(name for name in reached if name.startswith("unveil."))

    def name(self, stage: str, wildcards: Wildcards) -> str:
        """The name of a job by its cost."""
        own = f"/{wildcards.arm}" if stage in ("release", "learn") else ""
        return f"{wildcards.paper}/{wildcards.figure}/{stage}{own}"

    def priority(self, stage: str) -> Callable[[Wildcards], int]:
        """Long jobs first, and owners, whom learners wait for, before all."""
        first = 10_000 * (stage == "release")
        return lambda wildcards: first + round(10 * self.costs.of(self.name(stage, wildcards)))

    def memory(self, stage: str) -> Callable[[Wildcards, int], int]:
        """The MiB that a job of this stage is to be given on a cluster."""
        return lambda wildcards, attempt: self.costs.memory(self.name(stage, wildcards), attempt)

    def minutes(self, stage: str) -> Callable[[Wildcards, int], int]:
        """The minutes, likewise."""
        return lambda wildcards, attempt: self.costs.minutes(self.name(stage, wildcards), attempt)

    def drawings(self, figure: Figure) -> Callable[[Wildcards], list[Drawing]]:
        """All that is drawn from a figure's scores: itself, and its neighbours."""
        return lambda _: [
            Drawing(picture.module, picture.caption.read_text(encoding="utf-8"), self.files_of(picture))
            for picture in pictures_of(figure)
        ]

    def drawing_code(self, figure: Figure) -> Callable[[Wildcards], list[str]]:
        """A hash of all code that draws each of these pictures and fills in its caption."""
        return lambda wildcards: [
            code_hash(module, *["replication.judging.captions"] * ("[" in caption), script="draw.py")
            for module, caption, _ in self.drawings(figure)(wildcards)
        ]

    def files_of(self, picture: Picture) -> list[str]:
        """A picture in every format, its caption, its method, and the table that it is."""
        suffixes = ["svg", "pdf", "png", "rst", "method.rst"] + ["csv", "md"] * picture.has_table
        return [f"{self.pictures}/{picture.figure.paper}/{picture.name}.{suffix}" for suffix in suffixes]

    def drawn(self, figure: Figure) -> list[str]:
        """The files of all that is drawn from a figure's scores."""
        return [file for picture in pictures_of(figure) for file in self.files_of(picture)]

    @property
    def known_pictures(self) -> list[Picture]:
        """All figures, each with its neighbours."""
        return [picture for figure in self.figures.values() for picture in pictures_of(figure)]

    @property
    def undrawn(self) -> str:
        """A pattern for the paper in the path of a picture that no figure has."""
        names = "|".join(f"{picture.figure.paper}/{picture.name}" for picture in self.known_pictures)
        return rf"(?!(?:{names})\.){self._any_paper}"

    def refuse(self, wildcards: Wildcards) -> NoReturn:
        """Say which pictures there are in place of one that there is not."""
        names = [picture.name for picture in self.known_pictures if picture.figure.paper == wildcards.paper]
        raise UnveilError(f"{wildcards.paper} has no figure '{wildcards.figure}'; it has: {', '.join(names)}")

    def scores(self, papers: Iterable[str], name: str = "scores.csv") -> list[str]:
        """The scores of every figure of some papers, or a file beside them."""
        chosen = set(papers)
        return [f"{self.results}/{paper}/{figure}/{name}" for paper, figure in self.figures if paper in chosen]


def _pick(known: Mapping[str, T], name: str, refusal: str) -> T:
    """What has that name, or an error with the names that there are."""
    if name not in known:
        raise UnveilError(f"{refusal} '{name}'; it has: {', '.join(known)}")
    return known[name]
