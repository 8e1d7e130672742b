"""Truth and predictions at the door: any container, any way to write labels, clear words for what cannot be used."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from probus.data import Column
from probus.errors import DataError
from probus.metrics import Outcome, measure


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, dtype=object),
        lambda v: np.array(v)[:, None],
        pd.Series,
        lambda v: pd.Series(v, dtype="category"),
        lambda v: pd.DataFrame({"y": v}),
        pl.Series,
        lambda v: pl.Series(v, dtype=pl.Categorical),
        lambda v: pl.DataFrame({"y": v}),
        lambda v: Column.labels("y", v),
    ],
)
def test_labels_may_come_in_any_container(container):
    outcome = Outcome.of(container(["no", "yes", "yes"]), container(["no", "no", "yes"]))
    assert outcome.classes == ("no", "yes")
    assert outcome.actual.tolist() == [0, 1, 1]
    assert outcome.predicted.tolist() == [0, 0, 1]
    assert outcome.positive == 1


@pytest.mark.parametrize(
    "container",
    [list, np.array, pd.Series, pl.Series, lambda v: np.array(v)[:, None], lambda v: Column.numbers("y", v)],
)
def test_numbers_may_come_in_any_container(container):
    outcome = Outcome.of(container([1.0, 2.0]), container([1.0, 3.0]), needs="values")
    assert (outcome.actual.dtype, outcome.predicted.tolist()) == (np.float64, [1.0, 3.0])
    assert measure("mse").compute(outcome) == 0.5


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        ([0, 1, 1], [0.0, 1.0, 0.0]),
        ([0, 1, 1], ["0", "1", "0"]),
        ([False, True, True], [0, 1, 0]),
        ([0, 1, 1], [False, True, False]),
        ([False, True, True], ["False", "True", "False"]),
        (np.array(["a", "b", "b"]), np.array(["a", "b", "a"], dtype=object)),
    ],
)
def test_one_label_may_be_written_in_several_ways(y_true, y_pred):
    outcome = Outcome.of(y_true, y_pred)
    assert len(outcome.classes) == 2
    assert measure("accuracy").compute(outcome) == pytest.approx(2 / 3)


def test_labels_longer_than_any_true_one_are_kept_whole():
    assert Outcome.of(["a", "b"], ["a", "bronze"]).classes == ("a", "b", "bronze")


@pytest.mark.parametrize(("label", "classes"), [(0, (0, 1)), (1, (0, 1)), (True, (False, True)), (-1, (-1, 1))])
def test_one_of_two_conventional_labels_implies_the_other(label, classes):
    outcome = Outcome.of([label, label], [label, label])
    assert outcome.classes == classes
    assert outcome.positive == 1
    assert [type(each) for each in outcome.classes] == [type(each) for each in classes]


def test_a_positive_label_that_does_not_occur_is_the_other_class():
    outcome = Outcome.of(["no", "no"], ["no", "no"], pos_label="yes")
    assert (outcome.classes, outcome.positive) == (("no", "yes"), 1)
    assert np.isnan(measure("recall").compute(outcome))


def test_the_positive_class_can_be_named_by_number_among_booleans():
    assert Outcome.of([False, True], [True, True], pos_label=1).positive == 1
    assert Outcome.of([False, True], [True, True], pos_label=False).positive == 0


def test_classes_may_include_some_that_do_not_occur():
    outcome = Outcome.of(["a", "b"], np.array([[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]]), classes=["b", "c", "a"])
    assert outcome.actual.tolist() == [2, 0]
    assert outcome.predicted.tolist() == [0, 2]
    assert outcome.positive is None


def test_a_matrix_of_probabilities_serves_labels_and_scores():
    probabilities = np.array([[0.8, 0.2], [0.4, 0.6]])
    for needs in ("labels", "scores", "probabilities", "predictions"):
        outcome = Outcome.of(["no", "yes"], probabilities, needs=needs)
        assert outcome.predicted.tolist() == [0, 1]
        assert outcome.scores.tolist() == [0.2, 0.6]


def test_the_column_of_the_first_class_can_be_the_positive_one():
    outcome = Outcome.of(["a", "b"], [0.9, 0.3], needs="probabilities", pos_label="a")
    np.testing.assert_allclose(outcome.probabilities, [[0.9, 0.1], [0.3, 0.7]])
    assert outcome.predicted.tolist() == [0, 1]


def test_single_precision_probabilities_are_taken_as_meant():
    probabilities = np.array([[1.0000001, -1e-8], [0.25, 0.7499999]], dtype=np.float32)
    outcome = Outcome.of([0, 1], probabilities, needs="probabilities")
    assert outcome.probabilities.min() >= 0
    assert outcome.probabilities.max() <= 1


def test_rows_can_be_taken_and_weighed():
    outcome = Outcome.of(["a", "b", "b"], [0.1, 0.9, 0.4], needs="probabilities", sample_weight=[1, 2, 3])
    part = outcome.take(np.array([2, 0]))
    assert (part.actual.tolist(), part.scores.tolist(), part.weights.tolist()) == ([1, 0], [0.4, 0.1], [3, 1])
    assert outcome.weighted(None).weights is None
    assert len(part) == 2


CHANCE = {"needs": "probabilities"}


@pytest.mark.parametrize(
    ("y_true", "y_pred", "how", "message"),
    [
        ([0, 1], [0], {}, r"y_true has 2 rows and y_pred has 1\.\n  Expected one prediction per row"),
        ([], [], {}, r"no rows\.\n  Expected at least one"),
        (3, [1], {}, r"y_true has shape \(\)\.\n  Expected one value per row"),
        (np.zeros((2, 2)), [0, 1], {}, r"y_true has shape \(2, 2\)\."),
        ([1.0, np.nan], [1, 1], {}, r"y_true: 1 of 2 values are missing \(NaN\)\."),
        (["a", None], ["a", "a"], {}, r"y_true: 1 of 2 values are missing"),
        (["a", "b"], ["a", np.nan], {}, r"y_pred: 1 of 2 values are missing"),
        (pd.Series(["a", pd.NA], dtype=object), ["a", "a"], {}, r"y_true: 1 of 2 values are missing"),
        ([0, 1], [0.2, np.nan], {"needs": "scores"}, r"y_pred: 1 of 2 values are missing"),
        ([0, 1], [0.2, np.inf], {"needs": "scores"}, r"y_pred: 1 of 2 values are infinite\.\n  Expected finite"),
        ([0, 1], ["low", "high"], {"needs": "scores"}, r"y_pred holds 'low', 'high'\.\n  Expected numbers"),
        ([1.0, 2.0], ["1", "2"], {"needs": "values"}, r"y_pred holds '1', '2'\.\n  Expected numbers"),
        ([1.0, 2.0], np.zeros((2, 2)), {"needs": "values"}, r"y_pred has shape \(2, 2\)\."),
        ([0, 1], ["no", "yes"], {}, r"labels of two sorts: 0, 1, 'no', 'yes'\.\n  Expected y_true and y_pred to name"),
        ([0, 1], [0.3, 0.8], {}, r"y_pred holds 0\.3, 0\.8\.\n  Expected labels\. Probabilities are a matrix"),
        ([0.5, 1.5], [0, 1], {}, r"y_true holds 0\.5, 1\.5\.\n  Expected labels"),
        (["a", "c"], ["a", "b"], {"classes": ["a", "b"]}, r"y_true holds 'c'\.\n  Expected one of the classes 'a'"),
        (["a", "b"], ["a", "d"], {"classes": ["a", "b"]}, r"y_pred holds 'd'\.\n  Expected one of the classes 'a'"),
        (["a", "b"], ["a", "b"], {"classes": ["a", "b", "a"]}, r"classes 'a', 'b', 'a'\.\n  Expected each class once"),
        (["a", "b"], ["a", "b"], {"pos_label": "z"}, r"pos_label='z'\.\n  Expected one of the classes 'a', 'b'"),
        (["a", "b"], ["a", "b"], {"needs": "luck"}, r"needs='luck'\.\n  Expected one of 'labels'"),
        ([0, 1], [0.2, 1.2], CHANCE, r"probabilities from -0\.2 to 1\.2\.\n  Expected between 0 and 1"),
        ([0, 1], [[0.5, 0.4], [0.5, 0.5]], CHANCE, r"miss 1 by up to 0\.1\.\n  Expected rows that sum"),
        ([0, 1], np.eye(2, 3), CHANCE, r"of shape \(2, 3\) for 2 classes\.\n .*Pass classes=…"),
        (["a", "a"], [0.1, 0.2], CHANCE, r"one probability per row for 1 classes\.\n .*Pass classes=…"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, r"sample_weight has 1 values for 2 rows"),
        ([0, 1], [0, 1], {"sample_weight": [1, -1]}, r"sample_weight: 1 of 2 are negative"),
        ([0, 1], [0, 1], {"sample_weight": [0, 0]}, r"sample_weight is zero in every row"),
        ([0, 1], [0, 1], {"sample_weight": [1, np.nan]}, r"sample_weight: 1 of 2 values are missing"),
        ([0, 1], [0, 1], {"sample_weight": ["a", "b"]}, r"sample_weight holds 'a', 'b'\.\n  Expected numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(y_true, y_pred, how, message):
    with pytest.raises(DataError, match=message):
        Outcome.of(y_true, y_pred, **how)


def test_parts_of_other_lengths_are_refused():
    with pytest.raises(DataError, match="actual has 2 rows and scores has 3"):
        Outcome(np.array([0, 1]), scores=np.zeros(3), classes=(0, 1))
