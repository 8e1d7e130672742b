"""A section of the page of a study: its heading in the contents, its template, and what the template shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from probus.report._html import fill
from probus.report._study_report import StudyReport


def _nothing(report: StudyReport) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Section:
    """One section: a file of ``probus.report.sections`` holds it, and a line there puts it on the page.

    name : the anchor. title : in the contents. template : Jinja, with ``study``, ``report`` and the macros ``parts``.
    shown : the other values of the template; None leaves the section out. data : its entries in the JSON file.
    """

    name: str
    title: str
    template: str
    shown: Callable[[StudyReport], dict[str, Any] | None]
    data: Callable[[StudyReport], dict[str, Any]] = _nothing

    def html(self, report: StudyReport) -> Markup | None:
        """The section of a report; None where it has none."""
        shown = self.shown(report)
        return None if shown is None else fill(self.template, study=report.study, report=report, **shown)
