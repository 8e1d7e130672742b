"""What was done, and how to do it again."""

from __future__ import annotations

from typing import Any

from probus.display import counted
from probus.report._reproduction import command_line, how_exactly, python_code
from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="done">What was done</h2>
<dl class="facts">
{% for name, value in facts %}<dt>{{ name }}</dt><dd>{{ value }}</dd>{% endfor %}
</dl>
<p>To do it again:</p>
{% if command %}<pre>{{ command }}</pre>{% endif %}
<pre>{{ python }}</pre>
<p><small>{{ how_exactly }}</small></p>
"""


def _values(report: StudyReport) -> dict[str, Any]:
    study = report.study
    return {
        "facts": _facts(report),
        "command": command_line(study),
        "python": python_code(study),
        "how_exactly": how_exactly(study),
    }


def _data(report: StudyReport) -> dict[str, Any]:
    study = report.study
    return {
        "reproduce": {"command": command_line(study) or None, "python": python_code(study)},
        "versions": report.versions,
    }


def _facts(report: StudyReport) -> list[tuple[str, str]]:
    study = report.study
    used, score = study.settings, study.score
    left_out = "; ".join(f"{name} ({reason})" for name, reason in study.left_out.items())
    facts = [
        ("data", f"{study.name}: {counted(len(study.task), 'row')}, {counted(len(study.features), 'feature')}"),
        ("left out", left_out),
        ("grouped by", study.task.group or ""),
        ("weighted by", study.task.weight or ""),
        ("splits", f"{study.splits.how}, seed {used['random_state']}, the same for every model"),
        ("intervals", f"{100 * score.level:g} %, {score.method}, n = {counted(len(study.splits), 'split')}"),
        ("preparation", "probus.tabular: what each model needs, fitted on the training rows of each split"),
        ("final model", f"{study.best}, fitted on {study.fitted_on}"),
        ("its uncertainty", getattr(study.model, "uncertainty", "none")),
        ("its features", "; ".join(study.preparation)),
        ("time", f"{study.seconds:.1f} s"),
        ("versions", ", ".join(f"{name} {number}" for name, number in report.versions.items())),
    ]
    return [(name, value) for name, value in facts if value]


SECTION = Section("done", "Reproduce", _TEMPLATE, _values, _data)
