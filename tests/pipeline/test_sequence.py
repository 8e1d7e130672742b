"""``a >> b``: scikit-learn's Pipeline in all that scikit-learn does with it, and values beside the rows travel."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from probus.data import Column, Task
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsClassifier
from probus.pipeline import Node, Sequence, sequence, tabular
from probus.preprocessing import TableEncoder, TypedImputer

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def test_the_operator_joins_ours_with_ours_and_with_others():
    for model in (
        TypedImputer() >> TableEncoder() >> GaussianNB(),
        StandardScaler() >> GaussianNB(),  # scikit-learn's on the left
        TypedImputer() >> StandardScaler() >> SVC(),
        TypedImputer() >> (TableEncoder() >> GaussianNB()),
        sequence(StandardScaler(), SVC()),
        Node(StandardScaler()) >> MinMaxScaler() >> SVC(),
    ):
        assert isinstance(model, Sequence)
        assert isinstance(model, Pipeline)
        assert len(model.fit(X, Y).predict(X)) == len(X)


def test_it_predicts_and_behaves_as_scikit_learns_pipeline():
    ours, theirs = StandardScaler() >> GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())
    np.testing.assert_array_equal(ours.fit(X, Y).predict_proba(X), theirs.fit(X, Y).predict_proba(X))
    assert ours.get_params().keys() == theirs.get_params().keys()
    assert list(ours.named_steps) == ["standardscaler", "gaussiannb"]
    assert type(ours[:-1]) is Sequence
    assert clone(ours).set_params(gaussiannb__var_smoothing=0.1)[1].var_smoothing == 0.1
    search = GridSearchCV(ours, {"gaussiannb__var_smoothing": [1e-9, 1.0]}, cv=2).fit(X, Y)
    assert search.best_params_.keys() == {"gaussiannb__var_smoothing"}
    assert cross_val_score(ours, X, Y, cv=2).shape == (2,)


def test_set_output_and_names_pass_through(shop):
    frame = shop.select("age", "spent").to_pandas()
    scaled = (Node(StandardScaler()) >> MinMaxScaler()).set_output(transform="pandas").fit_transform(frame)
    assert list(scaled.columns) == ["age", "spent"]
    names = (TableEncoder() >> StandardScaler()).fit(shop.to_pandas()).get_feature_names_out()
    assert {"age", "town_Bonn"} <= set(names)


def test_repeated_names_are_numbered_and_given_names_kept():
    steps = (Node(StandardScaler(), "centre") >> StandardScaler() >> StandardScaler()).named_steps
    assert list(steps) == ["centre", "standardscaler", "standardscaler_2"]


def test_metadata_routing_is_scikit_learns():
    weights = np.linspace(0.1, 2, len(X))
    with config_context(enable_metadata_routing=True):
        model = StandardScaler().set_fit_request(sample_weight=False) >> GaussianNB().set_fit_request(
            sample_weight=True
        )
        routed = model.fit(X, Y, sample_weight=weights)
    expected = GaussianNB().fit(StandardScaler().fit_transform(X), Y, sample_weight=weights)
    np.testing.assert_allclose(routed[-1].theta_, expected.theta_)


# -- values beside the rows ----------------------------------------------------------------------------


def test_weights_reach_every_step_that_takes_them():
    """So a weight of 2 is that row twice, for the scaler too."""
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    weighted = (StandardScaler() >> LogisticRegression()).fit(X, Y, sample_weight=weights.astype(float))
    twice = (StandardScaler() >> LogisticRegression()).fit(X[repeated], Y[repeated])
    np.testing.assert_allclose(weighted[0].mean_, twice[0].mean_)
    np.testing.assert_allclose(weighted.predict_proba(X), twice.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    "union",
    [
        ColumnTransformer([("scale", StandardScaler(), [0, 1])]),
        FeatureUnion([("scale", StandardScaler()), ("pca", PCA(2))]),
        FeatureUnion([("scale", make_pipeline(StandardScaler())), ("same", "passthrough")]),
        FeatureUnion([("scale", StandardScaler()), ("same", "passthrough")]),
    ],
)
def test_weights_pass_by_a_union_of_scikit_learn_that_refuses_them(union):
    weights = np.linspace(0.1, 2, len(X))
    weighted = sequence(union, LogisticRegression()).fit(X, Y, sample_weight=weights)
    alone = LogisticRegression().fit(clone(union).fit_transform(X), Y, sample_weight=weights)
    np.testing.assert_allclose(weighted[-1].coef_, alone.coef_)


def test_weights_reach_the_parts_of_a_feature_union_that_all_take_them():
    weights = np.linspace(0.1, 2, len(X))
    union = FeatureUnion([("scale", StandardScaler()), ("none", "drop")])
    model = sequence(union, LogisticRegression()).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(model[0]["scale"].mean_, np.average(X, axis=0, weights=weights))


def test_groups_and_sensitive_features_reach_the_steps_that_ask(recorder):
    groups, sex = np.arange(40) // 4, np.array(list("mf") * 20)
    model = (recorder >> GaussianNB()).fit(X, Y, groups=groups, sensitive_features=sex)
    given = model[0].fitted_on_
    assert given["groups"] is groups
    assert given["sensitive"] is sex
    assert given["w"] is None


def test_a_task_brings_its_roles_and_they_are_no_features(shop, bought, recorder):
    weight = Column.numbers("w", np.arange(60.0) + 1)
    family = Column.labels("family", [f"f{i % 9}" for i in range(60)])
    table = shop.with_columns(weight, family, Column.labels("bought", bought.tolist()))
    task = Task(table, "bought", weight="w", group="family", sensitive="sex")
    model = (TableEncoder() >> recorder >> GaussianNB()).fit(task)
    given = model[1].fitted_on_
    np.testing.assert_array_equal(given["w"], np.arange(60.0) + 1)
    assert given["groups"].tolist() == task.groups.tolist()
    assert given["sensitive"].names == ("sex",)
    assert list(model.feature_names_in_) == ["age", "spent", "town", "sex"]


def test_weights_for_a_model_that_takes_none_are_an_error():
    with pytest.raises(TypeError, match="KNeighborsClassifier does not support sample weights"):
        (StandardScaler() >> KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(40))


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"sample_weight": -np.ones(40)}, "Negative values"),
        ({"sample_weight": np.ones(3)}, "40"),
        ({"X_val": X}, "X_val without the others"),
        ({"speed": 3}, "does not accept the parameter 'speed'"),
        ({"X_val": X, "y_val": Y}, "GaussianNB takes no validation rows"),
    ],
)
def test_what_fit_cannot_use_is_an_error(params, text):
    with pytest.raises(ValueError, match=text):
        (StandardScaler() >> GaussianNB()).fit(X, Y, **params)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: sequence(), "a sequence of no parts"),
        (lambda: GaussianNB() >> GaussianNB(), "'gaussiannb'.*has no transform, and is not the last"),
        (lambda: TypedImputer() >> StandardScaler, r"Pass StandardScaler\(\)"),
        (lambda: TypedImputer() >> 3, "found 3"),
    ],
)
def test_what_is_no_sequence_is_an_error(build, text):
    with pytest.raises(DataError, match=text):
        build()


def test_tabular_pipelines_are_sequences(shop, bought):
    weights = np.linspace(1, 2, 60)
    model = tabular(LogisticRegression())
    assert isinstance(model, Sequence)
    model.fit(shop, bought, sample_weight=weights)
    columns = model[:-2].transform(shop).numbers()
    np.testing.assert_allclose(model["scale"].mean_, np.average(columns, axis=0, weights=weights))
