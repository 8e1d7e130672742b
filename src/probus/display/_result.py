"""The base classes of results."""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from probus.display._parts import Paragraph, Part
from probus.display._plain import plain

Item = TypeVar("Item")

_STYLE = (
    "<style scoped>.probus{overflow-x:auto}.probus table{border-collapse:collapse;margin:0 0 .6em}"
    ".probus th,.probus td{text-align:left;vertical-align:top;padding:2px 14px 2px 0}</style>"
)


_ANSWERS = {  # of which those are given that the result has
    "summary": ("print(result)", "result.to_frame()"),
    "show": ("print(result)", "result.plot()"),
    "display": ("print(result)", "result.plot()"),
    "report": ("result.save('report.html')",),
    "to_html": ("result.save('result.html')",),
    "to_csv": ("result.save('result.csv')",),
    "to_json": ("result.save('result.json')",),
    "to_pandas": ("result.to_frame().to_pandas()",),
    "to_polars": ("result.to_frame()",),
    "mean": ("result.estimate()",),
    "winner": ("result.best",),
    "best_model": ("result.best, its name", "result.model"),
    "best_estimator_": ("result.model",),
    "fit": ("result.model, which is fitted",),
    "best_score_": ("result.score",),
    "best_params_": ("result.model.get_params()",),
    "evaluate": ("result.model.score(X, y)",),
    "explain": ("probus.explain(result.model, X)",),
    **dict.fromkeys(
        ("feature_importances_", "feature_importance", "permutation_importance"),
        ("result.report('report.html'), which has the importance of columns",),
    ),
    **dict.fromkeys(("scores", "metrics", "table", "ranking"), ("result.leaderboard", "result.to_frame()")),
    **dict.fromkeys(("roc_curve",), ("result.plot_roc()",)),
    "calibration_curve": ("result.plot_calibration()",),
    **dict.fromkeys(("pvalue", "p_value", "pvalues", "difference", "differences"), ("result.tests",)),
    **{name: (f"result['{name}']",) for name in ("accuracy", "roc_auc", "f1", "rmse", "r2")},
}


class Displayed(ABC):
    """Text and HTML from a list of parts."""

    @abstractmethod
    def _parts(self) -> Iterable[Part | Displayed | str]:
        """What is displayed, in order; a string that comes first is the headline."""

    def __repr__(self) -> str:
        return "\n".join(line for part in self._parts() for line in _lines(part))

    def _repr_html_(self) -> str:
        parts = "".join(_html(part, first=place == 0) for place, part in enumerate(self._parts()))
        return f'<div class="probus">{_STYLE}{parts}</div>'


class Result(Displayed):
    """A result: immutable, with text, HTML, ``to_dict`` and ``to_frame``, all made from its parts and its rows.

    A subclass is a frozen dataclass (``repr=False``) that has ``_parts`` and ``_rows``, and ``plot`` where there is
    something to plot.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = value.view()  # the caller's own array stays writable
                value.flags.writeable = False
                object.__setattr__(self, field.name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if hasattr(type(self), name):  # a property that raised
            return object.__getattribute__(self, name)
        near = get_close_matches(name, [known for known in dir(type(self)) if not known.startswith("_")], 1)
        answers = " or ".join(each for each in _ANSWERS.get(name, ()) if self._has(each))
        hint = f"use {answers}" if answers else f"did you mean {near[0]}?" if near else ""
        raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}" + (f": {hint}" if hint else "."))

    def _has(self, answer: str) -> bool:
        """Whether the result has the attribute that the answer names."""
        if answer.startswith("result["):  # a measure by its name
            return hasattr(self, "estimate")
        named = re.search(r"result\.(\w+)", answer)
        return named is None or named[1] in dir(self)

    @abstractmethod
    def _rows(self) -> Any:
        """The rows of ``to_frame``, as a list of dicts or a dict of columns."""

    def to_dict(self) -> Any:
        """Plain data for JSON; numbers that are not finite become None."""
        return {field.name: plain(getattr(self, field.name)) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    def to_frame(self) -> Any:
        """A polars frame."""
        import polars as pl

        return pl.DataFrame(self._rows(), infer_schema_length=None)

    def save(self, path: Any) -> Path:
        """Write the result to a file, by its ending, and return the path.

        .html and .txt are what is displayed, .json is ``to_dict``, .csv and .parquet are ``to_frame``, and .png, .svg
        and .pdf the plot.
        """
        from probus.display._saving import save_result

        return save_result(self, path)


class Results(Result, Sequence[Item], Generic[Item]):
    """A result that is a sequence of items, found by position or by name.

    Attributes
    ----------
    items : the items.
    """

    items: tuple[Item, ...]

    def __init__(self, items: Iterable[Item]):
        self.items = tuple(items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, key: Any) -> Any:
        """The item at a position, of a name, or of several names in any order; a slice is a result of the same type."""
        if isinstance(key, slice):
            return self._only(self.items[key])
        if hasattr(key, "__index__"):
            return self.items[key]
        return {self._key(item): item for item in self.items}[frozenset(key) if isinstance(key, tuple) else key]

    def _key(self, item: Any) -> Any:
        """The name of an item; a frozenset, if it has several."""
        return item.name

    def _only(self, items: Iterable[Item]) -> Any:
        """The same result with fewer items."""
        part = copy(self)
        part.items = tuple(items)
        return part

    def to_dict(self) -> Any:
        """Plain data for JSON; numbers that are not finite become None."""
        return [plain(item) for item in self.items]


def _lines(part: Part | Displayed | str) -> list[str]:
    if isinstance(part, str):
        part = Paragraph(part)
    return part.lines() if isinstance(part, Part) else repr(part).split("\n")


def _html(part: Part | Displayed | str, first: bool) -> str:
    if isinstance(part, str):
        part = Paragraph(part, bold=first)
    return part.html() if isinstance(part, Part) else part._repr_html_()
