"""Stochastic gradient descent: scikit-learn's coefficients step by step, the minimum, weights, averages."""

import numba
import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import probus
from probus import DataError
from probus.linear_model import (
    Adaline,
    Adam,
    LogisticRegression,
    MiniBatch,
    Perceptron,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from probus.linear_model.optimisers import LinearObjective
from probus.linear_model.optimisers._linear_rows import rows_of
from probus.linear_model.stochastic._sgd_kernel import row_keys, shuffle_blocks
from probus.losses.margin_losses import CLASS_LOSSES, NUMBER_LOSSES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.7)
    score = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.5 * rng.normal(size=80)
    return X, score, np.digitize(score, [-1.0, 1.0])


SAME = {"shuffle": False, "tol": None, "max_iter": 3}


@pytest.mark.parametrize(
    "how",
    [
        *({"loss": loss} for loss in sorted(set(CLASS_LOSSES) - {"sigmoid"})),  # which is ours only
        {"penalty": None},
        {"penalty": "l1", "max_iter": 1},
        {"penalty": "elasticnet", "l1_ratio": 0.4, "max_iter": 1},
        {"average": True, "max_iter": 1},
        {"average": 50},
        {"average": 100, "penalty": "l1", "max_iter": 1},
        {"learning_rate": "constant", "eta0": 0.1, "alpha": 0.9},
        {"learning_rate": "invscaling", "eta0": 0.1},
        {"learning_rate": "pa1", "eta0": 0.5, "penalty": None},
        {"learning_rate": "pa2", "eta0": 0.5, "penalty": None},
        {"fit_intercept": False},
        {"class_weight": {0: 0.5, 1: 2.0, 2: 1.0}},
    ],
    ids=str,
)
@pytest.mark.parametrize("two", [True, False])
def test_the_steps_of_a_classifier_are_those_of_scikit_learn(rows, how, two):
    """In the given order of the rows. The penalty on absolute values is settled at the end of an epoch, theirs not."""
    X, _, y = rows
    y = np.minimum(y, 1) if two else y
    weight = np.random.default_rng(1).random(len(y))
    how = {"alpha": 0.01, **SAME, **how}
    if two and "class_weight" in how:
        how["class_weight"] = {0: 0.5, 1: 2.0}
    ours, theirs = (m.SGDClassifier(**how).fit(X, y, sample_weight=weight) for m in (probus.linear_model, peer))
    atol = 0.05 if how.get("penalty") in ("l1", "elasticnet") else 1e-9
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=atol)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)
    assert (ours.t_, ours.n_iter_) == (theirs.t_, theirs.n_iter_)


@pytest.mark.parametrize("loss", sorted(NUMBER_LOSSES))
@pytest.mark.parametrize("average", [False, True])
def test_the_steps_of_a_regression_are_those_of_scikit_learn(rows, loss, average):
    X, y, _ = rows
    ours, theirs = (m.SGDRegressor(loss, average=average, **SAME).fit(X, y) for m in (probus.linear_model, peer))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    theirs.partial_fit(X[::2], y[::2])
    np.testing.assert_allclose(ours.partial_fit(X[::2], y[::2]).coef_, theirs.coef_, rtol=1e-8)


def test_batches_are_those_of_scikit_learn(rows):
    X, _, y = rows
    models = [m.SGDClassifier(shuffle=False) for m in (probus.linear_model, peer)]
    for part in np.array_split(np.arange(len(y)), 4):
        for model in models:
            model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-8)


@pytest.mark.parametrize("average", [1, 30])
def test_averages_go_on_over_batches(rows, average):
    X, _, y = rows
    whole = SGDClassifier(shuffle=False, average=average, max_iter=1, tol=None).fit(X, y)
    batches = SGDClassifier(shuffle=False, average=average)
    for part in np.array_split(np.arange(len(y)), 4):
        batches.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_allclose(batches.coef_, whole.coef_, rtol=1e-9)
    np.testing.assert_allclose(batches.intercept_, whole.intercept_, rtol=1e-9)


@pytest.mark.parametrize(
    "how", [{"average": 5000}, {"optimiser": MiniBatch(0.5, "inverse_root")}, {"optimiser": Adam(0.1, "inverse_root")}]
)
def test_it_ends_near_the_minimum(rows, how):
    X, score, y = rows
    sgd = {"alpha": 0.05, "max_iter": 400, "tol": None, "random_state": 0, "learning_rate": "invscaling", **how}
    squares, ridge = SGDRegressor(eta0=0.05, **sgd).fit(X, score), Ridge(alpha=0.05 * len(y)).fit(X, score)
    logistic = SGDClassifier("log_loss", eta0=0.5, **sgd).fit(X, y > 0)
    exact = LogisticRegression(C=1 / (0.05 * len(y)), tol=1e-8).fit(X, y > 0)
    for loss, target, found, best in (
        ("squared_error", score, squares, ridge),
        ("log_loss", np.where(y > 0, 1.0, -1.0), logistic, exact),
    ):
        objective = LinearObjective(X, target, loss=loss, alpha=0.05, fit_intercept=True)
        value, least = (objective.value(np.append(model.coef_, model.intercept_)) for model in (found, best))
        assert -1e-9 < value - least < 1e-3


@pytest.mark.parametrize(
    "model", [SGDClassifier(random_state=0), Perceptron(), SGDClassifier(optimiser=Adam(), random_state=1)]
)
def test_the_order_of_rows_does_not_matter_and_whole_weights_repeat(rows, model):
    X, _, y = rows
    order, times = np.random.default_rng(3).permutation(len(y)), np.random.default_rng(4).integers(0, 4, len(y))
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).coef_.copy()
    np.testing.assert_array_equal(model.fit(X[order], y[order], sample_weight=times[order]).coef_, repeated)


def test_large_data_are_visited_in_blocks_and_learnt_as_well():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = X @ np.arange(10.0) > rng.normal(size=20_000) * 5.0
    order = np.argsort(y, kind="stable")  # sorted by class, which rows in their order would not survive
    ours, theirs = (m.SGDClassifier(random_state=0).fit(X[order], y[order]) for m in (probus.linear_model, peer))
    assert ours.score(X, y) > theirs.score(X, y) - 0.01
    np.testing.assert_array_equal(ours.coef_, SGDClassifier(random_state=0).fit(X, y).coef_)


def test_far_outliers_count_at_most_one_in_the_sigmoid_loss():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] > 0
    X[:20], y[:20] = [-60.0, 0.0], True  # on the wrong side, far from the boundary
    settings = {"alpha": 1e-4, "max_iter": 200, "tol": None, "random_state": 0}
    bounded, hinge = (SGDClassifier(loss, **settings).fit(X, y) for loss in ("sigmoid", "hinge"))
    assert bounded.score(X[20:], y[20:]) > 0.97
    assert hinge.score(X[20:], y[20:]) < 0.9
    with pytest.raises(AttributeError, match="predict_proba"):
        bounded.predict_proba(X)


def test_blocks_visit_every_row_once():
    order, state = np.zeros(1000, np.int64), np.array([77], np.uint64)
    shuffle_blocks(order, state)
    assert sorted(order) == list(range(1000))
    before = order.copy()
    shuffle_blocks(order, state)
    assert (order != before).mean() > 0.9


def test_keys_do_not_depend_on_how_rows_are_stored(rows):
    X, y, _ = rows
    factors, found = np.random.default_rng(0).random(6), np.empty((2, len(y)))
    row_keys(rows_of(X), factors, y, found[0])
    row_keys(rows_of(sparse.csr_array(X)), factors, y, found[1])
    np.testing.assert_array_equal(*found)
    np.testing.assert_allclose(found[0], X @ factors[:5] + y * factors[5])


def test_early_stopping_holds_rows_out(rows):
    X, score, y = rows
    for model, target in ((SGDClassifier(), y), (SGDRegressor(), score)):
        model.set_params(early_stopping=True, random_state=0, n_iter_no_change=3, max_iter=500).fit(X, target)
        assert model.n_iter_ < 500
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        SGDClassifier(early_stopping=True).partial_fit(X, y, classes=[0, 1, 2])


def test_batches_with_an_optimiser_keep_their_momentum(rows):
    X, _, y = rows
    how = {"optimiser": Adam(0.01, batch_size=10), "shuffle": False, "tol": None}
    whole = SGDClassifier("log_loss", max_iter=2, **how).fit(X, y)
    batches = SGDClassifier("log_loss", **how)
    for part in (slice(0, 40), slice(40, 80)) * 2:
        batches.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_allclose(batches.coef_, whole.coef_, rtol=1e-10)


def test_an_optimiser_is_saved_with_the_model(rows, tmp_path):
    X, _, y = rows
    model = SGDClassifier(optimiser=Adam(0.02, "inverse_root"), random_state=0).fit(X, y)
    probus.save(model, tmp_path / "model.probus")
    loaded = probus.load(tmp_path / "model.probus")
    assert loaded.optimiser == Adam(0.02, "inverse_root")
    np.testing.assert_array_equal(loaded.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)


def test_a_perceptron_separates_what_a_line_separates_and_adaline_finds_least_squares(rows):
    X, _, _ = rows
    y = X @ [1.0, -2.0, 0.5, 0.0, 1.0] > 0.1
    assert Perceptron(tol=None, max_iter=500).fit(X, y).score(X, y) == 1.0
    adaline = Adaline(eta0=0.002, max_iter=500, tol=None).fit(X, y)
    design = np.column_stack([X, np.ones(len(y))])
    least_squares = np.linalg.lstsq(design, np.where(y, 1.0, -1.0))[0]
    np.testing.assert_allclose(adaline.coef_[0], least_squares[:-1], atol=0.02)


def test_read_only_and_sparse_rows_need_no_kernels_of_their_own(rows):
    X = rows[0].copy()
    kind = numba.typeof(rows_of(X))
    assert kind == numba.typeof(rows_of(sparse.csr_array(X)))
    assert X.flags.writeable
    X.flags.writeable = False
    assert kind == numba.typeof(rows_of(X))


def test_steps_that_are_too_large_are_warned_of(rows):
    X, _, y = rows
    with pytest.warns(ConvergenceWarning, match=r"Scale the columns, which probus.tabular does, or lower eta0"):
        Adaline(eta0=0.5).fit(100.0 * X, y)
    with pytest.raises(ValueError, match=r"overflow occurred at epoch #1. Scaling input data"):
        SGDRegressor(eta0=1e300).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Consider increasing max_iter"):
        SGDClassifier(max_iter=2).fit(X, y)


def test_settings_that_make_no_sense_are_refused(rows):
    X, _, y = rows
    with pytest.raises(ValueError, match="alpha must be > 0 since learning_rate is 'optimal'"):
        SGDClassifier(alpha=0).fit(X, y)
    with pytest.raises(ValueError, match="Learning rate 'pa1' only works with loss 'hinge'"):
        SGDClassifier("log_loss", learning_rate="pa1").fit(X, y)
    with pytest.raises(DataError, match="average with an optimiser"):
        SGDClassifier(average=True, optimiser=Adam()).fit(X, y)
    with pytest.raises(DataError, match="got 1 class: 7"):
        SGDClassifier().fit(X, np.full(len(y), 7))
    with pytest.raises(ValueError, match=r"classes \[9\] are not among those of the first call"):
        SGDClassifier().partial_fit(X, y, classes=[0, 1, 2]).partial_fit(X, np.full(len(y), 9))
    with pytest.raises(ValueError, match=r"coef_init does not match dataset: shape \(2,\), not \(3, 5\)"):
        SGDClassifier().fit(X, y, coef_init=np.zeros(2))
