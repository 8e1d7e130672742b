"""Results as pages: one self-contained HTML file each, readable offline, on paper and in the dark.

``Profile`` summarises a table and ``StudyReport`` a study; ``write`` writes either as HTML or JSON, ``model_card`` is
the Markdown that goes with a saved model. Inside, ``summary`` and ``associations`` count, ``residuals``,
``decision_costs`` and ``worst_rows`` describe predictions, ``charts`` draws, ``inline_svg`` and ``html`` lay out.
"""

from probus.borrowing import listing
from probus.report.associations import Association, associations
from probus.report.model_card import model_card
from probus.report.profile_page import profile_page
from probus.report.study_page import study_page
from probus.report.study_report import StudyReport
from probus.report.summary import ColumnSummary, summarise
from probus.report.table_profile import Profile, profile
from probus.report.write import write, write_folder

__all__ = [
    "Association",
    "ColumnSummary",
    "Profile",
    "StudyReport",
    "associations",
    "model_card",
    "profile",
    "profile_page",
    "study_page",
    "summarise",
    "write",
    "write_folder",
]

__dir__ = listing(globals())
