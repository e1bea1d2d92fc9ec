# needs: prepared fields, the scores of all figures, the mechanisms and their parameters in config.yaml
# makes: results/<table>.csv and figures/<picture>.*, which are no figure's own:
#   claims      a verdict on every claim, of papers with a module of that name; beside it what was seen in each of its
#               settings, what the paper leaves open, and the multiverse: the claim under every other choice
#   judge       how often such verdicts are wrong, on simulated claims of known truth, and how many trials decide
#   guarantees  what every mechanism promises, keeps, and shows in an audit, if the configuration has that key
#   bench, tagging_cost   our kernels and taggers against references, on one core so that nothing of ours runs beside

JUDGING = "replication.judging"
JUDGED = {
    paper: claims
    for paper in config["papers"]
    if module_file(claims := f"replication.papers.{paper}.claims")
}
SCORES = layout.scores(JUDGED)
METADATA = layout.scores(JUDGED, "scores.meta.json")
# Universes by paper, figure and chunk.
UNIVERSES = {
    (paper, figure, f"{start:04d}-{start + len(chunk) - 1:04d}"): chunk
    for (paper, figure), (universes, size) in STUDIED.items()
    for start in range(0, len(universes), size)
    for chunk in [universes[start : start + size]]
}
RUN_OTHERWISE = [f"{RESULTS}/multiverse/{'/'.join(place)}.csv" for place in UNIVERSES]
TREEBANK = [
    f"{PREPARED}/treebank/{field}.npy"
    for field in ("words", "tokens", "tags", "sentences", "split", "tag_names")
]

# By name: the files it rests on, the function that makes it, what that is given, and what else it runs.
TABLES = {
    "claims": (
        [*RUN_OTHERWISE, *SCORES, *METADATA],
        f"{JUDGING}.judge:judge",
        [list(JUDGED), SCORES, RUN_OTHERWISE],
        JUDGED.values(),
    ),
    "judge": ([], f"{JUDGING}.power:table", [config["seed"]], []),
    "guarantees": (
        [f"{RESULTS}/guarantees/{paper}.csv" for paper in PAPERS],
        f"{JUDGING}.guarantees.table:gather_tables",
        [f"{RESULTS}/guarantees/{paper}.csv" for paper in PAPERS],
        [],
    ),
    **{
        f"guarantees/{paper}": (
            [],
            f"{JUDGING}.guarantees.table:table",
            [config["seed"], paper]
            + [getattr(AUDITED, key, None) for key in (paper, "samples", "confidence")],
            [f"replication.papers.{paper}.guarantees"],
        )
        for paper in PAPERS
    },
    **{
        name: (
            TREEBANK,
            f"tools.bench.{module}:measured",
            [config["seed"], TREEBANK],
            [],
        )
        for name, module in (("bench", "report"), ("tagging_cost", "tagging_cost"))
    },
}
# What is made beside a table.
BESIDE = {"claims": ("claims_settings", "claims_choices", "multiverse")}

# By name: the table, the module that draws it, what else that draws, and the footer's words where it has one.
DRAWN = {
    "scorecard": ("claims", f"{JUDGING}.scorecard", [], None),
    "judge": ("judge", f"{JUDGING}.calibration", [], "no data set"),
    "guarantees": ("guarantees", f"{JUDGING}.guarantees.draw", [], "no data set"),
    "multiverse": (
        "multiverse",
        f"{JUDGING}.multiverse.draw",
        JUDGED.values(),
        "data: that of the claims' figures",
    ),
    "bench": ("bench", "tools.bench.report", [], None),
    "tagging_cost": ("tagging_cost", "tools.bench.tagging_cost", [], None),
}
PICTURE = {
    name: multiext(f"{PICTURES}/{name}", ".svg", ".pdf", ".png") for name in DRAWN
}
VERDICTS = [f"{RESULTS}/claims.csv", PICTURE["scorecard"], PICTURE["judge"]]
ALL_TABLES = [
    *(VERDICTS if JUDGED else []),
    *([f"{RESULTS}/guarantees.csv", PICTURE["guarantees"]] if AUDITED else []),
    *([PICTURE["multiverse"]] if UNIVERSES else []),
]


for name, (reads, function, given, more) in TABLES.items():

    rule:
        name:
            f"table_{'_'.join(Path(name).parts)}"
        input:
            reads,
        output:
            [f"{RESULTS}/{name}.csv"]
            + [f"{RESULTS}/{other}.csv" for other in BESIDE.get(name, ())],
        log:
            f"{LOGS}/{name}.log",
        priority: round(10 * COSTS.of(name))
        conda:
            ENVIRONMENT
        params:
            function=function,
            given=given,
            code=code_hash(function.partition(":")[0], *more, script="measure.py"),
        message:
            f"{name}: make the table"
        script:
            "../scripts/measure.py"


for name, (table, module, more, footer) in DRAWN.items():

    rule:
        name:
            f"draw_{name}"
        input:
            f"{RESULTS}/{table}.csv",
        output:
            PICTURE[name],
        log:
            f"{LOGS}/draw-{name}.log",
        conda:
            ENVIRONMENT
        params:
            seed=config["seed"],
            footer=footer,
            module=module,
            code=code_hash(module, *more, script="draw.py"),
        message:
            f"{name}: draw"
        script:
            "../scripts/draw.py"


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
        code=lambda wildcards: [
            *layout.codes(wildcards),
            code_hash(
                f"{JUDGING}.judge",
                f"replication.papers.{wildcards.paper}.claims",
                script="universe.py",
            ),
        ],
    message:
        "multiverse: {wildcards.paper}/{wildcards.figure}, universes {wildcards.chunk}"
    script:
        "../scripts/universe.py"


rule bench:
    input:
        PICTURE["bench"],
        PICTURE["tagging_cost"],
