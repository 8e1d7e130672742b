"""The result of ``recommend``: the items for each user, the best first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Result, counted, drawing, figure
from probus.errors import DataError
from probus.recommend._ids import written


@dataclass(frozen=True, eq=False, repr=False)
class Recommendations(Result):
    """The items for each user, the best first.

    Attributes
    ----------
    users : the users, in the order in which they were asked for.
    items : for each user the ids of the items, the best first.
    scores : the scores of these items: predicted ratings, or for implicit feedback how well they fit.
    unknown : the users that have no ratings.
    what : what a score is.
    """

    users: tuple[Any, ...]
    items: tuple[np.ndarray, ...]
    scores: tuple[np.ndarray, ...]
    unknown: tuple[Any, ...] = ()
    what: str = "score"

    def __len__(self) -> int:
        return len(self.users)

    def __getitem__(self, user: Any) -> list[Any]:
        """The items for a user."""
        found = {written(each): items for each, items in zip(self.users, self.items, strict=True)}
        if written(user) not in found:
            raise DataError(f"no recommendations for user {user!r}.", "a user that they were made for")
        return list(found[written(user)].tolist())

    def _rows(self) -> dict[str, Any]:
        sizes = [len(items) for items in self.items]
        empty = np.empty(0, dtype=np.int64)
        return {
            "user": np.repeat(np.array(self.users), sizes),
            "rank": np.concatenate([np.arange(1, size + 1) for size in sizes] or [empty]),
            "item": np.concatenate([*self.items] or [empty]),
            self.what: np.concatenate([*self.scores] or [empty]),
        }

    def _parts(self) -> Iterator[Any]:
        if len(self) == 1:
            yield f"{counted(len(self.items[0]), 'item')} for user {self.users[0]}"
        else:
            yield f"Items for {counted(len(self), 'user')}"
        rows = [["user", "", "item", self.what]]
        for user, items, scores in zip(self.users, self.items, self.scores, strict=True):
            for place, (item, score) in enumerate(zip(items.tolist(), scores.tolist(), strict=True), start=1):
                rows.append(["" if place > 1 else str(user), str(place), str(item), figure(score)])
        yield Cells(rows, right=[1, 3], margin=2, most=30)
        yield Notes(self.remarks())

    def remarks(self) -> list[str]:
        """What to know of some users."""
        remarks = []
        if self.unknown:
            shown = ", ".join(map(str, self.unknown[:3])) + ", …" * (len(self.unknown) > 3)
            verb = "has" if len(self.unknown) == 1 else "have"
            who = counted(len(self.unknown), "user")
            remarks.append(f"{who} {verb} no ratings ({shown}): ordered by what is known of the items")
        if any(not len(items) for items in self.items):
            remarks.append("no item is left for users who have rated all")
        return remarks

    def plot(self, axes: Any = None) -> Any:
        """The scores of the items of the first user, on matplotlib axes, which are returned."""
        axes = drawing.new_axes(axes, 5.6, 4.0)
        items, scores = self.items[0], self.scores[0]
        axes.barh(range(len(items))[::-1], scores, color=drawing.BLUE, height=0.7)
        drawing.tidy(axes, f"user {self.users[0]}", self.what, "")
        axes.set_yticks(range(len(items))[::-1], [str(item) for item in items], parse_math=False)
        axes.grid(visible=False, axis="y")
        return axes
