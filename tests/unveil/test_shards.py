"""Sums over shards: the same bytes in one process and on a cluster, also when a worker dies in the middle."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from unveil.errors import SimulationOnly, UnveilError
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.exact_moments import ExactMoments
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.exact_products import ExactProducts
from unveil.mechanisms.mean_operator import MeanOperatorRelease
from unveil.mechanisms.noisy_records import NoisyRecords
from unveil.mechanisms.per_value import PerValueRelease
from unveil.shards import cluster, fit_shards, publish_shards, sum_over
from unveil.types import Array

NAMES = ["a", "b", "c"]
VEIL = CoordinateRelease(2.0)


def write(folder: Path, tables: Iterable[pd.DataFrame]) -> list[Path]:
    paths = []
    for k, table in enumerate(tables):
        paths.append(folder / f"{k}.parquet")
        table.to_parquet(paths[-1])
    return paths


def read(paths: list[Path]) -> tuple[Array, Array]:
    """Features and target of all shards."""
    table = pd.concat([pd.read_parquet(path) for path in paths])
    return table[NAMES].to_numpy(), table["y"].to_numpy()


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Eleven shards of different sizes, one of them without a record."""
    sizes = [3000, 1, 0, 500, 70_000, 10, 20, 30, 40, 50, 60]
    drawn = (default_rng(k).random((size, 4), dtype=np.float32) for k, size in enumerate(sizes))
    return write(tmp_path_factory.mktemp("shards"), (pd.DataFrame(rows, columns=[*NAMES, "y"]) for rows in drawn))


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Five shards with labels, one without a record."""
    drawn = (default_rng(k).normal(size=(size, 3)) for k, size in enumerate([3000, 1, 0, 500, 20_000]))
    tables = (pd.DataFrame(X.astype("f4"), columns=NAMES).assign(y=np.where(X[:, 0] > 0, 1, -1)) for X in drawn)
    return write(tmp_path_factory.mktemp("labelled"), tables)


class Words(tuple[str, ...]):
    """What shows in which tree it was merged."""

    def merge(self, other: Words) -> Words:
        return Words((f"({''.join(self)}{''.join(other)})",))


@pytest.mark.parametrize(
    ("shards", "tree"),
    [("a", "a"), ("ab", "(ab)"), ("abc", "((ab)c)"), ("abcde", "(((ab)(cd))e)"), ("abcdefg", "(((ab)(cd))((ef)g))")],
)
def test_the_tree_depends_on_the_number_of_shards_alone(shards: str, tree: str) -> None:
    assert sum_over(list(shards), lambda _, shard: Words([shard])) == (tree,)


class Largest(int):
    """Counts how many of its kind are alive."""

    alive: ClassVar[set[int]] = set()
    most: ClassVar[int] = 0

    def merge(self, other: Largest) -> Largest:
        Largest.alive -= {int(self), int(other)}
        Largest.alive.add(max(int(self), int(other)))
        return Largest(max(int(self), int(other)))


@given(st.integers(1, 300))
def test_few_are_held_at_a_time(n: int) -> None:
    Largest.alive, Largest.most = set(), 0

    def work(number: int, _: object) -> Largest:
        Largest.alive.add(number)
        Largest.most = max(Largest.most, len(Largest.alive))
        return Largest(number)

    assert sum_over(range(n), work) == n - 1
    assert Largest.most <= np.log2(n) + 2


@pytest.mark.parametrize("veil", [VEIL, PerValueRelease(9.0, 9), ExactProducts(2.0, testing=True)])
def test_a_seed_gives_the_same_release_for_any_batches(veil: Any, paths: list[Path]) -> None:
    wanted = publish_shards(veil, paths, NAMES, "y", seed=1)
    assert wanted.records == 73_711
    if not isinstance(veil, ExactProducts):
        assert publish_shards(veil, paths, NAMES, "y", seed=1, rows=777).checksum == wanted.checksum
    assert publish_shards(veil, paths, NAMES, "y", seed=2).checksum != wanted.checksum
    # Shards draw apart: two that hold the same records say different things of them.
    twice = publish_shards(veil, [paths[0], paths[0]], NAMES, "y", seed=1)
    assert len({shard.content for shard in twice.shards}) == 2


@pytest.mark.parametrize("intercept", [False, True])
def test_a_sum_is_noised_once(labelled: list[Path], intercept: bool) -> None:
    """The noise on all shards is that on one table of all their rows, to the bit where the grid is the same."""
    veil = GeometricMeanOperator(1.0, testing=True)
    X, y = read(labelled)
    top = float(np.abs(X).max())
    tally = veil.tally((X, y), intercept, top=top)
    wanted = veil.publish_tally(tally, default_rng(3))
    found = publish_shards(veil, labelled, NAMES, "y", seed=3, intercept=intercept)
    assert found.checksum == wanted.checksum
    again = publish_shards(veil, labelled, NAMES, "y", seed=3, intercept=intercept, top=top, rows=99)
    assert again.checksum == found.checksum
    assert not found.shards
    with pytest.raises(UnveilError, match="same top merge"):
        veil.tally((X, y), intercept, top=1.0).merge(tally)
    with pytest.raises(UnveilError, match="testing"):
        publish_shards(GeometricMeanOperator(1.0), labelled, NAMES, "y", seed=3)


def test_a_fit_over_shards_is_that_to_all_rows(paths: list[Path]) -> None:
    whole = MomentRegression().fit(*read(paths))
    asked = MomentRegression()
    for rows in (1000, 1 << 20):
        found = fit_shards(asked, paths, NAMES, "y", rows=rows)
        np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-9)
    assert not hasattr(asked, "coef_")


def test_mistakes_are_one_line(paths: list[Path]) -> None:
    with pytest.raises(UnveilError, match="or tally: MeanOperatorRelease noises a sum"):
        publish_shards(MeanOperatorRelease(1.0), paths, NAMES, "y", seed=1)
    with pytest.raises(UnveilError, match="CountTagger is no sum"):
        fit_shards(CountTagger(), paths, NAMES, "y")
    with pytest.raises(SimulationOnly, match="for simulation only"):
        publish_shards(VEIL, paths, NAMES, "y")
    with pytest.raises(UnveilError, match="put a single one into a list"):
        publish_shards(VEIL, str(paths[0]), NAMES, "y", seed=1)
    with pytest.raises(UnveilError, match="at least one record"):
        publish_shards(VEIL, [paths[2]], NAMES, "y", seed=1)
    with pytest.raises(UnveilError, match="no column 'yy': did you mean 'y'"):
        publish_shards(VEIL, paths, ["a", "yy"], "y", seed=1)


def test_without_dask_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnveilError, match=r"pip install 'unveil\[dask\]'"), cluster(2):
        pass


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two processes."""
    pytest.importorskip("distributed")
    with cluster(2) as two:
        yield two


def slowly_killed(flag: Path, number: int, shard: Path) -> Any:
    """The release of a shard, unless it is the first time for the fifth: then its process dies."""
    if number == 4 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return publish_shards(VEIL, [shard], NAMES, "y", seed=number) if number != 2 else None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_bytes(client: Any, paths: list[Path]) -> None:
    wanted = publish_shards(VEIL, paths, NAMES, "y", seed=1, intercept=True)
    found = publish_shards(VEIL, paths, NAMES, "y", seed=1, intercept=True, client=client)
    assert found.checksum == wanted.checksum
    model = fit_shards(MomentRegression(), paths, NAMES, "y", client=client)
    np.testing.assert_allclose(model.coef_, fit_shards(MomentRegression(), paths, NAMES, "y").coef_, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_noises_the_sum_of_all_shards(client: Any, labelled: list[Path]) -> None:
    veil = GeometricMeanOperator(1.0, testing=True)
    wanted = publish_shards(veil, labelled, NAMES, "y", seed=3)
    assert publish_shards(veil, labelled, NAMES, "y", seed=3, client=client).checksum == wanted.checksum
    assert publish_shards(GeometricMeanOperator(1.0), labelled, NAMES, "y", client=client).randomness == "os"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dask_dataframe_is_published_by_its_partitions(client: Any, paths: list[Path]) -> None:
    frames = pytest.importorskip("dask.dataframe")
    table = frames.read_parquet([str(path) for path in paths], split_row_groups=True, aggregate_files=False)
    wanted = publish_shards(VEIL, table, NAMES, "y", seed=1)
    assert wanted.records == 73_711
    assert publish_shards(VEIL, table, NAMES, "y", seed=1, client=client).checksum == wanted.checksum


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_in_mid_run_changes_nothing(client: Any, paths: list[Path], tmp_path: Path) -> None:
    flag = tmp_path / "killed"
    found = sum_over(paths, partial(slowly_killed, flag), client)
    assert flag.exists()  # it did happen, and the second attempt, in this process, meets no killer
    assert found.checksum == sum_over(paths, partial(slowly_killed, flag)).checksum


def test_noisy_records_of_shards_keep_their_order(labelled: list[Path]) -> None:
    """Without noise, and with real randomness: each record is noised on its own."""
    X, y = read(labelled)
    veils = [NoisyRecords(flip, 0.0, noise="gaussian", testing=True) for flip in (0.0, 0.2)]
    clear, flipped = (publish_shards(veil, labelled, NAMES, "y", seed=1, classes=(-1, 1)) for veil in veils)
    np.testing.assert_array_equal(clear.arrays["features"], X)
    np.testing.assert_array_equal(clear.arrays["labels"], y > 0)
    share = float((flipped.arrays["labels"] != clear.arrays["labels"]).mean())
    assert abs(share - 0.2) < 5 * np.sqrt(0.16 / len(y))


def test_second_moments_are_noised_once(paths: list[Path]) -> None:
    veil = ExactMoments(1.0, testing=True)
    wanted = veil.publish(read(paths), default_rng(3))
    assert publish_shards(veil, paths, NAMES, "y", seed=3).checksum == wanted.checksum
    assert publish_shards(veil, paths, NAMES, "y", seed=3, columns=[1, 1, 1], rows=999).checksum == wanted.checksum
