"""Classical boosting: by its recipe written out, by scikit-learn's classes, by what must be equal."""

import numpy as np
import pytest
from sklearn import ensemble as sklearns
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor

from probus import Table, load, save
from probus.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, HistGradientBoostingRegressor
from probus.errors import DataError
from probus.losses import AbsoluteError, Exponential, Huber, LogLoss, Poisson, Quantile, Softmax, SquaredError, custom
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture(scope="module")
def numbers():
    """Few distinct values, so that bins are values; a target without ties."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (300, 4)).astype(float)
    return X, 0.3 * X[:, 0] + 5 * np.sin(X[:, 1]) + rng.normal(size=300)


def classes_of(y, n_classes):
    return np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))


def staged(model, X):
    return np.array(list(model.staged_predict(X)))


def staged_chances(model, X):
    return np.array(list(model.staged_predict_proba(X)))


# -- the recipe --------------------------------------------------------------------------------------------


def test_squared_loss_is_trees_on_residuals(numbers):
    X, y = numbers
    model = GradientBoostingRegressor(n_estimators=15, learning_rate=0.3, min_samples_leaf=5).fit(X, y)
    f = np.full(len(y), y.mean())
    for said in model.staged_predict(X):
        f += 0.3 * DecisionTreeRegressor(max_depth=3, min_samples_leaf=5).fit(X, y - f).predict(X)
        assert np.allclose(said, f, rtol=1e-10)


@pytest.mark.parametrize("K", [2, 3])
def test_log_loss_is_newton_steps_of_trees_on_residuals(numbers, K):
    X, y = numbers[0], classes_of(numbers[1], K)
    w = np.random.default_rng(2).uniform(0.5, 1.5, len(y))  # without, gains of the first round may be equal
    model = GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5).fit(X, y, w)
    hit = np.eye(K)[y] if K > 2 else y[:, None].astype(float)
    f = np.tile((Softmax(K) if K > 2 else LogLoss()).constant(y.astype(float), w), (len(y), 1))
    for said in staged_chances(model, X):
        p = Softmax(K).mean(f) if K > 2 else LogLoss().mean(f[:, 0])[:, 1:]
        for k in range(hit.shape[1]):
            residual = hit[:, k] - p[:, k]
            leaf = DecisionTreeRegressor(max_depth=3, min_samples_leaf=5).fit(X, residual, w).apply(X)
            g, h = np.bincount(leaf, w * residual), np.bincount(leaf, w * p[:, k] * (1 - p[:, k]))
            f[:, k] += 0.1 * (1.0 if K == 2 else (K - 1) / K) * (g / np.where(h > 0, h, 1))[leaf]
        assert np.allclose(said, Softmax(K).mean(f) if K > 2 else LogLoss().mean(f[:, 0]))


def test_line_search_takes_the_best_step_of_the_loss(numbers):
    X, y = numbers[0], classes_of(numbers[1], 2).astype(float)
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=1.0, max_depth=2, line_search=True).fit(X, y)
    raw, loss = np.full(len(y), model.start_[0]), LogLoss()
    for leaf in np.unique(model.apply(X)[:, 0, 0]):
        rows = model.apply(X)[:, 0, 0] == leaf
        step = model.decision_function(X[rows])[0] - raw[0]
        best = loss.value(y[rows], raw[rows] + step).sum()
        assert all(best <= loss.value(y[rows], raw[rows] + step + off).sum() for off in (-0.01, 0.01))


@pytest.mark.parametrize(
    ("loss", "y"),
    [
        (SquaredError(), np.arange(9.0) ** 2),
        (AbsoluteError(), np.arange(9.0) ** 2),
        (Quantile(0.7), np.arange(9.0) ** 2),
        (Poisson(), np.arange(9.0)),
        (LogLoss(), np.arange(9) % 3 // 2),
        (Exponential(), np.arange(9) % 3 // 2),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_one_leaf_is_the_best_constant(loss, y):
    model = GradientBoostingClassifier if loss.for_classes else GradientBoostingRegressor
    fitted = model(loss=loss, init="zero", n_estimators=1, learning_rate=1.0, line_search=True).fit(np.zeros((9, 1)), y)
    assert np.allclose(fitted._raw(np.zeros((1, 1))), loss.constant(y.astype(float), None))
    steps = model(loss=loss, n_estimators=30).fit(np.zeros((9, 1)), y)
    assert np.allclose(steps._raw(np.zeros((1, 1))), loss.constant(y.astype(float), None))


# -- scikit-learn ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"max_leaf_nodes": 6, "max_depth": None}, {"min_samples_leaf": 0.05}])
def test_numbers_are_scikit_learns(numbers, settings):
    X, y = numbers
    ours = GradientBoostingRegressor(n_estimators=20, **settings).fit(X, y)
    theirs = sklearns.GradientBoostingRegressor(n_estimators=20, random_state=0, **settings).fit(X, y)
    assert np.allclose(staged(ours, X), staged(theirs, X))
    assert np.allclose(ours.train_score_, theirs.train_score_)


@pytest.mark.parametrize(("loss", "K"), [("log_loss", 2), ("exponential", 2), ("log_loss", 3)])
def test_classes_are_scikit_learns(numbers, loss, K):
    X, y = numbers[0], classes_of(numbers[1], K)
    ours = GradientBoostingClassifier(loss=loss, n_estimators=20).fit(X, y)
    theirs = sklearns.GradientBoostingClassifier(loss=loss, n_estimators=20, random_state=0).fit(X, y)
    assert np.allclose(staged_chances(ours, X), staged_chances(theirs, X))
    assert np.allclose(ours.train_score_, theirs.train_score_)
    assert ours.apply(X).shape == theirs.apply(X).shape
    assert ours.estimators_.shape == theirs.estimators_.shape


def test_weights_are_scikit_learns(numbers):
    X, y = numbers
    w = np.random.default_rng(1).exponential(size=len(y))
    settings = {"n_estimators": 20, "min_weight_fraction_leaf": 0.05, "min_impurity_decrease": 0.05}
    ours = GradientBoostingRegressor(**settings).fit(X, y, w)
    theirs = sklearns.GradientBoostingRegressor(**settings, random_state=0).fit(X, y, w)
    assert np.allclose(ours.predict(X), theirs.predict(X))


def test_whole_weights_are_repetition(numbers):
    X, y = numbers
    w = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = GradientBoostingRegressor(n_estimators=20).fit(X, y, w)
    repeated = GradientBoostingRegressor(n_estimators=20).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert np.allclose(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("ccp_alpha", [0.02, 0.3, 100.0])
def test_pruned_trees_are_scikit_learns(numbers, ccp_alpha):
    X, y = numbers
    settings = {"n_estimators": 10, "max_depth": 5, "ccp_alpha": ccp_alpha}
    ours = GradientBoostingRegressor(**settings).fit(X, y)
    theirs = sklearns.GradientBoostingRegressor(**settings, random_state=0).fit(X, y)
    leaves = [[tree.get_n_leaves() for tree in model.estimators_[:, 0]] for model in (ours, theirs)]
    assert leaves[0] == leaves[1]
    assert np.allclose(ours.predict(X), theirs.predict(X))


def test_importances_are_scikit_learns(numbers):
    X, y = numbers
    settings = {"n_estimators": 10, "max_depth": 2, "min_samples_leaf": 20}
    ours = GradientBoostingRegressor(**settings).fit(X, y)
    theirs = sklearns.GradientBoostingRegressor(**settings, random_state=0).fit(X, y)
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)
    each = [tree.feature_importances_ for tree in ours.estimators_.flat]
    assert np.allclose(each, [tree.feature_importances_ for tree in theirs.estimators_.flat])


def test_early_stopping_stops_where_scikit_learns_does(numbers):
    X, y = numbers
    settings = {"n_estimators": 200, "n_iter_no_change": 3, "tol": 0.05, "random_state": 3, "min_samples_leaf": 10}
    ours = GradientBoostingRegressor(**settings).fit(X, y)
    theirs = sklearns.GradientBoostingRegressor(**settings).fit(X, y)
    assert ours.n_estimators_ == theirs.n_estimators_ < 200
    assert np.allclose(ours.train_score_, theirs.train_score_)
    labels = classes_of(y, 3)
    ours = GradientBoostingClassifier(**settings).fit(X, labels)
    assert ours.n_estimators_ == sklearns.GradientBoostingClassifier(**settings).fit(X, labels).n_estimators_


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_robust_losses_lower_their_loss_as_far_as_scikit_learns(numbers, loss):
    X, y = numbers  # medians are taken between two rows here, and of the lower there: trees part soon
    ours = GradientBoostingRegressor(loss=loss, n_estimators=60, alpha=0.8).fit(X, y)
    theirs = sklearns.GradientBoostingRegressor(loss=loss, n_estimators=60, alpha=0.8, random_state=0).fit(X, y)
    assert ours.train_score_[-1] < 1.1 * theirs.train_score_[-1]


def test_a_model_to_begin_with_is_scikit_learns(numbers):
    X, y = numbers
    ours = GradientBoostingRegressor(init=LinearRegression(), n_estimators=10).fit(X, y)
    theirs = sklearns.GradientBoostingRegressor(init=LinearRegression(), n_estimators=10, random_state=0).fit(X, y)
    assert np.allclose(staged(ours, X), staged(theirs, X), atol=1e-4)  # floats of 32 bits there
    for K in (2, 3):
        first = DecisionTreeClassifier(max_depth=2)
        ours = GradientBoostingClassifier(init=first, n_estimators=5).fit(X, classes_of(y, K))
        theirs = sklearns.GradientBoostingClassifier(init=first, n_estimators=5, random_state=0)
        theirs.fit(X, classes_of(y, K))
        assert np.allclose(staged_chances(ours, X), staged_chances(theirs, X), atol=1e-4)
        assert ours.init_ is not first


# -- stages, continued and watched -------------------------------------------------------------------------


def test_stages_are_models_of_fewer_rounds(numbers):
    X, y = numbers
    settings = {"subsample": 0.6, "max_features": "sqrt", "random_state": 5}
    stages = staged(GradientBoostingRegressor(n_estimators=12, **settings).fit(X, y), X)
    for rounds in (1, 5, 12):
        assert np.array_equal(stages[rounds - 1], GradientBoostingRegressor(
            n_estimators=rounds, **settings).fit(X, y).predict(X))  # fmt: skip


@pytest.mark.parametrize("init", [None, "zero", DecisionTreeClassifier(max_depth=1)])
def test_what_is_continued_is_what_is_fitted_at_once(numbers, init):
    X, y = numbers[0], classes_of(numbers[1], 3)
    settings = {"subsample": 0.6, "random_state": 5, "init": init, "n_iter_no_change": 50}
    once = GradientBoostingClassifier(n_estimators=12, **settings).fit(X, y)
    model = GradientBoostingClassifier(n_estimators=4, warm_start=True, **settings).fit(X, y)
    model.set_params(n_estimators=12).fit(X, y)
    assert np.allclose(model.decision_function(X), once.decision_function(X), rtol=1e-12)
    for name in ("train_score_", "oob_scores_", "oob_improvement_", "validation_score_"):
        assert np.allclose(getattr(model, name), getattr(once, name))


def test_out_of_bag_losses_are_of_the_rows_a_round_did_not_draw(numbers):
    X, y = numbers
    drawn = []

    def monitor(i, model, there):
        drawn.append(there["raw_predictions"].copy())

    model = GradientBoostingRegressor(n_estimators=6, subsample=0.5, random_state=1).fit(X, y, monitor=monitor)
    before = np.full(len(y), y.mean())
    for i, (raw, tree) in enumerate(zip(drawn, model.estimators_[:, 0], strict=True)):
        inside = np.sort(np.random.default_rng([model._drawn[0], i]).permutation(300)[:150])
        out = np.setdiff1d(np.arange(300), inside)
        assert tree.tree_.n_node_samples[0] == 150
        assert np.isclose(model.train_score_[i], np.mean((y - raw[:, 0])[inside] ** 2))
        assert np.isclose(model.oob_scores_[i], np.mean((y - raw[:, 0])[out] ** 2))
        gained = np.mean((y - before)[out] ** 2) - model.oob_scores_[i]
        assert np.isclose(model.oob_improvement_[i], gained)
        before = raw[:, 0]
    assert model.oob_score_ == model.oob_scores_[-1]
    assert not hasattr(model.set_params(subsample=1.0).fit(X, y), "oob_score_")


def test_a_monitor_sees_the_model_as_far_as_it_has_come(numbers):
    X, y = numbers
    seen = []

    def monitor(i, model, there):
        assert np.allclose(model.predict(X), there["raw_predictions"][:, 0])
        seen.append((i, model.n_estimators_, len(model.train_score_)))
        return i == 3

    model = GradientBoostingRegressor(n_estimators=20).fit(X, y, monitor=monitor)
    assert seen == [(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 4, 4)]
    assert model.n_estimators_ == 4


def test_rows_the_user_holds_back_decide_when_to_stop(numbers):
    X, y = numbers
    fit, judge = train_test_split(np.arange(300), random_state=0)
    settings = {"n_estimators": 300, "n_iter_no_change": 3, "tol": 0.01}
    for init in (None, DecisionTreeRegressor(max_depth=1)):
        model = GradientBoostingRegressor(init=init, **settings)
        model.fit(X[fit], y[fit], X_val=X[judge], y_val=y[judge])
        assert 3 < model.n_estimators_ < 300
        losses = [np.mean((said - y[judge]) ** 2) for said in model.staged_predict(X[judge])]
        assert np.allclose(model.validation_score_, losses)


@pytest.mark.parametrize(
    "model",
    [GradientBoostingRegressor(n_iter_no_change=5, n_estimators=300), HistGradientBoostingRegressor(max_iter=300)],
)
def test_a_loss_that_residuals_shape_can_decide_when_to_stop(numbers, model):
    stopping = {} if isinstance(model, GradientBoostingRegressor) else {"early_stopping": True}
    stopping |= {"tol": 0.01, "random_state": 0}
    fitted = clone(model).set_params(loss="huber", learning_rate=0.5, **stopping).fit(*numbers)
    assert fitted.n_iter_ < 300
    assert fitted.score(*numbers) > 0.5


def lines_of(capsys):
    """The lines that were written, without the time to go."""
    return [line[:-17].split() for line in capsys.readouterr().out.rstrip().split("\n")]


@pytest.mark.parametrize("verbose", [1, 2, True])
def test_it_tells_of_its_rounds_as_scikit_learns_does(numbers, capsys, verbose):
    sklearns.GradientBoostingRegressor(n_estimators=22, verbose=verbose).fit(*numbers)
    expected = lines_of(capsys)
    GradientBoostingRegressor(n_estimators=22, verbose=verbose).fit(*numbers)
    assert lines_of(capsys) == expected


def test_it_tells_what_rounds_gain_out_of_bag_and_goes_on_counting(numbers, capsys):
    model = GradientBoostingRegressor(n_estimators=3, subsample=0.5, verbose=1, warm_start=True).fit(*numbers)
    capsys.readouterr()
    model.set_params(n_estimators=15).fit(*numbers)
    header, *lines = capsys.readouterr().out.rstrip().split("\n")
    assert header.split("  ")[-3:] == ["", "OOB Improve", " Remaining Time"]
    assert [int(line.split()[0]) for line in lines] == [*range(4, 14)]
    assert lines[0].split()[1:3] == [f"{model.train_score_[3]:.4f}", f"{model.oob_improvement_[3]:.4f}"]


# -- the trees one by one ----------------------------------------------------------------------------------


def test_single_trees_add_up_to_the_prediction(numbers):
    X, y = numbers[0], classes_of(numbers[1], 3)
    model = GradientBoostingClassifier(n_estimators=4, learning_rate=0.5).fit(X, y)
    raw = np.tile(model.start_, (300, 1))
    for stage in model.estimators_:
        raw += 0.5 * np.column_stack([tree.predict(X) for tree in stage])
    assert np.allclose(raw, model.decision_function(X))
    assert model.estimators_[-1, 2].get_depth() == 3
    assert np.asarray(model.estimators_).shape == (4, 3)


def test_trees_know_how_they_were_grown(numbers, tmp_path):
    model = GradientBoostingRegressor(n_estimators=2, max_depth=1, warm_start=True).fit(*numbers)
    model.set_params(n_estimators=4, max_depth=3).fit(*numbers)
    assert [tree.max_depth for tree in model.estimators_.ravel()] == [1, 1, 3, 3]
    assert [tree.get_depth() for tree in model.estimators_.ravel()] == [1, 1, 3, 3]
    save(model, tmp_path / "model.probus")
    assert load(tmp_path / "model.probus").estimators_[-1, 0].max_depth == 3


def test_what_it_began_with_predicts_the_constant(numbers):
    X, y = numbers
    assert np.allclose(GradientBoostingRegressor(n_estimators=1).fit(X, y).init_.predict(X), y.mean())
    model = GradientBoostingClassifier(n_estimators=1).fit(X, classes_of(y, 3))
    assert np.allclose(model.init_.predict_proba(X[:1]), 1 / 3)
    assert GradientBoostingRegressor(n_estimators=1, init="zero").fit(X, y).init_ == "zero"


# -- columns of any kind, constraints, losses of one's own -------------------------------------------------


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 200)
    age = np.where(rng.random(200) < 0.2, np.nan, rng.normal(40, 10, 200).round())
    y = (colour == "green") * 5.0 + np.isnan(age) * 3.0 + rng.normal(0, 0.1, 200)
    return Table.of({"colour": colour.tolist(), "age": age}), y


def test_levels_and_gaps_are_learnt_from(people):
    assert GradientBoostingRegressor(max_depth=2).fit(*people).score(*people) > 0.95


def test_a_model_to_begin_with_sees_levels_and_gaps(people):
    X, y = people
    model = GradientBoostingRegressor(init=DecisionTreeRegressor(max_depth=1), n_estimators=1, learning_rate=0.0)
    expected = DecisionTreeRegressor(max_depth=1).fit(X, y).predict(X)
    assert np.allclose(model.fit(X, y).predict(X), expected)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "log_loss"])
def test_predictions_keep_to_monotone_constraints(loss):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, (400, 2)).astype(float)
    y = 100 * (X[:, 0] / 30 + np.sin(X[:, 0] / 2) * 0.4 + rng.normal(0, 0.3, 400) + X[:, 1] % 2)
    settings = {"loss": loss, "n_estimators": 60, "monotonic_cst": [1, 0]}
    if loss == "log_loss":
        model = GradientBoostingClassifier(**settings).fit(X, y > np.median(y))
        answer = model.decision_function
    else:
        model = GradientBoostingRegressor(**settings).fit(X, y)
        answer = model.predict
    for other in (3.0, 4.0):
        path = answer(np.column_stack([np.arange(30.0), np.full(30, other)]))
        assert (np.diff(path) >= -1e-9).all()
        assert np.ptp(path) > (20 if loss != "log_loss" else 1)


def test_a_loss_of_ones_own_works_as_the_one_it_copies(numbers):
    X, y = numbers
    own = custom(lambda y, f: 0.5 * (y - f) ** 2, lambda y, f: f - y, lambda y, f: np.ones(len(y)))
    named = GradientBoostingRegressor(n_estimators=10).fit(X, y)
    assert np.allclose(GradientBoostingRegressor(loss=own, n_estimators=10).fit(X, y).predict(X), named.predict(X))
    chance = custom(
        lambda y, f: np.logaddexp(0, f) - y * f,
        lambda y, f: 1 / (1 + np.exp(-f)) - y,
        lambda y, f: 1 / (2 + np.exp(-f) + np.exp(f)),
        link="logit",
    )
    labels = np.where(classes_of(y, 2), "yes", "no")
    own = GradientBoostingClassifier(loss=chance, n_estimators=10).fit(X, labels)
    assert np.allclose(
        own.predict_proba(X), GradientBoostingClassifier(n_estimators=10).fit(X, labels).predict_proba(X)
    )


@pytest.mark.parametrize("loss", [SquaredError(), Poisson(), Huber(0.9).at(np.arange(9.0), np.zeros(9), None)])
def test_links_undo_means(loss):
    mean = np.array([0.5, 2.0, 7.0])
    assert np.allclose(loss.mean(loss.linked(mean)), mean)


@pytest.mark.parametrize("loss", [LogLoss(), Exponential(), Softmax(2), Softmax(3)], ids=repr)
def test_links_undo_probabilities(loss):
    chances = np.random.default_rng(0).dirichlet(np.ones(getattr(loss, "n_classes", 2)), 5)
    assert np.allclose(loss.mean(loss.linked(chances)), chances)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_any_number_of_threads_gives_the_same_bytes(numbers, loss):
    X, y = numbers[0], classes_of(numbers[1], 2 if loss == "exponential" else 4)
    settings = {"loss": loss, "n_estimators": 5, "subsample": 0.7, "line_search": True, "random_state": 0}
    models = [GradientBoostingClassifier(n_jobs=n_jobs, **settings).fit(X, y) for n_jobs in (1, 2, 3)]
    assert len({model.decision_function(X).tobytes() for model in models}) == 1


# -- bad input ---------------------------------------------------------------------------------------------


def nothing(y, f):
    return np.full(len(y), np.nan)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"loss": custom(nothing, lambda y, f: f - y)}, "loss 'nothing': 300 of 300 of its values are not finite"),
        ({"loss": custom(np.subtract, nothing), "init": "zero"}, "300 of 300 values of its gradient are not finite"),
        ({"subsample": 0.001}, "subsample=0.001 of n_samples=300 rows leaves no row for a tree"),
        ({"init": DecisionTreeRegressor(max_depth=-1)}, "could not be fitted to 300 rows: The 'max_depth' parameter"),
        ({"validation_fraction": 0.999, "n_iter_no_change": 2}, "early stopping holds out 0.999 of 300 rows"),
        ({"monotonic_cst": [1, 0]}, r"monotonic_cst has shape \(2,\) but the input data X has 4 features"),
    ],
)
def test_what_cannot_be_is_told(numbers, settings, told):
    with pytest.raises(DataError if "monotonic_cst" not in settings else ValueError, match=told):
        GradientBoostingRegressor(**settings).fit(*numbers)


def test_a_subsample_must_hold_a_row_of_each_class(numbers):
    X, y = numbers
    with pytest.raises(DataError, match="leaves 2 rows, fewer than the 3 classes for a tree"):
        GradientBoostingClassifier(subsample=0.007).fit(X, classes_of(y, 3))


def test_one_class_is_refused(numbers):
    X, y = numbers
    with pytest.raises(DataError, match="y contains 1 class after sample_weight trimmed"):
        GradientBoostingClassifier().fit(X, classes_of(y, 2), sample_weight=classes_of(y, 2))


def test_a_class_of_one_row_cannot_be_held_back(numbers):
    X, _ = numbers
    with pytest.raises(DataError, match=r"early stopping holds out 0\.1 of 300 rows: The least populated class"):
        GradientBoostingClassifier(n_iter_no_change=5).fit(X, np.arange(300) == 7)


def test_a_beginning_that_cannot_weigh_rows_is_told(numbers):
    X, y = numbers
    with pytest.raises(DataError, match="initial estimator KNeighborsRegressor does not support sample weights"):
        GradientBoostingRegressor(init=KNeighborsRegressor()).fit(X, y, np.arange(300.0))


def test_a_beginning_that_takes_numbers_only_refuses_levels(people):
    X, y = people
    with pytest.raises(
        DataError, match="GradientBoostingRegressor does not accept columns that are not numeric: 'colour'"
    ):
        GradientBoostingRegressor(init=LinearRegression()).fit(X, y)
    with pytest.raises(DataError, match="accepts only numbers, and there are nominal columns"):
        GradientBoostingRegressor(init=LinearRegression(), categorical_features=[0]).fit(np.eye(3), y[:3])


def test_validation_rows_need_a_rule_to_stop_by(numbers):
    X, y = numbers
    with pytest.raises(DataError, match="X_val and y_val are passed while n_iter_no_change is None"):
        GradientBoostingRegressor().fit(X, y, X_val=X, y_val=y)


def test_fewer_rounds_than_there_are_cannot_be_continued(numbers):
    model = GradientBoostingRegressor(n_estimators=3, warm_start=True).fit(*numbers)
    with pytest.raises(DataError, match=r"n_estimators=2 must be larger or equal to estimators_.shape\[0\]=3"):
        model.set_params(n_estimators=2).fit(*numbers)


def test_other_classes_cannot_be_continued_with(numbers):
    X, y = numbers
    model = GradientBoostingClassifier(n_estimators=3, warm_start=True).fit(X, classes_of(y, 2))
    with pytest.raises(DataError, match="warm_start on classes"):
        model.set_params(n_estimators=4).fit(X, classes_of(y, 3))


def test_the_criterion_has_no_effect_and_says_so(numbers):
    with pytest.warns(FutureWarning, match="`criterion` is deprecated"):
        GradientBoostingRegressor(n_estimators=1, criterion="friedman_mse").fit(*numbers)


def test_tweedie_boosting_predicts_amounts_that_are_often_zero():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2000, 2))
    mean = np.exp(3.0 * X[:, 0])
    y = np.where(rng.random(2000) < 0.5, 0.0, rng.gamma(2.0, mean))  # half the time gamma of mean 2 mean
    fitted = GradientBoostingRegressor(loss="tweedie", max_depth=1).fit(X, y).predict(X)
    assert fitted.min() > 0.0
    assert np.corrcoef(fitted, mean)[0, 1] > 0.9
