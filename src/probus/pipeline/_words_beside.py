"""Words of text columns beside the other columns, each with their own preparation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import HasMethod, NoneAllowed
from probus.base import Accepts, Model, Transformer, clone, table_input
from probus.data import Kind, Table
from probus.display import listed
from probus.errors import DataError
from probus.parameters import attribute, parameter
from probus.pipeline._sequence import Sequence
from probus.preprocessing import CountWords, TableEncoder, TypedImputer, as_array
from probus.state import Maybe, Object, Spec


class WordsBeside(Transformer, auto_wrap_output_keys=None):
    """Give the text columns to one transformer and the others to another, and join what they return as a matrix.

    Attributes
    ----------
    words_, others_ : the fitted transformers; None where there are no such columns.
    """

    words: Any = parameter(
        "``CountWords`` or ``TfidfWords``, with a sparse matrix.", of=[HasMethod("fit", "transform")], kw_only=False
    )
    others: Any = parameter(
        "A transformer of the other columns to numbers; None takes them unchanged.",
        default=None,
        of=[HasMethod("fit", "transform"), NoneAllowed()],
        kw_only=False,
    )
    sparse_output: bool = parameter("Whether the matrix is sparse; False gives an array.", default=True)

    must_have_text: bool = parameter("Whether a table without text columns is an error.", default=False)

    accepts = Accepts(nominal=True, text=True, missing=True)

    words_: Any = attribute()
    others_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"words_": Maybe(Object(CountWords)), "others_": Maybe(Object(BaseEstimator))}

    @classmethod
    def examples(cls) -> list[Model]:
        """Words beside encoded columns."""
        return [
            cls(CountWords(), Sequence([("impute", TypedImputer()), ("encode", TableEncoder())]), sparse_output=False)
        ]

    def fit(self, X: Any, y: Any = None) -> WordsBeside:
        """Fit both transformers."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``transform`` of the same rows, with what each transformer returns for its training rows."""
        table = table_input(self, X, reset=True)
        texts, others = _halves(table)
        levels = [f"{column.name!r} is {column.kind}" for column in table if column.levels]
        if levels and not texts and self.must_have_text:
            found = f"{type(self.words).__name__} without a text column: {listed(levels, most=4)}."
            raise DataError(found, "a text column", "Set its kind: kinds={'message': 'text'}.")
        self.words_ = clone(self.words) if texts else None
        self.others_ = clone(self.others) if others and self.others is not None else None
        numbers = table.select(*others)
        if self.others_ is not None:
            numbers = self.others_.fit_transform(numbers, y)
        return self._side_by_side(numbers, self.words_.fit_transform(table.select(*texts)) if texts else None)

    def transform(self, X: Any) -> Any:
        """The other columns, and the words, rows × columns."""
        check_is_fitted(self, "others_")
        table = table_input(self, X, reset=False)
        texts, others = _halves(table)
        numbers = table.select(*others)
        if self.others_ is not None:
            numbers = self.others_.transform(numbers)
        return self._side_by_side(numbers, self.words_.transform(table.select(*texts)) if texts else None)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns: the others, and "text: word" for each word."""
        check_is_fitted(self, "others_")
        others = [field.name for field in self.schema_ if field.kind is not Kind.TEXT]
        if self.others_ is not None:
            others = list(self.others_.get_feature_names_out(others))
        words = () if self.words_ is None else self.words_.get_feature_names_out()
        return np.array([*others, *words], dtype=object)

    def notes(self) -> list[str]:
        """What the transformers made of the columns, as sentences."""
        steps = [step for _, step in getattr(self.others_, "steps", ())]
        return [note for step in (*steps, self.words_) if hasattr(step, "notes") for note in step.notes()]

    def _side_by_side(self, numbers: Any, words: Any) -> Any:
        numbers = as_array(numbers) if isinstance(numbers, Table) else np.asarray(numbers)
        if not self.sparse_output:
            return numbers if words is None else np.hstack([numbers, words.toarray()])
        parts = [sparse.csr_matrix(numbers.astype(np.float64))] if numbers.shape[1] else []
        return sparse.hstack([*parts, *([] if words is None else [words])], format="csr")


def _halves(table: Table) -> tuple[list[str], list[str]]:
    """The names of the text columns, and of the others."""
    texts = [column.name for column in table if column.kind is Kind.TEXT]
    return texts, [name for name in table.names if name not in texts]
