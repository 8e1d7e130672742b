"""The sources of bias that a table can show, with evidence, and the questions that it leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Column, Table, Task
from probus.datasets.source import task_of
from probus.display import Cells, Notes, Result, figure, listed, percent, sentence
from probus.ensemble import HistGradientBoostingClassifier
from probus.errors import DataError
from probus.fairness._groups import Groups, groups_of
from probus.fairness._intervals import GroupValues, largest_difference
from probus.fairness._questions import QUESTIONS
from probus.inspection import associations
from probus.metrics.curves import wilson
from probus.model_selection import resample

_MOST_ROWS = 5000  # by which a model of the sensitive column is judged
_FEWEST = 10  # rows of a group that is compared
_FEW_TO_JUDGE = 100  # rows of a group, fewer of which leave rates uncertain by more than ten points
_SHOWN = 3  # columns that are named


@dataclass(frozen=True)
class BiasSource:
    """A source of bias with what the table shows.

    Attributes
    ----------
    source : historical, representation, measurement, proxies, drift or evaluation.
    column : the sensitive column.
    evidence : in words, with numbers.
    concern : whether the interval of what was measured excludes that there is nothing.
    """

    source: str
    column: str
    evidence: str
    concern: bool


@dataclass(frozen=True, eq=False, repr=False)
class BiasSources(Result):
    """The check-list of sources of bias: what the table shows of each, and what only people can answer.

    Attributes
    ----------
    sources : with evidence.
    questions : that no table answers.
    """

    sources: tuple[BiasSource, ...]
    questions: tuple[str, ...] = QUESTIONS

    def _parts(self) -> list[Any]:
        found = sum(each.concern for each in self.sources)
        lines = [[("! " if s.concern else "  ") + s.source, s.column, s.evidence] for s in self.sources]
        head = f"{found} of {len(self.sources)} sources of bias that the table can show are there."
        return [
            head,
            Cells([["source", "column", "evidence"], *lines]),
            "To be asked:",
            Notes(self.questions, mark="– "),
        ]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each source."""
        return [
            {"source": s.source, "column": s.column, "evidence": s.evidence, "concern": s.concern} for s in self.sources
        ]


def bias_sources(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    sensitive: Any = None,
    population: Mapping[str, Mapping[Any, float]] | None = None,
    level: float = 0.95,
    random_state: int = 0,
) -> BiasSources:
    """Look in a table for what biases models: shares, labels and gaps by group, proxies, drift, and rows to judge by.

    Parameters
    ----------
    X, y, target : a Task, features and target, or a table and the name of its ``target``.
    sensitive : names of the sensitive columns; by default those of the task.
    population : the shares of the levels of a column that there ought to be, such as {"sex": {"f": 0.51, "m": 0.49}}.
    level : the confidence level at which something counts as there.
    random_state : draws the rows by which proxies are judged, and their splits.

    Returns
    -------
    The sources with evidence, and the questions that are left.

    >>> from probus import datasets
    >>> people = datasets.titanic()[["Survived", "Sex", "Age", "Fare"]]
    >>> equal = {"Sex": {"female": 0.5, "male": 0.5}}
    >>> found = bias_sources(people, target="Survived", sensitive="Sex", population=equal)
    >>> [(each.source, each.concern) for each in found.sources][:2]
    [('representation', True), ('historical', True)]
    """
    task = task_of(X, y, target=target)
    names = (
        list(task.sensitive) if sensitive is None else [sensitive] if isinstance(sensitive, str) else list(sensitive)
    )
    if not names:
        raise DataError("no sensitive column.", "names of columns", "Pass sensitive='sex', or a Task that has some.")
    if task.target in names:
        raise DataError(f"the target {task.target!r} as a sensitive column.", "a column other than the target")
    strange = set(population or {}) - set(names)
    if strange:
        raise DataError(f"a population of {listed(sorted(strange))}.", f"of a sensitive column: {listed(names)}")
    found: list[BiasSource] = []
    for name in names:
        groups = groups_of(task.table[name])
        groups.check_several()
        wanted = None if population is None else population.get(name)
        found += [
            _representation(groups, wanted, level),
            _labels(task, groups, level),
            _missing(task, name, groups, level),
            _proxies(task, name, random_state),
            *_drift(task, groups, level),
            _rows_to_judge(groups),
        ]
    return BiasSources(tuple(found))


def _representation(groups: Groups, population: Mapping[Any, float] | None, level: float) -> BiasSource:
    """The shares of the groups, compared with those of the population."""
    n = len(groups.codes)
    share = groups.counts / n
    shown = listed([f"{label} {percent(each)}" for label, each in zip(groups.labels, share, strict=True)], most=8)
    if population is None:
        return BiasSource(
            "representation", groups.name, f"shares of the rows: {shown}; no population to compare", False
        )
    wanted = _checked_population(groups, population)
    low, high = wilson(share, n, 1 - (1 - level) / len(groups))
    off = [
        f"{label} {percent(share[k])} for {percent(p)}"
        for k, label in enumerate(groups.labels)
        if (p := wanted.get(label)) is not None and not low[k] <= p <= high[k]
    ]
    text = f"shares differ from the population: {listed(off)}" if off else f"shares as in the population: {shown}"
    return BiasSource("representation", groups.name, text, bool(off))


def _checked_population(groups: Groups, population: Mapping[Any, float]) -> dict[str, float]:
    wanted = {str(label): float(share) for label, share in population.items()}
    unknown = set(wanted) - set(groups.labels)
    if unknown:
        raise DataError(
            f"a population with {listed(sorted(unknown))}.", f"groups of {groups.name}: {listed(list(groups.labels))}"
        )
    if abs(sum(wanted.values()) - 1) > 1e-6 or min(wanted.values()) < 0:
        raise DataError(f"shares of {groups.name} that sum to {sum(wanted.values()):g}.", "shares that sum to 1")
    return wanted


def _labels(task: Task, groups: Groups, level: float) -> BiasSource:
    """How often each group has the positive label, or its mean target."""
    if not task.classes:
        y = task.table[task.target].values
        means = [float(y[groups.codes == k].mean()) for k in range(len(groups)) if (groups.codes == k).any()]
        return BiasSource(
            "historical", groups.name, f"mean target from {figure(min(means))} to {figure(max(means))}", False
        )
    positive = task.pos_label if task.pos_label is not None else task.classes[-1]
    code = task.classes.index(positive)
    gap, ends = _largest(np.asarray(task.table[task.target].values) == code, groups, level)
    text = f"{positive} differs by {gap}, {ends[0]} fewest and {ends[1]} most"
    return BiasSource("historical", groups.name, text, gap.low > 0)


def _missing(task: Task, name: str, groups: Groups, level: float) -> BiasSource:
    """The columns whose missing values are not as frequent in all groups."""
    found = []
    columns = [c for c in task.X if c.name != name and np.asarray(c.missing).any()]
    for column in columns:
        gap, ends = _largest(np.asarray(column.missing), groups, 1 - (1 - level) / len(columns))
        if gap.low > 0:
            found.append((gap.value, f"{column.name} by {gap} (most for {ends[1]})"))
    found.sort(reverse=True)
    if not found:
        return BiasSource(
            "measurement", name, "missing values are as frequent in all groups, as far as can be seen", False
        )
    return BiasSource(
        "measurement", name, f"missing values differ: {listed([text for _, text in found], most=_SHOWN)}", True
    )


def _largest(hits: np.ndarray, groups: Groups, level: float) -> Any:
    """The largest difference of a share between groups, and the groups with the smallest and the largest."""
    n = groups.counts.astype(np.float64)
    share = np.bincount(groups.codes, hits, minlength=len(groups)) / np.maximum(n, 1)
    share = np.where(n >= _FEWEST, share, np.nan)
    found = largest_difference(GroupValues(share, lambda each: wilson(share, n, each)), level)
    return found, (groups.labels[int(np.nanargmin(share))], groups.labels[int(np.nanargmax(share))])


def _proxies(task: Task, name: str, random_state: int) -> BiasSource:
    """How well the other columns predict the sensitive one, and which go with it."""
    others = [each for each in task.features if each != name]
    if not others:
        return BiasSource("proxies", name, "no other column", False)
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.permutation(len(task))[:_MOST_ROWS])
    groups = groups_of(task.table[name])
    label = Column.labels("group", [groups.labels[code] for code in groups.codes[rows].tolist()])
    table = Table([*task.table.select(*others).take(rows), label])
    model = HistGradientBoostingClassifier(max_iter=50)
    resampled = resample(
        model, table, target="group", cv=3, scoring="balanced_accuracy", random_state=random_state, progress=False
    )
    score = resampled.estimate()
    chance = 1 / len(np.unique(groups.codes[rows]))
    pairs = [
        (abs(pair.value), pair.first if pair.second == "group" else pair.second)
        for pair in associations(table)
        if "group" in (pair.first, pair.second)
    ]
    named = listed([column for _, column in sorted(pairs, reverse=True)[:_SHOWN]]) if pairs else "none"
    text = f"the other columns predict it with balanced accuracy {score} (chance {chance:.2g}); closest: {named}"
    return BiasSource("proxies", name, text, score.low > chance)


def _drift(task: Task, groups: Groups, level: float) -> Iterator[BiasSource]:
    """Whether the share of a group changes from the first half of the time to the second."""
    times = task.times
    if times is None:
        return
    late = times > np.nanmedian(times)
    halves = Groups("time", ("first half", "second half"), late.astype(np.int64))
    for code, label in enumerate(groups.labels):
        gap, _ = _largest(groups.codes == code, halves, 1 - (1 - level) / len(groups))
        if gap.low > 0:
            text = f"the share of {label} changes by {gap} from the first half of {task.time} to the second"
            yield BiasSource("drift", groups.name, text, True)


def _rows_to_judge(groups: Groups) -> BiasSource:
    """The smallest groups, whose rates stay uncertain."""
    few = [
        f"{label} ({n})" for label, n in zip(groups.labels, groups.counts.tolist(), strict=True) if n < _FEW_TO_JUDGE
    ]
    text = (
        f"fewer than {_FEW_TO_JUDGE} rows: {listed(few, most=8)}"
        if few
        else f"at least {groups.counts.min():,} rows each"
    )
    return BiasSource("evaluation", groups.name, sentence(text).rstrip("."), bool(few))
