"""The study, end to end: ``probus.study`` is its verb.

A table becomes a task (``study_run``), candidates (``candidates``) are compared on the same splits, and a ``Study``
holds the comparison and the best model.
"""

from probus.lifecycle.source import opened, required_column
from probus.lifecycle.study_result import Study
from probus.lifecycle.study_run import study

__all__ = ["Study", "opened", "required_column", "study"]
