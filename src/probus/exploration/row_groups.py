"""Groups of rows: how many there are, whether they come back, and what sets each apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any

import numpy as np

from probus.cluster import ClusterProfiles, KMedoids, describe_clusters, stability
from probus.data import Table
from probus.display import Cells, Result, counted, figure, percent
from probus.exploration.fair_distance import FairDistance
from probus.exploration.group_search import FEWEST_ROWS, GroupSearch, search_groups
from probus.exploration.related_columns import grouping_columns

__all__ = ["Group", "Groups", "find_groups"]

_SAMPLES = 20  # bootstrap samples
_STABLE, _DOUBTFUL = 0.75, 0.6  # mean Jaccard similarity (Hennig 2007)
_TRIED = 3  # numbers of groups whose stability is measured
_ROWS_A_BLOCK = 100_000
_SHOWN = 3
_LEAST_EFFECT = 0.5  # Cohen's middling effect


@dataclass(frozen=True)
class Group:
    """A group of rows.

    number : from 1, the largest first. rows : how many belong to it. stability : the mean Jaccard similarity of the
    group to the most similar one of each bootstrap sample. marks : what sets it apart, in words, the largest effects
    first.
    """

    number: int
    rows: int
    share: float
    stability: float
    marks: tuple[str, ...]

    @property
    def stable(self) -> bool:
        """Whether the group comes back when rows are drawn again."""
        return self.stability > _STABLE

    @property
    def verdict(self) -> str:
        """The stability in words."""
        return "stable" if self.stable else "doubtful" if self.stability > _DOUBTFUL else "not stable"

    def __str__(self) -> str:
        return f"group {self.number} ({percent(self.share)} of the rows): {'; '.join(self.marks) or 'nothing clear'}"


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Result):
    """The groups that the rows form, the largest first, or none.

    labels : the number of the group of each row, 0 where none were found. why : why there are none.
    sampled : rows from which they were found. search : the comparison with tables without groups. profiles : what sets
    groups apart. whole : whether no group has groups in it.
    """

    groups: tuple[Group, ...]
    labels: np.ndarray
    why: str
    sampled: int
    search: GroupSearch | None
    profiles: ClusterProfiles | None
    whole: bool = True

    def __len__(self) -> int:
        return len(self.groups)

    def sentence(self) -> str:
        """How many groups there are, or that there are none."""
        if not self.groups:
            return f"No groups: {self.why}."
        stable = sum(group.stable for group in self.groups)
        if stable == len(self):
            return f"The rows form {counted(len(self), 'group')}, all stable when rows are drawn again."
        return (
            f"The rows form {counted(len(self), 'group')}; {stable} of them {'is' if stable == 1 else 'are'} stable "
            "when rows are drawn again, so take the others with care."
        )

    def evidence(self) -> str:
        """How the number was chosen."""
        if self.search is None:
            return ""
        place = len(self) - 2 if self.groups else int(np.argmax(self.search.excess))
        more = "" if self.whole else " Some of these groups can be divided further."
        found = self.search
        return (
            f"Mean silhouette of {found.k[place]} groups: {found.silhouette[place]:.2f}; in tables with the same "
            f"columns but without groups {found.expected[place]:.2f}, with a standard deviation of "
            f"{found.spread[place]:.2f}. It is {found.excess[place]:.1f} of these above; more than {found.needed:.1f} "
            f"are needed, since so much occurs by chance for some number of groups.{more}"
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [{**vars(group), "verdict": group.verdict, "marks": list(group.marks)} for group in self.groups]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; without the group of each row."""
        search = self.search
        tried = [] if search is None else zip(search.k, search.silhouette, search.expected, search.spread, strict=True)
        return {
            "groups": self._rows(),
            "why": self.why,
            "sampled": self.sampled,
            "whole": self.whole,
            "silhouettes": [
                {"groups": int(k), "silhouette": float(s), "expected": float(e), "spread": float(d)}
                for k, s, e, d in tried
            ],
        }

    def _parts(self) -> Iterator[Any]:
        yield self.sentence()
        if self.groups:
            head = ("group", "rows", "stability", "", "what sets it apart")
            yield Cells([head, *self.lines()], right=[0, 1, 2], margin=2)

    def lines(self) -> list[tuple[str, ...]]:
        """A line for each group, as text."""
        return [
            (
                str(g.number),
                f"{g.rows:,} ({percent(g.share)})",
                f"{g.stability:.2f}",
                g.verdict,
                "\n".join(g.marks) or "nothing clear",
            )
            for g in self.groups
        ]


def find_groups(table: Table, max_rows: int, seed: int) -> Groups:
    """Find groups in a random sample of the rows and assign every row to the nearest."""
    rng = np.random.default_rng([seed, 1])
    n = table.n_rows
    sample = table if n <= max_rows else table.take(np.sort(rng.choice(n, max_rows, replace=False)))
    sample = grouping_columns(sample)
    distance = FairDistance.of(sample)
    sample = distance.clipped(sample)
    search = search_groups(sample, rng)

    def none(why: str) -> Groups:
        return Groups((), np.zeros(n, dtype=np.int32), why, min(n, max_rows), search, None)

    if search is None:
        return none("no columns go together" if n >= FEWEST_ROWS and table.names else "there is too little to compare")
    if not search.candidates():
        return none("the rows are no more alike than they may be by chance in a table without groups")
    k, similar, whole = _number(sample, distance, search, rng, seed)
    if (similar > _STABLE).mean() < 0.5:
        return none("those that appear do not come back when rows are drawn again")
    model = _model(k, distance).fit(sample)
    used = table.select(*sample.names)
    blocks = [used.take(slice(start, start + _ROWS_A_BLOCK)) for start in range(0, n, _ROWS_A_BLOCK)]
    found = np.concatenate([model.predict(distance.clipped(block)) for block in blocks])
    return _described(found, similar, whole, table, search, sample.n_rows)


def _model(k: int, distance: FairDistance) -> KMedoids:
    return KMedoids(k, metric="gower", metric_params=distance.params)


def _number(
    sample: Table, distance: FairDistance, search: GroupSearch, rng: np.random.Generator, seed: int
) -> tuple[int, np.ndarray, bool]:
    """A number of groups, the stability of each, and whether none has groups in it.

    The smallest number of stable groups of which none has groups in it; else the smallest number of stable groups that
    is about as clear as the clearest; else the one with the largest share of stable groups.
    """
    candidates = search.candidates()
    whole = (k for k in sorted(candidates) if _are_whole(sample, _model(k, distance).fit_predict(sample), rng))
    clear = [k for k in sorted(candidates) if search.excess_of(k) >= search.excess.max() / 2]
    tried: dict[int, tuple[int, np.ndarray, bool]] = {}
    for k, are_whole in chain(zip(islice(whole, _TRIED), repeat(True)), zip(clear, repeat(False))):
        if k not in tried:
            similar = stability(_model(k, distance), sample, n_bootstrap=_SAMPLES, random_state=seed).mean
            tried[k] = k, similar, are_whole
            if (similar > _STABLE).all():
                return tried[k]
    return max(tried.values(), key=lambda found: float((found[1] > _STABLE).mean()))


def _are_whole(sample: Table, labels: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether no group has groups in it."""
    for label in np.unique(labels):
        members = grouping_columns(sample.take(np.flatnonzero(labels == label)))
        inside = search_groups(members, rng, most_groups=4, rows=150, tables=19)
        if inside is not None and inside.candidates():
            return False
    return True


def _described(
    found: np.ndarray, similar: np.ndarray, whole: bool, table: Table, search: GroupSearch, sampled: int
) -> Groups:
    sizes = np.bincount(found, minlength=len(similar))
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(1, len(order) + 1)
    labels = place[found]
    profiles = describe_clusters(labels, table)
    shares = sizes / len(found)
    groups = tuple(
        Group(number, int(sizes[old]), float(shares[old]), float(similar[old]), _marks(profiles, number, table))
        for number, old in enumerate(order, 1)
    )
    return Groups(groups, labels, "", sampled, search, profiles, whole)


def _marks(profiles: ClusterProfiles, number: int, table: Table) -> tuple[str, ...]:
    """The columns in which a group differs most, each once."""
    marks: dict[str, str] = {}
    for found in profiles.of(number):
        if abs(found.effect) >= _LEAST_EFFECT and found.column not in marks and len(marks) < _SHOWN:
            dates = table[found.column].dates
            if found.level is None:
                here, there = (figure(value, dates=dates) for value in (found.inside, found.outside))
                marks[found.column] = f"{found.column} {here}, others {there}"
            else:
                here, there = percent(found.inside), percent(found.outside)
                marks[found.column] = f"{found.column} = {found.level} in {here}, others {there}"
    return tuple(marks.values())
