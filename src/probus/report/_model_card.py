"""The model card: what a person who receives the saved model must know about it, as Markdown."""

from __future__ import annotations

import numpy as np

from probus.data import level_key
from probus.data.findings import Finding
from probus.display import counted, listed, percent, sentence
from probus.lifecycle import Study
from probus.report._confusion_table import decision_of
from probus.report._reproduction import command_line, python_code
from probus.report._study_report import StudyReport

_FEATURES_LISTED = 60
_COLUMNS_NAMED = 12  # of a warning about several


def model_card(report: StudyReport) -> str:
    """The model card of a study's model, as Markdown: purpose, data, score, limits, features and versions.

    Parameters
    ----------
    report : the report of the study.

    Returns
    -------
    The text.
    """
    study = report.study
    sections = {
        "What it predicts": _predicts(study),
        "How good it is": _score(report),
        "Data": _data(report),
        "Uncertainty": _uncertainty(study),
        "Intended use": _use(study),
        "Limits": _limits(report),
        "Decisions": _decisions(report),
        "Features": _features(report),
        "How to use it": _usage(study),
        "How it was made": _creation(report),
    }
    body = "\n\n".join(f"## {title}\n\n" + "\n".join(lines) for title, lines in sections.items() if lines)
    return f"# Model card: {_plain(study.subject)}\n\n{body}\n"


def _predicts(study: Study) -> list[str]:
    task = study.task
    if not task.classes:
        return [f"The number **{_plain(task.target)}**, by {study.best}."]
    classes = ", ".join(_plain(level_key(label)) for label in task.classes[:20]) + (
        ", …" if len(task.classes) > 20 else ""
    )
    positive = f"; the positive class is {_plain(str(task.pos_label))}" if task.pos_label is not None else ""
    return [f"The class **{_plain(task.target)}** ({classes}{positive}), by {study.best}."]


def _score(report: StudyReport) -> list[str]:
    study = report.study
    board = study.leaderboard
    lines = [f"- {measure.label}: {board.printed(study.best, measure.name)}" for measure in study.measures]
    if study.baseline != study.best and board[study.baseline].rank:
        score = board.printed(study.baseline, study.main.name)
        lines.append(f"- {study.main.label} of {study.baseline}, which ignores the features: {score}")
    if study.about_saved:
        lines.append(f"- {_plain(study.about_saved)}")
    lines += [f"- {_plain(each)}" for each in (study.split.claims, study.on_new_rows) if each]
    return [f"On rows it was not trained on ({study.splits.how}), with 95 % intervals:", "", *lines]


def _data(report: StudyReport) -> list[str]:
    study = report.study
    table = study.task.table
    missing = sum(column.missing for column in report.columns)
    share = f"{percent(missing / (table.n_rows * len(report.columns)))} of the values" if missing else "no value"
    lines = [
        f"{_plain(study.name)}: {counted(table.n_rows, 'row')}, {counted(len(report.columns), 'column')}, "
        f"{share} missing."
    ]
    if study.task.classes:
        counts = np.bincount(table[study.task.target].values, minlength=len(study.task.classes))
        shown = zip(study.task.classes[:20], counts, strict=False)
        lines.append("Rows of each class: " + ", ".join(f"{_plain(level_key(c))}: {n:,}" for c, n in shown) + ".")
    if study.task.weight:
        lines.append(f"Rows are weighted by {_plain(study.task.weight)}.")
    return lines


def _uncertainty(study: Study) -> list[str]:
    """What its intervals or sets promise."""
    how = getattr(study.model, "uncertainty", None)
    if how is None:
        return ["It predicts without intervals or sets."]
    what, kind = ("prediction sets", "class") if study.task.classes else ("prediction intervals", "value")
    units = "rows of new groups" if study.task.group else "rows"
    by_class = bool(study.task.classes) and study.model.sets_by_class(0.9)
    among = f"of the {units} of each class" if by_class else f"of the {units} on average"
    more = " (in more where the model itself is right more often)" if study.task.classes else ""
    dates = [column.name for column in study.task.X if column.dates]
    lines = [
        f"Its {what} of level 90 % contain the true {kind} in 90 % {among}{more}, if new rows "
        f"are drawn as those of {_plain(study.name)} were. It has {how}."
    ]
    if dates and not study.task.time:
        lines.append(
            f"Rows have dates ({', '.join(map(_plain, dates[:3]))}): rows of later dates may differ, and nothing is "
            "promised for them."
        )
    return lines


def _use(study: Study) -> list[str]:
    return [
        f"Rows that come from the same source as those of {_plain(study.name)}, with the same columns known at the "
        "time of the prediction. Whether a decision about a person may rest on it is for its user to judge.",
    ]


def _limits(report: StudyReport) -> list[str]:
    study = report.study
    lines = [
        "- Rows of another time, place or population may be predicted worse than the score says.",
        *(f"- {_plain(sentence(note))}" for note in study.all_notes),
        *_warning_lines(study),
    ]
    if report.worst.rows.size:
        rows = [str(row) for row in report.worst.rows[:5]]
        among = " among those with a target" if study.findings.of("PB401") else ""
        where = f"row{'s' * (len(rows) > 1)} {listed(rows)}"
        lines.append(f"- The largest errors are on {where}, counted from 0{among}.")
    return lines


def _warning_lines(study: Study) -> list[str]:
    """A line for each kind of finding that is an error or a warning: the first in full, the columns of others."""
    kinds: dict[str, list[Finding]] = {}
    for each in study.findings:
        if each.severity in ("error", "warning"):
            kinds.setdefault(f"{each.code} {each.title}", []).append(each)
    lines = []
    for kind, (first, *others) in kinds.items():
        text = _plain(f"{first.column}: " * bool(first.column) + first.evidence)
        names = list(dict.fromkeys(_plain(str(each.column)) for each in others))
        also = f" Also reported for {listed(names, most=_COLUMNS_NAMED)}." if others else ""
        lines.append(f"- {kind}: {text}{also}")
    return lines


def _decisions(report: StudyReport) -> list[str]:
    if not report.study.task.classes:
        return []
    return [f"{_plain(decision_of(report.study))} The report shows other costs."]


def _features(report: StudyReport) -> list[str]:
    study = report.study
    kinds = {column.name: column.what for column in report.columns}
    names = study.features[:_FEATURES_LISTED]
    lines = [f"- {_plain(name)} ({kinds[name]})" for name in names]
    if len(study.features) > len(names):
        lines.append(f"- and {counted(len(study.features) - len(names), 'more column')}")
    return [*lines, *(f"- not used: {_plain(name)} ({reason})" for name, reason in study.left_out.items())]


def _usage(study: Study) -> list[str]:
    return [
        "```python",
        "import probus",
        'model = probus.load("model.probus")',
        'model.predict(probus.read("new.csv"))',
        *_usage_of_uncertainty(study),
        "```",
    ]


def _usage_of_uncertainty(study: Study) -> list[str]:
    if not hasattr(study.model, "uncertainty"):
        return []
    verb = "predict_set" if study.task.classes else "predict_interval"
    return [f'model.{verb}(probus.read("new.csv"), level=0.9)']


def _creation(report: StudyReport) -> list[str]:
    study = report.study
    command = command_line(study)
    versions = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    code = ["```", *([command] if command else []), "```"] if command else ["```python", python_code(study), "```"]
    return [*code, "", f"In {study.seconds:.0f} s with {versions}."]


def _plain(text: str) -> str:
    """Text that Markdown shows unchanged, on one line."""
    for mark in "\\`*_<>[]#|":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
