"""The study, end to end: ``probus.study`` is its verb.

A table becomes a task (``run``), candidates meet the same splits (``candidates``, ``splits``, ``trial``), scores become
estimates and an order (``measures``, ``intervals``, ``leaderboard``), and a ``Study`` holds the result.
"""

from probus.lifecycle.intervals import corrected_interval
from probus.lifecycle.leaderboard import Leaderboard, Standing
from probus.lifecycle.result import Study
from probus.lifecycle.run import study
from probus.lifecycle.source import opened, required_column
from probus.lifecycle.trial import Failure, Trial

__all__ = [
    "Failure",
    "Leaderboard",
    "Standing",
    "Study",
    "Trial",
    "corrected_interval",
    "opened",
    "required_column",
    "study",
]
