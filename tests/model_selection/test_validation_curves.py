"""Validation curves: the right parameter reached, the right value chosen, and errors in words."""

import json
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from probus import DataError, FailedModelError, Task, datasets, tabular
from probus.metrics import measure
from probus.model_selection._curve_scores import Scores, SettingFailure
from probus.model_selection._resample_result import FailedSplitWarning
from probus.model_selection._resampling import resample
from probus.model_selection._splits import Splits
from probus.model_selection._validation_curves import ValidationCurve, validation_curve
from probus.neighbors import KNeighborsClassifier

mpl.use("Agg")

IRIS = Task(datasets.load("iris"), "species")


def made_up(values, means, spread, metric="accuracy", splits=4):
    """A curve with those means, whose scores scatter by the same amount around each."""
    around = np.linspace(-1, 1, splits)
    around *= spread / around.std(ddof=1)
    scores = {metric: np.array(means)[:, None] + around}
    rows = np.arange(10)
    plan = Splits(((rows, rows[:1]),) * splits, splits, 1, "made up")
    return ValidationCurve("model", values, Scores((measure(metric),), scores, scores, scores, ()), plan, "k")


# -- failures ------------------------------------------------------------------------------------------


def test_a_value_at_which_a_fit_fails_is_never_the_best():
    values = (1, 2, 3)
    curve = made_up(values, [0.6, 0.7, 0.9], 0.01)
    shaky = replace(curve, scores=replace(curve.scores, failures=(SettingFailure(3, 0, "ValueError: boom"),)))
    assert (curve.best, shaky.best) == (3, 2)
    assert shaky.simplest_within_one_se(larger_is_simpler=True) == 2
    assert shaky.estimate(3).method.endswith("failed on 1 of 4 splits, scored there as the constant predictor")
    everywhere = tuple(SettingFailure(value, 0, "ValueError: boom") for value in values)
    with pytest.raises(FailedModelError, match="model failed at every k, first at 1: ValueError: boom"):
        _ = replace(curve, scores=replace(curve.scores, failures=everywhere)).best


def test_a_value_at_which_every_fit_fails_has_no_score():
    with pytest.warns(FailedSplitWarning, match="SVC FAILED on 25 of 50 fits: InvalidParameterError: The 'C'"):
        curve = validation_curve(SVC(), IRIS, param_name="C", param_range=[-1.0, 1.0])
    assert curve.best == 1.0
    assert np.isnan(curve.estimate(-1.0).value)
    assert "at C -1.0 the model FAILED on all 25 splits" in repr(curve)
    curve.plot(), curve.to_frame(), json.dumps(curve.to_dict())


# -- properties ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_each_value_scores_as_the_model_with_that_value_does(metric):
    curve = validation_curve(
        KNeighborsClassifier(), IRIS, param_name="n_neighbors", param_range=[30, 3], scoring=metric
    )
    assert (curve.settings, curve.param_range) == ((3, 30), (30, 3))
    for value in curve.settings:
        plain = resample(KNeighborsClassifier(value), IRIS, scoring=metric)
        assert curve.estimate(value) == plain.estimate(metric)


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (SVC(), "C"),
        (tabular(SVC()), "C"),
        (tabular(SVC()), "model__C"),
        (make_pipeline(PolynomialFeatures(2), SVC()), "svc__C"),
        (KNeighborsClassifier(), "n_neighbors"),
    ],
)
def test_a_parameter_is_found_wherever_it_is(model, parameter):
    curve = validation_curve(model, IRIS, param_name=parameter, param_range=[1, 100], cv=3, scoring="accuracy")
    assert (curve.scores.test["accuracy"][0] != curve.scores.test["accuracy"][1]).any()


def test_the_preparation_has_parameters_too():
    curve = validation_curve(KNeighborsClassifier(), IRIS, param_name="dates__cyclic", param_range=[True, False], cv=2)
    assert curve.param_range == (True, False)


def test_the_given_model_is_left_alone():
    model = KNeighborsClassifier(7)
    validation_curve(model, IRIS, param_name="n_neighbors", param_range=[1, 2], cv=2)
    assert model.n_neighbors == 7


# -- choosing ------------------------------------------------------------------------------------------


def test_the_best_value_has_the_best_mean_whichever_way_is_better():
    assert made_up((1, 2, 3), [0.7, 0.9, 0.8], 0.01).best == 2
    assert made_up((1, 2, 3), [0.7, 0.9, 0.8], 0.01, "log_loss").best == 1


def test_one_standard_error_reaches_as_far_as_its_formula():
    # s √(1/J + n_test/n_train) = 0.1 √(1/4 + 1/10) = 0.0592
    curve = made_up((1, 2, 4, 8), [0.84, 0.90, 0.85, 0.80], 0.1)
    assert curve.simplest_within_one_se(larger_is_simpler=True) == 4
    assert curve.simplest_within_one_se(larger_is_simpler=False) == 2
    wider = made_up((1, 2, 4, 8), [0.85, 0.90, 0.85, 0.83], 0.1)
    assert wider.simplest_within_one_se(larger_is_simpler=False) == 1


def test_the_simplest_value_is_never_worse_than_one_standard_error():
    curve = validation_curve(
        DecisionTreeClassifier(random_state=0),
        IRIS,
        param_name="max_depth",
        param_range=[1, 2, 3, 6],
        scoring="accuracy",
    )
    simplest = curve.simplest_within_one_se(larger_is_simpler=False)
    assert simplest <= curve.best
    assert curve.estimate(simplest).value > curve.estimate(1).value


# -- looks and errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "logarithmic"),
    [
        ((0.01, 0.1, 1.0, 10.0), True),
        ((1, 2, 3, 4), False),
        ((0, 1, 10), False),
        (("a", "b", "c"), False),
        ((1, 9), False),
    ],
)
def test_values_that_grow_by_factors_get_a_logarithmic_axis(values, logarithmic):
    curve = made_up(values, [0.5] * len(values), 0.1)
    assert curve.logarithmic is logarithmic
    assert curve.plot().get_xscale() == ("log" if logarithmic else "linear")


def test_the_curve_prints_serialises_and_frames_any_kind_of_value():
    curve = validation_curve(
        KNeighborsClassifier(),
        IRIS,
        param_name="weights",
        param_range=["uniform", "distance", "uniform"],
        cv=2,
        scoring="accuracy",
    )
    assert curve.settings == ("uniform", "distance")
    assert "weights" in repr(curve)
    assert json.loads(json.dumps(curve.to_dict()))["settings"] == ["uniform", "distance"]
    assert curve.to_frame()["weights"].to_list() == ["uniform", "distance"]
    depths = validation_curve(
        DecisionTreeClassifier(), IRIS, param_name="max_depth", param_range=[1, None], cv=2, scoring="accuracy"
    )
    assert depths.to_frame()["max_depth"].to_list() == ["1", "None"]
    assert [tick.get_text() for tick in depths.plot().get_xticklabels()] == ["1", "None"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: validation_curve(KNeighborsClassifier(), IRIS, param_name="neighbours", param_range=[1]),
            r"has no parameter 'neighbours'.\n  Expected one of .*n_neighbors.* Did you mean 'n_neighbors'",
        ),
        (
            lambda: validation_curve(KNeighborsClassifier(), IRIS, param_name="n_neighbors", param_range=[]),
            "param_range is empty",
        ),
        (lambda: validation_curve(Ridge(), IRIS, param_name="alpha", param_range=[1.0]), "Ridge is a regressor"),
        (
            lambda: validation_curve(
                KNeighborsClassifier(),
                IRIS,
                param_name="n_neighbors",
                param_range=[1],
                cv=[(range(100), range(100, 150))],
            ).simplest_within_one_se(larger_is_simpler=True),
            "one split.\n  Expected at least two",
        ),
    ],
)
def test_what_cannot_be_varied_is_refused_in_words(call, told):
    with pytest.raises(DataError, match=told):
        call()
