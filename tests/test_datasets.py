"""The bundled data: what the cards say is what the files hold."""

from importlib.resources import files

import numpy as np
import pytest

from probus import datasets
from probus.data import Kind, Table, Task
from probus.errors import DataError

FOLDER = files("probus.datasets").joinpath("files")


@pytest.mark.parametrize("name", datasets.names())
def test_the_card_agrees_with_the_file(name):
    table, card = datasets.load(name), datasets.info(name)
    assert isinstance(table, Table)
    assert table.shape == (card.rows, card.columns)
    assert set(card.kinds) <= set(table.names)
    labelled = table.take(~table[card.target].missing)
    assert Task(labelled, card.target).kind == card.task


@pytest.mark.parametrize("name", datasets.names())
def test_every_set_states_source_and_licence_and_has_its_function(name):
    card = datasets.info(name)
    assert card.description
    assert card.source
    assert card.licence
    assert getattr(datasets, name)().schema == datasets.load(name).schema
    assert f"| {name} |" in FOLDER.joinpath("README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", datasets.names())
def test_every_level_is_used_and_codes_are_int32(name):
    for column in datasets.load(name):
        if column.kind.has_levels:
            assert column.values.dtype == np.int32
            assert len(column.levels) >= 2
            assert set(column.values[column.values >= 0].tolist()) == set(range(len(column.levels)))


def test_the_files_are_small():
    assert sum(len(file.read_bytes()) for file in FOLDER.iterdir()) < 1_500_000


def test_kinds_are_the_documented_ones():
    titanic = datasets.titanic()
    assert titanic["Pclass"].kind is Kind.ORDINAL
    assert titanic["Name"].kind is Kind.TEXT
    assert titanic["Ticket"].kind is Kind.NOMINAL
    education = datasets.adult()["education"]
    assert education.kind is Kind.ORDINAL
    assert (education.levels[0], education.levels[-1]) == ("Preschool", "Doctorate")
    assert datasets.mtcars()["am"].levels == (0, 1)
    assert datasets.breast_cancer()["mitoses"].kind is Kind.ORDINAL
    assert datasets.zoo()["milk"].levels == (False, True)


def test_numbers_are_the_published_ones():
    # R 4.2: colMeans(iris[1:4]); table(Titanic survivors) 549/342; mean(mtcars$mpg); sum(is.na(airquality$Ozone))
    means = [np.mean(column.values) for column in list(datasets.iris())[:4]]
    np.testing.assert_allclose(means, [5.843333, 3.057333, 3.758, 1.199333], rtol=1e-6)
    assert np.bincount(datasets.titanic()["Survived"].values).tolist() == [549, 342]
    assert np.mean(datasets.mtcars()["mpg"].values) == pytest.approx(20.090625)
    assert datasets.airquality()["ozone"].missing.sum() == 37
    assert datasets.breast_cancer()["bare_nuclei"].missing.sum() == 16
    assert np.bincount(datasets.german_credit()["risk"].values).tolist() == [700, 300]


def test_a_card_is_plain_data():
    assert datasets.info("zoo").to_dict()["target"] == "type"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(DataError, match=r"no data set 'irises'.\n  Expected one of 'iris', 'penguins'"):
        datasets.load("irises")


def test_the_arrays_may_be_written_to():
    assert all(column.values.flags.writeable for column in datasets.titanic())
