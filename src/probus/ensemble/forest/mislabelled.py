"""Rows whose label is outvoted by the trees that were not trained on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import Cells, Notes, Result
from probus.display.drawing import BLUE, INK, MUTED, ORANGE, new_axes, tidy
from probus.ensemble.forest.labels import codes_of
from probus.ensemble.forest.out_of_bag import out_of_bag
from probus.ensemble.forest.training_rows import must_be_out_of_bag, must_have_one_output

if TYPE_CHECKING:
    from probus.ensemble.forest.forest_base import ForestClassifier

__all__ = ["LikelyMislabelled", "likely_mislabelled"]

_SHOWN = 10
_DRAWN = 25


@dataclass(frozen=True, eq=False, repr=False)
class LikelyMislabelled(Result):
    """Rows whose label disagrees with the out-of-bag prediction, the most suspect first.

    rows : their numbers. labels : the given labels. suggested : the out-of-bag predictions.
    of_label, of_suggested : the out-of-bag probability of either.
    n_rows : the number of rows examined.
    """

    rows: np.ndarray
    labels: np.ndarray
    suggested: np.ndarray
    of_label: np.ndarray
    of_suggested: np.ndarray
    n_rows: int

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sentence(self) -> str:
        """The result in words."""
        share = f"{100 * len(self) / self.n_rows:.1f} %"
        return f"{len(self):,} of {self.n_rows:,} labels ({share}) disagree with the out-of-bag prediction."

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


def likely_mislabelled(model: ForestClassifier, X: Any, y: Any) -> LikelyMislabelled:
    """The rows of the fit whose label the trees that have not seen them outvote, the most suspect first.

    That vote is also the one of the rows most alike: of each class it is the sum of the row's "gap" proximities to the
    rows that bear it. Rows that every tree has seen are passed over. What is suspect may be rare and right: look first.

    Parameters
    ----------
    X, y : the rows of the fit, in their order, and their labels.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> from probus.ensemble import RandomForestClassifier
    >>> flowers = iris()
    >>> X, y = flowers.drop("species"), flowers["species"].decoded()
    >>> y[[3, 77]] = ["virginica", "setosa"]
    >>> found = RandomForestClassifier(200, random_state=0).fit(X, y).likely_mislabelled(X, y)
    >>> found.rows[0], found.suggested[0], found.of_suggested[0] > 0.9
    (np.int64(3), 'setosa', np.True_)
    >>> 77 in found.rows
    True
    """
    seen = model._seen(X)
    must_have_one_output(model, "mislabelled rows")
    must_be_out_of_bag(model, len(seen))
    codes = codes_of(model.classes_, y, len(seen))
    votes = out_of_bag(model.trees_, seen, codes, model.bags_, model.n_jobs).prediction[:, 0]
    suggested = votes.argmax(axis=1)
    every = np.arange(len(votes))
    of_label, of_suggested = votes[every, codes], votes[every, suggested]
    margin = of_suggested - of_label
    rows = np.flatnonzero(margin > 0)
    rows = rows[np.argsort(-margin[rows], kind="stable")]
    return LikelyMislabelled(
        rows=rows,
        labels=model.classes_[codes[rows]],
        suggested=model.classes_[suggested[rows]],
        of_label=of_label[rows],
        of_suggested=of_suggested[rows],
        n_rows=len(votes),
    )
