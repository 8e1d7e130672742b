"""The first split of a tree against twins that try every split and sum the risk over rows."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import entr

from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

SEEDS = st.integers(0, 2**32 - 1)
CLASSES = ("gini", "entropy", "misclassification", "dkm")
NUMBERS = ("squared_error", "poisson", "absolute_error")


@pytest.fixture(autouse=True, scope="module")
def gain(risk_of):
    """What a split gains: the risk of all rows less that of either side."""

    def gain(criterion, y, w, left):
        sides = risk_of(criterion, y[left], w[left]) + risk_of(criterion, y[~left], w[~left])
        return risk_of(criterion, y, w) - sides

    return gain


def target(rng, criterion: str, n: int, n_classes: int = 3) -> np.ndarray:
    if criterion in CLASSES:
        return rng.integers(0, n_classes, n)
    return rng.poisson(2.0, n) + 0.5 if criterion == "poisson" else rng.normal(50.0, 2.0, n).round(1)


def stump(criterion: str, **params):
    return (DecisionTreeClassifier if criterion in CLASSES else DecisionTreeRegressor)(
        criterion=criterion, max_depth=1, **params
    )


def first_split(model, X) -> np.ndarray | None:
    """Which rows the first question sends left; None where there is none."""
    return model.apply(X) == model.tree_.children_left[0] if model.tree_.node_count > 1 else None


def cuts(x: np.ndarray):
    """Every way to cut a column of numbers: between two values, or the known from the missing, these on either side."""
    known, gone = np.unique(x[~np.isnan(x)]), np.isnan(x)
    for value in known:
        left = ~gone & (x <= value)
        yield left
        if gone.any():
            yield left | gone


def partitions(x: np.ndarray):
    """Every way to part the levels of a column in two, the missing on either side."""
    levels = np.unique(x[~np.isnan(x)])
    for chosen in chain.from_iterable(combinations(levels, size) for size in range(1, len(levels) + 1)):
        yield np.isin(x, chosen)


def best_gain(gain, criterion, y, w, ways, min_leaf=1, min_weight=0.0) -> float:
    allowed = (
        left
        for left in ways
        if min(left.sum(), (~left).sum()) >= min_leaf and min(w[left].sum(), w[~left].sum()) >= min_weight - 1e-12
    )
    return max((gain(criterion, y, w, left) for left in allowed), default=-np.inf)


def assert_splits_best(gain, criterion, model, X, y, w, best):
    left = first_split(model.fit(X, y, w), X)
    if best == -np.inf:
        assert left is None
    elif left is None:  # nothing to gain at all
        assert best < 1e-9
    else:
        np.testing.assert_allclose(gain(criterion, y, w, left), best, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
@given(seed=SEEDS, n=st.integers(2, 40), decimals=st.integers(0, 3), gaps=st.booleans(), weighed=st.booleans(),
       min_leaf=st.integers(1, 5), min_fraction=st.sampled_from([0.0, 0.2]))  # fmt: skip
def test_no_cut_of_numbers_is_better(gain, criterion, seed, n, decimals, gaps, weighed, min_leaf, min_fraction):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(decimals)
    X[rng.random(X.shape) < 0.2 * gaps] = np.nan
    y, w = target(rng, criterion, n), rng.random(n) + 0.1 if weighed else np.ones(n)
    ways = (left for x in X.T for left in cuts(x))
    best = best_gain(gain, criterion, y, w, ways, min_leaf, min_fraction * w.sum())
    model = stump(criterion, min_samples_leaf=min_leaf, min_weight_fraction_leaf=min_fraction)
    assert_splits_best(gain, criterion, model, X, y, w, best)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CLASSES + NUMBERS)
def test_no_cut_of_many_values_is_better(gain, criterion):
    """Columns of more than 256 values are walked as sorted lists, not counted."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    for n_classes in (2, 3):
        y, w = target(rng, criterion, 300, n_classes), rng.random(300) + 0.1
        for weight in (w, np.ones(300)):
            best = best_gain(gain, criterion, y, weight, (left for x in X.T for left in cuts(x)))
            assert_splits_best(gain, criterion, stump(criterion), X, y, weight, best)


@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [(c, k) for c in CLASSES for k in (2, 4)] + [("squared_error", 1), ("poisson", 1)],
)
@settings(max_examples=25)
@given(seed=SEEDS, n_levels=st.integers(2, 7), gaps=st.booleans())
def test_no_partition_of_levels_is_better(gain, criterion, n_classes, seed, n_levels, gaps):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, n_levels, 30).astype(float)
    x[rng.random(30) < 0.2 * gaps] = np.nan
    y, w = target(rng, criterion, 30, n_classes), rng.random(30) + 0.1
    model = stump(criterion, categorical_features=[0])
    assert_splits_best(gain, criterion, model, x[:, None], y, w, best_gain(gain, criterion, y, w, partitions(x)))


def test_many_levels_of_many_classes_are_parted_about_as_well_as_any_single_class_orders_them(gain):
    rng, ours_best = np.random.default_rng(0), 0
    for _ in range(40):
        x = rng.integers(0, 25, 400).astype(float)
        shares = rng.dirichlet(np.ones(4), 25)
        y, w = np.array([rng.choice(4, p=shares[int(level)]) for level in x]), np.ones(400)
        found = gain("gini", y, w, first_split(stump("gini", categorical_features=[0]).fit(x[:, None], y), x[:, None]))
        ordered = 0.0
        for k in range(4):
            order = np.argsort([(y[x == level] == k).mean() for level in range(25)])
            ordered = max(ordered, *(gain("gini", y, w, np.isin(x, order[:i])) for i in range(1, 25)))
        ours_best += found >= ordered - 1e-9
        assert found > 0.8 * ordered
    assert ours_best >= 20


@settings(max_examples=30)
@given(seed=SEEDS, gaps=st.booleans())
def test_gain_ratio_takes_the_largest_ratio_among_those_that_gain_the_average(gain, seed, gaps):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, k, 40) for k in (2, 5, 40)]).astype(float)
    X[rng.random(X.shape) < 0.2 * gaps] = np.nan
    y, w = rng.integers(0, 3, 40), rng.random(40) + 0.1
    best = [max(cuts(x), key=lambda left: gain("entropy", y, w, left)) for x in X.T]
    gains = np.array([gain("entropy", y, w, left) for left in best])
    shares = np.array([w[left].sum() / w.sum() for left in best])
    ratio = gains / (entr(shares) + entr(1 - shares))
    ratio[gains < gains.mean() * (1 - 1e-9)] = -np.inf
    left = first_split(stump("gini").set_params(criterion="gain_ratio").fit(X, y, w), X)
    share = w[left].sum() / w.sum()
    found = gain("entropy", y, w, left) / (entr(share) + entr(1 - share))
    np.testing.assert_allclose(found, ratio.max(), rtol=1e-9)


def test_a_cut_lies_midway_between_its_neighbours_and_still_parts_them():
    one, two = 1.0, np.nextafter(1.0, 2.0)
    for low, high in ((1.0, 2.0), (-3.0, 7.0), (one, two), (1e308, 1.7e308), (-1.7e308, 1.7e308)):
        tree = DecisionTreeClassifier().fit([[low], [high]], [0, 1])
        assert tree.predict([[low], [high]]).tolist() == [0, 1]
        assert low <= tree.tree_.threshold[0] < high
    assert DecisionTreeClassifier().fit([[1.0], [4.0]], [0, 1]).tree_.threshold[0] == 2.5


def test_missing_values_alone_can_be_the_question():
    X = np.array([[1.0], [5.0], [3.0], [np.nan], [np.nan], [np.nan]])
    tree = DecisionTreeClassifier().fit(X, [0, 0, 0, 1, 1, 1])
    assert tree.tree_.threshold[0] == np.inf
    assert tree.predict([[99.0], [np.nan]]).tolist() == [0, 1]
