"""The audit: what it measures of each group, its verdicts, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import t

import probus
from probus.data import Task
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.fairness import alike_rows, audit
from probus.fairness._groups import sensitive_groups
from probus.fairness._incompatible import incompatibility
from probus.linear_model import LinearRegression, LogisticRegression
from probus.metrics import Outcome
from probus.naive_bayes import NaiveBayes


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    n = 600
    sex = rng.choice(["f", "m"], n, p=[0.4, 0.6])
    old = rng.choice(["no", "yes"], n)
    x = rng.normal(size=n) + 0.8 * (sex == "m")
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-x)), "good", "bad")
    return {"x": x, "sex": sex, "old": old, "y": y}


def decided(rows):
    return np.where(rows["x"] > 0.3, "good", "bad")


def test_rates_are_those_of_each_group(rows):
    found = audit(decided(rows), rows, target="y", sensitive="sex")
    frame = found.to_frame()
    assert frame["group"].to_list() == ["f", "m"]
    for group, n, tpr, ppv, base in zip(
        *(frame[each] for each in ("group", "rows", "true_positive_rate", "positive_predictive_value", "base_rate")),
        strict=True,
    ):
        mine, good, chosen = rows["sex"] == group, rows["y"] == "good", decided(rows) == "good"
        assert n == mine.sum()
        assert tpr == pytest.approx(chosen[mine & good].mean())
        assert ppv == pytest.approx(good[mine & chosen].mean())
        assert base == pytest.approx(good[mine].mean())
    assert found.positive == "good"


def test_verdicts_follow_from_intervals_and_margin(rows):
    found = audit(decided(rows), rows, target="y", sensitive="sex").verdict("demographic_parity")
    assert found.state == "violated"
    assert found.difference.low > 0.05
    gap = found.difference
    wide = audit(decided(rows), rows, target="y", sensitive="sex", margin=gap.high + 0.01)
    assert wide.verdict("demographic_parity").state == "holds"
    between = audit(decided(rows), rows, target="y", sensitive="sex", margin=(gap.value + gap.low) / 2)
    undecided = between.verdict("demographic_parity")
    assert undecided.state == "undecided"
    assert 3 * len(rows["y"]) < undecided.rows < 6 * len(rows["y"])  # half of the width, four times the rows
    assert "rows would decide" in undecided.sentence


def test_as_many_rows_as_stated_decide():
    rng = np.random.default_rng(0)

    def verdict(n):
        group = np.arange(n) % 2
        y = (np.arange(n) // 2) % 2
        selected = np.zeros(n, int)
        for code, share in ((0, 0.40), (1, 0.52)):
            inside = np.flatnonzero(group == code)
            selected[rng.permutation(inside)[: round(share * len(inside))]] = 1
        return audit(selected, {"x": np.arange(n), "group": group.astype(str), "y": y}, target="y", sensitive="group")

    few = verdict(400).verdict("demographic_parity")
    assert few.state == "undecided"
    assert verdict(int(1.1 * few.rows)).verdict("demographic_parity").state == "violated"


def test_a_model_a_task_and_out_of_fold_predictions(rows):
    model = probus.tabular(LogisticRegression())
    task = Task(rows, target="y", sensitive=["sex", "old"])
    fitted = model.fit(task.X, task.y)
    found = audit(fitted, task)
    assert [each.column for each in found.tables] == ["sex", "old", "sex and old"]
    assert {each.criterion.name for each in found.verdicts} >= {"calibration", "equalized_odds"}
    assert any("training rows" in note for note in found.notes)
    resampled = probus.resample(model, task, cv=3)
    held_out = audit(resampled)
    assert held_out.rows == len(task)
    outcome = resampled.pooled()
    right = outcome.predicted == outcome.actual
    accuracy = held_out["sex"].to_frame()["accuracy"].to_list()
    assert accuracy == pytest.approx([right[task.table["sex"].decoded() == group].mean() for group in ("f", "m")])


def test_numbers_are_audited_by_residuals_and_errors(rows):
    y = rows["x"] * 2 + np.where(rows["sex"] == "f", 1.0, 0.0)
    model = LinearRegression().fit(rows["x"][:, None], y)
    predicted = model.predict(rows["x"][:, None])
    found = audit(predicted, {"x": rows["x"], "y": y}, target="y", sensitive=rows["sex"])
    residual = (predicted - y)[rows["sex"] == "f"]
    shown = found.to_frame().row(0, named=True)
    assert shown["mean_residual"] == pytest.approx(residual.mean())
    half = t.ppf(0.975, len(residual) - 1) * residual.std(ddof=1) / len(residual) ** 0.5
    assert shown["mean_residual_high"] - shown["mean_residual"] == pytest.approx(half, rel=1e-6)
    assert found.verdict("equal_residuals").state == "violated"
    assert found.margin == pytest.approx(0.1 * y.std())


def test_more_classes_are_compared_by_accuracy_and_other_measures():
    iris = probus.datasets.load("iris")
    group = np.array(["a", "b"] * 75)
    found = audit(iris["species"].decoded(), iris, target="species", sensitive=group, scoring="balanced_accuracy")
    assert [v.criterion.name for v in found.verdicts] == ["accuracy_equality"]
    assert found.to_frame()["balanced_accuracy"].to_list() == [1.0, 1.0]


def test_small_groups_are_named_and_not_compared(rows):
    group = rows["sex"].astype(object)
    group[:4] = "x"
    found = audit(decided(rows), {**rows, "sex": group}, target="y", sensitive="sex")
    assert found.verdict("demographic_parity").groups == ("f", "m")
    assert any("fewer than 10 rows are not compared: x (4)" in note for note in found.notes)
    assert np.isnan(found.to_frame()["selection_rate"].to_list()[2])


def test_numbers_of_a_sensitive_column_are_ranges_and_missing_is_a_group(rows):
    age = np.linspace(18, 80, len(rows["y"]))
    age[:30] = np.nan
    found = audit(decided(rows), {**rows, "age": age}, target="y", sensitive="age")
    assert len(found["age"].groups) == 5
    assert found["age"].groups.labels[-1] == "missing"
    assert " to <" in found["age"].groups.labels[0]
    assert any("ranges" in note for note in found.notes)


def test_base_rates_that_differ_are_named_with_the_identity():
    # 60 of 100 and 20 of 100 have the positive label; PPV 0.8 and TPR 0.5 of all
    y = np.r_[np.ones(60), np.zeros(40), np.ones(20), np.zeros(80)].astype(int)
    group = ["a"] * 100 + ["b"] * 100
    selected = np.zeros(200, int)
    selected[:30] = 1
    selected[100:110] = 1
    selected[60:70] = 1
    note = incompatibility(Outcome.of(y, selected), sensitive_groups(group, 200), 0.95)
    assert "0.2 for b and 0.6 for a" in note
    for p in (0.2, 0.6):
        implied = p / (1 - p) * (1 - 0.8) / 0.8 * 0.5
        assert f"{implied:.2g}" in note
    same = np.tile([0, 1], 100)
    assert incompatibility(Outcome.of(same, same), sensitive_groups(group, 200), 0.95) is None


def test_alike_rows_are_found_by_brute_force(rows):
    from probus.data import Table
    from probus.distances import gower_distances

    X = Table.of({"x": rows["x"][:80], "old": rows["old"][:80], "sex": rows["sex"][:80]})
    predicted, groups = decided(rows)[:80], sensitive_groups(rows["sex"][:80], 80)
    found = alike_rows(X, predicted, groups, sensitive=("sex",))
    d = np.array(gower_distances(X.drop("sex")))
    np.fill_diagonal(d, np.inf)
    other = groups.codes[:, None] != groups.codes
    for kind, inside in (("other", other), ("same", ~other)):
        nearest = np.where(inside, d, np.inf).argmin(axis=1)
        assert getattr(found, kind).value == pytest.approx((predicted[nearest] != predicted).mean())


def test_what_is_displayed(rows, tmp_path):
    found = audit(decided(rows), rows, target="y", sensitive=["sex", "old"])
    text = repr(found)
    assert "criteria violated" in text
    assert "selection rate" in text
    assert found.plot().get_title(loc="left") == "Largest difference between groups"
    assert len(found.verdicts_frame()) == len(found.verdicts)
    assert "<table" in found.save(tmp_path / "audit.html").read_text()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"sensitive": None}, "no sensitive column."),
        ({"sensitive": "y"}, "the target 'y' as a sensitive column."),
        ({"sensitive": []}, "no sensitive column."),
        ({"sensitive": ["a"] * 3}, "3 sensitive values for 600 rows."),
        ({"margin": 0}, "margin=0."),
        ({"scoring": "auc0"}, "no measure 'auc0'."),
    ],
)
def test_errors_say_what_is_expected(rows, change, text):
    with pytest.raises(DataError, match=text.replace(".", "\\.")):
        audit(decided(rows), rows, target="y", **({"sensitive": "sex"} | change))


def test_groups_of_single_rows_are_not_judged(rows):
    found = audit(decided(rows), rows, target="y", sensitive=[str(row) for row in range(600)])
    assert {each.state for each in found.verdicts} == {"not defined"}
    assert found["group"].alike is None
    assert "fewer than 10 rows are not compared" in repr(found)


def test_a_group_without_positives_is_named(rows):
    y = np.where(rows["sex"] == "f", "bad", rows["y"])
    found = audit(decided(rows), {**rows, "y": y}, target="y", sensitive="sex", pos_label="good")
    assert found.verdict("equal_opportunity").state == "not defined"
    assert "Too few rows by sex for equal opportunity and equalised odds: f." in found.notes
    assert found.verdict("demographic_parity").state == "violated"


def test_one_group_only_is_refused(rows):
    with pytest.raises(DataError, match="all 600 rows have sex = f"):
        audit(decided(rows), {**rows, "sex": ["f"] * 600}, target="y", sensitive="sex")


def test_a_model_without_probabilities_has_no_calibration(rows):
    task = Task(rows, target="y", sensitive="sex")
    found = audit(decided(rows), task)
    with pytest.raises(DataError, match="It needs probabilities: pass those, or a model"):
        found.verdict("calibration")
    assert audit(ZeroRClassifier().fit(task.X, task.y), task).verdict("demographic_parity").state == "holds"


def test_the_page_shows_the_audit(rows, tmp_path):
    found = audit(decided(rows), rows, target="y", sensitive=["sex", "old"], scoring="f1")
    page = found.save(tmp_path / "audit.html").read_text()
    assert found.sentence in page
    assert "<svg" in page
    assert "What data cannot show" in page
    assert all(f"<td>{label}</td>" in page for label in ("f", "m", "f · yes"))
    hostile = audit(
        decided(rows), {**rows, "sex": np.where(rows["sex"] == "f", "<b>f", "m")}, target="y", sensitive="sex"
    )
    assert "<b>f" not in hostile.save(tmp_path / "hostile.html").read_text()


def test_a_study_has_the_audit_in_its_report(rows, tmp_path):
    from probus.report import write

    study = probus.study({**rows, "z": np.arange(600) % 7}, target="y", sensitive="sex", models="linear", evaluations=0)
    assert study.audit.rows == 600
    assert study.audit.verdict("demographic_parity").column == "sex"
    assert "Are groups treated alike?" in write(study, tmp_path / "report.html").read_text()


def test_the_command_audits_a_saved_model(rows, tmp_path, capsys):
    from probus.cli import main

    task = Task({"x": rows["x"], "sex": rows["sex"], "y": rows["y"]}, target="y")
    probus.save(probus.tabular(LogisticRegression()).fit(task.X, task.y), tmp_path / "model.probus")
    lines = ["x,sex,y", *(f"{x},{s},{y}" for x, s, y in zip(rows["x"], rows["sex"], rows["y"], strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    arguments = [str(tmp_path / "model.probus"), str(tmp_path / "rows.csv"), "--target", "y", "--sensitive", "sex"]
    with pytest.raises(SystemExit) as ended:
        main(["audit", *arguments, "--html", str(tmp_path / "page.html")])
    assert ended.value.code in (0, None)
    assert "Demographic parity by sex is" in capsys.readouterr().out
    assert "Probus audit" in (tmp_path / "page.html").read_text()
    with pytest.raises(SystemExit) as ended:
        main(["audit", *arguments[:-1], "gender"])
    assert ended.value.code == 2
    assert "gender" in capsys.readouterr().err


def test_the_frontier_greys_what_is_dominated(rows):
    from probus.fairness import GroupThresholds, frontier

    models = {
        "plain": LogisticRegression(),
        "thresholds": GroupThresholds(LogisticRegression(), keep_sensitive=True, cv=3),
        "constant": ZeroRClassifier(),
    }
    found = frontier(models, rows, target="y", sensitive="sex", cv=3)
    by_name = {each.name: each for each in found.points}
    assert by_name["constant"].violation.value == 0
    assert by_name["thresholds"].violation.value < 0.5 * by_name["plain"].violation.value
    score = {name: each.score.value for name, each in by_name.items()}
    for each in found.points:
        beaten = any(
            score[o.name] >= score[each.name] and o.violation.value <= each.violation.value
            and (score[o.name] > score[each.name] or o.violation.value < each.violation.value)
            for o in found.points
        )  # fmt: skip
        assert each.dominated == beaten
    assert "No other model is better" in repr(found)
    assert len(found.to_frame()) == 3
    found.plot()
    with pytest.raises(DataError, match="criterion='x'"):
        frontier(models, rows, target="y", sensitive="sex", criterion="x")


def test_a_model_that_is_not_fitted_is_named():
    people = probus.datasets.titanic().select("Survived", "Sex", "Age")
    task = probus.Task(people, target="Survived", pos_label="yes", sensitive="Sex")
    with pytest.raises(DataError, match=r"(?s)a NaiveBayes that is not fitted.*audit its result"):
        audit(NaiveBayes(), task)
    assert "sex" in str(audit(probus.resample(NaiveBayes(), task, cv=2, random_state=0))).lower()
