"""The page of a study: the answer first, then what it rests on."""

from __future__ import annotations

import csv
import io
import math
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from probus import __version__
from probus.comparison import Standing
from probus.data.phrases import holds_phrases
from probus.display import counted, listed
from probus.lifecycle import Study
from probus.metrics import Estimate
from probus.report.charts import agreement, histogram
from probus.report.html import column_cards, hidden_columns, render, share_bars
from probus.report.summary import Classes, Histogram, summarise

__all__ = ["study_page"]

_CLASSES_CONFUSED = 30


def study_page(study: Study) -> str:
    """The study as one self-contained HTML page."""
    table, task = study.task.table, study.task
    classes = Classes.of(table[task.target], table.n_rows)
    columns = [summarise(column, classes) for column in table]
    axis = _Axis.over([s.scores[study.main.name] for s in study.leaderboard if s.rank])
    return render(
        "study.html.j2",
        study=study,
        size=f"{counted(table.n_rows, 'row')} × {counted(len(columns), 'column')}",
        problem=_problem(study),
        best={
            "name": study.best,
            "label": study.main.label,
            **_printed(study.leaderboard.best.scores[study.main.name], study.leaderboard.decimals(study.main.name)),
        },
        verdict=_verdict(study),
        legend=_legend(study),
        baseline=_baseline(study),
        alarms=_alarms(study),
        splits=study.splits.how[0].upper() + study.splits.how[1:],
        direction=f"{'Higher' if study.main.greater_is_better else 'Lower'} {study.main.label} is better.",
        axis=axis.ticks(),
        board=[_line(study, standing, axis) for standing in study.leaderboard],
        warnings=_warnings(study),
        findings=study.findings.to_dict()["findings"],
        classes=classes.names if len(classes.names) > 1 else (),
        cards=column_cards(columns, _roles(study)),
        hidden=hidden_columns(columns),
        facts=_facts(study),
        command=_command(study),
        python=_python(study),
        **_row_by_row(study),
    )


# -- the answer ----------------------------------------------------------------------------------------


def _problem(study: Study) -> str:
    task = study.task
    if not task.classes:
        return "Regression"
    text = f"Classification into {counted(len(task.classes), 'class', 'classes')}"
    return text + (f", positive: {task.pos_label}" if task.pos_label is not None else "")


def _verdict(study: Study) -> str:
    if sum(standing.rank is not None for standing in study.leaderboard) == 1:
        return "It is the only model that finished."
    return " ".join([*study.comparison.verdicts(), *(f"{each}." for each in _apart(study))])


def _apart(study: Study) -> list[str]:
    return [each[0].upper() + each[1:] for each in study.leaderboard.apart_but_undecided()]


def _legend(study: Study) -> str:
    """How the verdicts were found."""
    text = study.leaderboard.pairs.correction
    return text[:1].upper() + text[1:]


def _baseline(study: Study) -> str:
    if study.baseline == study.best:
        return "That is the baseline, which ignores the features: no model is better."
    if study.leaderboard[study.baseline].behind is None:
        return ""
    return study.comparison.over_baseline(study.baseline)


def _alarms(study: Study) -> list[str]:
    """What would make the scores a lie: leaks, as the examination found them."""
    return [
        f"{finding.column}: {finding.evidence}" if finding.column else finding.evidence
        for finding in study.findings
        if finding.title == "leak" and finding.column not in study.left_out
    ]


# -- the leaderboard -----------------------------------------------------------------------------------


class _Axis:
    """Where numbers lie between the ends of the forest plot, in percent."""

    def __init__(self, low: float, high: float):
        self.low, self.high = low, high

    @classmethod
    def over(cls, scores: list[Estimate]) -> _Axis:
        ends = [e for s in scores for e in (s.low, s.high, s.value) if math.isfinite(e)]
        low, high = min(ends), max(ends)
        pad = 0.06 * (high - low) or max(abs(high) * 0.05, 1e-6)
        return cls(low - pad, high + pad)

    def percent(self, value: float) -> float:
        return round(100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 2)

    def ticks(self) -> list[dict[str, Any]]:
        from matplotlib.ticker import MaxNLocator

        inside = [t for t in MaxNLocator(nbins=4).tick_values(self.low, self.high) if self.low <= t <= self.high]
        return [{"at": self.percent(t), "label": f"{t:.6g}".replace("-", "−")} for t in inside]


def _line(study: Study, standing: Standing, axis: _Axis) -> dict[str, Any]:
    score = standing.scores[study.main.name]
    left, right = axis.percent(score.low), axis.percent(score.high)
    return {
        "rank": standing.rank,
        "name": standing.name,
        "tied": standing.tied,
        "verdict": standing.verdict,
        "remark": study.leaderboard.remark(standing),
        "behind": standing.behind,
        "status": standing.status,
        "interval": str(score),
        "left": left,
        "width": round(right - left, 2),
        "at": axis.percent(score.value),
        "scores": [_printed(standing.scores[m.name], study.leaderboard.decimals(m.name)) for m in study.measures],
        "time": f"{standing.seconds:.1f} s",
    }


def _printed(score: Estimate, decimals: int) -> dict[str, str]:
    def text(number: float) -> str:
        return f"{number:.{decimals}f}".replace("-", "−").replace("inf", "∞").replace("nan", "–")

    return {"value": text(score.value), "low": text(score.low), "high": text(score.high)}


def _warnings(study: Study) -> list[str]:
    """The warnings of the models, each once with the models that raised it."""
    voices: dict[str, list[str]] = {}
    for name, result in study.results.items():
        for message in result.warnings:
            voices.setdefault(message.partition(": ")[2], []).append(name)
    return [f"{listed(names)} warned: {message}" for message, names in voices.items()]


# -- the best model ------------------------------------------------------------------------------------


def _row_by_row(study: Study) -> dict[str, Any]:
    task = study.task
    target = task.table[task.target]
    if not task.classes:
        shape = summarise(target, Classes.of(None, len(target))).shape
        assert isinstance(shape, Histogram)
        return {
            "confusion": None,
            "balance": None,
            "agreement": agreement(target.values, study.results[study.best].pooled().need("predicted")),
            "target_histogram": histogram(shape, width=380, height=130),
        }
    counts = np.bincount(target.values, minlength=len(task.classes))
    shown = np.argsort(-counts, kind="stable")[:_CLASSES_CONFUSED]
    bars = share_bars(
        [str(task.classes[i]) for i in shown],
        np.diag(counts)[:6][:, shown] if len(counts) <= 6 else counts[None, shown],
    )
    for bar, i in zip(bars, shown, strict=True):
        bar["count"] += f" ({counts[i] / len(target):.0%})"
    return {
        "confusion": _confusion(study) if len(task.classes) <= _CLASSES_CONFUSED else None,
        "balance": bars,
        "agreement": None,
        "target_histogram": None,
    }


def _confusion(study: Study) -> dict[str, Any]:
    counts = study.confusion()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    names = [str(label) for label in study.task.classes]
    lines = [
        {
            "name": name,
            "cells": [
                {"count": f"{n:,}", "share": round(float(share), 3), "percent": f"{share:.0%}"}
                for n, share in zip(counts[i], shares[i], strict=True)
            ],
        }
        for i, name in enumerate(names)
    ]
    return {"names": names, "lines": lines}


def _roles(study: Study) -> dict[str, tuple[str, bool]]:
    roles = {column.name: ("used as text", False) for column in study.task.X if holds_phrases(column)}
    roles |= {name: (f"left out: {reason}", True) for name, reason in study.left_out.items()}
    roles[study.task.target] = ("target", False)
    if study.task.group:
        roles[study.task.group] = ("group", False)
    return roles


# -- what was done -------------------------------------------------------------------------------------


def _facts(study: Study) -> list[tuple[str, str]]:
    used, score = study.settings, study.leaderboard.best.scores[study.main.name]
    left_out = "; ".join(f"{name} ({reason})" for name, reason in study.left_out.items())
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn", "numba"))
    facts = [
        ("data", f"{study.name}: {counted(len(study.task), 'row')}, {counted(len(study.features), 'feature')}"),
        ("left out", left_out),
        ("grouped by", study.task.group or ""),
        ("splits", f"{study.splits.how}, seed {used['random_state']}, the same for every model"),
        ("intervals", f"{100 * score.level:g} %, {score.method}, n = {len(study.splits)} splits"),
        ("preparation", "probus.tabular: what each model needs, fitted on the training rows of each split"),
        ("final model", f"{study.best}, fitted on all {counted(len(study.task), 'row')}"),
        ("its features", "; ".join(study.preparation)),
        ("time", f"{study.seconds:.1f} s"),
        ("versions", f"Probus {__version__}, Python {platform.python_version()}, {libraries}"),
    ]
    return [(name, value) for name, value in facts if value]


def _changed(study: Study) -> dict[str, Any]:
    """The settings beyond the target that somebody chose."""
    names = ("kinds", "read", "pos_label", "group", "time", "cv", "scoring")
    chosen = {name: study.settings[name] for name in names if study.settings[name] not in (None, {})}
    if chosen.get("scoring") in ("accuracy", "rmse"):
        del chosen["scoring"]
    return {**chosen, "random_state": study.settings["random_state"]}


_OPTIONS = {"pos_label": "positive", "random_state": "seed"}  # parameters that the command line calls otherwise


def _command(study: Study) -> str:
    """The command line; empty if the data came from memory."""
    if study.source is None:
        return ""
    words = ["probus", "study", study.source, "--target", study.task.target]
    for name, value in _changed(study).items():
        if name == "kinds":
            for column, kind in value.items():
                words += ["--kind", f"{column}={kind if isinstance(kind, str) else '<'.join(map(str, kind))}"]
        elif name == "read":
            for option, given in value.items():
                words += [f"--{option}", _comma_separated(given) if option == "columns" else str(given)]
        elif isinstance(value, list):
            words += [word for each in value for word in (f"--{name}", str(each))]
        else:
            words += [f"--{_OPTIONS.get(name, name)}", f"{value:g}s" if name == "time" else str(value)]
    return shlex.join(words)


def _comma_separated(names: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _python(study: Study) -> str:
    target = study.settings["target"]
    arguments = {**({} if target is None else {"target": target}), **_changed(study)}
    text = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"import probus\nresult = probus.study({study.settings['data']}, {text})"
