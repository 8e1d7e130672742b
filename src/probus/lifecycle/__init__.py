"""The study, end to end: ``probus.study`` is its verb.

``study_task`` makes a task of what is given, and examines it. ``families`` has the models; ``family_fits`` fits one of
them on the rows of one split, ``family_search`` tunes one, ``elimination`` shares the time among all, in the processes
of ``fit_pool``, remembered by ``study_archive``. ``conclusion`` compares them, perhaps with an ensemble (``stacked``),
and ``final_model`` fits the best. A ``Study`` holds it all.
"""

from probus.borrowing import listing
from probus.datasets.source import open_source, required_column
from probus.lifecycle._as_saved import as_saved
from probus.lifecycle._families import families
from probus.lifecycle._group_scores import GroupScores
from probus.lifecycle._study_archive import stored_options
from probus.lifecycle._study_result import Study
from probus.lifecycle._study_run import study
from probus.lifecycle._wrap_up import pace

__all__ = ["Study", "open_source", "required_column", "stored_options", "study"]

__dir__ = listing(globals())
