import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

import probus
from probus.cli.study import _show
from probus.data import Column, Table, Task
from probus.data.examine import examine
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.lifecycle.families import families
from probus.lifecycle.ranking import simplest_equivalent
from probus.lifecycle.study_warnings import matter
from probus.naive_bayes import NaiveBayes
from probus.persistence import inspect
from probus.pipeline import tabular

pytestmark = pytest.mark.slow  # every test runs studies


def two_blobs(n=60, **columns):
    random = np.random.default_rng(0)
    labels = np.array(["no", "yes"])[np.arange(n) % 2]
    x = random.normal(size=n) + 3 * (labels == "yes")
    return {"x": x, "z": random.normal(size=n), **columns, "y": labels}


CHEAP = ("bayes", "tree")


def study(data=None, **options):
    options = {"target": "y", "cv": 3, "progress": None, "models": CHEAP, "evaluations": 0, **options}
    return probus.study(two_blobs() if data is None else data, **options)


@pytest.fixture(scope="module")
def blobs():
    return study(two_blobs(), cv=None, models=["bayes", "linear", "tree", "neighbors"])


class Breaks(ZeroRClassifier):
    """Cannot be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("it broke\nsecond line")


# -- the result ----------------------------------------------------------------------------------------


def test_the_best_model_beats_the_baseline_where_there_is_something_to_learn(blobs):
    baseline = blobs.leaderboard["Zero-R"]
    assert blobs.best != "Zero-R"
    assert not baseline.tied
    assert baseline.behind.low > 0.2
    assert blobs.score > 0.9
    assert blobs.leaderboard.best.scores["accuracy"] > 0.85


def test_noise_is_not_taken_for_knowledge():
    random = np.random.default_rng(0)
    data = {"x": random.normal(size=80), "y": np.array(["a", "b"])[random.integers(0, 2, 80)]}
    baseline = study(data, cv=None).leaderboard["Zero-R"]
    assert baseline.tied or baseline.rank == 1


def test_the_best_is_fitted_on_every_row_and_survives_a_file(blobs, tmp_path):
    table = Table.of(two_blobs(20))
    path = blobs.save(tmp_path / "m.probus")
    assert probus.load(path).predict(table).tolist() == blobs.model.predict(table).tolist()
    stored = inspect(path).metadata
    assert (stored["target"], stored["pos_label"], stored["scoring"]) == ("y", "yes", "roc_auc")


@pytest.mark.slow
def test_the_seed_decides_everything():
    data = two_blobs()

    def told(seed):
        lines = study(data, random_state=seed).leaderboard.to_dict()
        return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]

    assert told(0) == told(0)
    assert told(0) != told(1)


def test_one_new_test_set_scores_in_a_wider_interval_than_new_rows_on_average(blobs):
    new = blobs.score_on_new_rows()
    assert new.value == blobs.score.value
    assert new.low < blobs.score.low
    assert new.half_width > blobs.score_on_new_rows(10_000).half_width
    assert blobs.to_dict()["score_on_new_rows"] == new.to_dict()
    ends = f"{new.low:.3f} to {new.high:.3f}"
    assert f"ROC AUC of one test set of 60 new rows drawn alike: {ends} in 95 % of cases" in str(blobs)
    with pytest.raises(DataError, match=r"n=0\. *\n? *Expected a number of rows, 1 or more"):
        blobs.score_on_new_rows(0)


def test_confusion_counts_every_row_once(blobs):
    counts = blobs.confusion()
    assert counts.sum() == 60
    assert counts.sum(axis=1).tolist() == [30, 30]
    assert np.trace(counts) > 45


def test_the_headline_names_best_ties_and_baseline(blobs):
    told = blobs.headline()
    assert told.startswith(f"Best: {blobs.best} — ROC AUC 0.")
    assert all(standing.name in told for standing in blobs.leaderboard.tied)
    baseline = blobs.leaderboard["Zero-R"]
    score = blobs.leaderboard.printed("Zero-R", "roc_auc")
    assert f"Baseline Zero-R: {score}; the best is better by {baseline.behind} (p < 0.001)." in told


def test_a_bias_of_selection_that_changes_no_digit_is_not_noted(monkeypatch):
    for bias, noted in ((1e-6, False), (0.2, True)):
        monkeypatch.setattr("probus.lifecycle.conclusion.selection_bias", lambda *_, bias=bias: bias)
        notes = study().notes
        assert (
            any("was chosen by this score, which makes it look better by about 0.2" in note for note in notes) == noted
        )
        assert any("was chosen by this score" in note for note in notes) == noted


def test_it_shows_itself_as_text_html_frame_and_dict(blobs):
    assert repr(blobs).startswith("Study: classify y of table, 60 rows, 2 features\n  Best: ")
    assert "stratified 5-fold cross-validation, 3 times" in repr(blobs)
    assert "<table>" in blobs._repr_html_()
    assert blobs.to_frame().height == len(blobs.leaderboard)
    assert json.loads(json.dumps(blobs.to_dict()))["pos_label"] == "yes"


def test_the_scores_are_those_of_scikit_learn_on_the_same_splits(blobs):
    from sklearn.model_selection import cross_val_score

    model = families("classification")["Naive Bayes"]
    how = {"cv": list(blobs.splits.pairs), "scoring": "roc_auc"}
    scores = cross_val_score(model, blobs.task.X.to_pandas(), blobs.task.y, **how)
    assert blobs.results["Naive Bayes"].scores() == pytest.approx(scores)


# -- kinds of problems ---------------------------------------------------------------------------------


def test_numbers_are_predicted_with_errors_instead_of_accuracy():
    x = np.linspace(0, 1, 60)
    result = study({"x": x, "y": 10 * x + np.sin(50 * x) / 10}, models=["linear", "tree"], allow_leaks=True)
    assert [measure.name for measure in result.measures] == ["rmse", "mae", "r2"]
    assert result.leaderboard.best.scores["r2"] > 0.9
    assert result.best != "Zero-R"


def test_the_svm_of_numbers_does_not_depend_on_their_unit():
    x = np.random.default_rng(0).normal(size=60)
    scores = [
        study({"x": x, "z": x % 1, "y": unit * np.sin(2 * x)}, models=["svm"], cv=2)
        .leaderboard["SVM"]
        .scores["r2"]
        .value
        for unit in (1.0, 10_000.0)
    ]
    assert scores[0] > 0.5
    assert scores[1] == pytest.approx(scores[0], abs=0.01)


def test_numbers_have_an_elastic_net_and_classes_do_not():
    assert "Elastic net" in families("regression", ["linear"])
    assert "Elastic net" not in families("classification", ["linear"])


def test_groups_are_never_parted_and_are_no_feature():
    groups = np.repeat(np.arange(20), 3)
    result = study(two_blobs(patient=[f"p{g}" for g in groups]), group="patient")
    assert "patient" not in result.features
    assert result.splits.how == "stratified grouped 3-fold cross-validation"
    for train, test in result.splits.pairs:
        assert not set(groups[train]) & set(groups[test])


def test_columns_with_the_same_value_for_missing_ones_are_one_warning():
    n = 200
    columns = {name: np.where(np.arange(n) % 5 == i % 5, "?", "ab"[i % 2]) for i, name in enumerate("abcdefgh")}
    columns["k"] = np.where(np.arange(n) % 7 == 0, "unknown", "known")
    task = Task(two_blobs(n, **columns), "y")
    found = matter(examine(task.table, target="y"), task.features, "y")
    told = {each.column: each.evidence for each in found if each.title == "disguised-missing"}
    assert told == {
        None: "'?' may mean missing in 8 columns: a, b, c, d, e, f and 2 more.",
        "k": "'unknown' in 29 of 200 rows (14 %).",
    }


def test_the_positive_class_and_the_score_can_be_chosen():
    result = study(pos_label="no", scoring="log_loss")
    assert result.task.pos_label == "no"
    assert result.main.name == "log_loss"
    values = [float(standing.scores["log_loss"]) for standing in result.leaderboard]
    assert values == sorted(values)
    assert [measure.name for measure in result.measures] == ["log_loss", "roc_auc", "accuracy", "balanced_accuracy"]


def test_kinds_can_be_set():
    result = study(two_blobs(code=np.arange(60) % 3), kinds={"code": "nominal"})
    assert result.task.table["code"].kind == "nominal"


def test_a_task_is_taken_as_it_is():
    result = study(Task(two_blobs(), "y", pos_label="no"), target=None)
    assert result.task.pos_label == "no"


@pytest.mark.parametrize(
    ("labels", "positive", "why"),
    [
        (["yes", "no"], "yes", "by its name"),
        (["1", "0"], "1", "by its name"),
        (["1", "1", "2"], "2", "the rarer one"),
        (["good", "good", "bad"], "bad", "the rarer one"),
        (["a", "b"], "b", "the last of two equally frequent ones"),
    ],
)
def test_the_positive_class_is_the_one_that_is_likely_meant_and_is_said(labels, positive, why):
    from probus.lifecycle.study_task import Given

    rows = {"x": np.arange(12.0), "y": labels * (12 // len(labels))}
    task, _, notes = Given(rows, target="y").task()
    assert str(task.pos_label) == positive
    assert f"the positive class is {positive}, {why}; choose it by --positive (pos_label)" in notes
    assert Given(rows, target="y", pos_label=task.classes[0]).task()[0].pos_label == task.classes[0]


# -- what is left out, and said ------------------------------------------------------------------------


def test_identifiers_and_columns_that_say_nothing_are_left_out_with_the_reason():
    data = two_blobs(
        id=[f"A-{i:05d}" for i in range(60)],
        code=[f"code{i} only{i}" for i in range(60)],
        empty=[None] * 60,
    )
    result = study(Table.of(data).with_kinds(code="text"))
    assert result.features == ("x", "z")
    assert result.left_out == {
        "id": "identifies the rows",
        "code": "text without words that rows share",
        "empty": "all values are missing",
    }


def test_phrases_are_text_and_no_identifiers():
    data = two_blobs(remark=[f"visit {i}: all went well" for i in range(60)])
    assert "remark" in study(data).features


def test_text_and_dates_are_learnt_from():
    data = two_blobs(
        remark=[f"visit {i}: " + ("all went well" if i % 2 else "much to complain about") for i in range(60)],
        when=[f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(60)],
    )
    table = Table.of(data).with_kinds(remark="text").drop("x", "z")
    labels = np.where(np.arange(60) % 2, "yes", "no")
    result = study(table.with_columns(Column.labels("y", labels.tolist())), allow_leaks=True)
    assert result.left_out == {}
    assert result.leaderboard["Tree"].scores["accuracy"] > 0.95
    assert any(note.startswith("remark is used as 1 score and") for note in result.preparation)
    assert f"{result.best}: remark is used as 1 score and" in str(result)


def test_rows_without_a_label_are_dropped_and_counted():
    data = two_blobs()
    data["y"] = [None if i < 6 else label for i, label in enumerate(data["y"])]
    result = study(data)
    assert len(result.task) == 54
    assert "6 of 60 rows have no y and were dropped" in result.notes


def test_classes_smaller_than_the_folds_are_noted():
    data = two_blobs()
    data["y"] = np.array(["rare" if i < 2 else label for i, label in enumerate(data["y"])])
    assert any("class rare has 2 rows, fewer than the 3 folds" in note for note in study(data).notes)


def test_noise_does_not_beat_a_baseline_that_has_not_seen_every_class():
    random = np.random.default_rng(0)
    data = {"x": random.normal(size=120), "y": [f"class {c}" for c in random.integers(0, 40, 120)]}
    result = study(data)
    assert result.best == "Zero-R" or "no clear gain over it" in result.headline()


def test_a_target_that_identifies_rows_is_refused():
    data = {**two_blobs(120), "y": [f"person {i}" for i in range(120)]}
    with pytest.raises(DataError, match="target 'y' has a class of its own in each of the 120 rows, as an identifier"):
        study(data)


# -- when things go wrong ------------------------------------------------------------------------------


def test_a_model_that_fails_is_shown_with_its_error():
    result = study(models={"broken": Breaks()})
    assert result.best == "Zero-R"
    assert result.leaderboard["broken"].status == "failed on all 3 splits: RuntimeError: it broke"


def test_when_every_model_fails_the_errors_are_told():
    with pytest.raises(
        DataError, match="no model can be ranked: Zero-R failed on all 3 splits: RuntimeError: it broke"
    ):
        study(models={"Zero-R": Breaks()})


def test_an_interrupt_keeps_the_models_that_are_finished():
    def interrupt(done, total, name):
        if done == 2 and not name.startswith("fitting"):
            raise KeyboardInterrupt

    result = study(progress=interrupt)
    assert list(result.results) == ["Zero-R", "Naive Bayes"]
    assert result.leaderboard["Tree"].status == "not finished"
    assert "Not finished, and so not compared: Tree." in result.headline()
    assert "significantly worse" not in result.headline()
    assert result.stopped == "interrupted: 2 of 3 models are finished and ranked"
    assert result.stopped in repr(result)


def test_an_interrupt_before_any_model_is_finished_is_an_interrupt():
    def interrupt(done, total, name):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(progress=interrupt)


def test_an_interrupt_of_the_tuning_keeps_what_is_known():
    def interrupt(done, total, name):
        if name.startswith("tuning"):
            raise KeyboardInterrupt

    result = study(progress=interrupt, evaluations=2)
    assert list(result.results) == ["Zero-R", "Naive Bayes", "Tree"]
    assert result.stopped == "interrupted: 3 of 3 models are finished and ranked"


def test_progress_names_each_model_and_the_final_fit():
    steps = []
    study(progress=lambda *step: steps.append(step))
    done, totals, names = zip(*steps, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {3}
    assert dict.fromkeys(names) == dict.fromkeys(["Zero-R", "Naive Bayes", "Tree", names[-1]])
    assert names[-1].startswith("fitting")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": None}, r"no target\.\n  Expected the name of the column to predict"),
        ({"target": "Y"}, r"no column 'Y'\.\n  Expected one of 'x', 'z', 'y'\. Did you mean 'y'\?"),
        ({"scoring": "rmse"}, r"rmse needs values\.\n  Expected a measure of a classification"),
        ({"scoring": "acuracy"}, r"no measure 'acuracy'(?s:.)*Did you mean 'accuracy'"),
        ({"group": "nobody"}, "no column 'nobody' for the group"),
        ({"pos_label": "maybe"}, "no class 'maybe' in target 'y'"),
        ({"models": ["forrest"]}, r"no family of models 'forrest'(?s:.)*Did you mean 'forest'"),
        ({"models": []}, "no models"),
        ({"drop": "q"}, "no column 'q'"),
        ({"time": 0}, r"time=0\.\n  Expected a positive number of seconds"),
        ({"evaluations": -1}, r"evaluations=-1\.\n  Expected a number of configurations"),
        ({"data": "irsi"}, r"no file and no bundled data set 'irsi'\.\n.*Did you mean iris\?"),
        ({"data": "absent.csv"}, "absent.csv"),
    ],
)
def test_wrong_arguments_are_explained(options, message):
    with pytest.raises(DataError, match=message):
        study(**options)


def test_a_task_brings_its_own_roles_and_only_those_a_study_honours():
    with pytest.raises(DataError, match="a Task together with target"):
        study(Task(two_blobs(), "y"))
    with pytest.raises(DataError, match=r"a Task together with target, kinds, .* sensitive or order"):
        study(Task(two_blobs(t=np.arange(60.0)), "y", time="t"), target=None, order="t")


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(DataError, match=r"no column is left to learn from: 'id' \(identifies the rows\)"):
        study({"id": [f"A-{i:05d}" for i in range(60)], "y": ["a", "b"] * 30})


def test_infinite_values_are_refused_before_any_model_is_tried():
    table = {"x": [np.inf, 1.0, 2.0, 3.5] * 5, "y": ["a", "b"] * 10}
    with pytest.raises(DataError, match=r"column 'x' holds 5 infinite values(?s:.)*missing=\['inf', '-inf'\]"):
        study(table, target="y", progress=None)


# -- what is ranked, saved and recommended -----------------------------------------------------------------


def test_more_classes_are_ranked_by_log_loss():
    assert study("iris", target="species").main.name == "log_loss"


def test_a_baseline_is_not_saved_while_another_has_better_probabilities():
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    data = {"x": x, "y": np.where(random.uniform(size=400) < 0.1 / (1 + np.exp(-2 * x)), "yes", "no")}
    result = study(data, models=["bayes"], scoring="accuracy")
    assert result.leaderboard.best.name == "Zero-R"
    assert result.leaderboard["Naive Bayes"].scores["log_loss"] < result.leaderboard["Zero-R"].scores["log_loss"]
    assert result.best == "Naive Bayes"
    assert "Naive Bayes is saved: its probabilities are better than those of Zero-R." in result.headline()


def test_the_simplest_model_equivalent_to_the_best_is_recommended():
    verdicts = {
        "Zero-R": "equivalent",
        "bayes": "undecided",
        "logistic": "equivalent",
        "forest": "equivalent",
        "top": "",
    }

    class Board(dict):
        results, best = dict.fromkeys(verdicts), SimpleNamespace(name="top")

    board = Board({name: SimpleNamespace(verdict=verdict) for name, verdict in verdicts.items()})
    assert simplest_equivalent(board, "top", "Zero-R") == "logistic"
    board["logistic"] = board["forest"] = board["bayes"]
    assert simplest_equivalent(board, "top", "Zero-R") == "top"


def test_families_are_chosen_by_key_or_name():
    assert list(study(models=["Tree", "BAYES"]).results) == ["Zero-R", "Naive Bayes", "Tree"]


# -- what is printed above the score -------------------------------------------------------------------


def leaky():
    random = np.random.default_rng(0)
    labels = np.array(["no", "yes"])[np.arange(90) % 2]
    return {"x": random.normal(size=90), "settled": np.where(labels == "yes", "paid", "open"), "y": labels}


def test_a_certain_leak_stops_the_study_and_its_column_is_named():
    with pytest.raises(
        DataError,
        match=r"column 'settled' leaks the target: alone, it predicts 'y' in 100 %(?s:.)*--drop settled \(in Python "
        r"drop=\['settled'\]\)(?s:.)*--allow-leaks \(allow_leaks=True\)",
    ):
        study(leaky())


def test_a_leak_that_is_dropped_or_allowed_does_not_stop_it():
    dropped = study(leaky(), drop="settled")
    assert (dropped.features, dropped.left_out, dropped.warnings) == (("x",), {"settled": "dropped"}, ())
    allowed = study(leaky(), allow_leaks=True)
    assert [finding.title for finding in allowed.warnings] == ["leak"]
    for text in (str(allowed), allowed._repr_html_()):
        assert text.index("settled: alone, it predicts") < text.index("Best: ")


def test_duplicates_and_a_target_of_few_values_are_printed_above_the_score():
    random = np.random.default_rng(0)
    rows = {name: random.normal(size=60) for name in "abcd"} | {"y": random.integers(1, 5, 60).astype(float)}
    result = study({name: np.concatenate([values, values[:20]]) for name, values in rows.items()}, models=["linear"])
    assert [finding.title for finding in result.warnings] == ["duplicate-rows", "few-target-values"]
    assert str(result).index("20 of 80 rows (25 %) repeat an earlier row") < str(result).index("Best: ")


def test_columns_left_out_are_printed_above_the_score():
    text = str(study(two_blobs(unit=["kg"] * 60), drop=["z"]))
    assert "! Left out: z (dropped); unit (the same value in every row)" in text
    assert text.index("Left out") < text.index("Best: ")


def test_many_columns_left_out_for_one_reason_are_counted():
    result = study(two_blobs(**{f"c{i}": ["kg"] * 60 for i in range(15)}))
    assert result.unused.endswith("c11 and 3 more (the same value in every row).")


def test_classes_of_very_different_size_are_printed_above_the_score_without_advice_that_is_followed():
    labels = np.array(["no"] * 110 + ["yes"] * 10)
    text = str(study({"x": np.random.default_rng(0).normal(size=120) + (labels == "yes"), "y": labels}))
    assert "! y: no has 110 rows, yes 10; predicting always no has an accuracy of 92 %.\n" in text
    assert text.index("! y: ") < text.index("Best: ")
    assert text.index("balanced accuracy") < text.index(" accuracy  ")


def test_a_warning_names_what_can_be_done(capsys):
    random = np.random.default_rng(0)
    result = study({"x": random.normal(size=80), "y": random.integers(1, 5, 80).astype(float)}, models=["linear"])
    assert "→ If they are classes: table.with_kinds(y='ordinal'), or 'nominal'" in str(result)
    _show(result)
    assert "→ If they are classes: --kind y=ordinal, or 'nominal'" in " ".join(capsys.readouterr().out.split())


def test_features_that_are_all_constant_are_an_error():
    with pytest.raises(DataError, match=r"no column is left to learn from: 'u' \(the same value in every row\)"):
        study({"u": ["kg"] * 60, "y": ["a", "b"] * 30})


# -- weights and sensitive columns ---------------------------------------------------------------------


def test_weights_reach_fits_and_scores():
    weights = np.where(np.arange(60) < 30, 3.0, 1.0)
    result = study(two_blobs(w=weights), weight="w", models={"bayes": NaiveBayes()})
    assert "w" not in result.features
    scored = probus.resample(NaiveBayes(), Task(two_blobs(w=weights), "y", weight="w"), cv=result.splits)
    assert float(result.leaderboard["bayes"].scores["accuracy"]) == pytest.approx(float(scored.estimate("accuracy")))
    fitted = NaiveBayes().fit(result.task.X.select("x", "z"), result.task.y, sample_weight=weights)
    rows = result.task.X.take(range(5))
    predicted = result.model.estimator_.predict_proba(rows.select("x", "z"))
    assert predicted == pytest.approx(fitted.predict_proba(rows.select("x", "z")))


def test_weights_of_rows_are_those_of_a_column():
    data, weights = two_blobs(), np.arange(60) % 3 + 1.0
    features = {name: data[name] for name in ("x", "z")}
    how = {"models": ["bayes"], "cv": 3, "progress": None, "evaluations": 0}
    rows = probus.study(features, data["y"], sample_weight=weights, **how)
    assert float(rows.score) == float(study(two_blobs(w=weights), weight="w", models=["bayes"]).score)


def test_sensitive_columns_are_no_features():
    result = study(two_blobs(sex=["f", "m", "m"] * 20), sensitive="sex")
    assert result.left_out == {"sex": "sensitive"}
    assert result.task.sensitive == ("sex",)


def by_sex(**options):
    sex = np.where(np.arange(80) < 40, "f", "m")
    data = two_blobs(80, sex=sex, age=np.arange(80.0) % 30)
    data["x"] = np.where(sex == "m", np.random.default_rng(1).normal(size=80), data["x"])
    return study(data, models=["bayes"], sensitive=["sex", "age"], **options)


def test_scores_are_reported_for_each_group_of_a_sensitive_column():
    from sklearn.metrics import recall_score, roc_auc_score

    result = by_sex()
    outcome = result.results[result.best].pooled()
    groups = result.group_scores
    assert [each.name for each in groups][:2] == ["sex = f", "sex = m"]
    for group, rows in (("sex = f", slice(0, 40)), ("sex = m", slice(40, 80))):
        actual = outcome.actual[rows] == outcome.positive
        assert float(groups[group].scores["roc_auc"]) == pytest.approx(roc_auc_score(actual, outcome.scores[rows]))
        predicted = outcome.predicted[rows] == outcome.positive
        assert float(groups[group].scores["recall"]) == pytest.approx(recall_score(actual, predicted))
    assert groups["sex = f"].scores["roc_auc"].low > groups["sex = m"].scores["roc_auc"].high
    assert groups.apart()[0].startswith("ROC AUC differs by sex: 0.")
    assert sum(each.rows for each in groups if each.column == "age") == 80
    for text in (str(result), result._repr_html_(), json.dumps(result.to_dict())):
        assert "sex = m" in text or '"group": "m"' in text


@pytest.mark.parametrize(("width", "intervals"), [(70, 1), (120, 3)])
def test_the_table_of_groups_has_as_many_intervals_as_the_terminal_holds(width, intervals):
    from rich.console import Console

    from probus.cli.tables import group_table
    from probus.lifecycle.group_scores import GroupScore, GroupScores
    from probus.metrics import MEASURES, Estimate

    measures = [MEASURES[name] for name in ("roc_auc", "recall", "specificity")]
    scores = {each.name: Estimate(0.8125, 0.7125, 0.9125) for each in measures}
    groups = GroupScores([GroupScore("status_and_sex", level, 40, scores) for level in ("f", "m")], measures)
    screen = Console(width=width, record=True, file=io.StringIO())
    screen.print(group_table(groups, screen))
    lines = screen.export_text().splitlines()
    assert sum(line.strip() == "status_and_sex" for line in lines) == 1
    (line,) = [line for line in lines if line.strip().startswith("f ")]
    assert line.count("[") == intervals


def test_sensitive_columns_may_be_kept_as_features():
    result = by_sex(keep_sensitive=True)
    assert (result.features, result.left_out) == (("x", "z", "sex", "age"), {})
    assert result.settings["keep_sensitive"]


def test_small_groups_have_no_scores():
    result = study(two_blobs(sex=["d"] * 4 + ["f", "m"] * 28), models=["bayes"], sensitive="sex")
    assert np.isnan(result.group_scores["sex = d"].scores["roc_auc"].value)
    assert "sex = d     4  –" in str(result)


@pytest.mark.parametrize("width", [62, 80, 100, 160])
def test_the_table_of_a_terminal_cuts_no_word(blobs, width):
    from rich.console import Console

    from probus.cli.tables import leaderboard_table

    screen = Console(width=width, record=True, file=io.StringIO())
    screen.print(leaderboard_table(blobs, screen))
    text = screen.export_text()
    assert "…" not in text
    assert all(standing.name in text and standing.verdict in text for standing in blobs.leaderboard)
    assert ("log" in text) == (width >= 80)


def test_models_that_fail_alike_are_one_line(capsys):
    _show(study(models={"first": Breaks(), "second": Breaks(), "bayes": NaiveBayes()}))
    out = capsys.readouterr().out
    assert "first and second failed on all 3 splits: RuntimeError: it broke" in out
    assert [line.split()[-1] for line in out.splitlines() if line.startswith("–")] == ["failed", "failed"]


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_linear_families_do_not_extrapolate_beyond_the_training_rows(kind):
    random = np.random.default_rng(0)
    X = {"a": random.normal(size=60), "b": random.normal(size=60)}
    y = 2 * X["a"] + X["b"]
    model = families(kind, ["linear"])["Ridge regression" if kind == "regression" else "Logistic regression"]
    plain = tabular(model.steps[-1][1])
    target = y if kind == "regression" else np.where(y > 0, "yes", "no")
    predict = "predict" if kind == "regression" else "decision_function"
    within, everywhere = (getattr(each.fit(X, target), predict) for each in (model, plain))
    np.testing.assert_allclose(within(X), everywhere(X), rtol=1e-9)
    edge, far = ({"a": np.array([value]), "b": np.array([0.0])} for value in (X["a"].max(), 1e6))
    assert within(far) == pytest.approx(within(edge))
