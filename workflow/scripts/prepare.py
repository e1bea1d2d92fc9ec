"""Stage `prepare`: from raw files to one array a field; nothing is noised here."""

from pathlib import Path

from replication.engine.job import job


def prepare(dataset: str, raw: Path, output: Path) -> None:
    """Write every field of a data set, and where it comes from."""
    from replication.data.prepare import count_records, prepare
    from replication.data.provenance import read_provenance
    from replication.engine.storage import save_array, save_json

    provenance = read_provenance(raw)
    fields = prepare(dataset, raw)
    for name, array in fields.items():
        save_array(output / f"{name}.npy", array)
    save_json(output / "provenance.json", {**provenance, "rows": count_records(fields)})


if "snakemake" in globals():
    with job(snakemake.log[0]):
        prepare(snakemake.params.dataset, Path(snakemake.input[0]).parent, Path(snakemake.output.provenance).parent)
