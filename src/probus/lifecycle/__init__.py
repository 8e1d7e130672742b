"""The study, end to end: ``probus.study`` is its verb.

A table becomes a task (``run``), candidates (``candidates``) are compared on the same splits, and a ``Study`` holds the
comparison and the best model.
"""

from probus.lifecycle.result import Study
from probus.lifecycle.run import study
from probus.lifecycle.source import opened, required_column

__all__ = ["Study", "opened", "required_column", "study"]
