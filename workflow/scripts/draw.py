"""Stage `render`: from scores to pictures with their caption, or to a table as text; nothing else."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from replication.engine.job import job
from replication.engine.storage import load_json, save_bytes
from replication.engine.task import read_scores, write_csv


def draw(module: str, table: Path, basis: Mapping[str, Any] | None, outputs: Iterable[Path]) -> None:
    """Draw the table in every format, with a footer that says what it rests on."""
    from replication import style

    with style.applied():
        figure = style.picture_of(import_module(module), read_scores(table))
        if basis is not None:
            style.add_footer(figure, basis)
        # All are drawn before the first takes its place.
        for path, content in list(style.pictures(figure, outputs)):
            save_bytes(path, content)


def caption(template: str, module: str, table: Path, basis: Mapping[str, Any], outputs: Iterable[Path]) -> None:
    """Fill in what the caption, and the method below it, say of results."""
    from replication.judging.captions import fill, split_method

    facts = getattr(import_module(module), "facts", None)
    for output, text in zip(outputs, split_method(fill(template, read_scores(table), basis, facts)), strict=True):
        save_bytes(output, text.encode())


def tabulate(module: str, scores: Path, csv: Path, markdown: Path) -> None:
    """Write the table that the figure is as CSV and as Markdown."""
    from replication import style

    table = import_module(module).table(read_scores(scores))
    write_csv(csv, table)
    save_bytes(markdown, style.markdown_table(table).encode())


if "snakemake" in globals():
    with job(snakemake.log[0]):
        module, table, outputs = snakemake.params.module, Path(snakemake.input[0]), map(Path, snakemake.output)
        if snakemake.rule == "tabulate":
            tabulate(module, table, *outputs)
        elif snakemake.rule == "render":
            basis, (*pictures, words, method) = load_json(Path(snakemake.input.metadata)), outputs
            draw(module, table, basis, pictures)
            caption(snakemake.params.caption, module, table, basis, (words, method))
        else:  # across figures: what is drawn at random says its seed
            words, seed = snakemake.params.footer, snakemake.params.seed
            basis = {"data": [], "trials": 0, "seed": seed, "otherwise": words} if words else None
            draw(module, table, basis, outputs)
