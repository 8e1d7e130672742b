import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data import Column
from probus.display import figure
from probus.report._summary import Classes, summarise

nan = np.nan


def alone(column):
    return summarise(column, Classes.of(None, len(column)))


@given(st.lists(st.floats(-1e9, 1e9) | st.just(nan) | st.just(np.inf), min_size=1, max_size=80))
def test_a_histogram_counts_every_finite_value_once(cells):
    summary = alone(Column.numbers("x", cells))
    finite = int(np.isfinite(cells).sum())
    assert (summary.shape.counts.sum() if finite else summary.shape) == (finite or None)
    assert summary.missing == int(np.isnan(cells).sum())


@given(st.lists(st.sampled_from([*"abcdefghijkl", None]), min_size=1, max_size=80))
def test_level_counts_and_the_others_add_up(cells):
    summary = alone(Column.labels("x", cells))
    present = sum(cell is not None for cell in cells)
    counted = 0 if summary.shape is None else summary.shape.counts.sum() + summary.shape.other_rows
    assert counted == present
    assert summary.distinct == len({cell for cell in cells if cell is not None})


def test_counts_are_split_by_class_and_unlabelled_rows_belong_to_none():
    target = Column.labels("y", ["a", "b", None, "a"])
    classes = Classes.of(target, 4)
    by_number = summarise(Column.numbers("x", [0.0, 0, 0, 1]), classes).shape
    assert by_number.counts.tolist() == [[1, 1], [1, 0]]
    by_level = summarise(Column.labels("z", ["u", "u", "u", "v"]), classes).shape
    assert by_level.levels == ("u", "v")
    assert by_level.counts.tolist() == [[1, 1], [1, 0]]


def test_many_classes_and_numeric_targets_are_not_drawn_by_class():
    assert Classes.of(Column.labels("y", list("abcdefgh")), 8).names == ("",)
    assert Classes.of(Column.numbers("y", [1.0, 2.0]), 2).names == ("",)


def test_few_whole_numbers_get_a_bin_each():
    shape = alone(Column.numbers("cylinders", [4.0, 6, 8, 8])).shape
    assert shape.counts.tolist() == [[1, 0, 1, 0, 2]]
    assert shape.edges[0] == 3.5


def test_ordered_levels_stay_in_order_and_others_go_by_frequency():
    cells = ["low", "high", "high", "mid"]
    assert alone(Column.labels("x", cells)).shape.levels[0] == "high"
    assert alone(Column.labels("x", cells).as_kind(["low", "mid", "high"])).shape.levels == ("low", "mid", "high")


def test_text_is_described_by_its_length():
    summary = alone(Column.text("x", ["four", "sixsix", None]))
    assert summary.figures == {"median length": "5 characters", "longest": "6"}
    assert (summary.missing, summary.distinct, summary.shape) == (1, 2, None)


@pytest.mark.parametrize(
    ("value", "printed"), [(0.0, "0"), (-1234.5, "-1234"), (1e20, "1e+20"), (3.14159, "3.142"), (1e-9, "1e-09")]
)
def test_figures_are_short(value, printed):
    assert figure(value) == printed


def test_dates_are_printed_as_dates():
    summary = alone(Column.numbers("day", [0.0, 365.0], dates=True))
    assert summary.figures["range"] == "1970-01-01 to 1971-01-01"
