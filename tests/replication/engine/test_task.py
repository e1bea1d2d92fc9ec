"""What stages share: scores that read back to the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replication.engine.task import Task, read_scores, write_csv


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_scores_read_back_to_the_same_bits(tmp_path: Path, values: list[float]) -> None:
    write_csv(tmp_path / "scores.csv", pd.DataFrame({"x": values, "trial": pd.array([None] * len(values), "Int64")}))
    back = read_scores(tmp_path / "scores.csv")
    np.testing.assert_array_equal(back["x"].to_numpy(dtype=float), values)
    assert back["trial"].isna().all()


def test_a_task_covers_its_trials_to_the_last() -> None:
    task = Task(seed=1, paper="p", figure="f", arm="a", trials=range(4, 7), module="m", settings=None)
    assert list(task.run_trials("learn", lambda trial: {"number": np.array(trial.number)})) == [4, 5, 6]
    assert task.trial("learn", 5).rng.random() != task.trial("release", 5).rng.random()
