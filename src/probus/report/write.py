"""Writing a result to a file."""

from __future__ import annotations

import os
from pathlib import Path

from probus.errors import DataError
from probus.lifecycle import Study
from probus.persistence.whole_file import write_whole
from probus.report.profile import Profile
from probus.report.profile_page import profile_page
from probus.report.study_page import study_page

__all__ = ["write"]


def write(result: Study | Profile, path: str | os.PathLike[str]) -> Path:
    """Write a study or a profile as one self-contained HTML file, and give its path.

    >>> import tempfile
    >>> from probus.data import Table
    >>> profile = Profile.of(Table.of({"x": [1.0, 2.0, 4.0]}), name="toy")
    >>> write(profile, tempfile.mkdtemp() + "/toy.html").name
    'toy.html'
    """
    if isinstance(result, Study):
        page = study_page(result)
    elif isinstance(result, Profile):
        page = profile_page(result)
    else:
        raise DataError(f"a {type(result).__name__} to report on.", "a Study or a Profile")
    path = Path(path)
    if not path.parent.is_dir():
        raise DataError(f"no folder {str(path.parent)!r} for the report.", "a folder that exists", "Make it first.")
    write_whole(path, page.encode("utf-8", "replace"))  # the name of the data may hold bytes that are not text
    return path
