# needs: the scores of all figures
# makes: results/claims.csv, a verdict on every claim of the papers; claims_settings.csv, what was seen in each of its
# settings; and the scorecard that sums it up
#
# A paper's claims stand in src/replication/papers/<paper>/claims.py; a paper without that file makes none.

JUDGED = {
    paper: claims
    for paper in config["papers"]
    if module_file(claims := f"replication.papers.{paper}.claims")
}
SCORECARD = [f"{PICTURES}/scorecard.{suffix}" for suffix in ("svg", "pdf", "png")]
VERDICTS = [f"{RESULTS}/claims.csv", *SCORECARD] if JUDGED else []


rule claims:
    input:
        scores=layout.scores(JUDGED),
        metadata=layout.scores(JUDGED, "scores.meta.json"),
    output:
        f"{RESULTS}/claims.csv",
        f"{RESULTS}/claims_settings.csv",
    log:
        f"{LOGS}/claims.log",
    benchmark:
        f"{LOGS}/claims.tsv"
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
        report(
            SCORECARD[0],
            caption="../report/scorecard.rst",
            category="A scorecard of all claims",
            labels={"figure": "scorecard"},
        ),
        SCORECARD[1:],
    log:
        f"{LOGS}/scorecard.log",
    benchmark:
        f"{LOGS}/scorecard.tsv"
    conda:
        ENVIRONMENT
    params:
        module="replication.judging.scorecard",
        code=code_hash("replication.judging.scorecard", script="draw.py"),
    message:
        "claims: draw the scorecard"
    script:
        "../scripts/draw.py"
