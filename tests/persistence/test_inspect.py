"""A model file can be looked into without building the model."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import probus
from probus.data import Table
from probus.dummy import ZeroRClassifier
from probus.persistence import inspect


def test_it_shows_class_parameters_columns_versions_and_sizes(tmp_path):
    table = Table.of({"age": [4.5, 38.0], "sex": ["m", "f"]})
    model = make_pipeline(MinMaxScaler((0, 2)), ZeroRClassifier().fit(table, ["no", "yes"]))
    path = probus.save(model, tmp_path / "m", metadata={"trained": "2026-01-01"})
    contents = inspect(path)
    assert contents.class_name == "sklearn.pipeline.Pipeline"
    assert contents.models[1:] == ("sklearn.preprocessing.MinMaxScaler", "probus.dummy.ZeroRClassifier")
    assert contents.params["steps"] == [["minmaxscaler", contents.models[1]], ["zerorclassifier", contents.models[2]]]
    assert contents.fitted
    assert contents.schema == table.schema
    assert contents.metadata == {"trained": "2026-01-01"}
    assert contents.written_by["probus"] == probus.__version__
    assert contents.file_bytes == path.stat().st_size
    assert (contents.n_arrays, contents.array_bytes) == (1, 16)
    assert "columns   age: numeric, sex: binary" in repr(contents)
    assert json.loads(json.dumps(contents.to_dict()))["schema"] == table.schema.to_dict()


def test_parameters_are_described_briefly(known_keeper, tmp_path):
    model = known_keeper(anything=[np.zeros((2, 3)), np.array(["a"]), np.int8(3), np.nan], inner=ZeroRClassifier())
    params = inspect(probus.save(model, tmp_path / "m")).params
    assert params == {"anything": ["array <f8 [2, 3]", ["a"], 3, "nan"], "inner": "probus.dummy.ZeroRClassifier"}


def test_an_unfitted_model_is_marked(tmp_path):
    contents = inspect(probus.save(ZeroRClassifier(), tmp_path / "m"))
    assert not contents.fitted
    assert contents.schema is None
    assert repr(contents).startswith("probus.dummy.ZeroRClassifier(), not fitted")


def test_no_class_is_looked_up(forge, monkeypatch):
    monkeypatch.setattr("probus.persistence._class_registry.class_named", pytest.fail)
    path = forge(lambda d: d["model"].update({"class": "os.system"}))
    assert inspect(path).class_name == "os.system"
