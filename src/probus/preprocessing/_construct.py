"""Feature construction: new features are kept if they are more relevant to the target than their parents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import RequiredTargetMixin
from probus.data import Column, Kind, Table
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, parameter
from probus.preprocessing._relevance import SCREENS
from probus.preprocessing._screening_target import ScreeningTarget
from probus.preprocessing._transformer import TableTransformer, chosen, distinct
from probus.state import Array, Many, Spec, String


@dataclass(frozen=True)
class Operation:
    """A function of one or two columns, and its formula.

    An operation is ``ordered`` if swapping its two columns changes more than the sign.
    """

    template: str
    function: Callable[..., np.ndarray]
    n_parents: int = 2
    ordered: bool = False

    def name(self, *parents: str) -> str:
        """The name of the new column.

        >>> OPERATIONS["quotient"].name("height", "weight")
        '(height / weight)'
        """
        return self.template.format(*parents)

    def __call__(self, *parents: np.ndarray) -> np.ndarray:
        """The new column: missing where a parent is, and 0 where the result is not finite (1 / 0, 0 / 0)."""
        with np.errstate(all="ignore"):
            made = np.asarray(self.function(*parents), dtype=np.float64)
        known = ~np.isnan(parents).any(axis=0)
        return np.where(known & ~np.isfinite(made), 0.0, made)


OPERATIONS = {
    "sum": Operation("({0} + {1})", np.add),
    "difference": Operation("({0} - {1})", np.subtract),
    "product": Operation("({0} * {1})", np.multiply),
    "quotient": Operation("({0} / {1})", np.divide, ordered=True),
    "radius": Operation("sqrt({0}^2 + {1}^2)", np.hypot),
    "square_difference": Operation("({0}^2 - {1}^2)", lambda a, b: (a - b) * (a + b)),
    "asymmetry": Operation("(({0} - {1}) / ({0} + {1}))", lambda a, b: (a - b) / (a + b)),
    "inverse_asymmetry": Operation("(({0} + {1}) / ({0} - {1}))", lambda a, b: (a + b) / (a - b)),
    "square": Operation("{0}^2", np.square, n_parents=1),
    "cube": Operation("{0}^3", lambda a: a**3, n_parents=1),
    "sine": Operation("sin({0})", np.sin, n_parents=1),
    "cosine": Operation("cos({0})", np.cos, n_parents=1),
}


_SCREENED_ROWS = 20_000
_CHANCE = 0.05  # probability of keeping any candidate if none is related to the target
_BETTER = 1.05  # times the relevance of the better parent
_SAME = 0.99  # correlation above which two features are redundant


@dataclass(frozen=True)
class _Candidate:
    operation: str
    parents: tuple[int, ...]
    relevance: float


class FeatureConstructor(RequiredTargetMixin, TableTransformer):
    """Add sums, differences, products, quotients and radii of numeric columns that are more relevant than the columns.

    Candidates are computed and scored against y on the training rows one at a time, so that only one is in memory. At
    most ``top`` are kept: those whose relevance is significant (5 % over all candidates together), is 5 % above that
    of either parent, and that are not redundant with a better one (correlation below 0.99). Selection uses y; inside
    a pipeline it uses the training fold only. Columns of other kinds pass unchanged; a new value is missing where a
    parent is, and 0 where the operation has no finite result.

    Attributes
    ----------
    operations_, parents_, relevance_ : the operation, the positions of the parents, and the relevance (in nats) of each
        new feature.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> ring = np.hypot(X[:, 0], X[:, 1]) > 1
    >>> FeatureConstructor(top=1).fit(X, ring).get_feature_names_out().tolist()
    ['x0', 'x1', 'x2', 'sqrt(x0^2 + x1^2)']
    """

    operations: Sequence[str] = parameter(
        'Of "sum", "difference", "product", "quotient", "radius", "square_difference", "asymmetry" ((a - b) / '
        '(a + b)), "inverse_asymmetry", "square", "cube", "sine", "cosine".',
        default=("sum", "difference", "product", "quotient", "radius"),
        of=[ArrayValue()],
        kw_only=False,
    )
    columns: Sequence[str] | None = parameter(
        "The numeric columns to combine; all if None.", default=None, of=[ArrayValue(), NoneAllowed()]
    )
    max_features: int = parameter(
        "The number of columns to combine; the most relevant ones are used.", default=30, at_least=1
    )
    screen: str = parameter(
        '"mutual_information" (in bins of equal frequency: any relation) or "correlation" (linear relations).',
        default="mutual_information",
        one_of=SCREENS,
    )
    top: int = parameter("The maximum number of features to add.", default=20, at_least=0)
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "operations_": Many(String(tuple(OPERATIONS)), "F"),
        "parents_": Array("i8", "F 2", low=0, high="d"),
        "relevance_": Array("f8", "F"),
    }

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the parents are numeric columns."""
        if any(self.schema_[int(j)].kind is not Kind.NUMERIC for j in self.parents_.ravel()):
            raise ModelFileError("FeatureConstructor: a parent of a feature is not numeric.")

    def _learn(self, table: Table, y: Any) -> None:
        for operation in self.operations:
            chosen("operations", operation, tuple(OPERATIONS))
        target, table = self._screen(ScreeningTarget.of(y, table.n_rows), table)
        parents = self._relevant_parents(table, target)
        kept = self._without_redundant(self._significant(table, target, parents), table)
        self.operations_ = [candidate.operation for candidate in kept]
        self.parents_ = np.array([(c.parents * 2)[:2] for c in kept], dtype=np.int64).reshape(-1, 2)
        self.relevance_ = np.array([candidate.relevance for candidate in kept])

    def _screen(self, target: ScreeningTarget, table: Table) -> tuple[ScreeningTarget, Table]:
        """The rows used for screening."""
        if table.n_rows <= _SCREENED_ROWS:
            return target, table
        rows = check_random_state(self.random_state).choice(table.n_rows, _SCREENED_ROWS, replace=False)
        return target.take(rows), table.take(rows)

    def _relevant_parents(self, table: Table, target: ScreeningTarget) -> dict[int, float]:
        """The columns to combine, by position, and their relevance."""
        names = [c.name for c in table.of_kind(Kind.NUMERIC)] if self.columns is None else list(self.columns)
        for name in names:
            if table[name].kind is not Kind.NUMERIC:
                raise DataError(f"column {name!r} is {table[name].kind}.", "numeric columns to combine")
        relevance = {table.names.index(name): SCREENS[self.screen](table[name].values, target)[0] for name in names}
        best = sorted(relevance, key=lambda j: (-relevance[j], j))[: self.max_features]
        return {j: relevance[j] for j in sorted(best)}

    def _significant(self, table: Table, target: ScreeningTarget, parents: dict[int, float]) -> list[_Candidate]:
        """The candidates that are significant and better than their parents, the most relevant first."""
        columns, plans = tuple(table), list(self._plans(list(parents)))
        promising = []
        for operation, sources in plans:
            made = OPERATIONS[operation](*(columns[j].values for j in sources))
            relevance, p_value = SCREENS[self.screen](made, target)
            if p_value < _CHANCE / len(plans) and relevance > _BETTER * max(parents[j] for j in sources):
                promising.append(_Candidate(operation, sources, relevance))
        return sorted(promising, key=lambda candidate: -candidate.relevance)

    def _plans(self, parents: list[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
        for name in self.operations:
            operation = OPERATIONS[name]
            arrangements = permutations if operation.ordered else combinations
            yield from ((name, sources) for sources in arrangements(parents, operation.n_parents))

    def _without_redundant(self, candidates: list[_Candidate], table: Table) -> list[_Candidate]:
        """The best candidates, without those that are redundant with a better one."""
        columns = tuple(table)
        kept: list[_Candidate] = []
        features: list[np.ndarray] = []
        for candidate in candidates:
            if len(kept) >= self.top:
                break
            made = OPERATIONS[candidate.operation](*(columns[j].values for j in candidate.parents))
            made = np.nan_to_num(made - np.nanmean(made))
            made /= np.linalg.norm(made)
            if all(abs(made @ other) < _SAME for other in features):
                kept.append(candidate)
                features.append(made)
        return kept

    def _applied(self, table: Table) -> Table:
        names = self._names_out(table.names)[len(table.names) :]
        columns, built = tuple(table), []
        for name, operation, sources in zip(names, self.operations_, self.parents_, strict=True):
            parents = [columns[j].values for j in sources[: OPERATIONS[operation].n_parents]]
            built.append(Column.numbers(name, OPERATIONS[operation](*parents)))
        return Table([*table, *built], origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        made = (
            OPERATIONS[operation].name(*(names[j] for j in sources))
            for operation, sources in zip(self.operations_, self.parents_, strict=True)
        )
        return distinct([*names, *made])
