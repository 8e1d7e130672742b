"""No copy of a training row is held out for early stopping, whether copies are rows or made by weights."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from probus.data import Column, Table
from probus.neural_network import (
    ConvClassifier,
    ConvRegressor,
    RecurrentClassifier,
    TabularNetClassifier,
    TabularNetRegressor,
    TransformerClassifier,
    _predictor,
    _tabular_module,
)
from probus.neural_network._row_sets import RowSets

N = 80
RNG = np.random.default_rng(0)
DIGITS = load_digits()
TEXTS = [f"the {'coat' if i % 2 else 'dress'} {i % 47} is {'thin' if i % 3 else 'fine'}" for i in range(N)]
CELLS = Table([Column.numbers("a", RNG.normal(size=N)), Column.labels("b", ["xyz"[i % 3] for i in range(N)])])
SERIES = [RNG.normal(size=3 + i % 4) for i in range(N)]
CLASSES, NUMBERS = np.arange(N) % 2, RNG.normal(size=N)
SHORT = {"max_iter": 2, "device": "cpu", "random_state": 0}
SEQUENCE = {**SHORT, "width": 4, "n_pieces": 60}
TABULAR = {**SHORT, "n_models": 6, "n_members": 2, "hidden_layer_sizes": (4,)}
FITS = {
    "images": (ConvClassifier(**SHORT, channels=(3,)), DIGITS.images[:N], DIGITS.target[:N] % 2),
    "images, numbers": (ConvRegressor(**SHORT, channels=(3,)), DIGITS.images[:N], NUMBERS),
    "texts": (RecurrentClassifier(**SEQUENCE), TEXTS, CLASSES),
    "series": (RecurrentClassifier(**SEQUENCE), SERIES, CLASSES),
    "transformer": (TransformerClassifier(**SEQUENCE, heads=2), TEXTS, CLASSES),
    "table, classes": (TabularNetClassifier(**TABULAR), CELLS, CLASSES),
    "table, numbers": (TabularNetRegressor(**TABULAR), CELLS, NUMBERS),
}


def some(X, rows):
    return X.take(rows) if isinstance(X, Table) else [X[row] for row in rows] if isinstance(X, list) else X[rows]


@pytest.fixture
def splits(monkeypatch):
    """The splits of the fits of a test: the contents of the rows trained on, and of those held out."""
    found = []
    learn, trained_weights = _predictor.NeuralPredictor._learn, _tabular_module.trained_weights

    def contents(arrays, texts, rows):
        return [(*(np.asarray(each)[row].tobytes() for each in arrays), texts and tuple(texts[row])) for row in rows]

    def learnt(self, rows, target, weight, training, held_out, **settings):
        found.append([contents((*rows.arrays, target), rows.source, part) for part in (training, held_out)])
        return learn(self, rows, target, weight, training, held_out, **settings)

    def tabular(first, encoding, rows, training, held_out, *others):
        found.append([contents((*rows.cells, rows.targets), None, part) for part in (training, held_out)])
        return trained_weights(first, encoding, rows, training, held_out, *others)

    monkeypatch.setattr(_predictor.NeuralPredictor, "_learn", learnt)
    monkeypatch.setattr(_tabular_module, "trained_weights", tabular)
    return found


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("given_as", ["weights", "rows", "both"])
def test_no_copy_of_a_training_row_is_held_out(fit, given_as, splits):
    net, X, y = FITS[fit]
    weight = np.random.default_rng(1).integers(0, 5, N)
    twice = np.sort(np.append(np.arange(N), np.arange(0, N, 3)))
    rows = {"weights": np.arange(N), "rows": np.repeat(np.arange(N), weight), "both": twice}[given_as]
    weights = {"weights": weight, "rows": None, "both": weight[twice]}[given_as]
    net.fit(some(X, rows), y[rows], weights)
    assert len(splits) == getattr(net, "n_models", 1)
    for training, held_out in splits:
        assert len(training) + len(held_out) == (len(rows) if weights is None else weights.sum())
        assert 0 < len(held_out) < 0.4 * len(training)
        assert not set(training) & set(held_out)
        assert len(set(held_out)) < len(held_out)


@pytest.mark.parametrize("fit", FITS)
def test_fractional_weights_hold_out_copies_together(fit, splits):
    net, X, y = FITS[fit]
    rows = np.repeat(np.arange(N), 2)
    net.fit(some(X, rows), y[rows], np.random.default_rng(2).uniform(0.1, 2.0, 2 * N))
    for training, held_out in splits:
        assert held_out
        assert not set(training) & set(held_out)


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("different", [1, 2, 7])
def test_of_a_few_different_rows_none_are_held_out(fit, different, splits):
    net, X, y = FITS[fit]
    rows = np.arange(N) % different
    net.fit(some(X, rows), y[rows])
    assert all(len(training) == N and not held_out for training, held_out in splits)


# -- sets, compared with a dictionary of rows ----------------------------------------------------------


def expected_sets(X, y):
    """Lists of rows: those of the same X if one of them is there twice, and each other row."""
    alike = defaultdict(list)
    for row, values in enumerate(X.tolist()):
        alike[tuple(values)].append(row)
    sets = []
    for rows in alike.values():
        outcomes = [y[row] for row in rows]
        sets += [rows] if len(set(outcomes)) < len(outcomes) else [[row] for row in rows]
    return sorted(sets)


@st.composite
def tables(draw):
    """Rows of few or many values, and targets of few classes."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 3))
    X = rng.integers(draw(st.sampled_from([1, 2, 5, 1000])), size=(n, d)).astype(np.float64)
    return X, rng.integers(draw(st.sampled_from([1, 2, 4, 50])), size=n), rng


@given(tables())
def test_sets_are_those_of_a_dictionary(table):
    X, y, _ = table
    sets = RowSets.of([X[:, :1], X[:, 1:]], y, y)
    expected = expected_sets(X, y)
    assert [np.flatnonzero(sets.number == i).tolist() for i in range(len(sets))] == expected
    assert sets.size.tolist() == [len(rows) for rows in expected]
    for i, rows in enumerate(expected):
        counts = np.bincount(y[rows])
        assert counts[sets.stratum[i]] == counts.max()


@given(tables(), st.floats(0.01, 0.9))
def test_the_share_of_each_class_is_about_right(table, share):
    """And it is nearer to the share of rows than no row is, of those that are not in too large sets."""
    X, y, rng = table
    sets = RowSets.of([X], y, y)
    held = sets.share_of(rng.permutation(len(sets)), share)
    training, out = sets.split(held)
    assert sorted([*training, *out]) == list(range(len(y)))
    assert not {(*X[row], y[row]) for row in training} & {(*X[row], y[row]) for row in out}
    for code in set(sets.stratum.tolist()):
        size, own = sets.size[sets.stratum == code], sets.size[held[sets.stratum[held] == code]]
        wanted = share * size.sum()
        assert own.sum() <= 2 * wanted + 1
        if size.max() == 1:
            assert own.sum() == round(wanted)
        elif 4 * size.max() <= wanted:
            assert abs(own.sum() - wanted) <= size.max()


@given(tables(), st.integers(2, 6))
def test_folds_are_disjoint_and_about_equal(table, n_folds):
    X, y, rng = table
    sets = RowSets.of([X], y)
    order = rng.permutation(len(sets))
    folds = [sets.split(sets.fold(order, number, n_folds)) for number in range(n_folds)]
    held = [row for _, out in folds for row in out.tolist()]
    assert len(set(held)) == len(held)
    for training, out in folds:
        assert not set(map(tuple, np.column_stack([X, y])[training])) & set(map(tuple, np.column_stack([X, y])[out]))
    assert np.ptp([len(out) for _, out in folds]) <= max(sets.size[sets.number[held]], default=0)
    if sets.size.max() == 1:
        assert len(held) == len(y)


def test_without_copies_rows_are_drawn_one_by_one():
    y, order = np.repeat([0, 1, 2], [47, 30, 3]), np.random.default_rng(0).permutation(80)
    sets = RowSets.of([np.arange(80.0)], y, y)
    for share in (0.1, 0.25, 0.5, 0.77):
        expected = [order[y[order] == code][: round(share * (y == code).sum())] for code in range(3)]
        np.testing.assert_array_equal(sets.split(sets.share_of(order, share))[1], np.sort(np.concatenate(expected)))
    by_class = order[np.argsort(y[order], kind="stable")]
    for number in range(4):
        np.testing.assert_array_equal(sets.split(sets.fold(order, number, 4))[1], np.sort(by_class[number::4]))


def test_a_row_that_most_rows_repeat_is_trained_on():
    X = np.append(np.zeros(900), np.arange(1.0, 101.0))
    sets = RowSets.of([X], X)
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(sets))
        held = sets.split(sets.share_of(order, 0.1))[1]
        assert len(held) == 10
        assert held.min() >= 900
        assert len(sets.split(sets.fold(order, seed % 5, 5))[1]) == 20


def test_rows_of_the_same_x_stay_apart_where_no_row_is_repeated():
    X, y = np.repeat([1.0, 2.0], 10), np.arange(20.0)
    assert len(RowSets.of([X], y)) == 20
    y[1] = y[0]
    assert len(RowSets.of([X], y)) == 11


def test_zeros_are_equal_and_so_are_missing_values_and_texts():
    X = np.array([[0.0, np.nan], [-0.0, -np.nan], [0.0, 1.0], [0.0, 1.0]])
    y = np.zeros((4, 1))
    assert RowSets.of([X], y).number.tolist() == [0, 0, 1, 1]
    assert RowSets.of([X], y, texts=[["a", "b"], ["a", "b"], ["c"], ["\udc80"]]).number.tolist() == [0, 0, 1, 2]
    assert RowSets.of([X], y, texts=[["a", "b"], ["ab"], ["c", ""], ["c"]]).number.tolist() == [0, 1, 2, 3]
