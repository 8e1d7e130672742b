"""Words of text columns as a matrix: how often each occurs, or TF–IDF."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, IntegerIn, NoneAllowed, OneOf, RealIn
from probus.base import Accepts, Model, Transformer, table_input
from probus.data import WORD, Column, Kind, Table, has_names
from probus.display import counted
from probus.errors import DataError, ModelFileError
from probus.parameters import attribute, parameter
from probus.preprocessing._transformer import distinct, warn_dropped
from probus.sklearn_seam import check_feature_names_in
from probus.state import Array, Labels, Many, Spec

_SHARE = [IntegerIn(at_least=1), RealIn(at_least=0, at_most=1, besides_int=True)]


class CountWords(Transformer):
    """How often each word occurs in each text: a matrix with a column for each word of each text column.

    The words are those of the training rows; others are not counted. Numeric columns are kept, before the words.
    Missing text has no words. A list or series of strings is one text column. Words are counted by scikit-learn's
    ``CountVectorizer``.

    ``tabular(model, text=CountWords())`` prepares columns of other kinds, too.

    Attributes
    ----------
    words_ : the words of each text column, in the order of their columns.

    Examples
    --------
    >>> counts = CountWords()
    >>> counts.fit_transform(["Win a prize, win!", "a meeting at nine"]).toarray()
    array([[0., 0., 0., 1., 2.],
           [1., 1., 1., 0., 0.]])
    >>> counts.get_feature_names_out().tolist()
    ['text: at', 'text: meeting', 'text: nine', 'text: prize', 'text: win']
    """

    ngram_range: tuple[int, int] = parameter(
        "The least and the most adjacent words that are counted as one: (1, 2) for words and pairs.",
        default=(1, 1),
        of=[InstanceOf(tuple)],
    )
    min_df: Any = parameter(
        "Words in fewer training rows than this are left out: a number, or a share of the rows.", default=1, of=_SHARE
    )
    max_df: Any = parameter(
        "Words in more training rows than this are left out: a number, or a share of the rows.", default=1.0, of=_SHARE
    )
    max_features: int | None = parameter(
        "The most words of a column, the most frequent ones; None is all.", default=None, at_least=1
    )
    binary: bool = parameter("Whether a word counts once at most in each text.", default=False)
    stop_words: Any = parameter(
        'Words that are left out: a list, or "english".',
        default=None,
        of=[OneOf("english"), InstanceOf(list), NoneAllowed()],
    )
    lowercase: bool = parameter("Whether capital letters are counted as small ones.", default=True)
    strip_accents: str | None = parameter(
        'How accents are removed: "unicode", "ascii" (faster, for Western scripts), or None.',
        default=None,
        one_of=("ascii", "unicode"),
    )
    analyzer: str = parameter(
        'What is counted: "word", "char" (letters), or "char_wb" (letters within words).',
        default="word",
        one_of=("word", "char", "char_wb"),
    )
    token_pattern: str = parameter(
        "The regular expression of a word: by default two letters or more, or one in scripts without spaces.",
        default=WORD,
    )
    sparse_output: bool = parameter("Whether the matrix is sparse; False gives an array.", default=True)

    accepts = Accepts(text=True, missing=True)

    words_: list[np.ndarray] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"words_": Many(Labels())}

    @classmethod
    def examples(cls) -> list[Model]:
        """Sparse, and dense pairs of words."""
        return [cls(), cls(ngram_range=(1, 2), sparse_output=False)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless each text column has distinct words."""
        if len(self.words_) != self._n_texts or any(len(set(each)) != len(each) for each in self.words_):
            raise ModelFileError(f"{type(self).__name__}: the words do not match the columns.")

    @property
    def _n_texts(self) -> int:
        return sum(field.kind is Kind.TEXT for field in self.schema_)

    def fit(self, X: Any, y: Any = None) -> CountWords:
        """Find the words of the training rows; y is ignored."""
        self._learn(text_input(self, X, reset=True))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``transform`` of the same rows."""
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> Any:
        """The numeric columns and the numbers of each word, rows × columns."""
        check_is_fitted(self)
        table = text_input(self, X, reset=False)
        numbers = [column.values for column in table if column.kind is not Kind.TEXT]
        parts = [sparse.csr_matrix(np.column_stack(numbers).astype(np.float64))] if numbers else []
        for place, column in enumerate(table.of_kind(Kind.TEXT)):
            if len(self.words_[place]):
                parts.append(self._weighted(self._vectorizer(self.words_[place]).transform(_texts(column)), place))
        matrix = sparse.hstack(parts, format="csr", dtype=np.float64)
        return matrix if self.sparse_output else matrix.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns: "text: word" for each word."""
        check_is_fitted(self)
        names = check_feature_names_in(self, input_features)
        pairs = list(zip(names, self.schema_, strict=True))
        made = [name for name, field in pairs if field.kind is not Kind.TEXT]
        for (name, _), words in zip([pair for pair in pairs if pair[1].kind is Kind.TEXT], self.words_, strict=True):
            made += [f"{name}: {word}" for word in words]
        return np.array(distinct(made), dtype=object)

    def notes(self) -> list[str]:
        """How many words each text has, as sentences."""
        texts = [field.name for field in self.schema_ if field.kind is Kind.TEXT]
        return [f"{name} is used as its {counted(len(w), 'word')}" for name, w in zip(texts, self.words_, strict=True)]

    def _learn(self, table: Table) -> list[sparse.csr_matrix]:
        """Set the words; the counts of the training rows."""
        self.words_, counts = [], []
        for column in table.of_kind(Kind.TEXT):
            vectorizer = self._vectorizer(None)
            if column.missing.all():
                warn_dropped([column.name], "text that is always missing")
                self.words_.append(np.empty(0, dtype=object))
                counts.append(sparse.csr_matrix((len(table), 0)))
                continue
            try:
                counts.append(vectorizer.fit_transform(_texts(column)))
            except ValueError as error:
                raise DataError(
                    f"text column {column.name!r}: no word is left ({str(error).rstrip('.')}).",
                    "words that occur in the training rows",
                    "Change min_df, max_df, stop_words or token_pattern.",
                ) from None
            self.words_.append(vectorizer.get_feature_names_out().astype(object))
        return counts

    def _vectorizer(self, words: np.ndarray | None) -> CountVectorizer:
        names = ("ngram_range", "min_df", "max_df", "max_features", "binary", "stop_words", "lowercase")
        names += ("strip_accents", "analyzer", *(("token_pattern",) if self.analyzer == "word" else ()))
        return CountVectorizer(**{name: getattr(self, name) for name in names}, vocabulary=words)

    def _weighted(self, counts: sparse.csr_matrix, place: int) -> sparse.csr_matrix:
        """What is returned for the counts of a text column."""
        return counts


class TfidfWords(CountWords):
    """TF–IDF of each word of each text: rare words count more, and long texts no more than short ones.

    A count is multiplied by idf = log((1 + n) / (1 + n_w)) + 1 of its word, which n_w of the n training rows contain.
    Each row of a text column is then divided by its length. Else it is ``CountWords``, and the weights are those of
    scikit-learn's ``TfidfVectorizer``.

    Attributes
    ----------
    words_, idf_ : the words of each text column, and their weights.

    Examples
    --------
    >>> TfidfWords().fit_transform(["good food", "good", "bad food"]).toarray().round(2)
    array([[0.  , 0.71, 0.71],
           [0.  , 0.  , 1.  ],
           [0.8 , 0.61, 0.  ]])
    """

    norm: str | None = parameter(
        'The length that each row of a text column is divided by: "l2", "l1", or None.',
        default="l2",
        one_of=("l1", "l2"),
    )
    use_idf: bool = parameter("Whether rare words count more.", default=True)
    smooth_idf: bool = parameter("Whether n and n_w are increased by one.", default=True)
    sublinear_tf: bool = parameter("Whether a count is replaced by 1 + log(count).", default=False)

    idf_: list[np.ndarray] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**CountWords.fitted, "idf_": Many(Array("f8", "*"))}

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless each word has a weight."""
        super().check_fitted_state()
        if [len(each) for each in self.words_] != [len(each) for each in self.idf_]:
            raise ModelFileError("TfidfWords: the weights do not match the words.")

    def _learn(self, table: Table) -> list[sparse.csr_matrix]:
        counts = super()._learn(table)
        scheme = TfidfTransformer(smooth_idf=self.smooth_idf)
        weighted = [self.use_idf and each.shape[1] > 0 for each in counts]
        self.idf_ = [
            scheme.fit(each).idf_ if idf else np.ones(each.shape[1]) for each, idf in zip(counts, weighted, strict=True)
        ]
        return counts

    def _weighted(self, counts: sparse.csr_matrix, place: int) -> sparse.csr_matrix:
        weighted = counts.astype(np.float64)
        if self.sublinear_tf:
            weighted.data = 1 + np.log(weighted.data)
        weighted.data *= self.idf_[place][weighted.indices]
        return weighted if self.norm is None else normalize(weighted, norm=self.norm, copy=False)


def text_input(model: Model, X: Any, *, reset: bool) -> Table:
    """X as a Table, for models that take texts and numbers: strings are texts.

    Parameters
    ----------
    model : the estimator that reads X.
    X : a list, an array or a series of strings, or a table or frame. Levels of a Table, and categories, are refused.
    reset : whether X is the training data, whose schema is kept.

    Returns
    -------
    The table.
    """
    if isinstance(X, str) and not reset:
        raise DataError("one text.", "rows of texts", "Pass a list: [text].")
    known = [] if reset else [field.name for field in getattr(model, "schema_", ())]
    X = table_of_texts(X, known[0] if len(known) == 1 else None)
    if has_names(X) and not isinstance(X, Table):
        table = Table.of(X, infer=False)
        X = table.with_columns(*(column.as_kind(Kind.TEXT) for column in table if column.why == "strings"))
    return table_input(model, X, reset=reset)


def table_of_texts(X: Any, known: str | None = None) -> Any:
    """A list or series of strings as one text column: named as is known, by its own name, or "text"."""
    if hasattr(X, "name") and hasattr(X, "to_numpy"):
        X, name = X.to_numpy(), known or str(X.name or "text")
    else:
        name = known or "text"
    if isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.ndim == 1):
        texts = [text if isinstance(text, str) else None if _is_missing(text) else text for text in X]
        if texts and all(text is None or isinstance(text, str) for text in texts):
            return Table([Column.text(name, texts)])
        strange = [text for text in texts if text is not None and not isinstance(text, (str, list, tuple, dict))]
        if strange and any(isinstance(text, str) for text in texts):
            raise DataError(f"{strange[0]!r} among texts.", "strings, or None where one is missing")
    return X


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _texts(column: Column) -> list[str]:
    """The texts, empty where missing."""
    return ["" if text is None else text for text in column.values]
