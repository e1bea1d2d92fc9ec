# needs: prepared fields
# makes: for each figure what is released, learned and scored, and the pictures
#
#   prepare -> release (owner) || learn (learner) -> score (referee) -> render
#
# A figure none of whose arms is cut into chunks of trials is one job from release to score, in which owner and learners
# are processes of their own. The others go job by job. A purely analytic figure has a referee only.


rule kernels:
    # Compiled ahead for learners that count tags; they would each compile them. What is compiled changes no result.
    output:
        KERNELS,
    log:
        f"{LOGS}/kernels.log",
    priority: 50_000
    conda:
        ENVIRONMENT
    params:
        code=code_hash(COMPILED, script="kernels.py"),
    message:
        "compile the taggers' kernels, about a minute"
    script:
        "../scripts/kernels.py"


rule figure:
    input:
        fields=lambda wildcards: layout.files(wildcards).prepared,
        provenance=lambda wildcards: layout.files(wildcards).provenance,
        kernels=kernels_for,
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
        f"{RESULTS}/{{paper}}/{{figure}}/scores.meta.json",
        f"{RESULTS}/{{paper}}/{{figure}}/timings.csv",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/figure.log",
    wildcard_constraints:
        paper=layout.papers(whole=True),
    priority: layout.priority("figure")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.memory("figure"),
        runtime=layout.minutes("figure"),
    params:
        seed=config["seed"],
        files=layout.files,
        libraries=layout.libraries,
        code=lambda wildcards: [
            *layout.codes(wildcards),
            code_hash(script="figure.py"),
        ],
    message:
        "{wildcards.paper}/{wildcards.figure}: release, learn, score"
    script:
        "../scripts/figure.py"


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
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.memory("release"),
        runtime=layout.minutes("release"),
    params:
        task=layout.task("release"),
        code=layout.code("release"),
    message:
        "{wildcards.paper}/{wildcards.figure}: release {wildcards.arm}, trials {wildcards.chunk}"
    script:
        "../scripts/release.py"


rule learn:
    # The learner's side: what was released, and what the paper declares public. Nothing else, ever.
    input:
        released=layout.granted,
        public=layout.reads("learn"),
        kernels=kernels_for,
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/learned/{{arm}}/{{chunk}}.npz",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/learn/{{arm}}-{{chunk}}.log",
    priority: layout.priority("learn")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.memory("learn"),
        runtime=layout.minutes("learn"),
    params:
        task=layout.task("learn"),
        code=layout.code("learn"),
    message:
        "{wildcards.paper}/{wildcards.figure}: learn {wildcards.arm}, trials {wildcards.chunk}"
    script:
        "../scripts/learn.py"


rule score:
    # The referee: what was learned against the held-out truth.
    input:
        learned=lambda wildcards: layout.files(wildcards).all_learned,
        truth=layout.reads("score"),
        provenance=lambda wildcards: layout.files(wildcards).provenance,
    output:
        f"{RESULTS}/{{paper}}/{{figure}}/scores.csv",
        f"{RESULTS}/{{paper}}/{{figure}}/scores.meta.json",
        f"{RESULTS}/{{paper}}/{{figure}}/timings.csv",
    log:
        f"{LOGS}/{{paper}}/{{figure}}/score.log",
    wildcard_constraints:
        paper=layout.papers(whole=False),
    priority: layout.priority("score")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=layout.memory("score"),
        runtime=layout.minutes("score"),
    params:
        task=layout.task("score"),
        code=layout.code("score"),
    message:
        "{wildcards.paper}/{wildcards.figure}: score"
    script:
        "../scripts/score.py"


# One rule a figure, because each has neighbours of its own: all that is drawn from its scores, with captions and tables.
for (paper, name), figure in FIGURES.items():

    rule:
        name:
            f"render_{paper}_{name}"
        input:
            scores=f"{RESULTS}/{paper}/{name}/scores.csv",
            metadata=f"{RESULTS}/{paper}/{name}/scores.meta.json",
        output:
            # Updated: a picture stays as it is until the new one is whole.
            [update(path) for path in layout.drawn(figure)],
        log:
            f"{LOGS}/{paper}/{name}/render.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            drawings=layout.drawings(figure),
            code=layout.drawing_code(figure),
        message:
            f"{paper}/{name}: render"
        script:
            "../scripts/draw.py"


rule refuse:
    # A picture that no figure has.
    input:
        layout.refuse,
    output:
        f"{PICTURES}/{{paper}}/{{figure}}.{{suffix}}",
    wildcard_constraints:
        paper=layout.undrawn,
    localrule: True
