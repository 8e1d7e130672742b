"""Advice in errors: data that each interface renders in its own words."""

from probus.errors import Advice, DataError, worded


def test_an_error_keeps_its_advice_as_data():
    advice = (Advice("missing", ["?"]), Advice("kinds", {"age": "nominal"}))
    error = DataError("2 values are not numbers.", "numbers", advice)
    assert error.advice == advice
    assert str(error).endswith("Expected numbers. Pass missing=['?'], or kinds={'age': 'nominal'}.")


def test_an_interface_renders_advice_in_its_own_words():
    advice = Advice("header", False, when="if that is a row")
    with worded(lambda advice: f"--{advice.parameter} {advice.value}"):
        assert str(DataError("no rows.", hint=advice)) == "no rows.\n  Pass --header False if that is a row."
    assert str(advice) == "header=False if that is a row"


def test_an_interface_without_words_for_advice_keeps_those_of_python():
    with worded(lambda advice: None):
        assert str(Advice("drop", ("x",), "table.drop('x')")) == "table.drop('x')"
