import json
from dataclasses import FrozenInstanceError

import pytest

from probus.comparison._significance import Pairing, TestResult, checked_names
from probus.display import p_text
from probus.errors import DataError
from probus.metrics import Estimate


@pytest.fixture
def result():
    effect = Estimate(0.012, -0.009, 0.033, method="t", n=10)
    sentence = "<a> and b: undecided"
    return TestResult("t-test", 1.25, (10, 5), 0.27, effect, 10, sentence, "F", "Beware.", ("<a>", "b"), {"k": [1.0]})


def test_it_cannot_be_changed(result):
    with pytest.raises(FrozenInstanceError):
        result.pvalue = 0.01


def test_it_prints_sentence_numbers_and_note(result):
    assert repr(result) == "<a> and b: undecided\n  F = 1.25, df = 10 and 5, p = 0.27\n  Beware."


def test_html_is_escaped(result):
    assert "&lt;a&gt; and b" in result._repr_html_()


def test_its_dict_is_json(result):
    read = json.loads(json.dumps(result.to_dict()))
    assert read["effect"]["low"] == -0.009
    assert read["names"] == ["<a>", "b"]
    assert read["details"] == {"k": [1.0]}


def test_its_frame_has_one_row(result):
    (row,) = result.to_frame().to_dicts()
    assert (row["df"], row["df_denominator"], row["difference"], row["models"]) == (10, 5, 0.012, ["<a>", "b"])


@pytest.mark.parametrize(("alpha", "told"), [(0.05, False), (0.3, True), (0.27, False)])
def test_significance_is_a_p_below_alpha(result, alpha, told):
    assert result.significant(alpha) is told


@pytest.mark.parametrize(
    ("p", "text"), [(0.27, "p = 0.27"), (0.0499, "p = 0.05"), (0.0042, "p = 0.004"), (1e-9, "p < 0.001"), (1, "p = 1")]
)
def test_p_values_as_printed(p, text):
    assert p_text(p) == text


@pytest.mark.parametrize(
    ("value", "greater", "winner"), [(0.1, True, "A"), (-0.1, True, "B"), (0.1, False, "B"), (-0.1, False, "A")]
)
def test_the_winner_follows_the_orientation(value, greater, winner):
    effect = Estimate(value, value - 0.01, value + 0.01)
    sentence = Pairing(("A", "B"), "9 rows", greater).conclusion(effect, 0.01, "t-test")
    assert sentence.startswith(f"{winner} beats ")


@pytest.mark.parametrize("names", [("a",), ("a", "a"), ("a", "b", "c")])
def test_two_models_need_two_names(names):
    with pytest.raises(DataError, match="Expected 2 different names, one for each model"):
        checked_names(names, 2)
