"""The page of a study: warnings and the answer first, then what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from probus.data import Column, Kind, Task
from probus.data.phrases import holds_phrases
from probus.data.pictures import draw_against
from probus.display import counted, figure, listed, percent, rounded, sentence, shortened
from probus.ensemble.shap import ShapValues
from probus.errors import DataError
from probus.lifecycle import Study
from probus.metrics.curves import CalibrationCurve, plot_curves
from probus.metrics.curves.overlay import MOST_BANDS
from probus.report.board_lines import Axis, board_line, drawn_score, printed
from probus.report.charts import histogram
from probus.report.confusion_table import confusion_table_of
from probus.report.html import column_cards, hidden_columns, render, share_bars
from probus.report.inline_svg import inline_svg, picture
from probus.report.reproduction import command_line, how_exactly, python_code
from probus.report.study_report import StudyReport
from probus.report.summary import Classes, Histogram, summarise

__all__ = ["study_page"]

_CLASSES_COUNTED = 30
_CLASSES_EXPLAINED = 3
_TRIED = 100  # evaluations listed
_DRAWN_AGAINST = 30  # columns
_ROWS_FOR_WIDTHS = 1_000
_CONTENTS = (
    ("leaderboard", "Leaderboard"),
    ("predictions", "Predictions"),
    ("groups", "Groups"),
    ("worst", "Largest errors"),
    ("explanation", "Explanation"),
    ("learning", "More rows"),
    ("findings", "Findings"),
    ("columns", "Columns"),
    ("tried", "What was tried"),
    ("done", "Reproduce"),
)


def study_page(report: StudyReport) -> str:
    """The report of a study as one self-contained HTML page.

    Parameters
    ----------
    report : the report of the study.

    Returns
    -------
    The page.
    """
    study = report.study
    axis = Axis.over([drawn_score(study, standing) for standing in study.leaderboard if standing.rank])
    return render(
        "study.html.j2",
        study=study,
        report=report,
        size=f"{counted(study.task.table.n_rows, 'row')} × {counted(len(report.columns), 'column')}",
        problem=_problem(study),
        best={
            "name": study.best,
            "label": study.main.label,
            **printed(study, study.best, study.main.name),
        },
        verdict=_verdict(study),
        legend=_legend(study),
        baseline=_baseline(study),
        alarms=study.warnings,
        others=[study.about_saved] if study.about_saved else [],
        tried=_tried(study),
        splits=sentence(study.splits.how),
        direction=f"{'Higher' if study.main.greater_is_better else 'Lower'} {study.main.label} is better.",
        axis=axis.ticks(),
        board=[board_line(study, standing, axis) for standing in study.leaderboard],
        warnings=_warnings(study),
        curves=_curve_pictures(report),
        drawn=_intervals_drawn(report),
        calibrated=_calibrated(report),
        widths=_widths(study),
        residuals=_residual_pictures(report),
        confusion=confusion_table_of(report),
        target=_target(study),
        contents=[each for each in _CONTENTS if each[0] != "groups" or study.group_scores],
        worst=report.worst.lines(),
        unlabelled=bool(study.findings.of("PB401")),
        sample=[[column.name for column in report.columns], *(list(row.values()) for row in report.sample)],
        explained=_explanation_pictures(report),
        tree_score=_tree_score(report),
        findings=study.findings.to_dict()["findings"],
        cards=column_cards(report.columns, _roles(study), _against_target(report)),
        hidden=hidden_columns(report.columns),
        facts=_facts(report),
        command=command_line(study),
        python=python_code(study),
        how_exactly=how_exactly(study),
    )


# -- the answer ----------------------------------------------------------------------------------------


def _problem(study: Study) -> str:
    task = study.task
    if not task.classes:
        return "Regression"
    text = f"Classification into {counted(len(task.classes), 'class', 'classes')}"
    return text + (f"; the positive class is {task.pos_label}" if task.pos_label is not None else "")


def _verdict(study: Study) -> str:
    if sum(standing.rank is not None for standing in study.leaderboard) == 1:
        return "It is the only model that finished."
    top = study.leaderboard.best.name
    first = [] if top == study.best else [f"{top} has the best score."]
    return " ".join([*first, *study.comparison.verdicts(), *map(sentence, study.leaderboard.apart_but_undecided())])


def _legend(study: Study) -> str:
    """How the verdicts were found."""
    board = study.leaderboard
    return " ".join(map(sentence, filter(None, [board.pairs.correction, board.no_interval])))


def _baseline(study: Study) -> str:
    if study.baseline == study.leaderboard.best.name or study.leaderboard[study.baseline].behind is None:
        return ""
    return study.comparison.over_baseline(study.baseline)


def _tried(study: Study) -> list[list[str]]:
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


def _warnings(study: Study) -> list[str]:
    """The warnings of the models, each once with the models that raised it."""
    voices: dict[str, list[str]] = {}
    for name, result in study.results.items():
        for message in result.warnings:
            voices.setdefault(message.partition(": ")[2], []).append(name)
    return [f"{listed(names)} warned: {message}" for message, names in voices.items()]


# -- pictures ------------------------------------------------------------------------------------------


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


def _calibrated(report: StudyReport) -> str:
    """Which probabilities the curves show."""
    found = getattr(report.study.model, "calibration_", None)
    if found is None or found.method == "none":
        return ""
    how = f"as those of the saved model are ({found.method})"
    return f"The probabilities are calibrated {how}, each row by a map that was not fitted on it."


def _intervals_drawn(report: StudyReport) -> str:
    """What the bands and bars of the pictures are."""
    if report.residuals is not None:
        return (
            "Orange bars are 95 % intervals of the mean of each tenth of the rows. The blue band holds 80 % of the "
            "residuals, the grey one 95 % of those of a normal distribution."
        )
    bands = len(report.roc) <= MOST_BANDS and any(curve.band for curve in report.roc)
    return f"{'Bands and bars' if bands else 'Bars'} are 95 % intervals." if report.roc else ""


def _tree_score(report: StudyReport) -> str:
    """The score of the small tree, and whether it is worth anything."""
    tree, study = report.explanations.tree, report.study
    if tree is None:
        return ""
    text = f"At most three splits in a row: {tree.measure.label} {tree.score} on rows it was not trained on."
    zero_r = study.leaderboard[study.baseline].scores[study.main.name]
    if study.main.better(tree.score.value) > study.main.better(zero_r.value):
        return text
    return f"{text} That is not better than {study.baseline}: it describes these rows, and is no model to predict with."


def _residual_pictures(report: StudyReport) -> list[Markup]:
    found = report.residuals
    if found is None:
        return []
    return [
        picture(found.plot_observed, "Observed against predicted values, with the mean of each tenth"),
        picture(found.plot, "Residuals against predicted values, with the band of 80 % of the rows"),
        picture(found.plot_quantiles, "Quantiles of the residuals against a normal distribution, with a 95 % band"),
    ]


def _explanation_pictures(report: StudyReport) -> dict[str, Any]:
    """Importance, Shapley values, the oddest rows in steps, the learning curve and the tree; None where missing."""
    found = report.explanations
    pictures: dict[str, Any] = dict.fromkeys(("importance", "learning", "tree"))
    pictures |= {"shapley": [], "waterfalls": []}
    skipped = {name: why for name, why in found.skipped.items() if name != "learning curve"}
    pictures["skipped"] = [f"{name} not computed: {why}" for name, why in skipped.items()]
    if found.importance:
        height = 90 + 20 * min(len(found.importance.names), 15)
        pictures["importance"] = picture(found.importance.plot, "Loss of score by column", width=430, height=height)
    if found.shap is not None:
        pictures["shapley"] = list(_shapley_pictures(found.shap, report.study.task))
    for each in found.waterfalls:
        label = f"Row {each.row}: what each column adds to the prediction"
        pictures["waterfalls"].append(picture(each.plot, label, width=400, height=90 + 22 * len(each.names)))
    if found.learning:
        draw = found.learning.plot
        title = f"{report.study.best}, intervals of 95 %"
        pictures["learning"] = picture(partial(_learning_curve, draw, title), "Learning curve", width=460, height=300)
    if found.tree:
        pictures["tree"] = inline_svg(*found.tree.drawn(), f"A small tree: {found.tree.text}", fixed=True, plain=True)
    return pictures


def _learning_curve(draw: Any, title: str, ax: Any) -> Any:
    """The curve under the name that the family has in the leaderboard."""
    draw(axes=ax)
    shown = ax.get_title(loc="left")
    ax.set_title(title + shown[len(shown.partition(";")[0]) :], loc="left", fontsize="medium")
    return ax


def _shapley_pictures(shap: ShapValues, task: Task) -> Iterator[Markup]:
    """A beeswarm for one output, or for each of the most frequent classes."""
    height = 90 + 26 * min(len(shap.feature_names), 12)
    shap = replace(shap, feature_names=tuple(shortened(name, 24) for name in shap.feature_names))
    rows = Counter(map(str, task.y.tolist()))
    frequent = sorted(shap.outputs, key=lambda label: -rows[str(label)])
    for output in frequent[:_CLASSES_EXPLAINED] or (None,):
        one = shap if output is None else shap[output]
        label = "Shapley values of the columns" + ("" if output is None else f" for {output}")
        title = "" if output is None else f"Probability of {shortened(str(output), 18)}"
        yield picture(partial(_beeswarm, one, title), label, width=460, height=height)


def _beeswarm(shap: ShapValues, title: str, ax: Any) -> Any:
    ax = shap.plot(ax, kind="beeswarm")
    if title:
        ax.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return ax


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
            partial(_untitled, task.table[name], target), f"{task.target} against {name}", width=280, height=170
        )
        for name in drawn
        if task.table[name].kind is not Kind.TEXT
    }


def _untitled(column: Column, target: Column, ax: Any) -> Any:
    draw_against(column, target, ax)
    ax.set_title("", loc="left")
    return ax


# -- the table and the settings ------------------------------------------------------------------------


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
