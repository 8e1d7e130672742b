"""Reading and editing the terms of a fitted glass box."""

from __future__ import annotations

from itertools import product
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.base import Model
from probus.display import drawing
from probus.ensemble.glass_box._additive_terms import AdditiveTerms
from probus.ensemble.glass_box._column_shares import ColumnShares, column_shares
from probus.ensemble.glass_box._column_view import ColumnView, view_of
from probus.ensemble.glass_box._curve_edits import edited_values, smoothed
from probus.ensemble.glass_box._glass_settings import column_names, column_of, pair_of
from probus.ensemble.glass_box._term_results import Curve, LocalTerms, PairTable, TermSizes
from probus.errors import DataError
from probus.parameters import attribute
from probus.sklearn_seam import check_monotonic_cst

_DRAWN, _WIDE = 9, 3  # curves of ``plot``, and how many side by side


class ReadableTerms(Model):
    """Parent of glass boxes: the curves are read, drawn and edited."""

    terms_: AdditiveTerms = attribute()
    intercept_: np.ndarray = attribute()
    edited_: np.ndarray = attribute()

    # -- reading ---------------------------------------------------------------------------------------

    def curve(self, column: Any, label: Any = None) -> Curve:
        """What a column adds to predictions: a result with ``plot`` and ``to_frame``.

        Parameters
        ----------
        column : its name or position.
        label : the class whose curve it is, if there are more than two.
        """
        check_is_fitted(self, "terms_")
        j, q, terms = column_of(column, column_names(self)), self._output(label), self.terms_
        part = terms.part(j)
        values, errors = terms.curves[part, q], terms.errors[part, q]
        return Curve(self._view(j), values, errors, terms.rows[part], self._unit, self._class(q), bool(self.edited_[j]))

    def pair(self, first: Any, second: Any, label: Any = None) -> PairTable:
        """What two columns add together beyond their curves: a result with ``plot`` and ``to_frame``.

        Parameters
        ----------
        first, second : their names or positions.
        label : the class whose table it is, if there are more than two.
        """
        p, turned = self._place_of_pair(first, second)
        q, terms = self._output(label), self.terms_
        shape, cells = terms.shape(p), terms.cells(p)
        columns = terms.pairs[p].tolist()
        names, labels = [column_names(self)[j] for j in columns], [self._pair_labels(j) for j in columns]
        values, rows = terms.tables[cells, q].reshape(shape), terms.pair_rows[cells].reshape(shape)
        if turned:
            names, labels, values, rows = names[::-1], labels[::-1], values.T, rows.T
        edited = bool(self.edited_[self.n_features_in_ + p])
        return PairTable((names[0], names[1]), (labels[0], labels[1]), values, rows, self._unit, self._class(q), edited)

    def explain_global(self) -> TermSizes:
        """How much each term moves predictions: a result with ``plot`` and ``to_frame``."""
        check_is_fitted(self, "terms_")
        terms = self.terms_
        total = max(float(terms.rows[terms.part(0)].sum()), 1e-300)
        sizes = [terms.rows[part] @ np.abs(terms.curves[part]) for part in map(terms.part, range(self.n_features_in_))]
        sizes += [
            terms.pair_rows[part] @ np.abs(terms.tables[part]) for part in map(terms.cells, range(len(terms.pairs)))
        ]
        edited = [name for name, yes in zip(self.term_names, self.edited_.tolist(), strict=True) if yes]
        sizes_of = np.array(sizes).reshape(-1, len(self.intercept_)).mean(axis=1) / total
        return TermSizes(tuple(self.term_names), sizes_of, self._unit, tuple(self.intercept_.tolist()), tuple(edited))

    def explain_local(self, X: Any) -> LocalTerms:
        """What each term adds to the prediction of each row; with the intercept the values sum to its score.

        Parameters
        ----------
        X : the rows.
        """
        codes = self._codes(X)
        values = np.stack(list(self.terms_.of_rows(codes)), axis=1)
        scores = self.intercept_ + values.sum(axis=1)
        outputs = tuple(self.classes_.tolist()) if len(self.intercept_) > 1 else ()
        predictions = tuple(np.asarray(self.predict(X)).tolist())
        return LocalTerms(tuple(self.term_names), values, self.intercept_, scores, predictions, outputs, self._unit)

    def _shares(self, X: Any, background: Any = None, *, by_pairs: bool = False) -> ColumnShares:
        """What each column adds to the scores, pairs shared by their columns; see ``probus.explain``."""
        others = None if background is None else self._codes(background)
        return column_shares(self.terms_, self.intercept_, self._codes(X), others, by_pairs=by_pairs)

    def to_frame(self) -> Any:
        """The curves of all columns as a polars frame: column, bin, value, 95 % band and rows; a row for each class."""
        import polars as pl

        check_is_fitted(self, "terms_")
        k = len(self.intercept_)
        labels = self.classes_.tolist() if k > 1 else [None]
        frames = [self.curve(j, label).to_frame() for j, label in product(range(self.n_features_in_), labels)]
        return pl.concat(frames, how="vertical_relaxed")

    def plot_curve(self, column: Any, ax: Any = None, *, label: Any = None) -> Any:
        """The curve of a column with its band, or the table of a pair, on matplotlib axes, which are returned.

        Parameters
        ----------
        column : a name or position, or a pair of them.
        ax : matplotlib axes, by default new ones.
        label : the class whose curve it is, if there are more than two.
        """
        if isinstance(column, (tuple, list)):
            return self.pair(*pair_of(column, column_names(self)), label).plot(ax)
        return self.curve(column, label).plot(ax)

    def plot(self, *, label: Any = None) -> Any:
        """The curves and pairs of the largest terms, in a matplotlib figure, which is returned.

        Parameters
        ----------
        label : the class whose curves they are, if there are more than two.
        """
        from matplotlib import pyplot

        order = self.explain_global().order[:_DRAWN].tolist()
        wide = min(_WIDE, len(order))
        tall = -(-len(order) // wide)
        figure, axes = pyplot.subplots(
            tall, wide, figsize=(4.3 * wide, 3.3 * tall), layout="constrained", squeeze=False
        )
        for t, ax in zip(order, axes.ravel(), strict=False):
            d = self.n_features_in_
            self.plot_curve(t if t < d else tuple(self.terms_.pairs[t - d].tolist()), ax, label=label)
        for ax in axes.ravel()[len(order) :]:
            ax.set_visible(False)
        figure.suptitle(f"Added to the {self._unit}", color=drawing.MUTED, fontsize=10, parse_math=False)
        return figure

    @property
    def term_names(self) -> list[str]:
        """The names of columns, and of pairs as "a × b"."""
        names = column_names(self)
        return [*names, *(f"{names[a]} × {names[b]}" for a, b in self.terms_.pairs.tolist())]

    # -- editing ---------------------------------------------------------------------------------------

    def set_curve(self, column: Any, curve: Any, *, missing: float | None = None, label: Any = None) -> Self:
        """Replace the curve of a column, and return the model, whose predictions follow.

        Parameters
        ----------
        column : a name or position; or a pair of them, whose table is replaced.
        curve : a number for all values; a function of an array of values, or of levels; a dict of levels, of which
            those that are left out keep their value; a dict or a pair of arrays of points, which lines connect; or a
            value for each bin. Of a pair a number, or an array of the shape of its table. It must be a function of its
            column.
        missing : the value of missing values; None keeps it.
        label : the class whose curve it is, if there are more than two.

        Examples
        --------
        >>> from probus.datasets import mtcars
        >>> from probus.ensemble import ExplainableBoostingRegressor
        >>> cars = mtcars()
        >>> model = ExplainableBoostingRegressor(random_state=0).fit(cars.select("wt", "hp"), cars["mpg"])
        >>> lighter = model.set_curve("wt", lambda wt: -3.0 * (wt - 3.2))
        >>> model.set_curve("wt", ([2, 3, 3], [5, 1, 2]))
        Traceback (most recent call last):
        probus.errors.DataError: 'wt' = 3.0 has the values 1 and 2. ...
        """
        check_is_fitted(self, "terms_")
        q = self._output(label)
        if isinstance(column, (tuple, list)):
            return self._set_table(column, curve, q)
        j = column_of(column, column_names(self))
        before = self.terms_.curves[self.terms_.part(j), q]
        return self._set(j, q, edited_values(self._view(j), before, curve, missing))

    def smooth(self, column: Any, degrees: float = 5.0, *, label: Any = None) -> Self:
        """Smooth the curve of a column with an order, and return the model, whose predictions follow.

        Parameters
        ----------
        column : its name or position.
        degrees : the effective degrees of freedom that the curve has afterwards: 2 is a straight line over the bins.
        label : the class whose curve it is, if there are more than two.
        """
        check_is_fitted(self, "terms_")
        j, q = column_of(column, column_names(self)), self._output(label)
        view, part = self._view(j), self.terms_.part(j)
        if not view.ordered:
            raise DataError(
                f"smooth({view.name!r}) of levels without an order.", "numbers or ordinal levels",
                "Set values of levels by set_curve.",
            )  # fmt: skip
        if not degrees >= 2:
            raise DataError(f"{degrees=}.", "at least 2")
        values = self.terms_.curves[part, q].copy()
        values[:-1] = smoothed(values[:-1], self.terms_.rows[part][:-1], degrees)
        sign = self._signs()[j]
        if sign:  # what smoothing overshoots at the ends
            values[:-1] = sign * np.maximum.accumulate(sign * values[:-1])
        return self._set(j, q, values)

    def _set(self, j: int, q: int, values: np.ndarray) -> Self:
        sign, part = self._signs()[j], self.terms_.part(j)
        if sign and (sign * np.diff(values[:-1]) < 0).any():
            way = "rising" if sign > 0 else "falling"
            raise DataError(
                f"a curve of {column_names(self)[j]!r} that is not {way}.", f"the monotone constraint: {way} values"
            )
        curves, errors = self.terms_.curves[part].copy(), self.terms_.errors[part].copy()
        curves[:, q], errors[:, q] = values, np.nan
        self.terms_ = self.terms_.with_curve(j, curves, errors)
        self._mark(j)
        return self

    def _set_table(self, pair: Any, table: Any, q: int) -> Self:
        p, turned = self._place_of_pair(*pair_of(pair, column_names(self)))
        turned = column_of(pair[0], column_names(self)) != self.terms_.pairs[p, 0]
        shape, cells = self.terms_.shape(p), self.terms_.cells(p)
        try:
            values = np.asarray(table, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{str(table)[:60]!r} as the table of a pair.", "a number, or an array of numbers"
            ) from None
        values = np.full(shape, float(values)) if values.ndim == 0 else values.T if turned else values
        if values.shape != shape or not np.isfinite(values).all():
            raise DataError(
                f"a table of shape {values.shape}.", f"finite values of shape {shape[::-1] if turned else shape}",
                "model.pair(…).values is the table as it is.",
            )  # fmt: skip
        tables = self.terms_.tables.copy()
        tables[cells, q] = values.ravel()
        self.terms_ = self.terms_.with_tables(tables)
        self._mark(self.n_features_in_ + p)
        return self

    def _mark(self, term: int) -> None:
        self.edited_ = self.edited_.copy()
        self.edited_[term] = True

    def _signs(self) -> np.ndarray:
        signs = check_monotonic_cst(self, getattr(self, "monotone_constraints", None))
        return np.zeros(self.n_features_in_, np.int64) if signs is None else signs.astype(np.int64)

    # -- names -----------------------------------------------------------------------------------------

    def _view(self, j: int) -> ColumnView:
        return view_of(self.terms_, j, column_names(self)[j], getattr(self, "schema_", None))

    def _place_of_pair(self, first: Any, second: Any) -> tuple[int, bool]:
        """Where a pair is, and whether its columns are given in the other order."""
        check_is_fitted(self, "terms_")
        names, pairs = column_names(self), [tuple(pair) for pair in self.terms_.pairs.tolist()]
        given = pair_of((first, second), names)
        if given not in pairs:
            there = "; ".join(f"{names[a]!r} and {names[b]!r}" for a, b in pairs[:6]) or "no pairs"
            raise DataError(
                f"no table of {names[given[0]]!r} and {names[given[1]]!r}.", there,
                "Pass interactions=[(first, second)] to fit one.",
            )  # fmt: skip
        return pairs.index(given), column_of(first, names) != given[0]

    def _pair_labels(self, j: int) -> tuple[str, ...]:
        """The bins of a column in pairs, in words."""
        view, coarse = self._view(j), self.terms_.coarse[self.terms_.part(j)]
        texts = []
        for group in range(int(self.terms_.sizes[j]) - 1):
            bins = np.flatnonzero(coarse[:-1] == group).tolist()
            if view.labels:
                names = [view.labels[b] for b in bins]
                texts.append(", ".join(names) if len(names) < 4 else f"{names[0]}, … ({len(names)} levels)")
            else:
                low, high = view.centres[bins[0]], view.centres[bins[-1]]
                texts.append(f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}")
        return (*texts, "missing")

    def _output(self, label: Any) -> int:
        """The output of a class."""
        k = len(self.intercept_)
        if k == 1:
            if label is not None and label != self._class(0):
                raise DataError(f"{label=} of a model with one curve for each column.", "None")
            return 0
        classes = self.classes_.tolist()
        if label not in classes:
            found = "no label" if label is None else f"no class {label!r}"
            raise DataError(f"{found}.", "one of " + ", ".join(map(repr, classes[:12])), "Each class has its curves.")
        return classes.index(label)

    def _class(self, q: int) -> Any:
        if not is_classifier(self) or len(self.classes_) < 2:
            return None
        return self.classes_.tolist()[q if len(self.intercept_) > 1 else 1]

    @property
    def _unit(self) -> str:
        """What the terms are added to."""
        if is_classifier(self):
            return "log odds" if len(self.intercept_) == 1 else "score"
        x = np.array([-1.0, 1.0])
        means = self._loss().mean(x)
        return (
            "prediction"
            if np.allclose(means, x)
            else "log of the prediction"
            if np.allclose(means, np.exp(x))
            else "score"
        )
