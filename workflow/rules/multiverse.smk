# needs: prepared fields, and the scores of all figures
# makes: results/multiverse.csv and figures/multiverse.*: in which share of the analyses and protocols that the papers
# allow each claim holds, and which choice turns it
#
# config/multiverse.yaml says which figures run otherwise, and how; without it nothing of this is asked for.


MULTIVERSE = "replication.judging.multiverse"
# Universes by paper, figure and chunk.
UNIVERSES = {
    (paper, figure, f"{start:04d}-{start + len(chunk) - 1:04d}"): chunk
    for (paper, figure), (universes, size) in STUDIED.items()
    for start in range(0, len(universes), size)
    for chunk in [universes[start : start + size]]
}


def universes_of(wildcards):
    return UNIVERSES[wildcards.paper, wildcards.figure, wildcards.chunk]


def read_in(wildcards):
    files = [Files(universe.figure, RESULTS) for universe in universes_of(wildcards)]
    return sorted({path for own in files for path in (*own.prepared, *own.provenance)})


rule universe:
    # The referee's: it runs owner and learner itself, at a reduced size, and reads what they read.
    input:
        read_in,
        kernels=kernels_for,
    output:
        f"{RESULTS}/multiverse/{{paper}}/{{figure}}/{{chunk}}.csv",
    log:
        f"{LOGS}/multiverse/{{paper}}/{{figure}}/{{chunk}}.log",
    priority:
        lambda wildcards: round(
            10 * COSTS.of(f"multiverse/{wildcards.paper}/{wildcards.figure}")
        )
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        universes=universes_of,
        asked=lambda wildcards: repr(universes_of(wildcards)),
        code=lambda wildcards: [
            *layout.codes(wildcards),
            code_hash(
                f"{MULTIVERSE}.table",
                f"replication.papers.{wildcards.paper}.claims",
                script="universe.py",
            ),
        ],
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
        f"{PICTURES}/multiverse.svg",
        f"{PICTURES}/multiverse.pdf",
        f"{PICTURES}/multiverse.png",
    log:
        f"{LOGS}/multiverse/draw.log",
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        data="data: that of the claims' figures",
        module=f"{MULTIVERSE}.draw",
        code=code_hash(f"{MULTIVERSE}.draw", *JUDGED.values(), script="draw.py"),
    message:
        "multiverse: draw"
    script:
        "../scripts/draw.py"
