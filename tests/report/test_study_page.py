from dataclasses import replace

import numpy as np
import pytest

import probus
from probus.data import Table, Task
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.lifecycle import _study_run as study_run
from probus.pipeline import tabular
from probus.report import write
from probus.report._reproduction import command_line, how_exactly, python_code
from probus.report._study_page import study_page as page_of
from probus.report._study_report import StudyReport
from probus.tree import DecisionTreeClassifier

pytestmark = pytest.mark.usefixtures("cheap_models")

HOSTILE = "<script>alert('x')</script>"
HOSTILE_LEVEL = '"><img src=x onerror=alert(1)>'


def study_page(result):
    return page_of(StudyReport.of(result, time=0))


def study(data, target, **options):
    return probus.study(
        data, target=target, **{"cv": 3, "progress": None, "allow_leaks": True, "evaluations": 0, **options}
    )


@pytest.fixture(scope="module")
def titanic(cheap_models):
    rows = np.arange(0, 891, 4)
    result = study(probus.datasets.titanic().take(rows), target="Survived")
    return result, study_page(result)


def test_the_page_is_well_formed_and_needs_nothing_from_outside(titanic, sound):
    assert "Survived" in sound(titanic[1]).text


def test_the_answer_comes_first_then_what_it_rests_on(titanic, sound):
    result, html = titanic
    assert "! Left out: PassengerId and Cabin (identify the rows)" in repr(result)
    text = sound(html).text
    best = result.leaderboard.best
    order = [
        "Read this first",
        "Left out: PassengerId and Cabin (identify the rows).",
        f"{best.name}: ROC AUC {best.scores['roc_auc'].value:.{best.scores['roc_auc'].decimals}f}",
        "Baseline Zero-R: ",
        "ROC AUC of one test set of 223 new rows drawn alike: ",
        "Higher ROC AUC is better.",
        "How good the predictions are",
        "Rows with the largest errors",
        "What looks wrong or dangerous",
        "The first rows",
        "seed 0",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.slow
def test_scores_by_group_are_a_section_where_there_are_sensitive_columns(titanic, cheap_models, sound):
    assert 'href="#groups"' not in titanic[1]
    rows = np.arange(0, 891, 4)
    html = study_page(study(probus.datasets.titanic().take(rows), target="Survived", sensitive="Sex"))
    text = sound(html).text
    assert text.index("Scores by group") < text.index("Sex = female") < text.index("Rows with the largest errors")
    assert 'href="#groups"' in html


def test_every_model_every_column_and_every_finding_is_there(titanic, sound):
    result, html = titanic
    text = sound(html).text
    for standing in result.leaderboard:
        assert standing.name in text
    for name in result.task.table.names:
        assert name in text
    for finding in result.findings:
        assert finding.code in text
    assert "What was tried" in text
    assert "left out: identifies the rows" in text
    assert "Name" in result.features


def test_every_verdict_is_there(titanic, sound):
    result, html = titanic
    verdicts = [standing.verdict for standing in result.leaderboard if standing.verdict]
    page = sound(html)
    shown = [each for tag, each in page.elements if tag == "span" and "verdict" in each.get("class", "")]
    assert len(shown) == len(verdicts) > 0
    assert "worse" in verdicts
    assert "worse" in page.words


def test_estimators_and_splits_of_memory_are_variables_and_there_is_no_command():
    from sklearn.model_selection import StratifiedKFold

    models = {"frequent": ZeroRClassifier(), "tree": DecisionTreeClassifier(max_depth=2)}
    result = study("iris", "species", models=models, cv=StratifiedKFold(3), scoring="accuracy")
    code = python_code(result)
    assert "models = {'frequent': ZeroRClassifier(), 'tree': DecisionTreeClassifier(max_depth=2)}" in code
    assert "\ncv = ...  # " in code
    assert "models=models" in code
    assert "cv=cv" in code
    compile(code, "code", "exec")
    assert command_line(result) == ""


def test_the_page_states_whether_a_repetition_gives_the_same_numbers(titanic, sound):
    result, html = titanic
    assert "With the same versions of the libraries the numbers are the same." in sound(html).text
    timed = replace(result, settings={**result.settings, "time": 20.0, "evaluations": None})
    assert "How much is tried in the time depends on the machine" in how_exactly(timed)
    assert "time=20," in python_code(timed)


def test_one_family_by_name_is_named_whole():
    result = study("iris", "species", models="bayes")
    assert "--models bayes " in command_line(result)


@pytest.mark.slow
def test_it_says_how_to_do_it_again():
    page = study_page(
        study("iris", target="species", kinds={"petal_width": "numeric"}, scoring="log_loss", random_state=7)
    )
    assert "probus study iris --target species --kind petal_width=numeric --evaluations 0 --cv 3" in page
    assert "probus.study(&#39;iris&#39;, target=&#39;species&#39;, kinds=" in page


@pytest.mark.slow
def test_several_measures_are_named_again():
    page = study_page(study("iris", target="species", scoring=["mcc", "log_loss"]))
    assert "--scoring mcc --scoring log_loss --allow-leaks --seed 0" in page
    assert "scoring=[&#39;mcc&#39;, &#39;log_loss&#39;]" in page


@pytest.mark.slow
def test_features_and_target_are_named_as_they_were_given():
    iris = probus.datasets.load("iris")
    X, y = iris.drop("species"), iris["species"].decoded()
    kinds = {"petal_width": "ordinal"}
    how = {"cv": 3, "progress": None, "evaluations": 0}
    page = study_page(probus.study(X, y, kinds=kinds, groups=np.arange(150) // 5, **how))
    text = "probus.study(X, y, groups=groups, kinds={&#39;petal_width&#39;: &#39;ordinal&#39;}, evaluations=0, cv=3, "
    assert text in page
    page = study_page(probus.study(Task(iris, target="species"), **how))
    assert "probus.study(task, evaluations=0, cv=3, random_state=0)" in page


def test_data_from_memory_has_no_command(titanic):
    assert "probus study " not in titanic[1]
    assert "probus.study(table, target=" in titanic[1]


@pytest.mark.slow
def test_the_same_study_gives_the_same_page_but_for_the_times():
    import re

    def page():
        html = study_page(study("iris", target="species"))
        return re.sub(r"(< )?\d+\.\d s", "", html)

    assert page() == page()


@pytest.mark.slow
def test_numbers_have_a_picture_of_agreement_instead_of_a_confusion(sound):
    html = study_page(study("mtcars", target="mpg"))
    page = sound(html)
    labels = [attributes.get("aria-label") for tag, attributes in page.elements if tag == "svg"]
    assert "Observed against predicted values, with the mean of each tenth" in labels
    assert "Right and wrong" not in page.text
    assert "Lower RMSE is better." in page.text


def test_hostile_names_and_levels_are_only_ever_text(sound):
    n = 60
    table = Table.of(
        {
            HOSTILE: [HOSTILE_LEVEL, "b", "c"] * 20,
            "x$y$": np.arange(n) % 7 + 0.5,
            "{{ 7 * 7 }}": np.sin(np.arange(n)),
            "y": [HOSTILE, "no"] * 30,
        }
    )
    page = sound(study_page(study(table, target="y")))
    assert HOSTILE in page.text
    assert HOSTILE_LEVEL in page.text
    assert "{{ 7 * 7 }}" in page.text


@pytest.mark.slow
def test_failures_are_shown_where_the_model_stands(monkeypatch, sound):
    class Breaks(ZeroRClassifier):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("a <b> broke")

    monkeypatch.setattr(
        study_run, "families", lambda kind, chosen, n_rows, seconds: {"Zero-R": ZeroRClassifier(), "broken": Breaks()}
    )
    text = sound(study_page(study("iris", target="species"))).text
    assert "failed on all 3 splits: RuntimeError: a <b> broke" in text
    assert "It is the only model that finished." in text
    assert "which ignores the features: no model is better" in text


@pytest.mark.slow
def test_a_leak_is_called_out_above_the_leaderboard(sound):
    rng = np.random.default_rng(0)
    labels = np.array(["no", "yes"])[np.arange(90) % 2]
    leak = np.where(labels == "yes", "paid", "open")
    text = sound(study_page(study({"x": rng.normal(size=90), "settled": leak, "y": labels}, target="y"))).text
    assert text.index("Read this first") < text.index("settled") < text.index("ROC AUC 1")


def test_many_classes_have_no_confusion_but_a_page(sound):
    labels = [f"class {i % 40}" for i in range(160)]
    page = sound(study_page(study({"x": np.arange(160) % 40 + 0.1 * np.arange(160), "y": labels}, target="y")))
    assert "Class balance" in page.text
    assert "Right and wrong" not in page.text


def test_a_dozen_classes_have_small_cells_without_zeros(sound):
    labels = [f"class {i % 12:02}" for i in range(120)]
    page = sound(study_page(study({"x": np.arange(120) % 12 + 0.01 * np.arange(120), "y": labels}, target="y")))
    assert ("table", {"class": "confusion dense"}) in page.elements
    titles = [attributes["title"] for tag, attributes in page.elements if tag == "td" and "title" in attributes]
    assert len(titles) == 144
    assert titles[0].startswith("class 00: ")


def test_only_studies_and_profiles_can_be_written(titanic, tmp_path):
    assert write(titanic[0], tmp_path / "r.html", time=0).read_text(encoding="utf-8") == titanic[1]
    with pytest.raises(DataError, match=r"a list to report on\.\n  Expected a Study or a Profile"):
        write([], tmp_path / "r.html")
    with pytest.raises(DataError, match=r"no folder .*absent"):
        write(titanic[0], tmp_path / "absent" / "r.html")


@pytest.mark.slow
def test_phrases_dates_and_what_the_model_made_of_them_are_described(sound, monkeypatch):
    monkeypatch.setattr(
        study_run, "families", lambda kind, chosen, n_rows, seconds: {"Zero-R": ZeroRClassifier(), "k-NN": tabular(knn)}
    )
    knn = probus.neighbors.KNeighborsClassifier()
    good = np.arange(60) % 2 == 1
    data = {
        "note": [f"visit {i} was " + ("lovely" if yes else "dreadful") for i, yes in enumerate(good)],
        "when": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(60)],
        "y": np.where(good, "yes", "no"),
    }
    text = sound(study_page(study(data, target="y"))).text
    assert "used as text" in text
    assert "when is used as days and as month sine, month cosine, weekday; note is used as 1 score" in text
    assert "date none missing" in " ".join(text.split())
