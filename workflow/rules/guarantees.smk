# needs: nothing but the mechanisms and their parameters in config.yaml
# makes: results/guarantees.csv and figures/guarantees.*: what every mechanism promises, keeps, and shows in an audit
#
# A configuration without the key `guarantees` asks for none of this.

GUARANTEES = "replication.judging.guarantees"


rule guarantees:
    output:
        f"{RESULTS}/guarantees.csv",
    log:
        f"{LOGS}/guarantees/table.log",
    conda:
        ENVIRONMENT
    params:
        module=f"{GUARANTEES}.table",
        function="table",
        seed=config["seed"],
        settings=[AUDITED],
        asked=repr(AUDITED),
        code=code_hash(
            f"{GUARANTEES}.table",
            *(
                f"replication.papers.{file.parent.name}.guarantees"
                for file in (HERE / "src/replication/papers").glob("*/guarantees.py")
            ),
            script="measure.py",
        ),
    message:
        "guarantees: claimed, exact and audited"
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
