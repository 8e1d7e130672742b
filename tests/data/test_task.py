"""The roles of columns, and what a task refuses."""

import numpy as np
import pandas as pd
import pytest

from probus.data import Kind, Table
from probus.data._task import Task
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes

PATIENTS = {
    "age": [61, 54, 70, 49, 66, 58],
    "sex": ["m", "f", "f", "m", "f", "m"],
    "clinic": ["a", "a", "b", "b", "c", "c"],
    "visit": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "count": [1.0, 2.0, 1.0, 0.0, 1.0, 3.0],
    "pressure": [120.0, 135.5, 150.0, 118.0, 142.0, 129.0],
    "ill": ["yes", "no", "yes", "no", "yes", "no"],
}


def refusal(**changes):
    arguments = {"table": PATIENTS, "target": "ill", **changes}
    with pytest.raises(DataError) as caught:
        Task(**arguments)
    return str(caught.value)


def test_roles_leave_the_features_except_the_sensitive_ones():
    task = Task(PATIENTS, "ill", weight="count", group="clinic", time="visit", sensitive=["sex"])
    assert task.features == task.X.names == ("age", "sex", "pressure")
    assert task.sensitive == ("sex",)
    np.testing.assert_array_equal(task.sample_weight, PATIENTS["count"])
    np.testing.assert_array_equal(task.groups, PATIENTS["clinic"])
    np.testing.assert_array_equal(task.times, PATIENTS["visit"])


def test_roles_that_were_not_given_are_none():
    task = Task(PATIENTS, target="ill")
    assert task.sample_weight is None
    assert task.groups is None
    assert task.times is None
    assert task.sensitive == ()


@pytest.mark.parametrize(
    ("target", "kind", "classes"),
    [
        ("ill", "classification", ("no", "yes")),
        ("clinic", "classification", ("a", "b", "c")),
        ("age", "regression", ()),
    ],
)
def test_the_target_decides_the_kind(target, kind, classes):
    task = Task(PATIENTS, target)
    assert (task.kind, task.classes) == (kind, classes)
    np.testing.assert_array_equal(task.y, PATIENTS[target])


@pytest.mark.parametrize("y", [[0.0, 1.0, 0.0], [False, True, False]])
def test_two_numbers_are_numbers_where_a_regression_is_asked_for(y):
    task = Task({"x": [1.0, 2.0, 3.0], "y": y}, "y", kind="regression")
    assert (task.kind, task.classes, task.pos_label) == ("regression", (), None)
    assert (task.take([0, 1]).kind, task.y.dtype) == ("regression", np.float64)


def test_numbers_are_classes_where_a_classification_is_asked_for():
    task = Task(PATIENTS, "visit", kind="classification", pos_label=3)
    assert (task.kind, task.classes, task.pos_label) == ("classification", (1, 2, 3, 4, 5, 6), 3)


@pytest.mark.parametrize(("kind", "doses"), [(None, [0.5, 1.0, 0.5]), ("classification", [0.5, 1.0, 10.5])])
def test_fractions_that_are_classes_are_named_so_that_classifiers_take_them(kind, doses):
    task = Task({"x": [1.0, 2.0, 3.0], "dose": doses}, "dose", kind=kind, pos_label=0.5)
    assert task.classes == ("0.5", "1", "10.5")[: len(set(doses))]
    assert task.pos_label == "0.5"
    assert set(NaiveBayes().fit(task.X, task.y).predict(task.X)) <= set(task.classes)


def test_a_kind_that_the_target_cannot_have_is_refused():
    assert "kind='regression' for target 'ill', which is binary.\n  Expected a numeric" in refusal(kind="regression")
    assert "kind='ranking'.\n  Expected 'classification', 'regression' or None" in refusal(kind="ranking")


def test_a_numeric_target_of_two_values_is_binary():
    task = Task({"x": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 0.0]}, "y")
    assert (task.kind, task.classes, task.pos_label) == ("classification", (0, 1), 1)
    assert task.table.kinds["y"] is Kind.BINARY
    assert task.y.tolist() == [0, 1, 0]


def test_an_ordinal_target_keeps_the_order_of_its_classes():
    table = Table.of({"x": [1.0, 2.0, 3.0], "size": ["S", "L", "M"]}, kinds={"size": ["S", "M", "L"]})
    assert Task(table, "size").classes == ("S", "M", "L")


def test_levels_that_no_row_has_are_not_classes():
    table = Table.of(PATIENTS).take([0, 1, 2, 3])
    assert table["clinic"].levels == ("a", "b", "c")
    assert Task(table, "clinic").classes == ("a", "b")


def test_the_positive_class_is_the_last_of_two_unless_given():
    assert Task(PATIENTS, "ill").pos_label == "yes"
    assert Task(PATIENTS, "ill", pos_label="no").pos_label == "no"
    assert Task(PATIENTS, "clinic").pos_label is None
    assert Task(PATIENTS, "clinic", pos_label="b").pos_label == "b"


def test_the_positive_class_is_matched_by_what_it_prints_as():
    table = {"x": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 0.0]}
    assert Task(table, "y", pos_label="0").pos_label == 0
    assert Task(table, "y", pos_label=1.0).pos_label == 1


def test_taking_rows_keeps_roles_classes_and_the_positive_class():
    task = Task(PATIENTS, "ill", weight="count", group="clinic", sensitive="sex")
    part = task.take([0, 2])
    assert len(part) == 2
    assert (part.classes, part.pos_label, part.features) == (task.classes, task.pos_label, task.features)
    assert part.y.tolist() == ["yes", "yes"]
    assert part.sample_weight.tolist() == [1.0, 1.0]
    assert len(task) == 6


def test_a_task_cannot_be_changed():
    with pytest.raises(AttributeError):
        Task(PATIENTS, "ill").target = "age"


def test_a_task_shows_its_classes_and_roles():
    assert repr(Task(PATIENTS, "ill", weight="count", group="clinic", sensitive="sex")) == (
        "Task: classify ill from 4 features, 6 rows\n"
        "  classes    no: 3 (50 %), yes: 3 (50 %); positive: yes\n"
        "  weight     count\n"
        "  group      clinic\n"
        "  sensitive  sex"
    )
    assert repr(Task(PATIENTS, "age")).splitlines()[1] == "  values  49 – 70"


def test_html_escapes_names():
    table = {"x": [1.0, 2.0], "<b>": ["no", "yes"]}
    html = Task(table, "<b>")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>&" not in html.replace("<b>Task", "")


def test_an_unknown_column_is_named():
    assert "no column 'sick' for the target.\n  Expected one of 'age', 'sex'" in refusal(target="sick")
    assert "no column 'w' for the weight." in refusal(weight="w")
    assert "no column 'race' for the sensitive." in refusal(sensitive=["sex", "race"])


def test_a_column_has_one_role():
    assert "column 'ill' is both target and group.\n  Expected one role" in refusal(group="ill")
    assert "column 'sex' is both group and sensitive." in refusal(group="sex", sensitive="sex")


def test_missing_labels_are_counted_and_the_fix_is_named():
    table = {**PATIENTS, "ill": ["yes", None, "yes", None, "no", "no"]}
    assert refusal(table=table) == (
        "target 'ill': 2 of 6 labels are missing.\n"
        "  Expected a label for every row. Drop those rows: table.take(~table['ill'].missing)."
    )


def test_one_class_is_refused():
    assert "target 'ill' is 'no' in every row." in refusal(table={"x": [1.0, 2.0], "ill": ["no", "no"]})
    assert "target 'ill' is 3.0 in every row." in refusal(table={"x": [1.0, 2.0], "ill": [3.0, 3.0]})


def test_an_empty_table_and_a_table_of_the_target_alone_are_refused():
    assert "the table has no rows." in refusal(table=Table.of(PATIENTS).take([]))
    assert "no column is left to predict from." in refusal(table={"ill": ["yes", "no"]})


def test_a_text_target_is_refused():
    table = Table.of(PATIENTS).with_kinds(ill="text")
    assert "target 'ill' is text.\n  Expected classes or numbers. Pass kinds={'ill': 'nominal'}" in refusal(table=table)


def test_an_infinite_target_is_refused():
    table = {**PATIENTS, "pressure": [np.inf, 1.0, 2.0, 3.0, 4.0, 5.0]}
    assert "target 'pressure': 1 of 6 values is infinite." in refusal(table=table, target="pressure")


def test_an_unknown_positive_class_is_refused():
    assert "no class 'maybe' in target 'ill'.\n  Expected one of 'no', 'yes'." in refusal(pos_label="maybe")
    assert "pos_label=1 was given, but target 'age' is numeric." in refusal(target="age", pos_label=1)


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([1.0, -1.0, 1.0, -2.0, 1.0, 1.0], "weight 'count': 2 of 6 are negative."),
        ([1.0, None, 1.0, 1.0, 1.0, 1.0], "weight 'count': 1 of 6 values is missing."),
        ([0.0] * 6, "weight 'count' is zero in every row."),
        (["a", "b", "c", "d", "e", "f"], "weight 'count' is"),
        ([np.inf, 1.0, 1.0, 1.0, 1.0, 1.0], "weight 'count': 1 of 6 values is infinite."),
    ],
)
def test_weights_must_be_numbers_that_can_weigh(weights, text):
    assert text in refusal(table={**PATIENTS, "count": weights}, weight="count")


def test_groups_and_times_must_be_known():
    groups = {**PATIENTS, "clinic": ["a", None, "b", "b", "c", "c"]}
    assert "group 'clinic': 1 of 6 values is missing." in refusal(table=groups, group="clinic")
    assert "time 'clinic' is nominal.\n  Expected dates, numbers or ordered levels." in refusal(time="clinic")


def test_a_target_that_is_no_name_of_a_column_is_an_error():
    with pytest.raises(DataError, match=r"the target is of type int\.\n.*the name of a column\. Task\(X, y\)"):
        Task(np.ones((9, 2)), 1)


def test_the_target_may_be_given_beside_the_features():
    task = Task(np.arange(9.0).reshape(-1, 1), np.arange(9) % 2)
    assert (task.target, task.classes, task.features) == ("y", (0, 1), ("x0",))
    assert Task({"y": [1.0, 2.0, 3.0]}, ["a", "b", "a"]).target == "y_"


@pytest.mark.parametrize("name", ["ill", "pressure"])
def test_the_values_of_a_feature_are_no_target(name):
    frame = pd.DataFrame(PATIENTS)
    twice = pd.concat([frame, frame], ignore_index=True)
    given = [twice[name], Table.of(twice)[name]]
    given += [twice[name] == "yes"] if name == "ill" else [np.log(twice[name]), -twice[name]]
    for values in given:
        for make in (Task, Task.of):
            with pytest.raises(DataError, match=rf"column '{name}' of X is the target itself.*\n.*target='{name}'"):
                make(twice, values)


def test_a_feature_may_have_the_name_of_a_target_with_other_values():
    frame = pd.DataFrame(PATIENTS)
    assert Task(frame, frame["pressure"].iloc[::-1]).target == "pressure_"
    assert Task(frame, pd.Series(frame["sex"], name="ill")).target == "ill_"
