# needs: nothing but the mechanisms and their parameters in config.yaml
# makes: results/guarantees.csv and figures/guarantees.*: what every mechanism promises, keeps, and shows in an audit
#
# A configuration without the key `guarantees` asks for none of this.

GUARANTEES = "replication.judging.guarantees"


rule audit:
    # A paper at a time: together they would be the longest job of all.
    output:
        f"{RESULTS}/guarantees/{{audited}}.csv",
    log:
        f"{LOGS}/guarantees/{{audited}}.log",
    wildcard_constraints:
        audited="|".join(PAPERS),
    priority: lambda wildcards: round(10 * COSTS.of(f"guarantees/{wildcards.audited}"))
    conda:
        ENVIRONMENT
    params:
        module=f"{GUARANTEES}.table",
        function="table",
        seed=config["seed"],
        settings=lambda wildcards: [wildcards.audited, AUDITED],
        asked=lambda wildcards: repr(
            AUDITED
            and (
                AUDITED.samples,
                AUDITED.confidence,
                getattr(AUDITED, wildcards.audited),
            )
        ),
        code=lambda wildcards: code_hash(
            f"{GUARANTEES}.table",
            f"replication.papers.{wildcards.audited}.guarantees",
            script="measure.py",
        ),
    message:
        "guarantees: claimed, exact and audited, {wildcards.audited}"
    script:
        "../scripts/measure.py"


rule guarantees:
    input:
        [f"{RESULTS}/guarantees/{paper}.csv" for paper in PAPERS],
    output:
        f"{RESULTS}/guarantees.csv",
    log:
        f"{LOGS}/guarantees/table.log",
    conda:
        ENVIRONMENT
    params:
        module=f"{GUARANTEES}.table",
        function="gather_tables",
        settings=lambda wildcards, input: list(map(str, input)),
        code=code_hash(f"{GUARANTEES}.table", script="measure.py"),
    message:
        "guarantees: gather the papers' tables"
    script:
        "../scripts/measure.py"


rule draw_guarantees:
    input:
        f"{RESULTS}/guarantees.csv",
    output:
        f"{PICTURES}/guarantees.svg",
        f"{PICTURES}/guarantees.pdf",
        f"{PICTURES}/guarantees.png",
    log:
        f"{LOGS}/guarantees/draw.log",
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        module=f"{GUARANTEES}.draw",
        code=code_hash(f"{GUARANTEES}.draw", script="draw.py"),
    message:
        "guarantees: draw"
    script:
        "../scripts/draw.py"


ALL_GUARANTEES = [
    f"{RESULTS}/guarantees.csv",
    multiext(f"{PICTURES}/guarantees", ".svg", ".pdf", ".png"),
] * (AUDITED is not None)
