# From raw data to every figure and table. `snakemake --cores 8 all`; one figure: `figures/<paper>/<figure>.pdf`.
from snakemake.utils import min_version

min_version("9.17")


# Beside this file, wherever the run's folder is.
configfile: f"{workflow.basedir}/config.yaml"


# Paper by paper, in the order of the tables, and the multiverse.
for part in config["include"] if isinstance(config.get("include"), list) else ():

    configfile: f"{workflow.basedir}/config/{part}.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/spine.smk"
include: "workflow/rules/tables.smk"


# On a cluster these stay with the run: `fetch` needs the network, the others take seconds and read one table.
localrules:
    all,
    fetch,
    table_guarantees,
    draw_scorecard,
    draw_judge,
    draw_guarantees,
    draw_multiverse,


onstart:
    claim_folder()


rule all:
    input:
        [layout.drawn(figure) for figure in FIGURES.values()],
        ALL_TABLES,
