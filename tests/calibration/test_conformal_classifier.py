import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.svm import LinearSVC

import probus
from probus import Task
from probus.calibration import ConformalClassifier, PredictionSets
from probus.calibration._class_scores import class_scores
from probus.calibration._decision_cost import cheapest, cost_matrix
from probus.dummy import ZeroRRegressor
from probus.errors import DataError
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.neighbors import KNeighborsClassifier


def classes(n, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    return rng.normal(size=(n, 3)) + np.eye(3)[codes] * 1.5, np.array(["a", "b", "c"])[codes]


NEW = classes(60, seed=5)[0]


@pytest.fixture(scope="module")
def classifier():
    return ConformalClassifier(GaussianNB(), cv=3, method="cv+").fit(*classes(120))


def rare(n, seed=0, share=0.05):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y


# -- sets ----------------------------------------------------------------------------------------------


def test_sets_are_those_counted_by_hand(classifier):
    """A class is in unless fewer than a share of 1 − level of the rows were as unexpected (Romano et al. 2020)."""
    X, y = classes(120)
    found = classifier.predict_set(NEW, 0.8, empty=True)
    codes = np.searchsorted(classifier.classes_, y)
    own = 1 - classifier.probabilities_[np.arange(120), codes]
    from sklearn.model_selection import StratifiedKFold

    fold = np.empty(120, int)
    for k, (_, test) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X, codes)):
        fold[test] = k
    new = [1 - classifier.calibration_(model.predict_proba(NEW)) for model in classifier.models_]
    for row in range(10):
        for code in range(3):
            above = sum(own[i] >= new[fold[i]][row, code] for i in range(120))
            assert found.members[row, code] == ((above + 1) / 121 > 0.2)


def test_scores():
    p = np.array([[0.2, 0.5, 0.3]])
    np.testing.assert_allclose(class_scores(p, "lac"), [[0.8, 0.5, 0.7]])
    np.testing.assert_allclose(class_scores(p, "aps"), [[1.0, 0.5, 0.8]])
    many = np.full((1, 8), 1 / 8)
    np.testing.assert_allclose(class_scores(many, "raps")[0], np.arange(1, 9) / 8 + [0, 0, 0, 0, 0, 0.01, 0.02, 0.03])


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
@pytest.mark.parametrize("method", ["cv", "cv+", "split"])
def test_sets_hold_the_true_class_as_often_as_they_say(score, method):
    covered = []
    for seed in range(6):
        model = ConformalClassifier(GaussianNB(), method=method, set_score=score, calibration="none")
        new, truth = classes(1000, seed=100 + seed)
        covered.append(model.fit(*classes(250, seed=seed)).predict_set(new, 0.8, empty=True).covers(truth))
    assert np.mean(covered) == pytest.approx(0.8, abs=0.035)


def test_sets_by_class_cover_the_rare_class_too():
    X, y = rare(1200)
    new, truth = rare(4000, seed=1)
    covered = {}
    for by_class in (False, True):
        model = ConformalClassifier(GaussianNB(), by_class=by_class).fit(X, y)
        covered[by_class] = model.predict_set(new[truth == 1], 0.9, empty=True).covers(truth[truth == 1])
    assert covered[False] < 0.7
    assert covered[True] == pytest.approx(0.9, abs=0.07)


def test_randomised_sets_hold_the_true_class_no_more_often_than_they_say():
    """A model that is always right, with tied probabilities: only empty sets can make it 80 %."""
    X = np.repeat([0.0, 1.0], 100)[:, None]
    y = X[:, 0].astype(int)
    model = ConformalClassifier(GaussianNB(), calibration="none").fit(X + 1e-3 * np.tile([0, 1], 100)[:, None], y)
    assert model.predict_set(X, 0.8, empty=True).covers(y) > 0.95
    sets = model.predict_set(np.tile(X, (10, 1)), 0.8, empty=True, randomised=True, random_state=1)
    assert sets.covers(np.tile(y, 10)) == pytest.approx(0.8, abs=0.04)
    again = model.predict_set(np.tile(X, (10, 1)), 0.8, empty=True, randomised=True, random_state=1)
    np.testing.assert_array_equal(again.members, sets.members)


def test_repeated_splits_give_the_probabilities_and_sets_of_all_runs():
    X, y = classes(90)
    task = Task.of(X, y)
    final = probus.tabular(GaussianNB()).fit(task.X, task.y)
    once = probus.resample(GaussianNB(), task, cv=4, random_state=3)
    twice = probus.resample(GaussianNB(), task, cv=[*once.splits.pairs, *once.splits.pairs])
    single, double = (ConformalClassifier.from_resampled(final, kept, cost="balanced") for kept in (once, twice))
    assert double.conformity_.n_units == pytest.approx(90)
    assert double.calibration_.method == single.calibration_.method
    np.testing.assert_allclose(double.calibration_.coefficients, single.calibration_.coefficients, rtol=1e-4)
    np.testing.assert_allclose(double.cost_interval_, single.cost_interval_, rtol=0.05)
    np.testing.assert_array_equal(double.predict_set(task.X).members, single.predict_set(task.X).members)


def test_a_set_is_never_empty_unless_it_may_be(classifier):
    filled, bare = classifier.predict_set(NEW, 0.3), classifier.predict_set(NEW, 0.3, empty=True)
    assert filled.sizes.min() == 1
    assert bare.sizes.min() == 0
    assert (filled.members >= bare.members).all()


def _shifted(n, rng, share=0.1):
    y = np.where(rng.random(n) < share, "rare", "usual")
    X = rng.normal(size=(n, 3))
    X[:, 0] += y == "rare"
    return X, y


@pytest.mark.slow
def test_a_rare_class_is_covered_by_default():
    """15 of 150 rows: sets of all rows together hold a tenth to a fifth of its rows at 90 %, in silence."""
    covered, alone = [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        model = ConformalClassifier(LogisticRegression()).fit(*_shifted(150, rng))
        new, truth = _shifted(2000, rng)
        sets = model.predict_set(new[truth == "rare"])
        covered.append(sets.covers(truth[truth == "rare"]))
        alone.append(model.set_params(by_class=False).predict_set(new[truth == "rare"]).covers(truth[truth == "rare"]))
        assert sets.by_class
    assert np.mean(alone) < 0.3
    assert np.mean(covered) > 0.88


def test_sets_by_class_say_so():
    X, y = _shifted(300, np.random.default_rng(0), 0.05)
    model = ConformalClassifier(LogisticRegression()).fit(X, y)
    text = repr(model.predict_set(X))
    assert text.startswith("Sets of classes of 300 rows at 90 % for each class: ")
    assert "Sets are by class: those of all rows together would contain rare in" in text
    assert model.sets_by_class(0.9)
    assert "prediction sets for each class separately" in model.uncertainty
    rows = (y == "rare").sum()
    never = repr(model.predict_set(X, 0.99))
    assert f"No set excludes rare: it has {rows} rows, and 99 % needs 99." in never
    assert (model.predict_set(X, 0.99).members[:, 0]).all()


def test_sets_of_classes_that_are_covered_are_of_all_rows():
    """The rows of each class are found as often as the level; by class would only make sets larger."""
    X, y = classes(300)
    model = ConformalClassifier(GaussianNB(), by_class="auto").fit(X, y)
    level = 0.3
    assert not model.sets_by_class(level)
    plain = ConformalClassifier(GaussianNB(), by_class=False).fit(X, y)
    np.testing.assert_array_equal(model.predict_set(NEW, level).members, plain.predict_set(NEW, level).members)
    assert not model.predict_set(NEW, level).by_class
    assert not plain.sets_by_class(0.99)


def test_the_cover_of_classes_counts_each_row_as_a_new_one():
    X, y = classes(120)
    model = ConformalClassifier(GaussianNB(), calibration="none").fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    scores = 1 - model.probabilities_[np.arange(120), codes]
    inside = [(np.delete(scores, i) >= s).sum() + 1 > 0.2 * 120 * (1 + 1e-12) for i, s in enumerate(scores)]
    inside |= model.probabilities_.argmax(axis=1) == codes
    held, rows = model.conformity_.cover_of_classes(0.8, 3)
    np.testing.assert_allclose(held, [inside[codes == k].mean() for k in range(3)])
    np.testing.assert_array_equal(rows, np.bincount(codes))


def test_a_class_of_few_rows_is_promised_nothing():
    rng = np.random.default_rng(0)
    X, y = _shifted(300, rng)
    y[:2] = "typo"
    model = ConformalClassifier(GaussianNB()).fit(X, y)
    sets = model.predict_set(X)
    assert sets.by_class
    assert sets.members[:, 1].mean() < 0.2
    assert "Nothing is promised for typo, with fewer than 5 rows." in repr(sets)
    assert model.set_params(by_class=True).predict_set(X).members[:, 1].all()


def test_by_class_is_checked():
    with pytest.raises(DataError, match=r"'by_class' parameter .* must be .* or a str among \{'auto'\}\. Got 'yes'"):
        ConformalClassifier(GaussianNB(), by_class="yes").fit(*classes(60))


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("cost", ["balanced", 30.0, 0.1])
def test_the_prediction_is_in_its_set_also_where_decisions_are_weighted(cost, by_class):
    X, y = rare(400)
    model = ConformalClassifier(GaussianNB(), cv=3, cost=cost, by_class=by_class).fit(X, y)
    new = rare(2000, seed=1)[0]
    for level in (0.5, 0.8, 0.95):
        sets = model.predict_set(new, level)
        assert sets.members[np.arange(2000), model.predict(new)].all()
        allowed = model.predict_set(new, level, empty=True).members
        assert not (allowed & ~sets.members).any()  # no class is lost by it


def test_higher_levels_give_larger_sets(classifier):
    assert (classifier.predict_set(NEW, 0.99).members >= classifier.predict_set(NEW, 0.7).members).all()


def test_too_few_rows_exclude_no_class():
    model = ConformalClassifier(GaussianNB(), cv=2).fit(*classes(8))
    assert model.predict_set(NEW, 0.95).members.all()


def test_sets_as_a_result(classifier):
    sets = classifier.predict_set(NEW[:2], 0.9)
    assert isinstance(sets, PredictionSets)
    assert len(sets) == 2
    frame = sets.to_frame()
    assert frame.columns == ["set", "size", "in_a", "in_b", "in_c"]
    assert frame["set"][0] == " | ".join(sets.labels[0])
    assert repr(sets).startswith("Sets of classes of 2 rows at 90 %: ")
    np.testing.assert_array_equal(np.asarray(sets), sets.members)


# -- probabilities -------------------------------------------------------------------------------------


def test_probabilities_of_a_decision_function_are_calibrated():
    X, y = rare(600, share=0.3)
    model = ConformalClassifier(LinearSVC(), cv=3).fit(X, y)
    new, truth = rare(3000, seed=1, share=0.3)
    reference = LogisticRegression().fit(X, y).predict_proba(new)
    assert log_loss(truth, model.predict_proba(new)) < log_loss(truth, reference) + 0.02


def test_overconfident_probabilities_are_mended():
    X, y = rare(500, share=0.4)
    X = np.hstack([X, X, X])  # naive Bayes counts the same evidence three times
    plain, model = GaussianNB().fit(X, y), ConformalClassifier(GaussianNB()).fit(X, y)
    new, truth = rare(2000, seed=1, share=0.4)
    new = np.hstack([new, new, new])
    assert model.calibration_.method != "none"
    assert log_loss(truth, model.predict_proba(new)) < log_loss(truth, plain.predict_proba(new)) - 0.05


def test_without_calibration_the_model_is_unchanged():
    model = ConformalClassifier(GaussianNB(), cv=2, calibration="none").fit(*classes(60))
    np.testing.assert_array_equal(model.predict_proba(NEW), GaussianNB().fit(*classes(60)).predict_proba(NEW))


# -- decisions -----------------------------------------------------------------------------------------


def test_the_cheapest_class_by_brute_force():
    rng = np.random.default_rng(0)
    p, costs = rng.dirichlet(np.ones(3), 50), rng.uniform(0, 5, (3, 3)) * (1 - np.eye(3))
    expected = [min(range(3), key=lambda k, row=row: row @ costs[:, k]) for row in p]
    np.testing.assert_array_equal(cheapest(p, costs), expected)


@pytest.mark.parametrize(("cost", "threshold"), [(None, 0.5), (4.0, 0.2), ([[0, 3], [1, 0]], 0.75)])
def test_the_threshold_follows_from_the_costs(cost, threshold):
    X, y = rare(300, share=0.3)
    model = ConformalClassifier(GaussianNB(), cv=2, cost=cost).fit(X, y)
    assert model.threshold == pytest.approx(threshold)
    np.testing.assert_array_equal(model.predict(X), (model.predict_proba(X)[:, 1] >= threshold).astype(int))


def test_the_positive_class_may_be_the_first():
    X, y = rare(300, share=0.3)
    model = ConformalClassifier(GaussianNB(), cv=2, cost=4.0, pos_label=0).fit(X, y)
    np.testing.assert_array_equal(model.costs_, [[0, 4], [1, 0]])
    assert model.threshold == pytest.approx(0.2)


def test_balanced_decisions_find_the_rare_class():
    X, y = rare(1000)
    new, truth = rare(4000, seed=1)
    plain, balanced = (ConformalClassifier(GaussianNB(), cost=cost).fit(X, y) for cost in (None, "balanced"))
    assert (
        balanced_accuracy_score(truth, balanced.predict(new)) > balanced_accuracy_score(truth, plain.predict(new)) + 0.1
    )
    assert 1 - balanced_accuracy_score(truth, balanced.predict(new)) in balanced.expected_cost


def test_the_expected_cost_is_that_of_decisions_out_of_fold():
    X, y = rare(400, share=0.3)
    model = ConformalClassifier(GaussianNB(), cost=3.0).fit(X, y)
    called = model.probabilities_[:, 1] >= 0.25
    expected = (3 * (called < y) + (called > y)).mean()
    assert model.expected_cost.value == pytest.approx(expected)
    assert model.expected_cost.low < expected < model.expected_cost.high


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        ("rare", "cost='rare'.\n  Expected None, 'balanced', a number, or a matrix"),
        (2.0, "cost=2.0 for 3 classes.\n  Expected a matrix of 3 × 3 costs, or 'balanced'"),
        ([[0, 1], [1, 0]], "cost has shape (2, 2).\n  Expected 3 × 3 numbers"),
        (-(1 - np.eye(3)), "cost of a right prediction that is more than that of a mistake."),
        (np.zeros((3, 3)), "cost of no mistake is more than that of a right prediction."),
    ],
)
def test_costs_that_make_no_sense_are_refused(cost, text):
    with pytest.raises(DataError) as error:
        cost_matrix(cost, np.array([0, 1, 2]), None, np.array(["a", "b", "c"]), 2)
    assert str(error.value).startswith(text)


# -- where it comes from -------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [False, True])
def test_what_resample_kept_gives_the_same(keep):
    X, y = classes(90)
    task = Task({"u": X[:, 0], "v": X[:, 1], "y": y}, "y")
    resampled = probus.resample(NaiveBayes(), task, cv=3, random_state=1, keep_models=keep)
    final = probus.tabular(NaiveBayes()).fit(task.X, task.y)
    kept = ConformalClassifier.from_resampled(final, resampled, cost="balanced")
    refit = ConformalClassifier(
        probus.tabular(NaiveBayes()), cv=resampled.splits.pairs, method=kept.method, cost="balanced"
    ).fit(task.X, task.y)
    np.testing.assert_allclose(kept.predict_proba(task.X), refit.predict_proba(task.X))
    np.testing.assert_array_equal(kept.predict_set(task.X).members, refit.predict_set(task.X).members)
    np.testing.assert_array_equal(kept.predict(task.X), refit.predict(task.X))
    assert kept.expected_cost == refit.expected_cost


def test_a_class_that_folds_lack_has_no_probability_there():
    X, y = classes(40)
    y = np.array([*y[:-1], "z"])
    model = ConformalClassifier(GaussianNB(), cv=3, calibration="sigmoid").fit(X, y)
    assert model.predict_proba(X).shape == (40, len(np.unique(y)))


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearSVC(random_state=0)], ids=["proba", "decision"])
def test_one_split_trains_on_the_only_row_of_a_class(estimator):
    X, y = classes(40)
    y = np.array([*y[:-1], "z"])
    for seed in range(12):
        model = ConformalClassifier(estimator, method="split", random_state=seed).fit(X, y)
        assert model.estimator_.classes_.tolist() == model.classes_.tolist() == np.unique(y).tolist()
        assert model.predict_proba(X).shape == (40, len(np.unique(y)))


def test_a_decision_function_of_fewer_classes_has_no_probability_for_the_others():
    X, y = classes(60)
    y = np.array([*y[:-1], "z"])
    model = ConformalClassifier(LinearSVC(random_state=0), cv=3, calibration="none").fit(X, y)
    assert model.probabilities_.shape == (60, len(np.unique(y)))
    assert model.probabilities_[model.probability_rows_ == 59][0, -1] == 0


def test_groups_are_left_out_whole():
    X, y = classes(60)
    X, groups = np.repeat(X[:20], 3, axis=0), np.repeat(np.arange(20), 3)
    noise = np.repeat(np.random.default_rng(0).permutation(y[:20]), 3)
    model = ConformalClassifier(KNeighborsClassifier(1), cv=4).fit(X, noise, groups=groups)
    assert model.expected_cost.value > 0.4  # each row's copies are in its own group
    assert model.conformity_.n_units == pytest.approx(20)


def test_a_saved_model_gives_the_same(tmp_path, classifier):
    for model in (
        classifier,
        ConformalClassifier(GaussianNB(), cv=2, calibration="isotonic", by_class=True, cost=2.0).fit(
            *rare(80, share=0.4)
        ),
    ):
        loaded, X = probus.load(probus.save(model, tmp_path / "m.probus")), NEW[:, : model.n_features_in_]
        np.testing.assert_array_equal(loaded.predict_set(X).members, model.predict_set(X).members)
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        assert loaded.expected_cost == model.expected_cost


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (ConformalClassifier(ZeroRRegressor()), "ZeroRRegressor is a regressor.\n  Expected a classifier."),
        (
            ConformalClassifier(GaussianNB(), set_score="margin"),
            "The 'set_score' parameter of ConformalClassifier must be a str among {'lac', 'aps', 'raps'}. Got 'margin'",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused(model, text):
    with pytest.raises(DataError) as error:
        model.fit(*classes(30))
    assert str(error.value).startswith(text)


def test_a_threshold_is_for_two_classes(classifier):
    assert classifier.threshold is None


def test_rows_that_are_each_a_class_of_their_own_have_sets_of_all_classes():
    X = np.arange(12.0)[:, None]
    model = ConformalClassifier(GaussianNB(), cv=3).fit(X, np.arange(12))
    assert (model.predict_set(X, 0.95).sizes == 12).all()
