import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbors
from sklearn.svm import SVC

import probus
from probus.data import Task
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.errors import DataError, FailedModelError
from probus.model_selection import (
    BestOfClassifier,
    BestOfRegressor,
    FailedSplitWarning,
    LeaveOneOut,
    OutOfBagBootstrap,
    nested,
    resample,
    splits_of,
)
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 2))
LABELS = np.where(X[:, 0] + 0.5 * rng.normal(size=90) > 0, "yes", "no")
SITES = [f"s{i % 15}" for i in range(90)]
COLUMNS = {"a": X[:, 0], "b": X[:, 1]}
TASK = Task({**COLUMNS, "y": LABELS}, target="y")
NUMBERS = Task({**COLUMNS, "y": X[:, 0]}, target="y")
CANDIDATES = {"nothing": ZeroRClassifier(), "Bayes": GaussianNB(), "1-NN": KNeighborsClassifier(1)}


# -- choosing ------------------------------------------------------------------------------------------


def test_the_best_candidate_is_chosen_and_fitted_on_all_rows():
    chosen = BestOfClassifier(CANDIDATES).fit(TASK.X, LABELS)
    scores = [resample(each, TASK, cv=5).scores().mean() for each in CANDIDATES.values()]
    np.testing.assert_allclose(chosen.scores_, scores)
    assert chosen.best_name_ == list(CANDIDATES)[int(np.argmax(scores))]
    assert chosen.best_score_ == max(scores)

    alone = probus.tabular(CANDIDATES[chosen.best_name_]).fit(TASK.X, LABELS)
    np.testing.assert_array_equal(chosen.predict_proba(TASK.X), alone.predict_proba(TASK.X))


def test_candidates_are_chosen_by_the_score_that_resample_estimates():
    models = [KNeighborsRegressor(3), KNeighborsRegressor(9)]
    chosen = BestOfRegressor(models, scoring="rmse").fit(NUMBERS.X, NUMBERS.y)
    found = [resample(each, NUMBERS, cv=5) for each in models]
    np.testing.assert_allclose(chosen.scores_, [each.estimate("rmse").value for each in found])
    assert (chosen.scores_ > [each.scores("rmse").mean() for each in found]).all()


def test_losses_are_chosen_by_the_smallest_and_equals_by_the_first():
    worse, better = ZeroRRegressor(), KNeighborsRegressor(3)
    chosen = BestOfRegressor({"mean": worse, "3-NN": better}, scoring="mae").fit(NUMBERS.X, NUMBERS.y)
    assert chosen.best_name_ == "3-NN"
    assert chosen.best_score_ == chosen.scores_.min()
    assert BestOfRegressor([better, better]).fit(NUMBERS.X, NUMBERS.y).best_name_ == "KNeighborsRegressor"


def test_two_numbers_are_numbers_to_a_regressor():
    y = np.arange(30) % 2 * 1.0
    assert BestOfRegressor([ZeroRRegressor()]).fit(X[:30], y).predict(X[:1]) == pytest.approx([0.5])


def test_a_candidate_that_fails_is_not_chosen():
    with pytest.warns(FailedSplitWarning):
        chosen = BestOfClassifier([SVC(C=-1), ZeroRClassifier()]).fit(X, LABELS)
    assert chosen.best_name_ == "ZeroRClassifier"
    with pytest.warns(FailedSplitWarning), pytest.raises(FailedModelError, match="every candidate failed: SVC: Inv"):
        BestOfClassifier([SVC(C=-1)]).fit(X, LABELS)
    with pytest.raises(DataError, match="no candidates"):
        BestOfClassifier([]).fit(X, LABELS)


def test_questions_are_asked_of_the_best():
    assert not hasattr(BestOfClassifier([SVC()]).fit(X, LABELS), "predict_proba")
    assert BestOfClassifier([SVC()]).fit(X, LABELS).decision_function(X).shape == (90,)


def test_the_choice_is_saved_and_loaded(tmp_path):
    chosen = BestOfClassifier([ZeroRClassifier(), GaussianNB()], random_state=0).fit(TASK.X, LABELS)
    loaded = probus.load(probus.save(chosen, tmp_path / "best.probus"))
    np.testing.assert_array_equal(loaded.predict_proba(TASK.X), chosen.predict_proba(TASK.X))
    assert loaded.best_name_ == "GaussianNB"


# -- nesting -------------------------------------------------------------------------------------------


def test_the_outer_scores_are_those_of_the_tuner_resampled():
    search = GridSearchCV(probus.tabular(KNeighborsClassifier()), {"model__n_neighbors": [1, 9]}, cv=3)
    result = nested(search, TASK, cv=4)
    plain = resample(search, TASK, cv=4, keep_models=True)
    np.testing.assert_array_equal(result.outer.scores(), plain.scores())
    np.testing.assert_array_equal(result.inner_scores, [model.best_score_ for model in plain.models])
    said = [f"n_neighbors={model.best_params_['model__n_neighbors']}" for model in plain.models]
    assert [choice.what for choice in result.choices] == said


def test_the_best_inner_score_is_the_tuners_own_turned_to_the_measure():
    result = nested(GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring="neg_mean_absolute_error"), NUMBERS, cv=3)
    assert result.tuned_by.name == "mae"
    assert (result.inner_scores > 0).all()
    assert nested(GridSearchCV(Ridge(), {"alpha": [1, 10]}), NUMBERS, cv=3).tuned_by.name == "r2"
    assert nested([Ridge()], NUMBERS, cv=3, scoring="mae").tuned_by.name == "mae"


def test_inner_splits_never_part_groups_nor_look_into_the_future():
    seen = []

    class Watcher(ZeroRClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(X["row"].values.astype(int))
            return super().fit(X, y, sample_weight)

    rows = {"row": np.arange(90.0), "y": LABELS, "site": SITES, "day": np.arange(90.0)[::-1]}
    grouped = Task(rows, target="y", group="site")
    sites = np.array(SITES)
    nested([Watcher()], grouped, cv=3, inner_cv=2)
    for outer in range(3):
        one, other, both = seen[3 * outer : 3 * outer + 3]
        assert not set(sites[one]) & set(sites[other])
        assert set(one) | set(other) == set(both)
    seen.clear()
    nested(GridSearchCV(probus.tabular(Watcher()), {}), Task(rows, target="y", time="day"), cv=2)
    assert len(seen) == 12
    assert all(set(rows) == set(range(rows.min(), 90)) for rows in seen)


def test_the_inner_splits_can_be_given():
    few = TASK.take(np.arange(30))
    result = nested(GridSearchCV(TheirNeighbors(), {"n_neighbors": [1, 5]}, cv=2), few, cv=3, inner_cv=LeaveOneOut())
    assert set(np.round(result.inner_scores * 20, 6) % 1) == {0.0}
    randomised = RandomizedSearchCV(SVC(), {"C": [1, 2, 3]}, n_iter=2)
    assert len(nested(randomised, TASK, cv=3, inner_cv=3, random_state=0).choices) == 3


def test_the_same_seed_gives_the_same_result_for_any_number_of_jobs():
    with parallel_config("threading"):
        one, other = (
            nested(CANDIDATES, TASK, cv=3, inner_cv=3, random_state=4, n_jobs=jobs).to_frame() for jobs in (1, 2)
        )
    assert one.equals(other)


def test_a_tuner_that_fails_on_some_splits_has_no_choice_there():
    class Fails(GaussianNB):
        def fit(self, X, y):
            if len(X) == 60:
                raise ArithmeticError("sixty rows")
            return super().fit(X, y)

    cv = [(range(20, 90), range(20)), (range(70), range(70, 90)), (range(60), range(60, 90))]
    tuner = GridSearchCV(Fails(), {"var_smoothing": [1e-9]}, cv=2)
    with pytest.warns(FailedSplitWarning):
        result = nested(tuner, TASK, cv=cv)
    assert [choice is None for choice in result.choices] == [False, False, True]
    assert "FAILED on 1 of 3 splits, scored there as the constant predictor: ArithmeticError: sixty" in repr(result)
    assert result.estimate().method.endswith("failed on 1 of 3 splits, scored there as the constant predictor")
    assert result.to_frame()["chosen"].null_count() == 1


def test_a_tuner_that_fails_on_every_split_is_an_error():
    with pytest.raises(FailedModelError, match="BestOfClassifier failed on all 3 splits: FailedModelError: every cand"):
        nested([SVC(C=-1)], TASK, cv=3)


def test_a_score_that_is_not_known_by_name_leaves_the_outer_estimate():
    def own(model, X, y):
        return float(np.mean(model.predict(X) == y)) - 1

    result = nested(GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, scoring=own), TASK, cv=3)
    assert result.tuned_by is None
    assert "inner" not in repr(result)
    assert result.estimate() > 0.7
    with pytest.raises(DataError, match="GridSearchCV chooses by a score of its own"):
        result.optimism()


def test_what_cannot_be_nested_is_refused():
    with pytest.raises(
        DataError, match=r"out-of-bag bootstrap, 3 times as the outer splits\.\n  Expected training rows"
    ):
        nested(CANDIDATES, TASK, cv=OutOfBagBootstrap(3))
    with pytest.raises(DataError, match=r"GaussianNB has no parameter cv\.\n.*Use resample"):
        nested(GaussianNB(), TASK, inner_cv=3)
    with pytest.raises(DataError, match=r"GaussianNB has no parameter cv\.\n.*Tuned\(model\) is a search"):
        nested(GaussianNB(), TASK)
    with pytest.raises(DataError, match="found dict without y"):
        nested(CANDIDATES, COLUMNS)


def test_the_result_shows_both_sides():
    result = nested(CANDIDATES, TASK, cv=3)
    lines = repr(result).split("\n")
    assert lines[0] == "nested BestOfClassifier: stratified 3-fold cross-validation, 90 rows"
    assert [line.split()[0] for line in lines[1:]] == ["inner", "outer", "optimism", "chosen:"]
    assert str(result.estimate()) in lines[2]
    assert "optimistic" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["choices"][0]["what"] in CANDIDATES
    assert result.plot().get_ylabel() == "accuracy"


def test_nested_and_plain_results_meet_the_same_default_splits():
    assert [t.tolist() for t in nested([GaussianNB()], TASK).outer.rows] == [
        test.tolist() for _, test in splits_of(None, TASK).pairs
    ]


@pytest.mark.slow
def test_tuning_on_the_test_set_is_optimistic_and_nesting_is_not():
    """Random labels, a hundred tunings that change nothing: the example, as it is printed."""
    example = Path(__file__).parents[2] / "examples" / "tuning_on_the_test_set.py"
    result = runpy.run_path(str(example))["demonstrate"](rows=100, tunings=100)
    assert result.inner_estimate().value > 0.6
    assert 0.5 in result.estimate()
    assert result.optimism().value > 0.05


def test_intervals_stay_within_the_range_of_the_measure():
    X, y = np.linspace(0, 1, 60)[:, None], (np.arange(60) >= 30).astype(int)
    found = nested(GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-8]}, scoring="roc_auc"), X, y, cv=3)
    assert found.inner_estimate().high <= 1
    total = probus.bias_variance(KNeighborsClassifier(1), X, y, random_state=0).total
    assert 0 <= total.low <= total.value
