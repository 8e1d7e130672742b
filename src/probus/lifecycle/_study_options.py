"""The options of a study, and how its archive stores them: checked, as the archive may come from anywhere."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from probus.data import Task
from probus.errors import DataError
from probus.metrics import Measure, Scoring
from probus.model_selection import Splits

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


def _are_starts(value: Any) -> bool:
    """Configurations by the name of a family."""
    return isinstance(value, dict) and all(
        _is_text(name) and isinstance(configs, list) and all(map(_of_plain, configs)) for name, configs in value.items()
    )


def _is_span(value: Any) -> bool:
    return _is_text(value) or _is_number(value)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_cost(value: Any) -> bool:
    return _is_span(value) or isinstance(value, list)


def _check_by(check: Callable[[Any], bool] | None) -> dict[str, Any]:
    """What an archive may hold for an option; None where it is not stored."""
    return {"check": check}


_TEXT, _TEXTS, _PLAIN, _DICT, _NUMBER = map(_check_by, (_is_text, _are_texts, _is_plain, _of_plain, _is_whole))
_SPAN, _BOOL, _COST, _STARTS, _NOTHING = map(_check_by, (_is_span, _is_bool, _is_cost, _are_starts, None))


@dataclass(frozen=True, eq=False)
class StudyOptions:
    """The arguments of ``study``, declared once for the archive, ``probus resume``, the settings and the report."""

    X: Any = field(default=None, metadata=_TEXT)
    y: Any = field(default=None, metadata=_NOTHING)
    target: str | None = field(default=None, metadata=_TEXT)
    kinds: Mapping[str, Any] | None = field(default=None, metadata=_DICT)
    read: Mapping[str, Any] | None = field(default=None, metadata=_DICT)
    pos_label: Any = field(default=None, metadata=_PLAIN)
    group: str | None = field(default=None, metadata=_TEXT)
    groups: Any = field(default=None, metadata=_NOTHING)
    weight: str | None = field(default=None, metadata=_TEXT)
    sample_weight: Any = field(default=None, metadata=_NOTHING)
    sensitive: str | Sequence[str] | None = field(default=None, metadata=_TEXTS)
    drop: str | Sequence[str] | None = field(default=None, metadata=_TEXTS)
    order: str | None = field(default=None, metadata=_TEXT)
    models: Iterable[str] | Mapping[str, Any] | None = field(default=None, metadata=_TEXTS)
    time: float | str | None = field(default="auto", metadata=_SPAN)
    evaluations: int | None = field(default=None, metadata=_NUMBER)
    cost: Any = field(default="auto", metadata=_COST)
    cv: Any = field(default=None, metadata=_NUMBER)
    split: str = field(default="auto", metadata=_TEXT)
    start: Any = field(default=None, metadata=_STARTS)
    scoring: Scoring | Iterable[Scoring] | None = field(default=None, metadata=_TEXTS)
    allow_leaks: bool = field(default=False, metadata=_BOOL)
    keep_sensitive: bool = field(default=False, metadata=_BOOL)
    random_state: int = field(default=0, metadata=_NUMBER)
    out: str | os.PathLike[str] | None = field(default=None, metadata=_TEXT)

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Self:
        """The options among the arguments of a function."""
        return cls(**{each.name: arguments[each.name] for each in fields(cls)})

    @property
    def source(self) -> str | None:
        """The path or name of the data; None for data in memory."""
        return str(self.X) if isinstance(self.X, (str, os.PathLike)) else None

    def stored(self) -> dict[str, Any] | None:
        """The options that repeat the study, for its archive; None where they are not plain data."""
        plain = {name: value for name, value in self._as_dict().items() if _CHECKS[name]}
        plain["X"] = os.path.abspath(self.source) if self.source and os.path.exists(self.source) else self.source
        plain["out"] = None if self.out is None else os.path.abspath(self.out)
        try:
            return json.loads(json.dumps(plain)) if self.source else None
        except TypeError:
            return None

    def settings(self, splits: Splits, chosen: Sequence[Measure]) -> dict[str, Any]:
        """The arguments that repeat the study in text: what is in memory is given by the name of a variable."""
        found = {name: value for name, value in self._as_dict().items() if _CHECKS[name] and name not in ("X", "out")}
        for name in ("time", "cost", "split"):
            found[name] = None if isinstance(found[name], str) and found[name] == "auto" else found[name]
        if isinstance(self.models, Mapping):
            found["models"] = {str(name): repr(model) for name, model in self.models.items()}
        names = [each.name for each in chosen]
        found["scoring"] = names[0] if len(names) == 1 else names or None
        found["cv"] = self.cv if self.cv is None or isinstance(self.cv, int) else splits.how
        return {"data": self._data, **found}

    def _as_dict(self) -> dict[str, Any]:
        """The options by name, those that may have several values as lists."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        several: dict[str, Iterable[str]] = {"sensitive": self.sensitive or (), "drop": self.drop or ()}
        if self.models is not None and not isinstance(self.models, Mapping):
            several["models"] = self.models
        lists = {name: [value] if isinstance(value, str) else list(value) for name, value in several.items()}
        return {**found, **lists, "kinds": dict(self.kinds or {}), "read": dict(self.read or {})}

    @property
    def _data(self) -> str:
        if self.source is not None:
            return repr(self.source)
        if self.y is None:
            return "task" if isinstance(self.X, Task) else "table"
        beside = {"groups": self.groups, "sample_weight": self.sample_weight}
        return "X, y" + "".join(f", {name}={name}" for name, value in beside.items() if value is not None)


_CHECKS: dict[str, Callable[[Any], bool] | None] = {each.name: each.metadata["check"] for each in fields(StudyOptions)}


def checked_options(text: Any, where: str, data: str | None = None) -> dict[str, Any]:
    """The options that the text of an archive holds, each of its type.

    The data that they name must be a file or a bundled data set: nothing is fetched for an archive that may be foreign.
    ``data`` replaces it, which may be an address.
    """
    try:
        options = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise _damage_error(where, str(error)) from None
    if options is None:
        raise DataError(f"{where} does not hold the options of a study.", "an archive made by probus study --archive")
    if not isinstance(options, dict) or "X" not in options:
        raise _damage_error(where, "its options have no data")
    for name, value in options.items():
        check = _CHECKS.get(name)
        if check is None:
            raise _damage_error(where, f"it has an option {name[:40]!r}, which this version does not know")
        if value is not None and not check(value):
            raise _damage_error(where, f"its option {name} is {repr(value)[:80]}")
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
        raise _damage_error(where, f"its folds are repeated {repr(repeats)[:40]} times")
    return repeats


def _damage_error(where: str, what: str) -> DataError:
    return DataError(
        f"archive {where} is damaged: {what}.",
        "an archive made by probus study --archive",
        "Restore it from a copy, or begin the study anew with another archive.",
    )
