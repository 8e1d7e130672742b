"""Reading files: what is written comes back, what is guessed is said."""

import csv
import gzip
import io
import json
import sqlite3

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import probus
from probus import Kind
from probus.data.reading import _cells as cells
from probus.data.reading import _text_layout as text_layout


def read(text, **options):
    return probus.read(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def values(table, name):
    return table.to_dict()[name]


# -- properties ----------------------------------------------------------------------------------------

# A leading letter keeps the words from being numbers, markers or blank; the rest is what trips parsers.
WORDS = st.text('",;|\t\n\\ xé', max_size=6).map(lambda tail: "w" + tail)
TABLES = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1))


@settings(max_examples=60, deadline=None)
@given(
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    rows=TABLES,
)
def test_words_come_back_as_written(quoting, delimiter, rows):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerows([[f"c{j}" for j in range(len(rows[0]))], *rows])
    table = read(stream.getvalue(), delimiter=delimiter, header=True)
    assert [list(row) for row in zip(*table.to_dict().values(), strict=True)] == rows


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(WORDS, WORDS), min_size=1))
@example(rows=[('w5" pipe', 'w"'), ('w"', "w")])
def test_quotes_inside_unquoted_cells_are_kept(rows):
    rows = [[cell.translate({ord(c): "_" for c in ",\n\\"}) for cell in row] for row in rows]
    table = read("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows), delimiter=",", header=True)
    assert [list(row) for row in zip(values(table, "a"), values(table, "b"), strict=True)] == rows


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)), min_size=2))
def test_numbers_come_back_to_the_bit(rows):
    columns = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    table = read("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows), kinds={"a": "numeric", "b": "numeric"})
    for name, numbers in columns.items():
        np.testing.assert_array_equal(table[name].values, numbers)


CELLS = st.sampled_from(["", "1", "007", "word", '""', '"1"', '"a,b"', '"line\nbreak"', '"say ""so"""'])


@pytest.mark.parametrize("block", [8, 64])
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1))
def test_the_survey_counts_what_a_slow_reader_counts(block, rows):
    text = "".join(",".join(row) + "\n" for row in rows).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_layout, "_BLOCK", block)
        found = text_layout.survey(text, ",", 3, "'x.csv'")
    columns = list(zip(*rows, strict=True))
    assert found.rows == len(rows)
    assert found.quoted.tolist() == [sum(cell.startswith('"') for cell in column) for column in columns]
    assert found.empty.tolist() == [sum(cell == "" for cell in column) for column in columns]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".json", ".parquet", ".feather"])
def test_every_format_gives_the_same_table(tmp_path, ending):
    frame = pl.DataFrame({"age": [22.5, None, 4.0], "sex": ["m", "f", None], "ok": [True, False, True]})
    path = tmp_path / f"people{ending}"
    write = {
        ".csv": frame.write_csv,
        ".jsonl": frame.write_ndjson,
        ".json": frame.write_json,
        ".parquet": frame.write_parquet,
        ".feather": frame.write_ipc,
    }
    write[ending](path)
    table = probus.read(path)
    assert table.to_dict() == {"age": [22.5, None, 4.0], "sex": ["m", "f", None], "ok": [True, False, True]}
    assert table.kinds == {"age": Kind.NUMERIC, "sex": Kind.BINARY, "ok": Kind.BINARY}
    assert table.notes == ()


# -- how the text is written ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("a,b\n1.5,x\n2,y\n", ()),
        ("a;b\n1,5;x\n2;y\n", ("delimiter ';' and decimal comma detected",)),
        ("a\tb\n1.5\tx\n2\ty\n", ("delimiter tab detected",)),
        ("a|b\n1.5|x\n2|y\n", ("delimiter '|' detected",)),
        ("a\tb\n1,5\tx\n2\ty\n", ("delimiter tab and decimal comma detected",)),
        ("\n\na,b\n1.5,x\n\n2,y\n\n", ("1 blank line skipped",)),
        ("a, b\n1.5, x\n2, y\n", ("spaces after delimiters removed",)),
        ("a,b\r\n1.5,x\r\n2,y\r\n", ()),
        ("a,b\r1.5,x\r2,y\r", ()),
        ("a,b\n1.5,x\n2,y", ()),
    ],
)
def test_dialects_are_detected_and_reported(text, notes):
    table = read(text)
    assert table.to_dict() == {"a": [1.5, 2.0], "b": ["x", "y"]}
    assert table.notes == notes


def test_options_of_the_user_are_neither_detected_nor_reported():
    table = read("1,5;x\n2;y\n", delimiter=";", decimal=",", header=False)
    assert (values(table, "x0"), table.notes) == ([1.5, 2.0], ())


def test_a_semicolon_wins_where_a_comma_would_split_every_line_alike():
    assert values(read("1,5;2,5\n3,5;4,5\n"), "x1") == [2.5, 4.5]


def test_commas_between_thousands_are_thousands():
    table = read("a\tb\n1,234\t2\n5,678\t3\n")
    assert values(table, "a") == [1234, 5678]


def test_points_beside_decimal_commas_are_thousands():
    table = read("a;b\n1,5;1.234\n2,5;2.345\n3,5;4,5\n")
    assert values(table, "b") == [1234, 2345, 4.5]


def test_decimal_commas_may_be_quoted_in_comma_delimited_text():
    assert values(read('a,b\n"3,14",1\n"2,72",2\n', decimal=","), "a") == [3.14, 2.72]


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings_are_detected_and_reported(encoding, note):
    text = "Größe,Name\n" + "1,Zoë\n2,Čapek\n".replace("Č", "Ç") * 9
    table = read(text.encode(encoding))
    assert (table.names, table["Name"].levels) == (("Größe", "Name"), ("Zoë", "Çapek"))
    assert table.notes == ((f"encoding {note} detected",) if note else ())


def test_bytes_outside_cp1252_are_latin_1():
    assert read(b"a,b\n1,\x81\n").notes == ("encoding latin-1 detected",)


@pytest.mark.parametrize(
    "text", ["1,2,3\n4,5,6\n", "5.1,3.5,a\n4.9,3,b\n4.7,?,a\n", "x,1\ny,2\nx,3\n", "7\n", "n,y\ny,y\nn,n\n"]
)
def test_a_missing_header_is_detected_and_reported(text):
    table = read(text)
    assert table.names == tuple(f"x{j}" for j in range(table.shape[1]))
    assert "no header: columns named x0, x1, …" in table.notes


def test_words_without_numbers_have_a_header_unless_it_comes_again_below():
    assert read("class,sex\n3rd,male\n1st,female\n").names == ("class", "sex")
    assert read("class,sex\n3rd,male\n1st,female\n", header=False).n_rows == 3


@pytest.mark.parametrize("text", ["land,2019,2020\nItaly,1.5,2\nFrance,2,3\n", ",0,1,2\n0,5.5,6,7\n1,8,9,7\n"])
def test_years_and_counts_may_be_a_header(text):
    table = read(text)
    assert table.n_rows == 2
    assert any("although it has numbers" in note for note in table.notes)


def test_names_may_be_of_any_kind():
    table = read('a b,größe,"x,\ny",,self\n1,2,3,4,5\n', kinds={"self": "nominal", "a b": "nominal"})
    assert table.names == ("a b", "größe", "x,\ny", "column 4", "self")
    assert table.notes == ("empty cells in the header: named 'column 4'",)
    assert table.kinds["self"] is Kind.NOMINAL


# -- what is missing -----------------------------------------------------------------------------------


def test_empty_cells_and_conventional_words_are_missing():
    table = read("a,b\n1,x\n,\nNA,N/A\nnan,null\n2,y\n")
    assert table.to_dict() == {"a": [1.0, None, None, None, 2.0], "b": ["x", None, None, None, "y"]}
    assert "missing values written as 'NA' in 1 column: 'a'" in table.notes


def test_markers_among_numbers_are_missing_and_reported():
    table = read("a,b,c\n1,3,?\n?,4,x\n2,.,y\n5,6,x\n")
    assert table.to_dict() == {"a": [1.0, None, 2.0, 5.0], "b": [3.0, 4.0, None, 6.0], "c": ["?", "x", "y", "x"]}
    assert table.notes == (
        "missing values written as '?' in 1 column: 'a'",
        "missing values written as '.' in 1 column: 'b'",
    )


def test_other_words_among_numbers_keep_the_column_nominal_and_are_named():
    table = read("age\n22\nunknown\n38\n?\n41\n")
    assert table["age"].levels == ("22", "38", "41", "?", "unknown")
    assert table["age"].kind is Kind.NOMINAL
    assert table.notes == (
        "column 'age' is nominal, because 2 of 5 values are not numbers: '?', 'unknown'; "
        "pass missing=['?', 'unknown'] to make it numeric",
    )
    assert values(read("age\n22\nunknown\n38\n?\n41\n", missing=["?", "unknown"]), "age") == [22, None, 38, None, 41]


def test_words_far_below_the_sample_are_noticed():
    lines = [str(i) for i in range(5000)]
    lines[4000] = "oops"
    table = read("a,b\n" + "".join(f"{line},1\n" for line in lines))
    assert "1 of 5000 values are not numbers: 'oops'" in table.notes[0]


def test_none_is_a_level_among_words_and_missing_among_numbers():
    table = read("children,age\nNone,4\nTwo,None\nOne,6\n")
    assert set(table["children"].levels) == {"None", "One", "Two"}
    assert values(table, "age") == [4, None, 6]


@pytest.mark.parametrize("missing", [-999, "-999", [-999.0], ["-999", "x"]])
def test_the_users_missing_values_match_as_words_and_as_numbers(missing):
    table = read("a,b\n1,-999\n-999,y\n-999.0,z\n", missing=missing)
    assert table.to_dict() == {"a": [1, None, None], "b": [None, "y", "z"]}


def test_disguised_numbers_are_left_in_place():
    assert values(read("a\n1\n-999\n2\n"), "a") == [1, -999, 2]


def test_a_quoted_na_is_a_name_where_quotes_mark_names():
    table = read('"land","n"\n"NA",1\n"DE",NA\n')
    assert table.to_dict() == {"land": ["NA", "DE"], "n": [1, None]}


def test_a_bare_na_is_missing_among_quoted_names():
    table = read('"code","n"\n"1",1\nNA,2\n"2",3\n"1",4\n')
    assert values(table, "code") == ["1", None, "2", "1"]


def test_a_quoted_na_is_missing_where_everything_is_quoted():
    assert values(read('"land","n"\n"NA","1"\n"DE","2"\n"FR","3"\n'), "land") == [None, "DE", "FR"]


def test_quoted_empty_strings_are_a_level_only_where_missing_cells_are_bare():
    assert values(read('"a","n"\n"",1\n"x",2\n"y",3\n'), "a") == [None, "x", "y"]
    table = read('"a","n"\n"",1\n"x",\n"y",3\n')
    assert values(table, "a") == ["", "x", "y"]
    assert table.notes == (
        "column 'a' has empty strings in quotes, kept as a level; pass missing=[''] if they are missing",
    )
    assert values(read('"a","n"\n"",1\n"x",\n"y",3\n', missing=[""]), "a") == [None, "x", "y"]


# -- kinds ---------------------------------------------------------------------------------------------


def test_quoted_digits_are_names_beside_bare_numbers():
    assert read('"zone","n"\n"1",10\n"2",20\n"3",30\n').kinds == {"zone": Kind.NOMINAL, "n": Kind.NUMERIC}


def test_true_and_false_with_missing_values_are_binary():
    table = read("a,b\nTRUE,true\nFALSE,\nTRUE,false\n")
    assert table.to_dict() == {"a": [True, False, True], "b": [True, None, False]}
    assert table["b"].levels == (False, True)


def test_digits_that_float64_would_lose_are_kept_and_reported():
    table = read("zip,id\n01234,12345678901234567890\n98765,12345678901234567891\n")
    assert table.to_dict()["zip"] == ["01234", "98765"]
    assert len(table["id"].levels) == 2
    assert table.notes[0] == (
        "column 'zip' has leading zeros and is kept as labels; pass kinds={'zip': 'numeric'} if these are numbers"
    )
    assert "column 'id' has more digits than float64 can represent" in table.notes[1]
    assert table["zip"].why.startswith("digits that begin with a zero: treated as labels")
    assert table["id"].why.startswith("more digits than float64 can represent: treated as labels")


def test_large_measurements_stay_numbers():
    assert values(read("a,b\n1e300,0.5\n2.5e20,00.5\n"), "a") == [1e300, 2.5e20]


def test_the_users_kinds_win():
    table = read("cyl,size\n4,S\n6,L\n8,M\n", kinds={"cyl": "nominal", "size": ["S", "M", "L"]})
    assert table.kinds == {"cyl": Kind.NOMINAL, "size": Kind.ORDINAL}
    assert table["size"].levels == ("S", "M", "L")


def test_infinite_values_are_numbers():
    assert values(read("a,b\n1,inf\n2,-Infinity\n"), "b") == [np.inf, -np.inf]


def test_an_empty_column_is_numeric_and_reported():
    table = read("a,b\n1,\n2,NA\n")
    assert table.kinds["b"] is Kind.NUMERIC
    assert table["b"].missing.all()
    assert "all values are missing in 'b'" in table.notes


def test_one_row_is_a_table():
    assert read("a,b\n1,x\n").to_dict() == {"a": [1], "b": ["x"]}


@pytest.mark.slow
def test_a_million_levels_are_read():
    table = read("id,n\n" + "".join(f"user{i},{i}\n" for i in range(10**6)))
    assert len(table["id"].levels) == 10**6


@pytest.mark.parametrize("stray", ["z", '5" pipe'])
def test_a_blank_line_is_a_missing_cell_in_one_column_and_nothing_in_more(stray):
    assert values(read(f"a\nx\n\n{stray}\n", header=True), "a") == ["x", None, stray]
    assert values(read(f"a,b\nx,1\n\n  \n{stray},2\n"), "a") == ["x", stray]


def test_backslashes_may_escape_quotes():
    assert values(read('a,b\n"he said \\"no, no\\"",1\nx,2\n'), "a") == ['he said "no, no"', "x"]


# -- where it comes from -------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv.gz", ".tsv.gz", ".txt.gz", ".jsonl.gz"])
def test_text_may_be_gzipped(tmp_path, ending):
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    text = "\n".join(map(json.dumps, rows)) if "json" in ending else "a\tb\n1\tx\n2\ty\n"
    path = tmp_path / f"data{ending}"
    path.write_bytes(gzip.compress(text.encode()))
    assert probus.read(path).to_dict() == {"a": [1, 2], "b": ["x", "y"]}


def test_tabs_are_plain_in_a_tsv(tmp_path):
    path = tmp_path / "data.TSV"
    path.write_text("a\tb\n1\tx\n")
    assert probus.read(str(path)).notes == ()


@pytest.mark.parametrize("source", [io.StringIO, io.BytesIO, bytes])
def test_open_files_and_bytes_are_read(source):
    text = "a,b\n1,é\n"
    assert probus.read(source(text) if source is io.StringIO else source(text.encode())).to_dict() == {
        "a": [1],
        "b": ["é"],
    }


def test_an_open_file_is_known_by_its_name(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n'))
    with gzip.open(path) as file:
        assert probus.read(file).to_dict() == {"a": [1]}


def test_an_unknown_ending_is_known_by_the_first_bytes(tmp_path):
    frame = pl.DataFrame({"a": [1.5, 2.5]})
    frame.write_parquet(tmp_path / "one.data")
    frame.write_ipc(tmp_path / "two.data")
    for name in ("one.data", "two.data"):
        assert probus.read(tmp_path / name).to_dict() == {"a": [1.5, 2.5]}


def test_arrow_streams_are_read(tmp_path):
    pl.DataFrame({"a": [1.5, 2.5]}).write_ipc_stream(tmp_path / "data.arrow")
    assert probus.read(tmp_path / "data.arrow").to_dict() == {"a": [1.5, 2.5]}


def test_typed_formats_keep_their_types_and_take_the_users_missing_values(tmp_path):
    grades = pl.Series("grade", ["low", "high", "low"], dtype=pl.Enum(["low", "mid", "high"]))
    pl.DataFrame([grades, pl.Series("n", [1, -9, 3]), pl.Series("s", ["x", "?", "y"])]).write_parquet(
        tmp_path / "a.parquet"
    )
    table = probus.read(tmp_path / "a.parquet", missing=["?", -9])
    assert (table["grade"].kind, table["grade"].levels) == (Kind.ORDINAL, ("low", "mid", "high"))
    assert (values(table, "n"), values(table, "s")) == ([1, None, 3], ["x", None, "y"])


def test_json_records_may_lack_keys(tmp_path):
    path = tmp_path / "data.json"
    path.write_text('[{"a": 1}, {"b": "x", "a": 2.5}, {"b": "y", "a": null}]')
    assert probus.read(path).to_dict() == {"a": [1, 2.5, None], "b": [None, "x", "y"]}


# -- sqlite --------------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """create table people (age real, sex text); insert into people values (22.5, 'm'), (null, 'f'), (4, 'f');
           create table "odd ""name" (n integer); insert into "odd ""name" values (1), (-9);"""
    )
    connection.close()
    return path


def test_a_table_of_a_database_is_read(database):
    assert probus.read(database, table="people").to_dict() == {"age": [22.5, None, 4], "sex": ["m", "f", "f"]}
    assert values(probus.read(database, table='odd "name', missing=-9), "n") == [1, None]


def test_a_query_of_a_database_is_read(database):
    table = probus.read(database, query="select sex, avg(age) as mean from people group by sex")
    assert table.to_dict() == {"sex": ["f", "m"], "mean": [4, 22.5]}


def test_the_only_table_of_a_database_needs_no_name(tmp_path):
    connection = sqlite3.connect(tmp_path / "one.db")
    connection.executescript("create table t (a); insert into t values (1.5)")
    connection.close()
    assert probus.read(tmp_path / "one.db").to_dict() == {"a": [1.5]}


@pytest.mark.parametrize(
    "query",
    [
        "delete from people",
        "drop table people",
        "insert into people values (1, 'm') returning age",
        "pragma user_version = 3",
        "attach database ':memory:' as other",
    ],
)
def test_a_query_never_writes(database, query):
    before = database.read_bytes()
    with pytest.raises(probus.DataError, match="SQLite reports"):
        probus.read(database, query=query)
    assert database.read_bytes() == before


ROWS = st.lists(
    st.lists(
        st.sampled_from([*"ab1,", '"a"', '"1"', '""', "007", "1.5", "9007199254740993", "nan", ""]),
        min_size=2,
        max_size=2,
    ),
    min_size=1,
)


@settings(max_examples=150, deadline=None)
@given(rows=ROWS)
def test_quick_and_careful_splitting_agree(rows):
    text = "a,b\n" + "".join(",".join(row) + "\n" for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        quick = outcome(text)
        patch.setattr(cells, "_split_simply", lambda *_: None)
        assert quick == outcome(text)


def outcome(text):
    try:
        table = read(text, header=True)
    except probus.DataError as error:
        return str(error)
    return table.to_dict(), table.kinds, table.notes


def test_a_point_before_three_digits_separates_thousands_beside_decimal_commas():
    rows = "".join(f"{8 + i}.{654 + i};{7 + i},86\n" for i in range(20))
    table = probus.read(io.StringIO("sales;price\n" + rows))
    assert table["sales"].values[:2].tolist() == [8654, 9655]
    assert table["price"].values[:2].tolist() == [7.86, 8.86]
    assert any("ambiguous: for 1,234.5" in note for note in table.notes)
    mixed = probus.read(io.StringIO("sales;price\n" + "".join(f"{8 + i}.{65 + i};{7 + i},86\n" for i in range(20))))
    assert mixed["sales"].values[0] == 8.65
