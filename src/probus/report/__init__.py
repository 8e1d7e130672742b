"""Results as pages: one self-contained HTML file each, readable offline, on paper and in the dark.

``Profile`` summarises a table; ``write`` writes a profile or a study. Inside, ``summary`` and ``associations`` count,
``charts`` draws, ``html`` lays out.
"""

from probus.report.associations import Association, associations
from probus.report.profile import Profile
from probus.report.profile_page import profile_page
from probus.report.study_page import study_page
from probus.report.summary import ColumnSummary, summarise
from probus.report.write import write

__all__ = [
    "Association",
    "ColumnSummary",
    "Profile",
    "associations",
    "profile_page",
    "study_page",
    "summarise",
    "write",
]
