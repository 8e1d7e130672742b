"""Writing a result to files."""

from __future__ import annotations

import json
import os
from pathlib import Path

from probus.errors import DataError
from probus.fairness import Audit
from probus.lifecycle import Study
from probus.persistence.whole_file import write_whole
from probus.report._audit_page import audit_page
from probus.report._model_card import model_card
from probus.report._profile_page import profile_page
from probus.report._study_page import study_page
from probus.report._study_report import StudyReport
from probus.report._table_profile import Profile


def write(
    result: Study | StudyReport | Profile | Audit, path: str | os.PathLike[str], *, time: float | None = None
) -> Path:
    """Write a study, a profile or an audit as one self-contained HTML file, and give its path.

    A path that ends in .json gives the same content as data; .md gives the model card of a study. ``time`` is that of
    ``StudyReport.of``.

    Parameters
    ----------
    result : a study, a profile or an audit.
    path : the file; its extension says the format.
    time : as of ``StudyReport.of``.

    Returns
    -------
    The path.

    >>> import tempfile
    >>> from probus.data import Table
    >>> profile = Profile.of(Table.of({"x": [1.0, 2.0, 4.0]}), name="toy")
    >>> write(profile, tempfile.mkdtemp() + "/toy.html").name
    'toy.html'
    """
    path = Path(path)
    if not isinstance(result, (Study, StudyReport, Profile, Audit)):
        raise DataError(f"a {type(result).__name__} to report on.", "a Study or a Profile, or an Audit")
    if not path.parent.is_dir():
        raise DataError(f"no folder {str(path.parent)!r} for the report.", "a folder that exists", "Make it first.")
    if isinstance(result, Study):
        result = StudyReport.of(result, time=time)
    text = _text(result, path.suffix.lower())
    write_whole(path, text.encode("utf-8", "replace"))  # the name of the data may hold bytes that are not text
    return path


def write_folder(study: Study, folder: str | os.PathLike[str], *, time: float | None = None) -> tuple[Path, Path, Path]:
    """Write ``report.html``, ``report.json`` and the model card ``model.md`` of a study, and give their paths.

    Parameters
    ----------
    study : the study.
    folder : the folder, which is made where there is none.
    time : as of ``StudyReport.of``.

    Returns
    -------
    The three paths.
    """
    report = StudyReport.of(study, time=time)
    page, data, card = (write(report, Path(folder) / name) for name in ("report.html", "report.json", "model.md"))
    return page, data, card


def _text(result: StudyReport | Profile | Audit, suffix: str) -> str:
    if suffix == ".json":
        return _json(result)
    if isinstance(result, Audit):
        return audit_page(result)
    if isinstance(result, Profile):
        return profile_page(result)
    return model_card(result) if suffix == ".md" else study_page(result)


def _json(result: StudyReport | Profile | Audit) -> str:
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
