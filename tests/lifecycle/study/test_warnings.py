"""Warnings, which are printed above the score."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from probus.errors import DataError

pytestmark = pytest.mark.slow  # every test runs studies


def leaky():
    random = np.random.default_rng(0)
    labels = np.array(["no", "yes"])[np.arange(90) % 2]
    return {"x": random.normal(size=90), "settled": np.where(labels == "yes", "paid", "open"), "y": labels}


def test_a_certain_leak_stops_the_study_and_its_column_is_named(study):
    with pytest.raises(
        DataError,
        match=r"column 'settled' leaks the target: alone, it predicts 'y' in 100 %(?s:.)*--drop settled \(in Python "
        r"drop=\['settled'\]\)(?s:.)*--allow-leaks \(allow_leaks=True\)",
    ):
        study(leaky())


def test_a_leak_that_is_dropped_or_allowed_does_not_stop_it(study):
    dropped = study(leaky(), drop="settled")
    assert (dropped.features, dropped.left_out, dropped.warnings) == (("x",), {"settled": "dropped"}, ())
    allowed = study(leaky(), allow_leaks=True)
    assert [finding.title for finding in allowed.warnings] == ["leak"]
    for text in (str(allowed), allowed._repr_html_()):
        assert text.index("settled: alone, it predicts") < text.index("Best: ")


def test_duplicates_and_a_target_of_few_values_are_printed_above_the_score(study):
    random = np.random.default_rng(0)
    rows = {name: random.normal(size=60) for name in "abcd"} | {"y": random.integers(1, 5, 60).astype(float)}
    result = study({name: np.concatenate([values, values[:20]]) for name, values in rows.items()}, models=["linear"])
    assert [finding.title for finding in result.warnings] == ["duplicate-rows", "few-target-values"]
    assert str(result).index("20 of 80 rows (25 %) repeat an earlier row") < str(result).index("Best: ")


def test_columns_left_out_are_printed_above_the_score(study, two_blobs):
    text = str(study(two_blobs(unit=["kg"] * 60), drop=["z"]))
    assert "! Left out: z (dropped); unit (the same value in every row)" in text
    assert text.index("Left out") < text.index("Best: ")


def test_many_columns_left_out_for_one_reason_are_counted(study, two_blobs):
    result = study(two_blobs(**{f"c{i}": ["kg"] * 60 for i in range(15)}))
    assert result.unused.endswith("c11 and 3 more (the same value in every row).")


def test_classes_of_very_different_size_are_printed_above_the_score_without_advice_that_is_followed(study):
    labels = np.array(["no"] * 110 + ["yes"] * 10)
    text = str(study({"x": np.random.default_rng(0).normal(size=120) + (labels == "yes"), "y": labels}))
    assert "! y: no has 110 rows, yes has 10; predicting always no has an accuracy of 92 %.\n" in text
    assert text.index("! y: ") < text.index("Best: ")
    assert text.index("balanced accuracy") < text.index(" accuracy  ")


def test_a_warning_names_what_can_be_done(study):
    random = np.random.default_rng(0)
    result = study({"x": random.normal(size=80), "y": random.integers(1, 5, 80).astype(float)}, models=["linear"])
    assert "→ If they are classes: table.with_kinds(y='ordinal'), or 'nominal'" in str(result)


def test_features_that_are_all_constant_are_an_error(study):
    with pytest.raises(DataError, match=r"no column is left to learn from: 'u' \(the same value in every row\)"):
        study({"u": ["kg"] * 60, "y": ["a", "b"] * 30})


def subjects():
    random = np.random.default_rng(0)
    of = np.repeat(np.arange(24), 6)
    X = random.normal(size=(144, 4)) + 2.5 * random.normal(size=(24, 4))[of]
    label = np.where(random.random(24) < 0.5, "ill", "well")[of]
    return {"subject": of, **{f"x{j}": X[:, j] for j in range(4)}, "y": label}


@pytest.mark.parametrize("how", [{}, {"drop": "subject"}])
def test_subjects_with_one_class_each_are_kept_whole_and_the_study_says_so_above_the_score(study, how):
    result = study(subjects(), models=["neighbors"], **how)
    assert result.task.group == "subject"
    assert result.left_out["subject"] == ("dropped" if how else "its groups are kept whole")
    assert (result.split.automatic, str(result.split.words)) == (True, "group:subject")
    text = str(result)
    assert "! Folds are not random: the groups of subject are kept whole" in text
    assert "ROC AUC by random folds: " in text
    assert text.index("; new subjects: ") < text.index("Best: ")
    assert result.split.scores.other_score.low > result.split.scores.score.value


def test_subjects_with_one_class_each_stop_a_study_that_has_splits_of_its_own(study):
    with pytest.raises(
        DataError,
        match=r"column 'subject' names groups of rows that share the target: 24 groups of 6\.0 rows(?s:.)*Declare it: "
        r"--groups subject \(in Python group='subject'\)\. To drop it is no cure: other columns may "
        r"give the group away\.",
    ):
        study(subjects(), cv=KFold(3))


def test_subjects_that_are_declared_give_an_honest_score(study):
    result = study(subjects(), groups="subject", models=["neighbors"])
    assert result.task.group == "subject"
    assert result.results["Nearest neighbours"].estimate("roc_auc").low < 0.5


def test_groups_are_warned_of_above_the_score_though_their_column_is_dropped(study):
    table = subjects()
    random = np.random.default_rng(1)
    table["y"] = np.where(random.random(144) < 0.2, random.permutation(table["y"]), table["y"])
    result = study(table, drop="subject", models=["linear"], split="random")
    assert [each.title for each in result.warnings] == ["group-leak"]
    assert str(result).index("subject: 24 groups of 6.0 rows on average: rows of one group share 'y'") < str(
        result
    ).index("Best: ")
    assert str(result).count("--groups subject") == 1


def test_copies_are_in_one_fold_and_the_study_says_so(study):
    random = np.random.default_rng(0)
    X, coin = random.normal(size=(60, 4)), random.choice(["a", "b"], 60)
    rows = np.append(np.arange(60), np.arange(60))
    jittered = X[rows] + 0.01 * random.normal(size=(120, 4))
    result = study({**{f"x{j}": jittered[:, j] for j in range(4)}, "y": coin[rows]}, models=["neighbors"])
    assert "rows that nearly repeat each other (120) in one fold" in result.splits.how
    assert result.results["Nearest neighbours"].estimate("roc_auc").low < 0.5
