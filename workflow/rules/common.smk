# What every rule file shares: the checked configuration, and the layout of the files of every figure.
import sys
from pathlib import Path

import yaml

HERE = Path(workflow.basedir)
sys.path.insert(0, str(HERE / "src"))

from unveil.errors import UnveilError
from replication.data.fetching.landing import stand_ins
from replication.data.fetching.sources import load as load_sources
from replication.engine import plan, source
from replication.engine.guard import claim_folder, is_free
from replication.engine.job import STATE
from replication.engine.layout import PREPARED, Layout, settle_environment
from replication.engine.records import mend_records
from replication.engine.seal import check_changes

ENVIRONMENT = "../../envs/unveil.yaml"
SCRIPTS = HERE / "workflow" / "scripts"

settle_environment(HERE / "src")

try:
    plan.check_frame(
        config,
        yaml.safe_load((HERE / "workflow/schemas/config.schema.yaml").read_text()),
    )
    DATASETS = load_sources(HERE / "data" / "sources.yaml")
    FIGURES = plan.plan(
        config, {name: list(entry.fields) for name, entry in DATASETS.items()}
    )
except UnveilError as error:
    sys.exit(f"error: {error}")

RESULTS, PICTURES, LOGS = (
    config["folders"][name] for name in ("results", "figures", "logs")
)
if workflow.is_main_process:
    try:
        if is_free(STATE):
            mend_records(STATE.parent)
        check_changes([PREPARED, RESULTS, PICTURES])
    except UnveilError as error:
        sys.exit(f"error: {error}")

layout = Layout(FIGURES, config["seed"], RESULTS, PICTURES, SCRIPTS)


wildcard_constraints:
    paper="|".join(config["papers"]),
    figure="[a-z][A-Za-z0-9_]*",
    arm="[A-Za-z0-9_.-]+",
    chunk=r"\d{4}-\d{4}",
