"""From results to one self-contained page: templates, escaping, and the parts every report shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from probus import __version__
from probus.display import counted, percent, sentence
from probus.report._charts import histogram
from probus.report._summary import ColumnSummary, Histogram, LevelCounts

MOST_CARDS = 120
_PLAIN = (
    "decimal numbers", "integers from", "numbers", "an array of numbers", "labels, ", "strings", "two levels",
    "true or false", "only 0 and 1", "a categorical column",
)  # fmt: skip  # reasons that repeat what the card shows


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("probus.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"sentence": sentence, "counted": counted}
    return environment


def render(template: str, **context: Any) -> str:
    """The page a template makes; every value is escaped unless a chart of ours."""
    return _environment().get_template(template).render(version=__version__, **context)


def fill(template: str, **context: Any) -> Markup:
    """A part of a page from its template, with the macros of all pages as ``parts``."""
    text = '{% import "parts.html.j2" as parts %}' + template
    return Markup(_environment().from_string(text).render(**context))


def column_cards(
    columns: Sequence[ColumnSummary], roles: dict[str, tuple[str, bool]], against: Mapping[str, Markup] | None = None
) -> list[dict[str, Any]]:
    """The first columns as cards.

    ``roles`` gives the role of a column and whether it is left out, ``against`` a picture of it against the target.
    """
    cards = [_card(column, *roles.get(column.name, ("", False))) for column in columns[:MOST_CARDS]]
    return [{**card, "against": (against or {}).get(card["name"])} for card in cards]


def hidden_columns(columns: Sequence[ColumnSummary]) -> str:
    """A sentence about the columns beyond those that have a card; empty where there are none."""
    rest = len(columns) - MOST_CARDS
    return f"{counted(rest, 'more column')} not shown." if rest > 0 else ""


def _card(column: ColumnSummary, role: str, left_out: bool) -> dict[str, Any]:
    shape = column.shape
    return {
        "name": column.name,
        "kind": column.what,
        "why": "" if column.why.startswith(_PLAIN) and ";" not in column.why else column.why,
        "missing": f"{column.missing:,} missing ({percent(column.missing_share)})"
        if column.missing
        else "none missing",
        "distinct": counted(column.distinct, "value") if column.distinct else "",
        "figures": [f"{name} {value}" for name, value in column.figures.items()],
        "role": role,
        "left_out": left_out,
        "chart": histogram(shape, dates=column.dates) if isinstance(shape, Histogram) else None,
        "bars": _level_bars(shape) if isinstance(shape, LevelCounts) else None,
    }


def _level_bars(shape: LevelCounts) -> list[dict[str, Any]]:
    bars = share_bars(shape.levels, shape.counts)
    if shape.other_levels:
        label = f"{counted(shape.other_levels, 'other level')}"
        bars.append({"label": label, "count": f"{shape.other_rows:,}", "shares": []})
    return bars


def share_bars(labels: Sequence[str], counts: np.ndarray) -> list[dict[str, Any]]:
    """Bars with a segment per class, the longest fills the width; ``counts`` is classes × labels."""
    totals = counts.sum(axis=0)
    unit = 100 / max(int(totals.max(initial=0)), 1)
    return [
        {"label": label, "count": f"{totals[i]:,}", "shares": [round(float(n) * unit, 1) for n in counts[:, i]]}
        for i, label in enumerate(labels)
    ]
