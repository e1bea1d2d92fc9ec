"""Sums over shards of a table, in this process or on many machines: the same tree of merges, the same result.

Each shard is worked on by itself; what comes of it, a release or a fitted model, is merged with its neighbour's, and so
on in a tree that depends on the number of shards alone. Which process does what, and what had to be done again because
a worker was lost, changes nothing.

**Where noise is added is the guarantee.** A mechanism with local privacy noises every record on its own, so each shard
is published where it lies and nothing in the clear leaves it. A mechanism that noises a sum must see the sum: its
shards send sums in the clear to whoever merges them, who must be as trusted as the owner, and noise is drawn once, at
the end. Noising each shard's sum would be private, too, with the variance of as many noises as there are shards.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.random import default_rng

from unveil.errors import UnveilError, is_whole, require
from unveil.protocols.base import Budget, Release
from unveil.tables import ROWS, Table, matrix
from unveil.types import Array, require_finite

if TYPE_CHECKING:
    from distributed import Client

#: CSV or Parquet files, or a Dask dataframe, whose partitions are the shards.
Shards: TypeAlias = "Sequence[str | Path] | Any"
#: What an estimator or a mechanism takes at a time.
Batch: TypeAlias = tuple[Array, ...]
#: What comes of a shard, and has `merge`; what has `partial_fit`, too.
Part = TypeVar("Part")
Estimator = TypeVar("Estimator")
#: From a shard to its batches.
Reader: TypeAlias = Callable[[Any], Iterator[Batch]]


def publish_shards(
    mechanism: Any,
    shards: Shards,
    features: Sequence[str],
    target: str,
    *,
    seed: int | None = None,
    client: Client | None = None,
    rows: int = ROWS,
    ledger: Budget | None = None,
    records: str = "",
    **how: Any,
) -> Release:
    """Publish a table in shards as one release.

    Parameters
    ----------
    mechanism : CoordinateRelease, PerValueRelease, ExactProducts, NoisyRecords, GeometricMeanOperator or ExactMoments
        The last two noise the sum of all shards, once, in this process; the others every record on its own.
    shards : sequence of paths, or dask.dataframe.DataFrame
        CSV or Parquet files, or the partitions of a Dask dataframe.
    features, target : sequence of str, str
        The columns.
    seed : int, optional
        For simulation: each shard that is noised draws from a generator of its own. By default the operating system's
        randomness, which mechanisms with floating-point noise refuse.
    client : dask.distributed.Client, optional
        Where to work; by default in this process.
    rows : int
        How many rows are read at a time.
    ledger, records
        As for `publish`: the level of all shards together is noted, once.
    **how
        Further arguments of the mechanism's `publish`; for a mean operator also `top`, the largest size of a feature,
        which is public. Without it the shards are read once more, to find it.

    Returns
    -------
    Release
        About all records. The same bytes for a seed, wherever and in however many processes it was made.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from pathlib import Path
    >>> from unveil import CoordinateRelease, MomentRegression, publish_shards
    >>> X = np.random.default_rng(0).random((100_000, 2))
    >>> rows = np.column_stack([X, X @ [0.7, 0.2]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("0.csv", "1.csv")]
    ...     for path, part in zip(paths, np.split(rows, 2)):
    ...         np.savetxt(path, part, delimiter=",", header="a,b,y", comments="")
    ...     release = publish_shards(CoordinateRelease(12.0), paths, ["a", "b"], "y", seed=1)
    >>> release.records, MomentRegression().fit(release).coef_.round(1)
    (100000, array([0.7, 0.2]))
    """
    require(seed is None or (is_whole(seed) and seed >= 0), f"seed must be a whole number, at least 0, not {seed!r}")
    read = partial(_read_batches, tuple(features), target, rows)
    if hasattr(mechanism, "publish_tally"):
        # Noise on the sum of all shards, once. The grid is public, and must be the same for all of them.
        if "top" in signature(mechanism.tally).parameters:
            how["top"] = how.pop("top", None) or float(sum_over(shards, partial(_find_largest, read), client)) or None
        tally = sum_over(shards, partial(_tally_shard, mechanism, read, how), client)
        release: Release = mechanism.publish_tally(tally, None if seed is None else default_rng(seed))
    else:
        local, name = getattr(mechanism, "local", False), type(mechanism).__name__
        require(local, f"mechanism must noise every record on its own, or tally: {name} noises a sum")
        release = sum_over(shards, partial(_publish_shard, mechanism, read, seed, how), client)
    return release.charge(ledger, records)


def fit_shards(
    estimator: Estimator,
    shards: Shards,
    features: Sequence[str],
    target: str,
    *,
    client: Client | None = None,
    rows: int = ROWS,
) -> Estimator:
    r"""Fit an estimator whose fit is a sum: `partial_fit` on the batches of each shard, then `merge`.

    Parameters
    ----------
    estimator : MomentRegression or LinearMoments
        Not changed: what is fitted is a copy.
    shards, features, target, client, rows
        As for `publish_shards`; without features the target alone is what is fitted to, in whole numbers.

    Returns
    -------
    estimator
        Fitted to all records.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unveil import LinearMoments, fit_shards, randomized_response_matrix
    >>> model = LinearMoments([[0], [1]], randomized_response_matrix(2, 0.5))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     for path, answers in zip(paths, ("1 1 0 1", "1 0 1")):
    ...         _ = path.write_text("answer\n" + answers.replace(" ", "\n") + "\n")
    ...     fit_shards(model, paths, [], "answer").counts_
    array([[2., 5.]])
    """
    require(hasattr(estimator, "partial_fit"), f"estimator must have partial_fit: {type(estimator).__name__} is no sum")
    read = partial(_read_batches, tuple(features), target, rows)
    model: Estimator = sum_over(shards, partial(_fit_shard, estimator, read), client)
    return model


def sum_over(shards: Shards, work: Callable[[int, Any], Part | None], client: Client | None = None) -> Part:
    """Work on every shard, and merge what comes of them two by two, in a tree that is always the same.

    Parameters
    ----------
    shards : sequence, or dask.dataframe.DataFrame
        Anything, paths for example; or a dataframe, whose partitions come as pandas dataframes.
    work : callable
        From the number of a shard and the shard to something that has `merge(other)`, or to None, which adds nothing.
        On a cluster it must be possible to pickle it, and it may be called twice for a shard when a worker is lost: so
        the same must come of it each time, or, of an unseeded release, something as good.
    client : dask.distributed.Client, optional
        Where to work; by default in this process, one shard after the other, of which no more than the logarithm of
        their number is held in memory.

    Returns
    -------
    Whatever `work` returns, merged.

    Examples
    --------
    >>> from unveil import LinearMoments, randomized_response_matrix, sum_over
    >>> def fit(number, answers):
    ...     return LinearMoments([[0], [1]], randomized_response_matrix(2, 0.5)).partial_fit(answers)
    >>> sum_over([[0, 1, 1], [1], []], fit).counts_
    array([[1., 3.]])
    """
    start = _work_on_partitions if hasattr(shards, "to_delayed") else _work_on_files
    merge = _merge if client is None else partial(client.submit, _merge, pure=False)
    total = _merge_all(start(shards, work, client), merge)
    result = total if client is None or total is None else total.result()
    require(result is not None, "shards must hold at least one record")
    return cast(Part, result)


@contextmanager
def cluster(workers: int) -> Iterator[Client]:
    """Dask on this machine: so many processes of one thread each, until the end of the block.

    Parameters
    ----------
    workers : int
        How many.

    Returns
    -------
    context manager of dask.distributed.Client
        What `publish_shards`, `fit_shards` and `sum_over` take as `client`.

    Examples
    --------
    >>> from unveil import cluster
    >>> with cluster(2) as client:  # doctest: +SKIP
    ...     publish_shards(mechanism, paths, ["a", "b"], "y", client=client)
    """
    require(is_whole(workers) and workers >= 1, f"workers must be a whole number, at least 1, not {workers!r}")
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise UnveilError("Dask is missing, which several processes need: pip install 'unveil[dask]'") from error
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as processes,
        distributed.Client(processes) as client,
    ):
        yield client


def _work_on_files(shards: Iterable[Any], work: Callable[[int, Any], Any], client: Client | None) -> Iterator[Any]:
    require(not isinstance(shards, str | Path), "shards must be several: put a single one into a list")
    for number, shard in enumerate(shards):
        # Never pure: the same mechanism on the same shard draws anew.
        yield work(number, shard) if client is None else client.submit(work, number, shard, pure=False)


def _work_on_partitions(frame: Any, work: Callable[[int, Any], Any], client: Client | None) -> Iterator[Any]:
    """The partitions of a Dask dataframe, each made and used up where it is worked on."""
    delayed: Any = import_module("dask").delayed
    for number, part in enumerate(frame.to_delayed()):
        leaf = delayed(work, pure=False)(number, part)
        yield leaf.compute(scheduler="synchronous") if client is None else cast(Any, client).compute(leaf)


def _merge_all(leaves: Iterable[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Neighbours first, then pairs of neighbours, and so on; what has no neighbour waits for the next round."""
    waiting: list[tuple[int, Any]] = []
    for leaf in leaves:
        level, value = 0, leaf
        while waiting and waiting[-1][0] == level:
            level, value = level + 1, merge(waiting.pop()[1], value)
        waiting.append((level, value))
    if not waiting:
        return None
    _, total = waiting.pop()
    while waiting:
        total = merge(waiting.pop()[1], total)
    return total


def _merge(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    # A copy: a model merges into itself, and a worker may be asked for the same merge again.
    return copy.deepcopy(one).merge(other)


def _publish_shard(
    mechanism: Any, read: Reader, seed: int | None, how: dict[str, Any], number: int, shard: Any
) -> Release | None:
    batches = read(shard)
    first = next(batches, None)
    if first is None:
        return None
    rng = None if seed is None else default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    release: Release = mechanism.publish(chain([first], batches), rng, **how)
    return release


def _tally_shard(mechanism: Any, read: Reader, how: dict[str, Any], _: int, shard: Any) -> Any:
    tally = mechanism.tally(read(shard), **how)
    return tally if tally.rows else None


class _Largest(float):
    def merge(self, other: _Largest) -> _Largest:
        return max(self, other)


def _find_largest(read: Reader, _: int, shard: Any) -> _Largest:
    return _Largest(max((float(np.abs(X).max(initial=0)) for X, _ in read(shard)), default=0.0))


def _fit_shard(estimator: Any, read: Reader, _: int, shard: Any) -> Any:
    from sklearn.base import clone

    model = clone(estimator)
    for batch in read(shard):
        model.partial_fit(*batch)
    return model


def _read_batches(features: tuple[str, ...], target: str, rows: int, shard: Any) -> Iterator[Batch]:
    """Those of a file, or of a pandas dataframe, which is one batch."""
    parts: Iterable[Any] = [shard]
    if isinstance(shard, str | Path):
        kind = "number" if features else "whole"
        parts = Table(shard, rows).read(dict.fromkeys([*features, target], kind))
    for part in parts:
        if len(part[target]):
            own = np.asarray(part[target])
            batch = (matrix([np.asarray(part[name]) for name in features]), own) if features else (own,)
            for name, numbers in zip((*["X"] * bool(features), "y"), batch, strict=True):
                require_finite(numbers, name)
            yield batch
