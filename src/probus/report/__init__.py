"""Results as pages: one self-contained HTML file each, readable offline, on paper and in the dark.

``Profile`` summarises a table and ``StudyReport`` a study; ``write`` writes either as HTML or JSON, ``model_card`` is
the Markdown that goes with a saved model. Inside, ``summary`` and ``associations`` count, ``residuals``,
``decision_costs`` and ``worst_rows`` describe predictions, ``charts`` draws, ``inline_svg`` and ``html`` lay out.
"""

from probus.borrowing import listing
from probus.inspection import Association, associations, correlation_ratio
from probus.report._audit_page import audit_page
from probus.report._html import render
from probus.report._inline_svg import CLASS, picture
from probus.report._model_card import model_card
from probus.report._profile_page import makeup, profile_page, profile_parts
from probus.report._study_page import study_page
from probus.report._study_report import StudyReport, usual_time
from probus.report._summary import ColumnSummary, summarise
from probus.report._table_profile import Profile, profile
from probus.report._write import write, write_folder

__all__ = [
    "Association",
    "ColumnSummary",
    "Profile",
    "StudyReport",
    "associations",
    "audit_page",
    "model_card",
    "profile",
    "profile_page",
    "study_page",
    "summarise",
    "write",
    "write_folder",
]

__dir__ = listing(globals())
