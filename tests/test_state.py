import numpy as np
import pytest

from probus.errors import ModelFileError
from probus.state import Array, Either, Flag, Labels, Many, Maybe, Number, Size, String, check_state

DECLARED = {
    "n_": Size("n"),
    "rows_": Array("f8", "n d"),
    "codes_": Array("i4", "n", low=0, high="K"),
    "classes_": Labels("K"),
    "note_": Maybe(String(("a", "b"))),
}
GOOD = {
    "n_": 2,
    "rows_": np.zeros((2, 3)),
    "codes_": np.array([0, 1], dtype="i4"),
    "classes_": np.array(["x", "y"]),
}


def test_a_state_as_declared_passes():
    check_state("Model", {**DECLARED, "codes_": Array("i4", "n", 0)}, GOOD)
    check_state("Model", DECLARED, {**GOOD, "note_": "a"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows_": np.zeros((3, 3))}, r"Model.rows_ has shape \(3, 3\)(?s:.)*n=2 × d"),
        ({"rows_": np.zeros((2, 3), "f4")}, "Model.rows_ is an array of float32(?s:.)*float64"),
        ({"codes_": np.array([0, -1], "i4")}, "no value below 0"),
        ({"classes_": np.array([object(), object()])}, "labels that are strings"),
        ({"n_": -1}, "a whole number"),
        ({"n_": True}, "a whole number"),
        ({"note_": "z"}, "one of a, b"),
        ({"more_": 1}, r"\['more_'\] unknown"),
    ],
)
def test_a_state_not_as_declared_is_refused(change, message):
    with pytest.raises(ModelFileError, match=message):
        check_state("Model", DECLARED, {**GOOD, **change})


def test_an_index_beyond_its_range_is_refused():
    declared = {"classes_": Labels("K"), "codes_": Array("i4", "n", low=0, high="K")}
    with pytest.raises(ModelFileError, match="every value below 2"):
        check_state("Model", declared, {"classes_": np.arange(2), "codes_": np.array([2], "i4")})


def test_what_is_missing_is_named():
    with pytest.raises(ModelFileError, match=r"\['rows_'\] missing"):
        check_state("Model", DECLARED, {name: value for name, value in GOOD.items() if name != "rows_"})


def test_either_takes_the_first_that_fits():
    declared = {"y_": Either(Array("f8", "n"), Array("f8", "n m")), "n_": Size("n")}
    check_state("Model", declared, {"y_": np.zeros((2, 5)), "n_": 2})
    with pytest.raises(ModelFileError, match=r"a whole number|shape"):
        check_state("Model", declared, {"y_": np.zeros((2, 5)), "n_": 3})


def test_lists_flags_and_numbers():
    declared = {"parts_": Many(Array("f8", "*"), "m"), "on_": Flag(), "x_": Number()}
    check_state("Model", declared, {"parts_": [np.zeros(1), np.zeros(2)], "on_": True, "x_": 1.5})
    for wrong in ({"parts_": 3}, {"on_": 1}, {"x_": "1"}):
        with pytest.raises(ModelFileError, match="Model"):
            check_state("Model", declared, {"parts_": [], "on_": True, "x_": 1.5, **wrong})
