"""Time and memory against the number of records, and what far more would cost: the tables of a page of the docs.

python -m tools.larger                  # measures, a process a row; writes the CSV and the page's tables
python -m tools.larger --render         # the tables alone, from the CSV
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.random import Generator, default_rng

from replication.engine.code import ROOT
from replication.engine.layout import settle_environment
from tools.bench.measure import Work
from tools.bench.streams import BATCH, FEATURES, names, streamed_moments, streamed_products, streamed_sets, write_shards

TABLE, PAGE = Path("docs/larger_than_memory.csv"), Path("docs/larger_than_memory.md")
BEGIN, END = "<!-- {}: made by `python -m tools.larger` -->", "<!-- end of {} -->"
COLUMNS = ["work", "records", "workers", "seconds", "cpu_seconds", "peak_mib"]
STREAMS: dict[str, Callable[[int, Generator], Work]] = {
    "products published from a stream": streamed_products,
    "regression fitted to a stream": streamed_moments,
    "class ratios from a stream of sets": streamed_sets,
}
SHARDS = "products published from Parquet"
#: Records, and processes of Dask (0: none, this process).
ROWS = (
    *((work, records, 0) for work in list(STREAMS)[:2] for records in (10**6, 10**7, 10**8)),
    *((list(STREAMS)[2], sets, 0) for sets in (300, 1_000, 3_000)),
    *((SHARDS, records, workers) for records in (10**6, 3 * 10**6, 10**7) for workers in (0, 1, 2)),
)
#: The plan on paper: so many records, in shards of so many, on so many cores.
PLAN, SHARD, CORES = 10**11, 10**7, 64


def measure(work: str, records: int, workers: int) -> dict[str, Any]:
    """One row, in this process, which should have done nothing else."""
    if work == SHARDS:
        return _measure_shards(records, workers)
    todo = STREAMS[work](records, default_rng(0))
    STREAMS[work](200, default_rng(0))()  # compiles
    start, before = time.perf_counter(), time.process_time()
    todo()
    return {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - before, "peak_mib": _peak()}


def _measure_shards(records: int, workers: int) -> dict[str, Any]:
    from contextlib import nullcontext

    from unveil.mechanisms.coordinate import CoordinateRelease
    from unveil.shards import cluster, publish_shards

    target, *features = names(FEATURES)
    with tempfile.TemporaryDirectory() as folder, cluster(workers) if workers else nullcontext() as client:
        paths = write_shards(Path(folder), records, 16, default_rng(0))
        few = write_shards(Path(folder, "few"), 100 * max(1, workers), max(1, workers), default_rng(0))

        def publish(some: list[Path]) -> None:
            publish_shards(CoordinateRelease(4.0), some, features, target, seed=1, client=client, rows=BATCH)

        publish(few)  # imports and compiles, on every worker
        own, start, before = 0.0, time.perf_counter(), _used(client)
        publish(paths)
        seconds, used = time.perf_counter() - start, _used(client)
        own = _peak() if client is None else max(client.run(_peak).values())
    return {"seconds": seconds, "cpu_seconds": used - before, "peak_mib": own}


def _used(client: Any) -> float:
    """CPU seconds of this process and of the workers."""
    return time.process_time() + (0.0 if client is None else sum(client.run(time.process_time).values()))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_all(path: Path) -> None:
    """All rows that are not there yet, each in a process of its own."""
    settle_environment(ROOT)  # one thread a process
    rows = pd.read_csv(path).to_dict("records") if path.exists() else []
    there = {(row["work"], row["records"], row["workers"]) for row in rows}
    for work, records, workers in (row for row in ROWS if row not in there):
        command = [sys.executable, "-m", "tools.larger", work, str(records), str(workers)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - ourselves
        rows.append({"work": work, "records": records, "workers": workers, **json.loads(done.stdout.splitlines()[-1])})
        rows.sort(key=lambda row: ROWS.index((row["work"], row["records"], row["workers"])))
        table = pd.DataFrame(rows, columns=COLUMNS).round({"seconds": 2, "cpu_seconds": 2, "peak_mib": 0})
        table.to_csv(path, index=False)


def curve(table: pd.DataFrame) -> str:
    """What was measured."""
    lines = ["| what | records | processes | seconds | CPU seconds | peak MiB a process |", "|---|--:|--:|--:|--:|--:|"]
    for row in table.itertuples():
        where = f"{row.workers} of Dask" if row.workers else "1"
        cells = f"{row.records:,} | {where} | {row.seconds:.2f} | {row.cpu_seconds:.2f} | {row.peak_mib:.0f}"
        lines.append(f"| {row.work} | {cells} |")
    return "\n".join(lines)


def plan(table: pd.DataFrame) -> str:
    """What `PLAN` records would take, by the largest measured run over shards and the sizes of what is sent."""
    runs = table[(table["work"] == SHARDS) & (table["workers"] > 0)]
    largest = runs[runs["records"] == runs["records"].max()].iloc[-1]
    hours = PLAN * largest["cpu_seconds"] / largest["records"] / 3600
    tallies = 8 * (2 * FEATURES + 8 * FEATURES * (FEATURES - 1) // 2)
    shards = PLAN // SHARD
    rows = [
        ("records, features", f"{PLAN:.0e}, {FEATURES} in single precision"),
        (
            "stored by the owners",
            f"{4 * PLAN * (FEATURES + 1) / 1e12:.1f} TB, in {shards:,} shards of {SHARD:.0e} records",
        ),
        ("read", "once"),
        ("a shard's tallies, sent to whoever merges them", f"{tallies / 1e3:.0f} kB"),
        ("sent in all", f"{2 * shards * tallies / 1e9:.1f} GB: every shard's once, every merge's once"),
        ("published in the end", f"{tallies / 1e3:.0f} kB, and a line a shard"),
        ("memory of a process", f"{largest['peak_mib']:.0f} MiB, as measured: it does not grow with the records"),
        ("computing", f"{hours:,.0f} core hours, {hours / CORES:,.1f} hours on {CORES} cores"),
    ]
    return "\n".join(["| what | how much |", "|---|---|", *(f"| {what} | {much} |" for what, much in rows)])


def rendered(page: str, table: pd.DataFrame) -> str:
    """The page with its tables."""
    for name, text in (("curve", curve(table)), ("plan", plan(table))):
        begin, end = BEGIN.format(name), END.format(name)
        head, _, rest = page.partition(begin)
        page = f"{head}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def main(arguments: list[str]) -> None:
    """One row for a child, else the whole table."""
    if len(arguments) == 3:
        sys.stdout.write(json.dumps(measure(arguments[0], int(arguments[1]), int(arguments[2]))) + "\n")
        return
    if arguments != ["--render"]:
        measure_all(ROOT / TABLE)
    page = ROOT / PAGE
    page.write_text(rendered(page.read_text(encoding="utf-8"), pd.read_csv(ROOT / TABLE)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
