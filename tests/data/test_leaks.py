"""Leaks by two columns together and by groups, rows that nearly repeat, and what is left alone."""

import numpy as np
import pytest

from probus import datasets
from probus.data._examine import examine
from probus.data._table import Table
from probus.data.findings._leak_shares import line_r2
from probus.data.findings._pair_leaks import _screen

RNG = np.random.default_rng(3)
N = 400
LEAKS = ("PB303", "PB407", "PB408", "PB409")


def columns():
    return {
        "cost": RNG.gamma(3, 2, N),
        "price": RNG.gamma(3, 2, N),
        "other": RNG.normal(size=N),
        "asked": RNG.choice(list("abcdef"), N),
        "answered": RNG.choice(list("abcdef"), N),
    }


def leaks(table, target="y", **how):
    return [f for f in examine(table, target, **how) if f.code in LEAKS]


@pytest.mark.parametrize(
    ("formula", "sign"),
    [(np.subtract, "−"), (np.divide, "/"), (np.add, "+"), (np.multiply, "·")],
    ids=["difference", "ratio", "sum", "product"],
)
def test_a_number_computed_from_two_columns_is_a_certain_leak(formula, sign):
    table = columns()
    (found,) = leaks({**table, "y": 3 - 2 * formula(table["cost"], table["price"])})
    assert (found.code, found.column, found.severity) == ("PB408", "cost", "error")
    assert found.evidence == f"'y' follows from 'cost' {sign} 'price' by a straight line."
    assert found.suggestion == "If they are known only after 'y': table.drop('cost', 'price')"


def test_classes_decided_by_the_larger_of_two_numbers_or_equal_levels_are_a_certain_leak():
    table = columns()
    (larger,) = leaks({**table, "y": np.where(table["cost"] > table["price"], "loss", "gain")})
    assert (larger.code, larger.severity) == ("PB408", "error")
    assert larger.evidence.startswith("'cost' compared with 'price' predicts 'y' in 100 % of the rows")
    (equal,) = leaks({**table, "y": np.where(table["asked"] == table["answered"], "right", "wrong")})
    assert (equal.code, equal.severity) == ("PB408", "error")
    assert equal.evidence.startswith("'asked' = 'answered' predicts")


def test_a_pair_of_levels_that_decides_the_class_is_a_suspicion():
    table = columns()
    both = (table["asked"] < "d") ^ (table["answered"] < "d")
    (found,) = leaks({**table, "y": np.where(both, "yes", "no")})
    assert (found.code, found.severity) == ("PB408", "warning")
    assert found.evidence.startswith("levels of 'asked' and 'answered' together predict 'y' in ")


def test_two_binary_columns_that_decide_the_class_are_a_suspicion():
    rng = np.random.default_rng(1)
    a, b = rng.choice(["no", "yes"], (2, N))
    (found,) = leaks({"a": a, "b": b, "x": rng.normal(size=N), "y": np.where(a == b, "up", "down")})
    assert (found.code, found.severity) == ("PB408", "warning")


def test_a_number_within_levels_that_decides_the_class_is_a_suspicion():
    rng = np.random.default_rng(0)
    unit, value = rng.choice(["g", "kg"], 4000), rng.normal(size=4000)
    table = {"unit": unit, "value": value, "x": rng.normal(size=4000)}
    (found,) = leaks({**table, "y": np.where((value > 0) ^ (unit == "g"), "yes", "no")})
    assert (found.code, found.severity) == ("PB408", "warning")
    assert "'value' within the levels of 'unit'" in found.evidence


def test_a_column_that_leaks_alone_is_not_reported_with_others():
    table = columns()
    (found,) = leaks({**table, "copy": table["cost"] * 2, "y": table["cost"] + 1e-6 * table["other"]})[:1]
    assert found.code == "PB407"
    assert not [f for f in leaks({**table, "y": table["cost"] + 1e-6 * table["other"]}) if f.code == "PB408"]


def test_columns_that_predict_well_but_not_perfectly_are_not_leaks():
    table = columns()
    noisy = table["cost"] - table["price"] + RNG.normal(0, 1.5, N)
    assert leaks({**table, "y": noisy}) == []
    assert leaks({**table, "y": np.where(noisy > 0, "a", "b")}) == []


@pytest.mark.parametrize("name", datasets.names())
def test_bundled_data_sets_have_no_leak_of_two_columns_and_no_near_duplicates(name):
    table = datasets.load(name)
    rows = np.random.default_rng(0).permutation(table.n_rows)[:2000]
    target = {"titanic": "Survived", "mtcars": "mpg", "airquality": "ozone"}.get(name, table.names[-1])
    found = [f.code for f in leaks(table.take(rows), target) if f.code != "PB407" and f.severity != "note"]
    assert found == (["PB303"] if name == "spam" else [])  # the same mail, sent to several people


def test_noise_gives_no_alarm():
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table = {f"n{j}": rng.lognormal(size=120) for j in range(6)}
        table |= {f"l{j}": rng.choice(list("abcd"), 120) for j in range(4)}
        y = [rng.normal(size=120), rng.choice(["a", "b"], 120), np.where(rng.random(120) < 0.1, "x", "z")][seed % 3]
        alarms += bool(leaks({**table, "y": y}))
    assert alarms == 0


def test_screening_finds_what_runs_of_five_explain():
    y = Table.of({"y": RNG.normal(size=100)})["y"]
    shares = _screen(y, np.arange(100))(np.stack([y.values, RNG.normal(size=100)], axis=1))
    assert shares[0] > 0.99
    assert shares[1] < 0.5


# -- one or two columns, by cuts and lines ---------------------------------------------------------------


@pytest.mark.parametrize("n", [60, 150, 400])
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_classes_that_are_a_cut_of_a_number_are_found(n, share):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 2] > np.quantile(X[:, 2], 1 - share), "high", "low")
    (found,) = leaks({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    assert (found.code, found.column) == ("PB407", "x2")
    assert found.severity == "error" or n * share < 20


def test_three_classes_cut_from_a_number_are_found_with_the_cuts():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    (found,) = leaks({"x": x, "z": rng.normal(size=200), "y": np.array(list("abc"))[np.digitize(x, [-0.5, 0.5])]})
    assert found.evidence.startswith("alone, it separates the classes of 'y' exactly, at -0.5")


def test_a_few_rows_of_a_class_may_be_separated_by_chance():
    y = np.array(["rare"] * 3 + ["common"] * 57)
    assert leaks({"x": np.arange(60) + 0.5 * RNG.random(60), "z": RNG.normal(size=60), "y": y}) == []


@pytest.mark.parametrize("n", [60, 150, 400])
def test_the_mean_of_two_columns_with_a_little_noise_is_found(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4))
    y = X[:, 1] / 2 + X[:, 3] / 2 + 0.021 * rng.normal(size=n)
    (found,) = leaks({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    assert (found.code, found.column, found.severity) == ("PB408", "x1", "error")
    assert "'x3' explains 99.9" in found.evidence


def test_a_weighted_sum_of_two_columns_is_found_for_numbers_and_classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    key = X[:, 0] + 2 * X[:, 1]
    for y, severity in ((key + 0.05 * rng.normal(size=300), "error"), (np.where(key > 0.3, "a", "b"), "warning")):
        (found,) = leaks({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
        assert (found.code, found.severity) == ("PB408", severity)
        assert found.evidence.startswith("a weighted sum of 'x0' and 'x1' ")


def test_the_held_out_r2_of_a_line_is_that_of_leaving_one_out():
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import LeaveOneOut, cross_val_predict

    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    y += X[:, 0]
    predicted = cross_val_predict(LinearRegression(), X, y, cv=LeaveOneOut())
    assert line_r2(X, y) == pytest.approx(1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize(
    ("form", "place"),
    [
        ("train/{}/{:05d}.png", "part 2 of each value, as in 'train/cat/"),
        ("{}_{}", "part 1 of each value, as in 'cat_"),
        ("img{1}-{0}", "part 3 of each value, as in 'img"),
    ],
)
def test_paths_and_names_whose_parts_give_the_class_away_are_found(form, place):
    rng = np.random.default_rng(3)
    y = rng.choice(["cat", "dog"], 200)
    files = [form.format(label, i) for label, i in zip(y, rng.permutation(200), strict=True)]
    (found,) = leaks({"file": files, "x": rng.normal(size=200), "y": y})
    assert (found.code, found.column, found.severity) == ("PB407", "file", "error")
    assert place in found.evidence
    assert "predicts 'y' in 100 % of the rows" in found.evidence


def test_paths_and_names_that_do_not_know_the_class_are_not_reported():
    rng = np.random.default_rng(4)
    files = [f"{rng.choice(['train', 'test'])}/{i:05d}-{rng.integers(5)}.png" for i in range(200)]
    assert leaks({"file": files, "x": rng.normal(size=200), "y": rng.choice(["cat", "dog"], 200)}) == []


# -- groups --------------------------------------------------------------------------------------------


def patients():
    who = RNG.integers(0, 60, N)
    return {
        "patient": [f"p{i}" for i in who],
        "weight": RNG.normal(70, 9, 60)[who],
        "height": RNG.normal(170, 9, 60)[who],
        "visit": RNG.normal(size=N),
        "y": np.where(RNG.random(60) < 0.4, "ill", "well")[who],
    }


def test_rows_of_one_group_that_share_the_target_are_reported_once():
    (found,) = leaks(patients())
    assert (found.code, found.column, found.severity) == ("PB409", "patient", "error")
    assert "within a group 'y' hardly varies" in found.evidence
    assert found.evidence.endswith("'weight', 'height' hardly vary either.")
    assert found.suggestion == "Task(…, group='patient'), or --groups patient"


def test_a_group_that_is_kept_together_is_not_reported():
    assert leaks(patients(), group="patient") == []


def test_a_leak_at_the_level_of_groups_is_still_a_leak():
    table = patients()
    table["therapy"] = np.where(table["y"] == "ill", "drug", "none")
    assert ("PB407", "therapy", "error") in [(f.code, f.column, f.severity) for f in leaks(table)]


def test_groups_whose_target_varies_are_not_reported():
    table = patients()
    assert leaks({**table, "y": RNG.choice(["ill", "well"], N)}) == []


# -- rows ----------------------------------------------------------------------------------------------


def test_rows_that_nearly_repeat_are_found_and_close_rows_are_not():
    X = RNG.normal(size=(N, 4))
    plain = {f"x{j}": X[:, j] for j in range(4)}
    assert leaks({**plain, "y": RNG.normal(size=N)}) == []
    X[300:] = X[:100] * (1 + 1e-7)
    (found,) = leaks({**{f"x{j}": X[:, j] for j in range(4)}, "y": RNG.normal(size=N)})
    assert (found.code, found.column, found.severity) == ("PB303", None, "warning")
    assert 200 <= int(found.evidence.partition(" of 400 rows (50 %) nearly repeat another row")[0]) <= 202


def test_equal_features_with_different_numbers_limit_r2():
    x = np.repeat(RNG.normal(size=200), 2)
    y = x + np.tile([0.0, 1.0], 200)
    (found,) = examine({"x": x, "y": y}, "y").of("PB406")
    ceiling = 1 - 0.25 / y.var()
    assert found.evidence.startswith("400 rows have the same features as a row with another target")
    assert f"{100 * ceiling:.0f} %" in found.evidence
    assert found.severity == "warning"


def test_columns_of_duplicate_rows_are_no_leak():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 60, 1_200)
    table = {name: rng.normal(size=60)[rows] for name in "abc"}
    label = np.where(rng.normal(size=60) > 0, "yes", "no")[rows]
    assert [f.code for f in examine({**table, "y": label}, "y") if f.code in (*LEAKS, "PB301")] == ["PB301"]
    known = {**table, "copy": np.where(label == "yes", 1.5, 2.5), "y": label}
    assert [f.column for f in examine(known, "y") if f.code == "PB407"] == ["copy"]


def test_a_cut_with_some_labels_changed_is_a_note_and_a_soft_threshold_is_none():
    rng = np.random.default_rng(5)
    x = rng.lognormal(3, 1, 2_000)
    above = x > np.quantile(x, 0.9)
    for flips in (0.006, 0.01, 0.03):
        (found,) = leaks({"x": x, "z": rng.normal(size=2_000), "y": above ^ (rng.random(2_000) < flips)})
        assert (found.code, found.column, found.severity) == ("PB407", "x", "note")
        assert found.evidence.startswith("alone, a cut at ")
        assert found.suggestion == "If 'y' was made of it, with some errors: table.drop('x')"
    soft = rng.random(2_000) < 1 / (1 + np.exp(-10 * (np.log(x) - 4.3)))
    assert leaks({"x": x, "z": rng.normal(size=2_000), "y": soft}) == []
