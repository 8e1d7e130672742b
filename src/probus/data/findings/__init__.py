"""Checks for problems in a table, one function for each problem.

``finding`` has the result classes, ``facts`` the statistics that checks share; then the checks, by their codes:
``missing_checks`` (1xx), ``column_checks``, ``number_checks`` and ``label_checks`` (2xx), ``row_checks`` (3xx),
``target_checks`` and ``leak_checks`` (4xx). ``probus.examine`` runs them all; docs/findings.md explains each code.
"""

from probus.data.findings._column_checks import identifying
from probus.data.findings._copies import Copies, copies_of
from probus.data.findings._facts import facts
from probus.data.findings._finding import Finding, Findings, Severity
from probus.data.findings._group_leaks import are_within
from probus.data.findings._group_names import GROUP_WORDS
from probus.data.findings._order_drift import ROW_ORDER
from probus.data.findings._registry import CHECKS, CODES
from probus.data.findings._split_proposals import SplitProposal, proposed_split

__all__ = ["CHECKS", "CODES", "Finding", "Findings", "Severity"]
