"""Every evaluation of the study."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.display import figure
from probus.lifecycle import Study
from probus.report._section import Section
from probus.report._study_report import StudyReport

_TRIED = 100  # evaluations listed
_TEMPLATE = """\
<h2 id="tried">What was tried</h2>
<p class="lede">Defaults have their mean score on the test rows of the leaderboard, before calibration; other configurations that on the rows which chose among them.</p>
{% if study.tried | length > tried | length - 1 %}<p class="lede">The best {{ tried | length - 1 }} of {{ study.tried | length | counted("evaluation") }}; report.json has all.</p>{% endif %}
<details{% if tried | length <= 21 %} open{% endif %}><summary>{{ (tried | length - 1) | counted("evaluation") }}</summary>
{{ parts.grid(tried) }}
</details>
"""


def _values(report: StudyReport) -> dict[str, Any]:
    return {"tried": _evaluations(report.study)}


def _evaluations(study: Study) -> list[list[str]]:
    """Every evaluation, or the best of many, as text: model, configuration, score, time."""
    rows = sorted(study.tried, key=lambda row: _order(row.get("score"), study.main.better(1)))[:_TRIED]
    lines = []
    for row in rows:
        settings = row.get("configuration") or {}
        words = (
            ", ".join(f"{name.rpartition('__')[2]} = {_setting(value)}" for name, value in settings.items())
            or "defaults"
        )
        score = row.get("score")
        result = row.get("error") or ("–" if score is None or score != score else figure(float(score)))
        lines.append([str(row["model"]), words, str(result), f"{row.get('seconds') or 0.0:.1f} s"])
    return [["model", "configuration", study.main.label, "time"], *lines]


def _order(score: float | None, sign: float) -> float:
    return np.inf if score is None or score != score else -sign * score


def _setting(value: Any) -> str:
    return figure(value) if isinstance(value, float) else str(value)


SECTION = Section("tried", "What was tried", _TEMPLATE, _values)
