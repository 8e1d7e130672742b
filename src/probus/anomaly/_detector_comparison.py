"""Detectors ranked by labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from probus.data import Table
from probus.data.row_selection import take_rows
from probus.display import Cells, Picture, Result, Results, counted
from probus.display.drawing import BLUE, chance, new_axes, tidy
from probus.errors import DataError
from probus.metrics import Estimate, estimate
from probus.sklearn_seam import num_samples
from probus.wrapping import named_models


@dataclass(frozen=True, repr=False, eq=False)
class DetectorScore(Result):
    """A detector and its scores.

    Attributes
    ----------
    name : the name of the detector.
    detector : the detector, unfitted.
    roc_auc : the area under its ROC curve.
    average_precision : its average precision.
    oddness : the oddness of every row.
    """

    name: str
    detector: Any
    roc_auc: Estimate
    average_precision: Estimate
    oddness: np.ndarray

    def _rows(self) -> list[dict[str, Any]]:
        columns = {f"{m}{end}": getattr(getattr(self, m), part) for m in ("roc_auc", "average_precision")
                   for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))}  # fmt: skip
        return [{"name": self.name, **columns}]

    def _parts(self) -> Iterator[Any]:
        yield f"{self.name}: area under the ROC curve {self.roc_auc}, average precision {self.average_precision}"


class DetectorComparison(Results[DetectorScore]):
    """Detectors, the best first.

    Attributes
    ----------
    items : the scores of each detector.
    n_rows, n_outliers : the number of rows, and of outliers among them.
    novelty : whether detectors were fitted on usual rows only.
    """

    def __init__(self, items: Any, n_rows: int, n_outliers: int, novelty: bool):
        super().__init__(items)
        self.n_rows, self.n_outliers, self.novelty = n_rows, n_outliers, novelty

    @property
    def best(self) -> Any:
        """The best detector, not fitted."""
        return clone(self.items[0].detector)

    def _rows(self) -> list[dict[str, Any]]:
        return [row for item in self.items for row in item._rows()]

    def _parts(self) -> Iterator[Any]:
        trained = "fitted on usual rows" if self.novelty else "fitted without labels"
        yield (
            f"Detectors {trained}, cross-validated on {counted(self.n_rows, 'row')}, "
            f"{self.n_outliers:,} of them outliers"
        )
        head = ("", "detector", "area under ROC", "average precision")
        rows = [(str(i), d.name, str(d.roc_auc), str(d.average_precision)) for i, d in enumerate(self.items, 1)]
        yield Cells([head, *rows], right=[0], margin=2)
        yield "The best of several looks better than it is: judge it on further rows."
        yield Picture(self.plot)

    def plot(self, ax: Any = None) -> Any:
        """The areas under the ROC curves with their intervals."""
        ax = new_axes(ax, 6.0, 0.6 + 0.45 * len(self))
        for place, each in enumerate(reversed(self.items)):
            area = each.roc_auc
            ax.plot([area.low, area.high], [place, place], color=BLUE, linewidth=1.6)
            ax.plot(area.value, place, "o", color=BLUE, markersize=5)
        chance(ax, [0.5, 0.5], [-0.5, len(self) - 0.5])
        tidy(ax, "Detectors", "area under the ROC curve", "")
        ax.set_yticks(range(len(self)), [each.name for each in reversed(self.items)], parse_math=False)
        return ax


def compare(
    detectors: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: Any,
    *,
    pos_label: Any = None,
    novelty: bool = False,
    cv: int = 5,
    level: float = 0.95,
    random_state: Any = 0,
) -> DetectorComparison:
    """Rank detectors by how well they find the rows that labels call outliers.

    In each of ``cv`` stratified folds the detectors are fitted on the other rows, without their labels, and score the
    rows of the fold. Oddness is ranked within a fold, so that folds can be joined.

    Parameters
    ----------
    detectors : detectors, or a dict of them by name.
    X : the rows.
    y : the label of each row.
    pos_label : the label of outliers; by default −1 where labels are −1 and 1, else 1 or True.
    novelty : whether detectors are fitted on the usual rows only.
    cv : the number of folds.
    level : of the intervals.
    random_state : the seed of the folds and of the detectors.

    Returns
    -------
    The detectors, the best first, with their scores and intervals.

    Examples
    --------
    >>> from probus.anomaly import KNearestDistance, ZScore
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(size=(100, 2)), rng.normal(size=(20, 2)) + [3, -3]])
    >>> compare([ZScore(), KNearestDistance()], X, np.repeat([0, 1], [100, 20]))[0].name
    'ZScore'
    """
    named = _named(detectors)
    X = Table.of(X, infer=False) if isinstance(X, dict) else X
    odd = _outliers(y, pos_label, num_samples(X), cv)
    oddness = {name: np.empty(len(odd)) for name in named}
    for train, test in StratifiedKFold(cv, shuffle=True, random_state=random_state).split(odd, odd):
        rows = train[~odd[train]] if novelty else train
        for name, detector in named.items():
            scores = _scores(detector, X, rows, test)
            oddness[name][test] = rankdata(-scores) / (len(test) + 1)
    found = []
    for name, detector in named.items():
        areas = estimate(["roc_auc", "average_precision"], odd.astype(int), oddness[name], level=level)
        found.append(DetectorScore(name, detector, areas["roc_auc"], areas["average_precision"], oddness[name]))
    found.sort(key=lambda each: -each.roc_auc.value)
    return DetectorComparison(found, len(odd), int(odd.sum()), novelty)


def _named(detectors: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    named = named_models(detectors)
    if not named:
        raise DataError("no detectors.", "at least one")
    return named


def _outliers(y: Any, pos_label: Any, n: int, cv: int) -> np.ndarray:
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise DataError(f"{n} rows and labels of shape {labels.shape}.", "a label for each row")
    if pos_label is None:
        known = dict.fromkeys(labels.tolist())
        if len(known) > 2:
            raise DataError(
                f"labels of {len(known)} values ({', '.join(map(repr, list(known)[:5]))}).",
                "two values, or the label of outliers as pos_label",
            )
        pos_label = -1 if set(known) <= {-1, 1} else 1
    odd = labels == pos_label
    if odd.sum() < cv or (~odd).sum() < cv:
        raise DataError(
            f"{int(odd.sum())} of {n} rows have the label {pos_label!r} of outliers.",
            f"at least {cv} outliers and {cv} others, for as many folds",
            "Name the label of outliers by pos_label, or lower cv.",
        )
    return odd


def _scores(detector: Any, X: Any, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Scores of the test rows by a detector that is fitted on the training rows."""
    fresh = clone(detector)
    if "novelty" in fresh.get_params(deep=False):
        fresh.set_params(novelty=True)
    fresh.fit(take_rows(X, train))
    return fresh.score_samples(take_rows(X, test))
