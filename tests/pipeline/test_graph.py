"""Graphs: what flows between nodes, checks of their shape, and equality with scikit-learn's ways to say the same."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import probus
from probus.data import Column, Kind, Table, Task
from probus.datasets import mtcars
from probus.dummy import ZeroRClassifier
from probus.ensemble import StackingClassifier, VotingClassifier
from probus.errors import DataError, ProbusError
from probus.linear_model import LinearRegression
from probus.model_selection._model_input import prepared, rows_for
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.pipeline import (
    Branches,
    Graph,
    Node,
    OneOf,
    Select,
    Sequence,
    average,
    branch,
    by_kind,
    choose,
    select,
    sequence,
    stack,
    union,
)
from probus.preprocessing import TableEncoder, TypedImputer
from probus.tree import DecisionTreeClassifier

NUMBERS = np.random.default_rng(0).normal(size=(50, 3))
CLASSES = np.where(NUMBERS[:, 0] - NUMBERS[:, 1] > 0, "yes", "no")


def names_in(graph):
    return [name for name, _, _ in graph.nodes]


# -- the same numbers as scikit-learn ------------------------------------------------------------------


def test_split_by_kind_is_a_column_transformer(shop, bought):
    graph = by_kind(numeric=StandardScaler(), rest=OneHotEncoder()) >> union() >> LogisticRegression()
    theirs = make_pipeline(
        ColumnTransformer([("n", StandardScaler(), ["age", "spent"]), ("c", OneHotEncoder(), ["town", "sex"])]),
        LogisticRegression(),
    )
    expected = theirs.fit(shop.to_pandas(), bought).predict_proba(shop.to_pandas())
    for data in (shop, shop.to_pandas(), shop.to_polars()):
        np.testing.assert_allclose(graph.fit(data, bought).predict_proba(data), expected, atol=1e-12)
    assert graph.score(shop, bought) == theirs.score(shop.to_pandas(), bought)
    assert graph.classes_.tolist() == ["no", "yes"]


def test_a_union_of_arrays_is_a_feature_union():
    graph = sequence(branch(PCA(2), SelectKBest(k=1)), union())
    theirs = FeatureUnion([("pca", PCA(2)), ("best", SelectKBest(k=1))])
    np.testing.assert_allclose(
        graph.fit_transform(NUMBERS, CLASSES), theirs.fit_transform(NUMBERS, CLASSES), atol=1e-12
    )
    assert graph.get_feature_names_out().tolist() == ["pca0", "pca1", "x0"]


def test_sparse_outputs_stay_sparse():
    codes = np.array([[0.0, 1.0], [1.0, 2.0], [0.0, 3.0]])
    graph = sequence(branch(OneHotEncoder(), "passthrough"), union()).fit(codes)
    found = graph.transform(codes)
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), np.hstack([OneHotEncoder().fit_transform(codes).toarray(), codes]))


def test_a_model_inside_passes_on_cross_validated_predictions():
    """What the final model is trained on is ``cross_val_predict``: no row is predicted by a model fitted on it."""
    graph = Graph(
        [("bayes", GaussianNB(), "input"), ("join", "passthrough", ["bayes", "input"]), ("final", Kept(), "join")]
    ).fit(NUMBERS, CLASSES)
    folds = StratifiedKFold(5)
    expected = cross_val_predict(GaussianNB(), NUMBERS, CLASSES, cv=folds, method="predict_proba")[:, 1]
    seen = graph.named_nodes_["final"].seen_
    np.testing.assert_allclose(seen[:, 0], expected)
    np.testing.assert_array_equal(seen[:, 1:], NUMBERS)
    whole = GaussianNB().fit(NUMBERS, CLASSES).predict_proba(NUMBERS)[:, 1]
    np.testing.assert_allclose(graph._at_sink(NUMBERS)[:, 0], whole)


def test_ensembles_and_models_without_probabilities_inside_are_cross_validated_too(nearest):
    """``transform`` of a voting ensemble has predictions for the rows that it was fitted on."""
    voting = VotingClassifier([("a", GaussianNB()), ("b", ZeroRClassifier())], voting="soft")
    graph = Graph([("both", voting, "input"), ("final", Kept(), "both")]).fit(NUMBERS, CLASSES)
    expected = cross_val_predict(voting, NUMBERS, CLASSES, cv=StratifiedKFold(5), method="predict_proba")[:, 1:]
    np.testing.assert_allclose(graph.named_nodes_["final"].seen_, expected)
    three = np.arange(50) % 3
    first = [("near", nearest, "input"), ("line", LinearRegression(), "input")]
    graph = Graph([*first, ("final", Kept(), ["near", "line"])])
    seen = graph.fit(NUMBERS, three).named_nodes_["final"].seen_
    codes = cross_val_predict(nearest, NUMBERS, three, cv=StratifiedKFold(5))
    np.testing.assert_array_equal(seen[:, :3], np.eye(3)[codes])
    np.testing.assert_allclose(seen[:, 3], cross_val_predict(LinearRegression(), NUMBERS, three, cv=KFold(5)))
    names = Graph([*first, ("join", "passthrough", ["near", "line"])]).fit(NUMBERS, three)
    assert names.get_feature_names_out().tolist() == ["near_0", "near_1", "near_2", "line"]
    assert names.transform(NUMBERS).shape == (50, 4)


def test_whole_groups_are_held_out_for_predictions_inside():
    groups = np.arange(50) // 5
    graph = Graph([("tree", DecisionTreeClassifier(), "input"), ("final", Kept(), "tree")])
    noise = np.random.default_rng(1).permutation(CLASSES.reshape(10, 5)).ravel()
    rows = np.repeat(np.arange(10.0), 5)[:, None]  # a group's rows are equal: a tree would know its class by heart
    labels = np.repeat(noise[::5], 5)
    inside = graph.fit(rows, labels, groups=groups).named_nodes_["final"].seen_[:, 0]
    assert ((inside > 0.5) == (labels == "yes")).mean() < 1


class Kept(GaussianNB):
    """Keeps what it was fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = np.asarray(X)
        return super().fit(X, y, sample_weight)


def test_branches_of_models_are_averaged_or_stacked():
    members = [("gaussiannb", GaussianNB()), ("decisiontree", DecisionTreeClassifier(max_depth=2))]
    both = branch(GaussianNB(), DecisionTreeClassifier(max_depth=2))
    mean = (both >> average(weights=[2, 1])).fit(NUMBERS, CLASSES).predict_proba(NUMBERS)
    voting = VotingClassifier(members, voting="soft", weights=[2, 1]).fit(NUMBERS, CLASSES)
    np.testing.assert_array_equal(mean, voting.predict_proba(NUMBERS))
    stacked = both >> stack(GaussianNB(), cv=3)
    assert isinstance(stacked, StackingClassifier)
    assert [name for name, _ in stacked.estimators] == ["gaussiannb", "decisiontree"]
    behind = TypedImputer() >> branch(a=GaussianNB(), b=ZeroRClassifier()) >> average()
    assert isinstance(behind, Sequence)
    assert behind.fit(NUMBERS, CLASSES).get_params()["votingclassifier__a__var_smoothing"] == 1e-9


# -- types ---------------------------------------------------------------------------------------------


def test_kinds_flow_to_nodes_that_take_them(shop, bought):
    graph = branch(select(kind="numeric") >> TypedImputer(), select(kind=["nominal", "binary"])) >> union()
    out = graph.fit(shop).transform(shop)
    assert out.kinds == {**shop.kinds}
    assert (graph >> NaiveBayes()).fit(shop, bought).named_nodes_["naivebayes"].schema_ == shop.schema
    for library in ("pandas", "polars"):
        frame = clone(graph).set_output(transform=library).fit(shop).transform(shop)
        assert type(frame).__module__.startswith(library)
        assert list(frame.columns) == ["age", "spent", "town", "sex"]


def test_other_libraries_get_frames_with_names(shop, bought, recorder, nearest):
    graph = branch(recorder, StandardScaler()) >> union() >> nearest
    numbers = shop.select("age", "spent")
    graph.fit(numbers, bought)
    assert list(graph.named_nodes_["recorder"].fitted_on_["X"].columns) == ["age", "spent"]
    assert graph.predict(numbers.to_pandas()).shape == (60,)
    assert set(graph.predict(numbers)) <= {"no", "yes"}


def test_columns_are_found_by_name_and_a_missing_one_is_named(shop, bought):
    for sink, data in ((NaiveBayes(), shop), (LogisticRegression(), shop.select("age", "spent").to_pandas())):
        graph = branch(StandardScaler(), "passthrough") >> union() >> sink
        graph = graph if data is not shop else branch(TypedImputer(), "passthrough") >> union() >> sink
        graph.fit(data, bought)
        turned = Table.of(data, infer=False).select(*reversed(graph.feature_names_in_.tolist()))
        given = turned if data is shop else turned.to_pandas()
        np.testing.assert_array_equal(graph.predict(given), graph.predict(data))
        with pytest.raises(ProbusError, match="'age'"):
            graph.predict(turned.drop("age") if data is shop else turned.drop("age").to_pandas())


def test_columns_of_one_name_are_prefixed(shop):
    out = (branch(StandardScaler(), select(columns="age")) >> union()).fit_transform(shop.select("age", "spent"))
    assert out.names == ("standardscaler__age", "spent", "select__age")


def test_a_branch_without_columns_is_left_out(shop, bought):
    graph = by_kind(numeric=StandardScaler(), text=OneHotEncoder()) >> union() >> GaussianNB()
    graph.fit(shop.select("age"), bought)
    assert graph.named_nodes_["onehotencoder"] == "passthrough"
    assert len(graph.predict(shop.head(3))) == 3
    with pytest.raises(DataError, match="no column reaches node 'gaussiannb'"):
        graph.fit(shop.select("town"), bought)


def test_select():
    table = mtcars().drop("name")
    assert Select(columns=["wt", "mpg"]).fit_transform(table).names == ("mpg", "wt")
    assert Select(columns=[0]).fit_transform(table.numbers()).shape == (32, 1)
    assert Select(kind=Kind.NUMERIC).fit(table).get_feature_names_out()[0] == "mpg"
    for given, text in (
        ({}, "neither kind nor columns"),
        ({"kind": "numeric", "columns": "wt"}, "kind and columns"),
        ({"kind": "number"}, "unknown kind 'number'"),
        ({"columns": "colour"}, "no column 'colour' to select"),
        ({"columns": []}, "a list of names"),
    ):
        with pytest.raises(DataError, match=text):
            Select(**given).fit(table)


# -- parameters ----------------------------------------------------------------------------------------


def test_parameters_have_the_names_of_nodes(shop, bought):
    graph = by_kind(numeric=StandardScaler(), rest=TableEncoder()) >> union() >> GaussianNB()
    assert names_in(graph) == ["select", "standardscaler", "select_2", "tableencoder", "union", "gaussiannb"]
    assert graph.get_params()["standardscaler__with_mean"] is True
    changed = clone(graph).set_params(gaussiannb__var_smoothing=0.5, standardscaler="passthrough")
    assert (changed.get_params()["gaussiannb__var_smoothing"], changed.nodes[1][1]) == (0.5, "passthrough")
    assert graph.nodes[1][1] != "passthrough"
    search = GridSearchCV(graph, {"gaussiannb__var_smoothing": [1e-9, 1.0]}, cv=2).fit(shop.to_pandas(), bought)
    assert search.best_estimator_.named_nodes_.gaussiannb.var_smoothing in (1e-9, 1.0)


def test_named_branches_are_one_node_and_graphs_join_graphs(shop, bought):
    inner = branch(StandardScaler(), "passthrough") >> union()
    graph = branch(numbers=select(kind="numeric") >> StandardScaler(), others=select(kind="nominal")) >> union()
    assert names_in(graph) == ["numbers", "others", "union"]
    assert "numbers__standardscaler__with_mean" in graph.get_params()
    joined = select(kind="numeric") >> inner >> branch(inner, StandardScaler()) >> union("all") >> GaussianNB()
    assert names_in(joined) == [
        "select", "standardscaler", "passthrough", "union", "standardscaler_2", "passthrough_2", "union_2",
        "standardscaler_3", "all", "gaussiannb",
    ]  # fmt: skip
    assert len(joined.fit(shop, bought).predict(shop)) == 60
    assert isinstance(branch(inner, "passthrough"), Branches)


def test_open_branches_may_be_put_behind_other_parts():
    opened = TypedImputer() >> branch(StandardScaler(), "passthrough")
    graph = Node(StandardScaler(), "first") >> opened >> GaussianNB()
    assert names_in(graph) == ["first", "typedimputer", "standardscaler", "passthrough", "gaussiannb"]
    assert graph.nodes[1][2] == ("first",)


def test_sparse_columns_become_dense_for_a_model_that_takes_none(shop, bought):
    graph = by_kind(numeric=StandardScaler(), rest=OneHotEncoder()) >> union() >> GaussianNB()
    dense = clone(graph).set_params(onehotencoder__sparse_output=False)
    np.testing.assert_array_equal(
        graph.fit(shop, bought).predict_proba(shop), dense.fit(shop, bought).predict_proba(shop)
    )


def test_dates_are_days_for_scalers_and_dates_for_functions(bought):
    when = np.datetime64("1970-01-01") + np.arange(60)
    frame = pd.DataFrame({"when": when.astype("datetime64[ns]"), "x": np.arange(60.0)})
    graph = TypedImputer() >> branch(StandardScaler(), FunctionTransformer(_months)) >> GaussianNB()
    graph.fit(frame, bought)
    assert graph.named_nodes_["standardscaler"].mean_[0] == 29.5
    assert graph.predict(frame).shape == (60,)


def _months(frame):
    return frame[["when"]].apply(lambda column: column.dt.month)


def test_without_pandas_other_libraries_get_polars_frames(shop, bought, recorder, monkeypatch):
    monkeypatch.setattr("probus.pipeline._flow.find_spec", lambda name: None)
    graph = branch(recorder, TypedImputer()) >> GaussianNB()
    graph.fit(shop.select("age"), bought)
    assert type(graph.named_nodes_["recorder"].fitted_on_["X"]).__module__.startswith("polars")


def test_a_choice_behaves_as_what_it_chooses(shop, bought):
    graph = Node(StandardScaler()) >> choose(pca=PCA(1), none="passthrough") >> GaussianNB()
    numbers = shop.select("age", "spent").numbers()
    for choice, width in (("pca", 1), ("none", 2)):
        fitted = clone(graph).set_params(oneof__choice=choice).fit(numbers, bought)
        assert fitted[:-1].transform(numbers).shape == (60, width)
        assert len(fitted[:-1].get_feature_names_out()) == width
    model = choose("tree", bayes=NaiveBayes(), tree=DecisionTreeClassifier(max_depth=1)).fit(shop, bought)
    assert model.chosen_.get_depth() == 1
    assert model.set_params(choice="bayes").fit(shop, bought).predict_proba(shop).shape == (60, 2)
    for wrong, text in (
        (OneOf([("a", NaiveBayes())], "b"), "choice='b'"),
        (OneOf([("a", NaiveBayes()), ("a", NaiveBayes())]), "two alternatives of the same name"),
        (OneOf([]), "at least one"),
    ):
        with pytest.raises(DataError, match=text):
            wrong.fit(shop, bought)


# -- shape ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([], "at least one"),
        (3, "nodes=3"),
        ([("a", "passthrough")], r"a node given as \('a', 'passthrough'\)"),
        ([("a", PCA, "input")], "node 'a' is <class"),
        ([("a", "drop", "input")], "node 'a' is 'drop'"),
        ([("a", "passthrough", 3)], "node 'a' with the inputs 3"),
        ([("a", "passthrough", ())], "names of nodes, or 'input'"),
        ([("a", "passthrough", "input"), ("a", "passthrough", "input")], "two nodes called 'a'"),
        ([("input", "passthrough", "input")], "a node called 'input'"),
        ([("nodes", "passthrough", "input")], "a node called 'nodes'"),
        ([("a__b", "passthrough", "input")], "a name without '__'"),
        ([("a", "passthrough", "c")], "node 'a' has the input 'c', which no node is called"),
        ([("a", "passthrough", ["input", "input"])], "the same input twice"),
        ([("a", "passthrough", "b"), ("b", "passthrough", "a")], "'a', 'b' form a cycle"),
        ([("a", "passthrough", "a")], "'a' form a cycle"),
        ([("a", PCA(), "input"), ("b", GaussianNB(), "input")], "2 nodes whose output nothing uses: 'a', 'b'"),
    ],
)
def test_what_is_no_graph_is_an_error(nodes, text):
    with pytest.raises(DataError, match=text):
        Graph(nodes).fit(NUMBERS, CLASSES)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: branch(PCA()), "a branch into 1 part"),
        (lambda: TypedImputer() >> union(), r"union\(\) after a single part"),
        (lambda: average() >> TypedImputer(), r"average\(\) without branches before it"),
        (lambda: branch(PCA(), GaussianNB()) >> average(), "only classifiers, or only regressors"),
        (lambda: branch(GaussianNB(), LinearRegression()) >> stack(), "only classifiers, or only regressors"),
        (lambda: branch(a=PCA(), b=PCA()) >> union("a"), "two nodes called 'a'"),
        (lambda: by_kind(), "by_kind without kinds"),
        (lambda: by_kind(words=PCA()), "unknown kind 'words'"),
        (lambda: branch(PCA, PCA), r"Pass PCA\(\)"),
    ],
)
def test_what_cannot_be_joined_is_an_error(build, text):
    with pytest.raises(DataError, match=text):
        build()


def test_nodes_may_be_listed_in_any_order_and_need_not_be_series_parallel():
    graph = Graph(
        [
            ("model", GaussianNB(), ["both", "pca"]),
            ("both", "passthrough", ["scale", "pca"]),
            ("pca", PCA(1), "scale"),
            ("scale", StandardScaler(), "input"),
        ]
    ).fit(NUMBERS, CLASSES)
    assert [node.name for node in graph.shape().order] == ["scale", "pca", "both", "model"]
    assert graph.named_nodes_["model"].n_features_in_ == 5


def test_a_node_that_loses_rows_or_returns_no_table_is_named():
    for function, text in ((lambda X: X[:3], "node 'bad' returned 3 rows for 50"), (lambda X: [1], "returned a list")):
        graph = Graph([("bad", FunctionTransformer(function), "input"), ("model", GaussianNB(), "bad")])
        with pytest.raises(DataError, match=text):
            graph.fit(NUMBERS, CLASSES)


def test_weights_and_groups_reach_the_nodes_that_take_them(recorder, bought, shop):
    weights = np.linspace(1, 3, 60)
    graph = branch(recorder, StandardScaler()) >> union() >> GaussianNB()
    graph.fit(shop.select("age"), bought, sample_weight=weights, groups=np.arange(60))
    np.testing.assert_array_equal(graph.named_nodes_["recorder"].fitted_on_["w"], weights)
    assert graph.named_nodes_["recorder"].fitted_on_["groups"][3] == 3
    expected = np.average(shop["age"].values, weights=weights)
    assert graph.named_nodes_["standardscaler"].mean_[0] == pytest.approx(expected)
    nb = GaussianNB().fit(np.column_stack([shop["age"].values] * 2), bought, sample_weight=weights)
    np.testing.assert_allclose(graph.named_nodes_["gaussiannb"].class_prior_, nb.class_prior_)
    with pytest.raises(TypeError, match="Nearest does not support sample weights"):
        (branch(PCA(1), "passthrough") >> union() >> Nearest()).fit(NUMBERS, CLASSES, sample_weight=np.ones(50))
    assert not Graph([("model", Nearest(), "input")]).accepts.weights


class Nearest(ZeroRClassifier):
    """A model that takes no weights."""

    from probus.base import Accepts

    accepts = Accepts()

    def fit(self, X, y):
        return super().fit(X, y)


def test_metadata_routing_decides_where_it_is_enabled(recorder):
    weights = np.linspace(1, 2, 50)
    with config_context(enable_metadata_routing=True):
        bayes = GaussianNB().set_fit_request(sample_weight=True)
        quiet = recorder.set_fit_request(sample_weight=False, groups=False, sensitive_features=False)
        graph = branch(quiet, "passthrough") >> union() >> choose(bayes=bayes, none=ZeroRClassifier())
        graph.fit(NUMBERS, CLASSES, sample_weight=weights)
        scores = cross_validate(graph, NUMBERS, CLASSES, cv=2, params={"sample_weight": weights})
    assert graph.named_nodes_["recorder"].fitted_on_["w"] is None
    expected = GaussianNB().fit(NUMBERS, CLASSES, sample_weight=weights)
    np.testing.assert_allclose(graph.named_nodes_["oneof"].chosen_.class_prior_, expected.class_prior_)
    assert np.isfinite(scores["test_score"]).all()


def test_parameters_for_single_nodes_reach_them_and_unknown_nodes_are_named(recorder):
    graph = branch(recorder, "passthrough") >> GaussianNB()
    graph.fit(NUMBERS, CLASSES, recorder__groups=np.arange(50))
    assert graph.named_nodes_["recorder"].fitted_on_["groups"][2] == 2
    with pytest.raises(DataError, match="the parameter 'recroder__groups'"):
        graph.fit(NUMBERS, CLASSES, recroder__groups=np.arange(50))


def test_resampling_leaves_the_preparation_to_the_graph(shop, bought):
    """Levels must reach the encoder of the graph, not be coded before it."""
    table = shop.with_columns(Column.labels("bought", bought.tolist()))
    task = Task(table, "bought", sensitive="sex")
    graph = TypedImputer() >> by_kind(numeric=StandardScaler(), rest=TableEncoder()) >> union() >> GaussianNB()
    for model, coder in ((graph, "tableencoder"), (TypedImputer() >> TableEncoder() >> GaussianNB(), "tableencoder")):
        ready = prepared(model, task)
        assert list(ready.named_steps) == ["model"]
        rows = rows_for(ready, task)
        inner = ready.fit(rows, task.y)["model"]
        fitted = inner.named_nodes_[coder] if isinstance(inner, Graph) else inner[coder]
        assert fitted.schema_["town"].kind is Kind.NOMINAL
    assert (probus.resample(graph, task, cv=3).scores() > 0.5).all()
    plain = sequence(StandardScaler(), GaussianNB())
    assert "encode" in prepared(plain, task).named_steps


def test_a_fit_that_fails_leaves_no_model():
    for model in (branch(PCA(1), "passthrough") >> GaussianNB(), choose(a=GaussianNB())):
        model.fit(NUMBERS, CLASSES)
        for bad in (NUMBERS * np.nan, np.ones((50, 2, 2))):
            with pytest.raises(ValueError, match=r"NaN|dim 3"):
                model.fit(bad, CLASSES)
            with pytest.raises(NotFittedError):
                model.predict(NUMBERS)


def test_a_task_trains_on_features_only(shop, bought):
    table = shop.with_columns(Column.numbers("w", np.ones(60)), Column.labels("bought", bought.tolist()))
    graph = by_kind(numeric=StandardScaler(), rest=TableEncoder()) >> union() >> GaussianNB()
    assert graph.fit(Task(table, "bought", weight="w")).feature_names_in_.tolist() == ["age", "spent", "town", "sex"]
    with pytest.raises(DataError, match="a Task together with y"):
        graph.fit(Task(table, "bought", weight="w"), bought)


# -- files ---------------------------------------------------------------------------------------------


def test_a_saved_graph_predicts_the_same(shop, bought, tmp_path):
    coded = by_kind(numeric=StandardScaler() >> TypedImputer(), rest=OneHotEncoder(), text="passthrough") >> union()
    graph = coded >> choose("pca", none="passthrough", pca=PCA(2)) >> branch(GaussianNB(), NaiveBayes()) >> average()
    loaded = probus.load(probus.save(graph.fit(shop, bought), tmp_path / "m"))
    np.testing.assert_array_equal(loaded.predict_proba(shop), graph.predict_proba(shop))
    assert names_in(loaded) == names_in(graph)
    steps = (TableEncoder() >> StandardScaler() >> GaussianNB()).fit(shop, bought)
    again = probus.load(probus.save(steps, tmp_path / "s"))
    assert type(again) is Sequence
    np.testing.assert_array_equal(again.predict_proba(shop), steps.predict_proba(shop))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda node: node["state"]["nodes_"].pop(), "1 fitted nodes"),
        (lambda node: node["state"].update(nodes_=["drop", "drop"]), "one of passthrough"),
        (lambda node: node["params"]["nodes"][0]["items"].__setitem__(2, "model"), "form a cycle"),
    ],
)
def test_a_forged_graph_is_refused(change, text, tmp_path):
    graph = Graph([("scale", StandardScaler(), "input"), ("model", GaussianNB(), "scale")]).fit(NUMBERS, CLASSES)
    with zipfile.ZipFile(probus.save(graph, tmp_path / "m")) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(entries["model.json"])
    change(document["model"])
    entries["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(probus.ModelFileError, match=text):
        probus.load(tmp_path / "m")


def test_parameters_changed_after_the_fit_do_no_harm_to_the_file(tmp_path):
    model = OneOf([("a", GaussianNB()), ("b", ZeroRClassifier())]).fit(NUMBERS, CLASSES)
    graph = Graph([("scale", StandardScaler(), "input"), ("model", GaussianNB(), "scale")]).fit(NUMBERS, CLASSES)
    for fitted in (model.set_params(choice="b"), graph.set_params(scale=PCA())):
        loaded = probus.load(probus.save(fitted, tmp_path / "m"))
        np.testing.assert_array_equal(loaded.predict_proba(NUMBERS), fitted.predict_proba(NUMBERS))
