"""The leaderboard, with the intervals on one axis."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from probus.comparison import Standing
from probus.display import listed, sentence
from probus.lifecycle import Study
from probus.metrics import Estimate
from probus.report._section import Section
from probus.report._study_report import StudyReport

_TEMPLATE = """\
<h2 id="leaderboard">Leaderboard</h2>
<p class="lede">{{ splits }} {{ direction }} Brackets and lines are 95 % intervals of the score of a model trained on as many rows: they allow for other test rows and other training rows.{% if claims %} {{ claims }}.{% endif %}</p>
<div class="scroll">
<table class="board">
<thead><tr><th></th><th>model</th><th class="wide">{{ study.main.label }}
<div class="ticks">{% for tick in axis %}<span style="left:{{ tick.at }}%">{{ tick.label }}</span>{% endfor %}</div></th>
{% for measure in study.measures %}<th class="number">{{ measure.label }}</th>{% endfor %}<th class="number">time</th></tr></thead>
<tbody>
{% for row in board %}
<tr{% if row.rank == 1 %} class="first"{% endif %}>
<td class="muted">{{ row.rank or "–" }}</td><td>{{ row.name }}{% if row.verdict %}<span class="verdict{% if row.tied %} tied{% endif %}" title="difference to the best: {{ row.behind }}{% if row.remark %}; {{ row.remark }}{% endif %}">{{ row.verdict }}</span>{% endif %}</td>
{% if row.rank %}
<td><div class="forest{% if row.tied or row.rank == 1 %} near{% endif %}" title="{{ row.name }}: {{ row.interval }}">{% for tick in axis %}<i style="left:{{ tick.at }}%"></i>{% endfor %}<b style="left:{{ row.left }}%;width:{{ row.width }}%"></b><u style="left:{{ row.at }}%"></u></div></td>
{% for score in row.scores %}<td class="number">{{ score.value }}{% if score.interval %}<small>{{ score.interval }}</small>{% endif %}</td>{% endfor %}
{% else %}
<td class="status{% if row.missing %} muted{% endif %}" colspan="{{ study.measures | length + 1 }}">{{ row.status }}</td>
{% endif %}
<td class="number muted">{{ row.time }}</td></tr>
{% endfor %}
</tbody>
</table>
</div>
{% if legend %}<p><small>{{ legend }}</small></p>{% endif %}
{% if warnings %}
<ul class="notes">{% for line in warnings %}<li>{{ line | sentence }}</li>{% endfor %}</ul>
{% endif %}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    study = report.study
    axis = ForestAxis.over([_drawn_score(study, standing) for standing in study.leaderboard if standing.rank])
    return {
        "splits": sentence(study.splits.how),
        "claims": study.split.claims if study.split.words.by_roles and not study.split.automatic else "",
        "direction": f"{'Higher' if study.main.greater_is_better else 'Lower'} {study.main.label} is better.",
        "axis": axis.ticks(),
        "board": [_line(study, standing, axis) for standing in study.leaderboard],
        "legend": _legend(study),
        "warnings": _warnings(study),
    }


def _legend(study: Study) -> str:
    """How the verdicts were found."""
    board = study.leaderboard
    return " ".join(map(sentence, filter(None, [board.pairs.correction, board.no_interval])))


def _warnings(study: Study) -> list[str]:
    """The warnings of the models, each once with the models that raised it."""
    voices: dict[str, list[str]] = {}
    for name, result in study.results.items():
        for message in result.warnings:
            voices.setdefault(message.partition(": ")[2], []).append(name)
    return [f"{listed(names)} warned: {message}" for message, names in voices.items()]


class ForestAxis:
    """Where numbers lie between the ends of the forest plot, in percent."""

    def __init__(self, low: float, high: float):
        self.low, self.high = low, high

    @classmethod
    def over(cls, scores: list[Estimate]) -> ForestAxis:
        """An axis on which all these intervals lie."""
        ends = [e for s in scores for e in (s.low, s.high, s.value) if math.isfinite(e)]
        low, high = min(ends), max(ends)
        pad = 0.06 * (high - low) or max(abs(high) * 0.05, 1e-6)
        return cls(low - pad, high + pad)

    def percent(self, value: float) -> float:
        """Where a number lies, from 0 to 100."""
        return round(100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 2)

    def ticks(self) -> list[dict[str, Any]]:
        """Round numbers on the axis, and where they lie."""
        from matplotlib.ticker import MaxNLocator

        inside = [t for t in MaxNLocator(nbins=4).tick_values(self.low, self.high) if self.low <= t <= self.high]
        return [{"at": self.percent(t), "label": f"{t:,.10g}"} for t in inside]


def _line(study: Study, standing: Standing, axis: ForestAxis) -> dict[str, Any]:
    """A model as a line of the leaderboard: rank, verdict, scores, and the place of its interval on the axis."""
    score, board = standing.scores[study.main.name], study.leaderboard
    drawn = _drawn_score(study, standing)
    left, right = axis.percent(drawn.low), axis.percent(drawn.high)
    return {
        "rank": standing.rank,
        "name": standing.name,
        "tied": standing.tied,
        "verdict": standing.verdict,
        "remark": board.remark(standing),
        "behind": standing.behind,
        "status": standing.status,
        "missing": standing.name not in study.results,
        "interval": board.printed(standing.name, study.main.name),
        "left": left,
        "width": round(right - left, 2),
        "at": axis.percent(score.value),
        "scores": [score_texts(study, standing.name, m.name) for m in study.measures],
        "time": "–" if not standing.seconds else f"{standing.seconds:.1f} s" if standing.seconds >= 0.05 else "< 0.1 s",
    }


def _drawn_score(study: Study, standing: Standing) -> Estimate:
    """The main score, without an interval where that says nothing."""
    score = standing.scores[study.main.name]
    lacking = study.leaderboard.without_interval(standing.name, study.main.name)
    return replace(score, low=score.value, high=score.value) if lacking else score


def score_texts(study: Study, name: str, measure: str) -> dict[str, str]:
    """A score and its interval as text, or why that says nothing."""
    value, low, high = (text.replace("nan", "–") for text in study.leaderboard.texts(name, measure))
    if value == "–":
        return {"value": value, "interval": ""}
    why = study.leaderboard.without_interval(name, measure)
    return {"value": value, "interval": f"no interval: {why}" if why else f"[{low}, {high}]"}


SECTION = Section("leaderboard", "Leaderboard", _TEMPLATE, _values)
