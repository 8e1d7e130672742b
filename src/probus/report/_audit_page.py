"""The page of an audit."""

from __future__ import annotations

from probus.fairness import QUESTIONS, Audit
from probus.report._html import render
from probus.report._inline_svg import picture


def audit_page(audit: Audit, name: str = "Predictions") -> str:
    """An audit as one self-contained HTML page.

    Parameters
    ----------
    audit : the audit.
    name : of the model or the data, for the title.

    Returns
    -------
    The page.
    """
    criteria = {verdict.criterion.name: verdict.criterion for verdict in audit.verdicts}
    label, height = "Differences between groups", 70 + 22 * len(audit.verdicts)
    drawn = [verdict for verdict in audit.verdicts if verdict.state != "not defined"]
    return render(
        "audit.html.j2",
        audit=audit,
        name=name,
        criteria=list(criteria.values()),
        questions=QUESTIONS,
        picture=picture(audit.plot, label, width=620, height=height) if drawn else "",
    )
