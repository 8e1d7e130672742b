"""What a reader must know before the score: leaks, duplicates, and a target that is not what it seems."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from probus.data import Task, quote_some
from probus.data.findings import Finding, Findings, are_within
from probus.display import counted, listed
from probus.errors import DataError

_ORDER = (
    "leak", "duplicate-rows", "duplicates-but-for-identifier", "near-duplicate-rows", "few-target-values",
    "one-class", "rare-class", "imbalanced-target", "contradictory-rows", "missing-labels",
    "disguised-missing", "impossible-value",
)  # fmt: skip
_ALSO_AS_NOTES = ("few-target-values", "imbalanced-target")
_GROUPS = "group-leak"
_NAMED = 6  # columns of a warning about several


def matter(findings: Findings, features: Collection[str], task: Task) -> tuple[Finding, ...]:
    """The findings that change how the score is read, the most important first.

    Of columns that are not used only what concerns the target or the rows remains, such as the groups that a column
    names. Columns with the same value for missing ones are one warning. Groups that folds keep whole are none.
    """

    def place(finding: Finding) -> int:
        title = "leak" if "leak" in finding.title else finding.title
        return _ORDER.index(title) if title in _ORDER else len(_ORDER)

    used = [
        each for each in findings
        if each.column is None
        or each.column == task.target
        or each.column in features
        or (each.title == _GROUPS and not _are_kept_whole(each, task))
    ]  # fmt: skip
    harmful = (_done(each) for each in used if each.severity != "note" or each.title in _ALSO_AS_NOTES)
    return _together(sorted((each for each in harmful if place(each) < len(_ORDER)), key=place))


def _done(finding: Finding) -> Finding:
    """The finding without advice that a study follows: it has stratified folds and measures for rare classes."""
    return replace(finding, suggestion="") if finding.title == "imbalanced-target" else finding


def _together(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding in place of those that have the same value for missing ones in several columns."""
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for each in findings:
        key = (each.suggestion,) if each.title == "disguised-missing" else (each.code, str(each.column), each.evidence)
        alike.setdefault(key, []).append(each)
    return tuple(found[0] if len(found) == 1 else _joint(found) for found in alike.values())


def _joint(found: list[Finding]) -> Finding:
    value = found[0].evidence.partition(" in ")[0]
    names = [str(each.column) for each in found]
    evidence = f"{value} may mean missing in {counted(len(names), 'column')}: {listed(names, most=_NAMED)}."
    return Finding(found[0].code, None, found[0].severity, evidence, found[0].suggestion)


def stop_at_leaks(findings: Findings, features: Collection[str], task: Task, *, chosen: bool) -> None:
    """Raise where a feature certainly leaks the target: every score of a model that uses it would be worthless.

    Groups that share the target do so whether or not their column is a feature. Where the split was ``chosen``, it is
    for the user to judge; a warning remains.
    """
    leaks = [each for each in findings if "leak" in each.title and each.severity == "error"]
    certain = [each for each in leaks if not _are_kept_whole(each, task)]
    for each in certain:
        if each.title == _GROUPS and not chosen:
            raise DataError(
                f"column {each.column!r} names groups of rows that share the target: {each.evidence}",
                "its groups kept whole, so that models are scored on groups that they were not trained on",
                f"Declare it: {_declared(str(each.column))}. To drop it is no cure: other columns may give the "
                "group away. If predictions are for these very groups: --allow-leaks (allow_leaks=True).",
            )
    certain = [each for each in certain if each.title != _GROUPS and each.column in features]
    if not certain:
        return
    names = [str(each.column) for each in certain]
    evidence = certain[0].evidence.rstrip(".")
    more = f" So {'does' if len(names) == 2 else 'do'} {quote_some(names[1:])}." if len(names) > 1 else ""
    quoted = (f'"{name}"' if "," in name else name for name in names)  # commas separate names
    drop = " ".join(f"--drop {name}" if name.isidentifier() else f"--drop '{name}'" for name in quoted)
    may_group = next(
        (name for name, each in zip(names, certain, strict=True) if "names groups" in each.suggestion), None
    )
    declare = f"If {may_group!r} names groups of rows, as patients do: {_declared(may_group)}. " if may_group else ""
    raise DataError(
        f"column {names[0]!r} leaks the target: {evidence}.{more}",
        f"features that are known before {task.target!r} is",
        f"{declare}Leave {'them' if len(names) > 1 else 'it'} out: {drop} (in Python drop={names!r}). If it is known "
        "when predictions are made: --allow-leaks (allow_leaks=True).",
    )


def _are_kept_whole(finding: Finding, task: Task) -> bool:
    """Whether the groups that a finding is of are those of the task, or within them."""
    if not task.group or finding.column == task.group:
        return finding.column == task.group
    return finding.title == _GROUPS and are_within(task.table[str(finding.column)], task.table[task.group])


def _declared(name: str) -> str:
    """The options that keep the groups of a column whole."""
    return f"--groups {name if name.isidentifier() else repr(name)} (in Python group={name!r})"
