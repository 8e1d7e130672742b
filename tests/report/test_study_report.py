"""What a report computes beyond the study, its JSON and the model card."""

import importlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score

from probus.data import Column
from probus.inspection import Waterfall
from probus.metrics import Estimate, Outcome
from probus.report import StudyReport, model_card, sections, write, write_folder
from probus.report import _explanations as explanations
from probus.report._html import column_cards
from probus.report._residuals import Residuals
from probus.report._section import Section
from probus.report._small_tree import SmallTree
from probus.report._study_report import DecisionCosts
from probus.report._summary import Classes, summarise
from probus.report._worst_rows import cell_text
from probus.report.sections._columns import _roles
from probus.report.sections._done import _facts
from probus.report.sections._leaderboard import ForestAxis
from probus.report.sections._predictions import _calibration

SECTIONS = {
    "schema", "study", "headline", "best", "baseline", "curves", "confusion", "costs", "residuals", "worst_rows",
    "importance", "shapley", "waterfalls", "words", "learning_curve", "diagnosis", "tree", "columns", "sample",
    "skipped", "reproduce", "versions",
}  # fmt: skip


@pytest.mark.parametrize("name", ["titanic_report", "iris_report", "cars_report"])
@pytest.mark.slow
def test_the_page_is_sound_small_and_has_every_section(name, request, sound, page_of):
    html = page_of(request.getfixturevalue(name))
    page = sound(html)
    assert len(html.encode()) < 3_000_000
    headings = {attributes["id"] for tag, attributes in page.elements if tag == "h2" and "id" in attributes}
    links = {attributes["href"][1:] for tag, attributes in page.elements if tag == "a"}
    assert links == headings
    assert sum(tag == "h1" for tag, _ in page.elements) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["titanic_report", "iris_report", "cars_report"])
def test_the_json_has_what_the_page_shows(name, request, tmp_path):
    report = request.getfixturevalue(name)
    data = json.loads(write(report, tmp_path / "report.json").read_text(encoding="utf-8"))
    assert set(data) == SECTIONS
    assert data["schema"] == "probus.report/1"
    assert data["best"] == report.study.best
    assert [column["name"] for column in data["columns"]] == list(report.study.task.table.names)
    assert data["study"]["leaderboard"]
    assert (data["confusion"] is None) == (data["residuals"] is not None)


def test_curves_and_confusion_are_those_of_the_saved_model_on_rows_it_was_not_trained_on(titanic_report):
    """Naive Bayes is overconfident, so it is calibrated; the leaderboard's scores are of the same probabilities."""
    outcome, study = titanic_report.outcome, titanic_report.study
    scored = study.results[study.best].pooled()
    assert study.model.calibration_.method != "none"
    assert outcome.actual.tolist() == scored.actual.tolist()
    np.testing.assert_allclose(outcome.probabilities, scored.probabilities, rtol=1e-9)
    np.testing.assert_allclose(outcome.probabilities, study.model.probabilities_, rtol=1e-9)
    assert titanic_report.roc[0].area.value == pytest.approx(roc_auc_score(outcome.actual, outcome.scores))
    expected = confusion_matrix(outcome.actual, outcome.probabilities[:, 1] > study.model.threshold)
    assert titanic_report.confusion.counts.tolist() == expected.tolist()


@pytest.mark.slow
def test_the_confusion_matrix_and_the_slider_start_at_the_saved_threshold(cheap_study, page_of, sound):
    rng = np.random.default_rng(3)
    y = np.where(rng.random(400) < 0.1, "yes", "no")
    study = cheap_study({"x": rng.normal(size=400) + 1.5 * (y == "yes"), "y": y}, "y")
    report = StudyReport.of(study, time=0)
    share = (y == "yes").mean()
    assert study.model.threshold == pytest.approx(share)
    assert report.costs.costs[report.costs.saved] == pytest.approx((1 - share) / share)
    expected = confusion_matrix(y, np.where(report.outcome.probabilities[:, 1] > share, "yes", "no"))
    assert (
        report.confusion.counts.tolist() == report.costs.matrices[0, report.costs.saved].tolist() == expected.tolist()
    )
    page = sound(page_of(report))
    start = next(attributes for tag, attributes in page.elements if tag == "input")
    assert int(start["value"]) == report.costs.saved
    assert f"Class yes is predicted where its probability is at least {share:.3g}." in page.text


@pytest.mark.slow
def test_the_page_says_how_it_is_calibrated_and_how_wide_intervals_are(titanic_report, cars_report, sound, page_of):
    method = titanic_report.study.model.calibration_.method
    text = sound(page_of(titanic_report)).text
    assert f"The probabilities are calibrated as those of the saved model are ({method})" in text
    cars = cars_report.study
    widths = np.diff(cars.model.predict_interval(cars.task.X.select(*cars.features), 0.9))
    assert f"median width of {np.median(widths):.3g}" in sound(page_of(cars_report)).text


def test_costs_of_several_classes_multiply_those_of_the_saved_model():
    rng = np.random.default_rng(0)
    p, actual = rng.dirichlet(np.ones(3), size=200), rng.integers(0, 3, 200)
    outcome = Outcome(actual, classes=("a", "b", "c")).with_probabilities(p)
    base = np.array([[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
    costs = DecisionCosts.of(outcome, base)
    assert costs.costs[costs.saved] == 1.0
    for times, found in zip(costs.costs, costs.matrices[1], strict=True):
        own = base * np.array([[1.0], [times], [1.0]])
        assert found.tolist() == confusion_matrix(actual, (p @ own).argmin(axis=1)).tolist()


@pytest.mark.slow
def test_several_classes_have_a_curve_each_and_a_choice_of_the_costly_class(iris_report, sound, page_of):
    assert [curve.label for curve in iris_report.roc] == ["setosa", "versicolor", "virginica"]
    options = [tag for tag, _ in sound(page_of(iris_report)).elements if tag == "option"]
    assert len(options) == 3


def test_costs_choose_the_class_of_least_expected_cost():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=200)
    outcome = Outcome(rng.integers(0, 3, 200), classes=("a", "b", "c")).with_probabilities(p)
    costs = DecisionCosts.of(outcome, 1 - np.eye(3))
    for i in range(3):
        for j, cost in enumerate(costs.costs):
            price = np.ones(3)
            price[i] = cost
            expected = np.array([[sum(row[k] * price[k] for k in range(3) if k != d) for d in range(3)] for row in p])
            brute = confusion_matrix(outcome.actual, expected.argmin(axis=1), labels=range(3))
            assert costs.matrices[i, j].tolist() == brute.tolist()


def test_the_slider_starts_where_errors_cost_the_same(titanic_report):
    costs = titanic_report.costs
    assert costs.classes == ("yes",)
    assert costs.costs[costs.saved] == 1.0
    assert costs.matrices[0, costs.saved].tolist() == titanic_report.confusion.counts.tolist()
    missed = costs.matrices[0, :, 1, 0]
    assert (np.diff(missed) <= 0).all()


def test_without_probabilities_there_are_no_curves_and_no_slider():
    assert DecisionCosts.of(Outcome(np.array([0, 1]), np.array([0, 1]), classes=("a", "b")), 1 - np.eye(2)) is None


def test_the_bias_of_each_tenth_covers_the_truth():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        predicted = rng.normal(size=200)
        found = Residuals.of(predicted + 0.5 + rng.normal(size=200), predicted)
        inside += ((found.low <= 0.5) & (found.high >= 0.5)).mean()
    assert 0.93 < inside / 200 < 0.97


def test_the_worst_rows_are_those_predicted_with_most_confidence_and_wrong(titanic_report):
    worst, outcome = titanic_report.worst, titanic_report.outcome
    given = outcome.probabilities[np.arange(len(outcome)), outcome.actual]
    wrong = outcome.predicted != outcome.actual
    assert worst.surprise.tolist() == sorted(given[wrong])[:10]
    table = titanic_report.study.task.table
    assert [table["Survived"].decoded()[row] for row in worst.rows] == list(worst.actual)


def test_the_worst_rows_of_numbers_have_the_largest_residuals(cars_report):
    residual = np.abs(cars_report.residuals.residual)
    assert np.abs(cars_report.worst.surprise).tolist() == sorted(residual)[::-1][:10]


def test_the_model_card_says_what_its_reader_must_know(titanic_report):
    card = model_card(titanic_report)
    for heading in ("What it predicts", "How good it is", "Data", "Uncertainty", "Intended use", "Limits",
                    "Decisions", "Features", "How to use it", "How it was made"):  # fmt: skip
        assert f"\n## {heading}\n" in card
    main = titanic_report.study.main
    assert f"{main.label}: {titanic_report.study.leaderboard.printed(titanic_report.study.best, main.name)}" in card
    assert "not used: PassengerId (identifies the rows)" in card
    assert "% of the values missing." in card
    assert re.search(r"The largest errors are on rows \d+(, \d+)* and \d+, counted from 0\.", card)
    assert "PB102 much-missing: Cabin: 687 of 891" in card
    assert "probus study titanic --target Survived" in card


def test_the_model_card_of_a_table_without_missing_values_says_so(cars_report):
    assert "32 rows, 12 columns, no value missing." in model_card(cars_report)


def test_card_and_page_say_how_the_uncertainty_was_found(cars_report, titanic_report, sound, page_of):
    for report, start in (
        (cars_report, "intervals from the residuals"),
        (titanic_report, "calibrated probabilities ("),
    ):
        how = report.study.model.uncertainty
        assert how.startswith(start)
        assert f"It has {how}." in model_card(report)
        assert how in sound(page_of(report)).text
    assert "model.predict_interval(" in model_card(cars_report)


@pytest.mark.slow
def test_card_page_and_terminal_promise_nothing_for_later_dates(cheap_study, page_of):
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + np.arange(60)
    report = StudyReport.of(cheap_study({"day": days, "y": rng.normal(size=60)}, "y"), time=0)
    assert "Rows have dates (day): rows of later dates may differ, and nothing is promised for them." in model_card(
        report
    )
    warning = (
        "Rows with dates (day) were split at random: the scores are for rows of the same period, not for later ones."
    )
    assert any(line.startswith(warning) for line in report.study.alerts())
    page = page_of(report)
    assert page.index(warning) < page.index('id="leaderboard"')


def test_card_and_page_name_the_weight_and_count_rows_whatever_their_weight(cheap_study):
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=60), "w": rng.uniform(1, 3, 60), "y": np.repeat(["a", "b"], [20, 40])}
    report = StudyReport.of(cheap_study(data, "y", weight="w"), time=0)
    card = model_card(report)
    assert "Rows of each class: a: 20, b: 40." in card
    assert "Rows are weighted by w." in card
    assert _roles(report.study)["w"] == ("weight", False)
    assert ("weighted by", "w") in _facts(report)


def test_card_and_data_call_dates_dates(cheap_study):
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + np.arange(60)
    report = StudyReport.of(cheap_study({"day": days, "y": rng.normal(size=60)}, "y"), time=0)
    assert "- day (date)\n" in model_card(report)
    assert report.columns[0].to_dict()["dates"] is True


def test_the_calibration_of_a_rare_class_is_drawn_where_its_probabilities_are(cheap_study, page_of):
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(600) < 0.04, "yes", "no")
    report = StudyReport.of(cheap_study({"x": rng.normal(size=600) + (labels == "yes"), "y": labels}, "y"), time=0)
    (curve,) = report.calibration
    assert curve.strategy == "quantile"
    assert len(curve.rows) > 5
    drawn = _calibration(curve, None)
    assert drawn.lines[0].get_xdata()[1] == drawn.get_xlim()[1]
    assert drawn.get_xlim()[1] < 0.5
    assert drawn.get_xlim()[1] > max(curve.high.max(), curve.predicted.max())


def test_years_and_codes_of_rows_are_written_without_separators():
    column = Column.numbers("x", [2021.0, 8010.0, 0.123456789, 1234567.25])
    assert [cell_text(column, row) for row in range(4)] == ["2021", "8010", "0.123456789", "1234567.25"]


def test_times_of_rows_keep_their_hour():
    column = Column.numbers("when", [18687.0, 18688.25, np.nan], dates=True)
    assert [cell_text(column, row) for row in range(3)] == ["2021-03-01", "2021-03-02 06:00:00", "–"]


def test_large_numbers_of_a_waterfall_have_no_powers_of_ten():
    steps = Waterfall.of(7, ["a"], np.array([32174.0]), 47012.0, "152973", "predicted price")
    assert steps._parts()[0] == "Row 7: predicted price 79,200, from 47,000; actual 152973"


def test_the_model_card_of_several_classes_names_no_threshold(iris_report):
    assert "The class of the largest probability" in model_card(iris_report)


def test_the_model_card_has_a_line_for_each_kind_of_warning_and_notes_that_are_sentences(cheap_study):
    rng = np.random.default_rng(0)
    data = {name: np.where(rng.random(60) < 0.2, "?", rng.choice(["u", "v"], 60)) for name in "abc"}
    study = cheap_study(data | {"y": rng.normal(size=60)}, "y")
    card = model_card(StudyReport.of(replace(study, notes=("the time was up",)), time=0))
    assert card.count("PB101") == 1
    assert "Also reported for b and c." in card
    assert "- The time was up.\n" in card


def test_names_cannot_break_the_model_card(cheap_study):
    rng = np.random.default_rng(0)
    data = {"# x\n## y": rng.normal(size=60), "<b>y</b>": np.array(["a", "b"])[rng.integers(0, 2, 60)]}
    card = re.sub("```.*?```", "", model_card(StudyReport.of(cheap_study(data, "<b>y</b>"), time=0)), flags=re.DOTALL)
    assert "<b>" not in card
    assert len(re.findall(r"^#", card, re.MULTILINE)) == 11


@pytest.mark.slow
def test_a_folder_gets_page_data_and_card(titanic_report, tmp_path, page_of):
    page, data, card = write_folder(titanic_report.study, tmp_path, time=0)
    assert (page.name, data.name, card.name) == ("report.html", "report.json", "model.md")
    assert page.read_text(encoding="utf-8") == page_of(titanic_report)


# -- what needs further fits -----------------------------------------------------------------------------------------


def test_all_explanations_are_on_the_page_and_in_the_data(cars_report, sound, page_of):
    assert cars_report.explanations.skipped == {}
    labels = [attributes["aria-label"] for tag, attributes in sound(page_of(cars_report)).elements if tag == "svg"]
    for label in ("Loss of score by column", "Shapley values of the columns", "Learning curve"):
        assert label in labels
    assert sum(label.startswith("Row ") for label in labels) == 3
    assert any(label.startswith("A small tree") for label in labels)
    data = cars_report.to_dict()
    assert {row["column"] for row in data["importance"]["columns"]} == set(cars_report.study.features)
    assert data["tree"]["text"] in cars_report.explanations.tree.text
    assert data["diagnosis"]["sentence"]
    assert f"standard errors at most {cars_report.explanations.shap_error:.2g}" in sound(page_of(cars_report)).text


def test_several_classes_have_shapley_values_each(iris_report, sound, page_of):
    labels = [attributes["aria-label"] for tag, attributes in sound(page_of(iris_report)).elements if tag == "svg"]
    for name in ("setosa", "versicolor", "virginica"):
        assert f"Shapley values of the columns for {name}" in labels


def test_without_time_the_page_says_what_is_missing(titanic_report, sound, page_of):
    assert set(titanic_report.explanations.skipped) == {"importance", "Shapley values", "learning curve", "tree"}
    text = sound(page_of(titanic_report)).text
    assert "Not computed: no time was given." in text
    assert "Importance not computed: no time was given" in text


def test_waterfalls_lead_from_the_mean_prediction_to_that_of_the_model(cars_report):
    study = cars_report.study
    for each in cars_report.explanations.waterfalls:
        assert each.base + each.steps.sum() == pytest.approx(each.prediction)
        row = study.task.X.take([each.row]).select(*study.features)
        assert each.prediction == pytest.approx(study.model.predict(row)[0])


@pytest.mark.slow
def test_a_section_that_fails_does_not_cost_the_report(cheap_study, monkeypatch):
    monkeypatch.setattr(explanations, "column_importance", lambda *args, **how: 1 / 0)
    found = StudyReport.of(cheap_study("mtcars", "mpg"), time=30).explanations
    assert found.skipped == {"importance": "ZeroDivisionError: division by zero"}


# -- sentences that must be true of the table ----------------------------------------------------------


def test_the_lines_of_worst_rows_have_equal_decimals(cars_report, titanic_report):
    residuals = [line[3] for line in cars_report.worst.lines()[1:]]
    predicted = [line[2] for line in cars_report.worst.lines()[1:]]
    assert {len(text.partition(".")[2]) for text in residuals + predicted} == {2}
    given = [line[3] for line in titanic_report.worst.lines()[1:]]
    assert all(re.fullmatch(r"< 0\.001|\d\.\d{3}", text) for text in given)


def test_the_steps_of_a_waterfall_have_equal_decimals():
    steps = Waterfall.of(7, ["a", "b", "c"], np.array([0.12, -0.0345, -9e-5]), 0.3, "yes", "probability of yes")
    assert [row[1] for row in steps._parts()[1].rows] == ["+0.120", "−0.035", "0"]


def test_the_page_says_which_bands_it_draws(cars_report, titanic_report, sound, page_of):
    cars, titanic = (sound(page_of(report)).text for report in (cars_report, titanic_report))
    assert "The blue band holds 80 % of the residuals" in cars
    assert "Bands and bars are 95 % intervals." not in cars
    assert "Bands and bars are 95 % intervals." in titanic
    assert "do not count" not in titanic  # every row has a label


def test_a_tree_that_is_no_better_than_the_baseline_is_called_that(titanic_report, sound, page_of):
    assert "is no model to predict with" not in sound(page_of(titanic_report)).text
    found = titanic_report.explanations
    if found.tree is None:
        found = replace(found, tree=SmallTree.of(titanic_report.study.task, titanic_report.study.main))
    worse = replace(found, tree=replace(found.tree, score=Estimate(0.45, 0.4, 0.5)))
    text = sound(page_of(replace(titanic_report, explanations=worse))).text
    assert "ROC AUC 0.450 [0.400, 0.500] on rows it was not trained on. That is not better than Zero-R" in text


def test_cards_leave_out_reasons_that_repeat_what_they_show():
    whys = {"a": "decimal numbers", "b": "integers with 3 values (1, 2, 3): treated as numbers; if they are labels, …"}
    columns = [summarise(Column.numbers(name, [1.0, 2.0], why=why), Classes.of(None, 2)) for name, why in whys.items()]
    assert [card["why"] for card in column_cards(columns, {})] == ["", whys["b"]]


def test_a_target_of_two_numbers_is_not_called_set_by_the_user(cheap_study):
    rng = np.random.default_rng(0)
    study = cheap_study({"x": rng.normal(size=60), "y": rng.integers(1, 3, 60)}, "y")
    assert study.task.table["y"].why == "a target of two numbers: treated as classes"


def test_the_ticks_of_large_scores_have_no_powers_of_ten():
    scores = [Estimate(977505.0, 837141.0, 1230031.0)]
    assert [tick["label"] for tick in ForestAxis.over(scores).ticks()] == ["900,000", "1,050,000", "1,200,000"]
    assert [tick["label"] for tick in ForestAxis(0.99985, 0.99995).ticks()][:2] == ["0.99985", "0.999875"]


def test_the_page_says_what_the_scores_of_configurations_are(cars_report, sound, page_of):
    text = sound(page_of(cars_report)).text
    assert "Defaults have their mean score on the test rows of the leaderboard, before calibration" in text


def test_the_page_says_of_two_classes_only_that_areas_are_means_over_splits(cars_report, titanic_report, page_of):
    cars, titanic = (page_of(report) for report in (cars_report, titanic_report))
    assert "all splits together; the leaderboard has the mean area under the ROC curves of the splits." in titanic
    assert "all splits together." in cars


def test_a_section_is_one_declaration_and_one_line_of_the_list(cheap_study, monkeypatch):
    report = StudyReport.of(cheap_study({"x": np.arange(30.0) % 7, "y": ["a", "b"] * 15}, "y"), time=0)
    template = '<h2 id="size">Size</h2>\n<p>{{ study.task | length }} of {{ rows }} rows</p>\n'
    added = Section("size", "Size of it", template, lambda report: {"rows": 30}, lambda report: {"size": 30})
    page_module = importlib.import_module("probus.report._study_page")  # the package has a function of that name
    for module in (sections, page_module):
        monkeypatch.setattr(module, "SECTIONS", (*sections.SECTIONS, added))
    page = page_module.study_page(report)
    assert '<a href="#size">Size of it</a>' in page
    assert "<p>30 of 30 rows</p>" in page
    assert report.to_dict()["size"] == 30
