import numpy as np
import pandas as pd
import pytest

import probus
from probus.data import Column, Kind, Table
from probus.preprocessing import DateFeatures


def dates(*strings, name="when") -> Table:
    days = [np.nan if s is None else (pd.Timestamp(s) - pd.Timestamp(0)) / pd.Timedelta(days=1) for s in strings]
    return Table([Column.numbers(name, days, dates=True)])


def test_parts_equal_those_of_pandas():
    stamps = pd.date_range("1899-12-30 05:00", "2031-01-01", freq="97h13min")
    table = DateFeatures().fit_transform(dates(*stamps))
    assert table["when: year"].values.tolist() == stamps.year.tolist()
    assert table["when: month"].values.tolist() == (stamps.month - 1).tolist()
    assert table["when: weekday"].values.tolist() == stamps.day_of_week.tolist()
    assert table["when: hour"].values.tolist() == stamps.hour.tolist()


def test_the_date_itself_remains_a_date():
    column = DateFeatures().fit_transform(dates("2024-01-05", "2025-03-01"))["when"]
    assert column.dates
    assert column.values.tolist() == dates("2024-01-05", "2025-03-01")["when"].values.tolist()


def test_parts_that_do_not_vary_are_left_out():
    def names(*strings):
        return DateFeatures().fit(dates(*strings)).get_feature_names_out().tolist()

    assert names("2024-03-05", "2024-03-12") == ["when"]
    assert names("2024-03-05", "2024-03-06") == ["when", "when: weekday"]
    assert names("2023-03-07", "2024-03-05") == ["when", "when: year"]
    assert names("2024-03-05 10:00", "2024-03-05 11:30") == ["when", "when: hour"]


def test_dates_of_whole_months_have_no_weekday():
    features = DateFeatures().fit(dates("2024-01-01", "2024-02-01", "2024-03-01"))
    assert features.get_feature_names_out().tolist() == ["when", "when: month"]


def test_a_missing_date_is_missing_in_each_of_its_columns():
    table = DateFeatures().fit_transform(dates("2024-01-05 12:00", None, "2025-03-01"))
    assert all(column.missing.tolist() == [False, True, False] for column in table)
    assert len(table.names) == 5


def test_parts_have_kinds_that_keep_the_order():
    table = DateFeatures().fit_transform(dates("2024-01-05 12:00", "2025-03-01"))
    assert table["when: year"].kind is Kind.NUMERIC
    assert table["when: month"].levels[:2] == ("Jan", "Feb")
    assert table["when: weekday"].levels[0] == "Mon"
    assert all(table[f"when: {part}"].kind is Kind.ORDINAL for part in ("month", "weekday", "hour"))


def test_cyclic_features_put_december_next_to_january():
    features = DateFeatures(cyclic=True).fit(dates("2023-12-31 23:00", "2024-01-01", "2024-06-15 12:00"))
    assert features.get_feature_names_out().tolist() == [
        "when", "when: year", "when: month sine", "when: month cosine", "when: weekday",
        "when: hour sine", "when: hour cosine",
    ]  # fmt: skip
    table = features.transform(dates("2023-12-31", "2024-01-31", "2024-06-30"))
    circle = np.column_stack([table["when: month sine"].values, table["when: month cosine"].values])
    np.testing.assert_allclose(np.linalg.norm(circle, axis=1), 1)
    assert np.linalg.norm(circle[0] - circle[1]) < 0.6 < 1.7 < np.linalg.norm(circle[0] - circle[2])


def test_other_columns_pass_unchanged_and_names_stay_distinct():
    table = dates("2024-01-05", "2024-02-07").with_columns(Column.numbers("when: month", [1.0, 2.0]))
    out = DateFeatures().fit_transform(table)
    assert out.names == ("when", "when: month", "when: weekday", "when: month_")
    assert out["when: month_"].values.tolist() == [1.0, 2.0]


def test_time_zones_and_frames_are_dates_too():
    stamps = pd.to_datetime(["2024-01-31T23:30-02:00", "2024-03-05T00:00+00:00"], utc=True)
    frame = DateFeatures().fit_transform(pd.DataFrame({"when": stamps}))
    assert frame["when: month"].tolist() == ["Feb", "Mar"]


def test_saved_and_loaded_features_are_the_same(tmp_path):
    table = dates("2024-01-05 12:00", None, "2025-03-01")
    features = DateFeatures().fit(table)
    probus.save(features, tmp_path / "features.probus")
    again = probus.load(tmp_path / "features.probus").transform(table)
    for one, other in zip(features.transform(table), again, strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(one.values, other.values)


def test_a_file_in_which_a_number_has_months_is_refused():
    features = DateFeatures().fit(dates("2024-01-05", "2024-02-07"))
    features.schema_ = Table.of({"when": [1.0, 2.0]}, infer=False).schema
    with pytest.raises(probus.errors.ModelFileError, match="'when' is not a date"):
        features.check_fitted_state()
