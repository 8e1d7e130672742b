"""The study, end to end: ``probus.study`` is its verb.

A table becomes a task (``run``), candidates (``candidates``) meet the same splits, a leaderboard orders them, and a
``Study`` holds the result.
"""

from probus.lifecycle.result import Study
from probus.lifecycle.run import study
from probus.lifecycle.source import opened, required_column

__all__ = ["Study", "opened", "required_column", "study"]
