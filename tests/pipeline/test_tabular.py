import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import probus
from probus.base import Accepts, Classifier
from probus.data import Column, Kind, Table, UnseenLevelWarning
from probus.dummy import OneRClassifier, ZeroRClassifier
from probus.errors import DataError
from probus.pipeline import TabularPipeline, tabular
from probus.preprocessing import DroppedColumnWarning, GowerImputer, TypedImputer

MODELS = [
    SVC(),
    LogisticRegression(),
    DecisionTreeClassifier(random_state=0),
    HistGradientBoostingClassifier(max_iter=5),
    MultinomialNB(),
    KNeighborsClassifier(),
    ZeroRClassifier(),
    OneRClassifier(),
    probus.naive_bayes.NaiveBayes(),
    probus.naive_bayes.GaussianNB(),
    probus.neighbors.KNeighborsClassifier(),
    probus.neighbors.KNeighborsClassifier(metric="gower"),
]
WEAK = (ZeroRClassifier, MultinomialNB, HistGradientBoostingClassifier)  # too weak for 200 rows in five rounds
each_model = pytest.mark.parametrize("model", MODELS, ids=str)


@pytest.fixture(autouse=True)
def one_thread():
    """Eighty rows are no work for several threads, which only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def people() -> Table:
    """Eighty rows of mixed kinds with missing values."""
    rng = np.random.default_rng(11)
    n = 80
    age = rng.normal(40, 10, n)
    age[rng.random(n) < 0.2] = np.nan

    def labels(*levels):
        return [None if rng.random() < 0.1 else levels[i] for i in rng.integers(len(levels), size=n)]

    return Table(
        [
            Column.numbers("age", age),
            Column.numbers("balance", rng.normal(0, 1000, n)),
            Column.labels("sex", labels("f", "m"), ["f", "m"]),
            Column.labels("town", labels("Rome", "Bonn", "Oslo")),
            Column.labels("size", labels("S", "M", "L")).as_kind(["S", "M", "L"]),
        ]
    )


@pytest.fixture
def target(people) -> np.ndarray:
    rng = np.random.default_rng(12)
    return np.where(people["balance"].values / 1000 + people["sex"].values + rng.normal(0, 0.3, 80) > 0.5, "yes", "no")


class Declared(Classifier):
    """A model with a given declaration."""

    def __init__(self, accepts=None):
        self.accepts = accepts

    def fit(self, X, y):
        return self


def steps_for(**accepts):
    return list(tabular(Declared(Accepts(**accepts))).named_steps)


# -- which steps ---------------------------------------------------------------------------------------


def test_each_step_is_there_only_if_the_declaration_needs_it():
    assert steps_for(nominal=True, text=True, missing=True) == ["model"]
    assert steps_for(nominal=True, missing=True) == ["table", "dates", "text", "model"]
    assert steps_for(nominal=True, text=True) == ["table", "impute", "model"]
    assert steps_for(missing=True) == ["table", "dates", "text", "encode", "model"]
    assert steps_for() == ["table", "dates", "text", "impute", "encode", "model"]
    assert steps_for(scaled=True) == ["table", "dates", "text", "impute", "encode", "scale", "model"]
    assert steps_for(nominal=True, missing=True, text=True, scaled=True) == ["model"]


def test_what_scikit_learns_models_get():
    assert list(tabular(SVC()).named_steps) == ["table", "dates", "text", "impute", "encode", "scale", "model"]
    assert list(tabular(HistGradientBoostingClassifier()).named_steps) == ["table", "dates", "text", "encode", "model"]
    assert isinstance(tabular(SVC()).named_steps["scale"], StandardScaler)
    assert isinstance(tabular(MultinomialNB()).named_steps["scale"], MinMaxScaler)


def test_kinds_ask_for_the_table_step(people, target):
    model = tabular(ZeroRClassifier(), kinds={"town": "nominal"})
    assert list(model.named_steps) == ["table", "model"]


def test_the_kinds_given_reach_the_model(people, target):
    frame = people.drop("town").with_columns(Column.numbers("cyl", np.arange(80) % 3 * 2 + 4)).to_pandas()
    model = tabular(LogisticRegression(), kinds={"cyl": "nominal"}).fit(frame, target)
    assert {"cyl_4", "cyl_6", "cyl_8"} < set(model[:-1].get_feature_names_out())


def test_imputer_and_coding_can_be_chosen(people, target):
    model = tabular(SVC(), impute="gower", nominal="impact").fit(people, target)
    assert isinstance(model.named_steps["impute"], GowerImputer)
    assert isinstance(tabular(SVC()).named_steps["impute"], TypedImputer)
    assert model[:-1].get_feature_names_out().tolist() == [
        "age", "balance", "sex_m", "town_impact", "size>=M", "size>=L",
    ]  # fmt: skip


def test_impact_coding_for_a_regressor_takes_whole_numbers_for_numbers(people):
    model = tabular(LinearRegression(), nominal="impact").fit(people, np.arange(80) % 7)
    assert "town_impact" in model[:-1].get_feature_names_out()


def test_a_tabular_pipeline_is_returned_as_it_is():
    model = tabular(SVC())
    assert tabular(model) is model


def test_a_pipeline_of_ones_own_is_a_model_like_any_other(people, target):
    model = tabular(Pipeline([("scale", StandardScaler()), ("svc", SVC())]))
    assert model.fit(people, target).score(people, target) > 0.7


# -- any model on any table ----------------------------------------------------------------------------


@each_model
@pytest.mark.parametrize("container", ["Table", "pandas", "polars"])
def test_any_model_fits_and_predicts_on_any_container(model, container, people, target):
    X = people if container == "Table" else getattr(people, f"to_{container}")()
    fitted = tabular(clone(model)).fit(X, target)
    expected = tabular(clone(model)).fit(people, target).predict(people)
    assert fitted.predict(X).tolist() == expected.tolist()


def test_an_arrow_table_is_a_frame_too(people, target):
    people = people.drop("size")  # Arrow has no order of levels
    by_arrow = tabular(SVC()).fit(people.to_arrow(), target)
    assert by_arrow.predict(people.to_arrow()).tolist() == tabular(SVC()).fit(people, target).predict(people).tolist()


@each_model
@pytest.mark.parametrize("container", ["Table", "pandas", "polars"])
def test_cross_validation_takes_any_container(model, container, people, target):
    X = people if container == "Table" else getattr(people, f"to_{container}")()
    scores = cross_val_score(tabular(model), X, target, cv=3, error_score="raise")
    assert scores.shape == (3,)


@each_model
def test_new_data_may_differ_in_order_missing_values_and_extra_columns(model, people, target):
    fitted = tabular(clone(model)).fit(people, target)
    new = people.with_columns(Column.numbers("extra", np.zeros(80))).select("extra", *reversed(people.names))
    assert fitted.predict(new).tolist() == fitted.predict(people).tolist()
    gone = people.take([0, 1]).with_columns(Column.numbers("balance", [np.nan, np.nan]))
    assert set(fitted.predict(gone)) <= {"yes", "no"}


@each_model
def test_levels_never_seen_are_missing(model, people, target):
    fitted = tabular(clone(model)).fit(people, target)
    new = people.take([0]).with_columns(Column.labels("town", ["Kyiv"]))
    unknown = people.take([0]).with_columns(Column.labels("town", [None], ["Bonn", "Oslo", "Rome"]))
    with pytest.warns(UnseenLevelWarning, match="'town': 'Kyiv'"):
        found = fitted.predict(new)
    assert found.tolist() == fitted.predict(unknown).tolist()


@each_model
def test_one_row_is_predicted_like_the_same_row_among_others(model, people, target):
    fitted = tabular(clone(model)).fit(people, target)
    assert fitted.predict(people.take([5])).tolist() == fitted.predict(people)[[5]].tolist()


def test_numbers_a_model_can_use_are_not_changed():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    tree = DecisionTreeClassifier(random_state=0)
    prepared = tabular(tree).fit(X, y)[:-1].transform(X)
    np.testing.assert_array_equal(prepared.numbers(), X)


@pytest.fixture
def visits() -> tuple[Table, np.ndarray]:
    """Some dates and texts are missing; spring and a good note mean yes."""
    rng = np.random.default_rng(13)
    n = 200
    month, kind = rng.integers(0, 12, n), rng.integers(0, 2, n)
    days = np.array([f"20{y}-{m + 1:02}-15" for y, m in zip(rng.integers(10, 24, n), month, strict=True)], "M8[D]")
    when = np.where(rng.random(n) < 0.05, np.nan, days.astype(float))
    words = np.array([["nothing to complain about", "all fine"], ["everything was late", "late and rude"]])
    notes = [None if rng.random() < 0.05 else words[k, rng.integers(0, 2)] for k in kind]
    table = Table([Column.numbers("when", when, dates=True), Column.text("note", notes)])
    return table, np.where((kind == 0) | (month < 6), "yes", "no")


@each_model
@pytest.mark.parametrize("column", ["when", "note"])
def test_any_model_learns_from_dates_and_from_text(model, column, visits):
    table, target = visits[0].select(column), visits[1]
    fitted = tabular(clone(model)).fit(table, target)
    recall = [np.mean(fitted.predict(table.take(target == label)) == label) for label in ("yes", "no")]
    assert np.mean(recall) > 0.6 or isinstance(model, WEAK)


@each_model
def test_dates_and_text_that_are_missing_or_never_seen_are_predicted(model, visits):
    fitted = tabular(clone(model)).fit(*visits)
    unheard = Table([Column.numbers("when", [np.nan, 40000.0], dates=True), Column.text("note", [None, "новое слово"])])
    assert set(fitted.predict(unheard)) <= {"yes", "no"}


def test_features_of_dates_and_text_have_readable_names(visits):
    table, target = visits
    names = tabular(LogisticRegression()).fit(table, target)[:-1].get_feature_names_out().tolist()
    assert names[:5] == ["when", "when: year", "when: month sine", "when: month cosine", "note: score"]
    names = tabular(probus.tree.DecisionTreeClassifier()).fit(table, target)[:-1].get_feature_names_out().tolist()
    assert names[:4] == ["when", "when: year", "when: month", "note: score"]


@pytest.mark.parametrize("model", [m for m in MODELS if type(m).__module__.startswith("probus")], ids=str)
def test_a_pipeline_with_dates_and_text_is_saved_and_loaded(model, visits, tmp_path):
    table, target = visits
    fitted = tabular(clone(model)).fit(table, target)
    probus.save(fitted, tmp_path / "model.probus")
    assert probus.load(tmp_path / "model.probus").predict(table).tolist() == fitted.predict(table).tolist()


def test_text_alone_is_a_table(visits):
    table, target = visits
    model = tabular(probus.tree.DecisionTreeClassifier()).fit(table.select("note"), target)
    assert model.score(table.select("note"), target) > 0.7


def test_the_smallest_values_of_new_data_do_not_break_models_of_counts():
    model = tabular(MultinomialNB()).fit([[-1.0, 2.0], [3.0, 4.0]], [0, 1])
    assert model.predict([[-9.0, 99.0]]).shape == (1,)


def test_models_without_a_target_work(people):
    assert tabular(KMeans(2, n_init=1, random_state=0)).fit(people).predict(people).shape == (80,)


def test_the_target_may_be_a_column(people, target):
    column = Column.labels("survived", target.tolist())
    model = tabular(LogisticRegression()).fit(people, column)
    assert model.predict(people).tolist() == tabular(LogisticRegression()).fit(people, target).predict(people).tolist()


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_strings_of_a_frame_that_are_phrases_are_text(container):
    notes = [f"visit {i} was " + ("lovely" if i % 2 else "dreadful") for i in range(60)]
    codes = [f"C{i}" for i in range(60)]
    frame = getattr(Table([Column.labels("note", notes), Column.labels("code", codes)]), f"to_{container}")()
    with pytest.warns(DroppedColumnWarning, match="'code'"):
        model = tabular(LogisticRegression()).fit(frame, np.arange(60) % 2)
    assert model[:-1].get_feature_names_out()[0] == "note: score"
    assert model.score(frame, np.arange(60) % 2) == 1
    told = tabular(probus.tree.DecisionTreeClassifier(), kinds={"note": "nominal"}).fit(frame, np.arange(60) % 2)
    assert told.named_steps["table"].schema_["note"].kind is Kind.NOMINAL


def test_rare_levels_are_grouped_for_models_of_numbers_and_the_pipeline_says_so(visits):
    towns = ["Bonn"] * 120 + ["Oslo"] * 78 + ["Rome"] * 2
    table, target = visits[0].with_columns(Column.labels("town", towns)), visits[1]
    model = tabular(LogisticRegression()).fit(table, target)
    assert model.notes_ == (
        "levels with fewer than 20 rows, and fewer than 5 %, are grouped as 'other': town (1 level)",
        "when is used as days and as year, month sine, month cosine",
        "note is used as 1 score and 4 topics of its 19 words and pairs of words",
    )
    tree = tabular(probus.tree.DecisionTreeClassifier()).fit(table, target)
    assert tree.named_steps["table"].schema_["town"].levels == ("Bonn", "Oslo", "Rome")
    new = table.take([0]).with_columns(Column.labels("town", ["Lima"]))
    rome = table.take([0]).with_columns(Column.labels("town", ["Rome"]))
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba(rome))


def test_where_every_level_is_rare_the_target_encodes_them_and_clusters_are_unchanged():
    rng = np.random.default_rng(0)
    codes, x = rng.integers(0, 120, 2400), rng.normal(size=2400)
    logit = x + 1.5 * rng.normal(size=120)[codes]
    y = rng.random(2400) < 1 / (1 + np.exp(-logit))
    table = Table([Column.numbers("x", x), Column.labels("code", [f"c{code}" for code in codes])])
    train, test = np.arange(1200), np.arange(1200, 2400)
    model = tabular(LogisticRegression()).fit(table.take(train), y[train])
    assert model[:-1].get_feature_names_out().tolist() == ["x", "code_impact"]
    assert any("the mean target of the level is used: code" in note for note in model.notes_)
    one_hot = clone(model).set_params(encode__rare=0).fit(table.take(train), y[train])
    without = clone(model).fit(table.take(train).drop("code"), y[train])
    losses = [log_loss(y[test], fitted.predict_proba(table.take(test))) for fitted in (model, one_hot, without)]
    assert losses[0] < min(losses[1:])
    assert len(tabular(KMeans(2, random_state=0)).fit(table.take(train))[:-1].get_feature_names_out()) == 52


# -- scikit-learn's conventions ------------------------------------------------------------------------


def test_clone_and_parameters_work(people, target):
    model = clone(tabular(SVC(C=3.0))).set_params(model__C=5.0, impute__numeric="median")
    assert isinstance(model, TabularPipeline)
    assert model.get_params()["model__C"] == 5.0
    assert model.fit(people, target).named_steps["impute"].numeric == "median"


def test_tuning_reaches_the_steps(people, target):
    search = GridSearchCV(tabular(SVC()), {"encode__ordinal": ["rank", "cumulative"], "model__C": [1, 10]}, cv=3)
    assert search.fit(people, target).best_score_ > 0.6


def test_sample_weight_reaches_the_model_and_equals_repetition(people, target):
    filled = TypedImputer().fit_transform(people)
    weight = np.arange(80) % 3
    model = tabular(DecisionTreeClassifier(random_state=0, max_depth=3))
    weighted = clone(model).fit(filled, target, sample_weight=weight)
    repeated = clone(model).fit(filled.take(np.repeat(np.arange(80), weight)), np.repeat(target, weight))
    np.testing.assert_allclose(weighted.predict_proba(filled), repeated.predict_proba(filled))
    assert weighted.predict(filled).tolist() == (
        clone(model).fit(filled, target, model__sample_weight=weight).predict(filled).tolist()
    )


def test_sample_weight_is_routed_where_routing_is_on(people, target):
    weight = np.arange(80) % 3
    tree = DecisionTreeClassifier(random_state=0, max_depth=3)
    expected = tabular(clone(tree)).fit(people, target, sample_weight=weight).predict_proba(people)
    with config_context(enable_metadata_routing=True):
        model = tabular(tree.set_fit_request(sample_weight=True))
        found = model.fit(people, target, sample_weight=weight).predict_proba(people)
    np.testing.assert_allclose(found, expected)


def test_set_output_gives_named_columns(people, target):
    model = tabular(SVC()).set_output(transform="pandas").fit(people, target)
    assert model[:-1].transform(people).columns.tolist() == [
        "age", "balance", "sex_m", "town_Bonn", "town_Oslo", "town_Rome", "size>=M", "size>=L",
    ]  # fmt: skip


def test_the_verb_is_at_the_top():
    assert probus.tabular is tabular


# -- errors --------------------------------------------------------------------------------------------


def test_what_is_no_estimator_is_refused():
    with pytest.raises(DataError, match=r"found the class SVC.*\n.*Pass SVC\(\)"):
        tabular(SVC)
    with pytest.raises(DataError, match=r"found str 'svc'.*\n.*an estimator"):
        tabular("svc")


def test_unknown_choices_are_refused():
    with pytest.raises(DataError, match=r"impute='mean'.*\n.*'typed', 'gower'"):
        tabular(SVC(), impute="mean")
    with pytest.raises(DataError, match=r"nominal='integer'.*\n.*'onehot', 'impact'"):
        tabular(SVC(), nominal="integer")


def test_kinds_are_those_of_the_dtypes_of_a_frame(people, target):
    model = tabular(LogisticRegression()).fit(people.to_polars(), target)
    assert model.named_steps["table"].schema_.kinds["size"] is Kind.ORDINAL
