"""The page of an exploration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from probus.display import counted, percent
from probus.errors import DataError
from probus.exploration._exploration_result import Exploration
from probus.exploration._odd_rows import OddRows
from probus.exploration._row_groups import Groups
from probus.exploration._row_map import RowMap
from probus.persistence.whole_file import write_whole
from probus.report import CLASS, makeup, picture, profile_parts, render

_SECTIONS = (
    ("profile", "Profile"),
    ("groups", "Groups"),
    ("map", "Map"),
    ("odd", "Odd rows"),
    ("rules", "Rules"),
)


def exploration_page(found: Exploration) -> str:
    """The exploration as one self-contained HTML page."""
    size, *sentences = found.sentences()
    return render(
        "exploration.html.j2",
        name=found.name,
        size=size.removesuffix("."),
        headline=found.groups.sentence(),
        sentences=[sentence for sentence in sentences if sentence != found.groups.sentence()],
        caveats=[*found.profile.notes, *found.caveats()],
        sections=_SECTIONS,
        makeup=makeup(found.profile),
        profile=profile_parts(found.profile),
        groups=_groups(found.groups),
        map=_map(found.map),
        odd=_odd(found.odd),
        rules={"sentence": found.rules.sentence(), "lines": found.rules.lines()},
    )


def write_page(found: Exploration, path: Path) -> Path:
    """Write the page, or plain data where the path ends in .json, wholly or not at all."""
    if not path.parent.is_dir():
        raise DataError(f"no folder {str(path.parent)!r} for the report.", "a folder that exists", "Make it first.")
    if path.suffix.lower() == ".json":
        text = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    else:
        text = exploration_page(found)
    write_whole(path, text.encode("utf-8", "replace"))  # the name of the data may hold bytes that are not text
    return path


def _groups(groups: Groups) -> dict[str, Any]:
    lines = [
        {
            "number": group.number,
            "colour": (group.number - 1) % len(CLASS),
            "rows": f"{group.rows:,} ({percent(group.share)})",
            "stability": f"{group.stability:.2f}",
            "verdict": group.verdict,
            "stable": group.stable,
            "marks": group.marks,
        }
        for group in groups.groups
    ]
    effects = None
    if groups.profiles is not None:
        shown = min(20, len({(each.column, each.level) for each in groups.profiles.differences}))
        width, height = 72 * (2.6 + 0.8 * len(groups)), 72 * (1.4 + 0.34 * shown)
        effects = picture(
            groups.profiles.plot, "Effect sizes of columns in groups", width=width, height=height, plain=True
        )
    return {"sentence": groups.sentence(), "evidence": groups.evidence(), "lines": lines, "effects": effects}


def _map(found: RowMap | None) -> dict[str, Any] | None:
    if found is None:
        return None
    label = f"Map of {counted(len(found.rows), 'row')}"
    return {"sentence": found.sentence(), "picture": picture(found.plot, label, width=620, height=500)}


def _odd(odd: OddRows) -> dict[str, Any]:
    rest = len(odd) - len(odd.named)
    more = f" {counted(rest, 'more row')} not shown: see to_frame()." if rest else ""
    return {"sentence": odd.sentence(), "rate": "" if odd.why else odd.rate(), "lines": odd.lines(), "more": more}
