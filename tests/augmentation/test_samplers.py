"""Samplers: the rows of imbalanced-learn, mixed columns with missing values, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from probus.augmentation import ADASYN, SMOTE, ArtificialAnomalies, Mixup, Noise, RandomOverSampler, RandomUnderSampler
from probus.data import Table
from probus.errors import DataError

EUCLIDEAN = {"random_state": 0, "metric": "euclidean"}
SAMPLERS = [
    RandomOverSampler(random_state=0), RandomOverSampler(shrinkage=1.0, random_state=0),
    RandomUnderSampler(random_state=0), SMOTE(random_state=0), ADASYN(random_state=0), Noise(random_state=0),
    Mixup(random_state=0), ArtificialAnomalies(random_state=0), ArtificialAnomalies("permuted", random_state=0),
]  # fmt: skip


@pytest.fixture
def three_classes():
    rng = np.random.RandomState(3)
    X, y = rng.normal(size=(40, 3)), np.array([0] * 24 + [1] * 7 + [2] * 9)
    X[y == 1] += 1.0
    X[y == 2] -= 0.7
    return X, y


@pytest.fixture
def mixed():
    """A table of all kinds with missing values, 40 rows of "no" and 12 of "yes"."""
    rng = np.random.default_rng(1)
    n, y = 52, np.array(["no"] * 40 + ["yes"] * 12)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n) + 8 * (y == "yes"))
    town = rng.choice(["Bonn", "Rome", None], n, p=[0.5, 0.4, 0.1])
    columns = {"age": age, "town": town, "size": rng.choice(["S", "M", "L"], n), "pay": rng.normal(size=n)}
    return Table.of(columns, {"town": "nominal", "size": ["S", "M", "L"]}), y


# Sums of the rows, and of the rows weighed by their place, of imbalanced-learn 0.14.2 on the rows of ``three_classes``
THEIRS = [
    (ADASYN(n_neighbors=4, **EUCLIDEAN), 72, 28.72792882, 3619.619111),
    (RandomOverSampler(random_state=0), 72, 21.10196585, 2621.664454),
    (RandomUnderSampler(random_state=0), 21, -0.66187435, -198.915093),
    (RandomUnderSampler({0: 8, 2: 5}, replacement=True, random_state=0), 20, 10.54751648, 158.312232),
    (SMOTE("minority", k_neighbors=4, **EUCLIDEAN), 57, 42.77402286, 6657.901085),
]


@pytest.mark.parametrize(("sampler", "n", "total", "by_place"), THEIRS, ids=repr)
def test_rows_are_those_of_imbalanced_learn(sampler, n, total, by_place, three_classes):
    X, y = sampler.fit_resample(*three_classes)
    assert (len(X), X.sum(), (X.ravel() * np.arange(X.size)).sum()) == (
        n,
        pytest.approx(total),
        pytest.approx(by_place),
    )
    assert len(y) == n


STRATEGIES = {
    "auto": ([24, 24, 24], [7, 7, 7]), "not majority": ([24, 24, 24], [24, 7, 7]),
    "minority": ([24, 24, 9], [24, 7, 9]), "not minority": ([24, 7, 24], [7, 7, 7]),
    "majority": ([24, 7, 9], [7, 7, 9]), "all": ([24, 24, 24], [7, 7, 7]),
}  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies(strategy, three_classes):
    for sampler, expected in zip((RandomOverSampler, RandomUnderSampler), STRATEGIES[strategy], strict=True):
        _, y = sampler(strategy, random_state=0).fit_resample(*three_classes)
        assert np.bincount(y).tolist() == expected


def test_a_strategy_may_be_a_dict_or_a_function(three_classes):
    assert np.bincount(RandomOverSampler({1: 10}).fit_resample(*three_classes)[1]).tolist() == [24, 10, 9]
    assert np.bincount(RandomUnderSampler(lambda y: {0: 8}).fit_resample(*three_classes)[1]).tolist() == [8, 7, 9]


def test_a_number_is_the_share_of_the_smaller_class():
    X, y = np.zeros((100, 1)), np.repeat([0, 1], [80, 20])
    assert np.bincount(RandomOverSampler(0.5).fit_resample(X, y)[1]).tolist() == [80, 40]
    assert np.bincount(RandomUnderSampler(0.5).fit_resample(X, y)[1]).tolist() == [40, 20]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_mixed_rows_with_missing_values_keep_their_schema_and_old_rows_stay(sampler, mixed):
    table, y = mixed
    rows, target = clone(sampler).fit_resample(table, y)
    assert rows.schema == table.schema
    assert len(rows) == len(target)
    if not isinstance(sampler, RandomUnderSampler):
        assert rows.take(np.arange(len(table))).to_dict() == table.to_dict()
        assert len(rows) > len(table)
    again, _ = clone(sampler).fit_resample(table, y)
    assert again.to_dict() == rows.to_dict()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_a_frame_becomes_a_frame_and_an_array_an_array(sampler):
    X, y = np.arange(60.0).reshape(30, 2), np.repeat([0, 1], [20, 10])
    y[18:22] = [1, 0, 1, 0]  # so that classes are neighbours
    rows, _ = clone(sampler).fit_resample(X, y)
    frame, _ = clone(sampler).fit_resample(pd.DataFrame(X, columns=["a", "b"]), y)
    assert type(rows) is np.ndarray
    assert list(frame.columns) == ["a", "b"]
    np.testing.assert_allclose(frame.to_numpy(), rows)


def test_new_rows_of_smote_lie_between_neighbours_of_their_class(mixed):
    table, y = mixed
    rows, target = SMOTE(random_state=0).fit_resample(table, y)
    new, own = rows.take(np.arange(52, 80)), table.take(np.flatnonzero(y == "yes"))
    assert (target[52:] == "yes").all()
    assert np.nanmin(own["age"].values) <= np.nanmin(new["age"].values)
    assert np.nanmax(new["age"].values) <= np.nanmax(own["age"].values)
    assert not np.isin(new["pay"].values, own["pay"].values).any()
    assert set(new["town"].to_list()) <= {*own["town"].to_list()}


def test_levels_of_smote_are_the_most_frequent_of_the_neighbours():
    table = Table.of({"x": [0.0, 0.1, 0.2, 0.3, 9.0, 9.1, 9.2, 9.3, 9.4], "c": list("aaab") + list("zzzzz")})
    rows, _ = SMOTE(k_neighbors=3, random_state=0).fit_resample(table, [1] * 4 + [0] * 5)
    assert rows["c"].to_list()[9:] == ["a"]


def test_adasyn_adds_most_where_other_classes_are():
    X = np.array([[0.0], [0.2], [0.4], [0.6], [5.0], [5.2], [5.4], [5.5], *[[5.0 + 0.11 * i] for i in range(16)]])
    y = np.repeat([1, 0], [8, 16])
    new = ADASYN(n_neighbors=3, random_state=0).fit_resample(X, y)[0][24:]
    assert (new > 4.9).all()


def test_noise_has_the_spread_it_says_and_keeps_missing_values(mixed):
    table, y = mixed
    rows, target = Noise(0.5, swap=0.3, share=40, random_state=0).fit_resample(table, y)
    added, base = rows["age"].values[52:], np.repeat(table["age"].values, 40)
    np.testing.assert_array_equal(np.isnan(added), np.isnan(base))
    assert np.nanstd(added - base) == pytest.approx(0.5 * np.nanstd(table["age"].values, ddof=1), rel=0.05)
    codes, before = rows["town"].values[52:], np.repeat(table["town"].values, 40)
    share = np.bincount(table["town"].values[table["town"].values >= 0]) / (table["town"].values >= 0).sum()
    assert (codes != before)[before >= 0].mean() == pytest.approx(0.3 * (1 - (share**2).sum()), abs=0.02)
    np.testing.assert_array_equal(target[52:], np.repeat(y, 40))


def test_mixup_of_numbers_is_on_the_line_and_of_classes_has_their_shares():
    X = np.linspace(0, 1, 50)[:, None]
    rows, y = Mixup(share=20, random_state=0).fit_resample(X, 3 * X[:, 0] + 0.5)
    np.testing.assert_allclose(3 * rows[:, 0] + 0.5, y)
    labels = np.repeat(["a", "b"], [40, 10])
    _, mixed = Mixup(share=100, random_state=0).fit_resample(X, labels)
    assert (mixed[50:] == "b").mean() == pytest.approx(0.2, abs=0.02)


def test_permuted_anomalies_keep_the_columns_and_lose_what_relates_them():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(500, 1)), 2, axis=1)
    rows, y = ArtificialAnomalies("permuted", random_state=0).fit_resample(X)
    odd = rows[y == -1]
    assert len(odd) == 500
    assert abs(np.corrcoef(odd.T)[0, 1]) < 0.15
    assert np.isin(odd, X).all()


def test_artificial_rows_get_the_label_of_the_rarest_class_or_the_given():
    X, y = np.arange(10.0)[:, None], np.array(["ok"] * 8 + ["fraud"] * 2)
    assert ArtificialAnomalies(share=0.3, random_state=0).fit_resample(X, y)[1][10:].tolist() == ["fraud"] * 3
    with pytest.raises(DataError, match=r"label=-1, where others are like 'fraud'\.\n  Expected one type"):
        ArtificialAnomalies(label=-1).fit_resample(X, y)
    new = ArtificialAnomalies(share=0.3, label="odd", random_state=0).fit_resample(X, y)[1]
    assert new.tolist() == [*y.tolist(), *["odd"] * 3]


BAD = [
    (SMOTE(), np.zeros((6, 1)), [0, 0, 0, 0, 1, 1], "class 1 has 2 rows, and SMOTE needs 5 neighbours of each.\n"
     "  Expected more than 5 rows of each class that is sampled. Pass k_neighbors=1, or use RandomOverSampler."),
    (SMOTE(), np.zeros((6, 1)), [0] * 6, "one class, 0.\n  Expected rows of at least two classes. "
     "The target y needs to have more than 1 class for SMOTE."),
    (RandomOverSampler({0: 2}), np.zeros((6, 1)), [0, 0, 0, 0, 1, 1], "2 rows of class 0, which has 4.\n"
     "  Expected as many, or more. This sampler adds."),
    (RandomUnderSampler({0: 5}), np.zeros((6, 1)), [0, 0, 0, 0, 1, 1], "5 rows of class 0, which has 4.\n"
     "  Expected as many, or fewer"),
    (RandomOverSampler({"x": 5}), np.zeros((2, 1)), [0, 1], "sampling_strategy has the class 'x'.\n"
     "  Expected those of y: [0, 1]"),
    (RandomOverSampler(0.5), np.zeros((3, 1)), [0, 1, 2], "sampling_strategy=0.5 for 3 classes.\n"
     "  Expected two classes, or a number of rows by class"),
    (ADASYN(n_neighbors=1), [[0.0], [1.0], [8.0], [8.5], [9.0]], [1, 1, 0, 0, 0], "no neighbour of class 1 is of "
     "another class.\n  Expected classes that are neighbours. Use SMOTE"),
]  # fmt: skip


@pytest.mark.parametrize(("sampler", "X", "y", "message"), BAD, ids=lambda each: str(each)[:30])
def test_refusals(sampler, X, y, message):
    with pytest.raises(DataError) as error:
        sampler.fit_resample(X, y)
    assert message in str(error.value)


def test_text_is_no_column_of_artificial_rows():
    rows = Table.of({"note": ["a long note of words", "another note of words"], "x": [1.0, 2.0]}, {"note": "text"})
    with pytest.raises(DataError, match="column 'note' is text"):
        ArtificialAnomalies().fit_resample(rows)
