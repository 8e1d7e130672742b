import numpy as np
import pandas as pd
import pytest

from probus.data import Kind, Schema, Table, UnseenLevelWarning, read
from probus.errors import DataError, SchemaError

TRAIN = Table.of({"age": [22.0, 38.5], "sex": ["m", "f"], "k": [1, 2]}).with_kinds(k="nominal")


def test_columns_are_matched_by_name_and_others_left_out():
    new = TRAIN.schema.apply({"more": ["z"], "sex": ["f"], "k": [2], "age": [7.5]})
    assert new.schema == TRAIN.schema
    assert new.to_dict() == {"age": [7.5], "sex": ["f"], "k": [2]}


@pytest.mark.parametrize("cells", [["1", "2"], [1.0, 2.0], pd.Categorical([1, 2]), np.array([1, 2], dtype="int8")])
def test_levels_match_whatever_type_they_come_in(cells):
    assert TRAIN.select("k").schema.apply(pd.DataFrame({"k": cells}))["k"].values.tolist() == [0, 1]


def test_unseen_levels_become_missing_with_one_warning():
    with pytest.warns(UnseenLevelWarning, match="'sex': 'x'; 'k': 9") as caught:
        new = TRAIN.schema.apply({"age": [1.5], "sex": ["x"], "k": [9]})
    assert len(caught) == 1
    assert [bool(c.missing[0]) for c in new] == [False, True, True]


def test_a_missing_column_is_an_error_that_names_it():
    with pytest.raises(SchemaError, match=r"1 column missing from the new data: 'sex'(?s:.)*Found 'age', 'k'"):
        TRAIN.schema.apply({"age": [1.5], "k": [1]})


def test_strings_in_a_numeric_column_are_named():
    with pytest.raises(ValueError, match="column 'age': 1 of 1 values are not numbers: 'old'"):
        TRAIN.schema.apply({"age": ["old"], "sex": ["m"], "k": [1]})


def test_another_kind_is_no_advice_for_new_rows():
    with pytest.raises(ValueError, match=r"Pass missing=\['old'\] to read\(\), or correct them\.$"):
        TRAIN.schema.apply({"age": ["old"], "sex": ["m"], "k": [1]})


def test_a_schema_goes_through_json():
    assert Schema.from_dict(TRAIN.schema.to_dict()) == TRAIN.schema
    assert hash(TRAIN.schema) == hash(Schema.from_dict(TRAIN.schema.to_dict()))


def test_fields_are_found_by_name_and_place():
    assert TRAIN.schema["sex"].kind is Kind.BINARY
    assert TRAIN.schema[0].name == "age"
    with pytest.raises(SchemaError, match="no column 'nowhere'"):
        TRAIN.schema["nowhere"]


DATED = Table(
    {
        "price": [f"{each:,}" for each in range(1_000, 61_000, 1_500)],
        "day": [f"{day:02}/{month:02}/2024" for month in (1, 2) for day in range(10, 30)],
        "size": [each / 3 for each in range(40)],
        "paid": [each % 3 == 0 for each in range(40)],
    }
)


@pytest.mark.parametrize("name", ["price", "day", "size"])
def test_one_word_among_numbers_or_dates_becomes_missing_and_is_named_with_its_row(name):
    cells = {
        "price": ["1,250", "900", "12,000"],
        "day": ["30/01/2024", "01/02/2024", "02/02/2024"],
        "size": ["1.5", "2", "3"],
    }
    cells = {key: [*values] for key, values in cells.items()} | {"paid": [True, False, True]}
    good = DATED.schema.apply(cells)[name].values
    cells[name][1] = "soon"
    with pytest.warns(UnseenLevelWarning, match=rf"not numbers or dates became missing: '{name}': 'soon' \(row 1\)$"):
        found = DATED.schema.apply(cells)[name]
    np.testing.assert_array_equal(found.values, [good[0], np.nan, good[2]])


@pytest.mark.parametrize("name", ["price", "day", "size"])
def test_mostly_words_among_numbers_or_dates_are_an_error_that_names_only_these(name):
    cells = {"price": ["1,250"] * 3, "day": ["30/01/2024"] * 3, "size": ["1.5"] * 3, "paid": ["TRUE"] * 3}
    cells[name][1:] = ["soon", "?"]
    with pytest.raises(DataError, match=rf"'{name}': 2 of 3 values are not .*: 'soon', '\?' \(rows 1, 2\)") as caught:
        DATED.schema.apply(cells)
    assert "missing=['soon', '?']" in str(caught.value)


@pytest.mark.parametrize("spelling", ["TRUE", "True", "true", True])
def test_truth_values_are_known_however_they_are_spelled(spelling):
    levels = (
        Table.of({"paid": [spelling, str(spelling), None]}, infer=False)
        if isinstance(spelling, str)
        else {"paid": [True, True, None]}
    )
    assert DATED.select("paid").schema.apply(levels)["paid"].values.tolist() == [1, 1, -1]
    learnt = Table.of({"paid": ["TRUE", "FALSE"]}, infer=False).schema.apply({"paid": [True, False]})
    assert learnt["paid"].decoded().tolist() == ["TRUE", "FALSE"]


def test_a_word_does_not_change_how_the_other_numbers_of_a_file_are_read(tmp_path):
    """With decimal commas 1,250 is less than two."""

    def table(*cells, row="{};a\n"):
        file = tmp_path / "rows.csv"
        file.write_text("km;who\n" + "".join(row.format(cell) for cell in cells))
        return read(file)

    for cells in (["1,250", "0,900", "3,5"], ["1,250", "3,100", "2,750"]):
        schema = table(*["12,5", "3,75", "8,0"] * 5).schema
        with pytest.warns(UnseenLevelWarning, match=r"'km': 'soon' \(row 3\)"):
            found = schema.apply(table(*cells, "soon"))["km"].values
        np.testing.assert_array_equal(found, [*(float(cell.replace(",", ".")) for cell in cells), np.nan])
        assert table(*cells, "soon").notes[-1].startswith("column 'km' is nominal")
    with pytest.warns(UnseenLevelWarning, match=r"'km': 'soon' \(row 2\)"):
        found = schema.apply({"km": ["1,5", "12,25", "soon"], "who": ["a", "a", "b"]})["km"].values
    np.testing.assert_array_equal(found, [1.5, 12.25, np.nan])


@pytest.mark.parametrize("keep_unseen", [False, True])
def test_another_word_does_not_change_what_true_is(keep_unseen):
    new = Table.of({"paid": ["TRUE", "FALSE", "maybe", "TRUE"]}, infer=False)
    schema = DATED.select("paid").schema
    found = schema.apply(new, keep_unseen=True) if keep_unseen else new
    with pytest.warns(UnseenLevelWarning, match="'paid': 'maybe'$"):
        assert schema.apply(found)["paid"].values.tolist() == [1, 0, -1, 1]
