# What every rule file shares: the checked configuration, the plan of the figures, and functions from wildcards to files.
import os
import sys
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

SOURCE = Path(workflow.basedir, "src")
sys.path.insert(0, str(SOURCE))

# Jobs import the package from this folder. Two BLAS or OpenMP threads would change bits: parallelism is between jobs.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
os.environ.update({f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM")})
os.environ["MPLBACKEND"] = "agg"

from unveil.errors import UnveilError
from unveil.fetching.sources import load_sources
from unveil.pipeline import plan, source
from unveil.pipeline.guard import claim_folder
from unveil.pipeline.job import STATE

ENVIRONMENT = "../../envs/unveil.yaml"
SCRIPTS = Path(workflow.basedir, "workflow", "scripts")
SOURCES = Path(workflow.basedir, "data", "sources.yaml")

try:
    schema = yaml.safe_load(Path(workflow.basedir, "workflow", "schemas", "config.schema.yaml").read_text())
    plan.check_frame(config, schema)
    DATASETS = load_sources(SOURCES)
    FIGURES = plan.plan(config, {name: list(entry["fields"]) for name, entry in DATASETS.items()})
except UnveilError as error:
    raise WorkflowError(str(error)) from None

RESULTS, PICTURES, LOGS = (config["folders"][name] for name in ("results", "figures", "logs"))
PREPARED = "data/prepared"


wildcard_constraints:
    paper="|".join(config["papers"]),
    figure="[a-z][A-Za-z0-9_]*",
    arm="[A-Za-z0-9_.-]+",
    chunk=r"\d{4}-\d{4}",


def figure_of(wildcards):
    try:
        return FIGURES[wildcards.paper, wildcards.figure]
    except KeyError:
        known = ", ".join(name for paper, name in FIGURES if paper == wildcards.paper)
        raise WorkflowError(f"{wildcards.paper} has no figure '{wildcards.figure}'; it has: {known}") from None


def arm_of(wildcards, stage):
    arms = getattr(figure_of(wildcards), stage)
    if wildcards.arm not in arms:
        raise WorkflowError(f"{wildcards.paper}/{wildcards.figure} has no {stage} arm '{wildcards.arm}'; it has: {', '.join(arms)}")
    return arms[wildcards.arm]


def prepared(arm):
    return [f"{PREPARED}/{dataset}/{field}.npy" for dataset, field in arm.fields]


def chunk_files(figure, stage, arm, chunks):
    return [f"{RESULTS}/{figure.paper}/{figure.name}/{stage}/{arm}/{chunk}.npz" for chunk in chunks]


# The owner reads what is private; the learner what was released, and what the paper declares public.
def release_reads(wildcards):
    return prepared(arm_of(wildcards, "release"))


def learn_releases(wildcards):
    figure, arm = figure_of(wildcards), arm_of(wildcards, "learn")
    trials = arm.chunk(wildcards.chunk)
    releases = [figure.release[name] for name in arm.releases]
    return [file for owner in releases for file in chunk_files(figure, "released", owner.name, plan.overlapping(owner, trials))]


def learn_reads(wildcards):
    return prepared(arm_of(wildcards, "learn"))


def score_learned(wildcards):
    figure = figure_of(wildcards)
    return [
        file
        for arm in figure.learn.values()
        for file in chunk_files(figure, "learned", arm.name, map(plan.chunk_name, arm.chunks))
    ]


def score_reads(wildcards):
    return prepared(figure_of(wildcards).score)


def score_provenance(wildcards):
    return [f"{PREPARED}/{dataset}/provenance.json" for dataset in figure_of(wildcards).datasets]


# What makes a job differ from the one that made the file before: its settings, and the code that it runs.
def task(stage):
    """The seed, figure, arm and trials of a job, as the edge script wants them."""

    def of(wildcards):
        figure = figure_of(wildcards)
        if stage in ("release", "learn"):
            arm = arm_of(wildcards, stage)
            trials = arm.chunk(wildcards.chunk)
        else:
            arm, trials = figure.score, range(figure.trials)
        return {
            "seed": config["seed"],
            "paper": figure.paper,
            "figure": figure.name,
            "arm": arm.name,
            "first": trials.start,
            "last": trials.stop - 1,
        }

    return of


def settings(stage):
    def of(wildcards):
        arm = figure_of(wildcards).score if stage == "score" else arm_of(wildcards, stage)
        return dict(arm.settings)

    return of


def code(script, stage=None):
    """A hash of all code of this project that a job runs."""

    def of(wildcards):
        files = [SCRIPTS / script]
        if stage:
            files.append(plan.stage_file(wildcards.paper, wildcards.figure, stage))
        return source.code_hash(*files)

    return of


def caption(wildcards):
    return plan.stage_file(wildcards.paper, wildcards.figure, "caption").with_suffix(".rst").read_text()


def pictures(figure, suffixes):
    return [f"{PICTURES}/{figure.paper}/{figure.name}.{suffix}" for suffix in suffixes]


def all_figures(wildcards):
    return [
        file
        for figure in FIGURES.values()
        for file in pictures(figure, ["svg", "pdf", "png"] + ["csv", "md"] * figure.has_table)
    ]
