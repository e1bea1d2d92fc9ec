"""The page on data larger than memory says what its table says, and its table has what it should."""

from __future__ import annotations

import pandas as pd
import pytest
from tools import larger

from replication.engine.code import ROOT


def test_the_page_is_made_from_its_table() -> None:
    page, table = (ROOT / larger.PAGE).read_text(encoding="utf-8"), pd.read_csv(ROOT / larger.TABLE)
    assert larger.rendered(page, table) == page
    assert list(table.columns) == larger.COLUMNS
    assert [tuple(row) for row in table[["work", "records", "workers"]].to_numpy()] == list(larger.ROWS)


def test_peak_memory_is_flat_in_what_was_measured() -> None:
    """A hundred times the records, and no more memory than a batch: what is kept of each would take a gigabyte."""
    table = pd.read_csv(ROOT / larger.TABLE)
    for _, part in table[table["workers"] == 0].groupby("work"):
        assert part["peak_mib"].max() - part["peak_mib"].min() < 64


@pytest.mark.slow
@pytest.mark.parametrize("work", [*larger.STREAMS, larger.SHARDS])
def test_every_row_can_be_measured(work: str) -> None:
    found = larger.measure(work, 3_000 if work != "class ratios from a stream of sets" else 200, 0)
    assert found["cpu_seconds"] > 0
    assert found["peak_mib"] > 50
