"""The histogram classes are scikit-learn's, and more."""

import numpy as np
import pytest
from sklearn import ensemble as peer
from sklearn.metrics import log_loss, make_scorer, mean_absolute_error

from probus import ensemble, load, save
from probus.data import UnseenLevelWarning
from probus.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.errors import DataError, SchemaError
from probus.losses import Exponential, LogLoss, SquaredError, custom


@pytest.fixture(scope="module")
def few_values() -> tuple[np.ndarray, np.ndarray]:
    """Columns of so few values that every library bins them alike, with a strong signal."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 25, (600, 4)).astype(float)
    return X, np.sin(X[:, 0] / 4) + (X[:, 1] > 12) * X[:, 2] / 20 + rng.normal(size=600) * 0.3


def holed(X: np.ndarray) -> np.ndarray:
    return np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)


# -- scikit-learn -------------------------------------------------------------------------------------------

FEW = {"max_iter": 15, "max_leaf_nodes": 6, "early_stopping": False}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("more", [{}, {"l2_regularization": 2.0}, {"max_leaf_nodes": None, "max_depth": 2}])
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma", "absolute_error"])
def test_numbers_are_predicted_as_scikit_learn_does(few_values, loss, more, missing):
    X, y = few_values
    X, y = holed(X) if missing else X, np.exp(y) if loss in ("poisson", "gamma") else y
    ours, theirs = (
        module(loss=loss, **{**FEW, **more}).fit(X, y)
        for module in (HistGradientBoostingRegressor, peer.HistGradientBoostingRegressor)
    )
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-5)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-5)


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_are_predicted_as_scikit_learn_does(few_values, n_classes, missing, weighed):
    X, y = few_values
    X, y = holed(X) if missing else X, np.array(["a", "b", "c"])[np.digitize(y, [0.5] if n_classes == 2 else [0, 0.8])]
    weight = np.random.default_rng(2).random(600) + 0.5 if weighed else None
    ours, theirs = (
        module(**FEW).fit(X, y, weight)
        for module in (HistGradientBoostingClassifier, peer.HistGradientBoostingClassifier)
    )
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-5)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.n_trees_per_iteration_ == theirs.n_trees_per_iteration_


def test_balanced_classes_weigh_as_in_scikit_learn(few_values):
    X, y = few_values
    ours, theirs = (
        module(class_weight="balanced", **FEW).fit(X, y > 1.2)
        for module in (HistGradientBoostingClassifier, peer.HistGradientBoostingClassifier)
    )
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-5)


def test_quantiles_leave_their_share_below(few_values):
    X, y = few_values
    for share in (0.1, 0.5, 0.9):
        model = HistGradientBoostingRegressor("quantile", quantile=share, max_iter=50).fit(X, y)
        assert (y < model.predict(X)).mean() == pytest.approx(share, abs=0.05)


# -- weights ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_whole_weights_equal_repetition(few_values, loss):
    X, y = few_values[0][:100], np.exp(few_values[1][:100])
    times = np.random.default_rng(0).integers(0, 4, 100)
    weighed = HistGradientBoostingRegressor(loss, max_iter=10).fit(X, y, times)
    repeated = HistGradientBoostingRegressor(loss, max_iter=10).fit(X.repeat(times, axis=0), y.repeat(times))
    assert weighed.predict(X) == pytest.approx(repeated.predict(X), rel=1e-6)


def test_the_scale_of_weights_does_not_matter(few_values):
    X, y = few_values
    weight = np.random.default_rng(0).random(600)
    small, large = (HistGradientBoostingRegressor(max_iter=10).fit(X, y, weight * scale) for scale in (1.0, 1000.0))
    assert small.predict(X) == pytest.approx(large.predict(X), rel=1e-6)


# -- rounds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"subsample": 0.5, "columns_per_tree": 0.7, "max_features": 0.5}])
def test_staged_predictions_are_those_of_shorter_fits(few_values, more):
    X, y = few_values
    classes = np.digitize(y, [0, 0.8])
    given = {"random_state": 3, "max_leaf_nodes": 5, **more}
    model = HistGradientBoostingClassifier(max_iter=6, **given).fit(X, classes)
    stages = (model.staged_predict(X), model.staged_predict_proba(X), model.staged_decision_function(X))
    for rounds, (label, chances, raw) in enumerate(zip(*stages, strict=True), start=1):
        short = HistGradientBoostingClassifier(max_iter=rounds, **given).fit(X, classes)
        assert (label == short.predict(X)).all()
        assert chances == pytest.approx(short.predict_proba(X), rel=1e-12)
        assert raw == pytest.approx(short.decision_function(X), rel=1e-12)
    assert rounds == 6
    numbers = HistGradientBoostingRegressor(max_iter=4, **given).fit(X, y)
    assert list(numbers.staged_predict(X))[-1] == pytest.approx(numbers.predict(X), rel=1e-12)


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("saved", [False, True])
def test_continuing_a_fit_is_fitting_at_once(few_values, stop, saved, tmp_path):
    X, y = few_values
    given = {"random_state": 0, "subsample": 0.7, "max_features": 0.5, "early_stopping": stop, "max_leaf_nodes": 5}
    model = HistGradientBoostingRegressor(max_iter=4, warm_start=True, **given).fit(X, y)
    if saved:
        save(model, tmp_path / "model.probus")
        model = load(tmp_path / "model.probus")
    model.set_params(max_iter=9).fit(X, y)
    once = HistGradientBoostingRegressor(max_iter=9, **given).fit(X, y)
    assert model.n_iter_ == 9
    assert model.predict(X) == pytest.approx(once.predict(X), rel=1e-9)
    assert model.validation_score_ == pytest.approx(once.validation_score_, rel=1e-9)


def test_fits_continue_only_on_data_as_before(few_values):
    X, y = few_values
    model = HistGradientBoostingClassifier(max_iter=3, warm_start=True).fit(X, y > 0)
    for X_new, y_new in ((X, np.digitize(y, [0, 0.8])), (X[:, :3], y > 0)):
        with pytest.raises(DataError, match="continues a fit on different columns, levels or classes"):
            model.set_params(max_iter=5).fit(X_new, y_new)
    with pytest.raises(DataError, match="max_iter=2 must be larger than or equal to n_iter_=3"):
        model.set_params(max_iter=2).fit(X, y > 0)


def test_seeds_decide_what_is_drawn(few_values):
    X, y = few_values
    one, same, other = (
        HistGradientBoostingRegressor(max_iter=5, subsample=0.5, random_state=seed).fit(X, y).predict(X)
        for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()


# -- stopping early -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scoring", ["loss", None, "neg_mean_absolute_error", make_scorer(mean_absolute_error, greater_is_better=False)]
)
@pytest.mark.parametrize("how", ["internal", "validation", "training"])
def test_boosting_stops_when_the_score_no_longer_rises(few_values, scoring, how):
    X, y = few_values
    given = {"early_stopping": True, "scoring": scoring, "n_iter_no_change": 4, "random_state": 0, "tol": 1e-3}
    model = HistGradientBoostingRegressor(
        max_iter=400, learning_rate=0.3, validation_fraction=None if how == "training" else 0.2, **given
    )
    model.fit(X[:400], y[:400], **({"X_val": X[400:], "y_val": y[400:]} if how == "validation" else {}))
    scores = model.train_score_ if how == "training" else model.validation_score_
    assert model.do_early_stopping_
    assert model.n_iter_ < 400
    assert len(model.train_score_) == len(scores) == model.n_iter_ + 1
    assert max(scores[-4:]) <= scores[-5] + 1e-3
    for end in range(5, len(scores)):
        assert max(scores[end - 4 : end]) > scores[end - 5] + 1e-3
    assert len(model.validation_score_) == (0 if how == "training" else len(scores))


def test_scores_are_those_of_the_staged_predictions(few_values):
    X, y = few_values
    model = HistGradientBoostingClassifier(max_iter=20, scoring="neg_log_loss")
    classes = np.digitize(y, [0, 0.8])
    weight = np.random.default_rng(0).random(200)
    model.fit(X[:400], classes[:400], X_val=X[400:], y_val=classes[400:], sample_weight_val=weight)
    staged = [
        -log_loss(classes[400:], chances, sample_weight=weight) for chances in model.staged_predict_proba(X[400:])
    ]
    assert model.validation_score_[1:] == pytest.approx(staged)
    by_loss = HistGradientBoostingClassifier(max_iter=20)
    by_loss.fit(X[:400], classes[:400], X_val=X[400:], y_val=classes[400:], sample_weight_val=weight)
    assert by_loss.validation_score_ == pytest.approx(model.validation_score_)


def test_rows_that_are_scored_hold_their_share_of_each_class():
    y = np.repeat([0, 1, 2], [300, 5_700, 14_000])
    counts = []

    def score(model, X, y, sample_weight=None):
        counts.append(np.bincount(y).tolist())
        return 0.5

    model = HistGradientBoostingClassifier(early_stopping=True, validation_fraction=None, scoring=score, max_iter=1)
    model.fit(np.arange(len(y))[:, None], y)
    assert counts[0] == [150, 2_850, 7_000]


def test_large_data_stops_early_by_itself():
    X = np.arange(10_001.0)[:, None] % 7
    y = X[:, 0] % 2
    assert HistGradientBoostingRegressor(max_iter=2).fit(X, y).do_early_stopping_
    assert not HistGradientBoostingRegressor(max_iter=2).fit(X[1:], y[1:]).do_early_stopping_
    assert len(HistGradientBoostingRegressor(max_iter=2, early_stopping=False).fit(X, y).train_score_) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"])
@pytest.mark.parametrize("seed", [0, 7, "instance"])
def test_the_rows_held_back_are_scikit_learns(name, seed):
    X, row, asked = np.random.default_rng(1).normal(size=(200, 2)), np.arange(1.0, 201.0), []

    def score(model, X, y, sample_weight):
        asked.append(np.sort(sample_weight) / sample_weight.sum())  # which tell the rows apart
        return 0.5

    for model in (getattr(peer, name), getattr(ensemble, name)):
        state = np.random.RandomState(5) if seed == "instance" else seed
        model(early_stopping=True, scoring=score, max_iter=1, random_state=state).fit(X, row > 120, row)
    for ours, theirs in zip(asked[:4], asked[4:], strict=True):
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_the_rows_held_back_teach_nothing(few_values):
    X, y = few_values
    model = HistGradientBoostingRegressor(max_iter=3, early_stopping=True, validation_fraction=200).fit(X, y)
    assert model.trees_.n_node_samples[0] == 400


# -- columns of levels --------------------------------------------------------------------------------------


def test_levels_come_from_frames_and_new_ones_go_with_the_missing():
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(["Ulm", "Bath", "Lyon", None], 400), "size": rng.normal(size=400)})
    y = frame["town"].map({"Ulm": 3.0, "Bath": -1.0, "Lyon": 3.5}).fillna(0.0) + frame["size"]
    model = HistGradientBoostingRegressor(max_iter=60).fit(frame, y)
    assert model.is_categorical_.tolist() == [True, False]
    assert model.score(frame, y) > 0.95
    with pytest.warns(UnseenLevelWarning, match="'town': 'Oslo'"):
        found = model.predict(frame.assign(town="Oslo"))
    assert found == pytest.approx(model.predict(frame.assign(town=None)))


def test_the_names_of_levels_do_not_matter(few_values):
    X, y = few_values
    given = {"max_iter": 10, "categorical_features": [0, 1]}
    shuffled = X.copy()
    shuffled[:, 0] = np.random.default_rng(0).permutation(25)[X[:, 0].astype(int)]
    plain = HistGradientBoostingRegressor(**given).fit(X, y).predict(X)
    assert HistGradientBoostingRegressor(**given).fit(shuffled, y).predict(shuffled) == pytest.approx(plain, rel=1e-6)


def test_a_column_may_have_more_levels_than_bins():
    rng = np.random.default_rng(0)
    level = np.concatenate([rng.integers(0, 250, 8000), rng.integers(250, 1000, 1000)])
    X = level[:, None].astype(float)
    y = np.where(level < 250, level % 2, 5.0)
    model = HistGradientBoostingRegressor(max_iter=50, categorical_features=[0]).fit(X, y)
    assert model.predict(X)[level >= 300].mean() == pytest.approx(5.0, abs=0.5)
    assert np.abs(model.predict(X) - y)[level < 250].mean() < 0.2


# -- what a model tells, and where it is kept ---------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gain", "cover", "count"])
def test_importances_are_shares_and_find_what_matters(few_values, kind):
    X, y = few_values
    found = HistGradientBoostingRegressor(max_iter=20, max_leaf_nodes=4).fit(X, y).importances(kind)
    assert found.sum() == pytest.approx(1.0)
    assert found[3] < found[:3].min()
    with pytest.raises(DataError, match="kind='size'"):
        HistGradientBoostingRegressor(max_iter=1).fit(X, y).importances("size")


def test_importances_by_gain_are_the_fall_of_the_loss(few_values):
    """A leaf that moves by −G / H gains G² / H, twice what half the squared error falls."""
    X, y = few_values
    model = HistGradientBoostingRegressor(max_iter=1, learning_rate=1.0).fit(X, y)
    fall = ((y - y.mean()) ** 2).sum() - ((y - model.predict(X)) ** 2).sum()
    assert model.trees_.gain.sum() == pytest.approx(fall)
    assert (model.feature_importances_ == model.importances("gain")).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_saved_models_predict_the_same_bytes(few_values, n_classes, tmp_path):
    X, y = few_values
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features=[0], early_stopping=True)
    model.fit(holed(X), np.digitize(y, [0.5] if n_classes == 2 else [0, 0.8]))
    save(model, tmp_path / "model.probus")
    found = load(tmp_path / "model.probus")
    assert found.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert (found.validation_score_ == model.validation_score_).all()
    assert (found.apply(X) == model.apply(X)).all()


def test_one_class_is_certain(few_values):
    X, _ = few_values
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, np.full(600, "yes"))
    assert (model.predict(X) == "yes").all()
    assert (model.predict_proba(X) == 1.0).all()


def test_a_constant_target_is_predicted_and_left_alone(few_values):
    X, _ = few_values
    model = HistGradientBoostingRegressor(max_iter=3).fit(X, np.full(600, 7.0))
    assert (model.predict(X) == 7.0).all()
    assert len(model.trees_.children_left) == 3


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_the_scale_of_the_target_does_not_matter(few_values, scale):
    X, y = few_values
    plain = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    scaled = HistGradientBoostingRegressor(max_iter=5).fit(X, y * scale)
    assert scaled.predict(X) / scale == pytest.approx(plain.predict(X))


# -- losses -------------------------------------------------------------------------------------------------


def test_a_loss_of_ones_own_is_as_good_as_ours(few_values):
    X, y = few_values
    own = custom(lambda y, f: 0.5 * (y - f) ** 2, lambda y, f: f - y, lambda y, f: np.ones_like(y))
    ours = HistGradientBoostingRegressor(own, max_iter=5).fit(X, y).predict(X)
    assert ours == pytest.approx(HistGradientBoostingRegressor(max_iter=5).fit(X, y).predict(X), rel=1e-6)


def test_a_classifier_takes_a_loss_of_two_classes(few_values):
    X, y = few_values
    assert HistGradientBoostingClassifier(Exponential(), max_iter=20).fit(X, y > 0.5).score(X, y > 0.5) > 0.85


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            HistGradientBoostingClassifier(SquaredError()),
            "'squared_error' cannot be used by HistGradientBoostingClassifier",
        ),
        (HistGradientBoostingRegressor(LogLoss()), "'log_loss' cannot be used by HistGradientBoostingRegressor"),
        (HistGradientBoostingRegressor("quantile"), "loss='quantile' needs a quantile"),
        (HistGradientBoostingRegressor("poisson"), "requires non-negative y"),
    ],
)
def test_losses_that_do_not_suit_are_refused(few_values, model, message):
    X, y = few_values
    with pytest.raises(DataError, match=message):
        model.fit(X, (y > 0) - 0.5 if "poisson" in message or model.loss == "poisson" else y > 0)


def test_a_loss_that_is_lost_is_named(few_values):
    X, y = few_values

    def lost(y, f):
        return np.where(f == f[0], f - y, np.nan)

    own = custom(lambda y, f: (y - f) ** 2, lost, lambda y, f: np.ones_like(y))
    with pytest.raises(DataError, match="values of its gradient are not finite"):
        HistGradientBoostingRegressor(own, max_iter=5).fit(X, y)


# -- validation data that does not belong -------------------------------------------------------------------


def test_validation_data_must_belong(few_values):
    X, y = few_values
    numbers, classes = HistGradientBoostingRegressor(max_iter=2), HistGradientBoostingClassifier(max_iter=2)
    for model, message, given in (
        (numbers, "X has 3 features, but .* is expecting 4", {"X_val": X[:, :3], "y_val": y}),
        (numbers, "X_val has no rows", {"X_val": X[:0], "y_val": y[:0]}),
        (numbers, "X_val is provided, but y_val was not provided", {"X_val": X}),
        (numbers, "y_val is provided, but X_val was not provided", {"y_val": y}),
        (numbers, "sample_weight_val is passed without X_val and y_val", {"sample_weight_val": y}),
        (numbers, "X has 600 rows and y has 599", {"X_val": X, "y_val": y[1:]}),
        (classes, "y_val contains 2, which y does not", {"X_val": X, "y_val": np.where(y > 0, 1, 2)}),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, (y > 0).astype(int), **given)
    with pytest.raises(DataError, match="requires non-negative y"):
        HistGradientBoostingRegressor("poisson").fit(X, np.exp(y), X_val=X, y_val=-np.exp(y))
    with pytest.raises(DataError, match="passed to fit while at the same time early_stopping is False"):
        HistGradientBoostingRegressor(early_stopping=False).fit(X, y, X_val=X, y_val=y)


def test_validation_frames_must_have_the_same_columns(few_values):
    import pandas as pd

    X, y = few_values
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(SchemaError, match="1 column missing from the new data: 'a'"):
        HistGradientBoostingRegressor().fit(frame, y, X_val=frame.rename(columns={"a": "z"}), y_val=y)


def test_stopping_early_needs_rows_to_judge_by():
    with pytest.raises(DataError, match=r"early stopping holds out 0.1 of 1 rows.*\n.*Pass X_val and y_val"):
        HistGradientBoostingRegressor(early_stopping=True).fit([[1.0]], [1.0])
    with pytest.raises(DataError, match="early stopping holds out 5 of 3 rows"):
        HistGradientBoostingRegressor(early_stopping=True, validation_fraction=5).fit([[1], [2], [3]], [1, 2, 3])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_levels_that_say_all_are_learnt_until_hessians_vanish(n_jobs, monkeypatch):
    monkeypatch.setattr("probus.ensemble.boosting._grower._WORTH_A_THREAD", 1)
    level = np.arange(4000) % 8
    X, y = np.column_stack([level, level % 3]).astype(float), level > 3
    model = HistGradientBoostingClassifier(
        learning_rate=1.0,
        max_iter=60,
        min_hessian=0.0,
        categorical_features=[0, 1],
        early_stopping=False,
        n_jobs=n_jobs,
    ).fit(X, y)
    assert model.score(X, y) == 1.0
