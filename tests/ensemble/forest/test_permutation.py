import numpy as np
import pytest
from scipy import stats

from probus.datasets import penguins
from probus.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from probus.ensemble.forest._permutation import add_rises
from probus.errors import DataError


@pytest.fixture(scope="module")
def birds():
    table = penguins()
    return table.drop("species"), table["species"].decoded()


@pytest.fixture(scope="module")
def forest(birds):
    return RandomForestClassifier(25, random_state=0).fit(*birds)


def by_loops(forest, X, y, seed, rows_of):
    """For each tree and column the rise of its error when that column is shuffled, predicting anew."""
    seen, rises = forest._seen(X), []
    drawn = int(np.random.RandomState(seed).randint(2**31 - 1))
    for t in range(len(forest.trees_)):
        tree, rows = forest.trees_[t], rows_of(t)
        others = np.random.default_rng([drawn, t]).permutation(rows)

        def error(asked, tree=tree, rows=rows):
            said = tree.predict(asked)
            if hasattr(forest, "classes_"):
                return np.mean(forest.classes_[said.argmax(axis=1)] != y[rows])
            return np.mean((said[:, 0] - y[rows]) ** 2)

        base, rise = error(seen[rows]), []
        for j in range(seen.shape[1]):
            shuffled = seen[rows].copy()
            shuffled[:, j] = seen[others, j]
            rise.append(error(shuffled) - base)
        rises.append(rise)
    return np.array(rises)


def test_differences_are_those_of_predicting_anew_with_a_column_shuffled(forest, birds):
    found = forest.permutation_importance(*birds, random_state=7)
    expected = by_loops(forest, *birds, 7, lambda t: np.flatnonzero(forest.bags_.counts(t) == 0))
    np.testing.assert_allclose(found.differences, expected, atol=1e-12)


def test_numbers_have_rises_of_the_squared_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + rng.normal(size=90)
    forest = ExtraTreesRegressor(6, random_state=0).fit(X[:60], y[:60])
    found = forest.permutation_importance(X[60:], y[60:], kind="all", random_state=1)
    np.testing.assert_allclose(found.differences, by_loops(forest, X[60:], y[60:], 1, lambda t: np.arange(30)))
    assert found.loss == "squared error"
    assert found.names == ("x0", "x1", "x2")


def by_row_loops(forest, X, y, seed, rows_of):
    """For each row and column the mean rise where the row is predicted, and where its value is given to another."""
    seen = forest._seen(X)
    drawn, sums, counts = int(np.random.RandomState(seed).randint(2**31 - 1)), np.zeros(seen.shape), np.zeros(len(seen))
    for t in range(len(forest.trees_)):
        tree, rows = forest.trees_[t], rows_of(t)
        others = np.random.default_rng([drawn, t]).permutation(rows)
        counts[rows] += 1
        for j in range(seen.shape[1]):
            shuffled = seen[rows].copy()
            shuffled[:, j] = seen[others, j]
            rise = (tree.predict(shuffled)[:, 0] - y[rows]) ** 2 - (tree.predict(seen[rows])[:, 0] - y[rows]) ** 2
            np.add.at(sums[:, j], rows, rise)
            np.add.at(sums[:, j], others, rise)
    return sums[counts > 0] / counts[counts > 0][:, None]


@pytest.mark.parametrize(("kind", "times"), [("all", 1), ("oob", 2)])
def test_intervals_are_over_rows_and_count_twice_those_that_grew_the_trees(kind, times):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    forest = RandomForestRegressor(12, random_state=0).fit(X, y)
    found = forest.permutation_importance(X, y, kind=kind, level=0.9, random_state=1)
    u = by_row_loops(forest, X, y, 1, lambda t: np.flatnonzero((kind == "all") | (forest.bags_.counts(t) == 0)))
    for told, each, column in zip(found.importances, found.differences.T, u.T, strict=True):
        error = np.sqrt(times) * stats.sem(column)
        expected = stats.t.interval(0.9, len(column) - 1, each.mean(), error)
        np.testing.assert_allclose([told.value, told.low, told.high], [each.mean(), *expected])
        assert (told.level, told.n) == (0.9, len(column))
    assert found["x0"].method.startswith("over samples of rows" if kind == "oob" else "over rows, for this forest")


@pytest.mark.slow
def test_intervals_hold_what_another_sample_is_expected_to_give():
    values, intervals = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 3))
        y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=120)
        found = RandomForestRegressor(40, random_state=seed).fit(X, y).permutation_importance(X, y, random_state=seed)
        intervals.append(found["x0"])
        values.append(found["x0"].value)
    assert np.mean([np.mean(values) in each for each in intervals]) > 0.8


def test_a_column_of_noise_is_worth_nothing_and_one_that_no_tree_asks_exactly_that():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(300, 2)), np.ones(300)])
    forest = RandomForestRegressor(60, random_state=0).fit(X, 3 * X[:, 0] + 0.1 * rng.normal(size=300))
    found = forest.permutation_importance(X, 3 * X[:, 0], random_state=0)
    assert found["x0"].low > 5.0
    assert abs(found["x1"].value) < 0.05
    assert (found["x2"].low, found["x2"].high) == (0.0, 0.0)


def test_the_same_bytes_come_for_any_number_of_threads(birds):
    one, two = (RandomForestClassifier(20, random_state=0, n_jobs=n).fit(*birds) for n in (1, 2))
    found = [model.permutation_importance(*birds, random_state=3).differences.tobytes() for model in (one, two)]
    assert found[0] == found[1]


def test_repeats_make_single_trees_steadier(forest, birds):
    once = forest.permutation_importance(*birds, random_state=0)
    often = forest.permutation_importance(*birds, n_repeats=10, random_state=0)
    assert often.differences.var(axis=0).sum() < once.differences.var(axis=0).sum()
    np.testing.assert_allclose(often.differences.mean(axis=0), once.differences.mean(axis=0), atol=0.03)


def test_the_result_prints_ranks_and_becomes_data(forest, birds):
    found = forest.permutation_importance(*birds, random_state=0)
    frame = found.to_frame()
    assert frame.columns == ["column", "importance", "low", "high"]
    assert (np.diff(frame["importance"].to_numpy()) <= 0).all()
    head, first = repr(found).splitlines()[:2]
    assert head.startswith("Rise of the error rate when a column is shuffled, 25 trees; intervals over samples of rows")
    assert head.endswith("too short for correlated columns")
    assert first.startswith("  bill_length_mm")
    assert [t.get_text() for t in found.plot().get_yticklabels()] == frame["column"].to_list()
    assert len(found.to_dict()["importances"]) == len(birds[0].names)


def test_the_kernel_runs_as_plain_python_too(forest, birds):
    from probus.tree.prediction._unpacked import splits_of

    seen = np.ascontiguousarray(forest._seen(birds[0]))
    rows, others = np.arange(20), np.arange(20)[::-1].copy()
    said, d = forest.trees_.value[:, 0].argmax(axis=1).astype(float), seen.shape[1]
    codes = np.searchsorted(forest.classes_, birds[1]).astype(float)
    rises = [np.zeros(d) for _ in range(2)]
    for kernel, rise in zip((add_rises, add_rises.py_func), rises, strict=True):
        work = np.full(2 * d, -1)
        kernel(seen, codes, rows, others, 2, *splits_of(forest.trees_), said, True, work, rise, np.zeros(seen.shape))
    np.testing.assert_array_equal(*rises)


def test_trees_must_have_left_rows_out(birds):
    trees = ExtraTreesRegressor(3, random_state=0).fit(birds[0], np.arange(344.0))
    with pytest.raises(DataError, match=r"no rows out of bag: every tree is trained on every row\.\n.*Or kind='all'"):
        trees.permutation_importance(birds[0], np.arange(344.0))
    lone = RandomForestRegressor(1, random_state=0).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match=r"1 of 1 trees have rows out of bag\.\n  Expected two at least"):
        lone.permutation_importance([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])


def test_unfit_arguments_are_errors(forest, birds):
    X, y = birds
    with pytest.raises(DataError, match="10 rows, and RandomForestClassifier was fitted on 344"):
        forest.permutation_importance(X.take(slice(0, 10)), y[:10])
    with pytest.raises(DataError, match="kind='each'"):
        forest.permutation_importance(X, y, kind="each")
    with pytest.raises(DataError, match="n_repeats=0"):
        forest.permutation_importance(X, y, n_repeats=0)
    with pytest.raises(DataError, match=r"a confidence level of 95"):
        forest.permutation_importance(X, y, level=95)
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        forest.permutation_importance(X, y[:9])
