"""Files made to hurt: each is a ModelFileError, nothing runs, and nothing large is allocated."""

import contextlib
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

import probus


def refusal(path):
    """The message of the refusal; inspect must survive the file too."""
    tracemalloc.start()
    try:
        with pytest.raises(probus.ModelFileError) as error:
            probus.load(path)
        allocated = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert allocated < 5_000_000 + 2 * path.stat().st_size
    with contextlib.suppress(probus.ModelFileError):
        repr(probus.persistence.inspect(path))
    return str(error.value)


def edited(forge, *keys, to):
    """The good file with the node at those keys of the model replaced."""

    def change(document):
        node = document["model"]
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = to

    return forge(change)


# -- not our zip ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"not a zip at all, but long enough to be one" * 10, b"PK\5\6" + b"\0" * 17]
)
def test_something_that_is_no_zip(tmp_path, data):
    path = tmp_path / "m"
    path.write_bytes(data)
    assert "not a zip file, or truncated" in refusal(path)


def test_an_empty_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "m", "w"):
        pass
    assert "a zip without model.json" in refusal(tmp_path / "m")


def test_a_file_cut_anywhere(good_file):
    data = good_file.read_bytes()
    for length in range(0, len(data), 97):
        good_file.write_bytes(data[:length])
        assert "not a zip file, or truncated" in refusal(good_file)


def test_a_pickle_is_not_loaded(tmp_path):
    import pickle

    path = tmp_path / "m"
    path.write_bytes(pickle.dumps(print))
    assert "not a zip" in refusal(path)


def test_a_file_that_is_not_there_is_a_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        probus.load(tmp_path / "nowhere.probus")


def test_a_zip_with_a_comment(good_file):
    with zipfile.ZipFile(good_file, "a") as archive:
        archive.comment = b"hello"
    assert "no end record" in refusal(good_file)


# -- entries -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../../etc/cron.d/x", "/etc/passwd", "arrays/../model.json", "C:\\x", "arrays/01", "x"]
)
def test_an_entry_of_another_name(forge, name):
    assert "an entry called" in refusal(forge(change_entries=lambda entries: [*entries, (name, b"")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("which", [0, 1])
def test_an_entry_that_is_there_twice(forge, which):
    assert refusal(forge(change_entries=lambda entries: [*entries, entries[which]]))


def test_an_array_that_nothing_uses(forge):
    path = forge(change_entries=lambda entries: [*entries, (f"arrays/{len(entries) - 1}", b"12345678")])
    assert "arrays that the model does not use" in refusal(path)


def test_an_array_that_is_not_there(forge):
    assert "is missing or used twice" in refusal(forge(change_entries=lambda entries: entries[:-1]))


def test_a_zip_bomb(forge):
    bomb = forge(lambda d: d.update(metadata={"a": "0" * 50_000_000}), compression=zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 100_000
    assert "compressed or encrypted" in refusal(bomb)


def test_compressed_arrays(forge):
    path = forge(change_entries=lambda entries: entries)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("arrays/7", b"0" * 50_000_000, compress_type=zipfile.ZIP_DEFLATED)
    assert refusal(path)


def test_directories_that_lie_about_sizes(good_file):
    data = good_file.read_bytes()
    directory = data.index(b"PK\1\2")
    for offset in (20, 24):
        for size in (0, 7, 2**20, 2**31, 2**32 - 2):
            forged = bytearray(data)
            struct.pack_into("<L", forged, directory + offset, size)
            good_file.write_bytes(forged)
            assert refusal(good_file)


def test_both_sizes_of_an_entry_lie_alike(good_file):
    data = good_file.read_bytes()
    starts = [i for i in range(len(data)) if data.startswith(b"PK\1\2", i)]
    for start in starts:
        for size in (0, 7, 2**20, 2**32 - 2):
            forged = bytearray(data)
            struct.pack_into("<LL", forged, start + 20, size, size)
            good_file.write_bytes(forged)
            assert refusal(good_file)


def test_entries_that_overlap_cannot_add_up_to_more_than_the_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "m", "w") as archive:
        head = {"format": "probus model", "version": 1, "written_by": {}, "metadata": {}, "model": {}}
        archive.writestr("model.json", json.dumps(head))
        archive.writestr("arrays/0", bytes(100_000))
        for _ in range(49):
            archive.filelist.append(archive.NameToInfo["arrays/0"])
    assert "two entries with the same name" in refusal(tmp_path / "m")


@pytest.mark.parametrize("size", [100 << 20, 2**32 - 1])
def test_an_oversized_directory_is_not_read(good_file, size):
    data = bytearray(good_file.read_bytes())
    struct.pack_into("<L", data, len(data) - 10, size)
    good_file.write_bytes(data)
    assert "a directory of" in refusal(good_file)


def test_an_oversized_directory_of_the_64_bit_kind_is_not_read(good_file):
    data = good_file.read_bytes()
    end64 = b"PK\6\6" + struct.pack("<QHHLLQQQQ", 44, 45, 45, 0, 0, 9, 9, 2**50, 0)
    locator = b"PK\6\7" + struct.pack("<LQL", 0, len(data) - 22, 1)
    good_file.write_bytes(data[:-22] + end64 + locator + data[-22:])
    assert "a directory of" in refusal(good_file)


def test_a_damaged_array_does_not_pass_for_another_model(good_file):
    data = bytearray(good_file.read_bytes())
    with zipfile.ZipFile(good_file) as archive:
        start = archive.getinfo("arrays/0").header_offset
    data[start + 30 + len("arrays/0") + 1] ^= 1
    good_file.write_bytes(data)
    assert "Bad CRC-32" in refusal(good_file)


# -- the document --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"{}", "a document of another format"),
        (b"[]", "a document of another format"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deep"),
        (b"[" + b"[]," * 5_000_000 + b"0]", "values"),
        (b'{"format": NaN}', "a document with NaN"),
        (b'{"format": -Infinity}', "a document with -Infinity"),
        (b'{"format": 1e999}', "the number 1e999"),
        (b'{"format": ' + b"9" * 5000 + b"}", "an integer of 5000 digits"),
        (b'{"format": 18446744073709551616}', "an integer of 20 digits"),
        (b'{"format": 1, "format": 1}', "duplicate key"),
        (b'{"format": "probus model", "version": 1, "written_by": {}}', "metadata, model"),
    ],
)
def test_documents_that_are_not_documents(forge, written, message):
    assert message in refusal(forge(lambda _: written))


def test_an_oversized_document_is_not_read(forge):
    path = forge(lambda _: b" " * ((64 << 20) + 1))
    assert "model.json of 67,108,865 bytes" in refusal(path)


def test_a_file_of_a_newer_version_is_an_error_that_names_the_version(forge):
    path = forge(
        lambda d: d.update(version=2, written_by={"probus": "7.1"}),
        change_entries=lambda entries: [*entries, ("new", b"")],
    )
    message = refusal(path)
    assert "format version 2, written by Probus 7.1" in message
    assert "Upgrade Probus" in message


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.0, True])
def test_versions_that_are_none(forge, version):
    assert "format version" in refusal(forge(lambda d: d.update(version=version)))


@pytest.mark.parametrize(
    "head", [{"written_by": 3}, {"written_by": {"probus": 3}}, {"metadata": 3}, {"model": 3}, {"more": 1}]
)
def test_heads_that_are_not_whole(forge, head):
    path = forge(lambda d: d.update(head))
    if "metadata" in head:
        with pytest.raises(probus.ModelFileError):
            probus.persistence.inspect(path)
    else:
        refusal(path)


# -- classes, parameters, state ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["os.system", "builtins.eval", "subprocess.Popen", "probus.base.Model", "probus.dummy", "probus.persistence.save",
     "sklearn.ensemble.RandomForestClassifier", "probus.nowhere.X", "", "..", "__main__.X", 3, None, ["x"]],
)  # fmt: skip
def test_a_class_that_is_not_registered(forge, name):
    assert refusal(edited(forge, "class", to=name))


@pytest.mark.parametrize(
    "params", [{"nope": 1}, {"self": 1}, {"__class__": 1}, [], None, 3, {"a b": 1}, {"x" * 10**6: 1}]
)
def test_parameters_that_are_none(forge, params):
    assert refusal(edited(forge, "params", to=params))


def test_a_parameter_without_default_must_be_there(forge):
    pipeline = {"type": "model", "class": "sklearn.pipeline.Pipeline", "params": {}, "state": None}
    assert "parameters missing: steps" in refusal(edited(forge, "params", "inner", to=pipeline))


@pytest.mark.parametrize("state", [{}, {"rows_": 1}, [], "x", {"__dict__": 1}, {"fit": 1}])
def test_state_that_is_not_the_declared_one(forge, state):
    assert refusal(edited(forge, "state", to=state))


@pytest.mark.parametrize("name", ["fit", "__class__", "__dict__", "predict", "extra_", "anything"])
def test_an_unknown_attribute(forge, name):
    assert refusal(edited(forge, "state", name, to=1))


@pytest.mark.parametrize(
    "dtype", ["|O", "O", "object", "<U8", "|S8", "|V8", "<c16", "<M8[s]", ">f8", "f8", "<f8,<f8", "", None, 8]
)
def test_a_dtype_that_is_not_of_the_format(forge, dtype):
    assert refusal(edited(forge, "state", "rows_", "dtype", to=dtype))


@pytest.mark.parametrize(
    "shape",
    [[-2, -3], [3, 2], [6], [2, 3, 1], [2, 4], [2**40, 2**40], [2**63, 0], [0, 2**62], [2, 3.0], [2, True], [1] * 60,
     "23", None, 6, [[2, 3]], [2**32, 2**32], [0]],
)  # fmt: skip
def test_a_shape_that_is_not_that_of_the_bytes(forge, shape):
    assert refusal(edited(forge, "state", "rows_", "shape", to=shape))


@pytest.mark.parametrize("index", [-1, 99, 2**63, 1.0, "0", None, True, 0])
def test_an_array_index_that_points_elsewhere(forge, index):
    assert refusal(edited(forge, "state", "rows_", "index", to=index))


@pytest.mark.parametrize("order", ["A", "", None, 1, ["C"], "C2", "C00", "C-1", "C٠", "CF"])
def test_an_order_that_is_none(forge, order):
    assert refusal(edited(forge, "state", "rows_", "order", to=order))


def replaced(forge, document_key, data):
    """The good file with the bytes of one array replaced."""
    index = {}
    forge(lambda d: index.update(d["model"]["state"][document_key]))
    name = f"arrays/{index['index']}"
    return forge(change_entries=lambda entries: [(n, data if n == name else d) for n, d in entries])


@pytest.mark.parametrize("values", [[-2, 0], [0, 2], [2**31 - 1, 0], [-(2**31), 0]])
def test_an_index_out_of_range(forge, values):
    assert "Keeper.index_ is" in refusal(replaced(forge, "index_", np.array(values, "<i4").tobytes()))


def test_booleans_that_are_neither(forge):
    assert "booleans other than 0 and 1" in refusal(replaced(forge, "mask_", b"\1\2"))


def test_an_array_longer_than_it_should_be(forge):
    assert "has 3 bytes.\n  Expected 2 values of 1 bytes" in refusal(replaced(forge, "mask_", b"\1\0\1"))


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"type": "pickle", "value": "x"},
        {"type": ["tuple"], "items": []},
        {"type": "labels", "width": 2, "items": [1, 2]},
        {"type": "labels", "width": 1, "items": ["no", "yes"]},
        {"type": "labels", "width": 2**40, "items": ["no", "yes"]},
        {"type": "labels", "width": 2**31, "items": []},
        {"type": "labels", "width": None, "items": [None, []]},
        {"type": "labels", "width": None, "items": [{"type": "tuple", "items": []}, 1]},
        {"type": "labels", "width": -1, "items": []},
        {"type": "labels", "width": 9, "items": "ab"},
        {"type": "tuple", "items": {"a": 1}},
        {"type": "tuple", "items": [], "more": 1},
        {"type": "dict", "items": [[1]]},
        {"type": "dict", "items": [1]},
        {"type": "dict", "items": [[[], 1]]},
        {"type": "dict", "items": [[{"type": "tuple", "items": [[]]}, 1]]},
        {"type": "float", "value": "1e5"},
        {"type": "float", "value": 1},
        {"type": "scalar", "dtype": "<i4", "value": 2**40},
        {"type": "scalar", "dtype": "<i4", "value": 1.5},
        {"type": "scalar", "dtype": "|b1", "value": 2},
        {"type": "scalar", "dtype": "|O", "value": 2},
        {"type": "scalar", "dtype": "str", "value": 2},
        {"type": "scalar", "dtype": "<f8", "value": "nan"},
        {"type": "kind", "value": "odd"},
        {"type": "kind", "value": []},
        {"type": "schema", "fields": 3},
        {"type": "schema", "fields": [{}]},
    ],
)
def test_nodes_that_mean_nothing(forge, node):
    assert refusal(edited(forge, "state", "classes_", to=node))


GOOD_FIELD = {"name": "a", "kind": "nominal", "levels": ["x", "y", "z"], "dates": False, "format": ""}


@pytest.mark.parametrize(
    "change",
    [{"kind": "numeric"}, {"kind": "text"}, {"kind": "binary"}, {"kind": "odd"}, {"kind": None}, {"levels": [[]]},
     {"levels": [None]}, {"levels": "xyz"}, {"name": 3}, {"dates": 1}, {"levels": [{"type": "tuple", "items": []}]},
     {"format": "odd"}, {"format": 3}, {"format": None}, {"format": "%Q"}],
)  # fmt: skip
def test_fields_that_contradict_themselves(forge, change):
    field = {**GOOD_FIELD, **change}
    assert "Keeper.table_" in refusal(edited(forge, "state", "table_", "fields", to=[field]))


def test_a_schema_with_one_name_twice(forge):
    assert "two columns with the same name" in refusal(edited(forge, "state", "table_", "fields", to=[GOOD_FIELD] * 2))


def test_nodes_nested_too_deep(forge):
    node = 1
    for _ in range(100):
        node = [node]
    assert "nested more than 60 levels deep" in refusal(edited(forge, "params", "anything", to=node))


@pytest.mark.parametrize("output", ["html", None, [], 3])
def test_an_output_that_is_none(forge, output):
    assert "with output" in refusal(edited(forge, "output", to=output))


def test_what_a_class_stumbles_over_is_the_files_fault(good_file, known_keeper, monkeypatch):
    def stumble(self):
        return {}["gone"]

    monkeypatch.setattr(known_keeper, "check_fitted_state", stumble)
    assert "Keeper: its attributes are inconsistent" in refusal(good_file)
