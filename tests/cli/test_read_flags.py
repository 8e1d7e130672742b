"""The options of reading files, and which file a name means."""

import html

import pytest

import probus
from probus.errors import DataError

READ = ["--skip", "1", "--columns", 'mpg,"a, b"', "--columns", "cyl", "--comment", "%"]
CARS = 'made in 1974\nmpg,cyl,hp,"a, b"\n21.0,6,110,x\n% checked\n22.8,4,93,y\n'


def test_options_of_reading_reach_the_profile(run, tmp_path):
    (tmp_path / "cars.csv").write_text(CARS)
    code, out, _ = run("profile", "cars.csv", *READ)
    assert code == 0
    assert "2 rows × 3 columns" in out
    assert "note: 1 comment line skipped" in out
    assert "hp" not in out


def test_options_of_reading_reach_the_study_and_its_repetition(run, tmp_path, monkeypatch):
    def study(data, **options):
        raise DataError(f"{data} {options['read']}")

    monkeypatch.setattr("probus.study", study)
    expected = "{'skip': 1, 'columns': ['mpg', 'a, b', 'cyl'], 'comment': '%'}"
    assert run("study", "cars.csv", "--target", "mpg", *READ)[2] == f"probus: cars.csv {expected}\n"


def test_the_format_of_a_file_can_be_given(run, tmp_path):
    (tmp_path / "rows.csv").write_bytes("1|2,5|é\n-9|3,5|no\n".encode("latin-1"))
    how = ["--no-header", "--delimiter", "|", "--decimal", ",", "--encoding", "latin-1", "--missing=-9,no"]
    code, out, _ = run("profile", "rows.csv", *how)
    assert code == 0
    assert "2 rows × 3 columns" in out
    assert "2.5 to 3.5" in out
    assert out.count(" 50 %  ") == 2


def test_messages_name_options_not_parameters(run, tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{i},{i % 5}\n" for i in range(30)) + "30,unknown\n")
    expected = "  Expected a numeric column. Pass --missing=unknown, or --kind y=nominal.\n"
    assert expected in run("study", "rows.csv", "--target", "y", "--kind", "y=numeric")[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--cost -1", "cost=-1.0.\n  Expected a positive number: the cost of missing a positive, in false alarms."),
        ("--order g", "time 'g' is binary.\n  Expected dates, numbers or ordered levels. Parse it as dates, or pass "
         "its levels in order: --kind 'g=A<B<C'."),
        ("--drop x,g --drop who", "no column is left to learn from: 'x' (dropped), 'g' (dropped), 'who' (dropped).\n"
         "  Expected at least one feature."),
        ("--group who", "1 group for 5 folds.\n  Expected at least as many groups as folds."),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used(run, tmp_path, options, message):
    rows = "".join(f"{i % 7}.5,{'ab'[i % 2]},me,{'no' if i % 3 else 'yes'}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text("x,g,who,y\n" + rows)
    code, _, err = run("study", "rows.csv", "--target", "y", *options.split())
    assert (code, err) == (2, f"probus: {message}\n")


def test_explore_drops_several_columns(run):
    code, _, err = run("explore", "iris", "--drop", "species,petal_length", "--drop", "nothing")
    assert (code, err.partition(".")[0]) == (2, "probus: no column 'nothing'")


def test_a_profile_of_many_columns_ends(run, tmp_path):
    wide = [",".join(f"{word}{i}" for i in range(300)) for word in ("c", "a", "b")]
    (tmp_path / "wide.csv").write_text("\n".join(wide) + "\n")
    code, out, _ = run("profile", "wide.csv")
    assert code == 0
    assert "… and 200 more columns: choose some by --columns, or see all by --html FILE." in out
    assert len(out.splitlines()) < 800


@pytest.mark.slow
def test_the_report_repeats_the_options_of_reading(run, tmp_path):
    rows = [f"{i % 7 + 0.5},{i % 3},note" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["from 2024", 'y,"a, b",c', *rows]) + "\n")
    words = "--target y --cv 2 --models linear --evaluations 0 --scoring mae --skip 1"
    assert run("study", "rows.csv", *words.split(), "--columns", 'y,"a, b"')[0] == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    command = "probus study rows.csv --target y --skip 1 --columns 'y,\"a, b\"' --models linear --evaluations 0 --cv 2"
    assert command in html.unescape(page)
    assert "read={'skip': 1, 'columns': ['y', 'a, b']}" in html.unescape(page)


def test_options_of_reading_reach_predictions(run, studied):
    iris = probus.datasets.iris().to_polars().drop("species").head(3).write_csv()
    with open("new.csv", "w") as file:
        file.write("three flowers\n" + iris)
    code, out, _ = run("predict", str(studied / "model.probus"), "new.csv", "--skip", "1")
    assert (code, len(out.splitlines())) == (0, 4)


@pytest.mark.parametrize("sheet", ["plants", "2"])
def test_a_sheet_is_chosen_by_name_or_number(run, sheet):
    pytest.importorskip("fastexcel")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook("book.xlsx") as book:
        for name, cells in (("animals", ["cat", 4.0]), ("plants", ["oak", 30.0])):
            page = book.add_worksheet(name)
            page.write_row(0, 0, [name, "size"])
            page.write_row(1, 0, cells)
    code, out, _ = run("profile", "book.xlsx", "--sheet", sheet)
    assert code == 0
    assert "plants" in out
    assert "animals" not in out


def test_options_of_reading_are_for_files(run):
    code, _, err = run("profile", "iris", "--skip", "1")
    expected = "probus: the bundled data set 'iris' with 'skip'.\n  Expected a file for the options of read.\n"
    assert (code, err) == (2, expected)


def test_a_file_wins_over_a_bundled_data_set_and_a_folder_does_not(run, tmp_path):
    (tmp_path / "iris").mkdir()
    assert "150 rows × 5 columns" in run("profile", "iris")[1]
    (tmp_path / "zoo").write_text("a file without an ending")
    assert "'zoo' has an unknown extension" in run("profile", "zoo")[2]


def test_a_kind_of_new_rows_can_be_given(run, studied):
    iris = probus.datasets.iris().to_polars().drop("species").head(3)
    iris.write_csv("new.csv")
    code, out, _ = run("predict", str(studied / "model.probus"), "new.csv", "--kind", f"{iris.columns[0]}=numeric")
    assert (code, len(out.splitlines())) == (0, 4)


def test_advice_of_a_profile_and_errors_of_numbers_name_options(run, tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{i if i % 5 else -99},{i}\n" for i in range(1, 60)))
    assert "probus.read(" not in run("profile", "rows.csv")[1]
    assert "Expected a smaller --skip" in run("profile", "rows.csv", "--skip", "100")[2]
