"""Stage `render`: from scores to pictures with their captions, and to tables as text; nothing else."""

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
        table, params = Path(snakemake.input[0]), snakemake.params
        if snakemake.rule.startswith("render_"):
            basis = load_json(Path(snakemake.input.metadata))
            for module, template, files in params.drawings:
                *pictures, words, method = map(Path, files[:5])
                draw(module, table, basis, pictures)
                caption(template, module, table, basis, (words, method))
                if files[5:]:
                    tabulate(module, table, *map(Path, files[5:]))
        else:  # across figures: what is drawn at random says its seed
            rest = {"data": [], "trials": 0, "seed": params.seed, "otherwise": params.footer}
            draw(params.module, table, rest if params.footer else None, map(Path, snakemake.output))
