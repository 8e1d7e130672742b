"""What a reader must know before the score: leaks, duplicates, and a target that is not what it seems."""

from __future__ import annotations

from collections.abc import Collection

from probus.data.column import quote_some
from probus.data.findings import Finding, Findings
from probus.errors import DataError

__all__ = ["matter", "stop_at_leaks"]

_ORDER = (
    "leak", "duplicate-rows", "duplicates-but-for-identifier", "near-duplicate-rows", "few-target-values",
    "one-class", "rare-class", "imbalanced-target", "contradictory-rows", "missing-labels",
    "disguised-missing", "impossible-value",
)  # fmt: skip


def matter(findings: Findings, features: Collection[str], target: str) -> tuple[Finding, ...]:
    """The findings that change how the score is read, the most important first.

    Of columns that are not used only what concerns the target or the rows remains.
    """

    def place(finding: Finding) -> int:
        title = "leak" if "leak" in finding.title else finding.title
        return _ORDER.index(title) if title in _ORDER else len(_ORDER)

    used = [each for each in findings if each.column is None or each.column == target or each.column in features]
    harmful = (each for each in used if each.severity != "note" or each.title == "few-target-values")
    return tuple(sorted((each for each in harmful if place(each) < len(_ORDER)), key=place))


def stop_at_leaks(findings: Findings, features: Collection[str], target: str) -> None:
    """Raise where a feature certainly leaks the target: every score of a model that uses it would be worthless."""
    certain = [
        each for each in findings if "leak" in each.title and each.severity == "error" and each.column in features
    ]
    if not certain:
        return
    names = [str(each.column) for each in certain]
    evidence = certain[0].evidence.rstrip(".")
    more = f" So {'does' if len(names) == 2 else 'do'} {quote_some(names[1:])}." if len(names) > 1 else ""
    drop = " ".join(f"--drop {name}" if name.isidentifier() else f"--drop '{name}'" for name in names)
    raise DataError(
        f"column {names[0]!r} leaks the target: {evidence}.{more}",
        f"features that are known before {target!r} is",
        f"Leave {'them' if len(names) > 1 else 'it'} out: {drop} (in Python drop={names!r}). If it is known when "
        "predictions are made: --allow-leaks (allow_leaks=True).",
    )
