"""A study of rows in time order."""

import numpy as np
import pandas as pd
import pytest

import probus
from probus.errors import DataError
from probus.lifecycle._conclusion import _training_share
from probus.lifecycle._family_fits import _inner_splits
from probus.report import StudyReport, study_page
from probus.report._reproduction import command_line, python_code


def days(n=240, seed=0):
    """Sales of some days, which grow, in random order."""
    rng = np.random.default_rng(seed)
    day, promotion = np.arange(n), rng.integers(0, 2, n)
    sales = 50 + 0.1 * day + 6 * promotion + rng.normal(size=n)
    table = {"date": pd.date_range("2022-01-01", periods=n), "promotion": promotion, "sales": sales}
    return pd.DataFrame(table).sample(frac=1, random_state=seed)


def study(data, **options):
    given = {"target": "sales", "evaluations": 0, "models": ["tree"], "progress": None, **options}
    return probus.study(data, **given)


@pytest.fixture(scope="module")
def ordered():
    return study(days(), order="date")


def test_later_rows_test_models_of_earlier_ones(ordered):
    when = ordered.task.times
    for train, test in ordered.splits.pairs:
        assert when[train].max() < when[test].min()
    assert ordered.features == ("date", "promotion")
    assert not ordered.alerts()


def test_inner_splits_are_in_order_too(ordered):
    rows = ordered.splits.pairs[-1][0]
    for train, test in _inner_splits(ordered.task, rows, 0):
        assert ordered.task.times[train].max() < ordered.task.times[test].min()


def test_the_score_is_that_of_later_rows():
    """A tree cannot go on with a trend; random folds do not notice."""
    whole = days(400)
    known, later = whole[whole.date < "2022-12-01"], whole[whole.date >= "2022-12-01"]
    random, ordered = study(known), study(known, order="date")
    error = np.sqrt(np.mean((ordered.model.predict(later) - later.sales.to_numpy()) ** 2))
    assert random.score.high < ordered.score.low
    assert random.score.high < error
    (alert,) = random.alerts()
    assert alert.startswith("Rows with dates (date) were split at random")
    assert "--order date (order='date')" in alert


def test_a_task_with_a_time_column():
    result = probus.study(
        probus.Task(days(), target="sales", time="date"), evaluations=0, models=["tree"], progress=None
    )
    assert result.features == ("promotion",)
    assert result.splits.how == "5 time-ordered splits"


def test_an_order_that_is_not_there():
    with pytest.raises(DataError, match="no column 'day'"):
        study(days(), order="day")
    with pytest.raises(DataError, match="y together with the name of a column"):
        probus.study([[1.0], [2.0]], [1.0, 2.0], order="date")


def test_the_report_says_so_too(ordered, tmp_path):
    random = study(days(120))
    for result, warned in ((random, True), (ordered, False)):
        result.report(tmp_path / "report.html")
        assert ("were split at random" in (tmp_path / "report.html").read_text()) == warned


def test_the_report_counts_the_columns_of_the_table(ordered):
    n_columns = len({*ordered.task.table.names} - {ordered.task.time})
    assert len(StudyReport.of(ordered, time=0).columns) == n_columns


def test_the_command_that_repeats_it_has_the_order(tmp_path):
    path = tmp_path / "days.csv"
    days(60).rename(columns={"promotion": "on, off"}).assign(spare=1.0).to_csv(path, index=False)
    result = study(path, order="date", drop=["on, off", "spare"])
    assert "--drop '\"on, off\",spare' --order date" in command_line(result)
    assert "order='date'" in python_code(result)


def test_the_share_of_training_rows_is_that_of_all_splits(ordered):
    assert _training_share(ordered.splits.pairs, len(ordered.task)) == "17 % to 83 %"
    folds = probus.model_selection.splits_of(5, probus.Task(days(), target="sales"), random_state=0)
    assert _training_share(folds.pairs, 240) == "80 %"


def test_the_page_says_that_the_earliest_rows_are_not_predicted(ordered):
    page = study_page(StudyReport.of(ordered, time=0))
    assert "each row but the earliest ones predicted once, all splits together" in page
