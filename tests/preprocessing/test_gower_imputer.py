import numpy as np
import pytest
from sklearn.impute import KNNImputer

from probus.data import Column, Kind, Table
from probus.errors import DataError, ModelFileError
from probus.preprocessing import DroppedColumnWarning, GowerImputer


def twin_distance(table, a, b):
    """Gower's distance between two rows of a table with finite ranges, None where nothing compares."""
    parts = []
    for column in table:
        if column.missing[a] or column.missing[b]:
            continue
        x, z = column.values[a], column.values[b]
        if column.kind in (Kind.BINARY, Kind.NOMINAL):
            parts.append(float(x != z))
        else:
            present = column.values[~column.missing]
            parts.append(abs(float(x) - float(z)) / float(np.ptp(present)))
    return sum(parts) / len(parts) if parts else None


def twin_fill(table, name, row, k, weights):
    column = table[name]
    near = sorted(
        (d, column.values[i])
        for i in range(table.n_rows)
        if not column.missing[i] and (d := twin_distance(table, row, i)) is not None
    )
    near = [(d, v) for d, v in near if d <= near[min(k, len(near)) - 1][0] + 1e-12]
    if weights == "uniform":
        votes = [(1.0, v) for _, v in near]
    elif near[0][0] < 1e-12:
        votes = [(1.0, v) for d, v in near if d < 1e-12]
    else:
        votes = [(1 / d, v) for d, v in near]
    if column.kind is Kind.NUMERIC:
        return sum(w * v for w, v in votes) / sum(w for w, _ in votes)
    total = {code: sum(w for w, v in votes if v == code) for _, code in votes}
    return min(total, key=lambda code: (-round(total[code], 10), code))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 4, 1000])
def test_agrees_with_brute_force(mixed, k, weights):
    filled = GowerImputer(k, weights=weights).fit_transform(mixed)
    for column in mixed:
        for row in range(mixed.n_rows):
            expected = twin_fill(mixed, column.name, row, k, weights) if column.missing[row] else column.values[row]
            assert filled[column.name].values[row] == pytest.approx(expected), (column.name, row)


def test_blocks_make_no_difference(mixed, monkeypatch):
    whole = GowerImputer().fit_transform(mixed)
    monkeypatch.setattr("probus.preprocessing._gower_imputer._QUERIES", 3)
    for one, other in zip(whole, GowerImputer().fit_transform(mixed), strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_donors_are_training_rows_only(mixed):
    imputer = GowerImputer().fit(mixed.take(slice(0, 40)))
    new = mixed.take(slice(40, 60))
    together = imputer.transform(new)
    for row in range(new.n_rows):
        alone = imputer.transform(new.take([row]))
        for one, other in zip(together.take([row]), alone, strict=True):
            np.testing.assert_array_equal(one.values, other.values)


def test_agrees_with_scikit_learn_where_one_column_is_left_to_measure_by():
    X = np.column_stack([np.random.default_rng(0).normal(size=40), np.arange(40.0)])
    X[5, 1] = np.nan
    assert GowerImputer(5).fit_transform(X)[5, 1] == pytest.approx(KNNImputer(n_neighbors=5).fit_transform(X)[5, 1])


def test_a_row_that_compares_with_nothing_gets_the_mean_and_the_mode():
    table = Table([Column.numbers("age", [1.0, 3.0, np.nan]), Column.labels("sex", ["f", "f", None])])
    assert GowerImputer().fit_transform(table).take([2]).to_dict() == {"age": [2.0], "sex": ["f"]}


def test_indicators_text_and_empty_columns():
    table = Table(
        [
            Column.numbers("age", [1.0, 3.0, np.nan]),
            Column.numbers("height", [1.6, 1.7, 1.69]),
            Column.text("note", ["a", None, "c"]),
            Column.numbers("void", [np.nan] * 3),
        ]
    )
    with pytest.warns(DroppedColumnWarning, match="'void'"):
        filled = GowerImputer(1, indicators=True).fit_transform(table)
    assert filled.to_dict() == {
        "age": [1.0, 3.0, 3.0],
        "height": [1.6, 1.7, 1.69],
        "note": ["a", None, "c"],
        "age_missing": [0, 0, 1],
        "note_missing": [0, 1, 0],
    }


def test_bad_parameters_are_errors(mixed):
    with pytest.raises(DataError, match=r"n_neighbors.*must be an int in the range .1, inf.. Got 0 instead"):
        GowerImputer(0).fit(mixed)
    with pytest.raises(DataError, match=r"weights.*must be a str among {'uniform', 'distance'}. Got 'linear' instead"):
        GowerImputer(weights="linear").fit(mixed)


def test_donors_that_do_not_fit_the_schema_are_refused(mixed):
    imputer = GowerImputer().fit(mixed)
    imputer.codes_[0, 0] = 2
    with pytest.raises(ModelFileError, match="donors do not match"):
        imputer.check_fitted_state()
