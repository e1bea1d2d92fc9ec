# Shared by all of these files: the checked configuration, and the layout of the files of every figure.
import sys
from pathlib import Path

HERE = Path(workflow.basedir)
sys.path[:0] = [str(HERE / "src"), str(HERE)]

from replication.data.prepare import module_of
from replication.data.fetching.sources import load as load_sources
from replication.engine.checking import checked, require_single_keys, within
from replication.engine.code import code_hash, module_file
from replication.engine.costs import Costs
from replication.engine.layout import PREPARED, Files, Layout, settle_environment
from replication.engine.plan import plan
from replication.engine.runs import claim_folder, is_job
from replication.engine.seal import check_changes
from replication.judging.guarantees.settings import PAPERS, Guarantees
from replication.judging.multiverse.settings import studied
from unveil.errors import UnveilError, require

ENVIRONMENT = "../../envs/unveil.yaml"

settle_environment(HERE)

try:
    require(
        not {"{", "}"} & set(str(HERE)),
        f"Snakemake reads the braces in {HERE} as wildcards; move the project",
    )
    require(
        ":" not in str(HERE),
        f"Python reads the colon in {HERE} as the end of a folder; move the project",
    )
    for path in dict.fromkeys(workflow.configfiles):
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
    if not is_job():
        check_changes([PREPARED, RESULTS, PICTURES], raw="data/raw")
except UnveilError as error:
    sys.exit(f"error: {error}")

COSTS = Costs.shipped(LOGS)
layout = Layout(FIGURES, config["seed"], RESULTS, PICTURES, COSTS)

# What is compiled ahead, and whose learners wait for it.
KERNELS, COMPILED = f"{RESULTS}/kernels.txt", "unveil.estimators.counts.tagger"


def kernels_for(wildcards):
    return [KERNELS] * (COMPILED in layout.libraries(wildcards))


def read_in(wildcards):
    files = [Files(universe.figure, RESULTS) for universe in universes_of(wildcards)]
    return sorted({path for own in files for path in (*own.prepared, *own.provenance)})


def universes_of(wildcards):
    return UNIVERSES[wildcards.paper, wildcards.figure, wildcards.chunk]


wildcard_constraints:
    paper="|".join(config["papers"]),
    figure="[a-z][A-Za-z0-9_]*",
    arm="[A-Za-z0-9_.-]+",
    chunk=r"\d{4}-\d{4}",
