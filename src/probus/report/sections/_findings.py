"""What looks wrong in the table."""

from __future__ import annotations

from typing import Any

from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="findings">Findings</h2>
{% if study.findings %}<p class="lede">What looks wrong or dangerous in the table itself.</p>{% endif %}
{{ parts.findings(study.findings.to_dict()["findings"]) }}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    return {}


SECTION = Section("findings", "Findings", _TEMPLATE, _values)
