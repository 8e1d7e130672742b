"""The page of a profile."""

from __future__ import annotations

from collections import Counter
from typing import Any

from probus.display import counted, percent, sentence
from probus.report._charts import heat_map, missing_map
from probus.report._html import column_cards, hidden_columns, render
from probus.report._table_profile import Profile

_PAIRS_LISTED = 15


def profile_page(profile: Profile) -> str:
    """The profile as one self-contained HTML page.

    Parameters
    ----------
    profile : the profile.

    Returns
    -------
    The page.
    """
    return render(
        "profile.html.j2",
        profile=profile,
        size=f"{counted(profile.rows, 'row')} × {counted(len(profile.columns), 'column')}",
        verdict=_verdict(profile),
        makeup=makeup(profile),
        classes=profile.classes,
        parts_of=profile_parts(profile),
    )


def profile_parts(profile: Profile) -> dict[str, Any]:
    """What the templates of ``profile_parts.html.j2`` show: findings, columns, missing values and associations."""
    names, matrix = profile.association_matrix()
    gappy = [j for j, column in enumerate(profile.columns) if column.missing]
    return {
        "findings": profile.findings.to_dict()["findings"],
        "cards": column_cards(profile.columns, {profile.target: ("target", False)} if profile.target else {}),
        "hidden": hidden_columns(profile.columns),
        "missing_map": missing_map(profile.missing_shares[:, gappy], [profile.columns[j].name for j in gappy])
        if gappy
        else None,
        "heat_map": heat_map(matrix, names) if names else None,
        "association_note": _association_note(profile),
        "pairs": [
            {"first": p.first, "second": p.second, "value": f"{p.value:.2f}", "measure": p.measure}
            for p in profile.associations[:_PAIRS_LISTED]
        ],
    }


def _verdict(profile: Profile) -> str:
    if not profile.findings:
        return "No problems found in this table."
    severities = Counter(finding.severity for finding in profile.findings)
    text = ", ".join(counted(count, severity) for severity, count in severities.items())
    return sentence(text)


def makeup(profile: Profile) -> str:
    """The kinds of the columns and how many values are missing."""
    kinds = Counter(str(column.kind) for column in profile.columns)
    missing = sum(column.missing for column in profile.columns)
    share = missing / max(profile.rows * len(profile.columns), 1)
    text = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    missing_values = (
        f"{counted(missing, 'value')} ({percent(share)}) {'is' if missing == 1 else 'are'} missing"
        if missing
        else "no value is missing"
    )
    return sentence(f"{text}; {missing_values}")


def _association_note(profile: Profile) -> str:
    text = (
        "Blue for positive or unsigned, orange for negative. Numbers and ordered levels: the stronger of Pearson's r "
        "and Spearman's ρ (ρ alone where levels are involved); a number with levels: the correlation ratio; levels "
        "with levels: Cramér's V, both corrected for bias."
    )
    if profile.sampled_rows < profile.rows:
        text += f" From {profile.sampled_rows:,} of {profile.rows:,} rows, drawn at random."
    if len(profile.compared_columns) < len(profile.columns):
        text += f" Only the first {len(profile.compared_columns)} of {len(profile.columns)} columns."
    return text
