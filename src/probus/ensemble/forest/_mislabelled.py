"""Rows whose label is outvoted by the trees that were not trained on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import Cells, Notes, Result
from probus.display.drawing import BLUE, INK, MUTED, ORANGE, new_axes, tidy
from probus.ensemble.forest._known_labels import codes_of
from probus.ensemble.forest._out_of_bag import out_of_bag
from probus.ensemble.forest._training_rows import must_be_out_of_bag, must_have_one_output
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import ForestClassifier


_ALPHA = 0.01
_SHOWN = 10
_DRAWN = 25


@dataclass(frozen=True, eq=False, repr=False)
class LikelyMislabelled(Result):
    """Rows whose label disagrees clearly with the out-of-bag prediction, the most suspect first.

    rows : their numbers. labels : the given labels. suggested : the out-of-bag predictions.
    of_label, of_suggested : the out-of-bag probability of either.
    n_rows : the number of rows examined. margin : by how much the probabilities of listed rows differ at least.
    informed : whether the out-of-bag predictions are better than the most frequent class; otherwise no row is listed.
    """

    rows: np.ndarray
    labels: np.ndarray
    suggested: np.ndarray
    of_label: np.ndarray
    of_suggested: np.ndarray
    n_rows: int
    margin: float = 0.0
    informed: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.informed:
            return (
                "No label can be doubted: the out-of-bag predictions are not better than the most frequent class "
                f"on {self.n_rows:,} rows."
            )
        share, by = f"{100 * len(self) / self.n_rows:.1f} %", f" by more than {self.margin:g}" * (self.margin > 0)
        return f"{len(self):,} of {self.n_rows:,} labels ({share}) disagree with the out-of-bag prediction{by}."

    def _parts(self) -> list[Any]:
        if not len(self):
            return [self.sentence]
        columns = (column[:_SHOWN] for column in (self.rows, self.labels, self.suggested))
        numbers = ([f"{p:.2f}" for p in column[:_SHOWN]] for column in (self.of_suggested, self.of_label))
        head = ["row", "label", "suggested", "probability", "of label"]
        cells = Cells([head, *zip(*columns, *numbers, strict=True)], right=range(5))
        more = [f"… and {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        return [self.sentence, cells, Notes(more, margin=0)]

    def _rows(self) -> dict[str, np.ndarray]:
        """The most suspect row first."""
        rows = {"row": self.rows, "label": self.labels, "suggested": self.suggested}
        return {**rows, "probability": self.of_suggested, "of_label": self.of_label}

    def plot(self, ax: Any = None) -> Any:
        """The probabilities of label and suggestion for the most suspect rows, on matplotlib axes."""
        most = min(len(self), _DRAWN)
        ax = new_axes(ax, 6.0, 1.1 + 0.24 * max(most, 4))
        place = np.arange(most)
        ax.hlines(place, self.of_label[:most], self.of_suggested[:most], color=MUTED, linewidth=1.0, zorder=2)
        ax.plot(self.of_label[:most], place, "o", color=ORANGE, markersize=5, zorder=3)
        ax.plot(self.of_suggested[:most], place, "o", color=BLUE, markersize=5, zorder=3)
        how: Any = {"textcoords": "offset points", "va": "center", "fontsize": 8, "parse_math": False}
        for row in place:
            ax.annotate(str(self.labels[row]), (self.of_label[row], row), (-7, 0), ha="right", color=ORANGE, **how)
            ax.annotate(str(self.suggested[row]), (self.of_suggested[row], row), (7, 0), ha="left", color=BLUE, **how)
        tidy(ax, "Labels that are outvoted", "probability out of bag: label, suggestion", "row")
        ax.set_yticks(place, [str(row) for row in self.rows[:most]], color=INK)
        ax.set_ylim(max(most, 1) - 0.4, -0.6)
        ax.set_xlim(-0.18, 1.18)
        ax.set_xticks(np.linspace(0, 1, 6))
        ax.grid(False, axis="y")
        return ax


def likely_mislabelled(model: ForestClassifier, X: Any, y: Any, *, margin: float = 0.5) -> LikelyMislabelled:
    """The rows of the fit whose label is clearly outvoted."""
    if not 0 <= margin < 1:
        raise DataError(f"margin={margin!r}.", "a number from 0 to less than 1")
    seen = model._seen(X)
    must_have_one_output(model, "mislabelled rows")
    must_be_out_of_bag(model, len(seen))
    codes = codes_of(model.classes_, y, len(seen))
    votes = out_of_bag(model.trees_, seen, codes, model.bags_, model.n_jobs).prediction[:, 0]
    suggested = votes.argmax(axis=1)
    every = np.arange(len(votes))
    of_label, of_suggested = votes[every, codes], votes[every, suggested]
    by = of_suggested - of_label
    informed = _better_than_most_frequent(suggested, codes, votes.sum(axis=1) > 0)
    rows = np.flatnonzero(by > margin) if informed else np.empty(0, np.intp)
    rows = rows[np.argsort(-by[rows], kind="stable")]
    return LikelyMislabelled(
        rows=rows,
        labels=model.classes_[codes[rows]],
        suggested=model.classes_[suggested[rows]],
        of_label=of_label[rows],
        of_suggested=of_suggested[rows],
        n_rows=len(votes),
        margin=margin,
        informed=informed,
    )


def _better_than_most_frequent(suggested: np.ndarray, codes: np.ndarray, voted: np.ndarray) -> bool:
    """A one-sided sign test on the rows that only one of the two predicts correctly."""
    from scipy.stats import binom

    hits, most_frequent = suggested == codes, codes == np.bincount(codes).argmax()
    gained = int(np.count_nonzero(voted & hits & ~most_frequent))
    lost = int(np.count_nonzero(voted & most_frequent & ~hits))
    return bool(binom.sf(gained - 1, gained + lost, 0.5) < _ALPHA)
