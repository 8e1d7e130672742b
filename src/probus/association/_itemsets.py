"""Frequent itemsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from scipy import sparse

from probus.association._apriori import apriori
from probus.association._baskets import Baskets
from probus.association._closed import closed_sets
from probus.association._depth_first import search_from
from probus.display import Cells, Picture, Result, counted, percent
from probus.display.drawing import BLUE, new_axes, tidy
from probus.errors import DataError
from probus.parallel import chunked, thread_count

_SHOWN = 20
_CHUNKS = 64  # first items are shared among threads in this many parts


@dataclass(frozen=True)
class Itemset:
    """A set of items.

    Attributes
    ----------
    items : the items.
    count : the number of baskets that hold them all.
    support : their share of all baskets.
    """

    items: tuple[Any, ...]
    count: int
    support: float


@dataclass(frozen=True, repr=False, eq=False)
class Itemsets(Result):
    """Frequent itemsets, by length, then in the order of their items: set s is ``items[starts[s]:starts[s + 1]]``.

    Attributes
    ----------
    labels : the items that the codes stand for.
    starts : where each set begins, and the end of the last.
    items : the codes of all sets, one after the other.
    counts : the number of baskets that hold each set.
    n_baskets : the number of baskets.
    min_support, kind, max_length : as of ``frequent_itemsets``.
    examined : how many sets of each length the search counted, which tests of rules are corrected for.
    """

    labels: tuple[Any, ...]
    starts: np.ndarray
    items: np.ndarray
    counts: np.ndarray
    n_baskets: int
    min_support: float
    kind: str
    max_length: int | None
    examined: np.ndarray

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, number: int) -> Itemset:
        number = range(len(self))[number]
        codes = self.items[self.starts[number] : self.starts[number + 1]]
        count = int(self.counts[number])
        return Itemset(tuple(self.labels[code] for code in codes), count, count / self.n_baskets)

    def __iter__(self) -> Iterator[Itemset]:
        return map(self.__getitem__, range(len(self)))

    @property
    def lengths(self) -> np.ndarray:
        """The number of items of each set."""
        return np.diff(self.starts)

    def of_length(self, length: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the sets with so many items, and their items as a matrix of codes."""
        numbers = np.flatnonzero(self.lengths == length)
        return numbers, self.items[self.starts[numbers][:, None] + np.arange(length)]

    def _rows(self) -> dict[str, Any]:
        names = np.array([str(label) for label in self.labels], dtype=object)[self.items]
        return {
            "items": [part.tolist() for part in np.split(names, self.starts[1:-1])] if len(self) else [],
            "length": self.lengths,
            "count": self.counts,
            "support": self.counts / self.n_baskets,
        }

    def _most_frequent(self, most: int) -> list[Itemset]:
        return [self[number] for number in np.lexsort((np.arange(len(self)), -self.counts))[:most]]

    def _parts(self) -> Iterator[Any]:
        sets = {"all": "frequent"}.get(self.kind, self.kind)
        yield (
            f"Itemsets: {len(self):,} {sets} in {counted(self.n_baskets, 'basket')} of "
            f"{counted(len(self.labels), 'item')}, support ≥ {self.min_support:g}"
        )
        if len(self):
            shown = self._most_frequent(len(self) if len(self) <= _SHOWN else _SHOWN)
            rows = [(percent(each.support), f"{each.count:,}", _join(each.items)) for each in shown]
            yield Cells([("support", "baskets", "items"), *rows], right=[0, 1], margin=2)
            if len(self) > _SHOWN:
                yield f"  … and {len(self) - _SHOWN:,} more: see to_frame()"
            yield Picture(self.plot)

    def plot(self, ax: Any = None, most: int = _SHOWN) -> Any:
        """Bars of the most frequent sets."""
        ax = new_axes(ax, 6.4, 4.8)
        shown = self._most_frequent(most)[::-1]
        ax.barh(range(len(shown)), [each.support for each in shown], color=BLUE, height=0.7)
        tidy(ax, f"{len(self):,} itemsets in {counted(self.n_baskets, 'basket')}", "support", "")
        ax.set_yticks(range(len(shown)), [_join(each.items) for each in shown], parse_math=False)
        ax.grid(visible=False, axis="y")
        return ax


def frequent_itemsets(
    data: Any,
    min_support: float = 0.1,
    *,
    max_length: int | None = None,
    kind: Literal["all", "closed", "maximal"] = "all",
    algorithm: Literal["depth_first", "apriori"] = "depth_first",
    max_itemsets: int = 1_000_000,
    basket: str | None = None,
    item: str | None = None,
    bins: int = 3,
    n_jobs: int | None = None,
) -> Itemsets:
    """The sets of items that at least a share ``min_support`` of the baskets holds.

    Parameters
    ----------
    data, basket, item, bins : lists of items, a Boolean frame, a long table, or a typed Table: see ``Baskets.of``.
    min_support : the least share of the baskets.
    max_length : the most items of a set, where ``kind`` is "all".
    kind : "closed" are the sets to which no item can be added without losing baskets (every other support follows from
        theirs), "maximal" those to which none can be added at all. Both are found without finding all.
    algorithm : "apriori" finds the same sets level by level, slowly.
    max_itemsets : more than so many are an error, and not hours of work.
    n_jobs : threads of the depth-first search.

    Returns
    -------
    The sets with their supports.

    Examples
    --------
    >>> baskets = [["bread", "milk"], ["bread", "butter", "milk"], ["bread", "butter"], ["milk"]]
    >>> frequent_itemsets(baskets, min_support=0.5)
    Itemsets: 5 frequent in 4 baskets of 3 items, support ≥ 0.5
      support  baskets  items
         75 %        3  bread
         75 %        3  milk
         50 %        2  butter
         50 %        2  bread, butter
         50 %        2  bread, milk
    """
    _check_settings(kind, algorithm, max_length, max_itemsets)
    baskets = Baskets.of(data, basket=basket, item=item, bins=bins)
    min_count = _smallest_count(min_support, baskets.n)
    frequent = _RankedBaskets.of(baskets, min_count)
    try:
        if kind != "all":
            found = _keep_closed(frequent, min_count, max_itemsets, kind == "maximal")
        else:
            search = _depth_first if algorithm == "depth_first" else _apriori
            found = search(frequent, min_count, max_length or len(baskets.labels), max_itemsets, n_jobs)
    except _TooManyError:
        raise DataError(
            f"more than {max_itemsets:,} {'frequent' if kind == 'all' else 'closed'} itemsets have a support of at "
            f"least {min_support:g}{', among which maximal ones are looked for' if kind == 'maximal' else ''}.",
            f"at most max_itemsets={max_itemsets:,}",
            "Raise min_support, " + "set max_length, use kind='closed' " * (kind == "all") + "or raise max_itemsets.",
        ) from None
    items, lengths, counts = _in_order(found, frequent.codes)
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return Itemsets(
        baskets.labels, starts, items, counts, baskets.n, float(min_support), kind, max_length, found.examined
    )


class _TooManyError(Exception):
    """There are more itemsets than the limit."""


@dataclass(frozen=True)
class _FoundItemsets:
    """Itemsets one behind the other, as ranks of items."""

    items: np.ndarray
    lengths: np.ndarray
    counts: np.ndarray
    examined: np.ndarray


@dataclass(frozen=True)
class _RankedBaskets:
    """The baskets with frequent items only, which are ranks, by rising frequency, into ``codes``."""

    codes: np.ndarray
    starts: np.ndarray
    items: np.ndarray

    @classmethod
    def of(cls, baskets: Baskets, min_count: int) -> _RankedBaskets:
        counts = np.bincount(baskets.items, minlength=len(baskets.labels))
        codes = np.lexsort((np.arange(len(counts)), counts))
        codes = codes[counts[codes] >= min_count]
        rank = np.full(len(counts), -1, dtype=np.int32)
        rank[codes] = np.arange(len(codes))
        ranks = rank[baskets.items]
        kept = ranks >= 0
        starts = np.concatenate([[0], np.cumsum(kept)])[baskets.starts]
        rows = sparse.csr_array((np.ones(starts[-1], np.int8), ranks[kept], starts), shape=(baskets.n, len(codes)))
        rows.sort_indices()
        return cls(codes, starts.astype(np.int64), rows.indices.astype(np.int32))

    def bits(self) -> np.ndarray:
        """The baskets of each item as bits."""
        return bit_rows(self.starts, self.items, len(self.codes))


def _depth_first(
    frequent: _RankedBaskets, min_count: int, longest: int, limit: int, n_jobs: int | None
) -> _FoundItemsets:
    n, d = len(frequent.starts) - 1, len(frequent.codes)
    rows = sparse.csr_array((np.arange(len(frequent.items)), frequent.items, frequent.starts), shape=(n, d))
    columns = rows.tocsc()
    holder_starts, holders, places = columns.indptr.astype(np.int64), columns.indices.astype(np.int64), columns.data

    def search(first: int, last: int) -> Any:
        return search_from(
            first, last, frequent.starts, frequent.items, holder_starts, holders, places, min_count, longest, limit + 1
        )

    threads = thread_count(n_jobs, 50.0 * len(frequent.items) * max(1, d) ** 0.5)
    parts = chunked(search, d, threads, chunk=-(-d // _CHUNKS)) if d else []
    if any(part[4] for part in parts) or sum(len(part[1]) for part in parts) > limit:
        raise _TooManyError
    items, lengths, counts = (
        np.concatenate([nothing, *(part[i] for part in parts)]) for i, nothing in enumerate(_nothing())
    )
    return _FoundItemsets(items, lengths, counts, sum((part[3] for part in parts), np.zeros(d + 2, dtype=np.int64)))


def _apriori(frequent: _RankedBaskets, min_count: int, longest: int, limit: int, n_jobs: int | None) -> _FoundItemsets:
    table, examined, over = apriori(frequent.bits(), min_count, longest, limit)
    if over:
        raise _TooManyError
    flat = np.fromiter(chain.from_iterable(table), np.int32)
    return _FoundItemsets(flat, np.fromiter(map(len, table), np.int32), np.fromiter(table.values(), np.int64), examined)


def _keep_closed(frequent: _RankedBaskets, min_count: int, limit: int, only_maximal: bool) -> _FoundItemsets:
    none = np.zeros(1, dtype=np.int64)
    if len(frequent.codes) == 0:
        return _FoundItemsets(*_nothing(), none)
    items, lengths, counts, maximal, over = closed_sets(frequent.bits(), len(frequent.starts) - 1, min_count, limit + 1)
    if over or len(counts) > limit:
        raise _TooManyError
    if only_maximal:
        items, lengths, counts = items[np.repeat(maximal, lengths)], lengths[maximal], counts[maximal]
    return _FoundItemsets(items, lengths, counts, none)


def _nothing() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64)


def _in_order(found: _FoundItemsets, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes in place of ranks, ascending within a set; sets by length, then by their items."""
    starts = np.cumsum(found.lengths, dtype=np.int64) - found.lengths
    items, lengths, counts = ([part] for part in _nothing())
    for length in np.unique(found.lengths):
        numbers = np.flatnonzero(found.lengths == length)
        matrix = np.sort(codes[found.items[starts[numbers][:, None] + np.arange(length)]], axis=1).astype(np.int32)
        order = np.lexsort(matrix.T[::-1])
        items.append(matrix[order].ravel())
        lengths.append(found.lengths[numbers])
        counts.append(found.counts[numbers][order])
    return np.concatenate(items), np.concatenate(lengths), np.concatenate(counts)


def _smallest_count(min_support: float, n: int) -> int:
    """The smallest number of baskets whose share reaches the support."""
    if not 0 < min_support <= 1:
        raise DataError(
            f"min_support={min_support}.",
            "a share of the baskets, above 0 and at most 1",
            f"A number of baskets divided by {n:,} is one.",
        )
    count = max(1, int(np.ceil(min_support * n)))
    return count - 1 if count > 1 and (count - 1) / n >= min_support else count


def _check_settings(kind: str, algorithm: str, max_length: int | None, max_itemsets: int) -> None:
    for name, value, choices in (
        ("kind", kind, ("all", "closed", "maximal")),
        ("algorithm", algorithm, ("depth_first", "apriori")),
    ):
        if value not in choices:
            raise DataError(f"{name}={value!r}.", f"one of {', '.join(choices)}")
    if max_length is not None and (max_length < 1 or kind != "all"):
        raise DataError(f"max_length={max_length} with kind={kind!r}.", "a length of at least 1, with kind='all'")
    if max_itemsets < 1:
        raise DataError(f"max_itemsets={max_itemsets}.", "at least 1")


def _join(items: tuple[Any, ...]) -> str:
    return ", ".join(str(item) for item in items)


# -- sets of baskets as bits, 64 to a word -------------------------------------------------------------


def bit_rows(starts: np.ndarray, items: np.ndarray, n_items: int) -> np.ndarray:
    """For each item the set of its baskets, uint64[items, words]."""
    n = len(starts) - 1
    bits = np.zeros((n_items, -(-n // 64)), dtype=np.uint64)
    owner = np.repeat(np.arange(n), np.diff(starts))
    np.bitwise_or.at(bits, (items, owner >> 6), np.uint64(1) << (owner & 63).astype(np.uint64))
    return bits
