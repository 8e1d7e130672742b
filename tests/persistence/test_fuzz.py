"""Whatever happens to the bytes: the same model comes back, or a ModelFileError."""

import copy
import json
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import probus
from probus.data import Table
from probus.dummy import ZeroRClassifier
from probus.persistence import inspect

in_function_scope = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@cache
def good_bytes():
    table = Table.of({"age": [4.5, 38.0, 2.0], "sex": ["m", "f", "f"], "Größe": ["S", "M", "L"]})
    coded = ColumnTransformer([("code", OneHotEncoder(dtype=int), slice(0, 1))], remainder="passthrough")
    coded.fit(np.array([["a", "b"], ["c", "d"]], dtype=object))
    scaled = StandardScaler().fit([[1.0], [2.0]])
    model = make_pipeline(ZeroRClassifier().fit(table, ["no", "yes", "no"]), scaled, coded)
    with tempfile.TemporaryDirectory() as folder:
        return probus.save(model, Path(folder) / "m").read_bytes()


def loads_equal_or_is_refused(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        path.write_bytes(data)
        try:
            repr(inspect(path))
            model = probus.load(path)
        except probus.ModelFileError:
            return
        assert probus.save(model, Path(folder) / "again").read_bytes() == good_bytes()


@in_function_scope
@given(st.lists(st.tuples(st.integers(0, len(good_bytes()) - 1), st.integers(1, 255)), min_size=1, max_size=4))
def test_flipped_bytes(flips):
    data = bytearray(good_bytes())
    for position, mask in flips:
        data[position] ^= mask
    loads_equal_or_is_refused(data)


@in_function_scope
@given(st.integers(0, len(good_bytes()) - 1), st.integers(0, 200), st.binary(max_size=30))
def test_cut_and_spliced_bytes(start, length, inserted):
    data = good_bytes()
    loads_equal_or_is_refused(data[:start] + inserted + data[start + length :])


def places(node, path=()):
    """The paths to everything in a tree."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


@cache
def good_document():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        path.write_bytes(good_bytes())
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read("model.json"))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(list(places(good_document()))).map(lambda path: at(good_document(), path)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def at(node, path):
    for key in path:
        node = node[key]
    return node


@in_function_scope
@given(st.sampled_from(list(places(good_document()))[1:]), json_values)
def test_documents_with_one_node_exchanged(path, node):
    """The checksums are right here, so only the meaning can give it away; another model may come back, or a refusal."""
    document = copy.deepcopy(good_document())
    at(document, path[:-1])[path[-1]] = node
    with tempfile.TemporaryDirectory() as folder:
        forged, original = Path(folder) / "forged", Path(folder) / "original"
        original.write_bytes(good_bytes())
        with zipfile.ZipFile(original) as old, zipfile.ZipFile(forged, "w") as new:
            new.writestr("model.json", json.dumps(document))
            for name in old.namelist()[1:]:
                new.writestr(name, old.read(name))
        try:
            repr(inspect(forged))
            probus.load(forged)
        except probus.ModelFileError:
            pass
