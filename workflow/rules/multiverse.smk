# needs: prepared fields, and the scores of all figures
# makes: results/multiverse.csv and figures/multiverse.*: in which share of the analyses and protocols that the papers
# allow each claim holds, and which choice turns it
#
# config/multiverse.yaml says which figures run otherwise, and how; without it nothing of this is asked for.

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
    place = f"replication.papers.{wildcards.paper}"
    stages = [
        code_hash(f"{place}.{wildcards.figure}.{stage}", script=f"{stage}.py")
        for stage in ("release", "learn", "score")
        if module_file(f"{place}.{wildcards.figure}.{stage}")
    ]
    return stages + [
        code_hash(f"{MULTIVERSE}.table", f"{place}.claims", script="universe.py")
    ]


rule universe:
    # The referee's: it runs owner and learner itself, at a reduced size, and reads what they read.
    input:
        read_in,
    output:
        f"{RESULTS}/multiverse/{{paper}}/{{figure}}/{{chunk}}.csv",
    log:
        f"{LOGS}/multiverse/{{paper}}/{{figure}}/{{chunk}}.log",
    benchmark:
        f"{LOGS}/multiverse/{{paper}}/{{figure}}/{{chunk}}.tsv"
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        universes=universes_of,
        asked=lambda wildcards: repr(universes_of(wildcards)),
        code=code_of_universe,
    message:
        "multiverse: {wildcards.paper}/{wildcards.figure}, universes {wildcards.chunk}"
    script:
        "../scripts/universe.py"


rule multiverse:
    input:
        universes=[
            f"{RESULTS}/multiverse/{paper}/{figure}/{chunk}.csv"
            for paper, figure, chunk in UNIVERSES
        ],
        scores=layout.scores(JUDGED),
        metadata=layout.scores(JUDGED, "scores.meta.json"),
    output:
        f"{RESULTS}/multiverse.csv",
    log:
        f"{LOGS}/multiverse/table.log",
    benchmark:
        f"{LOGS}/multiverse/table.tsv"
    conda:
        ENVIRONMENT
    params:
        papers=list(JUDGED),
        figures=list(STUDIED),
        code=code_hash(f"{MULTIVERSE}.table", *JUDGED.values(), script="multiverse.py"),
    message:
        "multiverse: gather the universes, and judge the same scores otherwise"
    script:
        "../scripts/multiverse.py"


ALL_UNIVERSES = [
    f"{RESULTS}/multiverse.csv",
    multiext(f"{PICTURES}/multiverse", ".svg", ".pdf", ".png"),
] * bool(UNIVERSES)


rule draw_multiverse:
    input:
        f"{RESULTS}/multiverse.csv",
    output:
        report(
            f"{PICTURES}/multiverse.svg",
            caption="../report/multiverse.rst",
            category="A scorecard of all claims",
            labels={"figure": "multiverse"},
        ),
        f"{PICTURES}/multiverse.pdf",
        f"{PICTURES}/multiverse.png",
    log:
        f"{LOGS}/multiverse/draw.log",
    benchmark:
        f"{LOGS}/multiverse/draw.tsv"
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        module=f"{MULTIVERSE}.draw",
        code=code_hash(f"{MULTIVERSE}.draw", *JUDGED.values(), script="draw.py"),
    message:
        "multiverse: draw"
    script:
        "../scripts/draw.py"
