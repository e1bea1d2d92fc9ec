# needs: prepared fields
# makes: for each figure what is released, learned and scored, and the pictures
#
#   prepare -> release (owner) || learn (learner) -> score (referee) -> render
#
# A small figure goes to a cluster as one job from release to score; its scripts stay processes of their own.
# A purely analytic figure starts at score.


rule release:
    # The owner's side. What is written here is exactly what leaves the owner.
    input:
        private=layout.reads("release"),
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/released/{{arm}}/{{chunk}}.npz",
        # Exact values never lie in one file with noised ones. Most figures have none: then it is empty.
        f"{RESULTS}/{{paper}}/{{figure}}/released/{{arm}}/{{chunk}}.exact.npz",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/release/{{arm}}-{{chunk}}.log",
    priority: layout.priority("release")
    group:
        together
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.needs("release", "mem_mb", 4096),
        runtime=layout.needs("release", "runtime", 240),
    params:
        task=layout.task("release"),
        settings=layout.settings("release"),
        asked=layout.asked("release"),
        code=layout.code("release"),
    message:
        "{wildcards.paper}/{wildcards.figure}: release {wildcards.arm}, trials {wildcards.chunk}"
    script:
        "../scripts/release.py"


rule learn:
    # The learner's side: what was released, and what the paper declares public. Nothing else, ever.
    input:
        released=layout.releases,
        public=layout.reads("learn"),
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/learned/{{arm}}/{{chunk}}.npz",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/learn/{{arm}}-{{chunk}}.log",
    priority: layout.priority("learn")
    group:
        together
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.needs("learn", "mem_mb", 4096),
        runtime=layout.needs("learn", "runtime", 240),
    params:
        task=layout.task("learn"),
        settings=layout.settings("learn"),
        asked=layout.asked("learn"),
        code=layout.code("learn"),
    message:
        "{wildcards.paper}/{wildcards.figure}: learn {wildcards.arm}, trials {wildcards.chunk}"
    script:
        "../scripts/learn.py"


rule score:
    # The referee: what was learned against the held-out truth.
    input:
        learned=layout.learned,
        truth=layout.reads("score"),
        provenance=layout.provenance,
    output:
        scores=f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
        metadata=f"{RESULTS}/{{paper}}/{{figure}}/scores.meta.json",
        timings=f"{RESULTS}/{{paper}}/{{figure}}/timings.csv",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/score.log",
    priority: layout.priority("score")
    group:
        together
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.needs("score", "mem_mb", 4096),
        runtime=layout.needs("score", "runtime", 240),
    params:
        task=layout.task("score"),
        settings=layout.settings("score"),
        asked=layout.asked("score"),
        code=layout.code("score"),
    message:
        "{wildcards.paper}/{wildcards.figure}: score"
    script:
        "../scripts/score.py"


rule render:
    input:
        scores=f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
        metadata=f"{RESULTS}/{{paper}}/{{figure}}/scores.meta.json",
    output:
        # Updated: a picture stays as it is until the new one is whole.
        update(f"{PICTURES}/{{paper}}/{{figure}}.svg"),
        update(f"{PICTURES}/{{paper}}/{{figure}}.pdf"),
        update(f"{PICTURES}/{{paper}}/{{figure}}.png"),
        update(f"{PICTURES}/{{paper}}/{{figure}}.rst"),
    log:
        f"{LOGS}/{{paper}}/{{figure}}/render.log",
    conda:
        ENVIRONMENT
    params:
        module=layout.module("draw"),
        caption=layout.caption,
        claims=layout.cited,
        code=layout.drawing,
    message:
        "{wildcards.paper}/{wildcards.figure}: render"
    script:
        "../scripts/draw.py"


rule tabulate:
    # Figures that are tables, as text beside their pictures.
    input:
        scores=f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
    output:
        csv=f"{PICTURES}/{{paper}}/{{figure}}.csv",
        markdown=f"{PICTURES}/{{paper}}/{{figure}}.md",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/tabulate.log",
    conda:
        ENVIRONMENT
    params:
        module=layout.module("draw"),
        code=layout.code("draw"),
    message:
        "{wildcards.paper}/{wildcards.figure}: write the table"
    script:
        "../scripts/draw.py"
