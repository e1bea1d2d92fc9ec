# needs: nothing but the package; one core, so that nothing else of ours runs beside it
# makes: results/bench.csv and figures/bench.*: our kernels against their references, in one interleaved run


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
