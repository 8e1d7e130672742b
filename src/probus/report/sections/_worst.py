"""The rows with the largest errors."""

from __future__ import annotations

from typing import Any

from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="worst">Rows with the largest errors</h2>
{% if worst | length > 1 %}
<p class="lede">Look at them: a wrong label, a missing feature or a special case is often among them. Rows are counted from 0{% if study.findings.of("PB401") %}; those without {{ study.task.target }} do not count{% endif %}.</p>
{{ parts.grid(worst) }}
{% else %}<p>No row is predicted wrongly.</p>{% endif %}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    return {"worst": report.worst.lines()}


def _data(report: StudyReport) -> dict[str, Any]:
    return {"worst_rows": report.worst.to_frame().to_dicts()}


SECTION = Section("worst", "Largest errors", _TEMPLATE, _values, _data)
