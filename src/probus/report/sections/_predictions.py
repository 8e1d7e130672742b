"""How good the predictions are: curves, residuals, and what is confused with what."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from probus.display import percent, rounded
from probus.errors import DataError
from probus.lifecycle import Study
from probus.metrics import CalibrationCurve, PrecisionRecallCurve, RocCurve, plot_curves
from probus.metrics.curves import MOST_BANDS
from probus.report._charts import histogram
from probus.report._confusion_table import confusion_table_of
from probus.report._html import share_bars
from probus.report._inline_svg import picture
from probus.report._section import Section
from probus.report._study_report import StudyReport
from probus.report._summary import Classes, Histogram, summarise

_CLASSES_COUNTED = 30
_ROWS_FOR_WIDTHS = 1_000
_TEMPLATE = r"""<h2 id="predictions">How good the predictions are</h2>
<p class="lede">{{ study.best }} on rows it was not trained on: each row{% if study.splits.forward or study.task.time %} but the earliest ones{% endif %} predicted once{% if study.splits.repeats > 1 %}, in the first repeat{% endif %}, all splits together{% if report.roc | length == 1 %}; the leaderboard has the mean area under the ROC curves of the splits{% endif %}.{% if drawn %} {{ drawn }}{% endif %}{% if calibrated %} {{ calibrated }}{% endif %}{% if widths %} {{ widths }}{% endif %}</p>
{% if curves or residuals %}
<div class="pictures">{% for each in curves + residuals %}<figure>{{ each }}</figure>{% endfor %}</div>
{% endif %}
<div class="pair{% if confusion and confusion.names | length > 4 %} stacked{% endif %}">
{% if confusion %}
<div{% if confusion.costs %} data-costs="{{ confusion.costs.data }}"{% endif %}>
<h3>Right and wrong</h3>
<p class="lede">{{ confusion.decision }} Shares are of the actual class.{% if study.task.weight %} The table counts each row once, whatever its {{ study.task.weight }}.{% endif %}</p>
<div class="scroll">
<table class="confusion{% if confusion.dense %} dense{% endif %}">
<caption class="hidden">Confusion matrix: actual class down, predicted class across</caption>
<thead><tr><th>actual \ predicted</th>{% for name in confusion.names %}<th scope="col" class="number">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>{% for line in confusion.lines %}<tr><th scope="row">{{ line.name }}</th>{% for cell in line.cells %}<td class="{{ 'right' if cell.right else 'wrong' }}" style="--share:{{ cell.share }}"{% if confusion.dense %} title="{{ line.name }}: {{ cell.percent }}">{% if cell.share %}{{ cell.count }}{% endif %}{% else %}><span>{{ cell.count }}</span><small>{{ cell.percent }}</small>{% endif %}</td>{% endfor %}</tr>{% endfor %}</tbody>
</table>
</div>
{% if confusion.costs %}
<div class="slider" hidden>
<label>A missed {% if confusion.costs.classes | length > 1 %}<select aria-label="class">{% for name in confusion.costs.classes %}<option>{{ name }}</option>{% endfor %}</select>{% else %}<b>{{ confusion.costs.classes[0] }}</b>{% endif %} costs <b class="cost">1</b> times {{ "what the saved model takes it to cost" if confusion.costs.relative else "as much as any other error" }}
<input type="range" min="0" max="{{ confusion.costs.last }}" value="{{ confusion.costs.start }}" step="1"></label>
<div class="saved" aria-hidden="true">{% if confusion.costs.place > 50 %}<span class="before" style="left:{{ confusion.costs.place }}%">saved model ▴</span>{% else %}<span style="left:{{ confusion.costs.place }}%">▴ saved model</span>{% endif %}</div>
<output></output>
</div>
{% endif %}
</div>
{% endif %}
<div>
{% if target.bars %}
<h3>Class balance</h3>
{{ parts.bars(target.bars) }}
{% else %}
<h3>{{ study.task.target }}</h3>
{{ target.histogram }}
{% endif %}
</div>
</div>
{% if confusion and confusion.costs %}
<script>
{% include "costs.js" %}
</script>
{% endif %}
"""


def _values(report: StudyReport) -> dict[str, Any]:
    return {
        "curves": _curve_pictures(report),
        "drawn": _intervals_text(report),
        "calibrated": _calibration_text(report),
        "widths": _widths(report.study),
        "residuals": _residual_pictures(report),
        "confusion": confusion_table_of(report),
        "target": _target(report.study),
    }


def _data(report: StudyReport) -> dict[str, Any]:
    return {
        "curves": {
            "roc": [_points(curve) for curve in report.roc],
            "precision_recall": [_points(curve) for curve in report.precision_recall],
            "calibration": report.calibration,
        },
        "confusion": report.confusion,
        "costs": report.costs,
        "residuals": report.residuals,
    }


def _curve_pictures(report: StudyReport) -> list[Markup]:
    """ROC, precision–recall and calibration, the classes laid over each other or side by side."""
    if not report.roc:
        return []
    if len(report.roc) == 1:
        roc, precision_recall, calibration = report.roc[0], report.precision_recall[0], report.calibration[0]
        return [
            picture(roc.plot, f"ROC curve for {roc.label}: area {roc.area}"),
            picture(precision_recall.plot, f"Precision–recall curve for {roc.label}: {precision_recall.area}"),
            picture(partial(_calibration, calibration), f"Calibration curve for {roc.label}"),
        ]
    pictures = []
    for curves in (report.roc, report.precision_recall):
        named = {str(curve.label): curve for curve in curves}
        areas = ", ".join(f"{name} {curve.area}" for name, curve in named.items())
        pictures.append(picture(partial(plot_curves, named), f"{curves[0].title}s: {areas}"))
    pictures += [
        picture(partial(_calibration, each), f"Calibration curve for {each.label}") for each in report.calibration
    ]
    return pictures


def _calibration(curve: CalibrationCurve, ax: Any) -> Any:
    """The curve; bins of equally many rows without the histogram, and near 0 where they are."""
    from matplotlib.ticker import MaxNLocator

    ax = curve.plot(ax)
    if curve.strategy == "quantile":
        for strip in ax.child_axes:
            strip.set_visible(False)
        most = 1.05 * max(curve.high.max(), curve.predicted.max())
        if most < 0.5:
            ax.set(xlim=(0, most), ylim=(0, most))
            ax.lines[0].set_data([0, most], [0, most])  # a page clips no line at the ends of the axes
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(4))
    return ax


def _widths(study: Study) -> str:
    """How wide the intervals of the saved model are."""
    if not hasattr(study.model, "predict_interval"):
        return ""
    X = study.task.X.select(*study.features)
    rows = np.random.default_rng(0).permutation(len(X))[:_ROWS_FOR_WIDTHS]
    try:
        low, high = study.model.predict_interval(X.take(np.sort(rows)), level=0.9).T
    except DataError:  # too few rows for this level
        return ""
    narrow, middle, wide = (rounded(width, 3) for width in np.quantile(high - low, (0.1, 0.5, 0.9)))
    text = f"The saved model's intervals of 90 % have a median width of {middle}"
    return f"{text}." if narrow == wide else f"{text}, eight of ten between {narrow} and {wide}."


def _calibration_text(report: StudyReport) -> str:
    """Which probabilities the curves show."""
    found = getattr(report.study.model, "calibration_", None)
    if found is None or found.method == "none":
        return ""
    how = f"as those of the saved model are ({found.method})"
    return f"The probabilities are calibrated {how}, each row by a map that was not fitted on it."


def _intervals_text(report: StudyReport) -> str:
    """What the bands and bars of the pictures are."""
    if report.residuals is not None:
        return (
            "Orange bars are 95 % intervals of the mean of each tenth of the rows. The blue band holds 80 % of the "
            "residuals, the grey one 95 % of those of a normal distribution."
        )
    bands = len(report.roc) <= MOST_BANDS and any(curve.band for curve in report.roc)
    return f"{'Bands and bars' if bands else 'Bars'} are 95 % intervals." if report.roc else ""


def _residual_pictures(report: StudyReport) -> list[Markup]:
    found = report.residuals
    if found is None:
        return []
    return [
        picture(found.plot_observed, "Observed against predicted values, with the mean of each tenth"),
        picture(found.plot, "Residuals against predicted values, with the band of 80 % of the rows"),
        picture(found.plot_quantiles, "Quantiles of the residuals against a normal distribution, with a 95 % band"),
    ]


def _target(study: Study) -> dict[str, Any]:
    """The classes with their frequencies, or the distribution of the numbers."""
    target, task = study.task.table[study.task.target], study.task
    if not task.classes:
        shape = summarise(target, Classes.of(None, len(target))).shape
        assert isinstance(shape, Histogram)
        return {"bars": None, "histogram": histogram(shape, width=380, height=130)}
    counts = np.bincount(target.values, minlength=len(task.classes))
    shown = np.argsort(-counts, kind="stable")[:_CLASSES_COUNTED]
    by_class = np.diag(counts)[:6][:, shown] if len(counts) <= 6 else counts[None, shown]
    bars = share_bars([str(task.classes[i]) for i in shown], by_class)
    for bar, i in zip(bars, shown, strict=True):
        bar["count"] += f" ({percent(counts[i] / len(target))})"
    return {"bars": bars}


def _points(curve: RocCurve | PrecisionRecallCurve) -> dict[str, Any]:
    """The band of a curve, which has no more than 201 points, and its area."""
    return {"label": curve.label, "area": curve.area, "band": curve.band}


SECTION = Section("predictions", "Predictions", _TEMPLATE, _values, _data)
