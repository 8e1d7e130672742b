"""Called with X and y, the curves are scikit-learn's functions: same parameters, same numbers, same tuple."""

import inspect

import numpy as np
import pytest
import sklearn.model_selection as peer
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_pinball_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import probus
from probus.data import Task
from probus.errors import FailedModelError
from probus.model_selection import (
    FailedSplitWarning,
    GroupKFold,
    KFold,
    LearningCurve,
    ValidationCurve,
    learning_curve,
    validation_curve,
)

IRIS, SPECIES = load_iris(return_X_y=True)
DIABETES, PROGRESSION = load_diabetes(return_X_y=True)
SHUFFLED = np.random.default_rng(0).permutation(150)
X, Y = IRIS[SHUFFLED], SPECIES[SHUFFLED]


def spread(error_of, X, y):
    """A scorer of one's own."""
    return -float(np.quantile(np.abs(error_of.predict(X) - y), 0.9))


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"cv": 3, "scoring": "accuracy"},
        {"cv": KFold(4, shuffle=True, random_state=1), "train_sizes": [20, 50, 100]},
        {"cv": KFold(4, shuffle=True, random_state=1), "train_sizes": [0.2, 1.0], "scoring": "neg_log_loss"},
        {"cv": GroupKFold(3), "groups": np.arange(150) % 10, "scoring": "f1_macro"},
        {"shuffle": True, "random_state": 3, "scoring": "balanced_accuracy"},
        {"scoring": "jaccard_macro", "verbose": 0, "pre_dispatch": "2*n_jobs", "n_jobs": 1},
        {"params": {"sample_weight": np.arange(150) % 3 + 1.0}},
    ],
)
@pytest.mark.parametrize("model", [GaussianNB(), SVC(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_a_learning_curve_of_classes_has_the_same_numbers(model, how):
    if "log_loss" in str(how.get("scoring")) and isinstance(model, SVC):
        pytest.skip("SVC has no probabilities")
    if "params" in how and not isinstance(model, GaussianNB):
        how = {"params": {"logisticregression__sample_weight": np.ones(150)}} if not isinstance(model, SVC) else how
    same(learning_curve(model, X, Y, **how), peer.learning_curve(model, X, Y, **how))


@pytest.mark.slow
@pytest.mark.parametrize(
    "scoring",
    [None, "r2", "neg_root_mean_squared_error", "neg_median_absolute_error", spread,
     make_scorer(mean_pinball_loss, greater_is_better=False, alpha=0.8)],
)  # fmt: skip
def test_curves_of_numbers_have_the_same_numbers(scoring):
    how = {"cv": KFold(5, shuffle=True, random_state=0), "scoring": scoring}
    same(
        learning_curve(Ridge(), DIABETES, PROGRESSION, **how),
        peer.learning_curve(Ridge(), DIABETES, PROGRESSION, **how),
    )
    how |= {"param_name": "alpha", "param_range": [10.0, 0.1, 1.0, 0.1]}
    same(
        validation_curve(Ridge(), DIABETES, PROGRESSION, **how),
        peer.validation_curve(Ridge(), DIABETES, PROGRESSION, **how),
    )


def test_a_validation_curve_of_classes_has_the_same_numbers_in_the_order_given():
    tree = DecisionTreeClassifier(random_state=0)
    how = {"param_name": "max_depth", "param_range": [5, 1, None, 2], "cv": 3}
    same(validation_curve(tree, X, Y, **how), peer.validation_curve(tree, X, Y, **how))
    model = make_pipeline(StandardScaler(), SVC())
    how = {"param_name": "svc__C", "param_range": np.logspace(-2, 2, 3), "scoring": "accuracy"}
    same(validation_curve(model, X, Y, **how), peer.validation_curve(model, X, Y, **how))


def test_a_frame_reaches_the_model_unchanged():
    people = probus.datasets.titanic().to_pandas()
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["Sex", "Embarked"]), remainder="drop")
    model = make_pipeline(columns, LogisticRegression())
    how = {"cv": 3, "train_sizes": [100, 300]}
    ours = learning_curve(model, people.drop(columns="Survived"), people["Survived"], **how)
    same(ours, peer.learning_curve(model, people.drop(columns="Survived"), people["Survived"], **how))


def test_the_result_is_a_curve_and_a_tuple():
    curve = learning_curve(GaussianNB(), X, Y, cv=5, return_times=True)
    assert isinstance(curve, LearningCurve)
    sizes, train, test, fit_times, score_times = curve
    assert sizes.tolist() == [12, 39, 66, 93, 120]
    assert train.shape == test.shape == fit_times.shape == score_times.shape == (5, 5)
    assert (fit_times > 0).all()
    np.testing.assert_array_equal(curve[2], curve.test_scores)
    assert curve.estimate(120) > 0.9
    assert isinstance(validation_curve(GaussianNB(), X, Y, param_name="priors", param_range=[None]), ValidationCurve)


def test_losses_are_negated_in_the_tuple_only():
    curve = learning_curve(GaussianNB(), X, Y, scoring="neg_log_loss")
    assert (curve.test_scores < 0).all()
    assert curve.estimate(120).value == pytest.approx(-curve.test_scores[-1].mean())


@pytest.mark.parametrize("cv", [None, 4])
def test_folds_by_number_keep_groups_together(cv):
    groups = np.repeat(np.arange(30), 5)
    how = {"groups": groups, "cv": cv}
    for curve in (
        learning_curve(GaussianNB(), IRIS, SPECIES, train_sizes=[60], **how),
        validation_curve(GaussianNB(), IRIS, SPECIES, param_name="var_smoothing", param_range=[1e-9], **how),
    ):
        assert len(curve.splits) == (cv or 5)
        for train, test in curve.splits.pairs:
            assert not set(groups[train]) & set(groups[test])


def test_a_model_that_fails_has_the_error_score():
    model = LogisticRegression(max_iter=1000)
    how = {"train_sizes": [33, 100], "cv": 3}  # the first rows are all of one class
    with pytest.warns(FailedSplitWarning, match="FAILED on 3 of 6 fits"):
        ours = learning_curve(model, IRIS, SPECIES, **how)
    with pytest.warns(FitFailedWarning):
        theirs = peer.learning_curve(model, IRIS, SPECIES, **how)
    same(ours, theirs)
    assert np.isnan(ours.test_scores[0]).all()
    with pytest.raises(FailedModelError, match="LogisticRegression failed on 3 of 6 fits: ValueError: This solver"):
        learning_curve(model, IRIS, SPECIES, **how, error_score="raise")


@pytest.mark.parametrize("data", [(IRIS, SPECIES), (Task.of(IRIS, SPECIES, model=SVC()),)])
def test_a_model_that_always_fails_is_an_error(data):
    with pytest.raises(FailedModelError, match="SVC failed on all 9 fits: InvalidParameterError: The 'C'") as error:
        validation_curve(SVC(), *data, param_name="C", param_range=[-3, -2, -1], cv=3)
    assert "The 'C' parameter" in str(error.value.__cause__)


@pytest.mark.parametrize("name", ["learning_curve", "validation_curve"])
def test_every_parameter_of_scikit_learn_is_taken(name):
    theirs = inspect.signature(getattr(peer, name)).parameters
    ours = inspect.signature(getattr(probus, name)).parameters
    assert set(theirs) <= set(ours)
    assert list(ours)[:3] == ["estimator", "X", "y"]
