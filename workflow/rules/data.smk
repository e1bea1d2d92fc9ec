# needs: data/sources.yaml, and a mirror, the network or a package registry
# makes: data/raw/<dataset>/, checked, with its provenance; data/prepared/<dataset>/<field>.npy


rule fetch:
    output:
        "data/raw/{dataset}/provenance.json",
    log:
        f"{LOGS}/data/fetch-{{dataset}}.log",
    priority: 100_000  # everything waits for data
    conda:
        ENVIRONMENT
    params:
        entry=lambda wildcards: repr(DATASETS[wildcards.dataset]),
        code=code_hash("replication.data.provenance"),
    message:
        "data: fetch {wildcards.dataset}"
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
            fields=[f"{PREPARED}/{dataset}/{field}.npy" for field in entry.fields],
        log:
            f"{LOGS}/data/prepare-{dataset}.log",
        priority: 100_000
        conda:
            ENVIRONMENT
        params:
            dataset=dataset,
            code=code_hash(
                module_of(dataset),
                "replication.data.prepare",
                script="prepare.py",
            ),
        message:
            f"data: prepare {dataset}"
        script:
            "../scripts/prepare.py"
