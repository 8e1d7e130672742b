import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from probus import Column, Table, datasets
from probus.testing._specimen import with_missing
from probus.tree.multiway import C45Classifier

# -- properties ----------------------------------------------------------------------------------------


def mixed(n=120, seed=0):
    rng = np.random.default_rng(seed)
    size, kind = rng.normal(size=n), rng.integers(0, 4, n)
    y = np.digitize(size + kind % 3 + rng.normal(scale=0.5, size=n), [0.5, 1.5])
    columns = [Column.numbers("size", size), Column.labels("kind", [f"k{k}" for k in kind])]
    return Table([with_missing(column, rng.random(n) < 0.1) for column in columns]), y


def test_the_order_of_rows_is_irrelevant():
    table, y = mixed()
    order = np.random.default_rng(1).permutation(len(y))
    one = C45Classifier().fit(table, y)
    other = C45Classifier().fit(table.take(order), y[order])
    assert one.export_text() == other.export_text()
    np.testing.assert_allclose(one.predict_proba(table), other.predict_proba(table), atol=1e-12)


@pytest.mark.parametrize("scale", [np.exp, np.arctan, lambda x: 3 * x - 1], ids=["exp", "arctan", "linear"])
def test_rising_functions_of_numbers_change_no_prediction(scale):
    """The midpoint between two values moves, but the values below and above it stay."""
    table, y = mixed()
    moved = table.with_columns(Column.numbers("size", scale(table["size"].values)))
    one, other = C45Classifier().fit(table, y), C45Classifier().fit(moved, y)
    np.testing.assert_allclose(one.predict_proba(table), other.predict_proba(moved), atol=1e-12)


def test_names_and_order_of_levels_are_irrelevant():
    table, y = mixed()
    levels = ("z", "a", "m", "b")
    cells = [None if code < 0 else levels[code] for code in table["kind"].values]
    renamed = table.with_columns(Column.labels("kind", cells))
    one = C45Classifier(subtree_raising=False).fit(table, y)
    other = C45Classifier(subtree_raising=False).fit(renamed, y)
    np.testing.assert_allclose(one.predict_proba(table), other.predict_proba(renamed), atol=1e-12)


def test_the_less_confidence_the_more_is_pruned():
    table, y = mixed(300)
    leaves = [C45Classifier(confidence=c).fit(table, y).get_n_leaves() for c in (None, 0.5, 0.25, 0.05, 0.001)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[-1]


def test_thresholds_are_values_of_the_data():
    table, y = mixed()
    tree = C45Classifier(confidence=None).fit(table, y).tree_
    thresholds = tree.threshold[~np.isnan(tree.threshold)]
    assert len(thresholds) > 2
    assert np.isin(thresholds, table["size"].values).all()


def test_a_missing_answer_is_the_mean_of_the_answers_by_share():
    table, y = mixed()
    model = C45Classifier(max_depth=1).fit(table, y)
    (row,) = model.predict_proba({"size": [None], "kind": [None]})
    shares = model.tree_.counts[1:] / model.tree_.weight[1:, None]
    np.testing.assert_allclose(row, np.average(shares, axis=0, weights=model.tree_.weight[1:]), atol=1e-12)
    heaviest = 1 + model.tree_.weight[1:].argmax()
    assert model.apply({"size": [None], "kind": [None]}) == [heaviest]


# -- reference -----------------------------------------------------------------------------------------


def test_the_weather_gives_the_tree_of_the_book(weather):
    """Quinlan (1993), chapter 2: the cut lies at 75, a value, not half way from 70 to 85."""
    text = C45Classifier().fit(weather.with_numbers, weather.play).export_text()
    assert text.splitlines() == [
        "outlook = overcast: yes (4.0)",
        "outlook = rain:",
        "|   windy = no: yes (3.0)",
        "|   windy = yes: no (2.0)",
        "outlook = sunny:",
        "|   humidity <= 75: yes (2.0)",
        "|   humidity > 75: no (3.0)",
    ]


def test_a_row_without_outlook_is_spread_as_in_the_book(weather):
    """Quinlan (1993), chapter 3: of the row without outlook 5/13, 3/13 and 5/13 go down the three branches."""
    table = weather.with_numbers.with_columns(with_missing(weather.table["outlook"], np.arange(14) == 11))
    model = C45Classifier(confidence=None).fit(table, weather.play)
    root = dict(zip(["overcast", "rain", "sunny"], model.tree_.weight[1:4], strict=True))
    np.testing.assert_allclose([root["sunny"], root["overcast"], root["rain"]], [5 + 5 / 13, 3 + 3 / 13, 5 + 5 / 13])
    # sunny, humidity unknown: of 5.4 rows 2.0 are below and play, 3.4 are above, of which 3 do not: 56 % and 44 %
    row = {"outlook": ["sunny"], "temperature": [70.0], "humidity": [None], "windy": ["no"]}
    np.testing.assert_allclose(model.predict_proba(row), [[3 / 5.3846, 2.3846 / 5.3846]], atol=1e-3)


def test_iris_gives_the_tree_of_weka():
    """The output of Weka's J48 -C 0.25 -M 2 on iris.arff, as published many times."""
    iris = datasets.iris()
    text = C45Classifier().fit(iris.drop("species"), iris["species"]).export_text()
    assert text.splitlines() == [
        "petal_width <= 0.6: setosa (50.0)",
        "petal_width > 0.6:",
        "|   petal_width <= 1.7:",
        "|   |   petal_length <= 4.9: versicolor (48.0/1.0)",
        "|   |   petal_length > 4.9:",
        "|   |   |   petal_width <= 1.5: virginica (3.0)",
        "|   |   |   petal_width > 1.5: versicolor (3.0/1.0)",
        "|   petal_width > 1.7: virginica (46.0/1.0)",
    ]


def test_house_votes_have_the_leaves_of_weka():
    """Three leaves as published in outputs of Weka's J48 -C 0.25 -M 2 on vote.arff; test_c45_reference has the rest."""
    votes = datasets.house_votes()
    rules = C45Classifier().fit(votes.drop("party"), votes["party"]).rules()
    leaves = [(rule.n, rule.errors) for rule in rules]
    expected = [(253.41, 3.75), (145.71, 4.0), (6.03, 1.03)]
    np.testing.assert_allclose([leaves[0], leaves[1], leaves[-1]], expected, atol=6e-3)


# -- examples ------------------------------------------------------------------------------------------


def test_ordinal_columns_have_thresholds_named_by_level():
    sizes = ["S", "M", "L", "XL"] * 6
    table = Table.of({"size": sizes}).with_kinds(size=["S", "M", "L", "XL"])
    model = C45Classifier().fit(table, [s in ("L", "XL") for s in sizes])
    assert model.export_text().splitlines() == ["size <= M: False (12.0)", "size > M: True (12.0)"]


def test_a_column_of_names_does_not_win_by_having_many():
    """Its gain is the largest there is, its ratio is small, and it does not lift the average either."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 40)
    y = np.where(rng.random(40) < 0.1, 1 - group, group)
    table = Table([Column.labels("name", [f"n{i // 2}" for i in range(40)]), Column.labels("group", group.tolist())])
    assert C45Classifier().fit(table, y).schema_[0].name == "name"
    assert C45Classifier(max_depth=1).fit(table, y).tree_.feature[0] == 1


def test_laplace_counts_one_row_more_of_each_class(weather):
    plain = C45Classifier().fit(weather.table, weather.play)
    smooth = C45Classifier(laplace=True).fit(weather.table, weather.play)
    assert set(plain.predict_proba(weather.table).ravel()) == {0.0, 1.0}
    assert smooth.predict_proba(weather.table)[2] == pytest.approx([1 / 6, 5 / 6])


def test_two_branches_must_have_min_cases(weather):
    for min_cases in (1, 2, 5):
        model = C45Classifier(min_cases=min_cases, confidence=None).fit(weather.table, weather.play)
        tree = model.tree_
        for node in np.flatnonzero(~tree.is_leaf):
            assert (tree.weight[list(tree.children_of(node))] >= min_cases).sum() >= 2
    assert C45Classifier(min_cases=8).fit(weather.table, weather.play).get_n_leaves() == 1


@pytest.mark.parametrize(
    "params", [{"confidence": 0.0}, {"confidence": 1.0}, {"min_cases": 0}, {"max_depth": 0}], ids=str
)
def test_parameters_that_make_no_sense_are_refused(params, weather):
    with pytest.raises(InvalidParameterError, match=next(iter(params))):
        C45Classifier(**params).fit(weather.table, weather.play)
