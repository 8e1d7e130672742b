"""Metrics by group: the values and types of fairlearn, intervals that hold, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    mean_absolute_error,
    precision_score,
)

import probus.fairness as fairness
from probus import datasets
from probus.errors import DataError
from probus.fairness import MetricFrame, make_derived_metric, selection_rate


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(11)
    n = 300
    y = rng.integers(0, 2, n)
    predicted = (rng.random(n) < 0.3 + 0.3 * y).astype(int)
    group = rng.choice(list("abcd"), n, p=[0.5, 0.3, 0.18, 0.02])
    control, sex = rng.choice([1, 2], n), rng.choice(["f", "m"], n)
    return y, predicted, group, control, sex, rng.random(n) + 0.1


# fairlearn 0.15 on the rows of `case`, group d joined with a: function, with weights, without, to all rows
DERIVED = [
    ("accuracy_score_difference", 0.105163851, 0.050367647, 0.030784314),
    ("accuracy_score_group_min", 0.628791507, 0.64375, None),
    ("accuracy_score_ratio", 0.856716284, 0.927436441, 0.955649718),
    ("balanced_accuracy_score_group_min", 0.631800428, 0.64375, None),
    ("f1_score_group_min", 0.605512628, 0.612244898, None),
    ("false_negative_rate_difference", 0.18800109, 0.182234432, 0.119309262),
    ("false_negative_rate_ratio", 0.582545179, 0.607495069, 0.70273794),
    ("false_positive_rate_difference", 0.118775284, 0.140901771, 0.089324619),
    ("false_positive_rate_ratio", 0.588073658, 0.567901235, 0.674603175),
    ("mean_absolute_error_group_max", 0.371208493, 0.35625, None),
    ("mean_squared_error_group_max", 0.371208493, 0.35625, None),
    ("precision_score_group_min", 0.64880685, 0.651162791, None),
    ("r2_score_group_min", -0.486828566, -0.425, None),
    ("recall_score_group_min", 0.549649255, 0.535714286, None),
    ("selection_rate_difference", 0.08976663, 0.142245989, 0.07254902),
    ("selection_rate_ratio", 0.811711171, 0.718816068, 0.839160839),
    ("true_negative_rate_difference", 0.118775284, 0.140901771, 0.089324619),
    ("true_negative_rate_ratio", 0.856972072, 0.827075099, 0.890374332),
    ("true_positive_rate_difference", 0.18800109, 0.182234432, 0.119309262),
    ("true_positive_rate_ratio", 0.745135224, 0.746173469, 0.833819242),
    ("zero_one_loss_difference", 0.105163851, 0.050367647, 0.030784314),
    ("zero_one_loss_group_max", 0.371208493, 0.35625, None),
    ("zero_one_loss_ratio", 0.716698694, 0.858617131, 0.908561444),
]  # fmt: skip


@pytest.mark.parametrize(("name", "weighted", "plain", "to_all"), DERIVED)
def test_functions_have_the_values_of_fairlearn(case, name, weighted, plain, to_all):
    y, predicted, group, _, _, weight = case
    function, group = getattr(fairness, name), np.where(group == "d", "a", group)
    assert float(function(y, predicted, sensitive_features=group, sample_weight=weight)) == pytest.approx(weighted)
    assert float(function(y, predicted, sensitive_features=group)) == pytest.approx(plain)
    if to_all is not None:
        found = function(y, predicted, sensitive_features=group, method="to_overall")
        assert float(found) == pytest.approx(to_all)
        assert found.low <= found.value <= found.high


# fairlearn 0.15: index, values, type, names of the index
FRAMES = {
    "onec|overall": (["1", "2"], [0.630872483, 0.695364238], "Series", ["control_feature_0"]),
    "onec|by_group": (["1", "a", "1", "b", "1", "c", "1", "d", "2", "a", "2", "b", "2", "c", "2", "d"],
        [0.647887324, 0.636363636, 0.6, 0.5, 0.65060241, 0.756097561, 0.76, 0.5], "Series", ["control_feature_0",
        "sensitive_feature_0"]),
    "onec|diff|between_groups": (["1", "2"], [0.147887324, 0.26], "Series", ["control_feature_0"]),
    "onec|ratio|between_groups": (["1", "2"], [0.77173913, 0.657894737], "Series", ["control_feature_0"]),
    "onec|diff|to_overall": (["1", "2"], [0.130872483, 0.195364238], "Series", ["control_feature_0"]),
    "onec|ratio|to_overall": (["1", "2"], [0.792553191, 0.719047619], "Series", ["control_feature_0"]),
    "onec|min": (["1", "2"], [0.5, 0.5], "Series", ["control_feature_0"]),
    "onec|max": (["1", "2"], [0.647887324, 0.76], "Series", ["control_feature_0"]),
    "w|overall": (["acc", "sel"], [0.674703405, 0.431525108], "Series", ["None"]),
    "w|by_group": (["a", "b", "c", "d"], [0.642900094, 0.419123854, 0.72255789, 0.476749631, 0.733955358,
        0.386983001, 0.340683853, 0.495218399], "DataFrame", ["G"]),
    "w|diff|between_groups": (["acc", "sel"], [0.393271505, 0.108235398], "Series", ["None"]),
    "w|ratio|between_groups": (["acc", "sel"], [0.46417517, 0.781439061], "Series", ["None"]),
    "w|diff|to_overall": (["acc", "sel"], [0.334019551, 0.063693291], "Series", ["None"]),
    "w|ratio|to_overall": (["acc", "sel"], [0.50493869, 0.871383432], "Series", ["None"]),
    "w|min": (["acc", "sel"], [0.340683853, 0.386983001], "Series", ["None"]),
    "w|max": (["acc", "sel"], [0.733955358, 0.495218399], "Series", ["None"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["w", "onec"])
def test_frames_have_the_values_and_types_of_fairlearn(case, kind):
    y, predicted, group, control, _, weight = case
    if kind == "w":
        params = {"acc": {"sample_weight": weight}, "sel": {"sample_weight": weight}}
        frame = MetricFrame(
            metrics={"acc": accuracy_score, "sel": selection_rate}, y_true=y, y_pred=predicted,
            sensitive_features=pd.Series(group, name="G"), sample_params=params,
        )  # fmt: skip
    else:
        frame = MetricFrame(
            metrics=accuracy_score, y_true=y, y_pred=predicted, sensitive_features=group, control_features=control
        )
    found = {
        "overall": frame.overall, "by_group": frame.by_group, "diff|between_groups": frame.difference(),
        "ratio|between_groups": frame.ratio(), "diff|to_overall": frame.difference("to_overall"),
        "ratio|to_overall": frame.ratio("to_overall"), "min": frame.group_min(), "max": frame.group_max(),
    }  # fmt: skip
    for part, value in found.items():
        index, numbers, what, names = FRAMES[f"{kind}|{part}"]
        assert type(value).__name__ == what
        assert [str(each) for each in np.ravel(value.index.to_list())] == index
        assert [str(each) for each in value.index.names] == names
        assert np.ravel(value.to_numpy(dtype=float)) == pytest.approx(numbers)


# fairlearn 0.15 on the tables of `decisions`: function, columns (the first or all), method, value
REAL = [
    ("adult", "demographic_parity_difference", "one", "between_groups", 0.048733),
    ("adult", "demographic_parity_difference", "one", "to_overall", 0.032578),
    ("adult", "demographic_parity_difference", "all", "between_groups", 0.390276),
    ("adult", "demographic_parity_difference", "all", "to_overall", 0.195933),
    ("adult", "demographic_parity_ratio", "one", "between_groups", 0.813839),
    ("adult", "demographic_parity_ratio", "one", "to_overall", 0.867366),
    ("adult", "demographic_parity_ratio", "all", "between_groups", 0.116139),
    ("adult", "demographic_parity_ratio", "all", "to_overall", 0.208782),
    ("adult", "equal_opportunity_difference", "one", "between_groups", 0.046328),
    ("adult", "equal_opportunity_ratio", "one", "between_groups", 0.911848),
    ("adult", "equalized_odds_difference", "one", "between_groups", 0.046328),
    ("adult", "equalized_odds_ratio", "one", "between_groups", 0.911848),
    ("german", "demographic_parity_difference", "one", "between_groups", 0.076204),
    ("german", "demographic_parity_difference", "one", "to_overall", 0.052581),
    ("german", "demographic_parity_difference", "all", "between_groups", 0.265152),
    ("german", "demographic_parity_difference", "all", "to_overall", 0.23),
    ("german", "demographic_parity_ratio", "one", "between_groups", 0.90736),
    ("german", "demographic_parity_ratio", "one", "to_overall", 0.936078),
    ("german", "demographic_parity_ratio", "all", "between_groups", 0.734848),
    ("german", "demographic_parity_ratio", "all", "to_overall", 0.77),
    ("german", "equal_opportunity_difference", "one", "between_groups", 0.082035),
    ("german", "equal_opportunity_difference", "one", "to_overall", 0.058479),
    ("german", "equal_opportunity_difference", "all", "between_groups", 0.218684),
    ("german", "equal_opportunity_difference", "all", "to_overall", 0.182857),
    ("german", "equal_opportunity_ratio", "one", "between_groups", 0.906313),
    ("german", "equal_opportunity_ratio", "one", "to_overall", 0.933214),
    ("german", "equal_opportunity_ratio", "all", "between_groups", 0.781316),
    ("german", "equal_opportunity_ratio", "all", "to_overall", 0.817143),
    ("german", "equalized_odds_difference", "one", "between_groups", 0.101734),
    ("german", "equalized_odds_difference", "one", "to_overall", 0.064771),
    ("german", "equalized_odds_difference", "all", "between_groups", 0.5),
    ("german", "equalized_odds_difference", "all", "to_overall", 0.34),
    ("german", "equalized_odds_ratio", "one", "between_groups", 0.859633),
    ("german", "equalized_odds_ratio", "one", "to_overall", 0.910633),
    ("german", "equalized_odds_ratio", "all", "between_groups", 0.5),
    ("german", "equalized_odds_ratio", "all", "to_overall", 0.66),
]  # fmt: skip


def decisions(name):
    """Rules of thumb on two tables: who earns more by schooling, who repays by the duration."""
    rows = datasets.load(name)
    if name == "adult":
        y, hit, columns = (
            rows["class"].decoded() == ">50K",
            rows["education-num"].numbers_array() >= 13,
            ("sex", "race"),
        )
    else:
        y, hit, columns = (
            rows["risk"].decoded() == "good",
            rows["duration"].numbers_array() <= 24,
            ("sex", "foreign_worker"),
        )
    return y.astype(int), hit.astype(int), rows.select(*columns)


@pytest.mark.parametrize("name", ["adult", "german_credit"])
def test_real_tables_have_the_values_of_fairlearn(name):
    y, predicted, columns = decisions(name)
    one = columns[columns.names[0]]
    for table, function, which, method, value in REAL:
        if name.startswith(table):
            features = one if which == "one" else columns
            found = getattr(fairness, function)(y, predicted, sensitive_features=features, method=method)
            assert float(found) == pytest.approx(value, abs=1e-6), (function, which, method)


def test_a_group_without_positives_has_no_true_positive_rate():
    # fairlearn says 0, so that the difference is 1
    frame = MetricFrame(
        metrics=fairness.true_positive_rate, y_true=[0, 0, 1, 1, 0, 1], y_pred=[0, 0, 1, 1, 1, 1],
        sensitive_features=list("aabbcc"),
    )  # fmt: skip
    assert frame.by_group.isna().to_dict() == {"a": True, "b": False, "c": False}
    assert frame.difference() == 0


def test_intervals_of_rates_are_those_of_the_functions(case):
    y, predicted, group, _, _, weight = case
    frame = MetricFrame(
        metrics={"sel": selection_rate, "acc": accuracy_score, "f1": f1_score, "n": fairness.count}, y_true=y,
        y_pred=predicted, sensitive_features=group, sample_params={"acc": {"sample_weight": weight}},
    )  # fmt: skip
    found = frame.intervals()
    plain = fairness.demographic_parity_difference(y, predicted, sensitive_features=group)
    assert repr(found["sel"].difference) == repr(plain)
    weighted = fairness.accuracy_equality_ratio(y, predicted, sensitive_features=group, sample_weight=weight)
    assert repr(found["acc"].ratio) == repr(weighted)
    assert found["f1"].method == "as of f1"
    assert float(found["f1"].difference) == pytest.approx(frame.difference()["f1"])
    assert np.isnan(found["n"].difference)
    assert len(found.to_frame()) == 4 * 6
    assert "largest difference" in repr(frame)


def test_groups_are_compared_within_controls(case):
    y, predicted, group, control, sex, _ = case
    frame = MetricFrame(
        metrics={"sel": selection_rate}, y_true=y, y_pred=predicted, sensitive_features={"g": group, "s": sex},
        control_features={"c": control},
    )  # fmt: skip
    inside = frame.intervals()["sel", "2"]
    rows = (control == 2) & (group != "d")
    both = [f"{a} · {b}" for a, b in zip(group[rows], sex[rows], strict=True)]
    assert inside.labels[:6] == tuple(sorted(set(both)))
    assert float(inside.difference) == pytest.approx(frame.difference().loc[2, "sel"])


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "spreads"), [((60, 90, 150), (1.0, 1.0, 1.0)), ((80, 40), (1.0, 1.5))])
def test_intervals_of_any_function_hold(rows, spreads):
    rng, draws = np.random.default_rng(4), 100
    group, spread = np.repeat(np.arange(len(rows)), rows), np.repeat(spreads, rows)
    held = 0
    for _ in range(draws):
        predicted = rng.normal(size=len(group)) * spread
        frame = MetricFrame(
            metrics=lambda y, p: np.sqrt(p @ p / len(p)), y_true=predicted, y_pred=predicted, sensitive_features=group
        )
        found = frame.intervals()[0].difference
        held += found.low <= np.ptp(spreads) <= found.high
    assert held / draws >= 0.88  # in 400 draws 0.94


def test_drawn_rows_give_quantiles(case):
    y, predicted, group, control, _, _ = case
    frame = MetricFrame(
        metrics={"acc": accuracy_score, "sel": selection_rate}, y_true=y, y_pred=predicted,
        sensitive_features=np.where(group == "d", "a", group), control_features=control, n_boot=15,
        ci_quantiles=[0.1, 0.5, 0.9], random_state=0,
    )  # fmt: skip
    low, middle, high = frame.by_group_ci
    assert ((low <= middle) & (middle <= high)).all(axis=None)
    assert (middle - frame.by_group).abs().max(axis=None) < 0.12
    assert type(frame.overall_ci[0]).__name__ == "DataFrame"
    assert (frame.difference_ci()[0] <= frame.difference_ci()[2]).all(axis=None)
    assert (frame.ratio_ci("to_overall")[0] <= 1).all(axis=None)
    assert (frame.group_min_ci()[1] <= frame.group_max_ci()[1]).all(axis=None)


def test_metrics_that_are_no_numbers_are_kept_by_group_and_refused_in_comparisons(case):
    y, predicted, group, *_ = case
    frame = MetricFrame(
        metrics=lambda a, b: np.array([a.sum(), b.sum()]), y_true=y, y_pred=predicted, sensitive_features=group
    )
    assert frame.by_group["a"].tolist() == [y[group == "a"].sum(), predicted[group == "a"].sum()]
    assert np.isnan(frame.difference())
    with pytest.raises(DataError, match="has values that are no numbers"):
        frame.group_min()


def test_missing_values_are_a_group_and_numbers_may_be_predicted():
    frame = MetricFrame(
        metrics=mean_absolute_error, y_true=[1.0, 2.0, 3.0, 5.0], y_pred=[1.0, 3.0, 3.0, 3.0],
        sensitive_features=[None, "a", "a", None],
    )  # fmt: skip
    assert frame.by_group.to_dict() == {"a": 0.5, "missing": 1.0}


def test_derived_metrics_take_parameters(case):
    y, predicted, group, *_, weight = case
    derived = make_derived_metric(metric=fbeta_score, transform="group_min")
    plain = MetricFrame(
        metrics=lambda a, b, sample_weight: fbeta_score(a, b, beta=3, sample_weight=sample_weight), y_true=y,
        y_pred=predicted, sensitive_features=group, sample_params={"sample_weight": weight},
    )  # fmt: skip
    assert derived(y, predicted, sensitive_features=group, beta=3, sample_weight=weight) == plain.group_min()
    with pytest.raises(DataError, match="transform='mean'"):
        make_derived_metric(metric=fbeta_score, transform="mean")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"metrics": {}}, "no metrics."),
        ({"metrics": 3}, "the metric 3."),
        ({"metrics": "accuracyy"}, "no measure 'accuracyy'"),
        ({"y_true": [], "y_pred": []}, "0 rows."),
        ({"y_pred": [1]}, "y_true has 300 rows and y_pred has 1."),
        ({"sensitive_features": None}, "no sensitive_features."),
        ({"sensitive_features": ["a"]}, "has the shape (1,) and y_true has 300 rows."),
        ({"sensitive_features": {1: ["a"] * 300}}, "a column of sensitive_features named 1."),
        ({"control_features": {"sensitive_feature_0": ["a"] * 300}}, "the column 'sensitive_feature_0' twice."),
        ({"sample_params": [1]}, "sample_params=[1]."),
        ({"sample_params": {"beta": 2}}, "sample_params 'beta' of shape ()."),
        ({"metrics": {"a": accuracy_score}, "sample_params": {"b": {}}}, "sample_params of 'b'."),
        ({"n_boot": 3}, "n_boot=3, ci_quantiles=None."),
        ({"n_boot": 0, "ci_quantiles": [0.5]}, "n_boot=0."),
        ({"n_boot": 3, "ci_quantiles": [5]}, "ci_quantiles=[5]."),
    ],
)
def test_errors_say_what_is_expected(case, change, text):
    y, predicted, group, *_ = case
    arguments = {"metrics": accuracy_score, "y_true": y, "y_pred": predicted, "sensitive_features": group} | change
    with pytest.raises(DataError) as raised:
        MetricFrame(**arguments)
    assert text in str(raised.value)


def test_comparisons_are_refused_by_unknown_names(case):
    y, predicted, group, *_ = case
    frame = MetricFrame(metrics=precision_score, y_true=y, y_pred=predicted, sensitive_features=group)
    with pytest.raises(DataError, match="method='x'"):
        frame.difference(method="x")
    with pytest.raises(DataError, match="no rows drawn"):
        frame.overall_ci


@pytest.mark.parametrize("labels", [(1, 2), ("no", "yes")])
def test_a_group_with_one_label_has_the_positive_label_of_all_rows(labels):
    y, predicted = np.array(labels)[[[0] * 9 + [0, 1, 0, 1], [0] * 9 + [1, 1, 0, 1]]]
    group = ["a"] * 9 + ["b"] * 4
    frame = MetricFrame(
        metrics={"sel": selection_rate, "precision": "precision"}, y_true=y, y_pred=predicted, sensitive_features=group
    )
    assert frame.by_group["sel"].to_dict() == {"a": 0.0, "b": 0.75}
    assert np.isnan(frame.by_group["precision"]["a"])
    plain = fairness.demographic_parity_difference(y, predicted, sensitive_features=group)
    assert repr(frame.intervals()["sel"].difference) == repr(plain)
    assert fairness.make_derived_metric(metric=selection_rate, transform="group_min")(
        y, predicted, sensitive_features=group
    ) == 0.0  # fmt: skip


def test_missing_values_of_pandas_are_a_group():
    groups = pd.Series(["a", pd.NA, "b", "a"], dtype="string")
    frame = MetricFrame(metrics="accuracy", y_true=[1, 0, 1, 0], y_pred=[1, 0, 0, 0], sensitive_features=groups)
    assert frame.by_group.to_dict() == {"a": 1.0, "b": 0.0, "missing": 1.0}


def test_a_matrix_beside_a_number_is_nan_in_comparisons(case):
    y, predicted, group, *_ = case
    frame = MetricFrame(
        metrics={"cells": confusion_matrix, "accuracy": accuracy_score}, y_true=y, y_pred=predicted,
        sensitive_features=group, n_boot=2, ci_quantiles=[0.5],
    )  # fmt: skip
    for found in (frame.difference("to_overall"), frame.ratio("to_overall")):
        assert found.isna().to_dict() == {"cells": True, "accuracy": False}
    with pytest.raises(DataError, match="quantiles of values that are no numbers"):
        frame.by_group_ci
