"""Effects: against brute force, scikit-learn and closed forms; bands against simulation."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence as of_scikit_learn
from sklearn.linear_model import LinearRegression as SklearnRegression

import probus
from probus.data import Table, Task
from probus.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.errors import DataError
from probus.inspection import (
    accumulated_local_effects,
    distil,
    interaction_strength,
    partial_dependence,
    partial_effect,
    regional_effects,
    surrogate_tree,
)
from probus.inspection.effects import _responses
from probus.linear_model import LinearRegression, LogisticRegression
from probus.preprocessing import StandardScaler
from probus.svm import LinearSVC
from probus.tree import DecisionTreeRegressor, export_rules
from probus.tree.prediction import sums_of, sums_over_grid

RNG = np.random.default_rng(0)
N = 300
A, B, C = RNG.normal(size=(3, N))
LEVEL = np.array(list("uvw"))[RNG.integers(0, 3, N)]
TABLE = Table.of({"a": A, "b": B, "c": C, "level": LEVEL})
X = np.column_stack([A, B, C])
SIGN = np.where(B > 0, A, -A)


class Function:
    """A fitted model that is a function of its columns."""

    feature_names_in_ = np.array(["a", "b", "c"])

    def __init__(self, function):
        self.function = function

    def __sklearn_tags__(self):
        return SklearnRegression().__sklearn_tags__()

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.function(*Table.of(X).numbers().T)


# -- trees -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(6, random_state=0),
        HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=3),
        HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=3),
        DecisionTreeRegressor(max_depth=5),
    ],
)
def test_sums_over_a_grid_are_those_of_changed_rows(model, folded):
    rng = np.random.default_rng(3)
    table, y = gappy_rows(rng)
    model.fit(table, np.digitize(y, [0, 1]) if "Classifier" in type(model).__name__ else y)
    trees = model.tree_ if hasattr(model, "tree_") else model.trees_
    trees.packed.__dict__["folds"] = folded
    seen, n_groups = model._seen(table), 3 if "Classifier" in type(model).__name__ else 1
    for columns in ([[1]], [[3]], [[0, 3]], [[0], [2]], [[3], [1]], [[0, 1], [2, 3]]):
        grids = [rng.permutation(seen)[:size] for size in (7, 4)[: len(columns)]]
        for grid, followed in zip(grids, columns, strict=True):
            grid[len(grid) // 2, followed[0]] = np.nan
        found = sums_over_grid(trees, seen, columns, grids, n_groups)
        for place in np.ndindex(found.shape[1:-1]):
            changed = seen.copy()
            for grid, followed, at in zip(grids, columns, place, strict=True):
                changed[:, followed] = grid[at, followed]
            np.testing.assert_allclose(found[:, *place], sums_of(trees, changed, n_groups), atol=1e-12)


def gappy_rows(rng, n=N):
    """Numbers with missing values, and a column of many levels of which some are missing."""
    gaps = np.where(rng.random((n, 3)) < 0.1, np.nan, rng.normal(size=(n, 3)))
    code = rng.integers(0, 40, n)
    level = [None if c == 7 else f"l{c:02d}" for c in code]
    table = Table.of({"a": gaps[:, 0], "b": gaps[:, 1], "c": gaps[:, 2], "level": level})
    return table, np.nan_to_num(gaps[:, 0] * gaps[:, 1]) + np.sin(code)


@pytest.mark.parametrize("columns", ["a", "level", ["a", "level"], ["b", "c"]])
@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=3),
        HistGradientBoostingRegressor(max_iter=10, min_samples_leaf=3),
        probus.tabular(RandomForestRegressor(5, random_state=0)),
        StandardScaler() >> RandomForestClassifier(5, random_state=0),
    ],
)
def test_effects_of_trees_are_those_of_predictions(model, columns, monkeypatch):
    table, y = gappy_rows(np.random.default_rng(4), 200)
    if "StandardScaler" in str(model):
        table = table.select("a", "b", "c")
        if "level" in columns:
            return
    classes = "Classifier" in str(model)
    fitted = model.fit(table, np.digitize(y, [0, 1]) if classes else y)
    how = {"label": 1, "output": "margin"} if classes else {}
    found = partial_effect(fitted, table, columns, grid_size=6, **how)
    monkeypatch.setattr(_responses, "predictions_over_grid", lambda *_: None)
    expected = partial_effect(fitted, table, columns, grid_size=6, **how)
    for name in ("values", "low", "high"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-10)


def test_partial_dependence_of_several_outputs_and_of_levels_is_that_of_scikit_learn():
    forest = RandomForestRegressor(5, random_state=0).fit(X, np.column_stack([A, SIGN, B]))
    for features in ([1], [(0, 2)]):
        options = {"grid_resolution": 6, "kind": "both", "method": "brute"}
        ours, theirs = (
            partial_dependence(forest, X, features, **options),
            of_scikit_learn(forest, X, features, **options),
        )
        for name in ("average", "individual"):
            np.testing.assert_allclose(ours[name], theirs[name], atol=1e-12)
    frame = pd.DataFrame({"a": A, "level": LEVEL})
    boosting = HistGradientBoostingClassifier(max_iter=5).fit(frame, np.digitize(SIGN, [-0.5, 0.5]))
    options = {"categorical_features": ["level"], "kind": "both", "grid_resolution": 6}
    ours, theirs = (f(boosting, frame, ["level", "a"], **options) for f in (partial_dependence, of_scikit_learn))
    for name in ("average", "individual"):
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-12)
    with pytest.raises(ValueError, match="response_method"):
        partial_dependence(forest, X, [0], response_method="predict_proba")


@pytest.mark.parametrize("kind", ["average", "individual", "both"])
@pytest.mark.parametrize("features", [[1], [(0, 2)], 1])
@pytest.mark.parametrize("model", [RandomForestRegressor, RandomForestClassifier, HistGradientBoostingClassifier])
def test_partial_dependence_is_that_of_scikit_learn(model, features, kind):
    how = {"max_iter": 5} if "Hist" in model.__name__ else {"n_estimators": 5}
    y = SIGN if "Regressor" in model.__name__ else np.digitize(SIGN, [-0.5, 0.5])
    fitted = model(**how, random_state=0).fit(X, y)
    options = {"grid_resolution": 9, "kind": kind, "method": "brute"}
    ours, theirs = partial_dependence(fitted, X, features, **options), of_scikit_learn(fitted, X, features, **options)
    assert set(ours) == set(theirs)
    for name in set(theirs) - {"grid_values"}:
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-12)
    for mine, other in zip(ours["grid_values"], theirs["grid_values"], strict=True):
        np.testing.assert_array_equal(mine, other)


def test_partial_dependence_by_recursion_and_of_others():
    forest = RandomForestRegressor(10, random_state=0).fit(X, SIGN)
    by_weights = partial_dependence(forest, X, [0], grid_resolution=5)["average"]
    np.testing.assert_allclose(
        by_weights[0], forest._compute_partial_dependence_recursion(
            partial_dependence(forest, X, [0], grid_resolution=5)["grid_values"][0][:, None], np.array([0])
        ).ravel(),
    )  # fmt: skip
    line = SklearnRegression().fit(X, A)
    np.testing.assert_allclose(partial_dependence(line, X, [0])["average"], of_scikit_learn(line, X, [0])["average"])
    weighted = partial_dependence(forest, X, [0], sample_weight=np.arange(N), grid_resolution=4)["average"]
    theirs = of_scikit_learn(forest, X, [0], sample_weight=np.arange(N), grid_resolution=4)["average"]
    np.testing.assert_allclose(weighted, theirs)
    with pytest.raises(ValueError, match="percentiles"):
        partial_dependence(forest, X, [0], percentiles=(0.9, 0.1))


def test_recursion_over_levels_takes_the_numbers_that_they_had_in_training():
    frame = pd.DataFrame({"same": np.ones(N), "level": LEVEL})
    forest = RandomForestRegressor(5, random_state=0).fit(frame, (LEVEL == "v") + 0.1 * A)
    some = frame[LEVEL != "u"]  # so that the levels of these rows have other numbers
    for method in ("auto", "recursion", "brute"):
        found = partial_dependence(forest, some, ["level"], categorical_features=["level"], method=method)
        levels = pd.DataFrame({"same": 1.0, "level": found["grid_values"][0]})
        np.testing.assert_allclose(found["average"][0], forest.predict(levels))


def test_columns_may_be_a_mask():
    forest = RandomForestRegressor(5, random_state=0).fit(X, SIGN)
    how = {"grid_resolution": 4, "method": "brute"}
    ours, theirs = (f(forest, X, [False, True, False], **how) for f in (partial_dependence, of_scikit_learn))
    np.testing.assert_allclose(ours["average"], theirs["average"], atol=1e-12)


def test_trees_and_predictions_give_the_same_curves(monkeypatch):
    forest = RandomForestRegressor(10, random_state=0).fit(TABLE, SIGN)
    fast = partial_effect(forest, TABLE, ["a", "b"]).values
    monkeypatch.setattr(_responses, "predictions_over_grid", lambda *_: None)
    np.testing.assert_allclose(fast, partial_effect(forest, TABLE, ["a", "b"]).values, atol=1e-12)


# -- closed forms ----------------------------------------------------------------------------------------------


def test_effects_of_a_sum_are_its_terms():
    model = Function(lambda a, b, c: np.sin(a) + b**2 - 3 * c)
    terms = {"a": np.sin, "b": np.square, "c": lambda x: -3 * x}
    for name, term in terms.items():
        for found in (partial_effect(model, TABLE, name), accumulated_local_effects(model, TABLE, name)):
            np.testing.assert_allclose(np.diff(found.values), np.diff(term(np.array(found.grid[0]))), atol=1e-9)
    assert interaction_strength(model, TABLE)["a"].value == pytest.approx(0, abs=1e-9)
    together = accumulated_local_effects(model, TABLE, ["a", "b"])
    np.testing.assert_allclose(together.values, 0, atol=1e-9)


def test_accumulated_effects_do_not_leave_the_data():
    """Of f = a·b with b = a nearly, the accumulated effect is that of a²/2; partial dependence knows nothing of it."""
    a = np.linspace(-2, 2, 2001)
    table = Table.of({"a": a, "b": a + 1e-6 * np.sin(50 * a), "c": np.zeros(2001)})
    found = accumulated_local_effects(Function(lambda a, b, c: a * b), table, "a", n_intervals=200)
    grid = np.array(found.grid[0])
    np.testing.assert_allclose(found.values, grid**2 / 2 - np.mean(a**2) / 2, atol=0.01)
    flat = partial_effect(Function(lambda a, b, c: a * b), table, "a")
    np.testing.assert_allclose(flat.values, 0, atol=1e-3)


def test_accumulated_effects_of_levels_are_differences_of_levels():
    model = LinearRegression()
    pipeline = probus.tabular(model).fit(TABLE, A + 2.0 * (LEVEL == "u") - (LEVEL == "w"))
    found = accumulated_local_effects(pipeline, TABLE, "level")
    values = dict(zip(found.grid[0], found.values, strict=True))
    assert values["u"] - values["v"] == pytest.approx(2, abs=1e-6)
    assert values["w"] - values["v"] == pytest.approx(-1, abs=1e-6)
    counts = {name: np.mean(name == LEVEL) for name in "uvw"}
    assert sum(counts[name] * value for name, value in values.items()) == pytest.approx(0, abs=1e-9)


def test_ordinal_levels_keep_their_order():
    sizes = np.array(["S", "M", "L"])[RNG.integers(0, 3, N)]
    table = Table.of({"size": sizes, "a": A}).with_kinds(size=["S", "M", "L"])
    model = RandomForestRegressor(10, random_state=0).fit(table, A + (sizes == "L"))
    assert accumulated_local_effects(model, table, "size").grid[0] == ("S", "M", "L")


def test_the_interaction_of_a_product_is_all_there_is():
    """H of a·b over centred columns is 1; of a + b + a·b it is √(1/3)."""
    rng = np.random.default_rng(1)
    table = Table.of(dict(zip("abc", rng.normal(size=(3, 400)), strict=True)))
    product = interaction_strength(Function(lambda a, b, c: a * b + c), table, pairs=[("b", "a")], max_rows=200)
    assert product["a", "b"].value > 0.95
    mixed = interaction_strength(Function(lambda a, b, c: a + b + a * b), table, pairs=True, max_rows=400)
    assert np.sqrt(1 / 3) in mixed["a", "b"]
    assert mixed["a", "c"].value == pytest.approx(0, abs=1e-9)


def test_two_way_accumulated_effects_of_a_product_are_the_product():
    table = Table.of({"a": RNG.uniform(-1, 1, 4000), "b": RNG.uniform(-1, 1, 4000), "c": np.zeros(4000)})
    found = accumulated_local_effects(Function(lambda a, b, c: a * b), table, ["a", "b"])
    a, b = (np.array(grid) for grid in found.grid)
    np.testing.assert_allclose(found.values, np.outer(a, b), atol=0.06)


# -- regions ---------------------------------------------------------------------------------------------------


def test_regions_are_those_in_which_one_curve_holds():
    found = regional_effects(Function(lambda a, b, c: np.where(b > 0.3, a, -a) + c), TABLE, "a")
    assert len(found) == 2
    assert all("b" in region for region in found.regions)
    assert found.explained > 0.9
    slopes = [float(effect.values[-1] - effect.values[0]) for effect in found.effects]
    assert slopes[0] * slopes[1] < 0
    assert found.to_frame().columns == ["region", "a", "effect", "low", "high"]


def test_a_sum_has_one_region():
    found = regional_effects(Function(lambda a, b, c: a + b * c), TABLE, "a")
    assert (found.regions, found.explained) == (("",), 0.0)
    assert "one curve holds for all rows" in repr(found)
    found.plot()


# -- bands -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("local", [False, True])
def test_bands_over_rows_hold_the_effect_on_all_rows(local):
    rng, inside = np.random.default_rng(2), []
    model = Function(lambda a, b, c: a * (1 + b) + np.exp(c / 2))
    for _ in range(200):
        table = Table.of(dict(zip("abc", rng.normal(size=(3, 150)), strict=True)))
        if local:
            found = accumulated_local_effects(model, table, "a", n_intervals=8)
            a = np.array(found.grid[0])
            inside.append((found.low[2:7] <= a[2:7]) & (a[2:7] <= found.high[2:7]))
        else:
            found = partial_effect(model, table, "c", grid_size=5)
            truth = np.exp(np.array(found.grid[0]) / 2)
            inside.append((found.low <= truth) & (truth <= found.high))
    assert 0.92 <= np.mean(inside) <= 0.98


@pytest.mark.slow
def test_bands_over_training_rows_hold_the_effect_of_the_population():
    rng, inside = np.random.default_rng(3), []
    for _ in range(40):
        a, b = rng.normal(size=(2, 80))
        task = Task(Table.of({"a": a, "b": b, "y": 2 * a + b + rng.normal(size=80)}), "y")
        result = probus.resample(LinearRegression(), task, cv=8, keep_models=True, random_state=0)
        found = partial_effect(result, None, "a", centred=True, grid_size=5)
        truth = 2 * (np.array(found.grid[0]) - np.mean(found.grid[0]))
        inside.append((found.low <= truth) & (truth <= found.high))
    assert 0.90 <= np.mean(inside) <= 0.99


# -- distilled models ------------------------------------------------------------------------------------------


def test_a_tree_is_distilled_into_itself():
    tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=30).fit(TABLE, SIGN)
    found = distil(tree, TABLE, SIGN, into=DecisionTreeRegressor(max_leaf_nodes=8))
    assert found.fidelity.value > 0.9
    assert found.lost is not None
    assert abs(found.lost.value) < 0.1


def test_classes_are_learnt_from_probabilities(tmp_path):
    y = np.where(SIGN + 0.3 * C > 0, "yes", "no")
    forest = RandomForestClassifier(30, random_state=0).fit(TABLE, y)
    found = distil(forest, TABLE, y, into="boosting")
    assert found.fidelity.value > 0.8
    p, q = found.predictions.T
    assert np.corrcoef(p, q)[0, 1] > 0.8
    assert "lost ROC AUC" in repr(found)
    assert found.to_frame()["what"].to_list() == ["fidelity: same class", "lost ROC AUC"]
    path = tmp_path / "small.probus"
    probus.save(found.model, path)
    assert (probus.load(path).predict(TABLE) == found.model.predict(TABLE)).all()


def test_a_surrogate_tree_can_be_read():
    forest = RandomForestRegressor(20, random_state=0).fit(TABLE, A)
    found = surrogate_tree(forest, TABLE, max_leaves=4)
    assert found.lost is None
    assert len(export_rules(found.model[-1])) == 4


def test_a_model_file_is_explained_as_well(tmp_path):
    forest = RandomForestRegressor(10, random_state=0).fit(TABLE, SIGN)
    probus.save(forest, tmp_path / "f.probus")
    loaded = probus.load(tmp_path / "f.probus")
    np.testing.assert_allclose(partial_effect(loaded, TABLE, "a").values, partial_effect(forest, TABLE, "a").values)
    assert distil(loaded, TABLE).of == "RandomForestRegressor"
    assert len(regional_effects(loaded, TABLE, "a")) > 1


# -- results and bad input -------------------------------------------------------------------------------------


def test_results_are_frames_texts_pages_and_pictures():
    forest = RandomForestRegressor(10, random_state=0).fit(TABLE, SIGN)
    results = [
        partial_effect(forest, TABLE, "a", individual=True),
        partial_effect(forest, TABLE, "level"),
        accumulated_local_effects(forest, TABLE, ["a", "b"]),
        interaction_strength(forest, TABLE, max_rows=30),
        regional_effects(forest, TABLE, "a"),
        distil(forest, TABLE, SIGN),
    ]
    for found in results:
        assert len(found.to_frame()) > 0
        assert repr(found)
        assert "<svg" in found._repr_html_()
        assert found.to_dict()
        found.plot()
    assert results[0].to_frame().columns == ["a", "effect", "low", "high"]
    assert results[0].individual.shape == (N, len(results[0].values))


def test_constant_columns_and_few_rows():
    table = Table.of({"a": A, "b": np.zeros(N)})
    line = LinearRegression().fit(table, A)
    assert accumulated_local_effects(line, table, "b").values.tolist() == [0.0]
    assert len(partial_effect(line, table, "b").values) == 1
    wide = RNG.normal(size=(20, 40))
    forest = RandomForestRegressor(10, random_state=0).fit(wide, wide[:, 0])
    assert len(partial_effect(forest, wide, "x0").values) == 20
    with pytest.raises(DataError, match="20 rows"):
        regional_effects(forest, wide, "x0")


def test_what_has_no_effect_is_an_error():
    forest = RandomForestRegressor(5, random_state=0).fit(TABLE, SIGN)
    classes = np.array(["p", "q", "r"])[np.arange(N) % 3]
    three = LogisticRegression().fit(X, classes)
    with pytest.raises(DataError, match="no column 'z'"):
        partial_effect(forest, TABLE, "z")
    with pytest.raises(DataError, match="no column 'level'"):
        partial_effect(forest, TABLE.drop("level"), "a")
    with pytest.raises(DataError, match="3 classes and no label"):
        partial_effect(three, X, "x0")
    with pytest.raises(DataError, match="no class 's'"):
        partial_effect(three, X, "x0", label="s")
    with pytest.raises(DataError, match="predicts no probabilities"):
        partial_effect(LinearSVC().fit(X, A > 0), X, "x0")
    with pytest.raises(DataError, match="which predicts numbers"):
        partial_effect(forest, TABLE, "a", output="probability")
    with pytest.raises(DataError, match="one of them nominal"):
        accumulated_local_effects(forest, TABLE, ["a", "level"])
    with pytest.raises(DataError, match="3 columns"):
        partial_effect(forest, TABLE, ["a", "b", "c"])
    with pytest.raises(DataError, match="keep_models=True"):
        partial_effect(probus.resample(LinearRegression(), X, A, cv=3), None, "x0")
    with pytest.raises(DataError, match="into='stump'"):
        distil(forest, TABLE, into="stump")
    with pytest.raises(DataError, match="for a model of numbers"):
        distil(forest, TABLE, into=LogisticRegression())
    with pytest.raises(DataError, match="y has 3 values"):
        distil(forest, TABLE, [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="the same for all rows"):
        distil(DecisionTreeRegressor(max_depth=1).fit(TABLE, SIGN), TABLE.take(np.zeros(20, int)))


def test_regional_effects_of_levels_are_points_side_by_side():
    model = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=5).fit(
        TABLE, np.where(LEVEL == "u", SIGN, -SIGN) + B
    )
    axes = regional_effects(model, TABLE, "level", most_regions=2).plot()
    assert not any(len(line.get_xdata()) > 1 and line.get_linestyle() == "-" for line in axes.lines)
    assert [each.get_text() for each in axes.get_xticklabels()] == ["u", "v", "w"]


def test_a_constant_column_has_no_interaction():
    table = Table.of({"a": A, "b": B, "one": np.ones(N)})
    forest = RandomForestRegressor(5, random_state=0).fit(table, SIGN)
    assert interaction_strength(forest, table, ["one"])["one"].value == 0.0


def test_a_model_is_distilled_into_a_glass_box():
    table = TABLE.select("a", "b", "c")
    forest = RandomForestRegressor(10, random_state=0).fit(table, A + B**2)
    found = distil(forest, table, into="glass", cv=2)
    assert found.fidelity.value > 0.7
    assert {"a", "b"} < set(found.model[-1].to_frame()["column"].to_list())
