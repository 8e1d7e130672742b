"""What a glass box adds up, if it is as good as the best model: its curves, and the tables of its pairs."""

from __future__ import annotations

from typing import Any

from probus.report._inline_svg import picture
from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="curves">A model to read: the glass box</h2>
<p class="lede">The sum of these curves, and of tables of pairs, is its prediction{% if unit != "prediction" %}, as {{ unit }}{{ of }}{% endif %}. {{ rank }} Bands hold the true curve at 95 % of its places on average; grey is where the rows are.</p>
<div class="wide-pictures">{% for each in pictures %}<figure>{{ each }}</figure>{% endfor %}</div>
"""


def _values(report: StudyReport) -> dict[str, Any] | None:
    found = report.explanations.glass_box
    if found is None:
        return None
    drawn = found.drawn
    return {
        "unit": drawn[0][1].unit if drawn else "prediction",
        "of": "" if found.label is None else f" of {found.label}",
        "rank": _rank(report),
        "pictures": [picture(each.plot, f"What {name} adds", width=330, height=250) for name, each in drawn],
    }


def _rank(report: StudyReport) -> str:
    study = report.study
    if study.best == "Glass box":
        return "It is the best model of this study."
    return f"It is equivalent to {study.best}, which is the best model."


def _data(report: StudyReport) -> dict[str, Any]:
    found = report.explanations.glass_box
    return {} if found is None else {"glass_box": found}


SECTION = Section("curves", "Curves", _TEMPLATE, _values, _data)
