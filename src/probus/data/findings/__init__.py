"""What can be wrong with a table, one small check for each thing.

``finding`` holds the result, ``facts`` what the checks look up; then come the checks, by the hundreds of their codes:
``missing`` (1xx), ``columns``, ``numbers`` and ``labels`` (2xx), ``rows`` (3xx), ``target`` and ``leaks`` (4xx).
``probus.examine`` runs them all; docs/findings.md says what each code means.
"""

from probus.data.findings.finding import CODES, Finding, Findings, Severity

__all__ = ["CODES", "Finding", "Findings", "Severity"]
