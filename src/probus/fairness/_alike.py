"""Individual fairness: whether rows that are alike, apart from the sensitive columns, are treated alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Kind, Table
from probus.display import Result, counted, percent
from probus.distances import Gower
from probus.errors import DataError
from probus.fairness._groups import Groups
from probus.metrics import Estimate
from probus.metrics.curves import quantile, wilson

_MOST_ROWS = 2000  # whose nearest rows are found


@dataclass(frozen=True, eq=False, repr=False)
class AlikeRows(Result):
    """How often the nearest row of another group, and of the same group, is treated differently.

    Attributes
    ----------
    column : the sensitive column.
    other, same : the share of rows whose nearest row of another group, or of the same one, has a different decision;
        of numbers the mean absolute difference.
    other_distance, same_distance : the median distances to these rows.
    rows : the number of rows that were compared.
    of_numbers : whether numbers are predicted.
    """

    column: str
    other: Estimate
    same: Estimate
    other_distance: float
    same_distance: float
    rows: int
    of_numbers: bool

    @property
    def sentence(self) -> str:
        """The result in words."""
        where = f"the most similar row (Gower distance without {self.column})"
        if self.of_numbers:
            return (
                f"Predictions differ by {self.other} from those of {where} of another group, "
                f"by {self.same} within the same group."
            )
        shares = [f"{percent(e.value)} [{percent(e.low)}, {percent(e.high)}]" for e in (self.other, self.same)]
        return f"{shares[0]} of rows are decided differently from {where} of another group, {shares[1]} within a group."

    def _parts(self) -> list[Any]:
        distances = f"median distances {self.other_distance:.3g} and {self.same_distance:.3g}"
        return [self.sentence, f"{counted(self.rows, 'row')}, {distances}"]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for another group and one for the same."""
        pairs = (("other", self.other, self.other_distance), ("same", self.same, self.same_distance))
        return [
            {"group": group, "differs": e.value, "low": e.low, "high": e.high, "median_distance": distance}
            for group, e, distance in pairs
        ]


def alike_rows(
    X: Any, predicted: Any, groups: Groups, *, sensitive: tuple[str, ...] = (), level: float = 0.95,
    random_state: int = 0,
) -> AlikeRows:  # fmt: skip
    """Compare the prediction of each row with those of the most similar rows of another and of the same group.

    Similarity is Gower's distance over the other columns. Of many rows a sample is compared.

    Parameters
    ----------
    X : the columns that the model reads.
    predicted : labels or numbers.
    groups : of the rows.
    sensitive : names of columns that do not count, as sensitive ones.
    level : the confidence level.
    random_state : draws the sample.

    Returns
    -------
    The shares.
    """
    table = Table.of(X, infer=False)
    kept = [column for column in table if column.name not in sensitive and column.kind is not Kind.TEXT]
    if not kept:
        raise DataError("no column besides the sensitive ones.", "columns by which rows are similar")
    predicted = np.asarray(predicted)
    of_numbers = predicted.dtype.kind == "f"
    rng = np.random.default_rng(random_state)
    queries = np.sort(rng.permutation(len(table))[:_MOST_ROWS])
    table = Table(kept)
    found = {kind: np.full((2, len(table)), np.nan) for kind in ("other", "same")}
    for code in range(len(groups)):
        mine = groups.codes == code
        asked = queries[mine[queries]]
        for kind, inside in (("other", ~mine), ("same", mine)):
            rows = np.flatnonzero(inside)
            if len(asked) and len(rows) > (kind == "same"):
                found[kind][:, asked] = _nearest(table, predicted, rows, asked, kind == "same", of_numbers)
    known = ~np.isnan(found["other"][0]) & ~np.isnan(found["same"][0])
    shares = {kind: _share(values[0, known], of_numbers, level) for kind, values in found.items()}
    medians = {kind: float(np.median(values[1, known])) if known.any() else np.nan for kind, values in found.items()}
    return AlikeRows(
        groups.name, shares["other"], shares["same"], medians["other"], medians["same"], int(known.sum()), of_numbers
    )


def _nearest(
    table: Table, predicted: np.ndarray, rows: np.ndarray, asked: np.ndarray, same: bool, of_numbers: bool
) -> np.ndarray:
    """How differently the nearest of some rows is treated, and its distance: float64[2, asked]."""
    distances, places = Gower(table.take(rows)).nearest(table.take(asked), 2 if same else 1)
    first = np.zeros(len(asked), np.int64)
    if same:  # not the row itself
        first = (rows[places[:, 0]] == asked).astype(np.int64)
    pick = np.arange(len(asked))
    mine, theirs = predicted[asked], predicted[rows[places[pick, first]]]
    differs = np.abs(mine - theirs) if of_numbers else (mine != theirs).astype(np.float64)
    return np.stack([differs, distances[pick, first]])


def _share(values: np.ndarray, of_numbers: bool, level: float) -> Estimate:
    n, mean = len(values), float(values.mean()) if len(values) else np.nan
    if not of_numbers:
        low, high = wilson(mean, n, level)
        return Estimate(mean, float(low), float(high), level, "Wilson", n)
    half = quantile(level) * float(values.std(ddof=1)) / n**0.5 if n > 1 else np.inf
    return Estimate(mean, max(mean - half, 0.0), mean + half, level, "normal", n)
