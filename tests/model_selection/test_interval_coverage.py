"""The coverage of intervals of cross-validated scores, simulated where classes are rare and signals weak."""

import numpy as np
import pytest
from research.cross_validation import Cell, coverage, shifted
from research.curve_bands import Band, bands_of
from research.paired_gaps import LeastSquares, gap, lined
from research.scores_and_differences import Cell as Comparison
from research.scores_and_differences import Model, heavy, lines_of, sine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

SHARE, ROWS, SAMPLES = 0.05, 300, 150


def zero_r(x, y, new):
    return np.full(len(new), y.mean())


def gaussian_naive_bayes(x, y, new):
    odds = np.log(y.mean() / (1 - y.mean()))
    for c, sign in ((1, 1), (0, -1)):
        mean, spread = x[y == c].mean(axis=0), x[y == c].std(axis=0) + 1e-3
        odds = odds - sign * np.sum(((new - mean) / spread) ** 2 / 2 + np.log(spread), axis=1)
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def drawn(rng, n):
    y = (rng.random(n) < SHARE).astype(np.int64)
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize("model", [zero_r, gaussian_naive_bayes])
def test_intervals_cover_the_accuracy_with_rare_positives(made, model):
    rng = np.random.default_rng(0)
    covered, truths = [], []
    x_new, y_new = drawn(rng, 20_000)
    while len(truths) < 2 * SAMPLES:
        x, y = drawn(rng, ROWS * 4 // 5)
        if y.sum() > 4:
            truths.append(np.mean((model(x, y, x_new) > 0.5) == y_new))
    truth = np.mean(truths) + (1 - SHARE) - np.mean(y_new == 0)  # the 20,000 rows have their own share
    while len(covered) < SAMPLES:
        x, y = drawn(rng, ROWS)
        if y.sum() < 5:
            continue
        result = made.cross_validated(y, lambda train, test, x=x, y=y: model(x[train], y[train], x[test]))
        covered.append(truth in result.estimate("accuracy"))
    assert 0.9 <= np.mean(covered) <= 0.99


@pytest.mark.slow
def test_intervals_cover_the_f1_of_a_weak_model():
    # how many rows are called positive depends on the training rows, in all splits of a sample alike
    cell = Cell("25 %, weak", shifted(0.25, 0.6), LinearDiscriminantAnalysis(), 300)
    (found,) = [each for each in coverage(cell, 100) if each.measure == "f1"]
    assert found.held >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), DecisionTreeClassifier()])
def test_intervals_of_ten_folds_drawn_once(model):
    found = next(coverage(Cell("40 %", shifted(0.4, 1.2), model, 200), 100, cv=10))
    assert found.measure == "accuracy"
    assert found.held >= 0.9
    assert found.width < 1.3


@pytest.mark.slow
def test_bands_of_a_learning_curve_hold_at_all_rows_and_a_quarter_of_them():
    # of training scores, of test scores, and of the gap between them
    band = Band("even classes, naive Bayes", shifted(0.5, 1.0, 4), GaussianNB(), 150, ("accuracy",))
    held, _ = bands_of(band, 100)
    assert (held >= 0.88).all()


def test_the_interval_of_the_gap_of_a_stable_model_is_hardly_wider_than_needed():
    # its training and cross-validated losses vary together
    rng, m, d = np.random.default_rng(5), 80, 6
    found = [gap(lined(d), LeastSquares, 100, rng, seed) for seed in range(80)]
    truth = (1 + 1 / m) * (m - 2) / (m - d - 2) - (m - d - 1) / m  # of least squares on m normal rows
    assert np.mean([truth in each for each in found]) >= 0.9
    needed = 1.96 * np.std([each.value for each in found], ddof=1)
    assert np.mean([each.half_width for each in found]) < 1.5 * needed  # 2.0 if half of what models vary counted


@pytest.mark.slow
def test_intervals_cover_the_f1_of_a_model_without_probabilities():
    cell = Comparison("35 %, t4 features", heavy(4, 0.35, 1.2), 150, {"SVC": Model(SVC())}, ("f1",))
    (found,) = lines_of(cell, 80)
    assert found.held >= 0.87  # 0.78 where neither the frequency of classes nor the strength of scores counts
    assert 0.85 < found.width < 1.2


@pytest.mark.slow
def test_the_interval_of_a_difference_of_accuracies_is_hardly_wider_than_needed():
    models = {"SVC": Model(SVC()), "9-NN": Model(KNeighborsClassifier(9))}
    found = list(lines_of(Comparison("sine, 10 % flips", sine(0.1), 300, models, ("accuracy",)), 60))[-1]
    assert found.held >= 0.9
    assert found.width < 1.3  # 1.5 where all that moves single rows counts
