"""A model with a state of every type, known to the registry for the length of a test; and a way to forge files."""

import json
import zipfile
from typing import Any, ClassVar

import numpy as np
import pytest

import probus
from probus.base import Model
from probus.data import Schema, Table
from probus.dummy import ZeroRClassifier
from probus.persistence import _class_registry as class_registry
from probus.state import Array, Flag, Labels, Many, Maybe, Number, Object, String


class Keeper(Model):
    """Keeps one of everything."""

    fitted: ClassVar = {
        "rows_": Array("f8", "n d"),
        "index_": Array("i4", "n", low=-1, high="K"),
        "mask_": Array("?", "n"),
        "classes_": Labels("K"),
        "names_": Labels(),
        "flag_": Flag(),
        "number_": Number(),
        "word_": String(("left", "right")),
        "parts_": Many(Object(ZeroRClassifier)),
        "table_": Object(Schema),
        "absent_": Maybe(Number()),
    }

    def __init__(self, anything: Any = None, inner: Any = None):
        self.anything = anything
        self.inner = inner

    def fit(self, X: Any, y: Any = None) -> "Keeper":
        self.n_features_in_ = 3
        self.rows_ = np.asfortranarray([[1.5, -0.0, np.nan], [np.inf, 5e-324, 2.0]])
        self.index_ = np.array([-1, 1], dtype=np.int32)
        self.mask_ = np.array([True, False])
        self.classes_ = np.array(["no", "größer"])
        self.names_ = np.array(["a", 1, 2.5, True], dtype=object)
        self.flag_ = True
        self.number_ = np.float32(0.1)
        self.word_ = "left"
        self.parts_ = [ZeroRClassifier().fit([[0.0], [1.0]], labels) for labels in (["b", "a"], [3, 4])]
        self.table_ = Table.of({"age": [1.5, 2.0], "sex": ["m", "f"], "Größe, 列": ["S", "L"]}).schema
        return self


Keeper.__module__ = "probus.dummy"


@pytest.fixture(autouse=True)
def known_keeper(monkeypatch):
    known = {**class_registry.estimators_of("probus.dummy"), "probus.dummy.Keeper": Keeper}
    real = class_registry.estimators_of
    monkeypatch.setattr(class_registry, "estimators_of", lambda name: known if name == "probus.dummy" else real(name))
    return Keeper


@pytest.fixture
def keeper():
    return Keeper(anything={"a": (1, [2.5, None]), 3: "three"}, inner=ZeroRClassifier()).fit(None)


@pytest.fixture
def good_file(keeper, tmp_path):
    return probus.save(keeper, tmp_path / "good.probus")


@pytest.fixture
def forge(good_file, tmp_path):
    """Write the good file again with its document, or its other entries, changed; checksums and all."""

    def forged(change_document=None, change_entries=None, **zip_options):
        with zipfile.ZipFile(good_file) as archive:
            entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
        if change_document is not None:
            document = json.loads(entries[0][1])
            changed = change_document(document)
            document = document if changed is None else changed
            written = document if isinstance(document, bytes) else json.dumps(document).encode()
            entries[0] = (entries[0][0], written)
        if change_entries is not None:
            entries = change_entries(entries)
        path = tmp_path / "forged.probus"
        with zipfile.ZipFile(path, "w", **zip_options) as archive:
            for name, data in entries:
                archive.writestr(name, data)
        return path

    return forged
