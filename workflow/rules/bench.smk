# needs: nothing but the package; one core, so that nothing else of ours runs beside it
# makes: results/bench.csv and figures/bench.*: our kernels against their references, in one interleaved run
#        results/scaling.csv and figures/scaling.*: how time and memory grow, of each kernel and of whole runs

MEASURED = {"bench": "tools.bench.report", "scaling": "tools.bench.growth"}


rule measure:
    output:
        f"{RESULTS}/{{study}}.csv",
    log:
        f"{LOGS}/{{study}}.log",
    wildcard_constraints:
        study="|".join(MEASURED),
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        module=lambda wildcards: MEASURED[wildcards.study],
        function="measured",
        code=lambda wildcards: code_hash(MEASURED[wildcards.study], script="measure.py"),
    message:
        "{wildcards.study}: measure"
    script:
        "../scripts/measure.py"


rule draw_measured:
    input:
        f"{RESULTS}/{{study}}.csv",
    output:
        multiext(f"{PICTURES}/{{study}}", ".svg", ".pdf", ".png"),
    log:
        f"{LOGS}/draw-{{study}}.log",
    wildcard_constraints:
        study="|".join(MEASURED),
    conda:
        ENVIRONMENT
    params:
        module=lambda wildcards: MEASURED[wildcards.study],
        code=lambda wildcards: code_hash(MEASURED[wildcards.study], script="draw.py"),
    message:
        "{wildcards.study}: draw"
    script:
        "../scripts/draw.py"


rule bench:
    # Our kernels against their references.
    input:
        f"{RESULTS}/bench.csv",
        multiext(f"{PICTURES}/bench", ".svg", ".pdf", ".png"),


rule scaling:
    # How time and memory grow.
    input:
        f"{RESULTS}/scaling.csv",
        multiext(f"{PICTURES}/scaling", ".svg", ".pdf", ".png"),
