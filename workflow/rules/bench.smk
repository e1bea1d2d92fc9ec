# needs: nothing but the package; one core, so that nothing else of ours runs beside it
# makes: results/bench.csv and figures/bench.*: our kernels against their references, in one interleaved run
#        results/scaling.csv and figures/scaling.*: how time and memory grow, of each kernel and of whole runs


rule bench:
    output:
        table=f"{RESULTS}/bench.csv",
        pictures=[f"{PICTURES}/bench.{suffix}" for suffix in ("svg", "pdf", "png")],
    log:
        f"{LOGS}/bench.log",
    benchmark:
        f"{LOGS}/bench.tsv"
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        code=source.code_hash(SCRIPTS / "bench.py"),
    message:
        "bench: our kernels against their references"
    script:
        "../scripts/bench.py"


rule scaling:
    output:
        table=f"{RESULTS}/scaling.csv",
        pictures=[f"{PICTURES}/scaling.{suffix}" for suffix in ("svg", "pdf", "png")],
    log:
        f"{LOGS}/scaling.log",
    benchmark:
        f"{LOGS}/scaling.tsv"
    conda:
        ENVIRONMENT
    params:
        seed=config["seed"],
        code=source.code_hash(SCRIPTS / "scaling.py"),
    message:
        "scaling: how time and memory grow"
    script:
        "../scripts/scaling.py"
