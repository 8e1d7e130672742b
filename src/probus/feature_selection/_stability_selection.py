"""Stability selection: the columns that are selected on most halves of the rows, with a bound on the errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.base import Accepts, Model, RequiredTargetMixin, accepts_of, clone, table_input
from probus.data import Table
from probus.display import Cells, Notes, Picture, Result, counted, drawing
from probus.errors import DataError
from probus.feature_selection._column_selector import ColumnSelector, check_number, weighted_rows
from probus.feature_selection._error_bounds import BOUNDS, largest_number, smallest_threshold, stability_bound
from probus.feature_selection._path_entry import L1Selection
from probus.model_selection import ProgressOption, shown
from probus.model_selection.engine import run_jobs
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.state import Array, Number, Spec
from probus.wrapping import fit_weighted, takes_weights


class StabilitySelection(RequiredTargetMixin, ColumnSelector):
    """Keep the columns that a selector keeps on most halves of the rows (Meinshausen and Bühlmann 2010).

    The rows are split into two halves at random, many times, and the selector is fitted on each half (complementary
    pairs, Shah and Samworth 2013). The expected number of columns that are kept wrongly has a bound. Two of ``q``,
    ``threshold`` and ``max_errors`` give the third. A column is kept wrongly if the selector keeps it with a
    probability of at most q / p.

    Attributes
    ----------
    frequencies_ : the share of halves on which each column was selected.
    q_, threshold_ : the number of columns selected on a half, on average, and the share from which columns are kept.
    max_errors_ : the bound on the expected number of columns kept wrongly.
    support_ : which columns are kept.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 30))
    >>> y = X[:, 3] - X[:, 7] + rng.normal(size=200)
    >>> selector = StabilitySelection(threshold=0.8, max_errors=0.5, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True), selector.q_, round(selector.max_errors_, 2)
    (array([3, 7]), 4.0, 0.44)
    """

    selector: Any = parameter(
        "A selector with a parameter ``k``, which is set to ``q``, or any other selector. None is ``L1Selection``, the "
        "first columns of the path of the lasso.",
        default=None,
        kw_only=False,
    )
    q: int | None = parameter("The number of columns that the selector keeps on a half.", default=None, at_least=1)
    threshold: float | None = parameter(
        "The share of the halves from which a column is kept. None is 0.75, or follows from ``q`` and ``max_errors``.",
        default=None,
        above=0.5,
        at_most=1.0,
    )
    max_errors: float | None = parameter(
        "The largest expected number of columns kept wrongly. None is 1, or follows from ``q`` and ``threshold``.",
        default=None,
        above=0.0,
    )
    bound: str = parameter(
        '"unimodal" and "r-concave", which is tighter and assumes more, are the bounds of Shah and Samworth; "general" '
        "is that of Meinshausen and Bühlmann. See ``stability_bound``.",
        default="unimodal",
        one_of=BOUNDS,
    )
    n_pairs: int = parameter("The number of pairs of halves.", default=50, at_least=1)
    n_jobs: int | None = N_JOBS
    progress: ProgressOption = parameter(
        '"auto" shows a bar in terminals and notebooks, None nothing; or a function of (done, total, text).',
        default=None,
        of=[],
    )
    random_state: Any = RANDOM_STATE

    frequencies_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **ColumnSelector.fitted,
        "frequencies_": Array("f8", "d"),
        "q_": Number(),
        "threshold_": Number(),
        "max_errors_": Number(),
    }

    excused: ClassVar[dict[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is two rows of one group"
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Few halves."""
        return [cls(q=1, threshold=0.6, n_pairs=3)]

    @property
    def accepts(self) -> Accepts:  # type: ignore[override]
        """What the selector accepts."""
        selector = self.selector or L1Selection()
        inside = accepts_of(selector)
        return Accepts(
            nominal=inside.nominal, text=inside.text, missing=inside.missing, weights=takes_weights(selector)
        )

    def fit(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> StabilitySelection:
        """Select on halves of the rows, or of the groups, and keep what is stable.

        Weights are those of the selector's fits. A half has half of the rows, whatever their weights are: a row of
        weight 2 counts as two rows of one group.
        """
        if sample_weight is not None and not self.accepts.weights:
            raise DataError(
                f"sample_weight for {type(self.selector).__name__}, which takes none.", "a selector that takes weights"
            )
        table, labels, weights, groups = weighted_rows(table_input(self, X, reset=True), y, sample_weight, groups)
        if len(table) < 4:
            raise DataError(f"n_samples = {len(table)}.", "at least four rows, for two halves")
        p = table.shape[1]
        q, threshold = self._settings(p)
        selector = self._inside(q)
        halves = self._halves(len(table), groups)
        kept = np.zeros(p)
        with shown(self.progress) as update:
            work = run_jobs(
                partial(_select_on, selector, table, labels, weights), [(rows,) for rows in halves], self.n_jobs
            )
            for done, support in enumerate(work, 1):
                kept += support
                update(done, len(halves), f"{type(self).__name__}: {len(halves):,} fits")
        self.frequencies_ = kept / len(halves)
        self.q_ = float(q if q is not None else kept.sum() / len(halves))
        self.threshold_ = self._threshold(threshold, p)
        bounded = 0 < self.q_ <= p
        self.max_errors_ = (
            stability_bound(self.q_, p, self.threshold_, n_pairs=self.n_pairs, bound=self.bound) if bounded else 0.0
        )
        self.support_ = self.frequencies_ >= self.threshold_ - 1e-12
        return self

    def _support(self, table: Table, y: Any) -> np.ndarray:
        raise NotImplementedError  # fit selects

    def _settings(self, p: int) -> tuple[int | None, float | None]:
        """The number of columns on a half, None where the selector decides, and the threshold, None until that."""
        if None not in (self.q, self.threshold, self.max_errors):
            raise DataError("q, threshold and max_errors together.", "two of them: the third follows")
        if self.q is not None:
            check_number(self.q, p, "q")
        sized = self.selector is None or "k" in self.selector.get_params(deep=False)
        if self.q is not None and not sized:
            raise DataError(f"q={self.q} for {type(self.selector).__name__}, which has no k.", "q=None")
        if self.q is not None or not sized:
            given = self.threshold if self.max_errors is None else None
            return self.q, given or (0.75 if self.max_errors is None else None)
        threshold = self.threshold or 0.75
        errors = 1.0 if self.max_errors is None else self.max_errors
        return largest_number(p, threshold, errors, self.n_pairs, self.bound), threshold

    def _threshold(self, given: float | None, p: int) -> float:
        if given is not None:
            return given
        assert self.max_errors is not None
        found = smallest_threshold(int(np.ceil(self.q_)) or 1, p, self.max_errors, self.n_pairs, self.bound)
        if found is None:
            raise DataError(
                f"no threshold has a bound of {self.max_errors:g} errors with {self.q_:.3g} of {p} columns on a half.",
                "fewer columns on a half, or more errors",
            )
        return found

    def _inside(self, q: int | None) -> Any:
        if self.selector is None:
            return L1Selection(q or 1)
        if not hasattr(self.selector, "get_support"):
            raise DataError(
                f"found {type(self.selector).__name__}.", "a selector, with get_support", "Pass SelectKBest(k=5), say."
            )
        selector = clone(self.selector)
        return selector if q is None else selector.set_params(k=q)

    def _halves(self, n: int, groups: Any) -> list[np.ndarray]:
        """The rows of both halves of each pair."""
        random = check_random_state(self.random_state)
        units = np.arange(n) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
        count = int(units.max()) + 1
        if count < 4:
            raise DataError(f"{count} groups.", "at least four, for two halves")
        halves = []
        for _ in range(self.n_pairs):
            order = random.permutation(count)
            for part in (order[: count // 2], order[count // 2 : 2 * (count // 2)]):
                halves.append(np.flatnonzero(np.isin(units, part)) if groups is not None else np.sort(part))
        return halves

    @property
    def table(self) -> StabilityTable:
        """The columns by the share of halves that selected them: a result that prints and plots itself."""
        order = np.argsort(-self.frequencies_, kind="stable")
        names = np.asarray(getattr(self, "feature_names_in_", [f"x{j}" for j in range(len(order))]), dtype=object)
        return StabilityTable(
            tuple(map(str, names[order])), self.frequencies_[order], self.threshold_, self.max_errors_, self.bound,
            self.q_, 2 * self.n_pairs,
        )  # fmt: skip


def _select_on(
    selector: Any, table: Table, labels: np.ndarray, weights: np.ndarray | None, rows: np.ndarray
) -> np.ndarray:
    some = None if weights is None else weights[rows]
    return fit_weighted(clone(selector), table.take(rows), labels[rows], some).get_support()


@dataclass(frozen=True, repr=False, eq=False)
class StabilityTable(Result):
    """The columns by how often they were selected.

    Attributes
    ----------
    columns : the names, the most frequent first.
    frequencies : the share of the halves that selected each.
    threshold : the share from which columns are kept.
    max_errors : the bound on the expected number of columns kept wrongly.
    bound : which bound.
    q : the number of columns on a half.
    n_halves : the number of halves.
    """

    columns: tuple[str, ...]
    frequencies: np.ndarray
    threshold: float
    max_errors: float
    bound: str
    q: float
    n_halves: int

    def _parts(self) -> Iterable[Any]:
        kept = int((self.frequencies >= self.threshold - 1e-12).sum())
        yield f"StabilitySelection: {counted(kept, 'column')} of {len(self.columns)}"
        rows = [
            [name, f"{share:.0%}", "kept" if share >= self.threshold - 1e-12 else ""]
            for name, share in zip(self.columns, self.frequencies, strict=True)
        ]
        yield Cells([["column", "selected", ""], *rows], right=(1,), most=20)
        yield Notes(
            [
                f"selected on {self.n_halves} halves of the rows, {self.q:.3g} columns on average",
                f"kept from {self.threshold:.0%}: at most {self.max_errors:.2g} columns wrongly on average, by the "
                f"{self.bound} bound",
            ]
        )
        yield Picture(self.plot)

    def _rows(self) -> dict[str, Any]:
        return {
            "column": list(self.columns),
            "frequency": self.frequencies,
            "kept": self.frequencies >= self.threshold - 1e-12,
        }

    def plot(self, axes: Any = None) -> Any:
        """The share of each column, with the threshold, on matplotlib axes, which are returned."""
        shown = min(len(self.columns), 30)
        axes = drawing.new_axes(axes, 5.6, 1.2 + 0.24 * shown)
        shares = self.frequencies[:shown][::-1]
        colours = [drawing.BLUE if share >= self.threshold - 1e-12 else drawing.SPINE for share in shares]
        axes.barh(np.arange(shown), shares, color=colours, height=0.7)
        axes.axvline(self.threshold, color=drawing.ORANGE, linewidth=1.2)
        drawing.tidy(axes, "Stability selection", "share of halves that select it", "")
        axes.set_yticks(np.arange(shown), self.columns[:shown][::-1])
        axes.set_xlim(0, 1)
        return axes
