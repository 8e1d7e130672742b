"""What an exploration found."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from probus.display import Notes, Picture, Result, counted, listed, percent
from probus.errors import DataError
from probus.exploration._notable_rules import NotableRules
from probus.exploration._odd_rows import OddRows
from probus.exploration._row_groups import Groups
from probus.exploration._row_map import RowMap
from probus.exploration._usable_columns import LeftOut
from probus.report import Profile

_NAMED = 4  # columns that a sentence names


@dataclass(frozen=True, eq=False, repr=False)
class Exploration(Result):
    """What is in a table without a target: its profile, groups, a map, odd rows and rules.

    Attributes
    ----------
    name : the name of the data.
    profile : the profile of the table.
    left_out : columns that only the profile uses, with reasons.
    groups : the groups of rows.
    map : None where rows have no two dimensions.
    odd : the odd rows.
    rules : the rules.
    random_state : the seed of all samples.
    """

    name: str
    profile: Profile
    left_out: tuple[LeftOut, ...]
    groups: Groups
    map: RowMap | None
    odd: OddRows
    rules: NotableRules
    random_state: int

    def sentences(self) -> list[str]:
        """What matters first, in words, and what was found in a sample of the rows only."""
        return [*self._table(), *self._groups(), *self._odd(), *self._rules(), *self._samples()]

    def caveats(self) -> list[str]:
        """Which columns were used."""
        notes = []
        used = len(self.profile.columns) - len(self.left_out)
        if 0 < self.rules.columns < used:
            notes.append(f"Rules come from the first {self.rules.columns} of {used} columns that are used.")
        if self.left_out:
            notes.append(f"Left out but for the profile: {_some([str(each) for each in self.left_out], 8)}.")
        return notes

    def _table(self) -> Iterator[str]:
        profile = self.profile
        missing = sum(column.missing for column in profile.columns)
        share = missing / max(profile.rows * len(profile.columns), 1)
        gaps = f"{percent(share)} of the values are missing" if missing else "no value is missing"
        yield f"{counted(profile.rows, 'row')} × {counted(len(profile.columns), 'column')}; {gaps}."
        serious = [finding for finding in profile.findings if finding.severity != "note"]
        if serious:
            columns = list(dict.fromkeys(finding.column for finding in serious if finding.column))
            where = f" in {_some(columns, _NAMED)}" if columns else ""
            yield f"{counted(len(serious), 'problem')} to look at first{where}."

    def _groups(self) -> Iterator[str]:
        yield self.groups.sentence()
        for group in self.groups.groups:
            if group.stable:
                yield f"{str(group)[:1].upper()}{str(group)[1:]}."
        others = [group for group in self.groups.groups if not group.stable]
        if others:
            named = listed(
                [f"{group.number} ({percent(group.share)} of the rows, {group.verdict})" for group in others]
            )
            yield f"Not described here: group{'s' * (len(others) > 1)} {named}."

    def _odd(self) -> Iterator[str]:
        yield self.odd.sentence()
        if self.odd.named:
            first = self.odd.named[0]
            yield f"The oddest is row {first.row:,}: {first.reasons}."

    def _rules(self) -> Iterator[str]:
        if not self.rules.rules:
            yield self.rules.sentence()
            return
        rule = self.rules.rules[0]
        yield (
            f"{counted(len(self.rules), 'rule')} worth knowing. The first: where {' and '.join(rule.antecedent)}, "
            f"{' and '.join(rule.consequent)} in {percent(rule.confidence.value)} of the rows "
            f"({percent(rule.confidence.low)} to {percent(rule.confidence.high)}), "
            f"against {percent(rule.confidence.value / rule.lift.value)} of all."
        )

    def _samples(self) -> Iterator[str]:
        rows = self.profile.rows
        if self.groups.sampled < rows and self.groups.search is not None:
            then = " Every row is then assigned to the nearest group." if self.groups.groups else ""
            yield f"Groups are looked for in {self.groups.sampled:,} of {rows:,} rows, drawn at random.{then}"
        if 0 < self.odd.reference < rows:
            yield f"Every row is compared with {self.odd.reference:,} rows, drawn at random, to find odd ones."
        if 0 < self.rules.sampled < rows:
            yield f"Rules come from {self.rules.sampled:,} of {rows:,} rows, drawn at random."

    def _parts(self) -> Iterator[Any]:
        yield f"Exploration of {self.name}"
        yield Notes(self.sentences(), mark="– ", width=100)
        for part in (self.groups, self.odd, self.rules):
            if len(part):
                yield ""
                yield part
        if self.map is not None:
            yield Picture(self.map.plot)
        if self.caveats():
            yield ""
            yield Notes(self.caveats(), width=100)

    def _rows(self) -> dict[str, Any]:
        """A row for each row of the table: its group, and whether it is odd."""
        odd = np.zeros(self.profile.rows, dtype=bool)
        odd[self.odd.rows] = True
        return {"group": self.groups.labels, "odd": odd}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; ``to_frame`` has the group of each row."""
        return {
            "name": self.name,
            "sentences": self.sentences(),
            "notes": self.caveats(),
            "left_out": {each.column: each.why for each in self.left_out},
            "groups": self.groups.to_dict(),
            "odd": self.odd.to_dict(),
            "rules": self.rules.to_dict(),
            "profile": self.profile.to_dict(),
            "random_state": self.random_state,
        }

    def save(self, path: Any) -> Path:
        """Write the exploration to a file, .html, .json or another of ``Result.save``, and return the path."""
        if Path(path).suffix.lower() not in (".html", ".json"):
            return super().save(path)
        from probus.exploration._exploration_page import write_page

        return write_page(self, Path(path))

    def plot(self, ax: Any = None) -> Any:
        """The map."""
        if self.map is None:
            raise DataError("there is no map.", "at least 3 rows that differ")
        return self.map.plot(ax)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML page, or the same content as data where the path ends in .json."""
        from probus.exploration._exploration_page import write_page

        return write_page(self, Path(path))


def _some(names: list[str], most: int) -> str:
    """The first names, and how many more."""
    return listed(names if len(names) <= most else [*names[:most], f"{len(names) - most} more"])
