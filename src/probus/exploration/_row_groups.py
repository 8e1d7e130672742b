"""Groups of rows: how many there are, whether they come back, and what sets each apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any

import numpy as np

from probus.cluster import GAP, ClusterProfiles, KMedoids, describe_clusters, gap_ratios, stability
from probus.data import Kind, Table
from probus.display import Cells, Result, counted, figure, percent
from probus.distances import pairwise_distances
from probus.exploration._fair_distance import FairDistance
from probus.exploration._group_search import FEWEST_ROWS, GroupSearch, search_groups
from probus.exploration._related_columns import grouping_columns

_SAMPLES = 20  # bootstrap samples
_STABLE, _DOUBTFUL = 0.75, 0.6  # mean Jaccard similarity (Hennig 2007)
_GAP_OF_LEVELS = 1.0  # the least gap in tables with levels, which are as far apart within groups as between them
_NARROW, _VALLEY = 0.75, 0.33  # a narrower gap, where so few rows are halfway, of those at either mean
_GAP_ROWS = 400  # rows that gaps are measured on
_TRIED = 3  # numbers of groups whose stability is measured
_OWN_LEVEL = 0.8  # by how much its share is larger in the group
_ROWS_A_BLOCK = 100_000
_SHOWN = 3
_LEAST_EFFECT = 0.5  # Cohen's middling effect


@dataclass(frozen=True)
class Group:
    """A group of rows.

    Attributes
    ----------
    number : from 1, the largest first.
    rows : how many belong to it.
    share : its share of all rows.
    stability : the mean Jaccard similarity of the group to the most similar one of each bootstrap sample.
    marks : what sets it apart, in words, the largest effects first.
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

    Attributes
    ----------
    groups : the groups.
    labels : the number of the group of each row, 0 where none were found.
    why : why there are none.
    sampled : rows from which they were found.
    search : the comparison with tables without groups.
    profiles : what sets groups apart.
    whole : whether no group has groups in it.
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
    candidates = _with_gaps(search.candidates(), sample, distance, rng)
    if not candidates:
        return none("those that appear have no gap between them, as the parts of one shape")
    k, similar, whole = _number(candidates, sample, distance, search, rng, seed)
    if (similar > _STABLE).mean() < 0.5:
        return none("those that appear do not come back when rows are drawn again")
    model = _model(k, distance).fit(sample)
    used = table.select(*sample.names)
    blocks = [used.take(slice(start, start + _ROWS_A_BLOCK)) for start in range(0, n, _ROWS_A_BLOCK)]
    found = np.concatenate([model.predict(distance.clipped(block)) for block in blocks])
    return _describe(found, similar, whole, table, search, sample.n_rows)


def _model(k: int, distance: FairDistance) -> KMedoids:
    return KMedoids(k, metric="gower", metric_params=distance.params)


def _with_gaps(candidates: list[int], sample: Table, distance: FairDistance, rng: np.random.Generator) -> list[int]:
    """The numbers of groups with a gap around each: the parts of a cone or a curve are clear and come back, too.

    Gaps are measured by the distance of the table, and by the numbers alone in units of their spread within groups; one
    suffices. A narrower gap does where few rows lie between the means of two groups. A level that a group has and
    others have not is as good as a gap. Rows of fewest missing values are used: a row without the value that differs is
    near both groups.
    """
    missing = np.sum([column.missing for column in sample], axis=0)
    known = rng.permutation(np.flatnonzero(missing <= np.median(missing)))
    rows = np.sort(known[:_GAP_ROWS])
    some = sample.take(rows)
    D = distance.matrix(some)
    least = _GAP_OF_LEVELS if any(column.kind.has_levels for column in sample) else GAP
    found = []
    for k in candidates:
        labels = _model(k, distance).fit_predict(sample)
        drawn, gaps = np.unique(labels[rows]), np.zeros(k)
        gaps[drawn] = gap_ratios(D, labels[rows])
        if (numbers := _scaled_numbers(some, labels[rows])).size:
            gaps[drawn] = np.maximum(gaps[drawn], gap_ratios(pairwise_distances(numbers), labels[rows]))
        narrow = [label for label in range(k) if gaps[label] < least]
        near = [label for label in narrow if gaps[label] >= _NARROW and _has_valleys(numbers, labels[rows], label)]
        if all(label in near or _has_own_level(sample, labels == label) for label in narrow):
            found.append(k)
    return found


def _scaled_numbers(table: Table, labels: np.ndarray) -> np.ndarray:
    """The numeric columns in units of their standard deviation within groups, missing values at the group's mean."""
    columns = []
    for column in table.of_kind(Kind.NUMERIC):
        known = ~column.missing
        counts = np.bincount(labels[known], minlength=labels.max() + 1)
        means = np.bincount(labels[known], column.values[known], len(counts)) / np.maximum(counts, 1)
        away = np.where(known, column.values - means[labels], 0.0)
        if away.any():
            columns.append((means[labels] + away) / np.sqrt(np.mean(away[known] ** 2)))
    return np.column_stack(columns) if columns else np.empty((len(labels), 0))


def _has_valleys(numbers: np.ndarray, labels: np.ndarray, label: int) -> bool:
    """Whether there are few rows between that group and each other, on the line through their means."""
    if not numbers.size:
        return False
    means = {other: numbers[labels == other].mean(axis=0) for other in np.unique(labels)}
    for other in means.keys() - {label}:
        line = means[other] - means[label]
        both = numbers[(labels == label) | (labels == other)]
        place = (both - means[label]) @ line / (line @ line)  # 0 at one mean, 1 at the other
        ends, middle = (np.array([(np.abs(place - at) < 0.125).sum() for at in some]) for some in ((0, 1), (0.5,)))
        if middle[0] + 0.5 > _VALLEY * (ends.min() + 0.5):
            return False
    return True


def _has_own_level(sample: Table, inside: np.ndarray) -> bool:
    """Whether some level is much more frequent among those rows than among the others."""
    for column in sample:
        if column.kind.has_levels and column.kind is not Kind.ORDINAL:
            shares = [
                np.bincount(column.values[rows & ~column.missing], minlength=len(column.levels)) / max(rows.sum(), 1)
                for rows in (inside, ~inside)
            ]
            if (shares[0] - shares[1]).max(initial=0.0) >= _OWN_LEVEL:
                return True
    return False


def _number(
    candidates: list[int],
    sample: Table,
    distance: FairDistance,
    search: GroupSearch,
    rng: np.random.Generator,
    seed: int,
) -> tuple[int, np.ndarray, bool]:
    """A number of groups, the stability of each, and whether no group divides further.

    The candidates have gaps. The first choice is the smallest number of stable groups that do not divide further. The
    second is the smallest number of stable groups that is about as clear as the clearest. The last is the number with
    the largest share of stable groups.
    """
    whole = (k for k in sorted(candidates) if _are_whole(sample, _model(k, distance).fit_predict(sample), rng))
    clearest = max(map(search.excess_of, candidates))
    clear = [k for k in sorted(candidates) if search.excess_of(k) >= clearest / 2]
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


def _describe(
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
