"""Which neighbours vote on each query, where several rows are as near as the k-th."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import Protocol

import numpy as np

_SAME = 1e-9  # distances that agree to nine digits are equal: 6.5 − 6.4 and 3.0 − 2.9 differ in the fifteenth
_CELLS = 2**22  # of a block of neighbours, 32 MB of distances


@dataclass(frozen=True)
class Voters:
    """The neighbours of some queries: distances, rows, and the part of a vote that each has; all 1 where None.

    each : which of the neighbourhoods each query has; equal queries have the same.
    """

    queries: np.ndarray
    distances: np.ndarray
    rows: np.ndarray
    parts: np.ndarray | None = None
    each: np.ndarray | EllipsisType = ...


class Neighbourhood(Protocol):
    """Finds rows near queries that are given by their numbers, all of them where None."""

    n_queries: int
    n_rows: int

    def nearest(self, some: np.ndarray | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and rows of the k nearest, queries × k, ascending."""

    def distances(self, some: np.ndarray) -> np.ndarray | None:
        """The distance to every row, NaN where it is the query itself; None where only ``nearest`` is available."""

    def distinct(self, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some of the queries, without those known to have the same neighbours, and for each which of these it has."""


def voters(near: Neighbourhood, k: int, rule: str, rng: np.random.RandomState) -> Iterator[Voters]:
    """Blocks of queries with their voters; every query is in one block.

    ``"share"`` divides the votes left for the rows as near as the k-th among all of these; ``"all"`` gives each a full
    vote; ``"random"`` draws among them; ``"first"`` takes the rows found first. One neighbour more than k shows whether
    there are ties; only queries with ties are searched again, equal ones once, and only those with many are compared
    with every row.
    """
    everyone = np.arange(near.n_queries)
    distances, rows = near.nearest(None, k if rule == "first" else max(k, min(k + 1, near.n_rows)))
    if rows.shape[1] == k:
        yield Voters(everyone, distances, rows)
        return
    limits = distances[:, k - 1 : k]
    tied = distances[:, k] <= limits[:, 0] * (1 + _SAME)
    if not tied.all():
        yield Voters(everyone[~tied], distances[~tied, :k], rows[~tied, :k])
    queries, width = everyone[tied], k + 1
    first, group = near.distinct(queries) if rule != "random" else (queries, np.arange(len(queries)))
    pending = np.arange(len(first))
    while pending.size:
        width = min(4 * width, near.n_rows)
        incomplete = []
        for block in _blocks(pending, width):
            distances, rows = near.nearest(first[block], width)
            limit = limits[first[block]]
            complete = (distances[:, -1] > limit[:, 0] * (1 + _SAME)) | (width == near.n_rows)
            if complete.any():
                parts = _parts(distances[complete], limit[complete], k, rule, rng)
                of, each = _members(block[complete], group)
                yield Voters(queries[of], distances[complete], rows[complete], parts, each)
            incomplete.append(block[~complete])
        pending = np.concatenate(incomplete)
        for block in _blocks(pending, near.n_rows):
            away = near.distances(first[block])
            if away is None:
                break
            limit = limits[first[block]]
            distances, rows = _within(away, limit)
            of, each = _members(block, group)
            yield Voters(queries[of], distances, rows, _parts(distances, limit, k, rule, rng), each)
        else:
            return


def _members(block: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The members of the groups of a block, and the place of the group of each in the block.

    >>> _members(np.array([2, 0]), np.array([0, 1, 2, 0]))
    (array([0, 2, 3]), array([1, 0, 1]))
    """
    place = np.full(group.max() + 1, -1)
    place[block] = np.arange(len(block))
    members = np.flatnonzero(place[group] >= 0)
    return members, place[group[members]]


def _blocks(queries: np.ndarray, width: int) -> list[np.ndarray]:
    return np.array_split(queries, -(-queries.size * width // _CELLS)) if queries.size else []


def _within(away: np.ndarray, limits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances and rows no further than the limit of each query, ascending; padded at distance infinity.

    >>> _within(np.array([[5.0, 2.0, 1.0], [1.0, 1.0, 9.0]]), np.array([[1.0], [1.0]]))
    (array([[ 1., inf],
           [ 1.,  1.]]), array([[2, 0],
           [0, 1]]))
    """
    near = away <= limits * (1 + _SAME)
    counts = near.sum(axis=1)
    queries, found = np.nonzero(near)
    place = np.arange(len(found)) - np.repeat(np.cumsum(counts) - counts, counts)
    distances = np.full((len(away), counts.max()), np.inf)
    rows = np.zeros(distances.shape, dtype=np.int64)
    distances[queries, place], rows[queries, place] = away[near], found
    order = np.argsort(distances, axis=1, kind="stable")
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(rows, order, axis=1)


def _parts(distances: np.ndarray, limits: np.ndarray, k: int, rule: str, rng: np.random.RandomState) -> np.ndarray:
    """The part of a vote of each neighbour; ``limits`` are the distances of the k-th.

    >>> _parts(np.array([[1.0, 2.0, 2.0, 2.0, 3.0]]), np.array([[2.0]]), 2, "share", np.random).round(2)
    array([[1.  , 0.33, 0.33, 0.33, 0.  ]])
    """
    nearer = distances < limits * (1 - _SAME)
    as_near = ~nearer & (distances <= limits * (1 + _SAME))
    if rule == "all":
        return (nearer | as_near).astype(np.float64)
    if rule == "random":
        lot = np.where(nearer, -1.0, np.where(as_near, rng.random_sample(distances.shape), 2.0))
        return (lot.argsort(axis=1).argsort(axis=1) < k).astype(np.float64)
    left = k - nearer.sum(axis=1, keepdims=True)
    return np.where(nearer, 1.0, as_near * (left / as_near.sum(axis=1, keepdims=True)))
