"""The page of a study: warnings and the answer first, then what it rests on."""

from __future__ import annotations

from markupsafe import Markup

from probus.display import counted, sentence
from probus.lifecycle import Study
from probus.report._html import render
from probus.report._study_report import StudyReport
from probus.report.sections import SECTIONS
from probus.report.sections._leaderboard import score_texts


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
    sections = {section: text for section in SECTIONS if (text := section.html(report)) is not None}
    return render(
        "study.html.j2",
        study=study,
        size=f"{counted(study.task.table.n_rows, 'row')} × {counted(len(report.columns), 'column')}",
        problem=_problem(study),
        best={"name": study.best, "label": study.main.label, **score_texts(study, study.best, study.main.name)},
        verdict=_verdict(study),
        baseline=_baseline(study),
        contents=list(sections),
        sections=Markup("\n").join(sections.values()),
    )


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


def _baseline(study: Study) -> str:
    if study.baseline == study.leaderboard.best.name or study.leaderboard[study.baseline].behind is None:
        return ""
    return study.comparison.over_baseline(study.baseline)
