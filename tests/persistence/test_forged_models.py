"""Real models with forged values: refused with a ModelFileError before memory is used, or harmless when used."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.base import clone

import probus
from probus.cluster import AgglomerativeClustering
from probus.data import Table
from probus.ensemble import BaggingClassifier, GradientBoostingRegressor, RandomForestClassifier, VotingClassifier
from probus.gaussian_process import GaussianProcessClassifier
from probus.naive_bayes import NaiveBayes
from probus.persistence import _document as document
from probus.persistence import _nesting as nesting
from probus.tree import C45Classifier, DecisionTreeClassifier
from probus.tree.multiway._coding import ColumnCoding

TABLE = Table.of({"x": np.arange(24.0), "colour": list("abc") * 8, "unused": list("pq") * 12})
Y = np.where(np.arange(24) % 3 == 0, "no", "yes")


def arrays_of(node, name=""):
    """The nodes of arrays in a document, each with the name of its field."""
    if isinstance(node, dict):
        if node.get("type") == "array":
            yield name, node
        for key, child in node.items():
            yield from arrays_of(child, key if key not in ("fields", "state", "params") else name)
    elif isinstance(node, list):
        for child in node:
            yield from arrays_of(child, name)


def forged(model, path, change):
    """The file of a model after ``change(document, arrays)``; arrays by the names of their fields."""
    with zipfile.ZipFile(probus.save(model, path)) as archive:
        document = json.loads(archive.read("model.json"))
        nodes = dict(arrays_of(document["model"]))
        arrays = {
            name: np.frombuffer(archive.read(f"arrays/{node['index']}"), node["dtype"])
            .reshape(node["shape"], order=node["order"])
            .copy()
            for name, node in nodes.items()
        }
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(document, arrays)
    for name, node in nodes.items():
        node["shape"], node["dtype"] = list(arrays[name].shape), arrays[name].dtype.str
        entries[f"arrays/{node['index']}"] = arrays[name].tobytes(node["order"])
    entries["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def refusal(model, tmp_path, change):
    with pytest.raises(probus.ModelFileError) as error:
        probus.load(forged(model, tmp_path / "forged.probus", change))
    return str(error.value)


MODELS = [
    DecisionTreeClassifier(),
    RandomForestClassifier(3, random_state=0),
    GradientBoostingRegressor(n_estimators=3),
]


def fitted(model):
    return clone(model).fit(TABLE, np.arange(24.0) if isinstance(model, GradientBoostingRegressor) else Y)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("n_levels", [2**63 - 1, 2**33, 2**31 - 1, 4])
def test_numbers_of_levels_are_at_most_those_of_the_schema(model, n_levels, tmp_path):
    for column in (1, 2):

        def change(document, arrays, column=column):
            arrays["n_levels"][column] = n_levels

        assert "levels" in refusal(fitted(model), tmp_path, change)


@pytest.mark.parametrize("place", [2**63 - 1, 2**63 - 3, 2**31 - 1, 2**31])
def test_sets_of_levels_lie_inside_their_array(place, tmp_path):
    model = DecisionTreeClassifier(max_depth=1).fit(TABLE.select("colour"), Y)
    assert (model.tree_.subset >= 0).any()

    def change(document, arrays):
        arrays["subset"][arrays["subset"] >= 0] = place

    assert "subset" in (found := refusal(model, tmp_path, change)) or "levels" in found


@pytest.mark.parametrize("n_codes", [2**63 - 1, 2**33, 4])
def test_codes_of_a_multiway_tree_are_at_most_those_of_the_schema(n_codes, tmp_path):
    def change(document, arrays):
        arrays["n_codes"][2] = n_codes

    assert "codes" in refusal(C45Classifier().fit(TABLE, Y), tmp_path, change)


@pytest.mark.parametrize("model", [*MODELS, C45Classifier()], ids=lambda model: type(model).__name__)
def test_a_tree_without_nodes_is_refused(model, tmp_path):
    def change(document, arrays):
        nodes = len(arrays["threshold"])
        for name, array in arrays.items():
            arrays[name] = array[:0] if len(array) == nodes else array
        if "start" in arrays:
            arrays["start"][:] = 0

    assert refusal(fitted(model), tmp_path, change)


@pytest.mark.parametrize("cluster", [2**62, 24, -1])
def test_merges_join_rows_and_clusters_of_earlier_merges(cluster, tmp_path):
    def change(document, arrays):
        arrays["children_"][0, 1] = cluster

    model = AgglomerativeClustering().fit(np.arange(24.0)[:, None])
    text = "below 0" if cluster < 0 else "A merge joins clusters that do not exist yet."
    assert text in refusal(model, tmp_path, change)


def test_a_tree_of_more_merges_than_rows_is_refused(tmp_path):
    def change(document, arrays):
        for name in ("children_", "distances_"):
            arrays[name] = np.repeat(arrays[name], 2, axis=0)

    model = AgglomerativeClustering().fit(np.arange(24.0)[:, None])
    assert "A merge joins clusters that do not exist yet." in refusal(model, tmp_path, change)


def test_a_merge_joins_two_clusters(tmp_path):
    def change(document, arrays):
        arrays["children_"] = arrays["children_"][:, :0]

    model = AgglomerativeClustering().fit(np.arange(24.0)[:, None])
    assert "children_ has shape (23, 0).\n  Expected m × 2." in refusal(model, tmp_path, change)


def test_a_kernel_density_without_values_is_refused(tmp_path):
    """The density of every class is read where the variance of the first class is known."""
    model = NaiveBayes(numeric="kernel").fit(TABLE, Y)

    def change(document, arrays):
        arrays["var_"][1, 0] = np.nan
        arrays["kernel_count_"][0] = [arrays["kernel_count_"][0].sum(), 0]

    assert "a kernel density of no values" in refusal(model, tmp_path, change)


def test_what_the_check_of_a_component_stumbles_over_is_the_files_fault(tmp_path, monkeypatch):
    path = probus.save(C45Classifier().fit(TABLE, Y), tmp_path / "m")
    monkeypatch.setattr(ColumnCoding, "check", lambda self: np.zeros(2) == np.zeros(3) + np.zeros(2))
    with pytest.raises(probus.ModelFileError, match=r"ColumnCoding: its attributes are inconsistent \(ValueError"):
        probus.load(path)


# -- models in models ----------------------------------------------------------------------------------


def test_models_nested_too_deeply_are_neither_loaded_nor_saved(tmp_path):
    """``repr`` of scikit-learn takes about three times as long for each level."""
    model = DecisionTreeClassifier()
    for _ in range(7):
        model = BaggingClassifier(model)
    path = probus.save(model, tmp_path / "m")
    repr(probus.load(path))
    with pytest.raises(probus.ModelFileError, match="is 8 models deep in parameters"):
        probus.save(BaggingClassifier(model), tmp_path / "deeper")

    def change(document, arrays):
        document["model"] = {**document["model"], "params": {"estimator": document["model"]}}

    assert "8 models deep in parameters, or one of too many" in refusal(model, tmp_path, change)


def test_more_models_than_a_file_may_contain_are_neither_loaded_nor_saved(tmp_path, monkeypatch):
    members = [(f"m{i}", DecisionTreeClassifier()) for i in range(30)]
    path = probus.save(VotingClassifier(members), tmp_path / "m")
    probus.load(path)
    monkeypatch.setattr(nesting, "MOST_OBJECTS", 30)
    for attempt in (lambda: probus.load(path), lambda: probus.save(VotingClassifier(members), path)):
        with pytest.raises(probus.ModelFileError, match="one of more than 30 models"):
            attempt()


def test_too_many_models_are_counted_before_the_document_is_parsed(tmp_path, monkeypatch):
    path = probus.save(VotingClassifier([(f"m{i}", DecisionTreeClassifier()) for i in range(30)]), tmp_path / "m")
    monkeypatch.setattr(document, "MOST_OBJECTS", 30)
    monkeypatch.setattr(document.json, "loads", None)
    with pytest.raises(probus.ModelFileError, match="a document of about 31 models"):
        probus.load(path)


def test_fitted_members_are_not_limited_by_what_repr_displays(tmp_path, monkeypatch):
    monkeypatch.setattr(nesting, "MOST_DISPLAYED", 20)
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30).fit(TABLE, Y)
    assert len(probus.load(probus.save(model, tmp_path / "m")).estimators_) == 30


def test_an_array_without_values_has_no_length_that_the_file_could_not_hold(tmp_path):
    model = GaussianProcessClassifier().fit(np.arange(12.0)[:, None], np.arange(12) % 3)
    assert model.theta_.shape == (3, 0)

    def many(document, arrays):
        arrays["theta_"] = np.empty((2**33, 0))

    assert "theta_ has shape (8589934592, 0) and no values" in refusal(model, tmp_path, many)
