"""No number that is none gets into a release: not from any batch, in any place, by any reader."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from pyarrow import parquet

import unveil
from unveil.errors import UnveilError
from unveil.mechanisms import batches
from unveil.types import Array, as_whole

MECHANISMS = Path(unveil.__file__).parent / "mechanisms"
SMALLEST = 5e-324
#: What no data may hold, and what they may: the latter counts as zero.
NEVER, TINY = [np.nan, np.inf, -np.inf], [-0.0, SMALLEST]

Publish = Callable[[Any], Any]
#: Everything that publishes features: some with a declared range, all of them in batches.
PUBLISHERS: dict[str, Publish] = {
    "GeometricMeanOperator": lambda data: unveil.GeometricMeanOperator(1.0, testing=True).publish(data, default_rng(1)),
    "GeometricMeanOperator.tally": lambda data: _publish_tally(data),
    "MeanOperatorRelease": lambda data: unveil.MeanOperatorRelease(1.0).publish(data, default_rng(1)),
    "CoordinateRelease": lambda data: unveil.CoordinateRelease(2.0).publish(data, default_rng(1)),
    "PerValueRelease": lambda data: unveil.PerValueRelease(2.0, 9.0).publish(data, default_rng(1)),
    "ExactProducts": lambda data: unveil.ExactProducts(2.0, testing=True).publish(data, default_rng(1)),
    "NoisyRecords": lambda data: unveil.NoisyRecords(0.2, 0.1, noise="gaussian").publish(data, default_rng(1)),
    "NoisyRecords, states": lambda data: unveil.NoisyRecords(0.2, 0.1, testing=True).publish(data, default_rng(1)),
}


def _publish_tally(data: Any) -> Any:
    veil = unveil.GeometricMeanOperator(1.0, testing=True)
    return veil.publish_tally(veil.tally(data, top=1.0), default_rng(1))


def records(name: str, n: int) -> tuple[Array, Array]:
    """Zeros and ones, which every mechanism takes, with the labels that this one wants."""
    X = default_rng(0).integers(0, 2, (n, 3)).astype(float)
    X[:, 2] /= 1 if "Records" in name else 2  # not bounded by one in the 1-norm
    y = default_rng(1).integers(0, 2, n)
    return (X / 3, 2 * y - 1) if "MeanOperator" in name else (X, y)


@pytest.mark.parametrize("name", PUBLISHERS)
@given(data=st.data(), value=st.sampled_from(NEVER))
def test_a_number_that_is_none_is_refused_wherever_it_stands(name: str, data: st.DataObject, value: float) -> None:
    X, y = records(name, 12)
    X[data.draw(st.integers(0, 11)), data.draw(st.integers(0, 2))] = value
    cuts = sorted({0, 12, *data.draw(st.lists(st.integers(0, 12), max_size=3))})
    pieces = [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    for given_ in ((X, y), iter(pieces)):
        with pytest.raises(UnveilError, match="finite"):
            PUBLISHERS[name](given_)


@pytest.mark.parametrize("name", [name for name in PUBLISHERS if "Records" not in name])
def test_targets_are_numbers_as_well(name: str) -> None:
    X, y = records(name, 12)
    for value in NEVER:
        target = y.astype(float)
        target[7] = value
        with pytest.raises(UnveilError, match="finite"):
            PUBLISHERS[name]((X, target))


@pytest.mark.parametrize("name", PUBLISHERS)
def test_the_smallest_numbers_and_negative_zeros_count_as_zero(name: str) -> None:
    X, y = records(name, 12)
    X[3, 1] = 0.0
    expected = PUBLISHERS[name]((X, y))
    for value in TINY[: 1 if "states" in name else 2]:
        X[3, 1] = value
        release = PUBLISHERS[name]((X, y))
        for key, array in expected.arrays.items():
            np.testing.assert_allclose(release.arrays[key], array, atol=1e-300)


def test_a_batch_after_the_first_that_is_read_anew_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in arrays of more than a million numbers, which are cut into several batches."""
    monkeypatch.setattr(batches, "NUMBERS", 12)
    X, y = records("GeometricMeanOperator", 40)
    X[33, 0] = np.nan
    for publish in (PUBLISHERS["GeometricMeanOperator"], _publish_tally):
        with pytest.raises(UnveilError, match="finite"):
            publish((X, y))


def test_a_batch_that_was_refused_leaves_nothing_in_a_tally() -> None:
    X, y = records("GeometricMeanOperator", 9)
    tally = unveil.GeometricMeanOperator(1.0).tally((X, y), top=1.0)
    kept = tally.rows, tally.positive, tally.widest, tally.sums.tolist(), tally.seen.text
    hole = X.copy()
    hole[2, 1] = np.nan
    with pytest.raises(UnveilError, match="finite"):
        tally.take((hole, y))
    assert kept == (tally.rows, tally.positive, tally.widest, tally.sums.tolist(), tally.seen.text)


def test_the_kernel_itself_forgets_no_hole() -> None:
    """Even where nobody had looked: a later, smaller row does not hide the norm that is none."""
    from unveil.mechanisms.operator_tally import _tally
    from unveil.numerics.row_hashes import weights

    for place in range(4):
        X = np.ones((4, 2))
        X[place, 0] = np.nan
        widest = _tally(X, np.ones(4, bool), 1.0, 8.0, weights(2), np.zeros((2, 2)), np.zeros(2, np.uint64))
        assert np.isnan(widest)


@pytest.mark.parametrize("kind", ["null", "nan", "dask"])
@pytest.mark.parametrize("veil", ["GeometricMeanOperator", "ExactProducts"])
def test_shards_with_a_missing_value_are_refused(kind: str, veil: str, tmp_path: Path) -> None:
    """A null and a NaN are the same, in whichever shard."""
    mechanism = getattr(unveil, veil)(2.0, testing=True)
    X, y = records(veil, 20)
    shards: Any = []
    for k, rows in enumerate((slice(0, 10), slice(10, 20))):
        frame = pd.DataFrame(X[rows], columns=["a", "b", "c"]).assign(y=y[rows])
        if k == 1:
            frame.loc[4, "b"] = np.nan
        path = tmp_path / f"{k}.parquet"
        columns = {name: pa.array(frame[name].to_numpy(), from_pandas=kind != "nan") for name in frame}
        parquet.write_table(pa.table(columns), path)
        shards.append(path)
    if kind == "dask":
        frames = pytest.importorskip("dask.dataframe")
        shards = frames.from_pandas(pd.concat([pd.read_parquet(path) for path in shards], ignore_index=True), 2)
    public: list[dict[str, Any]] = [{}, {"top": 1.0}] if veil == "GeometricMeanOperator" else [{}]
    for top in public:
        with pytest.raises(UnveilError, match=r"finite|missing"):
            unveil.publish_shards(mechanism, shards, ["a", "b", "c"], "y", seed=1, **top)


@pytest.mark.parametrize("value", NEVER)
def test_counts_and_means_are_refused_likewise(value: float) -> None:
    with pytest.raises(UnveilError, match="finite"):
        unveil.GeometricCounts(1.0).publish([[5.0, value], [3.0, 4.0]])
    with pytest.raises(UnveilError, match=r"^values must .* finite"):
        unveil.GeometricMeans(1.0).release([[0.5], [value]], unveil.SecureGenerator())


@given(st.sampled_from([*NEVER, 2.0**53 + 2, -1e300]))
def test_nothing_but_a_whole_number_of_a_size_that_fits_becomes_one(value: float) -> None:
    with pytest.raises(UnveilError, match="finite"):
        as_whole(np.array([1.0, value]), "X")
    np.testing.assert_array_equal(as_whole(np.array([-3.0, 2.0**53]), "X"), [-3, 2**53])


def test_no_mechanism_casts_real_numbers_to_integers_itself() -> None:
    """A cast makes a large negative number of NaN without a word; with `same_kind` numpy refuses real numbers."""
    found = []
    for path in sorted(MECHANISMS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
                to = ast.unparse(node.args[0])
                named = to in {"float", "bool", "complex"} or "float" in to or to.endswith(".dtype")
                guarded = any(ast.unparse(word.value) == "'same_kind'" for word in node.keywords)
                found += [f"{path.name}: {ast.unparse(node)}"] * (not named and not guarded)
    assert found == []
