"""Validation rows pass through the fitted preparation, and never take part in fitting it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier as TheirHist
from sklearn.preprocessing import StandardScaler

from probus.data import Table
from probus.ensemble import (
    BlendingClassifier,
    BlendingRegressor,
    BoostingClassifier,
    BoostingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from probus.errors import DataError
from probus.naive_bayes import GaussianNB
from probus.pipeline import Graph, branch, choose, sequence, tabular, union
from probus.preprocessing import TableEncoder

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + RNG.normal(size=200) > 0).astype(int)
TRAIN, HELD = np.arange(150), np.arange(150, 200)
FEW = {"max_iter": 20, "early_stopping": True, "n_iter_no_change": 3, "random_state": 0}


@pytest.mark.parametrize("model", [HistGradientBoostingClassifier(**FEW), TheirHist(**FEW)], ids=["ours", "theirs"])
def test_validation_rows_are_transformed_by_the_fitted_steps(model):
    scaler = StandardScaler().fit(X[TRAIN])
    expected = type(model)(**FEW).fit(
        scaler.transform(X[TRAIN]), Y[TRAIN], X_val=scaler.transform(X[HELD]), y_val=Y[HELD]
    )
    for whole in (sequence(StandardScaler(), model), branch(StandardScaler(), choose(a=StandardScaler())) >> model):
        whole.fit(X[TRAIN], Y[TRAIN], X_val=X[HELD], y_val=Y[HELD])
        if hasattr(whole, "steps"):
            np.testing.assert_array_equal(whole[-1].validation_score_, expected.validation_score_)
        else:
            assert whole.named_nodes_["oneof"].chosen_.n_samples_seen_ == 150
            assert len(whole.named_nodes_[whole.nodes[-1][0]].validation_score_) > 1


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingClassifier(**FEW, validation_fraction=0.2),
        TheirHist(**FEW, validation_fraction=0.2),
        GradientBoostingRegressor(n_estimators=5, n_iter_no_change=2, validation_fraction=0.2, random_state=0),
    ],
    ids=["hist", "theirs", "gradient"],
)
def test_rows_that_a_model_holds_out_do_not_reach_the_preparation(model, recorder):
    rows = np.column_stack([np.arange(200.0), X])  # the first column is the number of the row
    for whole in (recorder >> choose(same="passthrough") >> model, branch(recorder, "passthrough") >> model):
        whole.fit(rows, Y)
        part = whole[0] if hasattr(whole, "steps") else whole.named_nodes_["recorder"]
        seen = part.fitted_on_["X"][:, 0].astype(int)
        assert len(seen) == 160
        assert len(set(seen)) == 160
    held = np.setdiff1d(np.arange(200), seen)
    if "Regressor" not in type(model).__name__:
        assert abs(Y[held].mean() - Y.mean()) < 0.02  # stratified
    whole = sequence(recorder, model)
    again = whole.fit(rows, Y)[0].fitted_on_["X"]
    np.testing.assert_array_equal(whole.fit(rows, Y)[0].fitted_on_["X"], again)  # the seed of the model decides


def test_models_at_the_end_of_choices_and_sequences_hold_out_rows_first(recorder):
    stopping = HistGradientBoostingClassifier(**FEW, validation_fraction=0.2)
    ends = [choose(boost=stopping), StandardScaler() >> stopping, tabular(stopping), branch(PCA(1), PCA(2)) >> stopping]
    for end in ends:
        graph = Graph([("recorder", recorder, "input"), ("end", end, "recorder")]).fit(X, Y)
        assert len(graph.named_nodes_["recorder"].fitted_on_["X"]) == 160


def test_groups_are_held_out_whole_and_weights_go_with_their_rows(recorder):
    groups, weights = np.arange(200) // 10, np.arange(200.0) + 1
    rows = np.column_stack([np.arange(200.0), X])
    model = recorder >> HistGradientBoostingClassifier(**FEW, validation_fraction=0.25)
    model.fit(rows, Y, groups=groups, sample_weight=weights)
    given = model[0].fitted_on_
    assert set(given["groups"]).isdisjoint(np.setdiff1d(groups, given["groups"]))
    assert len(set(given["groups"])) == 15
    np.testing.assert_array_equal(given["w"], given["X"][:, 0] + 1)


def test_an_encoding_by_the_target_does_not_leak_into_the_stopping():
    """A column of 100 levels without meaning: coded by the target of all rows, validation rows look predictable."""
    levels = [f"v{i}" for i in RNG.integers(100, size=400)]
    noise = RNG.integers(2, size=400)
    model = HistGradientBoostingClassifier(max_iter=10, early_stopping=True, validation_fraction=0.5, random_state=0)
    leaking = TableEncoder("impact", random_state=0).fit(Table.of({"v": levels}), noise)
    coded = leaking.transform(Table.of({"v": levels})).numbers()
    honest = (TableEncoder("impact", random_state=0) >> model).fit(Table.of({"v": levels}), noise)
    leaked = clone(model).fit(coded, noise)
    assert leaked.validation_score_.max() - leaked.validation_score_[0] > 0.02
    assert honest[-1].validation_score_.max() - honest[-1].validation_score_[0] < 0.01


def test_a_level_of_one_held_out_row_does_no_harm():
    """Unseen levels are an error in these tests."""
    towns = Table.of({"x": X[:, 0], "town": [f"t{i // 4}" for i in range(200)]}, {"town": "nominal"})
    model = HistGradientBoostingClassifier(max_iter=3, early_stopping=True, random_state=0)
    for whole in (TableEncoder("impact") >> model, branch(TableEncoder("impact"), "passthrough") >> model):
        assert whole.fit(towns, Y).predict_proba(towns).shape == (200, 2)


class Doubled(TransformerMixin, BaseEstimator):
    """A transformer as users write them: it has no fitted attributes."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * np.asarray(X)


def test_a_transformer_without_fitted_attributes_may_come_before_early_stopping():
    model = HistGradientBoostingClassifier(**FEW)
    whole = sequence(StandardScaler(), Doubled(), model).fit(X, Y)
    assert whole[0].n_samples_seen_ < len(X)
    assert len(whole[-1].validation_score_) > 1


def test_nothing_is_held_out_where_the_model_does_not_stop_early(recorder):
    for model in (
        HistGradientBoostingClassifier(max_iter=3),
        GradientBoostingRegressor(n_estimators=3),
        BoostingClassifier(n_estimators=3),
    ):
        assert len((recorder >> model).fit(X, Y)[0].fitted_on_["X"]) == 200


def test_boosting_that_chooses_its_rounds_on_held_out_rows(recorder, monkeypatch):
    """It holds out a tenth of many rows; fewer here, to be quick."""
    monkeypatch.setattr("probus.pipeline._validation_rows.LARGE", 150)
    monkeypatch.setattr("probus.ensemble.boosting._automatic.MOST", 5)
    for model in (BoostingClassifier(random_state=0), BoostingRegressor(random_state=0)):
        whole = (recorder >> model).fit(X, Y)
        assert len(whole[0].fitted_on_["X"]) == 180
        assert len(whole[-1].validation_score_) > 1


@pytest.mark.parametrize("y", [None, Y[:150]])
def test_a_target_that_does_not_fit_is_an_error_of_the_model(y):
    with pytest.raises(ValueError, match=r"y|samples|rows"):
        sequence(StandardScaler(), HistGradientBoostingClassifier(**FEW)).fit(X, y)


def test_the_only_row_of_a_class_is_not_held_out():
    y = np.where(np.arange(200) == 3, "rare", np.where(Y, "yes", "no"))
    for seed in range(30):
        model = HistGradientBoostingClassifier(max_iter=2, early_stopping=True, random_state=seed)
        assert sequence(StandardScaler(), model).fit(X, y).classes_.tolist() == ["no", "rare", "yes"]


def test_a_transformer_takes_no_validation_rows():
    with pytest.raises(DataError, match="X_val and y_val in fit_transform"):
        sequence(StandardScaler(), PCA()).fit_transform(X, Y, X_val=X, y_val=Y)


def test_lightgbm_gets_them_as_eval_set():
    lightgbm = pytest.importorskip("lightgbm", reason="needs LightGBM")
    model = lightgbm.LGBMClassifier(n_estimators=50, early_stopping_rounds=2, verbose=-1, n_jobs=1)
    whole = sequence(StandardScaler(), model).fit(X[TRAIN], Y[TRAIN], X_val=X[HELD], y_val=Y[HELD])
    assert 1 <= whole[-1].best_iteration_ < 50


def test_xgboost_works_as_a_node(shop, bought):
    xgboost = pytest.importorskip("xgboost", reason="needs XGBoost")
    model = xgboost.XGBClassifier(n_estimators=20, early_stopping_rounds=2, n_jobs=1)
    labels = (bought == "yes").astype(int)
    graph = branch(StandardScaler(), "passthrough") >> union() >> model
    numbers = shop.select("age", "spent")
    graph.fit(numbers, labels, X_val=numbers, y_val=labels, sample_weight=np.ones(60))
    assert graph.score(numbers, labels) > 0.7


# -- members of ensembles ------------------------------------------------------------------------------


def ensembles(stopping, other):
    members = [("boost", stopping), ("other", other)]
    if "Regressor" in type(stopping).__name__:
        return [VotingRegressor(members), StackingRegressor(members, cv=2), BlendingRegressor(members, random_state=0)]
    return [
        VotingClassifier(members, voting="soft"),
        StackingClassifier(members, cv=2),
        BlendingClassifier(members, random_state=0),
    ]


def test_members_that_stop_early_get_the_validation_rows():
    stopping, other = HistGradientBoostingClassifier(**FEW), HistGradientBoostingClassifier(max_iter=3)
    alone = clone(stopping).fit(X[TRAIN], Y[TRAIN], X_val=X[HELD], y_val=Y[HELD])
    labels = np.array(["no", "yes"])[Y]
    for model in ensembles(stopping, other):
        model.fit(X[TRAIN], labels[TRAIN], X_val=X[HELD], y_val=labels[HELD])
        np.testing.assert_array_equal(model.estimators_[0].validation_score_, alone.validation_score_)
        assert model.estimators_[1].n_iter_ == 3
    numbers = X[:, 0] + RNG.normal(size=200)
    stopping = GradientBoostingRegressor(n_estimators=20, n_iter_no_change=2, learning_rate=0.9, random_state=0)
    alone = clone(stopping).fit(X[TRAIN], numbers[TRAIN], X_val=X[HELD], y_val=numbers[HELD])
    for model in ensembles(stopping, GradientBoostingRegressor(n_estimators=2)):
        model.fit(X[TRAIN], numbers[TRAIN], X_val=X[HELD], y_val=numbers[HELD])
        np.testing.assert_array_equal(model.estimators_[0].predict(X), alone.predict(X))
        assert len(model.estimators_[0].estimators_) < 20


def test_weights_of_validation_rows_reach_members_and_rows_of_weight_zero_do_not_shift_them():
    stopping, weights = HistGradientBoostingClassifier(**FEW), np.arange(150) % 3.0
    given = {"X_val": X[:150], "y_val": Y[:150], "sample_weight_val": np.arange(150.0)}  # as many as training rows
    kept = weights > 0
    alone = clone(stopping).fit(X[TRAIN][kept], Y[TRAIN][kept], weights[kept], **given)
    for model in ensembles(stopping, GaussianNB()):
        model.fit(X[TRAIN], Y[TRAIN], weights, **given)
        np.testing.assert_array_equal(model.estimators_[0].validation_score_, alone.validation_score_)


def test_rows_that_a_member_holds_out_do_not_reach_the_preparation(recorder):
    stopping = HistGradientBoostingClassifier(**FEW, validation_fraction=0.2)
    more = HistGradientBoostingClassifier(**FEW, validation_fraction=0.3)
    rows = np.column_stack([np.arange(200.0), X])
    for ensemble in ensembles(stopping, GaussianNB()):
        for whole in (recorder >> ensemble, branch(recorder, "passthrough") >> ensemble):
            whole.fit(rows, Y)
            part = whole[0] if hasattr(whole, "steps") else whole.named_nodes_["recorder"]
            last = whole[-1] if hasattr(whole, "steps") else whole.nodes_[-1]
            assert len(part.fitted_on_["X"]) == 160
            assert len(last.estimators_[0].validation_score_) > 1
    for ensemble in ensembles(stopping, StandardScaler() >> more):  # the largest share, once for all members
        assert len((recorder >> ensemble).fit(rows, Y)[0].fitted_on_["X"]) == 140
    for ensemble in ensembles(HistGradientBoostingClassifier(max_iter=2), GaussianNB()):
        assert len((recorder >> ensemble).fit(rows, Y)[0].fitted_on_["X"]) == 200


def test_nothing_is_held_out_for_members_that_are_fitted_already(recorder):
    member = HistGradientBoostingClassifier(**FEW).fit(X, Y)
    prefit = StackingClassifier([("boost", member)], cv="prefit")
    assert len(sequence(recorder, prefit).fit(X, Y)[0].fitted_on_["X"]) == 200


def test_a_class_that_a_fold_of_stacking_lacks_leaves_its_validation_rows_out():
    labels = Y.copy()
    labels[0] = 2
    stopping = HistGradientBoostingClassifier(**FEW)
    folds = [(np.arange(75, 150), np.arange(75)), (np.arange(75), np.arange(75, 150))]
    model = StackingClassifier([("boost", stopping)], cv=folds)
    given = {"X_val": X[HELD], "y_val": np.r_[labels[HELD][:-1], 2]}
    assert model.fit(X[TRAIN], labels[TRAIN], **given).predict_proba(X).shape == (200, 3)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"X_val": X}, "X_val is provided, but y_val was not provided"),
        ({"X_val": X, "y_val": Y + 5}, "y_val contains 5, which y does not"),
        ({"X_val": X[:, :2], "y_val": Y}, "X has 2 features"),
    ],
)
def test_validation_rows_that_do_not_fit_are_refused(given, text):
    for model in ensembles(HistGradientBoostingClassifier(**FEW), GaussianNB()):
        with pytest.raises(ValueError, match=text):
            model.fit(X, Y, **given)


def test_validation_rows_that_no_member_uses_are_refused():
    for model in ensembles(HistGradientBoostingClassifier(early_stopping=False), GaussianNB()):
        with pytest.raises(DataError, match="none stops early: HistGradientBoostingClassifier and GaussianNB"):
            model.fit(X, Y, X_val=X, y_val=Y)
