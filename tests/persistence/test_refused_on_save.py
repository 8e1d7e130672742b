"""What a file of data cannot hold is refused when saving, by name."""

import functools

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import probus
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.losses import SquaredError, custom
from probus.tuning import Tuned


class Mine(ZeroRClassifier):
    pass


class MyLoss(SquaredError):
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda x: x, "Keeper.anything is a function or a class (<lambda>)"),
        (functools.partial(print), "Keeper.anything is a function or a class (partial)"),
        (np.ndarray, "Keeper.anything is a function or a class (ndarray)"),
        (np.complex64, "Keeper.anything is the dtype complex64"),
        (np.dtype("M8[D]"), "Keeper.anything is the dtype datetime64[D]"),
        (slice(1j), "Keeper.anything is a complex"),
        (np.random.RandomState(0), "Pass an integer as random_state"),
        (np.random.default_rng(0), "Pass an integer as random_state"),
        ({1, 2}, "Keeper.anything is a set"),
        ([b"raw"], "Keeper.anything[0] is a bytes"),
        ({"k": 1j}, "Keeper.anything['k'] is a complex"),
        (10**30, "an integer of 31 digits"),
        (np.array([1j]), "an array of complex128"),
        (np.array([[1, "a"]], dtype=object), "labels of shape (1, 2)"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "an array of datetime64[D]"),
        (np.zeros(2, dtype=[("a", "f8")]), "an array of [('a', '<f8')]"),
        (np.array([object()]), "Keeper.anything[0] is a object"),
        (np.complex64(1), "Keeper.anything is a NumPy complex64"),
        (np.array(["x" * 300_000] * 300), "of labels"),
        (custom(abs, abs), "a loss defined by functions"),
        (MyLoss(), "test_refused_on_save.MyLoss' is not a component of a model"),
        (Mine(), "test_refused_on_save.Mine' is not a class that a model file may contain"),
        (LinearRegression(), "'sklearn.linear_model._base.LinearRegression' is not a class"),
        ("\ud800", "text that is not Unicode"),
    ],
)
def test_a_parameter_that_is_not_data_is_named(known_keeper, tmp_path, value, message):
    with pytest.raises(probus.ModelFileError) as error:
        probus.save(known_keeper(anything=value), tmp_path / "model.probus")
    assert message in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_holds_itself_is_refused(known_keeper, tmp_path):
    model = known_keeper()
    model.anything = [model]
    with pytest.raises(probus.ModelFileError, match="a model that does not contain itself"):
        probus.save(model, tmp_path / "m")


def test_an_attribute_that_is_not_declared_is_refused(keeper, tmp_path):
    keeper.secret_ = 1
    with pytest.raises(probus.ModelFileError, match="Keeper has secret_"):
        probus.save(keeper, tmp_path / "m")


def test_state_that_breaks_the_declaration_is_refused(keeper, tmp_path):
    keeper.index_[0] = 2
    with pytest.raises(probus.ModelFileError, match="every value below 2"):
        probus.save(keeper, tmp_path / "m")


def test_something_that_is_not_a_model_is_refused(tmp_path):
    with pytest.raises(probus.ModelFileError, match="a dict to save"):
        probus.save({}, tmp_path / "m")


@pytest.mark.parametrize("metadata", [{"f": float("nan")}, {"f": {1}}, {1: 2}, {"t": (1, 2)}])
def test_metadata_must_be_what_json_can_hold(keeper, tmp_path, metadata):
    with pytest.raises(probus.ModelFileError, match="metadata that JSON"):
        probus.save(keeper, tmp_path / "m", metadata=metadata)


def test_a_folder_that_is_not_there_is_named(keeper, tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        probus.save(keeper, tmp_path / "nowhere" / "m")


def test_more_values_than_a_document_holds_are_refused(known_keeper, tmp_path, monkeypatch):
    monkeypatch.setattr("probus.persistence._document.MOST_VALUES", 1000)
    with pytest.raises(probus.ModelFileError, match="a document of about"):
        probus.save(known_keeper(anything=[0] * 1000), tmp_path / "m")


def test_more_labels_than_a_document_holds_are_refused(known_keeper, tmp_path, monkeypatch):
    monkeypatch.setattr("probus.persistence._document.MOST_DOCUMENT_BYTES", 1000)
    with pytest.raises(probus.ModelFileError, match="bytes of parameters and labels"):
        probus.save(known_keeper(anything=["x"] * 1000), tmp_path / "m")


@pytest.mark.parametrize("name", ["x.html", "x.JSON", "x.csv", "x.png"])
def test_a_page_a_table_or_a_picture_is_no_model_file(name, tmp_path):
    model = ZeroRClassifier().fit([[0], [1]], ["no", "yes"])
    with pytest.raises(DataError, match=rf"to save as '{name}'(?s:.*)probus\.explain\(model, X\)\.save\('{name}'\)"):
        model.save(tmp_path / name)
    with pytest.raises(DataError, match=rf"model\.archive\.save\('{name}'\) writes what the search tried"):
        Tuned(model).save(tmp_path / name)
    assert not any(tmp_path.iterdir())
