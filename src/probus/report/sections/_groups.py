"""Scores by group of the sensitive columns."""

from __future__ import annotations

from typing import Any

from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="groups">Scores by group</h2>
<p class="lede">How well {{ study.best }} predicts for each group of {{ study.task.sensitive | join(", ") }}, with 95 % intervals; each row is predicted by a model that was not trained on it.{% for each in study.group_scores.apart() %} {{ each }}.{% endfor %}</p>
{{ parts.grid(study.group_scores.lines()) }}
{% if study.audit %}{% import "audit_parts.html.j2" as audit_parts %}
<h3>Are groups treated alike?</h3>
<p>{{ study.audit.sentence }} <span class="muted">{{ study.audit.described | sentence }}</span></p>
{{ audit_parts.tables(study.audit) }}
{% if study.audit.notes %}<ul class="notes">{% for note in study.audit.notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}
{% endif %}
"""


def _values(report: StudyReport) -> dict[str, Any] | None:
    return {} if report.study.group_scores else None


SECTION = Section("groups", "Groups", _TEMPLATE, _values)
