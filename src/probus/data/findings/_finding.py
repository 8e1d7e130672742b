"""A finding, and the findings of one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from probus.display import Cells, Results, counted

Severity = Literal["error", "warning", "note"]

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_MOST_SHOWN = 60  # findings printed


@dataclass(frozen=True)
class Finding:
    """One problem.

    Attributes
    ----------
    code : the name of the kind of problem.
    column : the column; None where it is one of the table.
    severity : an error breaks a model or invalidates its score, a warning is likely to harm a model, a note is
        information.
    evidence : what was found.
    suggestion : what to do.

    >>> Finding("PB102", "Cabin", "warning", "687 of 891 values are missing (77 %).", "table.drop('Cabin')").title
    'much-missing'
    """

    code: str
    column: str | None
    severity: Severity
    evidence: str
    suggestion: str

    @property
    def title(self) -> str:
        """The name of the code."""
        from probus.data.findings._registry import CODES

        return CODES[self.code]

    def to_dict(self) -> dict[str, str | None]:
        """Plain data, for JSON."""
        return {"code": self.code, "title": self.title, **{k: v for k, v in asdict(self).items() if k != "code"}}


class Findings(Results[Finding]):
    """The findings of one table, the most severe first.

    Attributes
    ----------
    findings : the findings.
    shape : the numbers of rows and columns of the table.

    >>> found = Findings([Finding("PB201", "unit", "warning", "every row is 'kg'.", "table.drop('unit')")], (80, 3))
    >>> found
    1 finding in 80 rows × 3 columns: 1 warning
      warning  PB201 constant  unit  every row is 'kg'.
                                     → table.drop('unit')
    >>> len(found.of("PB201")), len(found.severity("error"))
    (1, 0)
    >>> Findings([], (80, 3))
    Nothing found in 80 rows × 3 columns.
    """

    def __init__(self, findings: Iterable[Finding], shape: tuple[int, int]):
        super().__init__(sorted(findings, key=lambda finding: (_SEVERITIES.index(finding.severity), finding.code)))
        self.shape = shape

    def of(self, *codes: str) -> Findings:
        """Only the findings with one of the codes."""
        return self._only(finding for finding in self if finding.code in codes)

    def severity(self, *severities: Severity) -> Findings:
        """Only the findings of one of the severities."""
        return self._only(finding for finding in self if finding.severity in severities)

    def column(self, name: str) -> Findings:
        """Only the findings about that column."""
        return self._only(finding for finding in self if finding.column == name)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        rows, columns = self.shape
        return {"rows": rows, "columns": columns, "findings": [finding.to_dict() for finding in self]}

    def _rows(self) -> dict[str, list[str | None]]:
        """A row for each finding."""
        names = ("code", "title", "column", "severity", "evidence", "suggestion")
        return {name: [getattr(finding, name) for finding in self] for name in names}

    def _parts(self) -> list[Cells | str]:
        rows = [(f.severity, f"{f.code} {f.title}", f.column or "", f"{f.evidence}\n→ {f.suggestion}") for f in self]
        return [self._headline(), Cells(rows, margin=2, header=False, most=_MOST_SHOWN)] if rows else [self._headline()]

    def _headline(self) -> str:
        where = f"in {counted(self.shape[0], 'row')} × {counted(self.shape[1], 'column')}"
        if not self:
            return f"Nothing found {where}."
        counts = {severity: sum(f.severity == severity for f in self) for severity in _SEVERITIES}
        summary = ", ".join(counted(count, severity) for severity, count in counts.items() if count)
        return f"{counted(len(self), 'finding')} {where}: {summary}"
