# needs: the scores of all figures
# makes: results/claims.csv, a verdict on every claim of the papers; claims_settings.csv, what was seen in each of its
# settings; the scorecard that sums it up; and results/judge.csv with its figure: how often such verdicts are wrong,
# and how many trials decide which effect
#
# A paper's claims stand in src/replication/papers/<paper>/claims.py; a paper without that file makes none.

JUDGED = {
    paper: claims
    for paper in config["papers"]
    if module_file(claims := f"replication.papers.{paper}.claims")
}
SCORECARD = [f"{PICTURES}/scorecard.{suffix}" for suffix in ("svg", "pdf", "png")]
JUDGE = [f"{PICTURES}/judge.{suffix}" for suffix in ("svg", "pdf", "png")]
VERDICTS = [f"{RESULTS}/claims.csv", *SCORECARD, *JUDGE] if JUDGED else []


rule claims:
    input:
        scores=layout.scores(JUDGED),
        metadata=layout.scores(JUDGED, "scores.meta.json"),
    output:
        f"{RESULTS}/claims.csv",
        f"{RESULTS}/claims_settings.csv",
    log:
        f"{LOGS}/claims.log",
    conda:
        ENVIRONMENT
    params:
        papers=list(JUDGED),
        code=code_hash(
            "replication.judging.judge", *JUDGED.values(), script="claims.py"
        ),
    message:
        "claims: judge {params.papers}"
    script:
        "../scripts/claims.py"


rule scorecard:
    input:
        f"{RESULTS}/claims.csv",
    output:
        SCORECARD[0],
        SCORECARD[1:],
    log:
        f"{LOGS}/scorecard.log",
    conda:
        ENVIRONMENT
    params:
        module="replication.judging.scorecard",
        code=code_hash("replication.judging.scorecard", script="draw.py"),
    message:
        "claims: draw the scorecard"
    script:
        "../scripts/draw.py"


rule calibrate:
    # The judge himself: simulated claims of known truth. It reads no scores.
    output:
        f"{RESULTS}/judge.csv",
    log:
        f"{LOGS}/judge.log",
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        module="replication.judging.power",
        function="table",
        code=code_hash("replication.judging.power", script="measure.py"),
    message:
        "claims: calibrate the judge"
    script:
        "../scripts/measure.py"


rule draw_judge:
    input:
        f"{RESULTS}/judge.csv",
    output:
        JUDGE[0],
        JUDGE[1:],
    log:
        f"{LOGS}/draw-judge.log",
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        module="replication.judging.calibration",
        code=code_hash("replication.judging.calibration", script="draw.py"),
    message:
        "claims: draw the judge's power"
    script:
        "../scripts/draw.py"
