"""Text columns as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.multiclass import type_of_target

from probus.base import table_input
from probus.data import Column, Kind, Table, level_key
from probus.display import counted
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, parameter
from probus.preprocessing._hashed_words import word_counts
from probus.preprocessing._transformer import TableTransformer, distinct, in_container_of, warn_dropped
from probus.preprocessing._word_features import WordFeatures
from probus.state import Labels, Many, Object, Spec

_MOST_SCORES = 10


class TextFeatures(TableTransformer):
    """Replace each text column by numbers: scores that predict the target from its words, and topics.

    Words and pairs of adjacent words that at least two training rows contain are counted and weighted by TF–IDF.
    ``review: score`` is the prediction of a ridge regression of the target on them; for several classes there is
    ``review: score yes`` for each (the 10 most frequent). As in impact coding, the scores of the training rows that
    ``fit_transform`` returns are cross-fitted. ``review: topic 1``, … are the leading singular vectors (latent
    semantic analysis). Without a target there are only topics. Missing text is NaN in each of its columns, text
    without known words is not. A column without words that rows share is dropped, with a warning.

    >>> notes = Table([Column.text("note", ["very good", "very bad", "good enough", "bad", "so bad", "so good"])])
    >>> features = TextFeatures(topics=2, random_state=0).fit(notes, [1, 0, 1, 0, 0, 1])
    >>> features.transform(Table([Column.text("note", ["good", "bad", None])]))["note: score"].values.round(1)
    array([0.7, 0.3, nan])
    """

    topics: int = parameter("The number of topics of a column.", default=10, at_least=0, kw_only=False)
    target_type: str = parameter(
        '"auto" treats integers and strings as classes; "continuous" treats integers as numbers.',
        default="auto",
        one_of=("auto", "continuous"),
    )
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {"words_": Many(Object(WordFeatures)), "scores_": Labels("s")}

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless each text column has its words, with as many scores as names."""
        n_texts = sum(field.kind is Kind.TEXT for field in self.schema_)
        if len(self.words_) != n_texts or any(len(each.offsets) != len(self.scores_) for each in self.words_):
            raise ModelFileError("TextFeatures: the words do not match the columns.")

    def _learn(self, table: Table, y: Any) -> None:
        self._learn_and_transform(table, y)

    def _learn_and_transform(self, table: Table, y: Any) -> Table:
        """Set the fitted attributes; the training table with numbers in place of texts, the scores cross-fitted."""
        if self.topics < 0:
            raise DataError(f"topics={self.topics!r}.", "no negative number")
        texts = table.of_kind(Kind.TEXT)
        targets, self.scores_ = self._targets(y if texts else None, table.n_rows)
        learnt = [
            WordFeatures.cross_fitted(_texts(column), targets[~column.missing], self.topics, self.random_state)
            for column in texts
        ]
        self.words_ = [words for words, _ in learnt]
        wordless = [column.name for column, words in zip(texts, self.words_, strict=True) if not len(words.words)]
        warn_dropped(wordless, "text without words that rows share")
        if not self._names_out(table.names):
            raise DataError("no column is left.", "numbers, levels, or words that several rows share")
        return self._replace(table, [numbers for _, numbers in learnt])

    def notes(self) -> list[str]:
        """What each text became, as sentences."""
        texts = [field.name for field in self.schema_ if field.kind is Kind.TEXT]
        n = len(self.scores_)
        return [
            f"{name} is used as {counted(n, 'score')} and {counted(words.topics.shape[1], 'topic')} "
            f"of its {len(words.words):,} words and pairs of words"
            for name, words in zip(texts, self.words_, strict=True)
            if len(words.words)
        ]

    def sources(self) -> dict[str, str]:
        """The text that each column made of a text is of, by the name of the column."""
        words, names = iter(self.words_), [field.name for field in self.schema_]
        of = []
        for name, field in zip(names, self.schema_, strict=True):
            text = field.kind is Kind.TEXT
            of += [name] * len(self._names_of(name, next(words))) if text else [""]
        return {made: text for made, text in zip(self._names_out(names), of, strict=True) if text}

    def strength(self, name: str, words: Sequence[str]) -> np.ndarray:
        """How much single words of a text count: the size of their weights in its scores, else in its topics."""
        texts = [field.name for field in self.schema_ if field.kind is Kind.TEXT]
        return self.words_[texts.index(name)].strength(words)

    def _targets(self, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """What the scores predict, rows × scores, and the suffixes of their names."""
        if y is None:
            return np.empty((n_rows, 0)), np.empty(0, dtype=object)
        labels = y.decoded() if isinstance(y, Column) else np.asarray(y)
        if labels.shape[0] != n_rows:
            raise DataError(f"{n_rows} rows and {labels.shape[0]} targets.", "one y per row")
        labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
        if labels.ndim == 1 and self.target_type == "auto" and type_of_target(labels) != "continuous":
            return _indicators(labels)
        targets = labels.astype(np.float64).reshape(n_rows, -1)
        several = targets.shape[1] > 1
        return targets, np.array([f" {j + 1}" * several for j in range(targets.shape[1])], dtype=object)

    def _applied(self, table: Table) -> Table:
        texts = [_texts(column) for column in table.of_kind(Kind.TEXT)]
        return self._replace(table, [words.numbers(own) for words, own in zip(self.words_, texts, strict=True)])

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``transform`` of the same rows; the scores are cross-fitted."""
        return in_container_of(self, self._learn_and_transform(table_input(self, X, reset=True), y), X)

    def _replace(self, table: Table, numbers: Sequence[np.ndarray]) -> Table:
        """The table with the numbers of its texts in place of them."""
        names, words, present = iter(self._names_out(table.names)), iter(self.words_), iter(numbers)
        columns: list[Column] = []
        for column in table:
            if column.kind is not Kind.TEXT:
                columns.append(column.renamed(next(names)))
                continue
            made = self._names_of(column.name, next(words))
            values = np.full((table.n_rows, len(made)), np.nan)
            values[~column.missing] = next(present)[:, : len(made)]
            columns += [Column.numbers(next(names), values[:, k]) for k in range(len(made))]
        return Table(columns, origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        words = iter(self.words_)
        made: list[str] = []
        for name, field in zip(names, self.schema_, strict=True):
            made += self._names_of(name, next(words)) if field.kind is Kind.TEXT else [name]
        return distinct(made)

    def _names_of(self, name: str, words: WordFeatures) -> list[str]:
        if not len(words.words):
            return []
        topics = range(1, words.topics.shape[1] + 1)
        return [*(f"{name}: score{suffix}" for suffix in self.scores_), *(f"{name}: topic {k}" for k in topics)]


def has_shared_words(column: Column) -> bool:
    """Whether any word of a text column occurs in several rows.

    >>> has_shared_words(Column.text("code", ["A-17", "B-42"])), has_shared_words(Column.text("name", ["Mr A", "Mr B"]))
    (False, True)
    """
    return bool(np.bincount(word_counts(_texts(column)).indices).max(initial=0) > 1)


def _texts(column: Column) -> list[str]:
    """The texts that are not missing."""
    return [text for text in column.values if text is not None]


def _indicators(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """1 where a row is of the class: of the last of two classes, else of each of the most frequent.

    >>> _indicators(np.array(["b", "a", "b"]))
    (array([[1.], [0.], [1.]]), array([''], dtype=object))
    """
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) <= 2:
        return (codes[:, None] == len(classes) - 1).astype(np.float64), np.array([""], dtype=object)
    frequent = np.sort(np.argsort(-counts, kind="stable")[:_MOST_SCORES])
    suffixes = np.array([f" {level_key(label)}" for label in classes[frequent]], dtype=object)
    return (codes[:, None] == frequent).astype(np.float64), suffixes
