"""Boosting whose defaults follow the data."""

import numpy as np
import pandas as pd
import pytest

from probus import load, save
from probus.ensemble import BoostingClassifier, BoostingRegressor
from probus.ensemble.boosting._automatic import bins_for, depth_for, leaves_for, rate_for
from probus.ensemble.boosting._rounds_by_folds import LARGE, MOST, usual_rate
from probus.errors import DataError
from probus.losses import LogLoss, Softmax, SquaredError


@pytest.fixture(scope="module")
def waves() -> tuple[np.ndarray, np.ndarray]:
    """Numbers with a signal, and noise that many rounds would learn by heart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * (X[:, 2] > 0) + rng.normal(size=400)


@pytest.fixture(scope="module")
def people() -> tuple[pd.DataFrame, np.ndarray]:
    """Levels that decide together with a number, both with gaps."""
    rng = np.random.default_rng(1)
    town, age = rng.choice(["a", "b", "c", "d"], 400).astype(object), rng.normal(size=400)
    y = np.where((town == "a") | (town == "c"), age, -age) > 0
    town[::17], age[::13] = None, np.nan
    return pd.DataFrame({"town": pd.Categorical(town), "age": age}), y


# -- the rules ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule", [depth_for, leaves_for, lambda n: rate_for(n, SquaredError()), lambda n: rate_for(n, LogLoss())]
)
def test_more_rows_never_mean_smaller_steps_or_trees(rule):
    found = [rule(n) for n in (2, 10, 100, 1000, 10_000, 100_000, 10**7)]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("n", "leaves", "to_numbers", "to_classes"),
    [(30, 5, 0.05 * 0.0015**0.2, 0.01), (2500, 23, 0.05 * 0.125**0.2, 0.01 * 2.5**0.5), (10**6, 64, 0.05, 0.02)],
)
def test_rules_are_as_documented(n, leaves, to_numbers, to_classes):
    assert leaves_for(n) == leaves
    assert rate_for(n, SquaredError()) == pytest.approx(to_numbers)
    assert rate_for(n, LogLoss()) == pytest.approx(to_classes)


def test_small_tables_have_few_bins_but_one_for_each_level():
    assert [bins_for(n, np.zeros(3, np.int64)) for n in (100, 3200, 10**6)] == [64, 100, 255]
    assert [bins_for(100, np.array([0, n])) for n in (50, 90, 1000)] == [64, 90, 255]


def test_what_is_left_open_is_what_the_rules_say(waves):
    X, y = waves
    rate = rate_for(400, SquaredError())
    open_, told = (BoostingRegressor(20, random_state=0, learning_rate=r).fit(X, y) for r in (None, rate))
    assert (open_.predict(X) == told.predict(X)).all()
    assert max(tree.max_depth for tree in (open_.trees_[t] for t in range(20))) == depth_for(400)
    given = BoostingRegressor(20, random_state=0, max_leaf_nodes=7).fit(X, y)
    assert all((given.trees_[t].children_left < 0).sum() == 7 for t in range(20))
    bolder = BoostingRegressor(20, random_state=0, learning_rate=0.5).fit(X, y)
    assert bolder.score(X, y) > open_.score(X, y)


# -- rounds -------------------------------------------------------------------------------------------------


def reach(model) -> float:
    """The sum of learning rates: where the largest values of trees would lead."""
    return float(sum(np.abs(tree.value).max() for tree in (model.trees_[t] for t in range(len(model.trees_)))))


@pytest.mark.slow
def test_a_strong_signal_has_more_rounds_than_noise():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    clear, noise = np.sin(2.0 * X[:, 0]) + X[:, 1], rng.normal(size=300)
    strong, weak = (BoostingRegressor(learning_rate=0.05, random_state=0).fit(X, y) for y in (clear, noise))
    assert 10 * weak.n_iter_ < 500 < strong.n_iter_ <= MOST
    y = (X[:, 0] > 0).astype(int)
    strong, weak = (
        BoostingClassifier(learning_rate=0.05, random_state=0).fit(X, labels) for labels in (y, rng.permutation(y))
    )
    assert 3 * weak.n_iter_ < strong.n_iter_


def test_few_rounds_are_replaced_by_more_and_smaller_ones():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    counted = BoostingRegressor(learning_rate=2.0 * usual_rate(SquaredError()), random_state=0).fit(X, y)
    model = BoostingRegressor(random_state=0).fit(X, y)
    assert counted.n_iter_ < 100 < model.n_iter_ == 500
    assert reach(model) == pytest.approx(reach(counted), rel=0.5)


@pytest.mark.parametrize("given", [{"n_estimators": 7}, {"n_estimators": 7, "learning_rate": 0.3}])
def test_a_given_number_of_rounds_is_obeyed(waves, given):
    X, y = waves
    assert BoostingRegressor(**given, random_state=0).fit(X, y).n_iter_ == 7
    assert BoostingClassifier(**given, random_state=0).fit(X, y > 0).n_iter_ == 7


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_the_number_of_rounds_depends_on_the_seed_alone(waves, n_classes):
    X, y = waves
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    kind = BoostingClassifier if n_classes else BoostingRegressor
    one, other = (kind(random_state=5, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.trees_.value.tobytes() == other.trees_.value.tobytes()


@pytest.mark.slow
def test_rounds_are_counted_by_the_score_of_choice(waves):
    X, y = waves
    by_loss, by_auc = (BoostingClassifier(learning_rate=0.2, scoring=s, random_state=0) for s in ("loss", "roc_auc"))
    assert by_loss.fit(X, y > 0).n_iter_ != by_auc.fit(X, y > 0).n_iter_


@pytest.mark.slow
def test_weights_count_when_rounds_are_chosen():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 3))
    y = np.where(np.arange(400) % 2 == 0, 2.0 * X[:, 0], rng.normal(size=400))
    weight = np.where(np.arange(400) % 2 == 0, 1.0, 1e-6)  # only rows without noise count
    free, weighted = (BoostingRegressor(learning_rate=0.1, random_state=0).fit(X, y, w) for w in (None, weight))
    assert weighted.n_iter_ > 2 * free.n_iter_


def test_large_tables_hold_out_a_tenth():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(LARGE, 2)).round(1)
    model = BoostingRegressor(max_leaf_nodes=8, random_state=0).fit(X, X[:, 0] + rng.normal(size=LARGE))
    assert model.n_iter_ == model.validation_score_.argmax() < 500
    assert model.trees_.n_node_samples[0] == int(0.7 * 0.9 * LARGE)  # and the rows drawn for a tree


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_few_rows_are_enough(n):
    X = np.arange(n, dtype=float)[:, None]
    assert BoostingRegressor(random_state=0).fit(X, X[:, 0]).predict(X).shape == (n,)
    assert BoostingClassifier(random_state=0).fit(X, X[:, 0] > 0).predict_proba(X).shape == (n, 2)


# -- trees that classes share -------------------------------------------------------------------------------


def test_classes_share_the_splits_of_a_round(waves):
    X, y = waves
    labels = np.digitize(y, [-1.0, 0.0, 1.0])
    model = BoostingClassifier(10, random_state=0).fit(X, labels)
    for round_ in range(10):
        trees = [model.trees_[4 * round_ + k] for k in range(4)]
        assert all((tree.feature == trees[0].feature).all() for tree in trees)
        assert all((tree.threshold == trees[0].threshold).all() for tree in trees)
        assert len({tree.value.tobytes() for tree in trees}) == 4


def test_the_values_of_shared_leaves_are_newton_steps(waves):
    X, y = waves
    labels = np.digitize(y, [-1.0, 0.0, 1.0]).astype(float)
    model = BoostingClassifier(1, subsample=1.0, learning_rate=0.1, random_state=0).fit(X, labels)
    loss = Softmax(4)
    gradient, hessian = np.empty((400, 4)), np.empty((400, 4))
    loss.derivatives(labels, np.tile(loss.constant(labels, None), (400, 1)), gradient, hessian)
    leaves = model.apply(X)
    for k in range(4):
        for leaf in np.unique(leaves[:, k]):
            some = leaves[:, k] == leaf
            step = -0.1 * gradient[some, k].sum() / (hessian[some, k].sum() + 1.0)
            assert model.trees_[k].value[leaf, 0, 0] == pytest.approx(step)


# -- stopping -----------------------------------------------------------------------------------------------


def test_the_rounds_up_to_the_best_are_kept(waves):
    X, y = waves
    given = {"learning_rate": 0.3, "n_iter_no_change": 10, "random_state": 0}
    model = BoostingRegressor(200, **given).fit(X[:250], y[:250], X_val=X[250:], y_val=y[250:])
    scores = model.validation_score_
    assert model.n_iter_ == scores.argmax() < len(scores) - 1 < 200
    short = BoostingRegressor(model.n_iter_, **given).fit(X[:250], y[:250])
    assert model.predict(X) == pytest.approx(short.predict(X), rel=1e-12)


def test_classes_stop_by_a_score_of_choice(waves):
    X, y = waves
    model = BoostingClassifier(200, learning_rate=0.3, n_iter_no_change=5, scoring="roc_auc", random_state=0)
    model.fit(X[:250], y[:250] > 0, X_val=X[250:], y_val=y[250:] > 0)
    assert model.n_iter_ == max(1, model.validation_score_.argmax())
    assert 0.5 == model.validation_score_[0] < model.validation_score_.max() <= 1.0


# -- data of any kind ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_levels_and_gaps_are_learnt_from_and_saved(people, tmp_path):
    X, y = people
    model = BoostingClassifier(random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.8
    save(model, tmp_path / "model.probus")
    assert (load(tmp_path / "model.probus").predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_any_number_of_threads_gives_the_same_bytes(waves, n_classes):
    X, y = waves
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    kind = BoostingClassifier if n_classes else BoostingRegressor
    one, three = (kind(15, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 3))
    assert one.trees_.value.tobytes() == three.trees_.value.tobytes()
    assert one.trees_.threshold.tobytes() == three.trees_.threshold.tobytes()


# -- the mean of several models ------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [400, LARGE])
def test_several_models_are_the_mean_of_single_ones(waves, n_rows):
    X, y = (np.tile(each, (n_rows // 400, 1))[:n_rows] for each in (waves[0], waves[1][:, None]))
    given = {"max_leaf_nodes": 4, "random_state": 0, **({"n_estimators": 20} if n_rows < LARGE else {})}
    several = BoostingRegressor(n_models=3, **given).fit(X, y[:, 0])
    one = BoostingRegressor(**given).fit(X, y[:, 0])
    alone = several.trees_.take(0, one.n_iter_)
    assert np.array_equal(alone.threshold, one.trees_.threshold)
    assert np.allclose(3 * alone.value, one.trees_.value)
    assert several.n_iter_ == len(several.trees_) > one.n_iter_
    other = several.trees_.take(one.n_iter_, several.n_iter_).threshold[: len(one.trees_.threshold)]
    assert not np.array_equal(other, one.trees_.threshold[: len(other)])


def test_several_models_classify_are_explained_and_saved_as_one(people, tmp_path):
    X, y = people
    model = BoostingClassifier(20, n_models=2, random_state=0).fit(X, y)
    assert len(model.trees_) == model.n_iter_ == 40
    explained = model.shap_values(X[:5])
    assert np.allclose(explained.values.sum(axis=1) + explained.base, model.decision_function(X[:5]))
    save(model, tmp_path / "model.probus")
    assert np.array_equal(load(tmp_path / "model.probus").predict_proba(X), model.predict_proba(X))


# -- depth, constraints and validation rows as other libraries name them --------------------------------


def test_monotone_columns_keep_the_predictions_in_order():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3))
    wave = np.sin(4 * X[:, 0]) + X[:, 1] + rng.normal(0, 0.3, 300)
    for model, y in ((BoostingRegressor, wave), (BoostingClassifier, wave > 0.2)):
        rising = model(60, monotonic_cst=[1, 0, 0], random_state=0).fit(X, y)
        free = model(60, random_state=0).fit(X, y)
        line = np.column_stack([np.linspace(-1, 1, 50), *np.zeros((2, 50))])
        along, without = (
            each.decision_function(line) if hasattr(each, "classes_") else each.predict(line) for each in (rising, free)
        )
        assert (np.diff(along) >= 0).all()
        assert not (np.diff(without) >= 0).all()


def test_no_tree_is_deeper_than_the_maximum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] + rng.normal(0, 0.1, 200)
    for how in ({}, {"max_leaf_nodes": 30}, {"monotonic_cst": [1, 0, 0]}):
        model = BoostingRegressor(5, max_depth=2, random_state=0, **how).fit(X, y)
        assert len(model.trees_.levels) <= 2
    deep = BoostingRegressor(5, max_depth=12, max_leaf_nodes=40, random_state=0).fit(X, y)
    assert 6 < len(deep.trees_.levels) <= 12


def test_validation_rows_may_be_given_as_in_other_libraries():
    rng = np.random.default_rng(0)
    X, X_val = rng.normal(size=(120, 3)), rng.normal(size=(60, 3))
    y, y_val = X[:, 0] + rng.normal(0, 1, 120), X_val[:, 0]
    fitted = [
        BoostingRegressor(80, random_state=0, n_iter_no_change=5).fit(X, y, **how).predict(X_val)
        for how in (
            {"X_val": X_val, "y_val": y_val},
            {"eval_set": (X_val, y_val)},
            {"eval_set": [(X, y), (X_val, y_val)]},
        )
    ]
    np.testing.assert_array_equal(fitted[0], fitted[1])
    np.testing.assert_array_equal(fitted[0], fitted[2])
    with pytest.raises(DataError, match="eval_set together with X_val"):
        BoostingRegressor(5).fit(X, y, eval_set=(X_val, y_val), X_val=X_val)
    with pytest.raises(DataError, match=r"Expected eval_set=\(X_val, y_val\)"):
        BoostingRegressor(5).fit(X, y, eval_set=X_val)


def test_parameters_of_other_libraries_are_answered():
    with pytest.raises(TypeError, match=r"BoostingClassifier\(\) has no parameter 'num_leaves'. Use max_leaf_nodes=31"):
        BoostingClassifier(num_leaves=31)
    with pytest.raises(TypeError, match=r"Pass it to fit: model\.fit\(X, y, eval_set=\(X_val, y_val\)\)"):
        BoostingRegressor(eval_set=[(1, 2)])
    assert list(BoostingRegressor().get_params())[:3] == ["categorical_features", "l2_regularization", "learning_rate"]
