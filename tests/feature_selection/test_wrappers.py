"""Searches of subsets: counts, brute force, scikit-learn, the two goals, limits, and bad input."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest
from sklearn.feature_selection import RFE, SequentialFeatureSelector
from sklearn.linear_model import LinearRegression as TheirLinear
from sklearn.model_selection import GroupKFold, KFold, cross_val_score

import probus
from probus.data import Column, Table, Task
from probus.errors import DataError, FailedModelError
from probus.feature_selection import (
    BackwardSelection,
    ExhaustiveSelection,
    FloatingSelection,
    ForwardSelection,
    RecursiveElimination,
)
from probus.linear_model import BestSubset, LinearRegression, LogisticRegression
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

FOLDS = list(KFold(3, shuffle=True, random_state=0).split(np.zeros(60)))
SEARCHES = [ForwardSelection, BackwardSelection, FloatingSelection, ExhaustiveSelection]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 5))
    X[:, 3] = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=60)
    return X, X[:, 0] + X[:, 1] + 0.5 * X[:, 4] + rng.normal(size=60)


@pytest.fixture(scope="module")
def titanic():
    return Task(probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId"), target="Survived")


@pytest.mark.parametrize("d", [1, 4])
def test_forward_and_backward_fit_half_of_d_times_d_plus_1_subsets(d):
    """The count of the course notes, announced by the progress before the first fit and by ``n_subsets``."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, d)), rng.normal(size=30)
    for search in (ForwardSelection, BackwardSelection):
        steps = []
        selector = search(LinearRegression(), cv=2, progress=lambda *step: steps.append(step)).fit(X, y)  # noqa: B023
        assert selector.n_subsets_ == selector.n_subsets(d) == d * (d + 1) // 2
        assert selector.path.n_fits == d * (d + 1)
        assert steps[0] == (0, d * (d + 1), f"{search.__name__}: {d * (d + 1)} fits")
        assert steps[-1][:2] == (d * (d + 1), d * (d + 1))
    assert ExhaustiveSelection(LinearRegression(), cv=2).fit(X, y).n_subsets_ == 2**d - 1
    assert BackwardSelection(LinearRegression()).n_subsets(100) == ForwardSelection(None).n_subsets(100) == 5050


def test_a_backward_search_leaves_out_several_columns_at_a_time():
    """Those without each of which the score is best; 32 columns then take 67 subsets in place of 528."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 32))
    y = X[:, [5, 20]].sum(axis=1) + 0.5 * rng.normal(size=200)
    folds = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
    selector = BackwardSelection(LinearRegression(), k=1, step=0.5, cv=folds, scoring="mse")
    assert selector.n_subsets(32) == 1 + sum(n + (n > 2) for n in (32, 16, 8, 4, 2)) == 67
    selector.fit(X, y)
    assert selector.n_subsets_ == selector.n_subsets(32)
    assert sorted({*selector.path.sizes.tolist()}) == [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32]

    def score(columns):
        parts = [TheirLinear().fit(X[a][:, columns], y[a]).predict(X[b][:, columns]) - y[b] for a, b in folds]
        return np.mean([np.mean(part**2) for part in parts])

    left = list(range(32))
    without = [score([j for j in left if j != gone]) for gone in left]
    half = sorted(np.argsort(without, kind="stable")[16:].tolist())
    assert np.flatnonzero(selector.subsets_[selector.path.sizes.tolist().index(16)]).tolist() == half
    assert selector.get_support(indices=True).tolist() in ([5], [20])


def test_exhaustive_search_is_brute_force(numbers):
    X, y = numbers
    selector = ExhaustiveSelection(LinearRegression(), cv=FOLDS, scoring="r2").fit(X, y)
    for size in range(1, 6):
        scores = {
            subset: np.mean([_r2_parts(X[:, subset], y, *fold) for fold in FOLDS], axis=0)
            for subset in combinations(range(5), size)
        }
        best = min(scores, key=lambda subset: scores[subset][0])
        assert np.flatnonzero(selector.subsets_[size]).tolist() == list(best)


def _r2_parts(X, y, train, test):
    model = TheirLinear().fit(X[train], y[train])
    return np.mean((y[test] - model.predict(X[test])) ** 2), np.var(y[test])


@pytest.mark.parametrize("k", [1, 2, 4])
def test_forward_and_backward_choose_what_scikit_learn_chooses(numbers, k):
    X, y = numbers
    for search, direction in ((ForwardSelection, "forward"), (BackwardSelection, "backward")):
        theirs = SequentialFeatureSelector(
            TheirLinear(), n_features_to_select=k, direction=direction, cv=FOLDS, scoring="neg_mean_squared_error"
        ).fit(X, y)
        ours = search(LinearRegression(), k=k, cv=FOLDS, scoring="mse").fit(X, y)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())


def test_scores_are_those_of_cross_validation(numbers):
    X, y = numbers
    selector = ForwardSelection(LinearRegression(), cv=FOLDS, scoring="mse").fit(X, y)
    for kept, score in zip(selector.subsets_[1:], selector.scores_[1:], strict=True):
        theirs = cross_val_score(TheirLinear(), X[:, kept], y, cv=FOLDS, scoring="neg_mean_squared_error")
        assert score == pytest.approx(-theirs.mean())
    assert selector.scores_[0] == pytest.approx(np.mean([((y[b] - y[a].mean()) ** 2).mean() for a, b in FOLDS]))


def test_floating_search_leaves_a_column_that_became_needless():
    """x2 is the best column alone, and of no use beside x0 and x1: forward search keeps it."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 400))
    X = np.column_stack([a, b, a + b + 0.4 * rng.normal(size=400), rng.normal(size=(400, 2))])
    y = a + b + 0.05 * rng.normal(size=400)
    how = {"k": 3, "cv": 3, "scoring": "mse"}
    forward, floating = (each(LinearRegression(), **how).fit(X, y) for each in (ForwardSelection, FloatingSelection))
    assert forward.subsets_[2, 2]
    assert np.flatnonzero(floating.subsets_[2]).tolist() == [0, 1]
    every = ExhaustiveSelection(LinearRegression(), cv=3, scoring="mse").fit(X, y)
    assert floating.scores_[2] == every.scores_[2]
    assert floating.n_subsets_ > forward.n_subsets_


def test_the_size_penalty_is_subtracted_for_each_column(numbers):
    X, y = numbers
    sizes = []
    for penalty in (0.0, 0.3, 5.0):
        chosen = ExhaustiveSelection(LinearRegression(), cv=FOLDS, scoring="mse", penalty=penalty).fit(X[:, :4], y)
        sizes.append(chosen.support_.sum())
        assert sizes[-1] == 1 + int(np.argmin(chosen.scores_[1:] + penalty * np.arange(1, 5)))
    assert sizes[0] > sizes[-1] == 1


def test_recursive_elimination_ranks_as_scikit_learn_does(numbers):
    X, y = numbers
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for ours, theirs in (
        (LinearRegression(), TheirLinear()),
        (DecisionTreeRegressor(random_state=0), DecisionTreeRegressor(random_state=0)),
    ):
        found = RecursiveElimination(ours, k=1, cv=FOLDS, random_state=None).fit(X, y)
        np.testing.assert_array_equal(found.ranking_, RFE(theirs, n_features_to_select=1).fit(X, y).ranking_)


def test_recursive_elimination_takes_steps_and_any_model(titanic):
    selector = RecursiveElimination(GaussianNB(), step=0.5, cv=2).fit(titanic)
    assert selector.subsets_.sum(axis=1).tolist() == [0, 1, 2, 4, 7]
    permuted = RecursiveElimination(LogisticRegression(), k=2, cv=2, importance="permutation").fit(titanic)
    assert "Sex" in permuted.path.selected
    assert permuted.path.honest


@pytest.mark.parametrize("search", SEARCHES)
def test_the_smallest_subset_with_a_score_and_the_best_of_a_size(titanic, search):
    few = titanic.table.select("Survived", "Sex", "Fare", "Pclass", "Age")
    task = Task(few, target="Survived")
    every = search(NaiveBayes(), cv=3).fit(task)
    goal = float(every.scores_[2]) - 1e-9
    enough = search(NaiveBayes(), cv=3, min_score=goal).fit(task)
    assert enough.support_.sum() == 2
    assert enough.path.why == f"the fewest with roc_auc of {goal:g} or better"
    of_two = search(NaiveBayes(), cv=3, k=2).fit(task)
    np.testing.assert_array_equal(of_two.support_, enough.support_)
    loss = search(NaiveBayes(), cv=3, scoring="log_loss", min_score=0.69).fit(task)
    assert loss.support_.sum() == 1
    best = search(NaiveBayes(), cv=3, choose="best").fit(task)
    assert best.scores_[best.support_.sum()] == best.scores_.max()
    near = search(NaiveBayes(), cv=3, choose="smallest").fit(task)
    assert near.support_.sum() == len(near.path.columns[near.path.smallest]) <= best.support_.sum()


def test_whole_nominal_columns_are_selected_and_prepared(titanic):
    selector = ForwardSelection(LogisticRegression(), k=2, cv=3).fit(titanic)
    assert set(selector.get_feature_names_out()) == {"Sex", "Pclass"}
    assert selector.transform(titanic.X).kinds["Sex"] == titanic.X.kinds["Sex"]
    frame = titanic.X.to_pandas()
    again = ForwardSelection(LogisticRegression(), k=2, cv=3).fit(frame, titanic.y)
    assert list(again.transform(frame).columns) == ["Pclass", "Sex"]


def test_a_selector_works_in_a_pipeline_and_its_size_is_tuned(titanic):
    from probus.spaces import Integer, Space

    model = ForwardSelection(NaiveBayes(), k=1, cv=2) >> probus.tabular(LogisticRegression())
    result = probus.resample(model, titanic, cv=2)
    assert not result.failures
    assert result.estimate("roc_auc").value > 0.7
    tuned = probus.tune(model, titanic, space=Space({"forwardselection__k": Integer(1, 2)}), cv=2, evaluations=2,
                        progress=None, scoring="roc_auc")  # fmt: skip
    assert tuned.best_params_["forwardselection__k"] == 2


def test_groups_are_kept_together_and_weights_reach_the_model(numbers):
    X, y = numbers
    groups, weights = np.repeat(np.arange(12), 5), np.tile([0.0, 1.0, 1.0, 2.0, 1.0], 12)
    task = Task.of(X, y, groups=groups, sample_weight=weights)
    selector = ForwardSelection(LinearRegression(), k=2, scoring="mse")
    splits = selector.splits_for(task)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in splits.pairs)
    by_task = selector.fit(task)
    by_arguments = ForwardSelection(LinearRegression(), k=2, scoring="mse").fit(X, y, weights, groups)
    np.testing.assert_array_equal(by_task.scores_, by_arguments.scores_)
    folds = list(GroupKFold(3).split(X, y, groups))
    weighed = ForwardSelection(LinearRegression(), k=1, cv=folds, scoring="mse").fit(X, y, sample_weight=weights)
    expected = []
    for j in range(5):
        parts = []
        for train, test in folds:
            model = TheirLinear().fit(X[train, j][:, None], y[train], weights[train])
            parts.append(np.average((model.predict(X[test, j][:, None]) - y[test]) ** 2, weights=weights[test]))
        expected.append(np.mean(parts))
    assert weighed.scores_[1] == pytest.approx(min(expected), rel=1e-2)
    through = probus.resample(ForwardSelection(LinearRegression(), k=2) >> LinearRegression(), task, cv=3)
    assert not through.failures


@pytest.mark.parametrize("how", [pytest.param({"n_jobs": 2}, marks=pytest.mark.slow), {}])
def test_the_result_does_not_depend_on_where_fits_run(numbers, how):
    X, y = numbers
    here = ForwardSelection(DecisionTreeRegressor(max_features=1), cv=2).fit(X, y)
    selector = ForwardSelection(DecisionTreeRegressor(max_features=1), cv=2, **how)
    if how:
        selector.fit(X, y)
    else:
        with ThreadPoolExecutor(2) as pool:
            selector.fit_task(Task.of(X, y), executor=pool)
    np.testing.assert_array_equal(here.scores_, selector.scores_)


def test_ctrl_c_keeps_the_steps_that_are_done(numbers):
    X, y = numbers

    def interrupt(done, total, text):
        if done >= 2 * 7:
            raise KeyboardInterrupt

    selector = ForwardSelection(LinearRegression(), cv=2, progress=interrupt).fit(X, y)
    assert selector.scores_.shape == (2,)
    assert "interrupted: what was done is kept" in repr(selector.path)
    of_size = ForwardSelection(LinearRegression(), cv=2, k=3, progress=interrupt).fit(X, y)
    assert of_size.path.why == "in place of 3: interrupted"
    with pytest.raises(KeyboardInterrupt):
        ForwardSelection(LinearRegression(), cv=2, progress=lambda *_: interrupt(99, 0, "")).fit(X, y)


def test_ctrl_c_keeps_the_sizes_of_recursive_elimination(numbers):
    def interrupt(done, total, text):
        if done >= 7:
            raise KeyboardInterrupt

    selector = RecursiveElimination(LinearRegression(), cv=2, progress=interrupt).fit(*numbers)
    assert selector.subsets_.sum(axis=1).tolist() == [0, 4, 5]
    assert "interrupted" in repr(selector.path)


def test_a_time_that_is_too_short_is_an_error(numbers):
    with pytest.raises(DataError, match="the time of 1e-09 was over before one column was chosen"):
        ForwardSelection(LinearRegression(), time=1e-9).fit(*numbers)


def test_the_best_subset_on_the_training_rows_is_that_of_least_squares(numbers):
    """Branch and bound and R's leaps agree on it in the tests of ``BestSubset``."""
    X, y = numbers
    rows = np.arange(60)
    certified = BestSubset(max_features=5).fit(X, y)
    twice = np.vstack([X, X]), np.concatenate([y, y])
    selector = ExhaustiveSelection(LinearRegression(), cv=[(rows, rows + 60)], scoring="mse").fit(*twice)
    np.testing.assert_array_equal(selector.subsets_, certified.subsets_)


# R: summary(leaps::regsubsets(mpg ~ ., mtcars, nvmax = 10, method = "forward"))$rss, and "backward"
LEAPS = {
    ForwardSelection: [
        278.32194, 191.17197, 176.62052, 169.99777, 159.81748, 150.99111, 149.08986, 148.11386, 147.65456, 147.49443,
    ],
    BackwardSelection: [
        278.32194, 195.46363, 169.28593, 160.06646, 153.43781, 150.09326, 148.52828, 147.84282, 147.5743, 147.49443,
    ],
}  # fmt: skip


@pytest.mark.parametrize("search", LEAPS)
def test_steps_on_training_rows_are_those_of_leaps_in_r(search):
    cars = probus.datasets.load("mtcars").drop("name")
    rows = np.arange(32)
    twice = cars.take(np.tile(rows, 2))
    selector = search(LinearRegression(), cv=[(rows, rows + 32)], scoring="mse").fit(twice.drop("mpg"), twice["mpg"])
    np.testing.assert_allclose(selector.scores_[1:] * 32, LEAPS[search], rtol=1e-6)
    assert (
        selector.path.columns[3]
        == {ForwardSelection: ("wt", "cyl", "hp"), BackwardSelection: ("wt", "qsec", "am")}[search]
    )


def test_the_result_prints_and_plots_itself(titanic, tmp_path):
    path = ForwardSelection(NaiveBayes(), scoring="accuracy", cv=3).fit(titanic).path
    text = repr(path)
    assert "splits that chose the columns: optimistic" in text
    assert "28 subsets, 84 fits" in text
    assert "its error is higher by less than" in text
    frame = path.to_frame()
    assert frame.columns[:5] == ["n_columns", "columns", "score", "low", "high"]
    assert frame["chosen"].sum() == 1
    assert path.to_dict()["honest"] is False
    assert "<svg" in path._repr_html_()
    assert path.plot().get_xlabel() == "number of columns"
    assert path.save(tmp_path / "path.csv").exists()


def test_a_model_file_keeps_the_selection_without_the_search(titanic, tmp_path):
    model = (ForwardSelection(NaiveBayes(), k=2, cv=2, progress=lambda *_: None) >> NaiveBayes()).fit(
        titanic.X, titanic.y
    )
    again = probus.load(model.save(tmp_path / "model.probus"))
    np.testing.assert_array_equal(again.predict(titanic.X.head(9)), model.predict(titanic.X.head(9)))
    with pytest.raises(DataError, match="does not hold what the search tried"):
        again.steps[0][1].path


class Failing(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("no fit on Mondays")


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (ForwardSelection(GaussianNB(), k=9), "k=9 of 3 columns"),
        (ForwardSelection(GaussianNB(), k=0), "'k' parameter of ForwardSelection must be"),
        (ForwardSelection(GaussianNB(), k=1, min_score=0.5), "k together with min_score"),
        (ForwardSelection(GaussianNB(), min_score=1.5), r"no subset has roc_auc ≥ 1\.5: the best, of \d"),
        (BackwardSelection(GaussianNB(), scoring="log_loss", min_score=-1), "no subset has log_loss ≤ -1"),
        (ExhaustiveSelection(GaussianNB(), max_subsets=5), "7 subsets of 3 columns"),
        (ForwardSelection(Failing()), "ForwardSelection failed with every subset of 1 of 3 columns: ValueError: no f"),
        (RecursiveElimination(Failing()), "Failing failed: ValueError: no fit on Mondays"),
        (ForwardSelection(GaussianNB(), scoring="rmse"), "rmse needs values"),
        (ForwardSelection(GaussianNB, k=1), "found the class GaussianNB"),
        (ForwardSelection(GaussianNB(), time="soon"), "time='soon'"),
    ],
)
def test_bad_parameters_are_named(selector, text):
    rng = np.random.default_rng(0)
    with pytest.raises((DataError, FailedModelError), match=text):
        selector.fit(rng.normal(size=(30, 3)), np.repeat(["a", "b"], 15))


def test_bad_data_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    with pytest.raises(DataError, match="target 'y' is 'a' in every row"):
        ForwardSelection(GaussianNB()).fit(X, ["a"] * 30)
    with pytest.raises(DataError, match="requires y to be passed"):
        ForwardSelection(GaussianNB()).fit(X)
    y = np.array(["a"] * 20 + ["b"] * 10)
    in_order = KFold(3)
    with pytest.raises(DataError, match="roc_auc is undefined on 3 of 3 splits, which may test one class only"):
        ForwardSelection(GaussianNB(), cv=in_order).fit(X, y)


def test_constant_columns_and_more_columns_than_rows_do_no_harm():
    rng = np.random.default_rng(0)
    y = rng.normal(size=12)
    X = np.column_stack([np.ones(12), y + 0.1 * rng.normal(size=12), rng.normal(size=(12, 20))])
    selector = ForwardSelection(LinearRegression(), k=1, cv=3).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1]
    assert RecursiveElimination(LinearRegression(), k=1, step=0.5, cv=3).fit(X, y).support_.sum() == 1
    table = Table([Column.labels("same", ["one"] * 12), Column.numbers("x", X[:, 1])])
    assert ForwardSelection(LinearRegression(), k=1, cv=3).fit(table, y).path.selected == ("x",)
    assert ForwardSelection(DecisionTreeClassifier(), k=1, cv=2).fit(table, y > 0).path.selected == ("x",)
