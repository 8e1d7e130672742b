"""The result of a search: the best subset of each size, its score with its interval, and the size that was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Picture, Result, counted, drawing
from probus.metrics import Estimate, Measure
from probus.model_selection import Resampled, corrected_interval, difference_interval

_LISTED = 6


@dataclass(frozen=True, repr=False, eq=False)
class SelectionPath(Result):
    """The subsets of a search, one of each size, with their scores.

    Attributes
    ----------
    name : the search and the model.
    columns : the columns of the subset of each size, in the order in which they were added; for scores on outer splits,
        those of the search on all rows.
    estimates : the score of each size.
    behind : by how much each size is worse than the best one, on the same rows.
    measure : the measure.
    chosen : the place of the subset that was chosen.
    why : why that one.
    smallest : the place of the smallest subset that is not distinguishable from the best one.
    honest : whether the scores are on rows that had no part in choosing columns.
    n_subsets, n_fits : how many subsets were scored, by how many fits.
    how : the splits.
    bound : with a probability of 95 %, the error of any of the subsets is above its score by less; NaN for measures
        other than accuracy and error rate, and for honest scores, which need none.
    share : of the outer splits, the share in which each column was in the chosen subset; empty where there are none.
    whole : the score of the whole procedure, the choice of the size included; None where there are no outer splits.
    stopped : why the search ended early; empty where it did not.
    """

    name: str
    columns: tuple[tuple[str, ...], ...]
    estimates: tuple[Estimate, ...]
    behind: tuple[Estimate, ...]
    measure: Measure
    chosen: int
    why: str
    smallest: int
    honest: bool
    n_subsets: int
    n_fits: int
    how: str
    bound: float = float("nan")
    share: Mapping[str, float] | None = None
    whole: Estimate | None = None
    stopped: str = ""

    @property
    def sizes(self) -> np.ndarray:
        """The number of columns of each subset."""
        return np.array([len(each) for each in self.columns])

    @property
    def best(self) -> int:
        """The place of the best score, the smallest of equals."""
        return best_place([each.value for each in self.estimates], self.measure)

    @property
    def selected(self) -> tuple[str, ...]:
        """The columns of the chosen subset."""
        return self.columns[self.chosen]

    def _parts(self) -> Iterable[Any]:
        yield f"{self.name}: {counted(len(self.selected), 'column')}, {self.why}"
        marks = {self.chosen: "→"}
        head = ["", "columns", self.measure.name, "worse than the best by", "subset"]
        rows = [
            [marks.get(i, ""), str(len(names)), str(score), "–" if i == self.best else str(gap), _text_of(names)]
            for i, (names, score, gap) in enumerate(zip(self.columns, self.estimates, self.behind, strict=True))
        ]
        yield Cells([head, *rows], right=(1,), most=25)
        yield Notes([*self._notes()])
        yield Picture(self.plot)

    def _notes(self) -> Iterable[str]:
        done = f"{counted(self.n_subsets, 'subset')}, {counted(self.n_fits, 'fit')}, {self.how}"
        yield f"{done}; {self.stopped}: what was done is kept" if self.stopped else done
        if self.honest:
            yield "scores are on rows that had no part in choosing the columns"
            if self.whole is not None:
                yield f"the whole procedure, the choice of the size included: {self.measure.name} {self.whole}"
        else:
            yield "scores are on the splits that chose the columns: optimistic; nested_selection gives honest ones"
        if np.isfinite(self.bound):
            yield f"bound for any subset that could be chosen: its error is higher by less than {self.bound:.3f} (95 %)"
        if self.smallest != self.chosen:
            names = self.columns[self.smallest]
            yield f"the smallest subset not distinguishable from the best has {counted(len(names), 'column')}"
        if self.share:
            often = sorted(self.share.items(), key=lambda item: -item[1])
            yield "chosen on outer splits: " + ", ".join(f"{name} {share:.0%}" for name, share in often[:12] if share)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "n_columns": len(names),
                "columns": ", ".join(names),
                "score": score.value,
                "low": score.low,
                "high": score.high,
                "behind": gap.value,
                "behind_low": gap.low,
                "behind_high": gap.high,
                "chosen": i == self.chosen,
            }
            for i, (names, score, gap) in enumerate(zip(self.columns, self.estimates, self.behind, strict=True))
        ]

    def plot(self, axes: Any = None) -> Any:
        """The score of each size with its interval, the chosen one marked, on matplotlib axes, which are returned."""
        axes = drawing.new_axes(axes, 5.6, 4.0)
        values, low, high = (np.array([getattr(each, part) for each in self.estimates]) for part in _ENDS)
        order = np.argsort(self.sizes)
        axes.fill_between(self.sizes[order], low[order], high[order], color=drawing.BLUE, alpha=0.16, linewidth=0)
        axes.plot(self.sizes[order], values[order], color=drawing.BLUE, marker="o", markersize=4, linewidth=1.8)
        axes.plot(self.sizes[self.chosen], values[self.chosen], "o", color=drawing.ORANGE, markersize=8)
        kind = "rows that chose nothing" if self.honest else "splits that chose"
        drawing.tidy(axes, self.name, "number of columns", f"{self.measure.label}, on {kind}")
        axes.xaxis.get_major_locator().set_params(integer=True)
        return axes


_ENDS = ("value", "low", "high")


def best_place(values: Iterable[float], measure: Measure) -> int:
    """The place of the best of some scores, the first of equals."""
    return int(np.nanargmax([measure.better(value) for value in values]))


def behind(result: Resampled, best: Resampled, measure: Measure, level: float = 0.95) -> Estimate:
    """By how much a result is worse than another one on the same rows, paired by row, or by split."""
    times = -measure.better(1.0)
    a, b = result.tested(measure), best.tested(measure)
    if a is not None and b is not None:
        return difference_interval(a, b, level=level, times=times, groups=result.units)
    apart = times * (result.scores(measure) - best.scores(measure))
    return corrected_interval(apart, result.splits.test_to_train, level=level)


def smallest_place(sizes: Sequence[int], gaps: Sequence[Estimate]) -> int:
    """The place of the smallest subset with columns whose difference to the best one may be 0; else of the nearest."""
    filled = [i for i, size in enumerate(sizes) if size]
    near = [i for i in filled if gaps[i].low <= 0 or gaps[i].value == 0] or [min(filled, key=lambda i: gaps[i].value)]
    return min(near, key=lambda i: sizes[i])


def _text_of(names: tuple[str, ...]) -> str:
    if not names:
        return "none: the constant predictor"
    return ", ".join(names[:_LISTED]) + (f", … ({len(names)})" if len(names) > _LISTED else "")
