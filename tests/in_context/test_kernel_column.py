"""The further column of passes of numbers: compared with scikit-learn's kernel ridge regression, refitted by hand."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.gaussian_process.kernels import Matern
from sklearn.kernel_ridge import KernelRidge

from probus.in_context import InContextClassifier, InContextRegressor, _kernel_column
from probus.in_context._kernel_column import Design, KernelColumn


@pytest.fixture
def random():
    return np.random.default_rng(0)


def mixed_rows(random, n):
    """Two numbers, three levels and missing values; and a target."""
    cells = np.column_stack([random.normal(size=(n, 2)), random.integers(0, 3, n)])
    cells[random.random(cells.shape) < 0.1] = np.nan
    y = np.nan_to_num(cells[:, 0]) ** 2 + np.nan_to_num(cells[:, 2]) + 0.1 * random.normal(size=n)
    return cells, np.array([False, False, True]), y


def with_indicators(design, rows):
    """Rows of a design with a column of 0.7 and 0 for each level in place of codes."""
    parts = []
    for values, levels in zip(rows.T, [*design.levels, *[None] * len(design.missing)], strict=True):
        parts.append(values[:, None] if levels is None else 0.7 * (values[:, None] == np.arange(len(levels), 0, -1)))
    return np.hstack(parts)


def kernel(a, b, rate):
    return Matern(length_scale=3**0.5 / rate, nu=1.5)(a, b) + 0.3 / a.shape[1] * a @ b.T + 1.0


def refitted(column, rows, y, weight, new):
    """Predictions of scikit-learn's regression for each penalty; its nearest to those of the column."""
    gram = kernel(rows, rows, column.regression.rate)
    found = [
        KernelRidge(alpha=alpha, kernel="precomputed").fit(gram, y - column.centre, sample_weight=weight)
        for alpha in _kernel_column._PENALTIES
    ]
    return [model.predict(kernel(new, rows, column.regression.rate)) + column.centre for model in found]


def test_new_rows_are_predicted_as_by_scikit_learn(random):
    cells, nominal, y = mixed_rows(random, 60)
    new, _, _ = mixed_rows(random, 25)
    column = KernelColumn.of(cells, nominal, y)
    design = Design.of(cells, nominal)
    expected = refitted(column, with_indicators(design, design(cells)), y, None, with_indicators(design, design(new)))
    assert min(np.abs(column(new) - each).max() for each in expected) < 1e-8


def test_copies_are_a_weight_and_the_penalty_is_the_best_without_each_row(random):
    cells, nominal, y = mixed_rows(random, 40)
    count = random.integers(1, 4, 40)
    column = KernelColumn.of(np.repeat(cells, count, axis=0), nominal, np.repeat(y, count))
    design = Design.of(np.repeat(cells, count, axis=0), nominal)
    rows = with_indicators(design, design(cells))
    errors = np.zeros(len(_kernel_column._PENALTIES))
    for left in range(40):
        others = np.arange(40) != left
        found = refitted(column, rows[others], y[others], count[others].astype(float), rows[[left]])
        errors += count[left] * (np.concatenate(found) - y[left]) ** 2
    best = int(np.argmin(errors))
    new, _, _ = mixed_rows(random, 10)
    expected = refitted(column, rows, y, count.astype(float), with_indicators(design, design(new)))[best]
    np.testing.assert_allclose(column(new), expected, atol=1e-8)
    np.testing.assert_allclose(column.regression.rate, column_rate(rows))


def column_rate(rows):
    return 1.5 / np.median(pdist(rows))


def test_training_rows_are_predicted_without_their_fold(random):
    cells, nominal, y = mixed_rows(random, 45)
    column = KernelColumn.of(cells, nominal, y)
    design = Design.of(cells, nominal)
    rows = np.unique(with_indicators(design, design(cells)), axis=0, return_inverse=True)
    generator = np.random.default_rng(0)
    generator.permutation(45)
    folds = generator.permutation(45) % 10
    target = np.empty(45)
    target[rows[1]] = y
    expected = np.empty((len(_kernel_column._PENALTIES), 45))
    for fold in range(10):
        own = folds == fold
        expected[:, own] = refitted(column, rows[0][~own], target[~own], None, rows[0][own])
    assert min(np.abs(column.known - each[rows[1]]).max() for each in expected) < 1e-8


def test_a_target_without_signal_has_no_column(random):
    """Predicted without their fold, its rows would be the lower, the higher they are."""
    X = random.normal(size=(300, 5))
    found = [KernelColumn.of(X, np.zeros(5, bool), random.normal(size=300)) for _ in range(20)]
    assert sum(each is None for each in found) >= 18
    assert KernelColumn.of(X, np.zeros(5, bool), np.full(300, 7.0)) is None


def test_more_rows_than_the_regression_takes_are_predicted_by_it(random, monkeypatch):
    monkeypatch.setattr(_kernel_column, "_MOST", 100)
    X = random.normal(size=(300, 2))
    column = KernelColumn.of(X, np.zeros(2, bool), X[:, 0])
    assert len(column.regression.rows) == 100
    assert np.corrcoef(column.known, X[:, 0])[0, 1] > 0.99


@pytest.mark.parametrize("unit", [1e-9, 1e-11, 1e-13])
def test_rows_that_nearly_agree_beside_one_far_away_are_compared(random, unit):
    """Half of the distances are smaller than the rounding errors of squares of the rows."""
    X = np.append(unit * random.normal(size=40), 1.0)[:, None]
    y = np.append(X[:40, 0] / unit, 0.0)
    column = KernelColumn.of(X, np.zeros(1, bool), y)
    np.testing.assert_allclose(column.regression.rate, column_rate(column.design(X)))
    assert np.corrcoef(column(X[:40]), y[:40])[0, 1] > 0.9
    assert np.isfinite(InContextRegressor(random_state=0).fit(X, y).predict(X)).all()


def test_many_levels_take_no_more_memory_than_few(random):
    cells = random.integers(0, 500, size=(400, 20)).astype(np.float32)
    design = Design.of(cells, np.ones(20, bool))
    assert design(cells).shape == (400, 20)
    assert design.width > 5_000


@pytest.mark.parametrize("cells", [np.arange(19.0)[:, None], np.tile(np.arange(10.0), 9)[:, None]])
def test_few_distinct_rows_have_no_column(cells):
    assert KernelColumn.of(cells, np.zeros(1, bool), cells[:, 0]) is None
    model = InContextRegressor(random_state=0).fit(cells, cells[:, 0])
    assert np.corrcoef(model.predict(cells), cells[:, 0])[0, 1] > 0.9


def test_every_second_member_of_numbers_has_the_column(random):
    X = random.normal(size=(60, 3))
    members = InContextRegressor(n_members=3, random_state=0).fit(X, X[:, 0]).members_
    assert [len(plans[0].identity) for plans in members] == [3, 4, 3]
    of_classes = InContextClassifier(n_members=2, random_state=0).fit(X, X[:, 0] > 0).members_
    assert [len(plans[0].identity) for plans in of_classes] == [3, 3]


def test_the_column_helps_where_many_columns_make_a_smooth_sum(random):
    X = random.normal(size=(400, 12))
    y = np.sin(X[:, :6]).sum(axis=1) + X[:, 6:] @ np.arange(1.0, 7.0)
    plain = InContextRegressor(n_members=1, random_state=0).fit(X[:200], y[:200])
    both = InContextRegressor(n_members=2, random_state=0).fit(X[:200], y[:200])
    errors = [np.std(model.predict(X[200:]) - y[200:]) for model in (plain, both)]
    assert errors[1] < 0.85 * errors[0]
