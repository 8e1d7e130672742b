import numpy as np
import pytest

from probus import Column, DataError, Table
from probus.ensemble import BaggingClassifier
from probus.testing._specimen import with_missing
from probus.tree.multiway import ID3Classifier
from probus.tree.multiway._gain import information_gain


def reference(rows, labels, columns):
    """The class or, where there are several, the column of the largest gain and what is below each of its levels."""
    if len(set(labels)) == 1 or not columns:
        return max(sorted(set(labels)), key=labels.count)

    def parts(column):
        return {v: [i for i, row in enumerate(rows) if row[column] == v] for v in sorted({r[column] for r in rows})}

    def gain(column):
        kinds = sorted(set(labels))
        table = [[sum(labels[i] == k for i in part) for k in kinds] for part in parts(column).values()]
        return round(information_gain(np.array(table, float)), 9)

    able = [c for c in columns if len(parts(c)) > 1]
    if not able:
        return max(sorted(set(labels)), key=labels.count)
    best = max(able, key=gain)
    rest = [c for c in columns if c != best]
    return best, {
        v: reference([rows[i] for i in part], [labels[i] for i in part], rest) for v, part in parts(best).items()
    }


def nested(model, node=0):
    tree = model.tree_
    if tree.is_leaf[node]:
        return model.classes_[tree.counts[node].argmax()]
    field = model.schema_[int(tree.feature[node])]
    children = list(tree.children_of(node))
    routes = tree.routes_of(node)[:-1]
    return field.name, {
        level: nested(model, children[route]) for level, route in zip(field.levels, routes, strict=True) if route >= 0
    }


@pytest.mark.parametrize("seed", range(5))
def test_levels_grow_the_reference_tree(seed):
    rng = np.random.default_rng(seed)
    cells = {f"c{j}": [f"v{k}" for k in rng.integers(0, 3, 60)] for j in range(5)}
    y = ["ab"[k] for k in rng.integers(0, 2, 60)]
    model = ID3Classifier().fit(Table(Column.labels(name, cell) for name, cell in cells.items()), y)
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    assert nested(model) == reference(rows, y, list(cells))


def test_the_weather_gives_the_tree_of_the_paper(weather):
    """Quinlan (1986), figure 2."""
    assert ID3Classifier().fit(weather.table, weather.play).export_text().splitlines() == [
        "outlook = overcast: yes (4.0)",
        "outlook = rain:",
        "|   windy = no: yes (3.0)",
        "|   windy = yes: no (2.0)",
        "outlook = sunny:",
        "|   humidity = high: no (3.0)",
        "|   humidity = normal: yes (2.0)",
    ]


def test_an_exclusive_or_is_learnt_unless_a_gain_is_required():
    a, b = np.array([0, 0, 1, 1] * 3), np.array([0, 1, 0, 1] * 3)
    table = Table([Column.labels("a", a.tolist()), Column.labels("b", b.tolist())])
    assert (ID3Classifier().fit(table, a ^ b).predict(table) == (a ^ b)).all()
    assert ID3Classifier(min_gain=0.01).fit(table, a ^ b).get_n_leaves() == 1


def test_numbers_are_binned_or_an_error():
    table = Table.of({"age": np.arange(20.0), "grade": np.arange(20) % 3 * 1.0}, infer=False)
    y = np.arange(20) > 9
    assert ID3Classifier(n_bins=2).fit(table, y).export_text() == "age <= 9.5: False (10.0)\nage > 9.5: True (10.0)"
    with pytest.raises(DataError) as refusal:
        ID3Classifier(n_bins=None).fit(table, y)
    assert str(refusal.value) == (
        "ID3Classifier(n_bins=None) found 2 numeric columns: 'age', 'grade'.\n"
        "  Expected columns of levels. "
        "Pass n_bins=5 to discretise them, or use C45Classifier, which finds thresholds."
    )


def test_a_bin_that_no_row_of_a_node_has_goes_with_the_nearest():
    """Below "a" only the lowest and the highest of five bins have rows."""
    x = np.concatenate([np.full(5, 0.0), np.full(5, 100.0), np.arange(30) * 1.0 + 20])
    kind = ["a"] * 10 + ["b"] * 30
    y = [0] * 5 + [1] * 5 + [2] * 30
    table = Table([Column.labels("kind", kind), Column.numbers("x", x)])
    model = ID3Classifier().fit(table, y)
    queries = Table([Column.labels("kind", ["a"] * 4), Column.numbers("x", [-9.0, 30.0, 42.0, 999.0])])
    assert model.predict(queries).tolist() in ([0, 0, 1, 1], [0, 2, 2, 1])
    assert model.tree_.is_leaf[model.apply(queries)].all()


def test_ordinal_columns_are_split_by_level():
    size = ["S", "M", "L"] * 4
    table = Table.of({"size": size}).with_kinds(size=["S", "M", "L"])
    assert ID3Classifier(n_bins=None).fit(table, size).get_n_leaves() == 3


def test_a_node_smaller_than_min_parent_is_not_split(weather):
    assert ID3Classifier(min_parent=15).fit(weather.table, weather.play).get_depth() == 0
    assert ID3Classifier(min_parent=14, max_depth=9).fit(weather.table, weather.play).get_depth() == 1


def test_missing_values_do_not_blow_up_the_tree():
    rng = np.random.default_rng(0)
    columns = [Column.labels(f"c{j}", [f"v{k}" for k in rng.integers(0, 3, 100)]) for j in range(12)]
    table = Table([with_missing(column, rng.random(100) < 0.3) for column in columns])
    assert ID3Classifier().fit(table, rng.integers(0, 3, 100)).tree_.node_count < 2000


def test_random_trees_use_a_column_once_on_a_path_and_differ():
    rng = np.random.default_rng(0)
    columns = [Column.labels(f"c{j}", [f"v{k}" for k in rng.integers(0, 3, 300)]) for j in range(6)]
    table, y = Table(columns), rng.integers(0, 2, 300)
    whole = ID3Classifier().fit(table, y).tree_
    roots = set()
    for seed in range(20):
        tree = ID3Classifier(max_features=1, random_state=seed).fit(table, y).tree_
        roots.add(int(tree.feature[0]))
        for leaf in np.flatnonzero(tree.is_leaf):
            path, node = [], tree.parents[leaf]
            while node >= 0:
                path.append(tree.feature[node])
                node = tree.parents[node]
            assert len(set(path)) == len(path)
    assert roots == set(range(6))
    np.testing.assert_array_equal(
        ID3Classifier(max_features=6, random_state=1).fit(table, y).tree_.feature, whole.feature
    )
    forest = BaggingClassifier(ID3Classifier(max_features="log2+1"), 5, random_state=0).fit(table, y)
    assert forest.predict(table).shape == (300,)
