"""Large text is parsed where it is: the result is that of the same bytes in memory."""

import io
import os

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import probus
from probus.data import _coded_strings as coded_strings
from probus.data._coded_strings import CodedStrings
from probus.data.reading import _byte_source as byte_source
from probus.data.reading import _cells as cells
from probus.data.reading._header import Body
from probus.errors import DataError


@pytest.fixture
def mapped(monkeypatch, tmp_path):
    """A function that writes bytes to a file, which is mapped however small it is."""
    monkeypatch.setattr(byte_source, "_WORTH_MAPPING", 1)

    def write(text, name="rows.csv"):
        path = tmp_path / name
        path.write_bytes(text)
        return path

    return write


def content(table):
    return table.to_dict(), table.kinds, table.notes, [column.why for column in table]


@pytest.mark.parametrize(
    "text",
    [
        b"a,b\n1,x\n2,y\n",
        b"a,b\n1,x\n2,y",
        b"\n\na,b\r\n1,x\r\n2,y\r\n\r\n",
        b"# from 2024\na;b\n1,5;x\n2;\n",
        b'a,b\n1,"x, y"\n2,"say ""so"""\n',
        b'a,b\n01,"x"\n2,\n',
        "name,b\nZoë,1\nÅsa,2\n".encode(),
        "name,b\nZoë,1\nÅsa,2\n".encode("cp1252"),
        "name,b\nZoë,1\nÅsa,2\n".encode("utf-16"),
        "name,b\nZoë,1\nÅsa,2\n".encode("utf-8-sig"),
        b'a,b\n1,5" pipe\n2,y\n',
        b"1,2\n3,4\n",
    ],
)
def test_a_mapped_file_reads_as_its_bytes_do(mapped, text):
    assert content(probus.read(mapped(text))) == content(probus.read(io.BytesIO(text)))


@pytest.mark.parametrize("options", [{"skip": 1}, {"comment": "%"}, {"columns": ["b"]}, {"encoding": "latin-1"}])
def test_a_mapped_file_takes_the_options_of_text(mapped, options):
    text = b"a,b\n%1,x\n2,y\n3,z\n"
    assert content(probus.read(mapped(text), **options)) == content(probus.read(io.BytesIO(text), **options))


def test_an_error_names_the_line_of_a_mapped_file(mapped):
    with pytest.raises(DataError, match="line 3 has 3 fields, the first line 2"):
        probus.read(mapped(b"a,b\n1,x\n2,y,z\n"))


def test_reading_leaves_no_file_open(mapped):
    path = mapped(b"a,b\n1,x\n2,y\n")
    found = byte_source.open_source(path)
    found.close()
    assert found.mapped.file.closed


@pytest.mark.skipif(os.name == "nt", reason="names of files are Unicode there")
def test_the_name_of_a_mapped_file_need_not_be_utf8(mapped):
    table = probus.read(mapped(b"a,b\n1,x\n2,y\n", os.fsdecode(b"r\xe9sum\xe9.csv")))
    assert table.shape == (2, 2)


def test_text_that_begins_as_compressed_data_does_is_text():
    assert probus.read(b"x^2,y\n1,2\n2,3\n").names == ("x^2", "y")
    assert probus.read(b"power,y\nx^2,2\nx^3,3\n").to_dict()["power"] == ["x^2", "x^3"]


def test_columns_that_are_not_read_may_be_quoted_here_and_there():
    text = b'a,b\n1,"x, y"\n2,z\n'
    assert probus.read(text, columns=["a"]).to_dict() == {"a": [1.0, 2.0]}


ZEROS = st.sampled_from(["0", "00", "07", "0.5", "7", "-0", '"01"', "", "1", "0a", "01.02.2024"])


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(ZEROS, ZEROS), min_size=1, max_size=20))
@example([("01", '"02"'), ("3", "4")])
def test_leading_zeros_are_found_in_any_column(rows):
    """A column of digits with a leading zero is never converted to numbers, whatever other columns hold."""
    text = "a,b,c\n" + "".join(f"{a},{b},1.5\n" for a, b in rows)
    table = probus.read(text.encode(), header=True)
    for j, name in enumerate("ab"):
        bare = [row[j] for row in rows if row[j] and '"' not in row[j]]
        if (
            bare
            and all(cell.lstrip("-").isdigit() for cell in bare)
            and any(cell[0] == "0" and len(cell) > 1 for cell in bare)
        ):
            assert table[name].kind.has_levels


@pytest.mark.parametrize("block", [1, 2, 7])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ZEROS, ZEROS), min_size=1, max_size=20))
def test_bytes_are_counted_in_blocks_on_threads(block, rows):
    text = "".join(f"{a},{b}\n" for a, b in rows).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_BLOCK", block)
        patch.setattr(cells, "_A_THREAD", 16)
        found = cells._counts(Body(text, 0, 1), ord(","))
    led = sum(cell[:1] == "0" and cell[1:2].isdigit() for row in rows for cell in row)
    assert found == (len(rows), len(rows), text.count(b'"'), led)


@pytest.mark.parametrize(("beginning", "longer"), [(6, 5), (6, 1), (20, 1)])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.none() | st.sampled_from("abcdefgh")))
def test_strings_that_the_first_rows_do_not_have_are_coded_in_order_of_appearance(beginning, longer, strings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_strings, "_BEGINNING", beginning)
        patch.setattr(coded_strings, "_LONGER", longer)
        coded = CodedStrings.of("x", pl.Series(strings, dtype=pl.String))
    assert coded.listed == list(dict.fromkeys(string for string in strings if string is not None))
    assert [None if code < 0 else coded.listed[code] for code in coded.codes.tolist()] == strings
    assert coded.codes.dtype == np.int32


def test_masks_are_tallied_beyond_what_a_byte_counts(monkeypatch):
    monkeypatch.setattr(cells, "_BLOCK", 2)
    tally = cells._Tally()
    for _ in range(600):
        tally.add(np.array([True, False]))
    tally.add(np.array([True]))
    assert tally.total() == 601
