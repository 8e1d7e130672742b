"""Whether more rows would help: the learning curve of the best model."""

from __future__ import annotations

from functools import partial
from typing import Any

from probus.report._inline_svg import picture
from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="learning">Would more rows help?</h2>
{% if curve %}
<div class="wide-pictures">
<figure>{{ curve }}</figure>
{% if report.explanations.diagnosis %}
<div><p>{{ report.explanations.diagnosis.sentence }}</p><ul>{% for each in report.explanations.diagnosis.remedies %}<li>{{ each }}</li>{% endfor %}</ul></div>
{% endif %}
</div>
{% else %}<p>Not computed: {{ report.explanations.skipped["learning curve"] }}.</p>{% endif %}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    found = report.explanations.learning
    if not found:
        return {"curve": None}
    draw = partial(_learning_curve, found.plot, f"{report.study.best}, intervals of 95 %")
    return {"curve": picture(draw, "Learning curve", width=460, height=300)}


def _data(report: StudyReport) -> dict[str, Any]:
    return {"learning_curve": report.explanations.learning, "diagnosis": report.explanations.diagnosis}


def _learning_curve(draw: Any, title: str, ax: Any) -> Any:
    """The curve under the name that the family has in the leaderboard."""
    draw(axes=ax)
    shown = ax.get_title(loc="left")
    ax.set_title(title + shown[len(shown.partition(";")[0]) :], loc="left", fontsize="medium")
    return ax


SECTION = Section("learning", "More rows", _TEMPLATE, _values, _data)
