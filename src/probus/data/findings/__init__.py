"""Checks for problems in a table, one function for each problem.

``finding`` has the result classes, ``facts`` the statistics that checks share; then the checks, by their codes:
``missing`` (1xx), ``columns``, ``numbers`` and ``labels`` (2xx), ``rows`` (3xx), ``target`` and ``leaks`` (4xx).
``probus.examine`` runs them all; docs/findings.md explains each code.
"""

from probus.data.findings.finding import Finding, Findings, Severity
from probus.data.findings.registry import CHECKS, CODES

__all__ = ["CHECKS", "CODES", "Finding", "Findings", "Severity"]
