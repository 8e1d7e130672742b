"""The loop of active learning: ask for rows, tell their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from probus.active._diverse_batch import diverse
from probus.active._label_archive import LABEL, SKIP, UNDO, Answer, LabelArchive
from probus.active._label_curve import LabelCurve, LabelledRows, Stopping, label_curve, stopping_rule
from probus.active.queries import Pool, Query, Situation, query_of
from probus.base import encoded_classes
from probus.data import Column, Level, Table, content_of
from probus.display import counted
from probus.ensemble import fit_member
from probus.errors import DataError
from probus.metrics import Scoring
from probus.pipeline import tabular
from probus.wrapping import must_have_tags

START, CHECK, QUERY, GIVEN = "start", "check", "query", "given"
_MOST = 20_000  # rows of a large pool that a strategy chooses from, drawn at random
_WHY = {
    START: "Drawn at random: the model needs examples of each class first.",
    CHECK: "Drawn at random, to measure the score of the model.",
}


@dataclass(frozen=True)
class Question:
    """A row whose label is asked for.

    Attributes
    ----------
    row : its number in the pool.
    values : its values by column.
    asked : "start", "check" or "query".
    why : why it is asked for, in a sentence.
    probabilities : of the classes, by the model so far; empty where there is none.
    """

    row: int
    values: Mapping[str, Any]
    asked: str
    why: str
    probabilities: Mapping[Level, float] = field(default_factory=dict)


class Learner:
    """A model that asks for the labels it learns most from.

    ``ask`` returns the rows, ``tell`` takes their labels, and ``model`` is fitted to all labels so far. With an
    ``archive`` every answer is on disk when ``tell`` returns: the same call goes on where a former one ended, even
    after a crash. Rows that the model asks for are no sample of the pool, and scores on them are wrong. So one in five
    questions is drawn at random, and ``curve`` and ``stopping`` test on these alone.

    Parameters
    ----------
    model : any classifier; ``tabular`` prepares the columns for it.
    pool : rows of any columns: a Table, a frame, an array.
    target : the name of the labels; if the pool has such a column, its values that are not missing are labels already.
    query : the name of a strategy: "least_confidence", "margin", "entropy", "committee", "expected_error", "density",
        "random"; or a ``Query``.
    classes : all labels, where they are known; any other is refused then.
    start : the number of questions drawn at random before the strategy begins.
    check : one in so many questions is drawn at random; 0 is none.
    archive : a file for the answers, or a URL of PostgreSQL. None keeps them in memory.
    random_state : the seed of what is drawn.

    Attributes
    ----------
    labels : the labels by the number of the row, in the order of the answers.

    Examples
    --------
    >>> import probus
    >>> from probus.naive_bayes import NaiveBayes
    >>> flowers = probus.datasets.iris()
    >>> learner = Learner(NaiveBayes(), flowers.drop("species"), query="margin", start=9)
    >>> for _ in range(31):
    ...     for question in learner.ask():
    ...         learner.tell(flowers["species"].decoded()[question.row])
    >>> len(learner.labels), bool(learner.model.score(flowers, flowers["species"].decoded()) > 0.9)
    (31, True)
    >>> learner.ask()[0].why
    "The model cannot decide between two classes: 'setosa' (...) and 'versicolor' (...)."
    """

    def __init__(
        self, model: Any, pool: Any, *, target: str = "label", query: str | Query = "margin",
        classes: Sequence[Level] | None = None, start: int = 10, check: int = 5, archive: Any = None,
        random_state: int = 0,
    ):  # fmt: skip
        must_have_tags(model)
        if is_regressor(model):
            raise DataError(f"{type(model).__name__} is a regressor.", "a classifier")
        for name, number, least in (("start", start, 2), ("check", check, 0)):
            if not isinstance(number, (int, np.integer)) or number < least:
                raise DataError(f"{name}={number!r}.", f"a whole number from {least}")
        table = Table.of(pool)
        given = table[target] if target in table else None  # noqa: SIM401 — a Table has no get
        self.pool = Pool(table if given is None else table.drop(target))
        if min(self.pool.rows.shape) == 0:
            raise DataError(
                f"a pool of {self.pool.rows.shape[0]} rows and {self.pool.rows.shape[1]} columns.", "rows to label"
            )
        self.target, self.query = target, query_of(query)
        self.estimator = tabular(model)
        if self.query.probabilistic and not hasattr(self.estimator, "predict_proba"):
            raise DataError(
                f"{type(model).__name__} has no predict_proba, which query={self.query.name!r} needs.",
                "a model with probabilities",
                "Use query='committee'.",
            )
        self._classes = None if classes is None else tuple(_plain(label) for label in classes)
        if self._classes is not None and len(set(self._classes)) < 2:
            raise DataError(
                f"classes={list(self._classes)}.", "two classes at least", "Leave it out to add them later."
            )
        self._given = self._read_given(given)
        settings = {"seed": int(random_state), "start": int(start), "check": int(check), "target": target}
        self._archive = LabelArchive(archive, self.pool.rows, settings)
        self._settings = self._archive.settings
        self._asked: list[Question] = []
        self._load()

    # -- what is known ---------------------------------------------------------------------------------

    @property
    def labels(self) -> dict[int, Level]:
        """The label of each row that has one, in the order of the answers."""
        return {**self._given, **{a.row: a.label for a in self._answers if a.kind == LABEL and a.label is not None}}

    @property
    def skipped(self) -> list[int]:
        """The rows that were skipped."""
        return [answer.row for answer in self._answers if answer.kind == SKIP]

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes: as given, or those of the labels so far."""
        return tuple(sorted(set(self.labels.values()), key=str)) if self._classes is None else self._classes

    @property
    def has_open_classes(self) -> bool:
        """Whether labels may be new classes."""
        return self._classes is None

    def snapshot(self) -> LabelledRows:
        """The rows with labels, as they are now."""
        return self._state

    @property
    def n_questions(self) -> int:
        """The number of questions that were answered, with a label or by skipping."""
        return len(self._answers)

    @cached_property
    def model(self) -> Any:
        """The model, fitted to all labels so far."""
        state = self._state
        if len(state.classes) < 2:
            raise DataError(
                f"labels of {counted(len(state.classes), 'class', 'classes')}.",
                "labels of two classes at least",
                "Go on with ask() and tell().",
            )
        return fit_member(clone(self.estimator), self.pool.rows.take(state.rows), state.classes[state.codes])

    @property
    def contradictions(self) -> list[tuple[int, int]]:
        """Pairs of rows that have the same values in all columns, and different labels."""
        labels, hashes = self.labels, self._hashes
        first: dict[Any, int] = {}
        found: list[tuple[int, int]] = []
        for row, label in labels.items():
            other = first.setdefault(hashes[row], row)
            if labels[other] != label:
                found.append((other, row))
        return found

    def table(self) -> Table:
        """The pool with a column of the labels, missing where there is none."""
        column = np.full(len(self.pool), None, dtype=object)
        for row, label in self.labels.items():
            column[row] = label
        return self.pool.rows.with_columns(**{self.target: column.tolist()})

    def curve(self, scoring: Scoring = "accuracy", level: float = 0.95) -> LabelCurve:
        """The score by the number of labels, tested on rows that were drawn at random; see ``LabelCurve``."""
        return label_curve(self._state, self.estimator, scoring, level)

    def stopping(self, labels: int = 50, tolerance: float = 0.005, level: float = 0.95) -> Stopping:
        """How much accuracy so many further labels are expected to gain, and whether that is less than a tolerance."""
        return stopping_rule(self._state, self.estimator, labels, tolerance, level)

    # -- the loop --------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Question]:
        """The next rows to label, none like another; the same until an answer is told. Fewer at the end of the pool."""
        if not isinstance(n, (int, np.integer)) or n < 1:
            raise DataError(f"n={n!r}.", "a whole number from 1")
        number = len(self._answers)
        random = np.random.RandomState([self._settings["seed"], self._entries])
        done = set(self.labels) | set(self.skipped)
        at_random = [row for row in self._order if row not in done]
        kinds = [self._kind(number + place) for place in range(min(int(n), len(at_random)))]
        drawn = iter(at_random)
        chosen = [(next(drawn), kind) if kind != QUERY else (-1, kind) for kind in kinds]
        taken = {row for row, _ in chosen}
        free = np.array([row for row in sorted(at_random) if row not in taken], dtype=np.int64)
        n_queried = min(kinds.count(QUERY), len(free))
        queried, situation = self._query(free, n_queried, random) if n_queried else ([], None)
        rest = iter(queried)
        rows = [(next(rest), kind) if kind == QUERY else (row, kind) for row, kind in chosen]
        self._asked = [self._question(row, kind, situation) for row, kind in rows]
        return list(self._asked)

    def tell(self, labels: Any, *, replace: bool = False) -> None:
        """Take the label of the row that was asked for, a label for each of them, or a dict of labels by row.

        A label of None skips the row. To change a label, pass ``replace=True``.
        """
        answers = self._by_row(labels)
        known = self.labels
        checked = {row: None if label is None else self._checked(label) for row, label in answers.items()}
        if len({isinstance(label, str) for label in checked.values() if label is not None}) > 1:
            raise DataError(f"labels {list(checked.values())!r:.80}.", "labels of one type")
        for row, label in checked.items():
            if not 0 <= row < len(self.pool):
                raise DataError(f"row {row} of a pool of {len(self.pool):,} rows.", f"0 to {len(self.pool) - 1:,}")
            if row in known and known[row] != label and not replace:
                raise DataError(
                    f"row {row} has the label {known[row]!r}, and is told to have {label!r}.",
                    "one label for each row",
                    "Pass replace=True to change it, or undo() the last answer.",
                )
        asked = {question.row: question.asked for question in self._asked}
        for row, label in checked.items():
            if row in known or row in self.skipped:
                self._archive.append(Answer(UNDO, row, None, ""))
            kind = SKIP if label is None else LABEL
            self._archive.append(Answer(kind, row, label, asked.get(row, GIVEN)))
        self._asked = [question for question in self._asked if question.row not in checked]
        self._load()

    def skip(self, row: int | None = None) -> None:
        """Skip the row that was asked for, or another; it is not asked for again."""
        if row is None and not self._asked:
            raise DataError("skip() before ask().", "a row that was asked for, or its number")
        self.tell({self._asked[0].row if row is None else int(row): None})

    def undo(self) -> Question | None:
        """Take the last answer back; the row is asked for again. None where there is no answer."""
        if not self._answers:
            return None
        last = self._answers[-1]
        self._archive.append(Answer(UNDO, last.row, None, ""))
        self._load()
        self._asked = [self._question(last.row, last.asked, None)]
        return self._asked[0]

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()

    # -- inside ----------------------------------------------------------------------------------------

    def _load(self) -> None:
        """Read the answers; whatever followed from former ones is forgotten."""
        self._answers, self._entries = self._archive.answers()
        for name in ("model", "_state"):
            self.__dict__.pop(name, None)

    def _read_given(self, column: Column | None) -> dict[int, Level]:
        """The labels that the pool comes with."""
        if column is None or column.missing.all():
            return {}
        values = column.decoded().tolist()
        found = {row: _plain(values[row]) for row in np.flatnonzero(~column.missing).tolist()}
        return {row: self._in_classes(label) for row, label in found.items()}

    @cached_property
    def _hashes(self) -> list[Any]:
        return content_of(self.pool.rows)[:, 0].tolist()

    @cached_property
    def _order(self) -> list[int]:
        """The rows that came without a label, in the random order in which the checking ones are drawn."""
        rows = [row for row in range(len(self.pool)) if row not in self._given]
        return np.random.RandomState(self._settings["seed"]).permutation(rows).tolist() if rows else []

    @cached_property
    def _state(self) -> LabelledRows:
        """The rows with labels, and which of them are a random sample of the pool."""
        labels = self.labels
        rows = np.array(list(labels), dtype=np.int64)
        classes, codes = np.empty(0), np.empty(0, dtype=np.int64)
        if labels:
            classes, codes = encoded_classes(np.array(list(labels.values())), len(labels))
        answered = set(labels) | set(self.skipped)
        sample = []
        for row in self._order:  # the longest beginning of the random order that is answered
            if row not in answered:
                break
            if row in labels:
                sample.append(row)
        return LabelledRows(self.pool, rows, codes, classes, np.isin(rows, sample))

    def _kind(self, number: int) -> str:
        """Why the question of that number is asked."""
        if number < self._settings["start"] or len(self._state.classes) < 2:
            return START
        every = self._settings["check"]
        return CHECK if every and number % every == 0 else QUERY

    def _query(self, free: np.ndarray, n: int, random: np.random.RandomState) -> tuple[list[int], Situation]:
        state = self._state
        if len(free) > _MOST:
            free = np.sort(random.permutation(free)[:_MOST])
        situation = Situation(
            self.pool, state.rows, state.codes, free, state.classes, self.estimator, self.model, random
        )
        scores = self.query.scores(situation)
        return free[diverse(situation, scores, n)].tolist(), situation

    def _question(self, row: int, asked: str, situation: Situation | None) -> Question:
        values = {name: cells[0] for name, cells in self.pool.rows.take([row]).to_dict().items()}
        probabilities: dict[Level, float] = {}
        if len(self._state.classes) > 1 and hasattr(self.model, "predict_proba"):
            found = self.model.predict_proba(self.pool.rows.take([row]))[0]
            pairs = zip(self.model.classes_.tolist(), found.tolist(), strict=True)
            probabilities = dict(sorted(pairs, key=lambda pair: -pair[1]))
        return Question(row, values, asked, _WHY.get(asked) or self._why(probabilities), probabilities)

    def _why(self, probabilities: Mapping[Level, float]) -> str:
        reason = self.query.why[0].upper() + self.query.why[1:]
        first = [f"{label!r} ({share:.2f})" for label, share in list(probabilities.items())[:2]]
        return f"{reason}: {' and '.join(first)}." if len(first) > 1 else f"{reason}."

    def _by_row(self, labels: Any) -> dict[int, Any]:
        """The answers by row."""
        if isinstance(labels, Mapping):
            return {int(row): label for row, label in labels.items()}
        many = isinstance(labels, Column) or (hasattr(labels, "__iter__") and not isinstance(labels, str))
        values = list(labels.decoded() if isinstance(labels, Column) else labels) if many else [labels]
        if len(values) != len(self._asked):
            raise DataError(
                f"{counted(len(values), 'label')} for {counted(len(self._asked), 'question')}.",
                "a label for each row of the last ask(), or a dict of labels by row",
            )
        return dict(zip([question.row for question in self._asked], values, strict=True))

    def _checked(self, label: Any) -> Level | None:
        """A label, as a value of Python."""
        label = _plain(label)
        if label is None or type(label).__name__ in ("NAType", "NaTType"):
            return None
        if not isinstance(label, (str, int, float, bool)):
            raise DataError(f"a label of type {type(label).__name__}.", "a string, a number, or True or False")
        if label != label:
            return None
        label = self._in_classes(label)
        known = next(iter(self.labels.values()), label)
        if isinstance(known, str) != isinstance(label, str):
            raise DataError(f"the label {label!r}, where others are like {known!r}.", "labels of one type")
        return label

    def _in_classes(self, label: Any) -> Any:
        if self._classes is None or label in self._classes:
            return label
        near = get_close_matches(str(label), map(str, self._classes), 1)
        raise DataError(
            f"the label {label!r}.",
            f"one of the classes {', '.join(map(repr, self._classes))}",
            f"Did you mean {near[0]!r}?" if near else "",
        )


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
