"""Importance, Shapley values and what they cost."""

import dataclasses
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.patches import FancyBboxPatch
from sklearn.inspection import permutation_importance
from sklearn.metrics import make_scorer, root_mean_squared_error
from sklearn.model_selection import GridSearchCV

from probus import datasets
from probus.data import Table, Task
from probus.errors import DataError
from probus.inspection import Waterfall, unfitted_model
from probus.linear_model import LinearRegression
from probus.metrics import measure
from probus.model_selection import one_split, splits_of
from probus.model_selection._diagnosis_result import Diagnosis
from probus.pipeline import tabular
from probus.report import StudyReport, study_page
from probus.report import _explanations as explanations
from probus.report._column_importance import column_importance
from probus.report._explanations import StudyExplanations, _drop_followed
from probus.report._refits import Stopwatch
from probus.report._shapley import sampled_shapley, shapley_within
from probus.report._small_tree import SmallTree
from probus.report._worst_rows import WorstRows

rng = np.random.default_rng(0)
TABLE = Table.of({name: rng.normal(size=200) for name in ("a", "b", "c")})
ROWS = np.array([0, 5, 9])


def test_shapley_values_of_a_linear_model_are_exact():
    weights = np.array([2.0, -1.0, 0.0])
    values, base, error = sampled_shapley(lambda X: X.numbers() @ weights[:, None], TABLE, ROWS, 8)
    drawn = np.random.default_rng(0).integers(0, 200, 4)
    X = TABLE.numbers()
    assert values[:, :, 0] == pytest.approx(weights * (X[ROWS] - X[drawn].mean(axis=0)))
    assert base == pytest.approx((X[drawn] @ weights).mean())
    assert (error[:, 2] == 0).all()


def test_shapley_values_share_an_interaction_equally():
    two = TABLE.select("a", "b")
    values, base, _ = sampled_shapley(lambda X: np.prod(X.numbers(), axis=1, keepdims=True), two, ROWS, 2)
    z = two.numbers()[np.random.default_rng(0).integers(0, 200, 1)[0]]
    x = two.numbers()[ROWS]
    expected = (x[:, 0] - z[0]) * (x[:, 1] + z[1]) / 2
    assert values[:, 0, 0] == pytest.approx(expected)
    assert base == pytest.approx(np.prod(z))


def test_orders_and_rows_are_as_many_as_the_time_allows():
    with pytest.raises(DataError, match="no time was left"):
        shapley_within(lambda X: X.numbers()[:, :1], TABLE, ROWS, (), Stopwatch(0))
    shap, _ = shapley_within(lambda X: X.numbers()[:, :1], TABLE, np.arange(30), (), Stopwatch(30))
    assert shap.values.shape == (30, 3)


def test_compilation_does_not_count(monkeypatch):
    clock = Stopwatch(20)
    monkeypatch.setattr(one_split, "seconds_compiling", lambda: 1e6)
    assert clock.left > 1e5


def test_what_is_missing_of_the_time_is_said_in_words():
    assert Stopwatch(0).shortage(3.14) == "no time was left."
    assert Stopwatch(12.0004).shortage(31.4) == "it would take 31 s, and 12 s were left."


def test_the_loss_of_a_shuffled_column_agrees_with_scikit_learn():
    a, b, c = TABLE.numbers().T
    table = Table.of({"a": a, "b": b, "c": c, "y": 2 * a + b + rng.normal(size=200)})
    task = Task(table, "y")
    splits = splits_of(5, task, random_state=0)
    model = tabular(LinearRegression())
    found = column_importance(model, task, splits, measure("rmse"), clock=Stopwatch(60)).found
    assert found.names[:2] == ("a", "b")
    losses = dict(zip(found.names, found.estimates, strict=True))
    assert 0 in losses["c"]
    assert losses["b"].low > 0
    assert found.plot().get_xlabel() == "rise of RMSE when a column is shuffled"
    score = make_scorer(root_mean_squared_error, greater_is_better=False)
    train, test = splits.pairs[0]
    fitted = model.fit(task.X.take(train), task.y[train])
    theirs = permutation_importance(fitted, task.X.take(test).to_pandas(), task.y[test], scoring=score, n_repeats=30)
    assert losses["a"].value == pytest.approx(theirs.importances_mean[0], rel=0.35)


def test_importance_without_time_is_an_error():
    task = Task(Table.of({"a": TABLE["a"].values, "y": TABLE["b"].values}), "y")
    with pytest.raises(DataError, match="no time was left"):
        column_importance(LinearRegression(), task, splits_of(5, task), measure("rmse"), clock=Stopwatch(0))


def test_the_model_inside_its_wrappers_is_refitted():
    search = GridSearchCV(tabular(LinearRegression()), {"model__fit_intercept": [False]}, cv=2)
    search.fit(TABLE.select("a", "b").to_pandas(), TABLE["c"].values)
    assert unfitted_model(search).named_steps["model"].fit_intercept is False
    assert not hasattr(unfitted_model(search).named_steps["model"], "coef_")


def test_classes_in_another_order_than_the_alphabet_keep_their_values(cheap_study):
    rng = np.random.default_rng(0)
    size = rng.choice(["S", "M", "L"], 90)
    data = {"x": np.select([size == "S", size == "M"], [0.0, 5.0], 10.0) + rng.normal(size=90), "size": size}
    report = StudyReport.of(cheap_study(data, "size", kinds={"size": ["S", "M", "L"]}, allow_leaks=True), time=30)
    shap = report.explanations.shap
    assert shap.outputs == tuple(report.study.model.classes_)
    rises = {label: np.corrcoef(shap.data[:, 0], shap[label].values[:, 0])[0, 1] > 0 for label in ("S", "L")}
    assert rises == {"S": False, "L": True}


def test_the_picture_of_the_small_tree_is_as_large_as_the_tree_and_opens_no_figure():
    tree = SmallTree.of(Task(datasets.iris(), "species"), measure("log_loss"))
    opened = pyplot.get_fignums()
    figure, width, height = tree.drawn()
    figure.canvas.draw()
    boxes = [patch.get_window_extent() for patch in figure.axes[0].findobj(FancyBboxPatch)]
    left, right = (end(getattr(box, side) for box in boxes) for end, side in ((min, "x0"), (max, "x1")))
    scale = figure.dpi / 72
    assert 0 < left < 20 * scale
    assert (width - 20) * scale < right < width * scale
    assert min(box.y0 for box in boxes) < 20 * scale
    assert max(box.y1 for box in boxes) > (height - 60) * scale
    assert pyplot.get_fignums() == opened


def test_the_small_tree_does_not_split_on_a_column_of_many_levels():
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[np.arange(120) % 2]
    ticket = np.array([f"t{i // 2}{y[i]}" for i in range(120)])  # nearly one for each row
    table = Table.of({"x": rng.normal(size=120) + (y == "yes"), "ticket": ticket, "y": y})
    table = table.with_kinds(ticket="nominal")
    tree = SmallTree.of(Task(table, "y"), measure("roc_auc"))
    assert "ticket" not in tree.text
    assert tree.score > 0.6
    only = SmallTree.of(Task(table.drop("x"), "y"), measure("roc_auc"))
    assert "ticket" in only.text


def test_the_small_tree_does_not_split_on_scores_or_topics_of_texts():
    people = datasets.titanic().select("Survived", "Name", "Age")
    tree = SmallTree.of(Task(people, "Survived"), measure("roc_auc"))
    assert "Name" not in tree.text
    assert "Age" in tree.text
    with pytest.raises(DataError, match="no column but texts"):
        SmallTree.of(Task(people.drop("Age"), "Survived"), measure("roc_auc"))


@pytest.mark.slow
def test_a_report_names_the_words_that_move_the_predictions(cheap_study, sound):
    people = datasets.titanic().select("Survived", "Name", "Age", "Fare").take(np.arange(400))
    report = StudyReport.of(cheap_study(people, "Survived"), time=60)
    (words,) = report.explanations.words
    assert (words.column, words.quantity) == ("Name", "probability of yes")
    effects = {word: effect for word, _, effect in words.words}
    assert effects["Mr"] < 0 < max(effects.get("Mrs", 0), effects.get("Miss", 0))
    text = sound(study_page(report)).text
    assert "Words of Name" in text
    assert "topic 1" not in text.partition("What the model uses")[2].partition("Would more rows help?")[0]
    for each in report.explanations.waterfalls:
        assert any(name.startswith('Name: "') for name in each.names)
    assert report.to_dict()["words"][0]["words"]


ADVICE = (
    "Use a more flexible model: a non-linear one, deeper trees, fewer neighbours, or boosting.",
    "Regularise less.",
    "Add features.",
    "Average many models: bagging, a random forest.",
)


def advised(best, ranked, tuned=()):
    board = [SimpleNamespace(name=name, rank=place) for place, name in enumerate(("Zero-R", *ranked), 1)]
    board.append(SimpleNamespace(name="SVM", rank=None))
    study = SimpleNamespace(best=best, baseline="Zero-R", leaderboard=board, inner_scores=dict.fromkeys(tuned, 0.5))
    return _drop_followed(study, Diagnosis("high bias", (), {}, ADVICE, "High bias.")).remedies


def test_a_study_is_not_advised_to_compare_or_tune_what_it_has_compared_or_tuned():
    assert advised("Tree", ["Tree"]) == ADVICE
    assert advised("Tree", ["Tree", "Boosting"]) == ADVICE[1:3]
    assert advised("Boosting", ["Tree", "Boosting"], tuned=["Boosting"]) == ADVICE[2:3]


def test_the_advice_where_no_model_beats_the_baseline_is_other_columns():
    columns = "The columns may not predict the target: add others, or measure these better."
    assert advised("Zero-R", ["Tree", "Random forest"]) == (columns,)
    assert advised("Zero-R", ["Tree"]) == (columns, ADVICE[0], ADVICE[3])


def test_a_baseline_is_said_to_use_no_column(cheap_study):
    rng = np.random.default_rng(1)
    study = cheap_study({"x": rng.normal(size=60), "y": rng.normal(size=60)}, "y")
    assert study.best == "Zero-R"
    skipped = StudyReport.of(study, time=0.001).explanations.skipped
    assert skipped["importance"] == skipped["Shapley values"] == "Zero-R uses no column"


def test_what_fits_again_is_dropped_first_and_the_tree_last(cheap_study, monkeypatch):
    study = cheap_study("mtcars", "mpg")
    worst = WorstRows.of(study, study.results[study.best].pooled())
    monkeypatch.setattr(explanations, "_seconds_of_fit", lambda study: 60.0)
    assert list(StudyExplanations.of(study, worst, 1_000.0).skipped) == []
    assert list(StudyExplanations.of(study, worst, 310.0).skipped) == ["learning curve"]
    few = StudyExplanations.of(study, worst, 100.0)
    assert list(few.skipped) == ["importance", "learning curve"]
    assert few.skipped["importance"].startswith("it would take 1.2e+02 s, and")
    monkeypatch.setattr(explanations, "shapley_within", no_time)
    least = StudyExplanations.of(study, worst, 100.0)
    assert list(least.skipped) == ["importance", "Shapley values", "learning curve"]
    assert least.tree is not None
    assert len(StudyExplanations.of(study, worst, 0.0).skipped) == 4


def no_time(*_):
    raise DataError("no time was left.", "more time")


def test_a_model_that_was_fitted_on_a_sample_is_expected_to_take_far_longer_on_all_rows(cheap_study):
    study = cheap_study("mtcars", "mpg")
    usual = explanations._seconds_of_fit(study)
    few = dataclasses.replace(study, sampled_rows=len(study.splits.pairs[0][0]) // 5)
    assert explanations._seconds_of_fit(few) == pytest.approx(25 * usual, rel=0.3)


def test_a_prediction_that_no_column_changes_is_drawn_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = Waterfall.of(3, ["a"], np.zeros(1), 977505.0, "4", "predicted y").plot()
    low, high = ax.get_xlim()
    assert low < 977505 < high


def test_long_names_of_classes_are_shortened_in_the_title_of_a_waterfall():
    name = "class 11 with a very long name"
    ax = Waterfall.of(3, ["a"], np.ones(1), 0.5, name, f"probability of {name}").plot()
    assert ax.get_title(loc="left") == "Row 3: 1.5, actual class 11 … g name"


def test_the_small_tree_is_scored_with_calibrated_probabilities_as_the_models_are():
    """A leaf without rows of a class would give it a probability of 0, and a log loss worse than that of Zero-R."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 300)
    table = Table.of({"x": label + rng.normal(0, 0.7, 300), "y": np.array(["a", "b", "c"])[label]})
    assert SmallTree.of(Task(table, "y"), measure("log_loss")).score < 0.8


def test_weights_change_the_small_tree():
    x = np.repeat([0.0, 1.0, 2.0], 20)
    y = np.tile([0.0, 1.0], 30) + (x == 2)
    task = Task(Table.of({"x": x, "w": np.where(y > 0, 9.0, 1.0), "y": y}), "y", weight="w")
    assert "value: [0.90]" in SmallTree.of(task, measure("rmse")).text
