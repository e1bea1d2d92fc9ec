"""Inner products of kernel means: of all pairs of bags, and of bags with single points or test sets.

k(x, y) = exp(−|x − y|²/(2s²)), for all bandwidths s in one pass over the pairs. The precision follows the
data: float32 points take the fast path of `kernel_sums`, everything else, sparse matrices among it, is computed in
double precision.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse, vstack

from unveil.errors import require
from unveil.estimators.bags.kernel_sums import Plan, add_block, add_block_double, plan_widths
from unveil.types import Array, as_numbers, as_reals, require_moderate

#: The paper's range of bandwidths, section 4.2.
BANDWIDTHS = tuple(2.0**k for k in range(-5, 6))
#: Rows and columns of one block of inner products: 4 MiB in float32.
_BLOCK = 1024
#: At most this share of the coordinates of thin points is not zero: beyond some 0.1 a dense product is the faster one.
_SHARE = 0.05
#: The largest coordinates: their squares are finite in double and in single precision.
_MOST, _MOST_SINGLE = 1e100, 1e15
#: The range of bandwidths whose squares are normal numbers in single precision.
_NARROWEST, _WIDEST = 1e-15, 1e15


@dataclass(frozen=True)
class Cloud:
    """Points of several sets one after the other, with their squared norms; centred unless few are not zero."""

    points: Array  #: or a sparse matrix
    squares: Array
    starts: Array  #: the first point of each set, and the end
    thin: Any = None  #: stored points as a sparse matrix, where few coordinates are not zero

    @property
    def sizes(self) -> Array:
        """The number of points of each set."""
        return np.diff(self.starts)


def gather(bags: Sequence[ArrayLike], queries: Sequence[ArrayLike] = ()) -> Cloud:
    """All points of bags and queries as one cloud, in float32 if that is what they are."""
    sets = check_points(bags, "bags", keep_sparse=True)
    require(len(sets) > 0, "bags must not be empty")
    return as_cloud([*sets, *check_points(queries, "queries", sets[0].shape[1], keep_sparse=True)])


def as_cloud(sets: Sequence[Array]) -> Cloud:
    """`gather` for sets that were checked."""
    starts = np.cumsum([0, *(points.shape[0] for points in sets)])
    if any(map(issparse, sets)):
        rows: Any = vstack([csr_array(points, dtype=float) for points in sets], format="csr")
        return Cloud(rows, np.asarray(rows.multiply(rows).sum(axis=1)).ravel(), starts)
    single = all(points.dtype == np.float32 for points in sets)
    together = np.concatenate(sets)
    thin = thin_out(together) if single else None
    if thin is not None:
        return Cloud(together, np.square(thin.astype(float)).sum(axis=1).astype(np.float32), starts, thin)
    points = centre(together if single else together.astype(float, copy=False), starts)
    return Cloud(points, np.einsum("ij,ij->i", points, points, dtype=float).astype(points.dtype), starts)


def thin_out(points: Array) -> Any:
    """The same points as a sparse matrix in rows where few coordinates are not zero, as in text; else None."""
    there = points != 0  # truths are found several times as fast as numbers, which scipy would look for
    if not points.size or np.count_nonzero(there) > _SHARE * points.size:
        return None
    rows, columns = np.divmod(np.flatnonzero(there), points.shape[1])
    return csr_array((points[rows, columns], (rows, columns)), shape=points.shape)


def centre(points: Array, starts: Array) -> Array:
    """Points of sets that begin at `starts`, around the mean of all: the smaller their norms, the less cancels.

    Coordinates that are the same everywhere, like the edge of an image, say nothing of any distance: they are left out.
    """
    sums = np.sum([points[a:b].sum(axis=0, dtype=float) for a, b in pairwise(starts)], axis=0)
    moving = points.max(axis=0) > points.min(axis=0)
    centred = points.compress(moving, axis=1)
    centred -= (sums / len(points))[moving].astype(points.dtype)
    return centred


def as_bags(bags: object, name: str) -> list[Array]:
    """Each bag as an array of real numbers; anything but a sequence of bags is an error."""
    several = isinstance(bags, Sequence) and not isinstance(bags, str | bytes)
    require(several or (isinstance(bags, np.ndarray) and bags.ndim > 0), f"{name} must be a list of matrices of points")
    return [as_points(bag, f"{name}[{k}]") for k, bag in enumerate(cast("Sequence[ArrayLike]", bags))]


def as_points(points: Any, name: str) -> Array:
    """Real numbers in their own precision, or a sparse matrix of them in rows."""
    if not issparse(points):
        return as_reals(points, name)
    require(points.dtype.kind in "fiub", f"{name} must hold numbers, not {points.dtype}")
    return cast(Array, csr_array(points))


def check_points(bags: object, name: str, features: int | None = None, keep_sparse: bool = False) -> list[Array]:
    """Each bag as a matrix of at least one point, with this many features or all with the same number."""
    sets: list[Any] = as_bags(bags, name)
    if not keep_sparse:
        sets = [points.toarray() if issparse(points) else points for points in sets]
    for k, points in enumerate(sets):
        one = f"{name}[{k}]"
        require(points.ndim == 2 and points.shape[1] >= 1, f"{one} must be a matrix of points")
        require(points.shape[0] > 0, f"{one} must hold at least one point")
        wanted = sets[0].shape[1] if features is None else features
        require(points.shape[1] == wanted, f"{one} must have as many features as the first bag: {wanted}")
        values = points.data if issparse(points) else points
        require_moderate(np.asarray(values), one, _MOST_SINGLE if points.dtype == np.float32 else _MOST)
    return sets


def product_blocks(cloud: Cloud, rows: slice, columns: slice) -> Iterator[tuple[slice, slice, Array]]:
    """The inner products of two ranges of points, block by block in one buffer: the bare GEMMs."""
    buffer = np.empty(_BLOCK * _BLOCK, dtype=cloud.points.dtype)
    factors: Any = cloud.points if cloud.thin is None else cloud.thin
    blocks = [slice(left, min(left + _BLOCK, columns.stop)) for left in range(columns.start, columns.stop, _BLOCK)]
    # A sparse matrix is turned once; what is stored is turned by its strides.
    turned = [factors[across].T.tocsr() if issparse(factors) else factors[across].T for across in blocks]
    for top in range(rows.start, rows.stop, _BLOCK):
        down = slice(top, min(top + _BLOCK, rows.stop))
        for across, right in zip(blocks, turned, strict=True):
            shape = (down.stop - top, across.stop - across.start)
            out = buffer[: shape[0] * shape[1]].reshape(shape)
            if issparse(factors):
                yield down, across, (factors[down] @ right).toarray(out=out)
            else:
                yield down, across, np.matmul(factors[down], right, out=out)


def kernel_column_sums(cloud: Cloud, edges: Sequence[int], columns: slice, plan: Plan) -> Array:
    """Σ_x k_s(x, y) over the rows between two edges, for every y in columns: (widths, rows between edges, columns)."""
    sums = np.zeros((len(plan[0]), len(edges) - 1, columns.stop - columns.start))
    for down, across, products in product_blocks(cloud, slice(edges[0], edges[-1]), columns):
        target = slice(across.start - columns.start, across.stop - columns.start)
        y, y2 = cloud.points[across], cloud.squares[across]
        for k in range(bisect_right(edges, down.start) - 1, bisect_left(edges, down.stop)):
            rows = slice(max(edges[k], down.start), min(edges[k + 1], down.stop))
            part, x2 = products[rows.start - down.start : rows.stop - down.start], cloud.squares[rows]
            shift, out = rows.start - across.start, sums[:, k, target]
            if cloud.points.dtype == np.float32:
                add_block(part, cloud.points[rows], y, x2, y2, shift, plan, out)
            else:
                add_block_double(part, x2, y2, shift, plan, out)
    return sums


def _group_sets(starts: Array) -> Iterator[tuple[int, int, list[int]]]:
    """Sets next to each other that fill one block of rows together, or a larger one: first, stop, and their edges."""
    edges, first = starts.tolist(), 0
    while first < len(edges) - 1:
        stop = max(bisect_right(edges, edges[first] + _BLOCK) - 1, first + 1)
        yield first, stop, edges[first : stop + 1]
        first = stop


def mmd_gram(
    bags: Sequence[ArrayLike], bandwidths: ArrayLike = BANDWIDTHS, queries: Sequence[ArrayLike] = ()
) -> tuple[Array, Array]:
    """⟨Φ̂_i, Φ̂_j⟩ of all pairs of bags, and ⟨Φ̂_i, Φ̂_U⟩ of all bags and queries (Iyer et al. 2016, equation 5).

    Φ̂ is the mean of a set's points under the kernel exp(−|x − y|²/(2s²)).

    Parameters
    ----------
    bags, queries : sequence of array-like of shape (n_points, n_features)
        The sets, each a matrix of points; if all are float32, so is the arithmetic.
    bandwidths : array-like
        The bandwidths s; the paper's 2⁻⁵ … 2⁵ by default.

    Returns
    -------
    gram : ndarray of shape (n_bandwidths, n_bags, n_bags)
        The inner products among the bags.
    cross : ndarray of shape (n_bandwidths, n_bags, n_queries)
        Those of the bags with the queries.

    See Also
    --------
    MMDClassRatio : class ratios from these products.

    Examples
    --------
    >>> from unveil import mmd_gram
    >>> gram, cross = mmd_gram([[[0.0], [1.0]], [[2.0]]], bandwidths=[1.0], queries=[[[0.0]]])
    >>> gram.round(3)
    array([[[0.803, 0.371],
            [0.371, 1.   ]]])
    >>> cross.round(3)
    array([[[0.803],
            [0.135]]])
    """
    widths, cloud = check_bandwidths(bandwidths), gather(bags, queries)
    gram, cross, _ = _products(cloud, cloud.starts, len(bags), widths, np.empty((0, 0)))
    return gram, cross


def mixture_gram(
    bags: Sequence[ArrayLike],
    queries: Sequence[ArrayLike],
    points: ArrayLike,
    weights: Array,
    bandwidths: ArrayLike = BANDWIDTHS,
) -> tuple[Array, Array, Array]:
    """`mmd_gram`, and the same of the bags and sets that share points, as (bandwidths, bags, sets).

    `weights`, (points, sets), says how much of each set a point is. Bags and points are met once for all of it.
    """
    widths, cloud = check_bandwidths(bandwidths), gather(bags, [*queries, points])
    return _products(cloud, cloud.starts[:-1], len(bags), widths, weights)


def _products(cloud: Cloud, starts: Array, bags: int, widths: Array, weights: Array) -> tuple[Array, Array, Array]:
    """What `mixture_gram` says of sets that begin at `starts`, the first of which are bags; then come the points."""
    end, sizes = int(starts[-1]), np.diff(starts)
    plan = plan_widths(widths, cloud.points.dtype.type)
    total = np.empty((len(widths), bags, len(sizes)))
    mixed = np.empty((len(widths), bags, weights.shape[1]))
    for first, stop, edges in _group_sets(starts[: bags + 1]):
        sums = kernel_column_sums(cloud, edges, slice(edges[0], end + len(weights)), plan)
        own, rest = np.split(sums, [end - edges[0]], axis=2)
        total[:, first:stop, first:] = np.add.reduceat(own, starts[first:-1] - edges[0], axis=2)
        mixed[:, first:stop] = rest @ weights
        for i in range(first, stop):
            total[:, i:bags, i] = total[:, i, i:bags]
    total /= sizes[:bags, None] * sizes
    mixed /= sizes[:bags, None]
    return total[:, :, :bags], total[:, :, bags:], mixed


def cross_products(bags: Sequence[Array], queries: Sequence[Array], widths: Array) -> Array:
    """⟨Φ̂_i, Φ̂_U⟩ of bags and queries alone, as (widths, bags, queries); all of them were checked.

    Queries are the rows, some sets at a time: bags, of which there may be thousands, are then one long row of columns.
    """
    cloud, first = as_cloud([*bags, *queries]), len(bags)
    columns, plan = slice(0, int(cloud.starts[first])), plan_widths(widths, cloud.points.dtype.type)
    totals = np.empty((len(widths), first, len(queries)))
    for start, stop, edges in _group_sets(cloud.starts[first:]):
        sums = kernel_column_sums(cloud, edges, columns, plan)
        totals[:, :, start:stop] = np.add.reduceat(sums, cloud.starts[:first], axis=2).swapaxes(1, 2)
    return np.asarray(totals / (cloud.sizes[:first, None] * cloud.sizes[first:]))


def mean_similarities(bags: Sequence[ArrayLike], points: ArrayLike, bandwidths: ArrayLike = BANDWIDTHS) -> Array:
    """⟨Φ̂_i, Φ(x)⟩ of every bag with every single point, as (bandwidths, bags, points).

    Averages over points give ⟨Φ̂_i, Φ̂_U⟩ of any set U made of them, so test sets that share points share
    the work.
    """
    widths, cloud, first = check_bandwidths(bandwidths), gather(bags, [points]), len(bags)
    columns = slice(int(cloud.starts[first]), int(cloud.starts[-1]))
    plan = plan_widths(widths, cloud.points.dtype.type)
    means = np.empty((len(widths), first, columns.stop - columns.start))
    for start, stop, edges in _group_sets(cloud.starts[: first + 1]):
        means[:, start:stop] = kernel_column_sums(cloud, edges, columns, plan)
    means /= cloud.sizes[:first, None]
    return means


def stack_points(bags: Sequence[Array]) -> Any:
    """The points of all bags in one matrix, sparse if one of them is."""
    return vstack(bags, format="csr") if any(map(issparse, bags)) else np.concatenate(bags)


def median_distance(bags: Sequence[Array]) -> float:
    """The median distance of a few points of every bag: at most 500 in all, evenly spaced."""
    points = stack_points(bags)
    some = points[:: max(1, points.shape[0] // 500)]
    some = (some.toarray() if issparse(some) else some).astype(float)
    squares = (some**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * some @ some.T
    apart = distances[np.triu_indices(len(some), 1)]
    return float(np.sqrt(max(np.median(apart), 1e-12))) if len(apart) else 1.0


def check_bandwidths(bandwidths: ArrayLike) -> Array:
    """Bandwidths as a vector, or an error."""
    widths = as_numbers(bandwidths, "bandwidths")
    require(widths.ndim == 1 and len(widths) > 0, "bandwidths must be a vector of at least one")
    require(
        ((widths >= _NARROWEST) & (widths <= _WIDEST)).all(),
        f"bandwidths must be positive and finite: between {_NARROWEST:g} and {_WIDEST:g}",
    )
    return widths
