# needs: the prepared Treebank; one core, so that nothing else of ours runs beside it
# makes: results/bench.csv and figures/bench.*: our kernels against their references and peers, in one interleaved run
#        results/tagging_cost.csv and figures/tagging_cost.*: figure 7's taggers against the seconds of their training

MEASURED = {"bench": "tools.bench.report", "tagging_cost": "tools.bench.tagging_cost"}


rule measure:
    input:
        expand(
            f"{PREPARED}/treebank/{{field}}.npy",
            field=("words", "tokens", "tags", "sentences", "split", "tag_names"),
        ),
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
        settings=lambda wildcards, input: [list(input)],
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
    # Our kernels against their references and peers, and figure 7's taggers against seconds.
    input:
        expand(
            "{folder}/{study}.{ending}",
            folder=PICTURES,
            study=MEASURED,
            ending=("svg", "pdf", "png"),
        ),
