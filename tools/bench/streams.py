"""Data larger than memory: rows of the bench from batches and from Parquet shards."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

import numpy as np
from numpy.random import Generator

from tools.bench.measure import Kernel, Work

#: Records of a batch.
BATCH = 1 << 16
FEATURES = 28


def names(features: int) -> list[str]:
    """Of the columns, the target's first."""
    return [f"x{j}" for j in range(features + 1)]


def write_shards(folder: Path, records: int, shards: int, rng: Generator, features: int = FEATURES) -> list[Path]:
    """Parquet files of one row group each a batch."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = names(features)
    schema = pa.schema([(name, pa.float32()) for name in columns])
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{k}.parquet" for k in range(shards)]
    for k, path in enumerate(paths):
        own = records * (k + 1) // shards - records * k // shards
        with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
            for start in range(0, own, BATCH):
                block = rng.random((len(columns), min(BATCH, own - start)), dtype=np.float32)
                file.write_table(pa.table(dict(zip(columns, block, strict=True)), schema=schema))
    return paths


def products_release(records: int = 10**7, features: int = FEATURES, shards: int = 8) -> Kernel:
    """Products published from Parquet shards, against drawing the uniforms it consumes and reading the shards."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.mechanisms.coordinate import ROWS, CoordinateRelease
        from unveil.mechanisms.products import UNIFORMS
        from unveil.tables import Table

        folder = Path(tempfile.mkdtemp())
        paths = write_shards(folder, records, shards, rng, features)
        (target, *own), veil = names(features), CoordinateRelease(4.0)
        buffer = np.empty(UNIFORMS * ROWS)

        def reference() -> object:
            for batch in Table(paths, ROWS).read(dict.fromkeys(names(features), "number")):
                rng.random(out=buffer[: UNIFORMS * len(batch[target])])
            return buffer

        # The files last as long as what reads them.
        weakref.finalize(reference, shutil.rmtree, folder, True)
        return lambda: veil.publish(Table(paths, ROWS).pairs(own, target), rng), reference

    size = f"{records:,} x {features}, {shards} Parquet shards"
    return Kernel("products_release", size, "reading the shards and drawing its uniforms", 5, make, repeats=3)


def statistic_release(records: int = 10**6, features: int = 60) -> Kernel:
    """The mean operator with exact noise over batches of float32, against the bare product y·X."""

    def make(rng: Generator) -> tuple[Work, Work]:
        from unveil.mechanisms.exact_operator import GeometricMeanOperator

        X = rng.random((records, features), dtype=np.float32)
        y = np.where(rng.random(records) < 0.5, -1, 1).astype(np.int8)
        floats, veil = y.astype(np.float32), GeometricMeanOperator(1.0)
        cuts = range(0, records, BATCH)
        return lambda: veil.publish((X[c : c + BATCH], y[c : c + BATCH]) for c in cuts), lambda: floats @ X

    return Kernel("statistic_release", f"{records:,} x {features} float32", "the bare product y·X", 5, make)
