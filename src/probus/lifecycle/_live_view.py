"""What is seen while a study runs: the best so far with its interval, what runs, and the time left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from probus.lifecycle._families import BASELINE
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._family_search import FamilySearch
from probus.metrics import Estimate, Measure
from probus.model_selection import Progress, ProgressOption

Left = Callable[[], float]


class LiveView:
    """Reports the state of a study to a function of (done, total, name): families with a result, and what runs."""

    def __init__(self, progress: Progress | None, n_families: int):
        self._progress, self._total, self._done = progress, n_families, 0

    def update(self, searches: Mapping[str, FamilySearch], what: str) -> None:
        """Show what is found so far and what runs now."""
        self._done = sum(bool(search.outer) for search in searches.values())
        if self._progress:
            self._progress(self._done, self._total, what)

    def fitting(self, name: str) -> None:
        """Show that the final model is fitted."""
        if self._progress:
            self._progress(self._done, self._total, f"fitting {name} on all rows")


class _Screen(LiveView):
    """A table of the families in a terminal or a notebook, drawn twice a second."""

    def __init__(self, fits: FamilyFits, measures: tuple[Measure, ...], left: Left):
        super().__init__(None, len(fits.models))
        self._measures, self._left, self._what = measures, left, ""
        self._scores: dict[str, tuple[str, Estimate]] = {}  # with what the score is of

    def update(self, searches: Mapping[str, FamilySearch], what: str) -> None:
        found = dict(self._scores)
        for name, search in searches.items():
            if search.outer and not search.failed and found.get(name, ("",))[0] != (of := _describe(search)):
                found[name] = (of, search.resampled(self._measures).estimate(self._measures[0]))
        self._scores, self._what = found, what

    def fitting(self, name: str) -> None:
        self._what, self._left = f"fitting {name} on all rows", _endless

    def drawn(self) -> Any:
        """What is known now: the families by their scores, what runs, and the time left."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        main = self._measures[0]
        table = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False, show_edge=False)
        for column in ("model", f"{main.label} so far", "configurations"):
            table.add_column(column, no_wrap=True)
        ranked = sorted(self._scores.items(), key=lambda item: -main.better(item[1][1].value))
        for place, (name, (of, score)) in enumerate(ranked):
            style = "bold" if place == 0 else "dim" if name == BASELINE else None
            table.add_row(name, str(score), of, style=style)
        left = self._left()
        table.caption = self._what + (f", {max(left, 0):.0f} s left" if left < math.inf else "")
        table.caption_justify = "left"
        return table


def _describe(search: FamilySearch) -> str:
    """The configurations that were tried, the models that are averaged, and the rows where these are not all."""
    of = str(search.n_tried or "default")
    of += f", mean of {search.averaged} models" if search.averaged > 1 else ""
    return of + (f", {search.fits.stage_rows(search.rows):,} rows" if search.sampled else "")


def _endless() -> float:
    return math.inf


@contextmanager
def watched(
    progress: ProgressOption, fits: FamilyFits, measures: tuple[Measure, ...], left: Left
) -> Iterator[LiveView]:
    """The view that ``progress`` asks for: a table where there is a screen, a function, or none.

    ``left`` returns the seconds that are left.
    """
    if progress is not True and progress != "auto":
        yield LiveView(progress or None, len(fits.models))
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield LiveView(None, len(fits.models))
        return
    screen = _Screen(fits, measures, left)
    with Live(get_renderable=screen.drawn, console=console, transient=True, refresh_per_second=2):
        yield screen
