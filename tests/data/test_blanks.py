"""Text whose columns are separated by runs of blanks."""

import io

import numpy as np
import pytest

from probus import Kind, read

NUMBERS = np.random.default_rng(3).normal(size=(6, 3))


@pytest.mark.parametrize("ending", [".txt", ".dat", ".csv"])
def test_what_numpy_writes_comes_back(tmp_path, ending):
    np.savetxt(tmp_path / f"x{ending}", NUMBERS)
    table = read(tmp_path / f"x{ending}")
    assert np.array_equal(np.column_stack([column.values for column in table]), NUMBERS)
    assert table.names == ("x0", "x1", "x2")
    assert table.notes == ("columns separated by blanks", "no header: columns named x0, x1, …")


def test_aligned_columns_with_names_in_a_comment(tmp_path):
    np.savetxt(tmp_path / "x.dat", NUMBERS, header="energy p_t eta", fmt="%12.6f")
    table = read(tmp_path / "x.dat")
    assert table.names == ("energy", "p_t", "eta")
    assert np.allclose(table["eta"].values, NUMBERS[:, 2], atol=1e-6)


def test_names_and_labels_between_blanks():
    table = read(io.StringIO("  name   age\n  Anna     3\n  Bob     44\n"))
    assert table.to_dict() == {"name": ["Anna", "Bob"], "age": [3.0, 44.0]}


def test_blanks_in_quotes_belong_to_the_cell():
    table = read(io.StringIO('a b\n"x y"   1\nz\t2\n'), delimiter=r"\s+")
    assert table.to_dict() == {"a": ["x y", "z"], "b": [1.0, 2.0]}


@pytest.mark.parametrize(
    "text", ["text\nhello world\nfine day\n", "a,b\n1 2,3\n4 5,6\n", "city\nNew York 5\nLos Angeles 7\n"]
)
def test_words_of_a_cell_are_not_columns(text):
    assert "columns separated by blanks" not in read(io.StringIO(text)).notes


def test_tabs_stay_delimiters():
    table = read(io.StringIO("a\tb\n1 0\t2\n3 0\t4\n"))
    assert table.names == ("a", "b")
    assert table["b"].kind is Kind.NUMERIC
