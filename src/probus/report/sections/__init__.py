"""The sections of the page of a study, in their order: a file each."""

from probus.report.sections import (
    columns,
    done,
    explanation,
    findings,
    groups,
    leaderboard,
    learning,
    predictions,
    tried,
    worst,
)

__all__ = ["SECTIONS"]

SECTIONS = (
    leaderboard.SECTION,
    predictions.SECTION,
    groups.SECTION,
    worst.SECTION,
    explanation.SECTION,
    learning.SECTION,
    findings.SECTION,
    columns.SECTION,
    tried.SECTION,
    done.SECTION,
)
