import json

import numpy as np
import pytest

import probus
from probus.data import Column, Table
from probus.report import Profile, profile_page

nan = np.nan


@pytest.fixture(scope="module")
def titanic():
    return Profile.of(probus.datasets.titanic(), "Survived", name="titanic")


def test_it_describes_every_column_and_finds_what_examine_finds(titanic):
    assert [column.name for column in titanic.columns] == list(probus.datasets.titanic().names)
    assert titanic.classes == ("no", "yes")
    assert "PB102" in {finding.code for finding in titanic.findings}
    assert repr(titanic).startswith("Profile of titanic: 891 rows × 12 columns, ")
    assert json.loads(json.dumps(titanic.to_dict()))["rows"] == 891


def test_bands_of_missing_values_add_up_to_their_number():
    values = np.where(np.arange(1000) % 3 == 0, nan, 1.0)
    profile = Profile.of(Table([Column.numbers("gappy", values), Column.numbers("full", np.arange(1000.0))]))
    assert profile.missing_shares.shape == (160, 2)
    assert profile.missing_shares[:, 1].sum() == 0
    assert profile.missing_shares[:, 0].mean() == pytest.approx(334 / 1000, rel=0.02)


def test_long_tables_are_compared_on_a_sample_that_never_changes():
    rng = np.random.default_rng(0)
    table = Table.of({"x": rng.normal(size=12_000), "y": rng.normal(size=12_000)})
    first, second = Profile.of(table), Profile.of(table)
    assert first.sampled_rows == 10_000
    assert first.associations == second.associations
    assert "From 10,000 of 12,000 rows, drawn at random." in profile_page(first)


def test_wide_tables_are_compared_and_shown_in_part_and_say_so(monkeypatch):
    monkeypatch.setattr("probus.report._html.MOST_CARDS", 3)
    table = Table(Column.numbers(f"x{j}", np.arange(5.0) ** (j % 4 + 1)) for j in range(70))
    profile = Profile.of(table)
    assert len(profile.compared_columns) == 60
    page = profile_page(profile)
    assert "Only the first 60 of 70 columns." in page
    assert "67 more columns not shown." in page


def test_the_matrix_of_associations_is_symmetric_with_ones_on_its_diagonal(titanic):
    names, matrix = titanic.association_matrix()
    assert "Name" not in names
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 1).all()


def test_the_page_is_well_formed_and_needs_nothing_from_outside(titanic, sound):
    page = sound(profile_page(titanic))
    labels = [attributes.get("aria-label", "") for tag, attributes in page.elements if tag == "svg"]
    assert any(label.startswith("Map of missing values") for label in labels)
    assert any(label.startswith("Heat map") for label in labels)
    assert sum(label.startswith("Histogram") for label in labels) == 5
    for part in ("Findings", "Coloured by Survived.", "Cramér's V", "strongest pairs"):
        assert part in page.text


def test_the_same_table_gives_the_same_bytes(titanic):
    again = Profile.of(probus.datasets.titanic(), "Survived", name="titanic")
    assert profile_page(again) == profile_page(titanic)


@pytest.mark.parametrize(
    "table",
    [
        Table([Column.numbers("x", [1.0])]),
        Table([Column.numbers("x", [nan, nan])]),
        Table([Column.numbers("x", [np.inf, -np.inf, 1.0])]),
        Table([Column.labels("x", [None, None])]),
        Table([Column.text("x", [None, "a few words"])]),
        Table([Column.numbers("x", [])]),
    ],
)
def test_strange_tables_still_have_a_page(table, sound):
    sound(profile_page(Profile.of(table)))


def test_hostile_names_and_levels_are_only_ever_text(sound):
    script = "<script>alert(1)</script>"
    table = Table(
        [
            Column.labels(script, ['"><img src=x onerror=alert(1)>', "b", "b", None]),
            Column.numbers("'\" & $\\frac$", [1.0, 2.0, nan, 4.0]),
            Column.numbers("x", [1.0, 2.0, 3.0, 5.0]),
        ]
    )
    assert script in sound(profile_page(Profile.of(table, script, name=script))).text


def test_groups_are_reported_until_they_are_declared():
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(30), 8)
    y = np.where(rng.normal(size=30)[of] + rng.normal(size=240) > 0, "a", "b")
    table = Table.of({"patient": of, "x": rng.normal(size=240), "y": y})
    (found,) = probus.profile(table, "y").findings.of("PB409")
    assert found.suggestion == "Task(…, group='patient'), or --groups patient"
    assert len(probus.profile(table, "y", group="patient").findings.of("PB409")) == 0
