"""The columns of the table, and its first rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup

from probus.data import Column, Kind, holds_phrases
from probus.data.pictures import draw_against
from probus.lifecycle import Study
from probus.report._html import column_cards, hidden_columns
from probus.report._inline_svg import picture
from probus.report._section import Section
from probus.report._study_report import StudyReport

_DRAWN_AGAINST = 30  # columns
_TEMPLATE = """\
<h2 id="columns">Columns</h2>
{{ parts.legend(report.classes) }}
<div class="columns">
{% for card in cards %}{{ parts.column(card) }}{% endfor %}
</div>
{% if hidden %}<p><small>{{ hidden }}</small></p>{% endif %}
<h3 class="above">The first rows</h3>
{{ parts.grid(sample) }}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    return {
        "cards": column_cards(report.columns, _roles(report.study), _against_target(report)),
        "hidden": hidden_columns(report.columns),
        "sample": [[column.name for column in report.columns], *(list(row.values()) for row in report.sample)],
    }


def _data(report: StudyReport) -> dict[str, Any]:
    return {"columns": report.columns, "sample": report.sample}


def _roles(study: Study) -> dict[str, tuple[str, bool]]:
    roles = {column.name: ("used as text", False) for column in study.task.X if holds_phrases(column)}
    roles |= {name: (f"left out: {reason}", True) for name, reason in study.left_out.items()}
    roles[study.task.target] = ("target", False)
    if study.task.group:
        roles[study.task.group] = ("group", False)
    if study.task.weight:
        roles[study.task.weight] = ("weight", False)
    if study.task.time:
        roles[study.task.time] = ("order", False)
    return roles


def _against_target(report: StudyReport) -> dict[str, Markup]:
    """The important features against a target of numbers; classes are in the colours of every picture already."""
    study, task = report.study, report.study.task
    found = report.explanations.importance
    drawn = (found.names if found else study.features)[:_DRAWN_AGAINST]
    if task.classes:
        return {}
    target = task.table[task.target]
    return {
        name: picture(
            partial(_draw_untitled, task.table[name], target), f"{task.target} against {name}", width=280, height=170
        )
        for name in drawn
        if task.table[name].kind is not Kind.TEXT
    }


def _draw_untitled(column: Column, target: Column, ax: Any) -> Any:
    draw_against(column, target, ax)
    ax.set_title("", loc="left")
    return ax


SECTION = Section("columns", "Columns", _TEMPLATE, _values, _data)
