"""Columns that name groups of rows (patients, sites, …) which share the target, and columns that do not."""

import numpy as np
import pytest

import probus
from probus.data import Column, Table
from probus.data._examine import examine
from probus.data.findings._target_sharing import sharing_of


def grouped(seed, groups, size, effect, *, name="patient", form="P{}", target="classes", alike=0.0):
    """Rows of groups with an effect on the target, beside that of a number; with ``alike``, of similar numbers."""
    rng = np.random.default_rng(seed)
    of = rng.permutation(np.repeat(np.arange(groups), size))
    X = rng.normal(size=(len(of), 3)) + alike * rng.normal(size=(groups, 3))[of]
    y = 0.7 * X[:, 0] + effect * rng.normal(size=groups)[of] + rng.normal(size=len(of))
    if target != "numbers":
        y = np.where(y > np.quantile(y, 0.5 if target == "classes" else 0.9), "yes", "no")
    names = of if form is None else np.array([form.format(i) for i in range(groups)])[of]
    return {name: names, **{f"x{j}": X[:, j] for j in range(3)}, "y": y}


def group_findings(table, target="y"):
    return [each for each in examine(table, target).of("PB409") if each.severity != "note"]


SETTINGS = {
    "patients": {"groups": 40, "size": 10, "effect": 1.2},
    "numbered patients": {"groups": 60, "size": 6, "effect": 1.2, "name": "patient_id", "form": None},
    "pairs": {"groups": 150, "size": 2, "effect": 1.5, "name": "pair", "form": None},
    "five sites": {"groups": 5, "size": 100, "effect": 1.0, "name": "site", "target": "numbers"},
    "many small groups": {"groups": 200, "size": 5, "effect": 1.0, "name": "household", "target": "numbers"},
    "a rare class": {"groups": 100, "size": 20, "effect": 1.0, "name": "machine", "target": "rare"},
    "large groups": {"groups": 20, "size": 100, "effect": 0.6, "name": "station", "target": "numbers"},
    "numbers without a name": {"groups": 30, "size": 12, "effect": 1.2, "name": "k", "form": None},
    "hexadecimal codes": {"groups": 40, "size": 8, "effect": 1.2, "name": "h", "form": "9f{:04d}a"},
    "labels without a name": {"groups": 25, "size": 12, "effect": 1.2, "name": "g", "form": "a-{}"},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_groups_with_an_effect_on_the_target_are_a_warning_that_says_how_to_declare_them(setting):
    table = grouped(1, **SETTINGS[setting])
    name = next(iter(table))
    (found,) = group_findings(table)
    assert (found.column, found.severity) == (name, "warning")
    assert "rows of one group share 'y' (intraclass correlation 0." in found.evidence
    assert found.suggestion == f"Task(…, group={name!r}), or --groups {name}"


def test_names_of_groups_that_other_columns_recognise_are_a_warning():
    people = ["".join(np.random.default_rng(i).choice(list("aeilmnorstu"), 6)).title() for i in range(30)]
    table = grouped(0, 30, 12, 1.5, name="wer", alike=3.0)
    table["wer"] = [people[int(level[1:])] for level in table["wer"]]
    assert [each.column for each in group_findings(table)] == ["wer"]


@pytest.mark.parametrize("name", ["city", "colour", "brand", "occupation"])
def test_levels_of_a_kind_that_predict_the_target_are_no_groups(name):
    levels = ["".join(np.random.default_rng(i).choice(list("aeilmnorstu"), 6)) for i in range(12)]
    table = grouped(2, 12, 40, 1.0, name=name, alike=0.3)
    table[name] = [levels[int(level[1:])] for level in table[name]]
    assert len(examine(table, "y").of("PB409")) == 0


def test_many_levels_of_a_kind_are_a_note():
    (found,) = examine(grouped(3, 40, 15, 1.0, name="brand", form="brand {}"), "y").of("PB409")
    assert found.severity == "note"
    assert found.suggestion.startswith("If predictions are for others: Task(…, group='brand')")


def test_whole_numbers_that_the_target_follows_smoothly_are_no_groups():
    rng = np.random.default_rng(4)
    table = {"dose": rng.integers(0, 40, 600), "v": rng.integers(0, 20, 600)}
    table["y"] = np.sin(table["dose"] / 6) + (table["v"] - 10) ** 2 / 50 + rng.normal(size=600)
    assert group_findings(table) == []


def test_groups_whose_target_is_exchangeable_are_rarely_reported():
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = (60, 150, 400)[seed % 3]
        table = {f"x{j}": rng.normal(size=n) for j in range(2)}
        table |= {"patient": rng.integers(0, n // 5, n), "site": [f"s{i}" for i in rng.integers(0, 6, n)]}
        table["w"] = rng.choice(["".join(rng.choice(list("abcdef"), 4)) for _ in range(25)], n)
        y = [rng.normal(size=n), rng.choice(["a", "b"], n), np.where(rng.random(n) < 0.1, "x", "z")][seed % 3]
        alarms += bool(group_findings({**table, "y": y}))
    assert alarms <= 4  # at 2 % more in 1 of 20 such tests


def test_the_intraclass_correlation_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(5)
    groups, y = np.repeat(np.arange(12), 5), rng.permutation(60).astype(float)
    found = sharing_of(Column.numbers("y", y), np.arange(60), groups)
    means = y.reshape(12, 5).mean(axis=1)
    among = 5 * means.var(ddof=1)
    within = y.reshape(12, 5).var(axis=1, ddof=1).mean()
    assert found.correlation == pytest.approx((among - within) / (among + 4 * within))


@pytest.mark.slow
def test_the_probability_is_that_of_scipys_permutation_test():
    from scipy.stats import permutation_test

    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(15), 4)
    y = rng.normal(size=60) + 0.8 * rng.normal(size=15)[groups]
    ranks = np.argsort(np.argsort(y)).astype(float)

    def between(values, axis):
        return (values.reshape(*values.shape[:-1], 15, 4).mean(axis=-1) ** 2).sum(axis=-1)

    exact = permutation_test(
        (ranks - ranks.mean(),), between, permutation_type="pairings", n_resamples=20_000, random_state=0,
        alternative="greater", vectorized=True,
    ).pvalue  # fmt: skip
    found = sharing_of(Column.numbers("y", y), np.arange(60), groups).p
    assert found == pytest.approx(exact, rel=0.6, abs=0.002)


def test_an_identifier_with_several_rows_may_be_declared_and_is_not_only_to_be_dropped():
    rng = np.random.default_rng(7)
    who = np.append(np.arange(100), rng.integers(0, 100, 60))
    (found,) = examine({"id": who, "x": rng.normal(size=160), "y": rng.normal(size=160)}, "y").of("PB204")
    assert found.suggestion == (
        "If it names groups of rows, as patients do: Task(…, group='id'), or --groups id. Else table.drop('id')"
    )


def test_levels_that_decide_the_class_may_be_groups():
    levels = ["".join(np.random.default_rng(i).choice(list("aeilmnorstu"), 6)) for i in range(12)]
    of = np.random.default_rng(8).integers(0, 12, 300)
    table = {
        "w": np.array(levels)[of],
        "x": np.random.default_rng(9).normal(size=300),
        "y": np.array(["a", "b"])[of % 2],
    }
    (found,) = examine(table, "y").of("PB407")
    assert found.severity == "error"
    assert found.suggestion.startswith(
        "If it names groups of rows, as patients do: Task(…, group='w'), or --groups w. If"
    )


def test_codes_that_decide_the_class_and_that_no_column_recognises_may_be_either():
    rng = np.random.default_rng(10)
    of = rng.integers(0, 12, 300)
    table = {"w": [f"K{i}" for i in of], "x": rng.normal(size=300), "y": np.array(["a", "b"])[of % 2]}
    found = {each.code: each for each in examine(table, "y") if each.code in ("PB407", "PB409")}
    assert (found["PB407"].severity, found["PB409"].severity) == ("error", "warning")
    assert "--groups w" in found["PB407"].suggestion
    assert "--groups w" in found["PB409"].suggestion


def test_subjects_that_other_columns_recognise_are_an_error_whatever_they_are_called():
    table = grouped(11, 30, 10, 0.0, name="w", form="K{}", alike=3.0)
    label = np.random.default_rng(11).choice(["a", "b"], 30)
    table["y"] = [label[int(level[1:])] for level in table["w"]]
    (found,) = examine(table, "y").of("PB407", "PB409")
    assert (found.code, found.severity) == ("PB409", "error")


def test_numbers_of_things_that_the_target_follows_are_quantities():
    random = np.random.default_rng(7)
    units = random.integers(1, 40, 600)
    table = Table.of({"units": units, "x": random.normal(size=600), "y": 5.0 * units + 20 * random.normal(size=600)})
    assert not [finding for finding in examine(table, "y") if finding.code == "PB409"]


def test_grades_that_were_read_as_levels_are_no_groups():
    random = np.random.default_rng(12)
    grade = random.integers(1, 11, 700)
    y = np.where(grade + 2 * random.normal(size=700) > 6, "yes", "no")
    table = Table.of({"cell shape": grade.astype(str), "x": random.normal(size=700), "y": y}, {"cell shape": "nominal"})
    assert group_findings(table) == []


@pytest.mark.parametrize("name", ["rim", "purpose", "account/bonds", "hospital_stay", "family history"])
def test_a_few_coded_kinds_are_no_groups(name):
    assert group_findings(grouped(13, 6, 100, 1.0, name=name, form="A{}")) == []


def test_common_tables_of_independent_rows_get_no_warning():
    for name, target in (
        ("iris", "species"),
        ("house_votes", "party"),
        ("german_credit", "risk"),
        ("titanic", "Survived"),
    ):
        assert group_findings(getattr(probus.datasets, name)(), target) == []
