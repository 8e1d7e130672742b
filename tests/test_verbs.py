"""Every verb takes a Task or X, y, and scikit-learn's words."""

import inspect
from functools import partial

import numpy as np
import polars as pl
import pytest

import probus
from probus import Table, Task
from probus.comparison import ftest_5x2cv, ttest_5x2cv
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.errors import DataError
from probus.metrics import measure
from probus.model_selection import GroupKFold, KFold
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsRegressor
from probus.spans import seconds_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + RNG.normal(size=60) > 0, "yes", "no")
GROUPS = np.arange(60) % 12
WEIGHTS = RNG.integers(1, 4, 60)
TASK = Task({"x0": X[:, 0], "x1": X[:, 1], "y": Y}, "y")
ROLES = Task({"x0": X[:, 0], "x1": X[:, 1], "y": Y, "g": GROUPS, "w": WEIGHTS}, "y", group="g", weight="w")


def folds(data, how):
    """The curves of X and y take scikit-learn's folds, which know nothing of groups."""
    return GroupKFold(3) if how or data[0] is ROLES else KFold(3)


validated = partial(probus.validation_curve, GaussianNB(), param_name="var_smoothing", param_range=[1e-9])
learnt = partial(probus.learning_curve, GaussianNB(), train_sizes=[1.0])
tuned = partial(probus.tune, GaussianNB(), space={"var_smoothing": 0.1}, progress=None)
VERBS = {
    "resample": lambda *data, **how: probus.resample(GaussianNB(), *data, cv=3, **how).scores(),
    "nested": lambda *data, **how: probus.nested([ZeroRClassifier(), GaussianNB()], *data, cv=3, **how).outer.scores(),
    "compare": lambda *data, **how: (
        probus.compare([ZeroRClassifier(), GaussianNB()], *data, cv=3, **how).results["GaussianNB"].scores()
    ),
    "validation_curve": lambda *data, **how: validated(*data, cv=folds(data, how), **how).test_scores,
    "learning_curve": lambda *data, **how: learnt(*data, cv=folds(data, how), **how).test_scores,
    "bias_variance": lambda *data, **how: probus.bias_variance(GaussianNB(), *data, n_rounds=3, **how).total.value,
    "tune": lambda *data, **how: tuned(*data, cv=3, evaluations=2, **how).archive.main,
    "ttest_5x2cv": lambda *data, **how: ttest_5x2cv(ZeroRClassifier(), GaussianNB(), *data, **how).effect.value,
    "ftest_5x2cv": lambda *data, **how: ftest_5x2cv(ZeroRClassifier(), GaussianNB(), *data, **how).effect.value,
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_features_and_target_give_what_their_task_gives(verb):
    np.testing.assert_array_equal(VERBS[verb](X, Y), VERBS[verb](TASK))


@pytest.mark.parametrize("verb", VERBS)
def test_groups_and_weights_are_respected_without_a_task(verb):
    np.testing.assert_array_equal(VERBS[verb](X, Y, groups=GROUPS, sample_weight=WEIGHTS), VERBS[verb](ROLES))


NAMED = [verb for verb in VERBS if not verb.endswith("5x2cv")]  # they take a task, or X and y
FRAME = {"x0": X[:, 0], "x1": X[:, 1], "y": Y, "g": GROUPS, "w": WEIGHTS}


@pytest.mark.parametrize("verb", [verb for verb in NAMED if "curve" not in verb])
def test_a_table_and_the_name_of_its_target_give_what_their_task_gives(verb):
    frame = pl.DataFrame(FRAME).drop("g", "w")
    expected = VERBS[verb](Task(frame, target="y"))
    np.testing.assert_array_equal(VERBS[verb](frame, target="y"), expected)
    np.testing.assert_array_equal(VERBS[verb](frame, "y"), expected)


@pytest.mark.parametrize("curve", [validated, learnt])
def test_curves_of_a_table_and_the_name_of_its_target_are_those_of_their_task(curve):
    frame = pl.DataFrame(FRAME).drop("g", "w")
    expected = curve(Task(frame, target="y"), cv=KFold(3)).test_scores
    np.testing.assert_array_equal(curve(frame, target="y", cv=KFold(3)).test_scores, expected)
    np.testing.assert_array_equal(curve(frame, "y", cv=KFold(3)).test_scores, expected)


@pytest.mark.parametrize("verb", [verb for verb in NAMED if "curve" not in verb])
def test_groups_and_weights_may_be_columns_of_the_table(verb):
    found = VERBS[verb](pl.DataFrame(FRAME), target="y", groups="g", sample_weight="w")
    np.testing.assert_array_equal(found, VERBS[verb](Task(pl.DataFrame(FRAME), "y", group="g", weight="w")))


def test_rows_without_a_label_are_left_out_as_in_a_study():
    unlabelled = {**FRAME, "y": [None, *Y[1:]]}
    assert len(probus.resample(GaussianNB(), unlabelled, target="y", cv=3).task) == 59


@pytest.mark.parametrize("verb", NAMED)
def test_a_target_beside_another_is_refused(verb):
    with pytest.raises(DataError, match="a Task together with target"):
        VERBS[verb](TASK, target="y")
    with pytest.raises(DataError, match=r"target='x0' together with y"):
        VERBS[verb](X, Y, target="x0")
    with pytest.raises(DataError, match=r"no column 'z' for the target\.\n  Expected one of 'x0', 'x1', 'y'"):
        VERBS[verb](FRAME, target="z")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("role", [{"groups": GROUPS}, {"sample_weight": WEIGHTS}, {"pos_label": "no"}])
def test_a_task_has_its_own_roles(verb, role):
    with pytest.raises(DataError, match=f"a Task together with {next(iter(role))}(.|\n)*to the Task"):
        VERBS[verb](TASK, **role)


@pytest.mark.parametrize("verb", VERBS)
def test_features_alone_are_refused_with_the_way_out(verb):
    with pytest.raises(DataError, match=r"found (ndarray|Table) without y\.\n  Expected a Task, or X and y"):
        VERBS[verb](X)


@pytest.mark.slow
def test_a_study_takes_features_and_target():
    result = probus.study(X, Y, groups=GROUPS, pos_label="no", cv=2, models=["bayes"], evaluations=0, progress=None)
    assert (result.task.pos_label, result.features) == ("no", ("x0", "x1"))
    assert result.splits.how == "stratified grouped 2-fold cross-validation"
    with pytest.raises(DataError, match="y together with the name of a column"):
        probus.study(X, Y, target="y")


@pytest.mark.parametrize("frame", [pl.DataFrame, lambda columns: pl.DataFrame(columns).to_pandas(), Table.of, dict])
@pytest.mark.parametrize("target", [list, pl.Series, lambda y: pl.Series("label", y).to_pandas(), np.array])
def test_names_survive_whatever_holds_them(frame, target):
    task = Task.of(frame({"width": X[:, 0], "y": X[:, 1]}), target(Y.tolist()))
    assert task.features == ("width", "y")
    assert task.target in ("y_", "label")
    assert task.classes == ("no", "yes")
    assert task.y.tolist() == Y.tolist()


def test_a_column_is_a_target():
    table = probus.datasets.iris()
    task = Task.of(table.drop("species"), table["species"])
    assert (task.target, task.kind, len(task.features)) == ("species", "classification", 4)


def test_the_model_decides_whether_numbers_are_classes():
    codes = np.arange(60) % 3
    assert Task.of(X, codes).kind == "regression"
    assert Task.of(X, codes, model=GaussianNB()).classes == (0, 1, 2)
    assert Task.of(X, codes % 2).kind == "classification"
    assert Task.of(X, codes % 2, model=KNeighborsRegressor()).kind == "regression"
    assert probus.compare([ZeroRRegressor(), KNeighborsRegressor()], X, codes % 2, cv=3).measure.name == "rmse"


def test_rows_that_do_not_match_are_refused():
    with pytest.raises(DataError, match=r"X has 60 rows and y has 59"):
        Task.of(X, Y[1:])
    with pytest.raises(DataError, match=r"X has 60 rows and groups has 2"):
        Task.of(X, Y, groups=[1, 2])


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("neg_log_loss", "log_loss"), ("neg_root_mean_squared_error", "rmse"), ("matthews_corrcoef", "mcc")],
)
def test_names_of_scikit_learn_scorers_are_known(theirs, ours):
    assert measure(theirs) is measure(ours)


OLD = {"metric", "metrics", "measures", "score", "seed", "splitter", "folds", "repeats", "positive", "outer", "inner"}


@pytest.mark.parametrize(
    "verb",
    ["resample", "nested", "compare", "learning_curve", "validation_curve", "bias_variance", "study",
     "model_selection.diagnose", "model_selection.splits_of", "model_selection.BestOfClassifier", "metrics.estimate",
     "metrics.test_size_for", "metrics.choose_threshold", "comparison.bootstrap_difference",
     "comparison.Leaderboard.of", "comparison.ttest_5x2cv", "comparison.ftest_5x2cv",
     "model_selection.Resampled.estimate", "Task"],
)  # fmt: skip
def test_one_word_for_one_thing(verb):
    found = probus
    for name in verb.split("."):
        found = getattr(found, name)
    allowed = {"score"} if verb == "metrics.test_size_for" else set()  # there the value that is expected
    assert not (OLD - allowed) & set(inspect.signature(found).parameters)


@pytest.mark.parametrize(
    ("span", "seconds"), [("5 minutes", 300), ("1 hour", 3600), ("90 Seconds", 90), ("2 days", 172_800)]
)
def test_a_span_is_written_in_words_too(span, seconds):
    assert seconds_of(span) == seconds
    with pytest.raises(DataError, match="seconds, or a span"):
        seconds_of(span + "x")
