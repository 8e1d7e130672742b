import json
import re
import warnings
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from probus.comparison import (
    Comparison,
    Leaderboard,
    cochran_q,
    compare,
    corrected_resampled_ttest,
    friedman,
    ftest_5x2cv,
    holm_pvalues,
    mcnemar,
    nemenyi,
    ttest_5x2cv,
    wilcoxon,
)
from probus.comparison._bootstrap_rows import bootstrap_difference, outcome_difference
from probus.data import Task
from probus.datasets import load
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.errors import DataError
from probus.metrics import measure
from probus.model_selection import resample, splits_of
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor

TITANIC = Task(load("titanic").drop("PassengerId", "Name", "Ticket", "Cabin"), target="Survived")
IRIS = Task(load("iris"), target="species")
MTCARS = Task(load("mtcars"), target="mpg")
MODELS = {
    "zero-r": ZeroRClassifier(),
    "naive Bayes": NaiveBayes(),
    "k-NN": KNeighborsClassifier(),
    "logistic": LogisticRegression(max_iter=500),
}
ROWS = np.arange(100)


class Fails(ClassifierMixin, BaseEstimator):
    """Fits only where the first value of the training rows is below a limit."""

    def __init__(self, limit=-np.inf):
        self.limit = limit

    def fit(self, X, y):
        if not np.asarray(X)[0, 0] < self.limit:
            raise ValueError("out of order")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture(scope="module")
def titanic():
    return compare(MODELS, TITANIC, scoring="accuracy")


@pytest.fixture(scope="module")
def several():
    halves = {"titanic": TITANIC, "iris": IRIS}
    halves |= {f"iris {k}": IRIS.take(np.arange(k, 150, 3)) for k in range(3)}
    return compare({name: MODELS[name] for name in ("zero-r", "naive Bayes", "k-NN")}, halves, scoring="accuracy")


# -- one data set --------------------------------------------------------------------------------------


def test_it_says_what_may_be_concluded(titanic):
    assert titanic.sentence.startswith("k-NN beats zero-r (p < 0.001); undecided on 891 rows: k-NN against ")
    assert "logistic (difference 0.0" in titanic.sentence
    assert titanic.test == "paired_rows"
    assert titanic.why == (
        "t-test of paired rows, with the variance of training sets: 4 models, one data set, the same 25 splits: "
        "differences row by row"
    )
    assert titanic.tests.correction == "p-values are adjusted for the largest difference among 4 models"


def test_two_models_that_differ_get_one_sentence_with_the_difference(titanic):
    said = compare({name: titanic.results[name] for name in ("zero-r", "logistic")}, scoring="accuracy")
    pair = said.tests[0]
    assert said.sentence == f"logistic beats zero-r on 891 rows (difference {pair.difference}, p < 0.001)."
    assert said.omnibus is None


def test_pairs_of_the_corrected_t_are_the_test_on_the_scores_with_holms_correction(titanic):
    tests = compare(titanic.results, test="corrected_t", scoring="accuracy").tests
    ratio = titanic.results["k-NN"].splits.test_to_train
    scores = {name: result.scores("accuracy") for name, result in titanic.results.items()}
    found = [corrected_resampled_ttest(scores[pair.a], scores[pair.b], ratio) for pair in tests]
    assert [pair.difference for pair in tests] == [test.effect for test in found]
    np.testing.assert_allclose([pair.adjusted for pair in tests], holm_pvalues([t.pvalue for t in found]))


def test_marks_on_the_leaderboard_are_the_verdicts_of_the_pairs(titanic):
    best = titanic.leaderboard.best.name
    for standing in titanic.leaderboard[1:]:
        pair = titanic.tests[best, standing.name]
        assert standing.tied == (pair.adjusted >= 0.05) == (pair.verdict == "undecided")
        assert standing.verdict == ("undecided" if standing.tied else "worse")
        assert (standing.evidence, standing.detectable) == (pair.evidence, pair.detectable)


def test_cochrans_q_tests_accuracies_of_three_or_more_together_on_one_hold_out_set(made):
    splits = splits_of([(range(30), range(30, 100))], made.classes)
    results = [made.with_hits(f"every {k}th wrong", ROWS % k > 0, splits) for k in (10, 5, 2)]
    found = cochran_q(results[0].pooled().actual, *(each.pooled().predicted for each in results))
    assert compare(results).omnibus.statistic == pytest.approx(found.statistic)
    assert "all together: the 3 models are not equally accurate on 70 rows" in repr(compare(results))
    assert compare(results[:2]).omnibus is None
    assert compare(results, scoring="f1").omnibus is None


def test_cochrans_q_is_left_out_where_folds_have_models_of_their_own(titanic):
    assert titanic.omnibus is None
    assert "all together" not in repr(titanic)


@pytest.mark.slow
def test_results_need_no_refit_and_give_the_same_answer(titanic):
    apart = [resample(model, TITANIC, name=name) for name, model in MODELS.items()]
    assert repr(compare(apart, scoring="accuracy")) == repr(titanic)
    assert compare(titanic.results, scoring="f1").leaderboard.measures[0].name == "f1"


@pytest.mark.slow
def test_the_answer_is_the_same_for_any_number_of_jobs_and_any_generator_of_that_seed():
    some = {name: MODELS[name] for name in ("zero-r", "naive Bayes")}
    with parallel_config("threading"):
        one, two = (compare(some, IRIS, n_jobs=n_jobs, random_state=3) for n_jobs in (1, 2))
    assert repr(one) == repr(two)
    first, second = (compare(some, IRIS, random_state=np.random.RandomState(0)) for _ in range(2))
    assert repr(first) == repr(second)


@pytest.mark.slow
def test_models_in_a_list_are_named_by_their_class():
    said = compare([ZeroRRegressor(), KNeighborsRegressor(), KNeighborsRegressor(1)], MTCARS)
    assert set(said.results) == {"ZeroRRegressor", "KNeighborsRegressor", "KNeighborsRegressor 2"}
    assert said.measure.name == "rmse"
    assert said.leaderboard.best.scores["rmse"] < said.leaderboard["ZeroRRegressor"].scores["rmse"]


def test_lower_losses_beat_higher_ones(made):
    errors = np.linspace(0, 0.1, 10)
    said = compare([made.with_errors("low", 1 + errors), made.with_errors("high", 2 + errors[::-1])])
    assert said.tests[0].verdict == "beats"
    low, high = (np.sqrt(np.mean((level + errors) ** 2)) for level in (1, 2))
    assert said.tests[0].difference.value == pytest.approx(low - high)
    assert said.sentence.startswith("low beats high on 100 rows (difference -1.0")


def test_an_interval_that_leaves_zero_out_is_told_with_its_adjusted_p(made):
    errors = np.random.default_rng(0).normal(0, 0.02, (4, 10))
    errors += [[1.0], [1.02], [1.02], [1.02]] - errors.mean(axis=1, keepdims=True)
    said = compare([made.with_errors(f"m{i}", scores) for i, scores in enumerate(errors)], test="resampled_t")
    pair = said.tests["m0", "m2"]
    assert 0 not in pair.difference
    assert pair.verdict == "undecided"
    assert f"m2 (difference {pair.difference}, p = 0.25 adjusted for all pairs)" in said.sentence


# -- each test by name ---------------------------------------------------------------------------------


def test_a_hold_out_set_is_compared_by_mcnemar_or_the_bootstrap(made):
    splits = splits_of([(range(30), range(30, 100))], made.classes)
    a, b = made.with_hits("a", ROWS % 10 > 0, splits), made.with_hits("b", ROWS % 3 > 0, splits)
    said = compare([a, b])
    assert said.test == "mcnemar"
    assert "one hold-out set: what counts is the rows that only one of two gets right" in said.why
    assert "on 70 test rows" in said.sentence
    assert said.tests[0].pvalue == mcnemar(a.pooled().actual, a.pooled().predicted, b.pooled().predicted).pvalue
    by_f1 = compare([a, b], scoring="f1")
    assert by_f1.test == "bootstrap"
    assert by_f1.tests[0].difference == outcome_difference(measure("f1"), a.pooled(), b.pooled(), random_state=0).effect


def test_leaving_one_out_has_no_splits_to_score(made):
    from sklearn.model_selection import LeaveOneOut

    splits = splits_of(LeaveOneOut(), made.classes)
    said = compare([made.with_hits("a", ROWS % 10 > 0, splits), made.with_hits("b", ROWS % 3 > 0, splits)])
    assert said.test == "bootstrap"
    assert "splits too small for scores of their own" in said.why


@pytest.mark.parametrize(("name", "test"), [("5x2cv_t", ttest_5x2cv), ("5x2cv_f", ftest_5x2cv)])
def test_five_times_two_folds_are_drawn_as_the_test_does(name, test):
    some = {name: MODELS[name] for name in ("naive Bayes", "k-NN")}
    said = compare(some, IRIS, test=name, scoring="accuracy")
    expected = test(*some.values(), IRIS, names=tuple(some))
    pair = said.tests["naive Bayes", "k-NN"]
    assert pair.pvalue == pytest.approx(expected.pvalue)
    assert abs(pair.difference.value) == pytest.approx(abs(expected.effect.value))


def test_rows_that_belong_together_are_not_counted_one_by_one():
    table = {"x": ROWS % 7, "y": ["no", "yes"] * 50, "who": [f"p{i // 10}" for i in ROWS]}
    grouped = Task(table, target="y", group="who")
    models = [ZeroRClassifier(), NaiveBayes(), KNeighborsClassifier()]
    assert compare(models, grouped).omnibus is None
    held_out = compare(models[:2], grouped, cv=[(range(50), range(50, 100))])
    assert held_out.test == "bootstrap"


def test_the_bayesian_test_gives_probabilities_and_knows_practical_equality(made):
    errors = np.linspace(0, 0.1, 10)
    results = [
        made.with_errors("a", 1 + errors),
        made.with_errors("b", 1.001 + errors),
        made.with_errors("c", 2 + errors),
    ]
    said = compare(results, test="bayesian")
    assert said.tests["a", "b"].verdict == "practically equals"
    assert said.sentence == "a beats c (probability > 0.99); a practically equals b (probability > 0.99) on 100 rows."
    assert np.isnan(said.tests[0].pvalue)
    assert said.leaderboard["b"].tied
    assert "differences up to 0.01" in repr(said.tests)


def test_the_uncorrected_test_warns(made):
    errors = np.linspace(0, 0.1, 10)
    said = compare([made.with_errors("a", 1 + errors), made.with_errors("b", 1.01 + errors[::-1])], test="resampled_t")
    assert "the resampled t-test finds too many differences: its splits share training rows" in repr(said)


def test_predictions_of_folds_together_are_told(titanic):
    said = compare(titanic.results, test="bootstrap")
    assert any("predictions of all folds are pooled" in note for note in said.notes)
    assert said.tests["k-NN", "zero-r"].verdict == "beats"


@pytest.mark.parametrize("test", ["mcnemar", "cochran_q"])
def test_tests_of_fitted_models_are_refused_where_folds_have_models_of_their_own(titanic, test):
    words = (
        rf"test='{test}' on stratified 5-fold cross-validation, 5 times\.\n"
        r"  Expected one hold-out set, predicted by one fitted model each\. "
        r"Use test='auto', or hold out one test set: cv=StratifiedShuffleSplit\(1\)\."
    )
    for compared in ((MODELS, TITANIC), (titanic.results,)):
        with pytest.raises(DataError, match=words):
            compare(*compared, test=test)
    held_out = compare(MODELS, TITANIC, test=test, cv=StratifiedShuffleSplit(1, random_state=0))
    assert held_out.test == test


# -- several data sets ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_models_on_many_data_sets_are_compared_by_friedman_and_nemenyi(several):
    scores = {
        name: [results[name].estimate("accuracy").value for results in several.results.values()]
        for name in ("zero-r", "naive Bayes", "k-NN")
    }
    assert several.test == "friedman"
    assert several.omnibus.pvalue == pytest.approx(friedman(scores).pvalue)
    after = nemenyi(scores)
    for pair in several.tests:
        assert pair.adjusted == pytest.approx(after[pair.a, pair.b].pvalue)
    assert several.leaderboard.average_ranks == pytest.approx(after.average_ranks)
    assert several.leaderboard[-1].name == "zero-r"
    assert "3 models, 5 data sets" in several.why
    assert "on 5 data sets" in several.sentence


@pytest.mark.slow
def test_two_models_on_many_data_sets_are_compared_by_wilcoxon(several):
    tasks = {name: results["k-NN"].task for name, results in several.results.items()}
    some = {name: MODELS[name] for name in ("naive Bayes", "zero-r")}
    said = compare(some, tasks, scoring="accuracy")
    scores = [[each[name].estimate("accuracy").value for each in said.results.values()] for name in some]
    assert said.test == "wilcoxon"
    assert said.tests[0].pvalue == wilcoxon(*scores).pvalue
    assert said.notes == ("5 data sets are too few for this test: no scores could reach p < 0.05",)


@pytest.mark.slow
def test_losses_in_units_are_only_ranked():
    cars = {f"cars {k}": MTCARS.take(np.arange(k, 32, 2)) for k in range(2)}
    said = compare([ZeroRRegressor(), KNeighborsRegressor()], cars)
    assert said.test == "friedman"
    assert "RMSE in the units of each: only its order compares" in said.why


def test_the_picture_of_many_data_sets_is_the_critical_difference_diagram(several):
    from matplotlib.figure import Figure

    axes = several.plot(Figure().add_subplot())
    assert any(text.get_text().startswith("critical difference") for text in axes.texts)


def test_a_model_that_fails_on_every_data_set_is_listed_last():
    some = {"fails": Fails(), "naive Bayes": MODELS["naive Bayes"], "zero-r": MODELS["zero-r"]}
    said = compare(some, {"a": IRIS, "b": IRIS.take(np.arange(0, 150, 2))})
    assert (said.leaderboard[-1].name, said.leaderboard[-1].rank) == ("fails", None)
    assert "fails: a: failed on all 25 splits: ValueError: out of order; b: failed" in said.sentence


def failing_with(*sizes):
    """A model that fails on training sets of those sizes."""

    class FailsWith(LogisticRegression):
        def fit(self, X, y):
            if len(X) in sizes:
                raise ValueError("not with so many")
            return super().fit(X, y)

    return FailsWith()


@pytest.mark.slow
def test_a_model_that_fails_on_one_data_set_is_not_ranked():
    some = {"fails": failing_with(60), "naive Bayes": MODELS["naive Bayes"], "zero-r": MODELS["zero-r"]}
    said = compare(some, {"a": IRIS, "b": IRIS.take(np.arange(0, 150, 2))})
    assert said.leaderboard["fails"].rank is None
    assert "fails: b: failed on all 25 splits: ValueError: not with so many" in said.sentence


@pytest.mark.slow
def test_a_model_that_fails_on_some_splits_of_a_data_set_is_not_ranked():
    tasks = {"a": IRIS.take(np.arange(141)), "b": IRIS}
    sound = {name: MODELS[name] for name in ("zero-r", "naive Bayes")}
    said = compare({"shaky": failing_with(113), **sound}, tasks, test="friedman")
    assert said.leaderboard["shaky"].rank is None
    assert said.tests.to_dict() == compare(sound, tasks, test="friedman").tests.to_dict()
    assert "shaky: a: failed on 20 of 25 splits, scored there as the constant predictor: ValueError" in said.sentence
    with pytest.raises(DataError, match="1 of 2 models can be ranked: shaky: a: failed on 20 of 25 splits"):
        compare({"shaky": failing_with(113), "zero-r": MODELS["zero-r"]}, tasks)


@pytest.mark.slow
def test_a_model_without_a_score_on_some_data_set_is_not_ranked():
    some = {"svc": LinearSVC(), "naive Bayes": MODELS["naive Bayes"], "zero-r": MODELS["zero-r"]}
    tasks = {"a": IRIS, "b": IRIS.take(np.arange(0, 150, 2))}
    said = compare(some, tasks, scoring="log_loss")
    assert said.leaderboard["svc"].status == (
        "a: not ranked: no probabilities to measure; b: not ranked: no probabilities to measure"
    )
    with pytest.raises(DataError, match="1 of 2 models can be ranked: svc: a: not ranked: no probabilities"):
        compare({"svc": LinearSVC(), "zero-r": MODELS["zero-r"]}, tasks, scoring="log_loss")


# -- failures ------------------------------------------------------------------------------------------


def test_a_model_that_fails_everywhere_stays_in_the_table_with_its_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = compare({"fails": Fails(), "zero-r": MODELS["zero-r"], "naive Bayes": MODELS["naive Bayes"]}, IRIS)
    assert said.leaderboard["fails"].status == "failed on all 25 splits: ValueError: out of order"
    assert said.sentence.endswith("fails: failed on all 25 splits: ValueError: out of order.")
    assert len(said.tests) == 1


def test_one_model_that_works_is_not_compared():
    said = compare({"fails": Fails(), "zero-r": MODELS["zero-r"]}, IRIS)
    assert said.sentence.startswith("zero-r is the only model that can be ranked. fails: failed on all 25 splits")
    assert len(said.tests) == 0
    repr(said), said.to_dict(), said.to_frame()


def test_models_that_all_fail_are_an_error():
    with pytest.raises(DataError, match="no model can be ranked: a failed on all 25 splits: ValueError: out of order"):
        compare({"a": Fails(), "b": Fails()}, IRIS)


# -- at the door ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (({"a": ZeroRClassifier()}, IRIS), r"1 model to compare\.\n  Expected at least two\. resample\(model, task\)"),
        (([], IRIS), "0 models to compare"),
        ((MODELS,), r"no data\.\n  Expected a Task, or X and y"),
        ((MODELS, load("iris")), "found Table without y"),
        ((MODELS, {}), "no tasks"),
        ((MODELS, {"a": IRIS, "b": MTCARS}), "tasks of both kinds"),
        (([ZeroRClassifier(), "tree"], IRIS), "found str 'tree'"),
        (([ZeroRRegressor(), NaiveBayes()], IRIS), "ZeroRRegressor is a regressor"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(arguments, words):
    with pytest.raises(DataError, match=words):
        compare(*arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": "mcnemr"}, r"no test 'mcnemr'\.\n.*Did you mean 'mcnemar'\?"),
        ({"test": "friedman"}, "test='friedman' on one data set"),
        ({"test": "mcnemar", "X": {"a": IRIS, "b": TITANIC}}, "test='mcnemar' on 2 data sets"),
        ({"scoring": "acuracy"}, r"no measure 'acuracy'\.(.|\n)*Did you mean 'accuracy'"),
        ({"scoring": "rmse"}, r"rmse needs values\.\n  Expected a measure of a classification"),
        (
            {"scoring": "f1_macro", "test": "mcnemar"},
            r"test='mcnemar' with scoring='f1_macro'\.(.|\n)*test='bootstrap'",
        ),
        ({"alpha": 5}, r"alpha=5\.\n.*5 % is 0\.05"),
        ({"level": 95}, "a confidence level of 95"),
        ({"test": "5x2cv_t", "cv": 5}, "cv together with test='5x2cv_t'"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_words(options, words):
    with pytest.raises(DataError, match=words):
        compare({name: MODELS[name] for name in ("zero-r", "naive Bayes")}, **{"X": IRIS, **options})


def test_results_are_refused_with_models_tasks_or_other_splits(made):
    ten, five = made.with_hits("ten", True), made.with_hits("five", True, splits_of(5, made.classes))
    for models, task, words in (
        ([ten, ZeroRClassifier()], None, "results together with ZeroRClassifier"),
        ([ten, ten], made.classes, "results together with data"),
        ([ten, five], None, "'ten' and 'five' were resampled on different splits"),
        ([ten, made.with_errors("numbers", np.ones(10))], None, "were resampled on different tasks"),
    ):
        with pytest.raises(DataError, match=words):
            compare(models, task)
    with pytest.raises(DataError, match="a 5×2cv test on stratified 5-fold cross-validation, 2 times"):
        compare([ten, ten], test="5x2cv_f")


def test_a_measure_that_no_split_has_is_refused_with_a_way_out(made):
    splits = splits_of([(range(30), range(30, 100))], made.classes)
    results = [made.with_hits(name, ROWS % k > 0, splits) for name, k in (("a", 3), ("b", 4))]
    with pytest.raises(DataError, match="accuracy of 'b' and 'a' is known on 1 of 1 splits"):
        compare(results, test="corrected_t")


# -- looks ---------------------------------------------------------------------------------------------


def test_it_shows_itself_as_text_html_frame_dict_and_picture(titanic):
    from matplotlib.figure import Figure

    assert isinstance(titanic, Comparison)
    assert isinstance(titanic.leaderboard, Leaderboard)
    text = repr(titanic)
    assert text.startswith("k-NN beats zero-r (p < 0.001);")
    assert "note: stratified 5-fold cross-validation, 5 times; 95 % intervals" in text
    assert max(map(len, text.splitlines())) < 150
    assert escape(titanic.sentence) in titanic._repr_html_()
    columns = ["a", "b", "difference", "low", "high", "pvalue", "adjusted", "verdict", "detectable"]
    assert titanic.to_frame().columns == columns
    told = json.loads(json.dumps(titanic.to_dict()))
    assert told["sentence"] == titanic.sentence
    assert len(told["tests"]) == 6
    axes = titanic.plot(Figure().add_subplot())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["logistic", "naive Bayes", "zero-r"]


def test_the_pairs_show_themselves(titanic):
    lines = repr(titanic.tests).splitlines()
    assert lines[0].split() == ["a", "verdict", "b", "difference", "p", "adjusted", "p"]
    assert len(lines) == 8
    assert "<td>beats</td>" in titanic.tests._repr_html_()
    assert repr(titanic.tests["zero-r", "logistic"]).startswith("logistic beats zero-r (difference 0.18")


def test_several_data_sets_show_themselves(several):
    text = repr(several)
    assert "average rank" in text
    assert "scores: accuracy" in text
    assert "difference of average ranks" in repr(several.tests)
    assert "<table>" in several._repr_html_()
    assert several.leaderboard.to_frame().columns[:4] == ["rank", "model", "average_rank", "titanic"]
    assert json.loads(json.dumps(several.to_dict()))["test"] == "friedman"


def test_progress_runs_over_all_models():
    steps = []
    some = {name: MODELS[name] for name in ("zero-r", "naive Bayes")}
    compare(some, IRIS, cv=3, progress=lambda *step: steps.append(step))
    assert steps[0] == (0, 6, "zero-r")
    assert steps[-1] == (6, 6, "naive Bayes")
    assert [done for done, _, _ in steps] == sorted(done for done, _, _ in steps)


@pytest.mark.slow
def test_the_page_shows_what_a_run_prints():
    page = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text()
    names: dict = {}
    for code, output in re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, flags=re.DOTALL):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == output
    assert "across" in names


def test_the_first_of_several_measures_ranks_and_the_others_are_shown():
    models = [NaiveBayes(), ZeroRClassifier()]
    compared = compare(models, TITANIC, cv=3, scoring=["f1", "brier"])
    assert compared.measure.name == "f1"
    assert [each.name for each in compared.leaderboard.measures][:3] == ["f1", "brier", "roc_auc"]


def test_roles_next_to_results_or_tasks_are_refused():
    results = [resample(model, IRIS, cv=3) for model in (NaiveBayes(), ZeroRClassifier())]
    with pytest.raises(DataError, match="results together with groups"):
        compare(results, groups=np.arange(150))
    with pytest.raises(DataError, match="tasks together with sample_weight"):
        compare([NaiveBayes(), ZeroRClassifier()], {"iris": IRIS}, sample_weight=np.ones(150))


# -- measures that cannot be averaged over folds, and those of unknown orientation ---------------------


@pytest.mark.parametrize("test", ["corrected_t", "resampled_t", "bayesian", "5x2cv_t", "5x2cv_f"])
def test_average_precision_is_not_compared_by_scores_of_folds(test):
    task = Task(load("titanic"), target="Survived")
    with pytest.raises(DataError, match=f"test='{test}' with scoring='average_precision', which is biased on the few"):
        compare([ZeroRClassifier(), NaiveBayes()], task, scoring="average_precision", test=test)


def test_models_are_not_compared_by_calibration_error():
    task = Task(load("titanic"), target="Survived")
    text = r"models compared by calibration error, whose bias differs from model to model\.\n  Expected a proper score"
    with pytest.raises(DataError, match=text):
        compare([ZeroRClassifier(), NaiveBayes()], task, scoring="ece")
    y, p = np.arange(40) % 2, np.linspace(0, 1, 40)
    with pytest.raises(DataError, match=text):
        bootstrap_difference("ece", y, p, p[::-1])


def test_a_function_of_unknown_orientation_is_noted():
    def distance(y_true, y_pred):
        return float(np.mean(np.abs(y_true - y_pred)))

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    models = [ZeroRRegressor(), KNeighborsRegressor()]
    noted = compare(models, X, X[:, 0], scoring=distance)
    assert "larger values of distance count as better" in str(noted)
    smaller = measure(distance, greater_is_better=False)
    assert "count as better" not in str(compare(models, X, X[:, 0], scoring=smaller))


def test_a_negative_margin_and_a_class_are_refused():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    models = {"zero-r": ZeroRClassifier(), "Bayes": NaiveBayes()}
    with pytest.raises(DataError, match=r"margin=-1\.\n  Expected a difference of at least 0"):
        compare(models, X, y, margin=-1)
    with pytest.raises(DataError, match=r"found the class NaiveBayes\.\n  Expected an estimator\. Pass NaiveBayes"):
        resample(NaiveBayes, X, y)


@pytest.mark.parametrize("test", ["mcnemar", "cochran_q"])
@pytest.mark.parametrize("role", ["sample_weight", "groups"])
def test_tests_that_count_rows_take_neither_weights_nor_groups(test, role):
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    how = {"cv": GroupShuffleSplit(1), "test": test, role: np.arange(40) // 4 + 1}
    if role == "sample_weight":
        how["cv"] = StratifiedShuffleSplit(1)
    with pytest.raises(DataError, match=f"test='{test}' with {role}, which it ignores"):
        compare([ZeroRClassifier(), NaiveBayes()], X, y, **how)
