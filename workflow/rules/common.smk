# Shared by all of these files: the checked configuration, and the layout of the files of every figure.
import sys
from pathlib import Path

HERE = Path(workflow.basedir)
sys.path[:0] = [str(HERE / "src"), str(HERE)]

from replication.data.provenance import warn_of_stand_ins
from replication.data.fetching.sources import load as load_sources
from replication.engine.checking import checked, require_single_keys, within
from replication.engine.code import code_hash, module_file
from replication.engine.costs import Costs, notes, save_plan, steps_of
from replication.engine.forking import fork_scripts
from replication.engine.job import STATE
from replication.engine.layout import PREPARED, Layout, settle_environment
from replication.engine.plan import chunk_name, plan
from replication.engine.runs import claim_folder, settle_records
from replication.engine.seal import check_changes
from replication.engine.warming import warm_up
from replication.judging.guarantees.settings import PAPERS, Guarantees
from replication.judging.multiverse.settings import studied
from snakemake_logger_plugin_unveil.progress import RUN
from unveil.errors import UnveilError, require

ENVIRONMENT = "../../envs/unveil.yaml"

settle_environment(HERE)

try:
    plain = not {"{", "}"} & set(str(HERE))
    require(
        plain, f"Snakemake reads the braces in {HERE} as wildcards; move the project"
    )
    for path in dict.fromkeys([*workflow.configfiles, *workflow.overwrite_configfiles]):
        require_single_keys(Path(path))
    DATASETS = load_sources(HERE / "data" / "sources.yaml")
    KNOWN = {name: list(entry.fields) for name, entry in DATASETS.items()}
    FIGURES, STUDIED = plan(config, KNOWN), studied(config, KNOWN)
    AUDITED = config.get("guarantees")
    if AUDITED is not None:
        AUDITED = checked(Guarantees, AUDITED, within("guarantees"))
    RESULTS, PICTURES, LOGS = (
        config["folders"][name] for name in ("results", "figures", "logs")
    )
    if workflow.is_main_process:
        settle_records(STATE.parent / "metadata.db")
        check_changes([PREPARED, RESULTS, PICTURES], raw="data/raw")
except UnveilError as error:
    sys.exit(f"error: {error}")

COSTS = Costs.shipped(LOGS)
layout = Layout(FIGURES, config["seed"], RESULTS, PICTURES, COSTS)


def foresee(workflow):
    """Tell the logger what the jobs of this run may cost, and keep its plan for `tools.schedule`."""
    costs = COSTS.updated(notes(Path(LOGS)))
    steps = steps_of(workflow.dag, costs, Path(LOGS))
    settings = workflow.resource_settings
    cores = settings.cores or settings.nodes or 1
    RUN.expect({number: step.seconds for number, step in steps.items()}, cores)
    save_plan(STATE / "plan.json", steps, LOGS, cores)


def prepare_forks(workflow):
    """Fork this run's jobs, where they are so many that it pays: two or three start sooner on their own."""
    if len(list(workflow.dag.needrun_jobs())) > 3:
        fork_scripts()


def prepare_kernels(workflow):
    """Compile what the learners of this run will need."""
    jobs = workflow.dag.needrun_jobs()
    figures = [job.wildcards for job in jobs if job.rule.name in ("learn", "universe")]
    warm_up({layout.module("learn")(own) for own in figures})


if workflow.remote_exec:
    # What goes to a node as one job asked for one core; not every cluster hides the node's others from it.
    workflow.global_resources["_cores"] = 1


def together(wildcards):
    """Which jobs a cluster gets at once; a dry run, which hands nothing to one, lists each on its own."""
    return layout.group(wildcards) if workflow.non_local_exec else None


# The multiverse: its universes by paper, figure and chunk.
MULTIVERSE = "replication.judging.multiverse"
UNIVERSES = {
    (paper, figure, chunk_name(chunk)): universes[chunk.start : chunk.stop]
    for (paper, figure), (universes, size) in STUDIED.items()
    for start in range(0, len(universes), size)
    for chunk in [range(start, min(start + size, len(universes)))]
}


def universes_of(wildcards):
    return UNIVERSES[wildcards.paper, wildcards.figure, wildcards.chunk]


def read_in(wildcards):
    """What the owner, the learners and the referee of some universes read, and where it comes from."""
    figures = [universe.figure for universe in universes_of(wildcards)]
    fields = {
        f"{PREPARED}/{dataset}/{field}.npy"
        for figure in figures
        for arm in figure.arms.values()
        for dataset, field in arm.fields
    }
    return sorted(fields) + [
        f"{PREPARED}/{dataset}/provenance.json"
        for dataset in sorted({name for figure in figures for name in figure.datasets})
    ]


def code_of_universe(wildcards):
    """The code of the figure's stages and its claims, each with its script."""
    claims = f"replication.papers.{wildcards.paper}.claims"
    modules = {
        stage: layout.module(stage)(wildcards)
        for stage in ("release", "learn", "score")
    }
    return [
        code_hash(module, script=f"{stage}.py")
        for stage, module in modules.items()
        if module_file(module)
    ] + [code_hash(f"{MULTIVERSE}.table", claims, script="universe.py")]


wildcard_constraints:
    paper="|".join(config["papers"]),
    figure="[a-z][A-Za-z0-9_]*",
    arm="[A-Za-z0-9_.-]+",
    chunk=r"\d{4}-\d{4}",
