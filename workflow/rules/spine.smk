# needs: prepared fields
# makes: for each figure what is released, learned and scored, and the pictures
#
#   prepare -> release (owner) || learn (learner) -> score (referee) -> render
#
# A purely analytic figure starts at score.


rule release:
    # The owner's side. What is written here is exactly what leaves the owner.
    input:
        private=release_reads,
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/released/{{arm}}/{{chunk}}.npz",
    params:
        task=task("release"),
        settings=settings("release"),
        code=code("release.py", "release"),
    log:
        f"{LOGS}/{{paper}}/{{figure}}/release/{{arm}}-{{chunk}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/{{figure}}/release/{{arm}}-{{chunk}}.tsv"
    message:
        "{wildcards.paper}/{wildcards.figure}: release {wildcards.arm}, trials {wildcards.chunk}"
    conda:
        ENVIRONMENT
    script:
        "../scripts/release.py"


rule learn:
    # The learner's side: what was released, and what the paper declares public. Nothing else, ever.
    input:
        released=learn_releases,
        public=learn_reads,
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/learned/{{arm}}/{{chunk}}.npz",
    params:
        task=task("learn"),
        settings=settings("learn"),
        code=code("learn.py", "learn"),
    log:
        f"{LOGS}/{{paper}}/{{figure}}/learn/{{arm}}-{{chunk}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/{{figure}}/learn/{{arm}}-{{chunk}}.tsv"
    message:
        "{wildcards.paper}/{wildcards.figure}: learn {wildcards.arm}, trials {wildcards.chunk}"
    conda:
        ENVIRONMENT
    script:
        "../scripts/learn.py"


rule score:
    # The referee: what was learned against the held-out truth.
    input:
        learned=score_learned,
        truth=score_reads,
        provenance=score_provenance,
    output:
        scores=f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
        metadata=f"{RESULTS}/{{paper}}/{{figure}}/scores.meta.json",
        timings=f"{RESULTS}/{{paper}}/{{figure}}/timings.csv",
    params:
        task=task("score"),
        settings=settings("score"),
        code=code("score.py", "score"),
    log:
        f"{LOGS}/{{paper}}/{{figure}}/score.log",
    benchmark:
        f"{LOGS}/{{paper}}/{{figure}}/score.tsv"
    message:
        "{wildcards.paper}/{wildcards.figure}: score"
    conda:
        ENVIRONMENT
    script:
        "../scripts/score.py"


rule render:
    input:
        scores=f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
        metadata=f"{RESULTS}/{{paper}}/{{figure}}/scores.meta.json",
    output:
        report(
            f"{PICTURES}/{{paper}}/{{figure}}.svg",
            caption="../report/figure.rst",
            category="{paper}",
            labels={"figure": "{figure}"},
        ),
        f"{PICTURES}/{{paper}}/{{figure}}.pdf",
        f"{PICTURES}/{{paper}}/{{figure}}.png",
    params:
        task=task("render"),
        caption=caption,
        code=code("render.py", "draw"),
    log:
        f"{LOGS}/{{paper}}/{{figure}}/render.log",
    benchmark:
        f"{LOGS}/{{paper}}/{{figure}}/render.tsv"
    message:
        "{wildcards.paper}/{wildcards.figure}: render"
    conda:
        ENVIRONMENT
    script:
        "../scripts/render.py"


rule tabulate:
    # Figures that are tables, as text beside their pictures.
    input:
        scores=f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
    output:
        csv=f"{PICTURES}/{{paper}}/{{figure}}.csv",
        markdown=f"{PICTURES}/{{paper}}/{{figure}}.md",
    params:
        task=task("tabulate"),
        code=code("tabulate.py", "draw"),
    log:
        f"{LOGS}/{{paper}}/{{figure}}/tabulate.log",
    benchmark:
        f"{LOGS}/{{paper}}/{{figure}}/tabulate.tsv"
    message:
        "{wildcards.paper}/{wildcards.figure}: write the table"
    conda:
        ENVIRONMENT
    script:
        "../scripts/tabulate.py"
