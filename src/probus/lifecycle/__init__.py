"""The study, end to end: ``probus.study`` is its verb.

``study_task`` makes a task of what is given, and examines it. ``families`` has the models; ``family_fits`` fits one of
them on the rows of one split, ``family_search`` tunes one, ``elimination`` shares the time among all, in the processes
of ``fit_pool``, remembered by ``study_archive``. ``conclusion`` compares them, perhaps with an ensemble (``stacked``),
and ``final_model`` fits the best. A ``Study`` holds it all.
"""

from probus.borrowing import listing
from probus.datasets.source import open_source, required_column
from probus.lifecycle.study_archive import stored_options
from probus.lifecycle.study_result import Study
from probus.lifecycle.study_run import study

__all__ = ["Study", "open_source", "required_column", "stored_options", "study"]

__dir__ = listing(globals())
