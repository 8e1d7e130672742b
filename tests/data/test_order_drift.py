"""Targets that drift along dates, counters and the order of the file (PB410), and the split that is proposed."""

import numpy as np
import pytest

from probus.data import Table, examine
from probus.data.findings import SplitProposal, proposed_split
from probus.data.findings._order_drift import drifts


def log(n=300, size=1.0, seed=0, **columns):
    """A target with a trend."""
    rng = np.random.default_rng(seed)
    y = size * np.linspace(-1, 1, n) + rng.normal(size=n)
    return {"x": rng.normal(size=n), **columns, "y": y}


def dates(n=300):
    return np.datetime64("2021-01-01") + np.arange(n)


def found(data):
    return [(each.column, each.severity) for each in examine(data, "y").of("PB410")]


def test_a_trend_along_dates_counters_and_rows_is_reported():
    assert found(log(date=dates())) == [("date", "warning")]
    assert found(log(order_id=np.arange(300) * 3)) == [("order_id", "warning")]
    assert found(log()) == [(None, "warning")]
    place = np.random.default_rng(1).permutation(300)
    shuffled = {name: values[place] for name, values in log(date=dates()).items()}
    assert found(shuffled) == [("date", "warning")]


def test_the_evidence_and_the_advice_say_what_random_folds_do():
    (finding,) = examine(log(size=1.5, date=dates()), "y").of("PB410")
    assert finding.evidence.startswith("'y' drifts along 'date': rows of one time are alike (intraclass correlation 0.")
    assert "random folds test a model between rows that it was trained on, not on later ones" in finding.evidence
    assert finding.suggestion.endswith("split='time:date' (in resample cv='time:date'), or --split time:date")
    (finding,) = examine(log(), "y").of("PB410")
    assert "along the order of the rows in the file" in finding.evidence
    assert finding.suggestion.endswith("or --split time")


def test_without_dates_the_evidence_says_that_the_rows_may_be_merely_sorted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    place = np.argsort(x + 0.1 * rng.normal(size=300))
    (finding,) = examine({"x": x[place], "y": (x + rng.normal(size=300))[place]}, "y").of("PB410")
    assert "rows near each other are alike" in finding.evidence
    assert finding.evidence.endswith("If the rows were sorted by something else, random folds are right.")
    assert "If this is the order of time, random folds test a model between rows" in finding.evidence
    for timed in ({"date": dates()}, {"sale_year": 1990 + np.arange(300) // 10}):
        (finding,) = examine(log(size=1.5, **timed), "y").of("PB410")
        assert "sorted" not in finding.evidence


def test_rows_that_are_like_their_neighbours_only_are_reported():
    rng = np.random.default_rng(0)
    noise = np.convolve(rng.normal(size=602), [1.0, 0.8, 0.6], "valid")
    (drift,) = drifts(Table.of({"x": rng.normal(size=600), "y": noise}), "y")
    assert (drift.name, drift.next_rows) == ("", True)


@pytest.mark.parametrize("name", ["birth_date", "year_built", "age", "dob"])
def test_dates_of_other_things_and_quantities_order_no_rows(name):
    rng = np.random.default_rng(0)
    column = rng.integers(1950, 2000, 300) if "date" not in name else dates()[rng.permutation(300)]
    y = (column - column.min()).astype(float) / 20 + rng.normal(size=300)
    assert found({"x": rng.normal(size=300), name: column, "y": y}) == []


def test_a_file_that_is_sorted_by_target_or_feature_is_in_no_order_of_time():
    rng = np.random.default_rng(0)
    label = np.repeat(["a", "b", "c"], 60)
    assert found({"x": rng.normal(size=180), "id": np.arange(180), "y": label}) == []
    sites = np.repeat([f"s{i}" for i in range(6)], 40)
    shift = np.repeat(rng.normal(size=6), 40)
    assert found({"x": rng.normal(size=240), "town": sites, "y": shift + rng.normal(size=240)}) == []
    price = np.sort(rng.gamma(2, size=200))
    assert found({"price": price, "y": price + rng.normal(size=200)}) == []


def test_rows_in_no_order_are_rarely_reported():
    n, warned = 0, 0
    for seed in range(60):
        rng = np.random.default_rng([7, seed])
        when = dates()[rng.permutation(300)]
        data = log(size=0.0, seed=seed, date=when, row_id=rng.permutation(300))
        n, warned = n + 1, warned + bool(found(data))
    assert warned <= 3, f"{warned} of {n}"


def test_what_is_near_certain_is_told_from_what_is_suspected():
    rng = np.random.default_rng(0)
    who = np.repeat([f"p{i}" for i in range(30)], 8)
    y = 1.5 * rng.normal(size=30).repeat(8) + rng.normal(size=240)
    x = rng.normal(size=240)
    assert proposed_split(Table.of({"patient": who, "x": x, "y": y}), "y") == SplitProposal(("patient",), None, True)
    assert proposed_split(Table.of({"shop": who, "x": x, "y": y}), "y") == SplitProposal(("shop",), None, False)
    assert proposed_split(Table.of(log(size=2.0, date=dates())), "y") == SplitProposal((), "date", True)
    assert proposed_split(Table.of(log(size=2.0)), "y") == SplitProposal((), "", False)
    assert proposed_split(Table.of(log(size=0.0, date=dates())), "y") is None


# -- groups that no column names -----------------------------------------------------------------------


def subjects(effect=1.5, seed=0, **columns):
    """Repeated measures of forty people, of known age and height."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(40), 6)[rng.permutation(240)]
    age, height = rng.integers(20, 80, 40)[who], np.round(rng.normal(170, 9, 40), 1)[who]
    y = effect * rng.normal(size=40)[who] + rng.normal(size=240)
    named = {name: np.array([f"{name}{i}" for i in who]) for name in columns}
    return {"age": age, "height": height, "dose": rng.normal(size=240), **named, "y": y}


def test_people_whom_no_column_names_are_found_by_what_they_agree_in():
    (finding,) = examine(subjects(seed=1), "y").of("PB411")
    assert finding.evidence.startswith(
        "39 groups of rows agree in 'height', 'age', far more than chance explains, and "
    )
    assert finding.suggestion.endswith("or --split group:height+age")
    assert proposed_split(Table.of(subjects(seed=1)), "y") == SplitProposal(("height", "age"), None, False)


def test_people_without_an_effect_or_with_a_name_are_not():
    assert sum(bool(examine(subjects(0.0, seed), "y").of("PB411")) for seed in range(20)) <= 1
    found = examine(subjects(person=...), "y")
    assert [each.column for each in found.of("PB409", "PB411")] == ["person"]


def test_rounded_numbers_and_copies_are_no_groups():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3)).round(1)
    assert not examine({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": x.sum(axis=1)}, "y").of("PB411")
