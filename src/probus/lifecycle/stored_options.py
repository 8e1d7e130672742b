"""The options of a study as its archive stores them: checked, as the archive may come from anywhere."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from typing import Any

from probus.errors import DataError

__all__ = ["checked_options", "checked_repeats"]

_REPEATS = 100


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _is_plain(value: Any) -> bool:
    """Text, a number, a truth value, or a list of them."""
    return all(isinstance(each, (str, bool)) or _is_number(each) for each in _as_list(value))


def _are_texts(value: Any) -> bool:
    return all(map(_is_text, _as_list(value)))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _of_plain(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_plain(each) or each is None for each in value.values())


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "X": _is_text, "target": _is_text, "pos_label": _is_plain, "group": _is_text, "weight": _is_text,
    "order": _is_text, "sensitive": _are_texts, "drop": _are_texts, "kinds": _of_plain, "read": _of_plain,
    "models": _are_texts, "scoring": _are_texts, "cv": _is_whole, "random_state": _is_whole,
    "time": lambda value: _is_text(value) or _is_number(value), "evaluations": _is_whole,
    "cost": lambda value: _is_text(value) or _is_number(value) or isinstance(value, list),
    "allow_leaks": lambda value: isinstance(value, bool), "keep_sensitive": lambda value: isinstance(value, bool),
    "out": _is_text,
}  # fmt: skip


def checked_options(text: Any, where: str, data: str | None = None) -> dict[str, Any]:
    """The options that the text of an archive holds, each of its type.

    The data that they name must be a file or a bundled data set: nothing is fetched for an archive that may be foreign.
    ``data`` replaces it, which may be an address.
    """
    try:
        options = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise _damaged(where, str(error)) from None
    if options is None:
        raise DataError(f"{where} does not hold the options of a study.", "an archive made by probus study --archive")
    if not isinstance(options, dict) or "X" not in options:
        raise _damaged(where, "its options have no data")
    for name, value in options.items():
        if name not in _CHECKS:
            raise _damaged(where, f"it has an option {name[:40]!r}, which this version does not know")
        if value is not None and not _CHECKS[name](value):
            raise _damaged(where, f"its option {name} is {repr(value)[:80]}")
    if data is not None:
        return {**options, "X": data}
    data = options["X"]
    if isinstance(data, str) and ("://" in data or data.startswith("\\\\")):
        raise DataError(
            f"{where} names data at an address, {data!r}, which an archive does not open by itself.",
            "where the data is, from you",
            f"If the archive is yours, pass --data {shlex.quote(data)}.",
        )
    if data is None or (os.path.exists(data) and not os.path.isfile(data)):
        raise DataError(f"the data of {where} is {data!r}, which is no file.", "a file or a bundled data set")
    return options


def checked_repeats(repeats: Any, where: str) -> int:
    """How often the folds are repeated, as an archive stores it."""
    if not _is_whole(repeats) or not 1 <= repeats <= _REPEATS:
        raise _damaged(where, f"its folds are repeated {repr(repeats)[:40]} times")
    return repeats


def _damaged(where: str, what: str) -> DataError:
    return DataError(
        f"archive {where} is damaged: {what}.",
        "an archive made by probus study --archive",
        "Restore it from a copy, or begin the study anew with another archive.",
    )
