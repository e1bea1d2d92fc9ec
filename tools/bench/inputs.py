"""What the bench's rows are measured on, and how their sizes are told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from pyarrow import parquet

from replication.data.sets.census import stand_in
from unveil.estimators.counts.features import Windows
from unveil.mechanisms.regions import RegionCounts
from unveil.types import Array, Arrays, Floats

SETS = "{bags} bags x {points:,}, d = {features}, 11 widths"
STATES = "{records:,} x {states} states"
TABLE = "{records:,} x {features:,}"
TESTS = "{bags:,} bags x {size}, {tests} test sets"
#: Records of a batch.
BATCH = 1 << 16


def census_like(rng: Generator, records: int) -> tuple[Array, Array]:
    """Data of Census's shape: its declared stand-in, with labels ±1."""
    fields = stand_in(rng)
    return np.asarray(fields["features"][:records], dtype=float), 2 * fields["labels"][:records].astype(int) - 1


def draw_sets(rng: Generator, bags: int, points: int, features: int) -> list[Array]:
    """Sets to learn from, and one to ask about."""
    return [rng.random((points, features), dtype=np.float32) for _ in range(bags + 1)]


def draw_bags(rng: Generator, bags: int, size: int, features: int) -> tuple[list[Floats], Floats]:
    """Sets of two classes that differ in their means, and their class shares."""
    positive = rng.binomial(size, rng.uniform(0.1, 0.9, bags))
    labels = np.arange(size) < positive[:, None]
    points = rng.normal(size=(bags, size, features)) + 0.5 * labels[..., None]
    return list(points), np.stack([1 - positive / size, positive / size], axis=1)


def cut_windows(treebank: Arrays, window: int | None, rng: Generator) -> tuple[Windows, Array]:
    """One window of each sentence to train on, which come first, and the counts of its tags."""
    sentences = treebank["sentences"][: int((treebank["split"] == 0).sum()) + 1]
    regions = RegionCounts(window).release(treebank["tags"], sentences, rng, n_tags=len(treebank["tag_names"]))
    return Windows(treebank["words"], treebank["tokens"], regions.start, regions.stop), regions.counts


def write_shards(folder: Path, names: list[str], records: int, shards: int, rng: Generator) -> list[Path]:
    """Parquet files of one row group each a batch."""
    schema = pa.schema([(name, pa.float32()) for name in names])
    paths = [folder / f"{k}.parquet" for k in range(shards)]
    for path in paths:
        with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
            for start in range(0, records // shards, BATCH):
                block = rng.random((len(names), min(BATCH, records // shards - start)), dtype=np.float32)
                file.write_table(pa.table(dict(zip(names, block, strict=True)), schema=schema))
    return paths
