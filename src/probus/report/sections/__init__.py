"""The sections of the page of a study, in their order: a file each."""

from probus.report.sections import _columns as columns
from probus.report.sections import _done as done
from probus.report.sections import _explanation as explanation
from probus.report.sections import _findings as findings
from probus.report.sections import _glass_box as glass_box
from probus.report.sections import _groups as groups
from probus.report.sections import _leaderboard as leaderboard
from probus.report.sections import _learning as learning
from probus.report.sections import _predictions as predictions
from probus.report.sections import _tried as tried
from probus.report.sections import _worst as worst

__all__ = ["SECTIONS"]

SECTIONS = (
    leaderboard.SECTION,
    predictions.SECTION,
    groups.SECTION,
    worst.SECTION,
    glass_box.SECTION,
    explanation.SECTION,
    learning.SECTION,
    findings.SECTION,
    columns.SECTION,
    tried.SECTION,
    done.SECTION,
)
