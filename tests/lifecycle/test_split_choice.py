"""How a study splits its rows: what it chooses, what it says of it, and what it refuses."""

import json

import numpy as np
import pandas as pd
import pytest

import probus
from probus.cli._app import app
from probus.errors import DataError
from probus.lifecycle._study_options import checked_options
from probus.report import StudyReport, study_page
from probus.report._model_card import model_card
from probus.report._reproduction import command_line, python_code


def patients(n=30, each=6, effect=1.5, seed=0):
    """Visits of patients with an outcome of their own, of which two columns give them away."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(n), each)
    score = effect * rng.normal(size=n)[of] + 0.5 * (z := rng.normal(size=len(of)))
    table = {
        "patient": [f"P{i}" for i in of],
        "age": rng.normal(50, 10, n)[of],
        "z": z,
        "day": np.tile(np.arange(each), n) * 30 + rng.integers(0, 30, len(of)),
        "y": np.where(score + 0.3 * rng.logistic(size=len(of)) > 0, "yes", "no"),
    }
    return pd.DataFrame(table)


def study(data, **options):
    return probus.study(data, target="y", evaluations=0, models=["linear"], progress=None, **options)


@pytest.fixture(scope="module")
def automatic():
    return study(patients())


@pytest.mark.slow
def test_patients_are_kept_whole_by_default_and_random_folds_claim_more(automatic):
    assert (automatic.task.group, automatic.split.automatic) == ("patient", True)
    scores = automatic.split.scores
    assert scores.score == automatic.score
    assert scores.other_score.low > scores.score.value
    assert automatic.features == ("age", "z", "day")


@pytest.mark.slow
def test_what_random_folds_claim_is_what_a_study_with_them_reports(automatic):
    random = study(patients(), split="random")
    claimed = automatic.split.scores.other_score
    assert random.score.value == pytest.approx(claimed.value, abs=0.03)
    assert str(random.split.proposal) == "group:patient"
    assert random.split.scores.other_score.value == pytest.approx(automatic.score.value, abs=0.03)
    (alert,) = [each for each in random.alerts() if each.startswith("Folds are random")]
    assert "If predictions are for new patients: --split group:patient (split='group:patient')" in alert


@pytest.mark.slow
def test_terminal_report_card_and_dict_have_both_scores(automatic):
    report = StudyReport.of(automatic, time=0)
    claims = automatic.split.claims
    assert claims.startswith("Logistic regression, ROC AUC by random folds: ")
    for text in (str(automatic), study_page(report), model_card(report).replace("\\", "")):
        assert claims in text
    found = json.loads(json.dumps(automatic.to_dict()["split"]))
    assert (found["split"], found["automatic"], found["proposal"]) == ("group:patient", True, "group:patient")
    assert set(found["scores"]["scores"]) == {"random", "group:patient"}


@pytest.mark.slow
def test_families_are_kept_whole_where_patients_are_within_them_and_share_no_more():
    data = patients()
    family = data["patient"].str[1:].astype(int) // 2
    data = data.assign(family=[f"F{i}" for i in family], y=np.where(family * 7 % 5 < 2, "yes", "no"))
    result = study(data)
    assert (result.task.group, result.split.automatic) == ("family", True)
    within = study(data.assign(y=patients()["y"]))
    assert within.task.group == "patient"


@pytest.mark.slow
def test_groups_and_time_together_test_later_rows_of_new_groups():
    result = study(patients(), split="group:patient,time:day")
    who, when = np.asarray(result.task.groups), result.task.times
    for train, test in result.splits.pairs:
        assert when[train].max() < when[test].min()
        assert not set(who[train]) & set(who[test])
    assert "day" in result.features
    assert "later rows of new patients: " in str(result)


@pytest.mark.slow
def test_the_split_is_repeated_by_the_command_and_the_code(tmp_path):
    path = tmp_path / "visits.csv"
    patients(effect=0.0).to_csv(path, index=False)
    result = study(path, split="group:patient+age")
    assert "--split group:patient+age" in command_line(result)
    assert "split='group:patient+age'" in python_code(result)
    assert "--split" not in command_line(study(path))
    assert result.features == ("patient", "age", "z", "day")


@pytest.mark.slow
def test_exchangeable_rows_are_split_at_random_without_a_word():
    result = study(patients(effect=0.0))
    assert (result.task.group, result.split.scores, result.split.alert("y")) == (None, None, "")


@pytest.mark.slow
def test_a_log_in_order_of_its_dates_that_drifts_is_tested_on_later_rows():
    rng = np.random.default_rng(0)
    level = np.cumsum(rng.normal(size=200))
    rows = {"date": pd.date_range("2022-01-01", periods=200), "x": rng.normal(size=200)}
    data = pd.DataFrame({**rows, "y": level + rows["x"]})
    result = study(data)
    assert (str(result.split.words), result.split.automatic) == ("time:date", True)
    assert result.splits.forward
    assert "models are tested on later rows, by date" in result.alerts()[0]
    shuffled = study(data.sample(frac=1, random_state=0))
    assert (str(shuffled.split.words), str(shuffled.split.proposal)) == ("random", "time:date")
    assert "; later rows: " in shuffled.dated


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "groups:patient"}, r"split='groups:patient'\.\n  Expected 'auto', 'random', 'group:COLUMN'"),
        ({"split": "group:"}, r"split='group:'\.\n  Expected"),
        ({"split": "group:patient,group:age"}, r"split='group:patient,group:age'\.\n  Expected"),
        ({"split": 3}, r"split of type int\.\n  Expected"),
        ({"split": "group:nobody"}, r"no column 'nobody'"),
        ({"split": "group:patient,time:when"}, r"no column 'when'"),
        ({"split": "group:clinic"}, r"group 'clinic' is the same in all 180 rows\.\n  Expected two groups at least"),
        ({"split": "group:ward"}, r"3 groups for 5 folds\.\n  Expected at least as many groups as folds"),
        ({"split": "group:holes"}, r"group 'holes': 1 of 180 values is missing\.\n  Expected a value for every row"),
        ({"split": "time:gone"}, r"time 'gone': 1 of 180 values is missing\.\n  Expected a value for every row"),
        ({"split": "time:word"}, r"time 'word' is nominal\.\n  Expected dates, numbers or ordered levels"),
        ({"split": "time:ward_no"}, r"3 distinct times for 5 time-ordered splits\.\n  Expected more distinct times"),
        ({"split": "group:y"}, r"column 'y' is both target and group\.\n  Expected one role for each column"),
        ({"split": "time:y"}, r"column 'y' is both target and time\.\n  Expected one role for each column"),
        ({"order": "y"}, r"column 'y' is both target and time\.\n  Expected one role for each column"),
        ({"split": "group:age", "group": "patient"}, r"split='group:age' together with 'patient' as group or order"),
        ({"split": "random", "order": "day"}, r"split='random' together with 'day \(order\)' as group or order"),
        (
            {"split": "time:day", "cv": [([0, 1], [2, 3])]},
            r"split='time:day' together with cv\.\n  Expected one of them",
        ),
    ],
)
def test_splits_that_cannot_be_are_refused(options, message):
    data = patients().assign(
        clinic="c", ward=[f"w{i % 3}" for i in range(180)], ward_no=[i % 3 for i in range(180)],
        holes=[None, *(f"h{i % 9}" for i in range(179))], gone=[np.nan, *np.arange(179.0)],
        word=[f"{'abcdefgh'[i % 8]}x" for i in range(180)],
    )  # fmt: skip
    with pytest.raises(DataError, match=message):
        study(data, **options)


def test_an_archive_may_hold_no_other_split_than_text():
    with pytest.raises(DataError, match="its option split is"):
        checked_options(json.dumps({"X": "iris", "split": ["group"]}), "a.db")


@pytest.mark.slow
def test_the_command_line_takes_a_split(tmp_path):
    from typer.testing import CliRunner

    path = tmp_path / "visits.csv"
    patients().to_csv(path, index=False)
    given = ["study", str(path), "--target", "y", "--evaluations", "0", "--models", "linear", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, [*given, "--split", "time:day"])
    assert done.exit_code == 0
    assert "later rows: " in " ".join(done.output.split())
