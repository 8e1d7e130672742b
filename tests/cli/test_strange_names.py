"""Names, labels and terminals whose letters are not ASCII or not UTF-8, and a disk that is full."""

import os
import subprocess
import sys

import pytest

import probus

LINEAR = (b"--models", b"linear", b"--evaluations", b"0")
QUICK = ("--models", "bayes", "--evaluations", "0")

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
