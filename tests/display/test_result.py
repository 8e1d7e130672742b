"""Results describe their parts and rows once; text, HTML, dicts and frames follow."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from probus.display import Cells, Notes, Picture, Result, Results
from probus.metrics import Estimate


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    names: tuple[str, ...]
    values: np.ndarray

    def _parts(self):
        cells = [["model", "score"], *([n, Estimate(v, v - 0.1, v + 0.1)] for n, v in self._pairs())]
        return ["Scores of <all>", Cells(cells, margin=2), Notes(["a note"], mark="→ ")]

    def _rows(self):
        return [{"model": name, "score": value} for name, value in self._pairs()]

    def _pairs(self):
        return list(zip(self.names, self.values.tolist(), strict=True))


@dataclass(frozen=True)
class Item:
    name: str
    size: float


class Items(Results[Item]):
    def _parts(self):
        return [Cells([[item.name, f"{item.size}"] for item in self], header=False)]

    def _rows(self):
        return {"name": [item.name for item in self], "size": [item.size for item in self]}


@pytest.fixture
def scores():
    return Scores(("a & b", "c"), np.array([0.5, 0.75]))


@pytest.fixture
def items():
    return Items([Item("x", 1.0), Item("y", float("nan"))])


def test_text_has_the_parts_in_order(scores):
    assert repr(scores).splitlines() == [
        "Scores of <all>",
        "  model  score",
        "  a & b  0.50 [0.40, 0.60]",
        "  c      0.75 [0.65, 0.85]",
        "  → a note",
    ]


def test_html_is_escaped_and_cells_bring_their_own(scores):
    page = scores._repr_html_()
    assert "<b>Scores of &lt;all&gt;</b>" in page
    assert "<td>a &amp; b</td><td><span" in page
    assert "<li>a note</li>" in page


def test_arrays_are_read_only_but_the_callers_own_is_not():
    values = np.array([0.5])
    result = Scores(("a",), values)
    with pytest.raises(ValueError, match="read-only"):
        result.values[0] = 1.0
    values[0] = 1.0


def test_a_picture_is_in_the_html_only():
    drawn = []
    picture = Picture(lambda ax: drawn.append(ax))
    assert picture.lines() == []
    assert picture.html().startswith("<svg")
    assert len(drawn) == 1


def test_dicts_hold_plain_data(scores, items):
    assert json.loads(json.dumps(scores.to_dict())) == {"names": ["a & b", "c"], "values": [0.5, 0.75]}
    assert items.to_dict() == [{"name": "x", "size": 1.0}, {"name": "y", "size": None}]


def test_frames_hold_the_rows(scores, items):
    assert scores.to_frame().rows() == [("a & b", 0.5), ("c", 0.75)]
    assert items.to_frame().columns == ["name", "size"]


def test_items_are_found_by_position_and_by_name(items):
    assert items[0] is items["x"]
    assert items[-1] is items["y"]
    assert len(items[1:]) == 1
    assert isinstance(items[1:], Items)
    with pytest.raises(KeyError):
        items["z"]


def test_answers_name_only_what_the_result_has():
    result = Scores(("a",), np.array([0.5]))
    for name, answer in {"show": r": use print\(result\)$", "report": r"use result\.save\('report\.html'\)$"}.items():
        with pytest.raises(AttributeError, match=answer):
            getattr(result, name)
    for name in ("winner", "best_model", "mean", "accuracy"):
        with pytest.raises(AttributeError, match=rf"a Scores has no attribute '{name}'(\.|: did you mean \w+\?)$"):
            getattr(result, name)
