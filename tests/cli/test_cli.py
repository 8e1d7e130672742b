import html
import json
import os
import subprocess
import sys
import warnings

import polars as pl
import pytest

import probus
from probus.cli import main
from probus.cli.options import parse_kinds, parse_time
from probus.errors import DataError

LINEAR = (b"--models", b"linear", b"--evaluations", b"0")
QUICK = ("--models", "bayes", "--evaluations", "0")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command line in an empty folder: its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("PROBUS_DEBUG", raising=False)

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    with pytest.raises(SystemExit):
        main(["study", "iris", "--target", "species", "--out", str(folder), "--cv", "3", *QUICK])
    return folder


# -- nothing is lost -----------------------------------------------------------------------------------


@pytest.fixture
def closed_pipe(monkeypatch):
    """Standard output whose reader has stopped."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w", encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    yield
    stream.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "files"),
    [
        (
            "study iris --target species --cv 2 --models bayes --evaluations 0 --out new/folder",
            ["new/folder/model.probus", "new/folder/report.html"],
        ),
        ("profile iris --html new/folder/page.html", ["new/folder/page.html"]),
        ("datasets iris --csv new/folder/iris.csv", ["new/folder/iris.csv"]),
    ],
)
def test_files_are_written_though_the_reader_of_the_output_stops(closed_pipe, tmp_path, monkeypatch, command, files):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(command.split())
    assert not stop.value.code
    assert all((tmp_path / file).stat().st_size > 100 for file in files)


@pytest.mark.slow
def test_predictions_end_quietly_where_their_reader_stops(closed_pipe, studied):
    with pytest.raises(SystemExit) as stop:
        main(["predict", str(studied / "model.probus"), "iris"])
    assert not stop.value.code


def test_head_ends_a_command_without_a_word():
    command = f"{sys.executable} -m probus datasets | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("name")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("study iris --target species --out taken/below", "--out: taken/below/model.probus"),
        ("profile iris --html taken/page.html", "--html: taken/page.html"),
        ("predict model.probus iris --out taken/out.csv", "--out: taken/out.csv"),
        ("datasets iris --csv taken/iris.csv", "--csv: taken/iris.csv"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(run, tmp_path, monkeypatch, command, option):
    def work(*arguments, **options):
        raise AssertionError("worked in vain")

    for name in ("probus.study", "probus.load", "probus.lifecycle.opened", "probus.datasets.load"):
        monkeypatch.setattr(name, work)
    (tmp_path / "taken").write_text("a file")
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    why = "Not a directory" if "study" in command else "File exists"
    assert err == f"probus: {option} cannot be written: {why}.\n  Expected a file in a folder that can be written.\n"


def test_a_folder_is_no_file_to_write_to(run, tmp_path):
    (tmp_path / "folder").mkdir()
    assert "--html: folder cannot be written: Is a directory." in run("profile", "iris", "--html", "folder")[2]


@pytest.mark.slow
def test_what_was_found_is_printed_where_saving_fails(run, monkeypatch):
    def fails(*arguments, **options):
        raise OSError(28, "No space left on device", "model.probus")

    monkeypatch.setattr("probus.persistence.save", fails)
    code, out, err = run("study", "iris", "--target", "species", "--cv", "2", *QUICK)
    assert (code, err) == (2, "probus: No space left on device: model.probus\n")
    assert "Best: " in out


def raw_process(*arguments, **how):
    """The command line as a process; arguments and output are bytes."""
    command = [os.fsencode(sys.executable), b"-m", b"probus", *map(os.fsencode, arguments)]
    return subprocess.run(command, **{"capture_output": True, "check": False, **how})


COMMANDS = """
import sys
from probus.cli import main

words, codes = sys.argv[1:], []
while words:
    end = words.index("then")
    try:
        main(words[:end])
    except SystemExit as stop:
        codes.append(stop.code or 0)
    words = words[end + 1 :]
print("exit codes", *codes, file=sys.stderr)
"""


def one_process(*commands, **how):
    """Commands one after the other in one process: their output and errors, which end with the exit codes, as bytes."""
    words = [os.fsencode(word) for command in commands for word in (*command, "then")]
    done = subprocess.run([sys.executable, "-c", COMMANDS, *words], capture_output=True, check=True, **how)
    return done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_no_study_is_lost_in_a_terminal_that_lacks_letters(tmp_path, encoding):
    lines = [f"{i / 8},{'größer' if i % 7 > 3 else '列'},{i % 3}" for i in range(40)]
    (tmp_path / "größe.csv").write_text("größe,答え,地\n" + "\n".join(lines) + "\n", encoding="utf-8")
    out, err = one_process(
        ("profile", "iris"),
        ("study", "größe.csv", "--target", "答え", "--cv", "2", "--allow-leaks", "--out", "out", *QUICK),
        ("predict", "out/model.probus", "größe.csv"),
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )
    assert err.split() == b"exit codes 0 0 0".split()
    shown, _, predicted = out.partition(b"\nprediction")  # predictions are text in UTF-8, as files are
    assert "150 rows × 5 columns".encode(encoding, "replace") in shown
    assert shown.decode(encoding).splitlines()[-1] == "report  out/report.html"
    assert len(predicted.splitlines()) == 41
    assert (tmp_path / "out" / "report.html").stat().st_size > 1000
    assert "größe" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_names_of_files_need_not_be_utf8(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9.csv")).write_text(probus.datasets.mtcars().to_polars().write_csv())
    _, err = one_process(
        (b"profile", b"caf\xe9.csv", b"--html", b"p\xff.html"),
        (b"study", b"caf\xe9.csv", b"--target", b"mpg", b"--cv", b"2", b"--out", b"o\xff", *LINEAR),
        (b"predict", b"o\xff/model.probus", b"caf\xe9.csv", b"--out", b"q\xe9.csv"),
        (b"datasets", b"iris", b"--csv", b"i\xe9.csv"),
        (b"profile", b"caf\xe8.csv"),
        cwd=tmp_path,
    )
    assert err.startswith(b"probus: no file 'caf\\udce8.csv'.")
    assert err.endswith(b"exit codes 0 0 0 0 2\n")
    for file in (b"p\xff.html", b"o\xff/model.probus", b"o\xff/report.html", b"q\xe9.csv", b"i\xe9.csv"):
        assert (tmp_path / os.fsdecode(file)).stat().st_size > 100


def limited():
    """Let no file grow beyond a few bytes, as a full disk does."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of files")
def test_a_full_disk_is_named_and_leaves_the_older_file(tmp_path, studied):
    files = [tmp_path / name for name in ("page.html", "out.csv", "iris.csv")]
    for path in files:
        path.write_text("older")
    page, out, iris = map(str, files)
    _, err = one_process(
        ("profile", "iris", "--html", page),
        ("predict", str(studied / "model.probus"), "iris", "--out", out),
        ("datasets", "iris", "--csv", iris),
        preexec_fn=limited,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert err.decode().splitlines() == [*(f"probus: File too large: {path}" for path in files), "exit codes 2 2 2"]
    assert [path.read_text() for path in files] == ["older"] * 3
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in files}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_device_is_named(run, studied):
    message = "probus: No space left on device: /dev/full\n"
    assert run("profile", "iris", "--html", "/dev/full")[::2] == (2, message)
    assert run("predict", str(studied / "model.probus"), "iris", "--out", "/dev/full")[::2] == (2, message)
    assert run("datasets", "iris", "--csv", "/dev/full")[::2] == (2, message)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_on_a_full_disk_is_named(tmp_path, unbuffered):
    words = ["datasets", "iris", "--csv", "iris.csv"]
    with open("/dev/full", "wb") as full:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = raw_process(
            *words, capture_output=False, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env=environment
        )
    assert (done.returncode, done.stderr) == (2, b"probus: No space left on device: standard output\n")
    assert (tmp_path / "iris.csv").stat().st_size > 100


def test_a_file_in_a_folder_that_is_read_only_is_refused_before_the_work(run, tmp_path, monkeypatch):
    """A file is replaced by renaming, for which its folder must be writable, though the file itself is."""

    def refuse(dir):
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr("probus.cli.output.tempfile.TemporaryFile", refuse)
    monkeypatch.setattr("probus.study", lambda *_, **__: pytest.fail("worked in vain"))
    for name in ("model.probus", "report.html"):
        (tmp_path / name).write_text("older")
    code, _, err = run("study", "iris", "--target", "species")
    assert (code, err.splitlines()[0]) == (2, "probus: --out: model.probus cannot be written: Permission denied.")


# -- study and predict ---------------------------------------------------------------------------------


def test_a_study_writes_a_report_and_a_model_and_ends_with_the_path_of_the_report(run, tmp_path):
    code, out, _ = run("study", "iris", "--target", "species", "--out", "new/folder", "--cv", "3", *QUICK)
    assert code == 0
    assert out.strip().splitlines()[-1] == "report  new/folder/report.html"
    assert "Best: " in out
    assert "Zero-R" in out
    assert (tmp_path / "new/folder/report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "new/folder/model.probus").stat().st_size > 0


@pytest.mark.slow
def test_options_reach_the_study(run, tmp_path):
    words = "--target mpg --models linear --evaluations 1 --cv 3 --seed 3 --scoring mae --scoring r2 --kind cyl=ordinal"
    words += " --group gear --time 5m"
    probus.datasets.mtcars().to_polars().write_csv("cars.csv")
    code, _, _ = run("study", "cars.csv", *words.split())
    assert code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for word in (
        "grouped 3-fold cross-validation, seed 3",
        "Lower MAE is better.",
        "--kind cyl=ordinal",
        "--scoring mae --scoring r2",
        "--time 300s",
    ):
        assert word in page


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


@pytest.mark.slow
def test_the_report_repeats_the_options_of_reading(run, tmp_path):
    rows = [f"{i % 7 + 0.5},{i % 3},note" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["from 2024", 'y,"a, b",c', *rows]) + "\n")
    words = [
        "--skip",
        "1",
        "--columns",
        'y,"a, b"',
        "--cv",
        "2",
        "--models",
        "linear",
        "--evaluations",
        "0",
        "--scoring",
        "mae",
    ]
    assert run("study", "rows.csv", "--target", "y", *words)[0] == 0
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


def test_predictions_are_csv_with_a_probability_per_class(run, studied):
    code, out, err = run("predict", str(studied / "model.probus"), "iris")
    frame = pl.read_csv(out.encode())
    assert (code, err) == (0, "")
    assert frame.columns == [
        "prediction",
        "probability_setosa",
        "probability_versicolor",
        "probability_virginica",
    ]
    assert frame.height == 150
    assert frame.select(pl.sum_horizontal(pl.exclude("prediction"))).to_series().to_list() == pytest.approx([1.0] * 150)
    model = probus.load(studied / "model.probus")
    assert frame["prediction"].to_list() == model.predict(probus.datasets.iris()).tolist()


def test_predictions_go_to_a_file_where_asked(run, studied, tmp_path):
    iris = probus.datasets.iris().to_polars()
    iris.drop("species").reverse().write_csv("new.csv")
    assert run("predict", str(studied / "model.probus"), "new.csv", "--out", "p.csv")[:2] == (0, "")
    assert pl.read_csv("p.csv").height == 150


def test_warnings_of_a_study_are_printed_as_notes(run, monkeypatch):
    monkeypatch.setattr("probus.study", lambda *args, **options: warnings.warn("column dropped: 'a'", stacklevel=1))
    monkeypatch.setattr("probus.cli.study._deliver", lambda *args: None)
    assert run("study", "iris", "--target", "species")[2] == "note: column dropped: 'a'\n"


@pytest.mark.slow
def test_a_study_is_printed_as_json_and_resumed_from_its_archive(run):
    words = ("iris", "--target", "species", "--cv", "2", "--json", *QUICK)
    code, out, _ = run("study", *words, "--archive", "iris.db")
    assert code == 0
    first = json.loads(out)
    assert (first["best"], first["scoring"]) == ("Naive Bayes", "log_loss")
    code, out, _ = run("resume", "iris.db", "--json")
    assert code == 0
    assert json.loads(out)["leaderboard"] == first["leaderboard"]
    assert run("resume", "absent.db")[2] == "probus: no file 'absent.db'.\n  Expected the archive of a study.\n"


@pytest.mark.slow
def test_numbers_are_predicted_without_probabilities(run):
    run("study", "mtcars", "--target", "mpg", "--cv", "3", "--models", "linear", "--evaluations", "0")
    _, out, _ = run("predict", "model.probus", "mtcars")
    assert out.splitlines()[0] == "prediction"
    assert len(out.splitlines()) == 33


@pytest.mark.slow
def test_levels_never_seen_are_noted_on_standard_error(run):
    colours = ["red", "green", "blue"] * 20
    pl.DataFrame({"colour": colours, "y": ["no", "yes", "yes"] * 20}).write_csv("train.csv")
    assert run("study", "train.csv", "--target", "y", "--cv", "3", "--allow-leaks", *QUICK)[0] == 0
    pl.DataFrame({"colour": ["red", "mauve"]}).write_csv("new.csv")
    code, out, err = run("predict", "model.probus", "new.csv")
    assert code == 0
    assert len(out.splitlines()) == 3
    assert err.startswith("note: unknown levels became missing: 'colour': 'mauve'")


def test_the_model_file_remembers_where_it_comes_from(studied):
    from probus.persistence import inspect

    metadata = inspect(studied / "model.probus").metadata
    assert (metadata["target"], metadata["data"], metadata["scoring"]) == ("species", "iris", "log_loss")
    assert metadata["estimate"]["value"] < 0.2


# -- looking -------------------------------------------------------------------------------------------


def test_a_profile_shows_columns_kinds_reasons_pictures_and_findings(run, tmp_path):
    probus.datasets.titanic().to_polars().write_csv("people.csv")
    code, out, _ = run("profile", "people.csv", "--target", "Survived", "--html", "p.html", "--kind", "Pclass=ordinal")
    assert code == 0
    for part in ("people", "891 rows × 12 columns", "numeric", "ordinal", "set by you", "77 %", "█", "PB102", "→"):
        assert part in out
    assert "report  p.html" in out
    assert "Coloured by Survived." in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_the_data_sets_are_listed_shown_and_exported(run, tmp_path):
    code, out, _ = run("datasets")
    assert code == 0
    for name in probus.datasets.names():
        assert name in out
        assert probus.datasets.info(name).licence in out
    _, out, _ = run("datasets", "iris", "--csv", "i.csv")
    assert "150 rows × 5 columns" in out
    assert pl.read_csv("i.csv").height == 150
    assert run("datasets", "--csv", "x")[0] == 2


def test_the_doctor_names_versions_machine_threads_and_caches(run):
    code, out, _ = run("doctor")
    assert code == 0
    for part in ("probus", "scikit-learn", "processor", "cores", "memory", "threads", "compiled kernels", "writable"):
        assert part in out
    assert "NOT INSTALLED" not in out


def test_help_names_every_command_and_the_exit_codes(run):
    code, out, _ = run("--help")
    assert code == 0
    for part in ("study", "predict", "profile", "explore", "datasets", "doctor", "warmup", "Exit codes"):
        assert part in out
    assert run("--version")[1] == f"probus {probus.__version__}\n"
    for command in ("study", "predict", "profile", "explore", "datasets", "doctor", "warmup"):
        assert run(command, "--help")[0] == 0


# -- what goes wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("study titanic --target survived", "probus: no column 'survived'."),
        ("study titanic --target survived", "Did you mean 'Survived'?"),
        ("study titanix --target Survived", "Did you mean titanic?"),
        ("study absent.csv --target y", "absent.csv"),
        ("study iris --target species --scoring f1", "no score 'f1' for this target"),
        ("study iris --target species --kind petal_width", "--kind petal_width."),
        ("study iris --target species --kind species=numeric", "not numbers"),
        ("study iris --target species --time soon", "--time soon."),
        ("study iris --target species --cv 500", "150 rows for 500 folds."),
        ("study iris --target species --out /proc/nowhere", "/proc/nowhere"),
        ("profile iris --target specie", "Did you mean 'species'?"),
        ("profile .", "probus: "),
        ("datasets nope", "no data set 'nope'."),
        ("predict absent.probus iris", "absent.probus"),
        ("predict pyproject.toml iris", "probus: "),
    ],
)
def test_mistakes_are_one_readable_message_and_exit_code_two(run, arguments, message):
    code, _, err = run(*arguments.split())
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert err.startswith("probus: ")


def test_a_column_the_model_needs_is_named(run, studied):
    probus.datasets.iris().drop("petal_width").to_polars().write_csv("new.csv")
    code, _, err = run("predict", str(studied / "model.probus"), "new.csv")
    assert code == 2
    assert "1 column missing from the new data: 'petal_width'." in err


@pytest.mark.parametrize("arguments", ["stdy", "study", "study iris", "study iris --target species --folds 1", "--no"])
def test_wrong_use_has_exit_code_two(run, arguments):
    code, _, err = run(*arguments.split())
    assert code == 2
    assert "Usage: probus" in err


def test_the_unexpected_is_one_line_and_a_hint(run, monkeypatch):
    def break_down(*_, **__):
        raise RuntimeError("the sky fell\non our heads")

    monkeypatch.setattr("probus.lifecycle.opened", break_down)
    code, _, err = run("profile", "iris")
    assert code == 1
    assert err == (
        "probus: RuntimeError: the sky fell\n  This should not have happened. Set PROBUS_DEBUG=1 for the traceback.\n"
    )
    monkeypatch.setenv("PROBUS_DEBUG", "1")
    with pytest.raises(RuntimeError, match="the sky fell"):
        main(["profile", "iris"])


def test_options_that_are_not_what_they_should_be():
    with pytest.raises(DataError, match=r"--kind =nominal\.\n  Expected COLUMN=KIND"):
        parse_kinds(["=nominal"])
    with pytest.raises(DataError, match=r"--time 0\.\n  Expected a span of time"):
        parse_time("0")
    assert parse_time("1.5h") == 5400
    assert parse_kinds(["a=b=ordinal"]) == {"a=b": "ordinal"}


# -- as a process --------------------------------------------------------------------------------------


def process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_the_module_is_the_command_line_and_exit_codes_reach_the_shell():
    good, bad = process("-m", "probus", "--version"), process("-m", "probus", "datasets", "nope")
    assert (good.returncode, good.stdout) == (0, f"probus {probus.__version__}\n")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("probus: no data set 'nope'.")


def test_help_imports_nothing_heavy():
    script = (
        "import sys, probus.cli\n"
        "try: probus.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'sklearn', 'scipy', 'polars', 'matplotlib', 'numpy', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = process("-c", script)
    assert done.returncode == 0, done.stderr


WARMED = """
from probus.cli import main
from probus.cli.kernels import all_kernels

try:
    main(["warmup"])
except SystemExit:
    pass
kernels = all_kernels()
warm = [kernel for kernel in kernels.values() if kernel.signatures]
reached = set(map(id, warm))
while warm:  # what is loaded from the cache contains its parts, which then have no signature of their own
    function = warm.pop().py_func
    parts = [function.__globals__.get(name) for name in function.__code__.co_names]
    parts = [part for part in parts if hasattr(part, "py_func") and id(part) not in reached]
    reached |= set(map(id, parts))
    warm += parts
cold = [name for name, kernel in kernels.items() if id(kernel) not in reached]
assert not cold, cold
"""


@pytest.mark.slow
def test_warmup_compiles_every_kernel():
    done = process("-c", WARMED)
    assert done.returncode == 0, done.stderr
    assert "kernels ready" in done.stdout
