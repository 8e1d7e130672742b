"""Labels as users write them, and the codes that measures use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probus.data import Level, level_key, quote_some
from probus.errors import DataError

_PAIRS = ((False, True), (0, 1), (-1, 1))  # two classes by convention, even where the rows hold one of them
_TRUTHS = {"True": "1", "False": "0"}


def are_numbers(truth: np.ndarray, predicted: np.ndarray) -> bool:
    """Whether truth and prediction read as numbers rather than labels: both are, and one of them has a float's type."""
    kinds = truth.dtype.kind + predicted.dtype.kind
    return set(kinds) <= set("biuf") and "f" in kinds


def classes_of(
    truth: np.ndarray,
    predicted: np.ndarray | None,
    given: Sequence[Level] | None,
    pos_label: Level | None,
    called: tuple[str, str] = ("y_true", "y_pred"),
) -> tuple[Level, ...]:
    """The classes: those given, or the sorted labels of both sides, written as the truth writes them.

    Where all labels are among 0 and 1, −1 and 1, or False and True, both are classes; a ``pos_label`` that a truth
    of one class lacks is the other one.

    >>> classes_of(np.array(["b", "a"]), np.array(["c", "a"]), None, None)
    ('a', 'b', 'c')
    >>> classes_of(np.array([1, 1]), None, None, None)
    (0, 1)
    """
    if given is not None:
        return _checked_classes(tuple(given))
    labels = {_key(label): label for label in _distinct(truth, called[0])}
    for label in _distinct(predicted, called[1]) if predicted is not None else ():
        labels.setdefault(_key(label), label)
    if len(labels) == 1 and pos_label is not None:
        labels.setdefault(_key(pos_label), pos_label)
    if len({isinstance(label, str) for label in labels.values()}) > 1:
        raise DataError(
            f"labels of two sorts: {quote_some(labels.values())}.",
            f"{called[0]} and {called[1]} to name the same classes",
        )
    for pair in _PAIRS:
        same_type = {isinstance(label, bool) for label in labels.values()} <= {isinstance(pair[0], bool)}
        if same_type and set(labels.values()) <= set(pair):
            return pair
    return tuple(sorted(labels.values()))


def codes_of(values: np.ndarray, classes: tuple[Level, ...], name: str) -> np.ndarray:
    """The place of each label among the classes; 1, 1.0, "1" and True are one label."""
    code = {_key(label): i for i, label in enumerate(classes)}
    if values.dtype.kind == "O":
        cells = values.tolist()
        seen = list(dict.fromkeys(cells))
        position = {label: i for i, label in enumerate(seen)}
        places = np.fromiter((position[cell] for cell in cells), np.int64, len(cells))
    else:
        distinct, places = np.unique(values, return_inverse=True)
        seen = distinct.tolist()
    unknown = [label for label in seen if _key(label) not in code]
    if unknown:
        raise DataError(
            f"{name} holds {quote_some(unknown)}.",
            f"one of the classes {quote_some(classes, 12)}",
            "Pass classes=… with every class that may occur.",
        )
    return np.array([code[_key(label)] for label in seen], dtype=np.int64)[places]


def positive_code(classes: tuple[Level, ...], pos_label: Level | None) -> int | None:
    """The code of ``pos_label``, or of the last of two classes; None where there is no such class."""
    if pos_label is None:
        return 1 if len(classes) == 2 else None
    keys = [_key(label) for label in classes]
    if _key(pos_label) not in keys:
        raise DataError(f"pos_label={pos_label!r}.", f"one of the classes {quote_some(classes, 12)}")
    return keys.index(_key(pos_label))


def _key(label: Level) -> str:
    key = level_key(label)
    return _TRUTHS.get(key, key)


def _checked_classes(classes: tuple[Level, ...]) -> tuple[Level, ...]:
    if not classes or len({_key(label) for label in classes}) < len(classes):
        raise DataError(f"classes {quote_some(classes, 12) or 'of none'}.", "each class once, and at least one")
    return classes


def _distinct(values: np.ndarray, name: str) -> list[Level]:
    seen = list(dict.fromkeys(values.tolist())) if values.dtype.kind == "O" else np.unique(values).tolist()
    labels = [label.item() if isinstance(label, np.generic) else label for label in seen]
    fractions = [label for label in labels if isinstance(label, float) and not label.is_integer()]
    if fractions:
        raise DataError(
            f"{name} holds {quote_some(fractions, 3)}.",
            "labels",
            "Probabilities are a matrix with one column per class; measures of numbers are rmse, mae, r2 and others.",
        )
    return labels
